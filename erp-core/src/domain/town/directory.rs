//! The directory of towns and postal codes.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::OnceLock;
#[cfg(feature = "towns-ch-li")]
use std::sync::{Arc, LazyLock};

use smol_str::SmolStr;

use super::csv_file::{self, DirectoryError};
use super::index::Index;
use super::normalise::Key;
use super::{TownEntry, TownKind, TownPlace, format, postal_code};
use crate::values::codes::Country;

/// The towns of each postal code. Create one with [`from_csv`](Self::from_csv), use the
/// [built-in](Self::switzerland_and_liechtenstein) one, or combine several with [`merged`](Self::merged).
#[derive(Clone, Debug, Default)]
pub struct Directory {
    /// Sorted by country and postal code.
    entries: Vec<TownEntry>,
    countries: BTreeSet<Country>,
    regions: BTreeSet<SmolStr>,
    /// Built for the first town that is not at its postal code: that takes longer than all the rest.
    index: OnceLock<Index>,
    /// Positions of the entries, sorted by town and country.
    by_town: Vec<usize>,
}

/// The built-in data: swisstopo (official towns, state of 2025-01-01) and GeoNames (CC BY 4.0, snapshot
/// of 2026-03-30: post-office boxes and other names). Both are named in `NOTICE`.
#[cfg(feature = "towns-ch-li")]
static BUILT_IN: LazyLock<Arc<Directory>> = LazyLock::new(|| {
    let entries = format::decode(include_str!("../../../data/towns_ch_li.txt"));
    Arc::new(Directory::new(entries))
});

impl Directory {
    /// A directory of these entries, in any order.
    pub fn new(mut entries: Vec<TownEntry>) -> Self {
        entries.sort_by(TownEntry::cmp_place);
        // Inserted one by one: `collect` would add another sort to the code that every address form downloads.
        let (mut countries, mut regions) = (BTreeSet::new(), BTreeSet::new());
        for entry in &entries {
            countries.insert(entry.country);
            regions.insert(entry.region.clone());
        }
        let mut by_town: Vec<usize> = (0..entries.len()).collect();
        by_town.sort_by_key(|at| entries.get(*at).map(|entry| (&entry.town, entry.country)));
        Self {
            countries,
            regions,
            index: OnceLock::new(),
            by_town,
            entries,
        }
    }

    /// Reads a table of comma-separated values in UTF-8 with a header line. Columns `country`,
    /// `postal_code` and `town` are needed; `canton`, `kind` (`official`, which is the default, `pobox`,
    /// `other`) and `municipalities` (separated by `|`) are read when present, others are skipped.
    ///
    /// # Errors
    /// The first thing in the table that cannot be used, with its line.
    pub fn from_csv(table: &str) -> Result<Self, DirectoryError> {
        csv_file::read(table).map(Self::new)
    }

    /// Reads the compact format of the built-in data (`erp-core/data/towns_ch_li.txt`). Unreadable parts are skipped.
    pub fn from_compact(text: &str) -> Result<Self, DirectoryError> {
        let entries = format::decode(text);
        if entries.is_empty() {
            return Err(DirectoryError::Empty);
        }
        Ok(Self::new(entries))
    }

    /// Reads either format: [`from_compact`](Self::from_compact) if the first line is a country code, otherwise
    /// [`from_csv`](Self::from_csv).
    pub fn from_file(text: &str) -> Result<Self, DirectoryError> {
        let first = text.lines().next().unwrap_or_default();
        if Country::parse(first).is_ok() {
            Self::from_compact(text)
        } else {
            Self::from_csv(text)
        }
    }

    /// The built-in data of Switzerland and Liechtenstein, unpacked when first used (feature
    /// `towns-ch-li`). Sources: swisstopo; GeoNames.
    #[cfg(feature = "towns-ch-li")]
    pub fn switzerland_and_liechtenstein() -> &'static Arc<Self> {
        &BUILT_IN
    }

    /// Combines both directories. For a country that both cover, only the entries of `newer` are used.
    #[must_use]
    pub fn merged(&self, newer: &Self) -> Self {
        let kept = self
            .entries
            .iter()
            .filter(|entry| !newer.covers(entry.country));
        Self::new(kept.chain(&newer.entries).cloned().collect())
    }

    /// Whether the directory lists towns of the country.
    pub fn covers(&self, country: Country) -> bool {
        self.countries.contains(&country)
    }

    /// All entries, sorted by country, postal code and name.
    pub fn entries(&self) -> &[TownEntry] {
        &self.entries
    }

    pub(super) fn country_of(&self, country: Country, code: &str) -> Country {
        let is_foreign = country == Country::CH
            && postal_code::is_liechtenstein(code)
            && self.listed(country, code).is_empty();
        if is_foreign { Country::LI } else { country }
    }

    pub(super) fn listed(&self, country: Country, code: &str) -> &[TownEntry] {
        let place = |entry: &TownEntry| (entry.country, &*entry.postal_code).cmp(&(country, code));
        let start = self.entries.partition_point(|entry| place(entry).is_lt());
        let end = self.entries.partition_point(|entry| place(entry).is_le());
        self.entries.get(start..end).unwrap_or_default()
    }

    pub(super) fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(&self.entries))
    }

    pub(super) fn entry(&self, position: usize) -> Option<&TownEntry> {
        self.entries.get(position)
    }

    pub(super) fn all_regions(&self) -> &BTreeSet<SmolStr> {
        &self.regions
    }

    pub(super) fn is_official(&self, country: Country, town: &str) -> bool {
        let key = Key::new(town);
        let named = self.index().named(&key);
        let mut named = named.filter_map(|(_, found)| self.entry(found));
        named.any(|entry| {
            entry.kind == TownKind::Official && entry.country == country && entry.town == town
        })
    }

    /// The regions in which a town of that name has postal codes.
    pub(super) fn regions(&self, country: Country, town: &str) -> BTreeSet<SmolStr> {
        let mut regions = BTreeSet::new();
        regions.extend(self.named(country, town).map(|entry| entry.region.clone()));
        regions
    }

    /// The postal codes of a town: the first ones, general codes before those of boxes. One more than a form shows, so
    /// that it can say that there are more.
    pub(super) fn places(&self, country: Country, town: &str) -> Vec<TownPlace> {
        const SHOWN: usize = 6;
        let of_kind = |kind| {
            let named = self.named(country, town);
            named.filter(move |entry| entry.kind == kind)
        };
        let found = [TownKind::Official, TownKind::PoBox, TownKind::Other].into_iter();
        let found = found.flat_map(of_kind);
        found.take(SHOWN).map(TownEntry::place).collect()
    }

    fn named(&self, country: Country, town: &str) -> impl Iterator<Item = &TownEntry> {
        let order = |at: &usize| {
            let entry = self.entry(*at);
            entry.map(|entry| (&*entry.town, entry.country).cmp(&(town, country)))
        };
        let all = &self.by_town;
        let start = all.partition_point(|at| order(at).is_some_and(Ordering::is_lt));
        let end = all.partition_point(|at| order(at).is_none_or(Ordering::is_le));
        let positions = all.get(start..end).unwrap_or_default().iter();
        positions.filter_map(|at| self.entry(*at))
    }
}

#[cfg(test)]
mod tests {
    use super::super::TownOutcome;
    use super::*;

    fn directory(rows: &str) -> Directory {
        Directory::from_csv(&format!("country,postal_code,town\n{rows}")).unwrap()
    }

    #[test]
    fn the_newer_directory_replaces_whole_countries() {
        let old = directory("CH,8001,Altdorf\nCH,8002,Zweidorf\nLI,9490,Vaduz\n");
        let new = directory("CH,8001,Neudorf\nDE,10115,Berlin\n");
        let both = old.merged(&new);
        let towns: Vec<&str> = both
            .entries()
            .iter()
            .map(|entry| entry.town.as_str())
            .collect();
        assert_eq!(towns, ["Neudorf", "Berlin", "Vaduz"]);
        assert!(both.covers(Country::LI) && both.covers(Country::DE));
        assert_eq!(
            both.check(Country::CH, "8002", "Zweidorf").outcome,
            TownOutcome::UnknownPostalCode
        );
    }

    #[test]
    fn a_file_is_a_table_or_the_compact_form() {
        let compact = Directory::from_file("CH\n8001;Zürich@ZH\n;Berg\n").unwrap();
        let towns = |directory: &Directory| -> Vec<String> {
            let shown = |entry: &TownEntry| format!("{} {}", entry.postal_code, entry.town);
            directory.entries().iter().map(shown).collect()
        };
        assert_eq!(towns(&compact), ["8001 Zürich", "8002 Berg"]);
        let table = Directory::from_file("country,postal_code,town\nCH,8001,Zürich\n").unwrap();
        assert_eq!(towns(&table), ["8001 Zürich"]);
        assert_eq!(
            Directory::from_file("CH\n").unwrap_err(),
            DirectoryError::Empty
        );
        assert!(matches!(
            Directory::from_file("PK\u{3}\nx\n"),
            Err(DirectoryError::Table(_))
        ));
    }

    #[test]
    fn a_country_that_is_not_covered_is_told() {
        let swiss = directory("CH,8001,Zürich\n");
        let outcome = |country, code| swiss.check(country, code, "Zürich").outcome;
        assert_eq!(outcome(Country::DE, "8001"), TownOutcome::NotCovered);
        assert_eq!(outcome(Country::CH, "8002"), TownOutcome::UnknownPostalCode);
        // A postal code of Liechtenstein is not reported as unknown in Switzerland.
        assert_eq!(outcome(Country::CH, "9490"), TownOutcome::NotCovered);
        assert_eq!(
            Directory::default().check(Country::CH, "1", "A").outcome,
            TownOutcome::NotCovered
        );
    }
}
