//! Rules on the values of single amounts.

use crate::engine::rule::{Holds, Subject};
use crate::engine::table::{Functions, functions};
use crate::invoice::node::Node;
use crate::invoice::values::any;

pub(crate) static FUNCTIONS: Functions = functions! {
    Is:
        net_price, gross_price, tax_has_cents, accounting_tax_has_cents;
};

/// Compared as double.
fn net_price(subject: &Subject<'_>) -> Holds {
    let price = subject.node.syntax().net_price;
    subject.node.any_double(price, |price| price >= 0.0)
}

/// One of several prices is enough.
fn gross_price(subject: &Subject<'_>) -> Holds {
    let price = subject.node.syntax().gross_price;
    let is_positive = subject.node.any_double(price, |price| price >= 0.0)?;
    Ok(is_positive || !subject.node.has(price))
}

/// One good total is enough, and so is one in another currency.
fn tax_has_cents(subject: &Subject<'_>) -> Holds {
    let currencies = &subject.facts.invoice_currencies;
    let totals = subject.node.all("TaxTotalAmount");
    let is_good = |total: &Node<'_>| Ok(!total.is_in_currency(currencies) || total.has_cents()?);
    Ok(totals.is_empty() || any(&totals, is_good)?)
}

/// One good total in the accounting currency is needed where there is one.
fn accounting_tax_has_cents(subject: &Subject<'_>) -> Holds {
    let currencies = &subject.facts.tax_currencies;
    let totals = subject.node.all("TaxTotalAmount");
    let is_good = |total: &Node<'_>| Ok(total.is_in_currency(currencies) && total.has_cents()?);
    Ok(totals.is_empty() || currencies.is_empty() || any(&totals, is_good)?)
}
