//! Names of larger towns in other languages.

use std::sync::LazyLock;

/// Listed spelling and other names, sorted by the spelling. Omitted: names that are also the listed spelling of
/// another town (Granges for Grenchen, Glion for Ilanz).
static ALIASES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let rows = include_str!("../../../data/town_aliases.tsv").lines();
    rows.filter_map(|row| row.split_once('\t')).collect()
});

/// The other names of a town, by its listed spelling.
pub(super) fn of(town: &str) -> impl Iterator<Item = &'static str> {
    let found = ALIASES.binary_search_by_key(&town, |(official, _)| official);
    let row = found.ok().and_then(|position| ALIASES.get(position));
    row.into_iter().flat_map(|(_, names)| names.split('\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_without_doubles() {
        assert!(ALIASES.is_sorted_by(|left, right| left.0 < right.0));
    }

    #[test]
    fn a_town_without_aliases_has_none() {
        assert!(of("Genève").any(|alias| alias == "Genf"));
        assert_eq!(of("Wil SG").count(), 0);
    }

    #[cfg(feature = "towns-ch-li")]
    #[test]
    fn every_alias_names_a_listed_town_and_is_none_itself() {
        let directory = crate::domain::town::Directory::switzerland_and_liechtenstein();
        let is_listed = |name: &str| directory.entries().iter().any(|entry| entry.town == name);
        for (official, aliases) in &*ALIASES {
            assert!(is_listed(official), "{official}");
            for alias in aliases.split('\t') {
                assert!(!is_listed(alias), "{alias}");
            }
        }
    }
}
