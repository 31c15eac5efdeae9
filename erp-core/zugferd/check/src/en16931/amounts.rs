//! Rules on the values of single amounts.

use super::sums::{INVOICE_CURRENCY, TAX_CURRENCY};
use crate::abort::Abort;
use crate::rule::Subject;
use crate::table::{Table, rules};

pub(super) const LINE: Table = rules! {
    fatal "BR-27" "BT-146", Is(net_price)
        => "{term} is negative or missing."
        | "{term} ist negativ oder fehlt.";
    fatal "BR-28" "BT-148", Is(gross_price)
        => "{term} is negative."
        | "{term} ist negativ.";
};

/// Compared as double.
fn net_price(subject: &Subject<'_>) -> Result<bool, Abort> {
    let price = "SpecifiedLineTradeAgreement/NetPriceProductTradePrice/ChargeAmount";
    subject.node.any_double(price, |price| price >= 0.0)
}

/// One of several prices is enough.
fn gross_price(subject: &Subject<'_>) -> Result<bool, Abort> {
    let price = "SpecifiedLineTradeAgreement/GrossPriceProductTradePrice/ChargeAmount";
    let is_positive = subject.node.any_double(price, |price| price >= 0.0)?;
    Ok(is_positive || !subject.node.has(price))
}

/// One good total is enough, and so is one in another currency.
pub(super) fn tax_has_cents(subject: &Subject<'_>) -> Result<bool, Abort> {
    let currencies = subject.node.root().texts(INVOICE_CURRENCY);
    let totals = subject.node.all("TaxTotalAmount");
    for total in &totals {
        if !total.is_in_currency(&currencies) || total.has_cents()? {
            return Ok(true);
        }
    }
    Ok(totals.is_empty())
}

/// One good total in the accounting currency is needed where there is one.
pub(super) fn accounting_tax_has_cents(subject: &Subject<'_>) -> Result<bool, Abort> {
    let currencies = subject.node.root().texts(TAX_CURRENCY);
    let totals = subject.node.all("TaxTotalAmount");
    if totals.is_empty() || currencies.is_empty() {
        return Ok(true);
    }
    for total in totals {
        if total.is_in_currency(&currencies) && total.has_cents()? {
            return Ok(true);
        }
    }
    Ok(false)
}
