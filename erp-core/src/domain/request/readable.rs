//! Extracts the readable part of a rejected body, so that one response can list violated rules and malformed fields
//! together.

use jiff::tz::TimeZone;
use rust_decimal::Decimal;

use super::{AddressesRequest, PositionChange, PositionRequest};
use crate::domain::address::Address;
use crate::values::codes::Currency;
use crate::values::json::{AsJson, Json};
use crate::values::limits::POSITIONS_PER_DOCUMENT;
use crate::values::number::Number;
use crate::values::problem::{Path, Problems};
use crate::values::text::Text;
use crate::values::time::{DocumentTime, parse_instant};
use crate::wire::members::{Members, Range, read_body};
use crate::wire::{OfferPositionBody, PositionBody, PositionChangeBody, Reading, Record};

/// State of a field in the header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Field<T> {
    /// Absent, so its default applies.
    #[default]
    Absent,
    /// Present but invalid; its problem is reported already.
    Invalid,
    /// Its value.
    Valid(T),
}

/// An entry of `Positionen`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadablePosition<T = PositionRequest> {
    /// Index in the body.
    pub at: usize,
    /// The requested position. The quantity is 1 if the entry is incomplete.
    pub request: T,
    /// Whether the entry itself has no problem. Otherwise only its keys are reliable.
    pub whole: bool,
}

/// The readable part of an order or offer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readable {
    /// `GrundDaten.KundNr`.
    pub customer: Field<Text<8>>,
    /// `GrundDaten.WaehrAbk`.
    pub currency: Field<Currency>,
    /// `GrundDaten.AuftBestellT`.
    pub ordered_at: Field<DocumentTime>,
    /// `GrundDaten.AuftLieferT`.
    pub delivery_at: Field<DocumentTime>,
    /// `GrundDaten.AuftLiefKost`.
    pub delivery_costs: Option<Decimal>,
    /// `GrundDaten.KundBedTyp`.
    pub payment_condition: Option<u8>,
    /// The addresses without a problem.
    pub addresses: AddressesRequest,
    /// Positions with a readable article; empty when there are too many.
    pub positions: Vec<ReadablePosition>,
}

impl Readable {
    /// Reads what can be read of the body of an order.
    #[must_use]
    pub fn of_order(body: &impl AsJson, zone: &TimeZone) -> Self {
        let body = &*body.as_json();
        Self {
            delivery_costs: delivery_costs(body),
            payment_condition: payment_condition(body),
            positions: positions(body, |body: &PositionBody, problems| {
                PositionRequest::check(body, &Path::ROOT, problems)
            }),
            ..Self::header(body, zone)
        }
    }

    /// Reads what can be read of the body of an offer, whose positions have no prices.
    #[must_use]
    pub fn of_offer(body: &impl AsJson, zone: &TimeZone) -> Self {
        let body = &*body.as_json();
        Self {
            positions: positions(body, |body: &OfferPositionBody, problems| {
                PositionRequest::check_offered(body, &Path::ROOT, problems)
            }),
            ..Self::header(body, zone)
        }
    }

    fn header(body: &Json, zone: &TimeZone) -> Self {
        let instant = |name| field(body, name, |text| parse_instant(text, zone).ok());
        Self {
            customer: customer(body),
            currency: field(body, "WaehrAbk", |text| Currency::parse(text).ok()),
            ordered_at: instant("AuftBestellT"),
            delivery_at: instant("AuftLieferT"),
            delivery_costs: None,
            payment_condition: None,
            addresses: readable_addresses(body),
            positions: Vec::new(),
        }
    }
}

/// The readable part of a change of an offer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadableChange {
    /// `GrundDaten.KundNr`.
    pub customer: Field<Text<8>>,
    /// The addresses without a problem.
    pub addresses: AddressesRequest,
    /// The readable changes; empty when there are too many.
    pub positions: Vec<ReadablePosition<PositionChange>>,
}

impl ReadableChange {
    /// Reads what can be read of the body of a change.
    #[must_use]
    pub fn of(body: &Json) -> Self {
        Self {
            customer: customer(body),
            addresses: readable_addresses(body),
            positions: positions(body, |body: &PositionChangeBody, problems| {
                PositionChange::check(body, &Path::ROOT, problems)
            }),
        }
    }
}

/// The addresses of a body without problems.
#[must_use]
pub fn readable_addresses(body: &Json) -> AddressesRequest {
    let addresses = body.get("Adressen");
    let one = |name| {
        let address = addresses?.get(name).filter(|address| !address.is_null())?;
        Address::parse(address, Reading::default()).ok()
    };
    AddressesRequest {
        contact: one("KontaktAdr"),
        delivery: one("LiefAdr"),
        billing: one("RechAdr"),
    }
}

/// Indices of entries of which only the keys are reliable.
pub(crate) fn not_whole<T>(positions: &[ReadablePosition<T>]) -> Vec<usize> {
    let broken = positions.iter().filter(|position| !position.whole);
    broken.map(|position| position.at).collect()
}

/// The number of the customer of a body, if it can be read.
pub(crate) fn customer_of(body: &Json) -> Option<Text<8>> {
    match customer(body) {
        Field::Valid(number) => Some(number),
        Field::Absent | Field::Invalid => None,
    }
}

/// The number of the offer of a body, if there is one.
pub(crate) fn offer_of(body: &Json) -> Option<&str> {
    let number = body.get("GrundDaten")?.get("OffertNr")?.as_str()?;
    Some(number.trim_end())
}

fn customer(body: &Json) -> Field<Text<8>> {
    field(body, "KundNr", |text| {
        Text::new(text.trim_end_matches(' ')).ok()
    })
}

/// A text field of the header.
fn field<T>(body: &Json, name: &str, parse: impl FnOnce(&str) -> Option<T>) -> Field<T> {
    let member = match body.get("GrundDaten") {
        None | Some(Json::Null) => return Field::Absent,
        Some(Json::Object(header)) => header.get(name),
        Some(_) => return Field::Invalid,
    };
    match member {
        None | Some(Json::Null) => Field::Absent,
        Some(Json::String(text)) if text.trim().is_empty() => Field::Absent,
        Some(Json::String(text)) => parse(text).map_or(Field::Invalid, Field::Valid),
        Some(_) => Field::Invalid,
    }
}

fn delivery_costs(body: &Json) -> Option<Decimal> {
    let Json::Number(costs) = body.get("GrundDaten")?.get("AuftLiefKost")? else {
        return None;
    };
    let mut ignored = Problems::new();
    let costs = Number::from_digits(costs);
    Members::new(&Path::ROOT, &mut ignored).decimal("AuftLiefKost", costs, Range::AMOUNT)
}

fn payment_condition(body: &Json) -> Option<u8> {
    let Json::Number(number) = body.get("GrundDaten")?.get("KundBedTyp")? else {
        return None;
    };
    Number::from_digits(number)?.0.try_into().ok()
}

// rule: D-LIM-02
fn positions<B: Record, T>(
    body: &Json,
    check: impl Fn(&B, &mut Problems) -> Option<T>,
) -> Vec<ReadablePosition<T>> {
    let positions = body.get("Positionen").and_then(Json::as_array);
    // If there are more than a document may have, all are rejected together and not looked up.
    let positions = positions.filter(|positions| positions.len() <= POSITIONS_PER_DOCUMENT);
    let read = |entry: &Json| read_body(entry, Reading::default(), &check);
    let readable = |(at, entry): (usize, &Json)| {
        let problems = match read(entry) {
            Ok(request) => {
                let whole = true;
                return Some(ReadablePosition { at, request, whole });
            }
            Err(problems) => problems,
        };
        // Without its invalid fields, an entry may still contain an unknown article.
        let mut rest = entry.as_object()?.clone();
        for problem in problems.as_slice() {
            rest.remove(&problem.path);
        }
        rest.insert("Menge".to_owned(), Json::from(1_i64));
        let request = read(&Json::Object(rest)).ok()?;
        let whole = false;
        Some(ReadablePosition { at, request, whole })
    };
    let positions = positions.into_iter().flatten().enumerate();
    positions.filter_map(readable).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_broken_header_hides_no_positions() {
        for header in [json!({"KundNr": 7, "WaehrAbk": "XXX"}), json!(7)] {
            let body = json!({"GrundDaten": header, "Positionen": [{"ArtNr": "A", "Menge": 2}]});
            let readable = Readable::of_order(&body, &TimeZone::UTC);
            assert_eq!(readable.customer, Field::Invalid);
            assert_eq!(readable.currency, Field::Invalid);
            assert_eq!(readable.positions.len(), 1);
            assert!(readable.positions[0].whole);
        }
        let readable = Readable::of_order(&json!({}), &TimeZone::UTC);
        assert_eq!(readable, Readable::default());
    }

    // rule: D-REQ-10, D-CTR-03
    #[test]
    fn a_broken_entry_keeps_its_article_and_place() {
        let body = json!({"Positionen": [
            7,
            {"ArtNr": "A", "Menge": "x", "Preis": -1},
            {"Menge": 1},
        ]});
        let readable = Readable::of_order(&body, &TimeZone::UTC);
        assert_eq!(readable.positions.len(), 1);
        let position = &readable.positions[0];
        assert_eq!((position.at, position.whole), (1, false));
        assert_eq!(position.request.article, "A");
        // The price of an offer's position is ignored, so it cannot be a problem.
        let body = json!({"Positionen": [{"ArtNr": "A", "Menge": 3, "Preis": "x"}]});
        assert!(Readable::of_offer(&body, &TimeZone::UTC).positions[0].whole);
        assert!(!Readable::of_order(&body, &TimeZone::UTC).positions[0].whole);
    }

    // rule: D-LIM-02
    #[test]
    fn too_many_positions_are_not_looked_at() {
        let entry = json!({"ArtNr": "A", "Menge": 1});
        let of = |count| {
            Readable::of_order(
                &json!({"Positionen": vec![entry.clone(); count]}),
                &TimeZone::UTC,
            )
        };
        assert_eq!(of(1_000).positions.len(), 1_000);
        assert_eq!(of(1_001).positions.len(), 0);
    }
}
