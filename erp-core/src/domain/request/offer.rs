//! Request bodies of new and changed offers.

use std::collections::BTreeSet;

use jiff::tz::TimeZone;
use rust_decimal::Decimal;

use super::position::{check_each, check_positions};
use super::{AddressesRequest, PositionRequest};
use crate::values::codes::Currency;
use crate::values::json::AsJson;
use crate::values::problem::{Code, Path, Problems};
use crate::values::text::Text;
use crate::values::time::DocumentTime;
use crate::wire::members::{Members, Range, read_body};
use crate::wire::{OfferBody, OfferBodyHeader, OfferChangeBody, PositionChangeBody, Reading};

// rule: R-END-42
/// The body of `POST /www/offerte`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferRequest {
    /// Customer number; without one the offer is a template (`KundNr`).
    pub customer: Option<Text<8>>,
    /// Order number in the foreign system (`AuftBestellNr`).
    pub foreign_number: Option<Text<36>>,
    /// Description (`AuftBez`).
    pub description: Option<Text<80>>,
    /// Order reference (`AuftBestellRef`).
    pub reference: Option<Text<60>>,
    /// Order date (`AuftBestellT`).
    pub ordered_at: Option<DocumentTime>,
    /// Delivery date (`AuftLieferT`).
    pub delivery_at: Option<DocumentTime>,
    /// Comment (`AuftKomment`).
    pub comment: Option<Text<255>>,
    /// Currency; without one the leading currency (`WaehrAbk`).
    pub currency: Option<Currency>,
    /// Addresses for this offer only (`Adressen`).
    pub addresses: AddressesRequest,
    /// The positions, at least one, without prices (`Positionen`).
    pub positions: Vec<PositionRequest>,
}

/// The body of `PATCH /www/offerte`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfferChangeRequest {
    /// The customer that a template is assigned to (`GrundDaten.KundNr`).
    pub customer: Option<Text<8>>,
    /// Changes of positions, in the order of the body (`Positionen`).
    pub positions: Vec<PositionChange>,
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
    },
}

impl OfferRequest {
    /// Reads a body; `zone` is the company's time zone, for dates without a time.
    ///
    /// # Errors
    /// Every problem of the body.
    pub fn parse(body: &impl AsJson, how: Reading, zone: &TimeZone) -> Result<Self, Problems> {
        let body = &*body.as_json();
        read_body(body, how, |body: &OfferBody, problems| {
            let no_header = OfferBodyHeader::default();
            let header = body.header.as_ref().unwrap_or(&no_header);
            let offer = Self::check_header(header, zone, problems);
            let adressen = Path::ROOT.member("Adressen");
            let addresses = AddressesRequest::check(body.addresses.as_ref(), &adressen, problems);
            let check = PositionRequest::check_offered;
            let positions = check_positions(body.positions.as_ref(), problems, check);
            Some(Self {
                addresses: addresses?,
                positions: positions?,
                ..offer
            })
        })
    }

    fn check_header(body: &OfferBodyHeader, zone: &TimeZone, problems: &mut Problems) -> Self {
        let path = Path::ROOT.member("GrundDaten");
        let mut members = Members::new(&path, problems);
        Self {
            customer: members.key("KundNr", body.customer_number.as_ref()),
            foreign_number: members.name("AuftBestellNr", body.foreign_number.as_ref()),
            description: members.text("AuftBez", body.description.as_ref()),
            reference: members.name("AuftBestellRef", body.reference.as_ref()),
            ordered_at: members.instant("AuftBestellT", body.ordered_at.as_ref(), zone),
            delivery_at: members.instant("AuftLieferT", body.delivery_at.as_ref(), zone),
            comment: members.text("AuftKomment", body.comment.as_ref()),
            currency: members.currency("WaehrAbk", body.currency.as_ref()),
            addresses: AddressesRequest::default(),
            positions: Vec::new(),
        }
    }
}

impl OfferChangeRequest {
    /// Reads a body.
    ///
    /// # Errors
    /// Every problem of the body, including a position that is changed twice.
    pub fn parse(body: &impl AsJson, how: Reading) -> Result<Self, Problems> {
        let body = &*body.as_json();
        read_body(body, how, |body: &OfferChangeBody, problems| {
            let header = Path::ROOT.member("GrundDaten");
            let number = body
                .header
                .as_ref()
                .and_then(|header| header.customer_number.as_ref());
            let customer = Members::new(&header, problems).key("KundNr", number);
            let path = Path::ROOT.member("Positionen");
            let bodies = body.positions.as_deref().unwrap_or_default();
            let positions = check_each(bodies, &path, problems, PositionChange::check);
            refuse_repeated(bodies, &path, problems);
            let adressen = Path::ROOT.member("Adressen");
            let addresses = AddressesRequest::check(body.addresses.as_ref(), &adressen, problems);
            Some(Self {
                customer,
                positions: positions?,
                addresses: addresses?,
            })
        })
    }
}

impl PositionChange {
    pub(super) fn check(
        body: &PositionChangeBody,
        path: &Path<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
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
        let Some(position) = body.position_number else {
            return Some(Self::Add(PositionRequest {
                article: members.required("ArtNr", article)?,
                quantity: quantity?,
                description,
                price: None,
                unit: None,
                discount_rate,
                visible_number: None,
            }));
        };
        let quantity = quantity?;
        Some(if quantity.is_zero() {
            Self::Delete { position }
        } else {
            Self::Change {
                position,
                quantity,
                article,
                description,
                discount_rate,
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
    use serde_json::{Value, json};

    use super::*;

    fn places(problems: Problems) -> Vec<(String, Code)> {
        problems
            .into_vec()
            .into_iter()
            .map(|problem| (problem.path, problem.code))
            .collect()
    }

    fn change(body: Value) -> Result<OfferChangeRequest, Vec<(String, Code)>> {
        OfferChangeRequest::parse(&body, Reading::default()).map_err(places)
    }

    // rule: R-END-42, R-END-44
    #[test]
    fn an_offer_needs_positions_but_no_customer() {
        let parse =
            |body| OfferRequest::parse(&body, Reading::default(), &TimeZone::UTC).map_err(places);
        let positions = json!([{"ArtNr": "A", "Menge": 1, "Preis": 9.99, "VisPosNr": 5}]);
        let template = parse(json!({"Positionen": positions})).unwrap();
        assert_eq!(
            (template.customer, template.positions[0].price),
            (None, None)
        );
        assert_eq!(template.positions[0].visible_number, Some(5));
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
        let [PositionChange::Add(added), deleted, changed] = read.positions.as_slice() else {
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
