//! Baskets: the part of an order that determines its price, before a customer is known.

use rust_decimal::Decimal;

use super::{PositionRequest, currency_of};
use crate::values::codes::Currency;
use crate::values::json::AsJson;
use crate::values::problem::{Path, Problems};
use crate::wire::members::{Members, Range, read_partial};
use crate::wire::{OrderBody, OrderBodyHeader, Reading};

/// The part of an order or offer body that determines its totals. Customer, addresses and dates may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BasketRequest {
    /// Currency (`WaehrAbk`).
    pub currency: Option<Currency>,
    /// Delivery costs, 0 or more (`AuftLiefKost`).
    pub delivery_costs: Option<Decimal>,
    /// The positions with their index in the body (`Positionen`).
    pub positions: Vec<(usize, PositionRequest)>,
}

impl BasketRequest {
    /// Reads a body: what of it can be read, every problem of the fields that matter, and wrong types and lengths of
    /// all others.
    #[must_use]
    pub fn read(body: &impl AsJson, how: Reading) -> (Self, Problems) {
        let json = &*body.as_json();
        read_partial(json, how, |body: &OrderBody, problems| {
            let no_header = OrderBodyHeader::default();
            let header = body.header.as_ref().unwrap_or(&no_header);
            let path = Path::ROOT.member("GrundDaten");
            let mut members = Members::new(&path, problems);
            members.currency("WaehrAbk", header.currency.as_ref());
            let costs = members.decimal("AuftLiefKost", header.delivery_costs, Range::AMOUNT);
            Self {
                currency: currency_of(json),
                delivery_costs: costs,
                positions: PositionRequest::check_all(body.positions.as_ref(), problems),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::values::problem::Code;

    #[test]
    fn a_basket_needs_positions_only() {
        let body = json!({
            "GrundDaten": {"WaehrAbk": "EUR", "AuftLiefKost": 9.9},
            "Positionen": [{"ArtNr": "A", "Menge": 2}]
        });
        let (basket, problems) = BasketRequest::read(&body, Reading::default());
        assert_eq!(problems, Problems::new());
        assert_eq!(basket.currency, Some(Currency::EUR));
        assert_eq!(basket.delivery_costs, Some(Decimal::new(99, 1)));
        assert_eq!(basket.positions.len(), 1);
    }

    #[test]
    fn every_problem_of_a_basket_is_told() {
        let body = json!({
            "GrundDaten": {"WaehrAbk": "XXX", "AuftLiefKost": -1, "AuftBez": 3},
            "Positionen": [{"Menge": 0}]
        });
        let (_, problems) = BasketRequest::read(&body, Reading::default());
        let found: Vec<_> = problems
            .as_slice()
            .iter()
            .map(|problem| (problem.path.as_str(), problem.code))
            .collect();
        assert_eq!(
            found,
            [
                ("GrundDaten.AuftBez", Code::WrongType),
                ("GrundDaten.WaehrAbk", Code::UnknownCurrency),
                ("GrundDaten.AuftLiefKost", Code::OutOfRange),
                ("Positionen[0].ArtNr", Code::Required),
                ("Positionen[0].Menge", Code::OutOfRange),
            ]
        );
    }
}
