//! The order of the article list (`sorts`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rust_decimal::Decimal;
use thiserror::Error;

use super::View;
use super::render::tax_rate;
use crate::fold::fold;
use crate::master::Article;

/// The members an article list can be sorted by.
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
    "BeschaffungsArt",
    "VerarbeitungsArt",
    "HatVPE",
];

/// One member to sort by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sort {
    /// One of [`SORTABLE`].
    pub member: &'static str,
    /// From high to low.
    pub descending: bool,
}

/// Why a `sorts` parameter is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SortError {
    /// Not a member an article list can be sorted by.
    #[error("`{0}` is no member to sort by")]
    Unknown(String),
    /// Named twice.
    #[error("`{0}` is named twice")]
    Twice(&'static str),
}

/// Reads `sorts`: comma separated members, each with `+` or `-` in front (`+` when neither). A blank
/// counts as `+`, because that is what a `+` in a query becomes. `ArtNr` always comes last, so that
/// the order is never open.
///
/// # Errors
/// A member that is unknown or named twice.
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
    if sorts.is_empty() {
        sorts.push(Sort {
            member: "ArtBez",
            descending: false,
        });
    }
    if !sorts.iter().any(|known| known.member == "ArtNr") {
        sorts.push(Sort {
            member: "ArtNr",
            descending: false,
        });
    }
    Ok(sorts)
}

/// What an article is compared by. Absent values come first.
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
            "BeschaffungsArt" => Self::text(article.procurement.as_deref()),
            "VerarbeitungsArt" => Self::text(article.processing.as_deref()),
            "HatVPE" => yes_or_no(!article.units.is_empty()),
            _ => Self::text(Some(&article.number)),
        }
    }
}

/// Whether articles are in another order by this member in another language.
pub(crate) fn depends_on_language(member: &str) -> bool {
    member == "ArtBez"
}

/// Ranks articles by one member, one article at a time. Equal values have equal ranks.
#[derive(Debug, Default)]
pub(crate) struct Ranking {
    /// The positions of the articles with a value.
    by_value: BTreeMap<SortKey, Vec<usize>>,
    count: usize,
}

impl Ranking {
    /// Adds the article at the next position; `None` when it was removed meanwhile.
    pub(crate) fn push(&mut self, view: &View<'_>, article: Option<&Article>, member: &str) {
        let value = article.map_or(SortKey::Absent, |article| {
            SortKey::of(view, article, member)
        });
        self.by_value.entry(value).or_default().push(self.count);
        self.count = self.count.saturating_add(1);
    }

    /// The rank of each position.
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

/// Sorts positions by their ranks, one position at a time.
#[derive(Debug, Default)]
pub(crate) struct Sorter {
    /// What to compare by, and whether from high to low.
    by: Vec<(Arc<[u32]>, bool)>,
    sorted: BTreeSet<(Vec<u32>, usize)>,
}

impl Sorter {
    /// Compares by these ranks when all others are equal. Call it before the first position.
    pub(crate) fn then_by(&mut self, ranks: Arc<[u32]>, descending: bool) {
        self.by.push((ranks, descending));
    }

    /// Adds a position.
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

    /// The positions in order.
    pub(crate) fn positions(self) -> impl Iterator<Item = usize> {
        self.sorted.into_iter().map(|(_, position)| position)
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::codes::{Currency, Language};
    use crate::links::Links;
    use crate::master::{Company, TaxTable};
    use crate::text::Text;

    fn numbers(sorts: &str) -> Vec<String> {
        let company = Company::default();
        let taxes = TaxTable::default();
        let view = View {
            company: &company,
            taxes: &taxes,
            day: date(2026, 1, 1),
            currency: Currency::CHF,
            language: Language::GERMAN,
            links: Links::new(""),
        };
        let articles = [
            ("1", "Zange", Some("b")),
            ("2", "Ähre", None),
            ("3", "apfel", Some("a")),
            ("4", "Apfel", Some("b")),
        ];
        let articles = articles.map(|(number, name, group)| {
            let mut article = crate::master::article_for_tests(number);
            article
                .texts
                .insert(Language::GERMAN, Text::new(name).unwrap());
            article.group = group.map(|group| Text::new(group).unwrap());
            article
        });
        let mut sorter = Sorter::default();
        for sort in parse_sorts(sorts).unwrap() {
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

    #[test]
    fn names_sort_without_case_and_accents() {
        assert_eq!(numbers(""), ["2", "4", "3", "1"]);
        assert_eq!(numbers("-ArtBez"), ["1", "3", "4", "2"]);
    }

    #[test]
    fn several_members_and_the_article_number_last() {
        assert_eq!(numbers("+ArtGruppe,-ArtBez"), ["2", "3", "1", "4"]);
        assert_eq!(numbers(" ArtGruppe"), ["2", "3", "1", "4"]);
        assert_eq!(numbers("ArtikelStatus"), ["1", "2", "3", "4"]);
        assert_eq!(numbers("-ArtNr"), ["4", "3", "2", "1"]);
    }

    #[test]
    fn unknown_and_doubled_members_are_refused() {
        assert_eq!(
            parse_sorts("+Nope"),
            Err(SortError::Unknown("Nope".to_owned()))
        );
        assert_eq!(parse_sorts("+ArtNr,-ArtNr"), Err(SortError::Twice("ArtNr")));
    }
}
