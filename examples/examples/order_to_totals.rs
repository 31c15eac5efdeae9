//! Calculates totals without a store: from order lines to line taxes, tax recap and sums.
//!
//! `cargo run -p erp-examples --example order_to_totals`

use erp_core::rust_decimal::Decimal;
use erp_core::totals::{Line, PriceKind, Totals, TotalsError, TotalsInput, totals};

/// The rate of a tax code. Real rates are master data with dates.
fn rate(code: &&str) -> Decimal {
    match *code {
        "standard" => Decimal::new(81, 1),
        _ => Decimal::new(26, 1),
    }
}

/// Three lines at net prices and 9.90 for delivery.
fn cart() -> Result<Totals<&'static str>, TotalsError> {
    let lines = [
        Line::new(3, Decimal::new(1_235, 2), "standard"),
        Line {
            discount_rate: Decimal::TEN,
            ..Line::new(2, 10, "standard")
        },
        Line::new(5, Decimal::new(420, 2), "reduced"),
    ];
    totals(&TotalsInput {
        delivery_costs: Decimal::new(990, 2),
        cash_rounding_step: Some(Decimal::new(5, 2)),
        ..TotalsInput::new(PriceKind::Net, 2, &lines, &rate)
    })
}

fn main() -> Result<(), TotalsError> {
    let totals = cart()?;
    for (line, number) in totals.lines.iter().zip(1..) {
        println!("line {number}: {} with {} tax", line.total, line.tax);
    }
    for entry in &totals.recap {
        println!("{}: {} net, {} tax", entry.key, entry.net, entry.tax);
    }
    println!(
        "{} + {} = {}",
        totals.sums.net, totals.sums.tax, totals.sums.gross
    );
    println!("in cash {}", totals.payable);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sums_agree() {
        let totals = cart().unwrap();
        // 37.05 + 18.00 + 21.00 + 9.90
        assert_eq!(totals.sums.net.to_string(), "85.95");
        assert_eq!(totals.sums.net + totals.sums.tax, totals.sums.gross);
        let recap: Decimal = totals.recap.iter().map(|entry| entry.tax).sum();
        assert_eq!(recap, totals.sums.tax);
        assert_eq!(
            totals.sums.gross + totals.sums.cash_rounding,
            totals.payable
        );
    }
}
