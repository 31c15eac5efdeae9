//! Sorting of the article list (`sorts`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rust_decimal::Decimal;

use super::{View, tax_rate};
use crate::domain::master::Article;
use crate::values::fold::fold;
use erp_derive::Say;

// rule: D-CTR-05
/// Sortable fields: every article field that is not a list.
pub const SORTABLE: &[&str] = &[
    "ArtNr",
    "AnLager",
    "ArtBez",
    "ArtikelStatus",
    "Einheit",
    "Farbe",
    "WUSTSatz",
    "GeaendertAmUTC",
    "ArtGruppe",
    "ArtKlasse",
    "WaehrAbk",
    "BeschaffungsArt",
    "VerarbeitungsArt",
    "HatVPE",
    "ArtGewicht",
];

/// One sort criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sort {
    /// One of [`SORTABLE`].
    pub member: &'static str,
    /// Descending instead of ascending.
    pub descending: bool,
}

/// The order of a list without a `sorts` parameter.
pub(crate) const BY_NAME: [Sort; 2] = [Sort::by("ArtBez"), Sort::by("ArtNr")];

impl Sort {
    const fn by(member: &'static str) -> Self {
        Self {
            member,
            descending: false,
        }
    }
}

/// Why a `sorts` parameter is rejected.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum SortError {
    /// Not a sortable field.
    #[say("sort.unknown")]
    Unknown(String),
    /// A field is given twice.
    #[say("sort.twice")]
    Twice(&'static str),
}

// rule: R-END-20
/// Parses `sorts`: comma-separated fields, each with an optional `+` (the default) or `-` in front. A blank counts as
/// `+`, because a `+` in a query is decoded to a blank. `ArtNr` is always appended, so the order is always unique.
/// Empty when no field is named.
///
/// # Errors
/// An unknown field, or a field given twice.
pub fn parse_sorts(text: &str) -> Result<Vec<Sort>, SortError> {
    let mut sorts: Vec<Sort> = Vec::new();
    for part in text.split(',').filter(|part| !part.trim().is_empty()) {
        let descending = part.trim_start().starts_with('-');
        let name = part.trim_start().trim_start_matches(['+', '-']).trim();
        let member = SORTABLE.iter().find(|known| **known == name);
        let member = *member.ok_or_else(|| SortError::Unknown(name.to_owned()))?;
        if sorts.iter().any(|known| known.member == member) {
            return Err(SortError::Twice(member));
        }
        sorts.push(Sort { member, descending });
    }
    if !sorts.is_empty() && !sorts.iter().any(|known| known.member == "ArtNr") {
        sorts.push(Sort::by("ArtNr"));
    }
    Ok(sorts)
}

/// The comparison value of an article. Absent values come first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SortKey {
    Absent,
    Number(Decimal),
    Text(String, String),
}

impl SortKey {
    fn text(text: Option<&str>) -> Self {
        text.map_or(Self::Absent, |text| Self::Text(fold(text), text.to_owned()))
    }

    fn of(view: &View<'_>, article: &Article, member: &str) -> Self {
        let yes_or_no = |yes: bool| Self::text(Some(if yes { "J" } else { "N" }));
        match member {
            "AnLager" => yes_or_no(article.stock_managed),
            "ArtBez" => Self::text(
                view.company
                    .translation(&article.texts, view.language)
                    .map(|text| text.as_str()),
            ),
            "ArtikelStatus" => Self::Number(article.status.into()),
            "Einheit" => Self::text(article.unit.as_deref()),
            "Farbe" => Self::text(article.colour.as_deref()),
            "WUSTSatz" => tax_rate(view, article).map_or(Self::Absent, Self::Number),
            "GeaendertAmUTC" => Self::Number(article.changed_at.as_second().into()),
            "ArtGruppe" => Self::text(article.group.as_deref()),
            "ArtKlasse" => Self::text(article.class.as_deref()),
            // All articles of a response have the same currency.
            "WaehrAbk" => Self::text(Some(view.currency.as_str())),
            "BeschaffungsArt" => Self::text(article.procurement.as_deref()),
            "VerarbeitungsArt" => Self::text(article.processing.as_deref()),
            "HatVPE" => yes_or_no(!article.units.is_empty()),
            "ArtGewicht" => article.weight.map_or(Self::Absent, Self::Number),
            _ => Self::text(Some(&article.number)),
        }
    }
}

pub(crate) fn depends_on_language(member: &str) -> bool {
    member == "ArtBez"
}

/// Computes ranks of articles by one field, fed one article at a time. Equal values have equal ranks.
#[derive(Debug, Default)]
pub(crate) struct Ranking {
    by_value: BTreeMap<SortKey, Vec<usize>>,
    count: usize,
}

impl Ranking {
    /// Adds the article at the next position; `None` if it was removed in the meantime.
    pub(crate) fn push(&mut self, view: &View<'_>, article: Option<&Article>, member: &str) {
        let value = article.map_or(SortKey::Absent, |article| {
            SortKey::of(view, article, member)
        });
        self.by_value.entry(value).or_default().push(self.count);
        self.count += 1;
    }

    pub(crate) const fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn ranks(self) -> Vec<u32> {
        let mut ranks = vec![0; self.count];
        for (rank, positions) in (0..).zip(self.by_value.into_values()) {
            for position in positions {
                if let Some(of_position) = ranks.get_mut(position) {
                    *of_position = rank;
                }
            }
        }
        ranks
    }
}

/// Sorts positions by their ranks, fed one position at a time.
#[derive(Debug, Default)]
pub(crate) struct Sorter {
    /// The ranks to compare, and whether descending.
    by: Vec<(Arc<[u32]>, bool)>,
    sorted: BTreeSet<(Vec<u32>, usize)>,
}

impl Sorter {
    /// Adds a further criterion that breaks ties. Call it before the first position.
    pub(crate) fn then_by(&mut self, ranks: Arc<[u32]>, descending: bool) {
        self.by.push((ranks, descending));
    }

    pub(crate) fn push(&mut self, position: usize) {
        let rank = |(ranks, descending): &(Arc<[u32]>, bool)| {
            let rank = ranks.get(position).copied().unwrap_or_default();
            if *descending {
                u32::MAX.saturating_sub(rank)
            } else {
                rank
            }
        };
        let ranks = self.by.iter().map(rank).collect();
        self.sorted.insert((ranks, position));
    }

    pub(crate) fn positions(self) -> impl Iterator<Item = usize> {
        self.sorted.into_iter().map(|(_, position)| position)
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::domain::master::{Company, TaxTable};
    use crate::values::codes::{Currency, Language};
    use crate::values::text::Text;

    fn numbers(sorts: &str) -> Vec<String> {
        let company = Company::default();
        let taxes = TaxTable::default();
        let view = View {
            company: &company,
            taxes: &taxes,
            day: date(2026, 1, 1),
            currency: Currency::CHF,
            language: Language::GERMAN,
        };
        let articles = [
            ("1", "Zange", Some("b")),
            ("2", "Ähre", None),
            ("3", "apfel", Some("a")),
            ("4", "Apfel", Some("b")),
        ];
        let articles = articles.map(|(number, name, group)| {
            let mut article = crate::domain::master::article_for_tests(number);
            article
                .texts
                .insert(Language::GERMAN, Text::new(name).unwrap());
            article.weight = match number {
                "1" => Some(Decimal::ONE),
                "3" => Some(Decimal::TEN),
                "4" => Some(Decimal::new(5, 1)),
                _ => None,
            };
            article.group = group.map(|group| Text::new(group).unwrap());
            article
        });
        let mut sorter = Sorter::default();
        let named = parse_sorts(sorts).unwrap();
        let sorts = if named.is_empty() {
            &BY_NAME[..]
        } else {
            &named
        };
        for sort in sorts {
            let mut ranking = Ranking::default();
            for article in &articles {
                ranking.push(&view, Some(article), sort.member);
            }
            sorter.then_by(ranking.ranks().into(), sort.descending);
        }
        (0..articles.len()).for_each(|position| sorter.push(position));
        let numbers = sorter.positions();
        numbers.map(|at| articles[at].number.to_string()).collect()
    }

    // rule: R-END-20
    #[test]
    fn names_sort_without_case_and_accents() {
        assert_eq!(numbers(""), ["2", "4", "3", "1"]);
        assert_eq!(numbers("-ArtBez"), ["1", "3", "4", "2"]);
    }

    // rule: R-END-20
    #[test]
    fn several_members_and_the_article_number_last() {
        assert_eq!(numbers("+ArtGruppe,-ArtBez"), ["2", "3", "1", "4"]);
        assert_eq!(numbers(" ArtGruppe"), ["2", "3", "1", "4"]);
        assert_eq!(numbers("ArtikelStatus"), ["1", "2", "3", "4"]);
        assert_eq!(numbers("-ArtNr"), ["4", "3", "2", "1"]);
    }

    // rule: D-CTR-05
    #[test]
    fn every_member_that_is_no_list_can_be_sorted_by() {
        use crate::wire::{Kind, Record as _};
        let fields = crate::domain::response::Article::SCHEMA.fields.iter();
        let mut scalars: Vec<&str> = fields
            .filter(|field| !matches!(field.kind, Kind::List(_)))
            .map(|field| field.wire)
            .collect();
        let mut sortable = SORTABLE.to_vec();
        scalars.sort_unstable();
        sortable.sort_unstable();
        assert_eq!(sortable, scalars);
        assert_eq!(numbers("-WaehrAbk"), ["1", "2", "3", "4"]);
        assert_eq!(numbers("-ArtGewicht"), ["3", "1", "4", "2"]);
        assert_eq!(numbers("ArtGewicht"), ["2", "4", "1", "3"]);
    }

    // rule: D-REQ-05
    #[test]
    fn unknown_and_doubled_members_are_refused() {
        assert_eq!(
            parse_sorts("+Nope"),
            Err(SortError::Unknown("Nope".to_owned()))
        );
        assert_eq!(parse_sorts("+ArtNr,-ArtNr"), Err(SortError::Twice("ArtNr")));
    }
}
