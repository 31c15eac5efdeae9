//! The binding worked examples G01-G14, with every member.

use std::cmp::Reverse;

use erp_core::totals::{Line, PriceKind, TotalsInput, totals};
use rust_decimal::Decimal;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Example {
    id: String,
    about: String,
    kind: PriceKind,
    currency: String,
    delivery_costs: Decimal,
    cash_rounding_step: Option<Decimal>,
    lines: Vec<ExampleLine>,
    recap: Vec<ExampleRecap>,
    net: Decimal,
    tax: Decimal,
    gross: Decimal,
    cash_rounding: Decimal,
    payable: Decimal,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExampleLine {
    quantity: Decimal,
    unit_price: Decimal,
    price_basis: Decimal,
    discount_rate: Decimal,
    tax_rate: Decimal,
    before_discount: Decimal,
    discount: Decimal,
    total: Decimal,
    net: Decimal,
    tax: Decimal,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct ExampleRecap {
    tax_rate: Decimal,
    net: Decimal,
    tax: Decimal,
    delivery_net_share: Decimal,
}

// rule: R-TOT-03, D-PRI-06, D-PRI-10
#[test]
fn every_field_of_every_example_is_exact() {
    let examples: Vec<Example> =
        serde_json::from_str(include_str!("../golden/totals.json")).unwrap();
    let ids: Vec<_> = examples.iter().map(|example| example.id.as_str()).collect();
    let expected: Vec<_> = (1..=14).map(|number| format!("G{number:02}")).collect();
    assert_eq!(ids, expected);
    for example in &examples {
        check(example);
    }
}

fn check(example: &Example) {
    let name = format!("{} {}", example.id, example.about);
    assert!(
        ["CHF", "EUR"].contains(&example.currency.as_str()),
        "{name}: two minor digits"
    );
    // The examples list the higher rate first.
    let lines: Vec<_> = example.lines.iter().map(line).collect();
    let found = totals(&TotalsInput {
        kind: example.kind,
        minor_digits: 2,
        lines: &lines,
        rates: &|Reverse(rate)| *rate,
        delivery_costs: example.delivery_costs,
        delivery_tax: None,
        cash_rounding_step: example.cash_rounding_step,
    })
    .unwrap();
    assert_eq!(found.lines.len(), example.lines.len(), "{name}");
    for (found, expected) in found.lines.iter().zip(&example.lines) {
        let before = (found.before_discount, found.discount, found.total);
        assert_eq!(
            before,
            (expected.before_discount, expected.discount, expected.total),
            "{name}"
        );
        assert_eq!(
            (found.net, found.tax),
            (expected.net, expected.tax),
            "{name}"
        );
    }
    let recap: Vec<_> = found.recap.iter().map(recap).collect();
    assert_eq!(recap, example.recap, "{name}");
    let sums = [
        found.sums.net,
        found.sums.tax,
        found.sums.gross,
        found.sums.cash_rounding,
        found.payable,
    ];
    let expected = [
        example.net,
        example.tax,
        example.gross,
        example.cash_rounding,
        example.payable,
    ];
    assert_eq!(sums, expected, "{name}");
}

fn line(line: &ExampleLine) -> Line<Reverse<Decimal>> {
    Line {
        quantity: line.quantity,
        unit_price: line.unit_price,
        price_basis: line.price_basis,
        discount_rate: line.discount_rate,
        tax: Reverse(line.tax_rate),
    }
}

fn recap(entry: &erp_core::totals::RecapEntry<Reverse<Decimal>>) -> ExampleRecap {
    assert_eq!(entry.key, Reverse(entry.rate));
    assert_eq!(entry.gross, entry.net + entry.tax);
    ExampleRecap {
        tax_rate: entry.rate,
        net: entry.net,
        tax: entry.tax,
        delivery_net_share: entry.delivery_net_share,
    }
}
