//! Baskets: the part of an order that determines its price, before a customer is known.

use rust_decimal::Decimal;

use super::PositionRequest;
use super::position::check_positions;
use crate::values::codes::Currency;
use crate::values::json::AsJson;
use crate::values::problem::{Path, Problems};
use crate::wire::members::{Members, Range, read_body};
use crate::wire::{OrderBody, OrderBodyHeader, Reading};

/// The part of an order or offer body that determines its totals. Customer, addresses and dates may be missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BasketRequest {
    /// Currency (`WaehrAbk`).
    pub currency: Option<Currency>,
    /// Delivery costs, 0 or more (`AuftLiefKost`).
    pub delivery_costs: Option<Decimal>,
    /// The positions, at least one (`Positionen`).
    pub positions: Vec<PositionRequest>,
}

impl BasketRequest {
    /// Reads a body.
    ///
    /// # Errors
    /// Every problem of the fields that matter, and wrong types and lengths of all others.
    pub fn parse(body: &impl AsJson, how: Reading) -> Result<Self, Problems> {
        let body = &*body.as_json();
        read_body(body, how, |body: &OrderBody, problems| {
            let no_header = OrderBodyHeader::default();
            let header = body.header.as_ref().unwrap_or(&no_header);
            let path = Path::ROOT.member("GrundDaten");
            let mut members = Members::new(&path, problems);
            let currency = members.currency("WaehrAbk", header.currency.as_ref());
            let costs = members.decimal("AuftLiefKost", header.delivery_costs, Range::AMOUNT);
            let positions =
                check_positions(body.positions.as_ref(), problems, PositionRequest::check);
            Some(Self {
                currency,
                delivery_costs: costs,
                positions: positions?,
            })
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
        let basket = BasketRequest::parse(&body, Reading::default()).unwrap();
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
        let problems = BasketRequest::parse(&body, Reading::default()).unwrap_err();
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
