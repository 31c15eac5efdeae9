//! Request bodies of changed offers.

use std::borrow::Cow;
use std::collections::BTreeSet;

use erp_derive::Record;
use jiff::tz::TimeZone;
use rust_decimal::Decimal;

use super::{AddressesRequest, AsRequest, PositionRequest, customer_of, written};
use crate::values::json::{AsJson, Json};
use crate::values::problem::{Code, Path, Problems};
use crate::values::text::Text;
use crate::wire::record::Entry;
use crate::wire::value::within;
use crate::wire::{Reading, Record as _, Rule, Scope};

/// The body of `PATCH /www/offerte`. Of a body with problems it has the parts without one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfferChangeRequest {
    /// The customer that a template is assigned to (`GrundDaten.KundNr`).
    pub customer: Option<Text<8>>,
    /// Changes of positions (`Positionen`).
    pub(crate) positions: Vec<Entry<PositionChange>>,
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
        /// Packaging unit, if sent with the position number (`VPEinheit`).
        unit: Option<Text<30>>,
        /// New description (`PosBez`).
        description: Option<Text<2048>>,
        /// New discount in percent, 0 to 100 (`GRabSatz`).
        discount_rate: Option<Decimal>,
    },
}

/// Body of `PATCH /www/offerte`.
#[derive(Debug, Default, Record)]
#[record(Body = "OfferChangeBody")]
pub(crate) struct OfferChangeBody {
    /// The customer a template is given to.
    #[wire("GrundDaten", section, default)]
    header: OfferChangeHeader,
    /// Changed, new and deleted positions.
    #[wire("Positionen", entries)]
    positions: Vec<Entry<PositionChangeBody>>,
    /// Addresses that replace those of the offer; each must be complete.
    #[wire("Adressen", section, default)]
    addresses: AddressesRequest,
}

/// `GrundDaten` of an offer change.
#[derive(Debug, Default, Record)]
#[record(Body = "OfferChangeBodyHeader")]
pub(crate) struct OfferChangeHeader {
    /// Customer number; converts a template offer to this customer.
    #[wire("KundNr", key, char(8))]
    customer: Option<Text<8>>,
}

/// An entry of `Positionen` in an offer change.
#[derive(Debug, Default, Record)]
#[record(Body = "PositionChangeBody")]
pub(crate) struct PositionChangeBody {
    /// Position number; without one the entry is a new position.
    #[wire("PosNr")]
    position: Option<i32>,
    /// Article number; required for a new position.
    #[wire("ArtNr", key, char(15))]
    article: Option<Text<15>>,
    /// Position description.
    #[wire("PosBez", shop_only)]
    description: Option<Text<2048>>,
    /// Quantity in the base unit; 0 deletes the position.
    #[wire("Menge", changed_quantity, required, default = Decimal::ONE)]
    quantity: Decimal,
    /// Packaging unit of a new position; that of an existing one does not change.
    #[wire("VPEinheit", key)]
    unit: Option<Text<30>>,
    /// Discount rate in percent.
    #[wire("GRabSatz", percent, shop_only)]
    discount_rate: Option<Decimal>,
}

/// Changes that a program makes. Positions are named by their `number` in the offer.
impl OfferChangeRequest {
    /// Adds a position at the end.
    #[must_use]
    pub fn add_position(self, position: PositionRequest) -> Self {
        self.change(PositionChange::Add(position))
    }

    /// Removes a position.
    #[must_use]
    pub fn delete_position(self, position: i32) -> Self {
        self.change(PositionChange::Delete { position })
    }

    /// Sets the quantity of a position, in the base unit of the article.
    #[must_use]
    pub fn quantity(self, position: i32, quantity: impl Into<Decimal>) -> Self {
        self.change(PositionChange::Change {
            position,
            quantity: quantity.into(),
            article: None,
            unit: None,
            description: None,
            discount_rate: None,
        })
    }

    /// Adds any change of a position.
    #[must_use]
    pub fn change(mut self, change: PositionChange) -> Self {
        let change = Entry::next(&self.positions, change);
        self.positions.push(change);
        self
    }

    /// The changes of positions.
    pub fn changes(&self) -> impl Iterator<Item = &PositionChange> {
        self.positions.iter().map(|entry| &entry.value)
    }

    /// Reads a body: what of it can be read, and every problem, including a position that is changed twice.
    #[must_use]
    pub fn read(body: &impl AsJson, how: Reading) -> (Self, Problems) {
        let body = &*body.as_json();
        let (read, mut problems) = OfferChangeBody::read_parts(body, how, &TimeZone::UTC);
        let read = read.unwrap_or_default();
        let list = Path::ROOT.member("Positionen");
        let mut seen = BTreeSet::new();
        let mut positions = Vec::new();
        for entry in read.positions {
            let path = list.index(entry.at);
            let number = entry.value.position;
            positions.extend(changed(entry, &path, &mut problems));
            if let Some(number) = number
                && !seen.insert(number)
            {
                let message = sentence!("contradiction.position", number);
                problems.add(&path.member("PosNr"), Code::Contradiction, message);
            }
        }
        let customer = customer_of(body);
        let addresses = read.addresses;
        (
            Self {
                customer,
                positions,
                addresses,
            },
            problems,
        )
    }

    /// Refuses what only the shop itself may set, as in a new offer.
    pub(crate) fn refuse_shop_only(&self, problems: &mut Problems) {
        let list = Path::ROOT.member("Positionen");
        for Entry { at, value, .. } in &self.positions {
            PositionChangeBody::from(value).refuse_shop_only(&list.index(*at), problems);
        }
    }
}

impl AsRequest<Self> for OfferChangeRequest {
    fn as_request(&self) -> Cow<'_, Json> {
        let positions = self.positions.iter();
        let change = |entry: &Entry<_>| entry.with(PositionChangeBody::from(&entry.value));
        let body = OfferChangeBody {
            header: OfferChangeHeader {
                customer: self.customer.clone(),
            },
            positions: positions.map(change).collect(),
            addresses: self.addresses.clone(),
        };
        written(&body)
    }
}

impl From<&PositionChange> for PositionChangeBody {
    fn from(change: &PositionChange) -> Self {
        match change.clone() {
            PositionChange::Add(new) => Self {
                position: None,
                article: Some(new.article),
                description: new.description,
                quantity: new.quantity,
                unit: new.unit,
                discount_rate: new.discount_rate,
            },
            PositionChange::Delete { position } => Self {
                position: Some(position),
                ..Self::default()
            },
            PositionChange::Change {
                position,
                quantity,
                article,
                unit,
                description,
                discount_rate,
            } => Self {
                position: Some(position),
                article,
                description,
                quantity,
                unit,
                discount_rate,
            },
        }
    }
}

/// The change of an entry; `None` without a valid number of a position or an article.
fn changed(
    entry: Entry<PositionChangeBody>,
    path: &Path<'_>,
    problems: &mut Problems,
) -> Option<Entry<PositionChange>> {
    let Entry {
        at,
        mut is_complete,
        value: body,
    } = entry;
    let mut article = body.article;
    if body.position.is_none() {
        // Which position is meant is not known.
        if problems.covers(&path.member("PosNr")) {
            return None;
        }
        article = Scope::new(Reading::default(), path, problems).required("ArtNr", article);
        let path = path.member("Menge");
        let scope = &mut Scope::new(Reading::default(), &path, problems);
        is_complete = is_complete && within(body.quantity, Rule::Quantity, scope).is_some();
    }
    let quantity = if is_complete {
        body.quantity
    } else {
        Decimal::ONE
    };
    let value = match body.position {
        None => PositionChange::Add(PositionRequest {
            unit: body.unit,
            description: body.description,
            discount_rate: body.discount_rate,
            ..PositionRequest::bare(article?, quantity)
        }),
        Some(position) if quantity.is_zero() => PositionChange::Delete { position },
        Some(position) => PositionChange::Change {
            position,
            quantity,
            article,
            unit: body.unit,
            description: body.description,
            discount_rate: body.discount_rate,
        },
    };
    Some(Entry {
        at,
        is_complete,
        value,
    })
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
            (template.header.customer, template.positions[0].value.price),
            (None, None)
        );
        assert_eq!(template.positions[0].value.visible_number, Some(5));
        let body = json!({
            "GrundDaten": {"KundNr": "1", "AuftBestellNr": "F", "AuftBez": "B", "AuftBestellRef": "R",
                "AuftBestellT": "2026-01-01", "AuftLieferT": "2026-01-02", "AuftKomment": "K",
                "WaehrAbk": "CHF"},
            "Positionen": positions,
        });
        let offer = parse(body).unwrap();
        assert_eq!(offer.header.customer.as_deref(), Some("1"));
        assert_eq!(offer.header.foreign_number.as_deref(), Some("F"));
        assert_eq!(offer.header.description.as_deref(), Some("B"));
        assert_eq!(offer.header.reference.as_deref(), Some("R"));
        assert_eq!(offer.header.comment.as_deref(), Some("K"));
        assert_eq!(offer.header.currency, Some(Currency::CHF));
        assert!(
            offer.header.ordered_at.is_some() && offer.header.delivery_at > offer.header.ordered_at
        );
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
        let changes: Vec<_> = read.changes().collect();
        let [PositionChange::Add(added), deleted, changed] = changes.as_slice() else {
            panic!("{changes:?}");
        };
        assert_eq!(added.description.as_deref(), Some("neu"));
        assert_eq!(**deleted, PositionChange::Delete { position: 2 });
        let expected = PositionChange::Change {
            position: 3,
            quantity: Decimal::new(45, 1),
            article: Some(Text::new("B").unwrap()),
            unit: None,
            description: None,
            discount_rate: Some(Decimal::TEN),
        };
        assert_eq!(**changed, expected);
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
                json!({"PosNr": "x", "Menge": 1}),
                "Positionen[0].PosNr",
                Code::WrongType,
            ),
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
