//! The order of the article list (`sorts`).

use std::cmp::{Ordering, Reverse};

use rust_decimal::Decimal;
use thiserror::Error;

use super::View;
use super::render::tax_rate;
use crate::fold::fold;
use crate::master::{Article, ArticleNumber};

/// The members an article list can be sorted by: every one of an article that is no list.
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
            // One answer has one currency.
            "WaehrAbk" => Self::text(Some(view.currency.as_str())),
            "BeschaffungsArt" => Self::text(article.procurement.as_deref()),
            "VerarbeitungsArt" => Self::text(article.processing.as_deref()),
            "HatVPE" => yes_or_no(!article.units.is_empty()),
            "ArtGewicht" => article.weight.map_or(Self::Absent, Self::Number),
            _ => Self::text(Some(&article.number)),
        }
    }
}

/// Sorts articles and answers their numbers.
#[must_use]
pub fn order_articles(
    view: &View<'_>,
    articles: Vec<Article>,
    sorts: &[Sort],
) -> Vec<ArticleNumber> {
    let mut keyed: Vec<(Vec<Directed>, ArticleNumber)> = articles
        .into_iter()
        .map(|article| {
            (
                sorts
                    .iter()
                    .map(|sort| Directed::of(view, &article, *sort))
                    .collect(),
                article.number,
            )
        })
        .collect();
    keyed.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
    keyed.into_iter().map(|(_, number)| number).collect()
}

/// A sort key in its direction.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Directed {
    Up(SortKey),
    Down(Reverse<SortKey>),
}

impl Directed {
    fn of(view: &View<'_>, article: &Article, sort: Sort) -> Self {
        let key = SortKey::of(view, article, sort.member);
        if sort.descending {
            Self::Down(Reverse(key))
        } else {
            Self::Up(key)
        }
    }
}

impl Ord for Directed {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Up(a), Self::Up(b)) => a.cmp(b),
            (Self::Down(a), Self::Down(b)) => a.cmp(b),
            // Keys at one place of the list all have its direction.
            (Self::Up(_), Self::Down(_)) => Ordering::Less,
            (Self::Down(_), Self::Up(_)) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Directed {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
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
            article.weight = match number {
                "1" => Some(Decimal::ONE),
                "3" => Some(Decimal::TEN),
                "4" => Some(Decimal::new(5, 1)),
                _ => None,
            };
            article.group = group.map(|group| Text::new(group).unwrap());
            article
        });
        let sorts = parse_sorts(sorts).unwrap();
        order_articles(&view, articles.to_vec(), &sorts)
            .iter()
            .map(ToString::to_string)
            .collect()
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
    fn every_member_that_is_no_list_can_be_sorted_by() {
        use crate::wire::{Kind, Record as _};
        let fields = crate::wire::Article::SCHEMA.fields.iter();
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

    #[test]
    fn unknown_and_doubled_members_are_refused() {
        assert_eq!(
            parse_sorts("+Nope"),
            Err(SortError::Unknown("Nope".to_owned()))
        );
        assert_eq!(parse_sorts("+ArtNr,-ArtNr"), Err(SortError::Twice("ArtNr")));
    }
}
