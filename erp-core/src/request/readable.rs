//! What can be read of a body that is refused, so that one answer can list the broken rules beside the
//! broken members.

use serde_json::Value;

use super::PositionRequest;
use crate::codes::Currency;
use crate::problem::{Path, Problems};
use crate::text::Text;
use crate::wire::{Kind, PositionBody, Reading, Record};

/// The readable part of an order or offer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readable {
    /// `GrundDaten.KundNr`.
    pub customer: Option<Text<8>>,
    /// `GrundDaten.WaehrAbk`; the outer `None` when it is there but no currency.
    pub currency: Option<Option<Currency>>,
    /// The positions without a problem of their own, each with its place in the body.
    pub positions: Vec<(usize, PositionRequest)>,
}

impl Readable {
    /// Reads what can be read.
    #[must_use]
    pub fn of(body: &Value) -> Self {
        let header = body.get("GrundDaten");
        let member = |name: &str| {
            header
                .and_then(|header| header.get(name))
                .filter(|value| !value.is_null())
        };
        let customer = member("KundNr")
            .and_then(Value::as_str)
            .map(|text| text.trim_end_matches(' '));
        let currency = match member("WaehrAbk") {
            None => Some(None),
            Some(value) => value
                .as_str()
                .and_then(|text| Currency::parse(text).ok())
                .map(Some),
        };
        let positions = body.get("Positionen").and_then(Value::as_array);
        let positions = positions.into_iter().flatten().enumerate();
        Self {
            customer: customer
                .filter(|text| !text.is_empty())
                .and_then(|text| Text::new(text).ok()),
            currency,
            positions: positions
                .filter_map(|(at, position)| Some((at, readable(position)?)))
                .collect(),
        }
    }
}

/// A position without a problem.
fn readable(position: &Value) -> Option<PositionRequest> {
    let mut problems = Problems::new();
    let kind = Kind::Object(PositionBody::SCHEMA);
    let body = PositionBody::read_member(
        position,
        &kind,
        Reading::default(),
        &Path::ROOT,
        &mut problems,
    )?;
    let position = PositionRequest::check(&body, &Path::ROOT, &mut problems)?;
    problems.is_empty().then_some(position)
}
