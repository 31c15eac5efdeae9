//! Request bodies of changed offers.

use std::collections::BTreeSet;

use rust_decimal::Decimal;

use super::position::check_each;
use super::{AddressesRequest, PositionRequest, customer_of};
use crate::values::json::AsJson;
use crate::values::problem::{Code, Path, Problems};
use crate::values::text::Text;
use crate::wire::members::{Members, Range, read_partial};
use crate::wire::{OfferChangeBody, PositionChangeBody, Reading};

/// The body of `PATCH /www/offerte`. Of a body with problems it has the parts without one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfferChangeRequest {
    /// The customer that a template is assigned to (`GrundDaten.KundNr`).
    pub customer: Option<Text<8>>,
    /// Changes of positions with their index in the body (`Positionen`).
    pub positions: Vec<(usize, PositionChange)>,
    /// Addresses that replace those of the offer (`Adressen`).
    pub addresses: AddressesRequest,
}

// rule: R-END-53
/// A change of one position of an offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PositionChange {
    /// No `PosNr`: a new position.
    Add(PositionRequest),
    /// `PosNr` with `Menge` 0: the position is removed.
    Delete {
        /// Position number (`PosNr`).
        position: i32,
    },
    /// `PosNr` with another `Menge`: the position changes.
    Change {
        /// Position number (`PosNr`).
        position: i32,
        /// The new quantity in the base unit, above 0 (`Menge`).
        quantity: Decimal,
        /// Article number, if sent with the position number (`ArtNr`).
        article: Option<Text<15>>,
        /// New description (`PosBez`).
        description: Option<Text<2048>>,
        /// New discount in percent, 0 to 100 (`GRabSatz`).
        discount_rate: Option<Decimal>,
        /// Whether the entry has no problem. Otherwise only the two numbers count, and the quantity is 1.
        is_complete: bool,
    },
}

impl OfferChangeRequest {
    /// Reads a body: what of it can be read, and every problem, including a position that is changed twice.
    #[must_use]
    pub fn read(body: &impl AsJson, how: Reading) -> (Self, Problems) {
        let json = &*body.as_json();
        read_partial(json, how, |body: &OfferChangeBody, problems| {
            let header = Path::ROOT.member("GrundDaten");
            let number = body
                .header
                .as_ref()
                .and_then(|header| header.customer_number.as_ref());
            let _: Option<Text<8>> = Members::new(&header, problems).key("KundNr", number);
            let path = Path::ROOT.member("Positionen");
            let bodies = body.positions.as_deref().unwrap_or_default();
            let positions = check_each(bodies, &path, problems, PositionChange::check);
            refuse_repeated(bodies, &path, problems);
            Self {
                customer: customer_of(json),
                positions,
                addresses: AddressesRequest::check(body.addresses.as_ref(), problems),
            }
        })
    }
}

impl PositionChange {
    /// Checks an entry; `None` without a valid number of a position or an article.
    fn check(body: &PositionChangeBody, path: &Path<'_>, problems: &mut Problems) -> Option<Self> {
        let mut members = Members::new(path, problems);
        let range = match body.position_number {
            Some(_) => Range::CHANGED_QUANTITY,
            None => Range::QUANTITY,
        };
        let quantity = members.decimal("Menge", body.quantity, range);
        let quantity = members.required("Menge", quantity);
        let article = members.key("ArtNr", body.article_number.as_ref());
        let description = members.text("PosBez", body.description.as_ref());
        let discount_rate = members.decimal("GRabSatz", body.discount_rate, Range::PERCENT);
        let article = match body.position_number {
            Some(_) => article,
            None => members.required("ArtNr", article),
        };
        let is_complete = !problems.are_in(path);
        let quantity = quantity.filter(|_| is_complete).unwrap_or(Decimal::ONE);
        let Some(position) = body.position_number else {
            return Some(Self::Add(PositionRequest {
                article: article?,
                quantity,
                description,
                price: None,
                unit: None,
                discount_rate,
                visible_number: None,
                is_complete,
            }));
        };
        Some(if quantity.is_zero() {
            Self::Delete { position }
        } else {
            Self::Change {
                position,
                quantity,
                article,
                description,
                discount_rate,
                is_complete,
            }
        })
    }
}

fn refuse_repeated(bodies: &[PositionChangeBody], path: &Path<'_>, problems: &mut Problems) {
    let mut seen = BTreeSet::new();
    for (at, body) in bodies.iter().enumerate() {
        if let Some(number) = body.position_number
            && !seen.insert(number)
        {
            let message = format!("position `{number}` is changed twice");
            let entry = path.index(at);
            problems.add(&entry.member("PosNr"), Code::Contradiction, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use serde_json::{Value, json};

    use super::super::DocumentRequest;
    use super::*;
    use crate::values::codes::Currency;

    fn places(problems: Problems) -> Vec<(String, Code)> {
        problems
            .into_vec()
            .into_iter()
            .map(|problem| (problem.path, problem.code))
            .collect()
    }

    fn change(body: Value) -> Result<OfferChangeRequest, Vec<(String, Code)>> {
        let (change, problems) = OfferChangeRequest::read(&body, Reading::default());
        problems.or_else_value(Some(change)).map_err(places)
    }

    // rule: R-END-42, R-END-44
    #[test]
    fn an_offer_needs_positions_but_no_customer() {
        let parse = |body| {
            let (offer, problems) =
                DocumentRequest::of_offer(&body, Reading::default(), &TimeZone::UTC);
            problems.or_else_value(Some(offer)).map_err(places)
        };
        let positions = json!([{"ArtNr": "A", "Menge": 1, "Preis": 9.99, "VisPosNr": 5}]);
        let template = parse(json!({"Positionen": positions})).unwrap();
        assert_eq!(
            (template.customer, template.positions[0].1.price),
            (None, None)
        );
        assert_eq!(template.positions[0].1.visible_number, Some(5));
        let body = json!({
            "GrundDaten": {"KundNr": "1", "AuftBestellNr": "F", "AuftBez": "B", "AuftBestellRef": "R",
                "AuftBestellT": "2026-01-01", "AuftLieferT": "2026-01-02", "AuftKomment": "K",
                "WaehrAbk": "CHF"},
            "Positionen": positions,
        });
        let offer = parse(body).unwrap();
        assert_eq!(offer.customer.as_deref(), Some("1"));
        assert_eq!(offer.foreign_number.as_deref(), Some("F"));
        assert_eq!(offer.description.as_deref(), Some("B"));
        assert_eq!(offer.reference.as_deref(), Some("R"));
        assert_eq!(offer.comment.as_deref(), Some("K"));
        assert_eq!(offer.currency, Some(Currency::CHF));
        assert!(offer.ordered_at.is_some() && offer.delivery_at > offer.ordered_at);
        assert_eq!(
            parse(json!({})).unwrap_err(),
            [("Positionen".to_owned(), Code::Required)]
        );
    }

    // rule: R-END-53
    #[test]
    fn a_change_adds_changes_and_deletes_positions() {
        let read = change(json!({
            "GrundDaten": {"KundNr": "10002"},
            "Positionen": [
                {"ArtNr": "A", "Menge": 1, "PosBez": "neu"},
                {"PosNr": 2, "Menge": 0},
                {"PosNr": 3, "Menge": 4.5, "ArtNr": "B", "GRabSatz": 10},
            ],
        }))
        .unwrap();
        assert_eq!(read.customer.as_deref(), Some("10002"));
        let [(0, PositionChange::Add(added)), (1, deleted), (2, changed)] =
            read.positions.as_slice()
        else {
            panic!("{:?}", read.positions);
        };
        assert_eq!(added.description.as_deref(), Some("neu"));
        assert_eq!(*deleted, PositionChange::Delete { position: 2 });
        let expected = PositionChange::Change {
            position: 3,
            quantity: Decimal::new(45, 1),
            article: Some(Text::new("B").unwrap()),
            description: None,
            discount_rate: Some(Decimal::TEN),
            is_complete: true,
        };
        assert_eq!(*changed, expected);
        assert_eq!(change(json!({})), Ok(OfferChangeRequest::default()));
    }

    // rule: R-END-53, R-END-58
    #[test]
    fn broken_changes_are_refused() {
        for (entry, path, code) in [
            (json!({"Menge": 1}), "Positionen[0].ArtNr", Code::Required),
            (
                json!({"ArtNr": "A", "Menge": 0}),
                "Positionen[0].Menge",
                Code::OutOfRange,
            ),
            (json!({"PosNr": 1}), "Positionen[0].Menge", Code::Required),
            (
                json!({"PosNr": 1, "Menge": -1}),
                "Positionen[0].Menge",
                Code::OutOfRange,
            ),
        ] {
            let refused = change(json!({"Positionen": [entry]})).unwrap_err();
            assert_eq!(refused, [(path.to_owned(), code)]);
        }
        let twice = json!({"Positionen": [{"PosNr": 1, "Menge": 2}, {"PosNr": 1, "Menge": 0}]});
        let expected = ("Positionen[1].PosNr".to_owned(), Code::Contradiction);
        assert_eq!(change(twice).unwrap_err(), [expected]);
    }
}
