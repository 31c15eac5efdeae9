//! Rows with problems. What they name and bring is read all the same, so that one check finds the problems of every row.

use super::{Row, RowKind};
use crate::domain::master::{ArticleNumber, PriceListType, TaxCodeId, UnitCode};
use crate::values::json::Json;
use crate::values::problem::{Problem, Problems};
use crate::values::text::Text;

/// A row with problems; an import that holds one is refused. Its other fields are what could be read of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InvalidRow {
    /// The problems, with paths inside the row.
    pub problems: Vec<Problem>,
    /// The kind of the row.
    pub kind: Option<RowKind>,
    /// The article.
    pub article: Option<ArticleNumber>,
    /// The packaging units.
    pub units: Vec<UnitCode>,
    /// The tax code.
    pub tax_code: Option<TaxCodeId>,
    /// The price list.
    pub list: Option<PriceListType>,
}

impl InvalidRow {
    /// An NDJSON line that [`Row::read`] refused.
    #[must_use]
    pub fn of_line(line: &Json, problems: Problems) -> Self {
        let member = line.as_object().and_then(|object| object.iter().next());
        let kind = member.and_then(|(name, body)| Some((RowKind::parse(name)?, body)));
        match kind {
            Some((kind, body)) => Self::of_kind(kind, body, problems),
            None => Self {
                problems: problems.into_vec(),
                ..Self::default()
            },
        }
    }

    /// The body of a row of this kind that [`Row::read_kind`] refused.
    #[must_use]
    pub fn of_kind(kind: RowKind, body: &Json, problems: Problems) -> Self {
        let parts = match kind {
            RowKind::Article => body.get("Verpackungen"),
            RowKind::PriceList => body.get("Preis"),
            _ => None,
        };
        let parts = parts.and_then(Json::as_array).into_iter().flatten();
        let units = std::iter::once(body).chain(parts);
        Self {
            problems: problems.into_vec(),
            kind: Some(kind),
            article: key(body, "ArtNr"),
            units: units.filter_map(|part| key(part, "VPEinheit")).collect(),
            tax_code: key(body, "WUSTCode"),
            list: key(body, "PreisListe"),
        }
    }
}

fn key<const MAX: usize>(body: &Json, name: &str) -> Option<Text<MAX>> {
    let text = body.get(name)?.as_str()?.trim();
    Text::new(text).ok().filter(|text| !text.is_empty())
}

impl From<InvalidRow> for Row {
    fn from(row: InvalidRow) -> Self {
        Self::Invalid(Box::new(row))
    }
}
