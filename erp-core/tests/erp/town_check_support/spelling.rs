//! Other spellings of a listed town.

use erp_core::town::TownEntry;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

type Spell = fn(&TownEntry) -> Vec<String>;

/// Each class of spellings. The list is empty for a town without spellings of a class.
pub(crate) const CLASSES: [(&str, Spell); 11] = [
    ("exact", |entry| vec![entry.town.to_string()]),
    ("upper case", |entry| vec![entry.town.to_uppercase()]),
    ("lower case", |entry| vec![entry.town.to_lowercase()]),
    ("without accents", |entry| {
        changed(entry, vec![without_accents(&entry.town)])
    }),
    ("ae, oe, ue", |entry| {
        changed(entry, vec![with_e(&entry.town)])
    }),
    ("hyphens and blanks", |entry| {
        changed(entry, hyphens_and_blanks(&entry.town))
    }),
    ("St., Sankt, Saint", |entry| {
        changed(entry, saints(&entry.town))
    }),
    ("bei, am", |entry| changed(entry, prepositions(&entry.town))),
    ("half of a bilingual name", |entry| {
        changed(entry, halves(&entry.town))
    }),
    ("canton left out", |entry| {
        changed(entry, vec![without_canton(entry)])
    }),
    ("canton added", |entry| changed(entry, with_canton(entry))),
];

fn changed(entry: &TownEntry, mut spellings: Vec<String>) -> Vec<String> {
    spellings.retain(|spelling| *spelling != entry.town && !spelling.is_empty());
    spellings.sort();
    spellings.dedup();
    spellings
}

fn without_accents(town: &str) -> String {
    town.nfd()
        .filter(|character| !is_combining_mark(*character))
        .collect()
}

fn with_e(town: &str) -> String {
    let replaced = [
        ("ä", "ae"),
        ("ö", "oe"),
        ("ü", "ue"),
        ("Ä", "Ae"),
        ("Ö", "Oe"),
        ("Ü", "Ue"),
    ];
    replaced
        .iter()
        .fold(town.to_owned(), |town, (umlaut, letters)| {
            town.replace(umlaut, letters)
        })
}

fn hyphens_and_blanks(town: &str) -> Vec<String> {
    vec![
        town.replace('-', " "),
        town.replace(' ', "-"),
        town.replace(['-', ' '], ""),
    ]
}

fn saints(town: &str) -> Vec<String> {
    const GROUPS: [&[&str]; 4] = [
        &["St. ", "St.", "St ", "St-", "Sankt ", "Saint ", "Saint-"],
        &["Ste-", "Ste. ", "Ste ", "Sainte-", "Sainte "],
        &["S. ", "S.", "San "],
        &["Sta. ", "Santa "],
    ];
    let group = GROUPS
        .iter()
        .find(|group| group.iter().any(|word| town.contains(word)));
    let Some(group) = group else {
        return Vec::new();
    };
    let listed = group
        .iter()
        .find(|word| town.contains(**word))
        .copied()
        .unwrap_or_default();
    group
        .iter()
        .map(|word| town.replace(listed, word))
        .collect()
}

fn prepositions(town: &str) -> Vec<String> {
    const PAIRS: [(&str, &str); 9] = [
        (" b. ", " bei "),
        (" b. ", " b."),
        (" b. ", " b "),
        (" am ", " a. "),
        (" am ", " a."),
        (" an der ", " a. d. "),
        (" an der ", " a.d. "),
        (" im ", " i. "),
        (" im ", " i."),
    ];
    PAIRS
        .iter()
        .map(|(listed, typed)| town.replace(listed, typed))
        .collect()
}

fn halves(town: &str) -> Vec<String> {
    let Some((left, right)) = base(town).split_once('/') else {
        return Vec::new();
    };
    match right.split_once(' ') {
        Some((_, shared)) => vec![format!("{left} {shared}"), right.to_owned()],
        None => vec![left.to_owned(), right.to_owned()],
    }
}

fn base(town: &str) -> &str {
    match town.rsplit_once(' ') {
        Some((base, canton)) if canton.len() == 2 && is_upper_case(canton) => base,
        _ => town,
    }
}

fn is_upper_case(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn without_canton(entry: &TownEntry) -> String {
    base(&entry.town).to_owned()
}

fn with_canton(entry: &TownEntry) -> Vec<String> {
    if base(&entry.town) != entry.town {
        return vec![format!("{} ({})", base(&entry.town), entry.region)];
    }
    let TownEntry { town, region, .. } = entry;
    vec![
        format!("{town} {region}"),
        format!("{town} ({region})"),
        format!("{town}/{region}"),
    ]
}
