//! The forms in which a listed town may be typed.

use smol_str::{SmolStr, format_smolstr};

use super::aliases;
use super::normalise::{Key, split_canton};

/// How a form relates to the listed spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Relation {
    /// The whole listed name.
    Full,
    /// The name without canton or other addition, or with a canton that the listed name lacks.
    Short,
    /// One half of a bilingual name.
    Half,
    /// A name in another language.
    Alias,
    Municipality,
}

#[derive(Clone, Debug)]
pub(super) struct TownForm {
    pub(super) relation: Relation,
    pub(super) key: Key,
}

/// All forms of a town, the closest first.
pub(super) fn of_town(town: &str, region: &str) -> Vec<TownForm> {
    let mut forms = Vec::with_capacity(4);
    let base = split_canton(town).map_or(town, |(before, _)| before);
    let plain = without_addition(base);
    push(&mut forms, Relation::Full, town);
    for name in [base, plain] {
        push(&mut forms, Relation::Short, name);
        push_with_region(&mut forms, Relation::Short, name, region);
    }
    for half in halves(base) {
        push(&mut forms, Relation::Half, &half);
        push_with_region(&mut forms, Relation::Half, &half, region);
    }
    for alias in aliases::of(town) {
        push(&mut forms, Relation::Alias, alias);
    }
    forms
}

/// The forms of a municipality, which is written as `Wald (BE)` where towns are written `Wald BE`.
pub(super) fn of_municipality(name: &str) -> Vec<TownForm> {
    let mut forms = Vec::with_capacity(2);
    push(&mut forms, Relation::Municipality, name);
    push(&mut forms, Relation::Municipality, without_addition(name));
    forms
}

fn push(forms: &mut Vec<TownForm>, relation: Relation, name: &str) {
    let key = Key::new(name);
    if !key.plain.is_empty() && forms.iter().all(|form| form.key != key) {
        forms.push(TownForm { relation, key });
    }
}

fn push_with_region(forms: &mut Vec<TownForm>, relation: Relation, name: &str, region: &str) {
    if region.len() == 2 {
        push(forms, relation, &format_smolstr!("{name} {region}"));
    }
}

/// The name without a distinguishing addition: `(Vully)`, `b. Bern`, `am Rhein`.
fn without_addition(name: &str) -> &str {
    const ADDITIONS: [&str; 7] = [" (", " b. ", " am ", " an der ", " im ", " in ", " ob "];
    let end = ADDITIONS
        .iter()
        .filter_map(|addition| name.find(addition))
        .min();
    end.and_then(|end| name.get(..end)).unwrap_or(name)
}

/// Both names of `Biel/Bienne`; a word after the second name belongs to both (`Sils/Segl Maria`).
fn halves(name: &str) -> Vec<SmolStr> {
    let Some((left, right)) = name.split_once('/') else {
        return Vec::new();
    };
    let mut halves = vec![SmolStr::from(left), SmolStr::from(right)];
    if let Some((_, shared)) = right.split_once(' ').filter(|_| !left.contains(' ')) {
        halves.push(format_smolstr!("{left} {shared}"));
    }
    halves
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(town: &str, region: &str) -> Vec<(Relation, String)> {
        let forms = of_town(town, region).into_iter();
        forms
            .map(|form| (form.relation, form.key.plain.to_string()))
            .collect()
    }

    #[test]
    fn additions_may_be_missing_or_added() {
        let found = keys("Mur (Vully) FR", "FR");
        for expected in ["murvullyfr", "murvully", "mur", "murfr"] {
            assert!(found.iter().any(|(_, key)| key == expected), "{expected}");
        }
        assert_eq!(found[0], (Relation::Full, "murvullyfr".to_owned()));
        let added = keys("Zürich", "ZH");
        assert!(added.contains(&(Relation::Short, "zurichzh".to_owned())));
    }

    #[test]
    fn a_shared_word_belongs_to_both_halves() {
        let found = keys("Sils/Segl Maria", "GR");
        for expected in ["silsmaria", "seglmaria"] {
            assert!(
                found.contains(&(Relation::Half, expected.to_owned())),
                "{expected}"
            );
        }
    }
}
