//! The names of columns: those of the interface, and those that spreadsheets have in German.

use std::collections::BTreeMap;

use erp_core::import::RowKind;
use erp_core::internal::wire::{Kind, Schema};
use erp_core::sentence::Sentence;

/// A path in a row, a tab, and German names of it. A name belongs to the first path that the kind of rows has; the first
/// name of a path is in empty files.
const GERMAN: &str = include_str!("columns.tsv");

/// The attribute that says which shops see an article.
const SHOPS: &str = "attributes.RESTWEBSHOP";

/// The names that columns of a file with rows of one kind can have.
pub(super) struct Names {
    kind: RowKind,
    /// By their [`key`]: a name and its path.
    known: BTreeMap<String, (String, String)>,
}

impl Names {
    pub(super) fn of(kind: RowKind) -> Self {
        let mut known = BTreeMap::new();
        let paths = paths(kind).into_iter().map(|path| (path.clone(), path));
        for name in paths.chain(german(kind)) {
            known.entry(key(&name.0)).or_insert(name);
        }
        Self { kind, known }
    }

    /// The path in a row that a column means.
    pub(super) fn path(&self, name: &str) -> Result<String, Sentence> {
        if let Some((_, path)) = self.known.get(&key(name)) {
            return Ok(path.clone());
        }
        let (outer, inner) = name.split_once('.').unzip();
        let outer = outer.unwrap_or(name);
        let field = self.kind.schema().field(outer);
        match (field.map(|field| field.kind), inner) {
            (Some(_), Some(_)) if outer == "attributes" => Ok(name.to_owned()),
            // A list, which says so in its rows.
            (Some(_), None) => Ok(name.to_owned()),
            (None | Some(Kind::Object(_)), _) => Err(self.no_column(name)),
            (Some(_), Some(_)) => Err(sentence!("import.no_object", name = outer)),
        }
    }

    fn no_column(&self, name: &str) -> Sentence {
        let wanted = key(name);
        let known = self.known.iter();
        let known = known.map(|(key, (name, _))| (strsim::jaro_winkler(key, &wanted), name));
        let nearest = known.max_by(|(a, _), (b, _)| a.total_cmp(b));
        match nearest.filter(|(likeness, _)| *likeness > 0.8) {
            Some((_, nearest)) => sentence!("import.meant", name, nearest),
            None => sentence!("import.no_column", name),
        }
    }

    /// Whether rows can have these columns, and require no others.
    fn fit<'a>(&self, columns: impl Iterator<Item = &'a str>) -> bool {
        let paths: Result<Vec<String>, _> = columns.map(|name| self.path(name)).collect();
        let has = |name: &str| {
            let mut paths = paths.iter().flatten();
            paths.any(|path| path.split('.').next() == Some(name))
        };
        let fields = self.kind.schema().fields.iter();
        paths.is_ok()
            && fields
                .filter(|field| field.required)
                .all(|field| has(field.wire))
    }
}

/// The only kind of rows that has all these columns, and requires no others. Not the whole prices of a list, of which a
/// file has none.
pub(super) fn kind_with<'a>(
    columns: impl Iterator<Item = &'a str> + Clone,
) -> Result<RowKind, Sentence> {
    let mut kinds = RowKind::ALL.to_vec();
    kinds.retain(|kind| *kind != RowKind::PriceList && Names::of(*kind).fit(columns.clone()));
    let names = |kinds: &[RowKind]| kinds.iter().map(|kind| kind.as_str()).collect::<Vec<_>>();
    match kinds.as_slice() {
        [kind] if columns.clone().next().is_some() => Ok(*kind),
        [] | [_] => {
            let names = names(&RowKind::ALL).join(", ");
            Err(sentence!("import.no_kind", names))
        }
        kinds => Err(sentence!("import.kinds", names = names(kinds).join(", "))),
    }
}

/// The columns of a file with rows of this kind, in German where they have such names.
pub fn columns_of(kind: RowKind, is_german: bool) -> Vec<String> {
    let known = Names::of(kind);
    let german = |path: String| {
        // Another path may have the same name.
        let is_of = |name: &String| is_german && known.path(name).is_ok_and(|of| of == path);
        let mut names = german(kind).map(|(name, _)| name);
        names.find(is_of).unwrap_or(path)
    };
    let paths = paths(kind).into_iter().filter(|path| path != "Loeschen");
    paths.map(german).collect()
}

/// German names with their paths.
fn german(kind: RowKind) -> impl Iterator<Item = (String, String)> {
    let paths = paths(kind);
    let lines = GERMAN.lines().filter_map(|line| line.split_once('\t'));
    let lines = lines.filter(move |(path, _)| paths.iter().any(|known| known == path));
    lines.flat_map(|(path, names)| {
        let names = names.split(", ");
        names.map(move |name| (name.to_owned(), path.to_owned()))
    })
}

/// Where a row of this kind has single values.
fn paths(kind: RowKind) -> Vec<String> {
    let mut paths = values_of("", kind.schema());
    paths.extend((kind == RowKind::Article).then(|| SHOPS.to_owned()));
    paths
}

fn values_of(before: &str, schema: &Schema) -> Vec<String> {
    let values = schema.fields.iter().flat_map(|field| match field.kind {
        Kind::Object(inner) => values_of(&format!("{}.", field.wire), inner),
        Kind::List(_) | Kind::Texts => Vec::new(),
        _ => vec![format!("{before}{}", field.wire)],
    });
    values.collect()
}

/// Names are equal in any case and spelling of umlauts, with and without blanks and marks.
fn key(name: &str) -> String {
    let mut key = String::new();
    for letter in name.to_lowercase().chars() {
        match letter {
            'ä' => key.push_str("ae"),
            'ö' => key.push_str("oe"),
            'ü' => key.push_str("ue"),
            'ß' => key.push_str("ss"),
            letter if letter.is_alphanumeric() => key.push(letter),
            _ => {}
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn german_names_in_any_spelling_are_columns() {
        for (kind, name, expected) in [
            (RowKind::Article, "Artikelnummer", "ArtNr"),
            (RowKind::Article, "BEZEICHNUNG", "ArtBez"),
            (RowKind::PackagingUnit, "Bezeichnung", "VPBezeichnung"),
            (RowKind::Price, "preis", "PreisList"),
            (RowKind::Stock, "Menge", "LagerBestand"),
            (RowKind::Price, "Währung", "WaehrAbk"),
            (RowKind::Price, "waehrung", "WaehrAbk"),
            (RowKind::Customer, "Straße", "KontaktAdr.AdrAdresse1"),
            (RowKind::Customer, "STRASSE", "KontaktAdr.AdrAdresse1"),
            (RowKind::Company, "Strasse", "AdrAdresse1"),
            (RowKind::Customer, "Kunden-Nr.", "KundNr"),
            (RowKind::Customer, "kontaktadr.ortplz", "KontaktAdr.OrtPLZ"),
            (RowKind::Customer, "attributes.KLASSE", "attributes.KLASSE"),
        ] {
            assert_eq!(Names::of(kind).path(name).unwrap(), expected, "{name}");
        }
    }

    #[test]
    fn every_german_name_is_of_a_column_and_the_first_ones_are_those_of_empty_files() {
        let mut used = std::collections::BTreeSet::new();
        for kind in RowKind::ALL {
            used.extend(german(kind).map(|(_, path)| path));
            let plain = columns_of(kind, false);
            let in_german: Vec<String> = columns_of(kind, true)
                .iter()
                .map(|name| Names::of(kind).path(name).unwrap())
                .collect();
            assert_eq!(in_german, plain);
        }
        let lines = GERMAN.lines().map(|line| line.split_once('\t').unwrap().0);
        let unused: Vec<&str> = lines.filter(|path| !used.contains(*path)).collect();
        assert_eq!(unused, [] as [&str; 0]);
    }

    #[test]
    fn columns_tell_the_kind() {
        for (columns, kind) in [
            ("ArtNr;ArtBez;AnLager", "Artikel"),
            ("Artikelnummer;Sprache;Bezeichnung", "ArtikelText"),
            (
                "Artikelnummer;Preisliste;Währung;Preis;Netto/Brutto",
                "Preis",
            ),
            ("Artikelnummer;Lagerort;Standort;Menge", "Bestand"),
            ("Kundennummer;Währung;Firma;PLZ", "Kunde"),
        ] {
            let found = kind_with(columns.split(';')).unwrap();
            assert_eq!(found.as_str(), kind, "{columns}");
        }
        for (columns, why) in [
            ("ArtNr;ArtGruppe", "rows of Artikel, ArtikelMedia:"),
            ("Xyzzy", "no kind of rows:"),
            ("PreisListe;ArtNr", "no kind of rows:"),
        ] {
            let found = kind_with(columns.split(';')).unwrap_err().english();
            assert!(found.contains(why), "{columns}: {found}");
        }
        assert!(kind_with([].into_iter()).is_err());
    }
}
