//! Rules on the values of single amounts.

use crate::check::abort::Abort;
use crate::check::double::round_hundredfold;
use crate::check::node::Node;
use crate::check::rule::{Rule, Subject, rules};

pub(super) const LINE: &[Rule] = rules! {
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

/// Whether an amount equals itself rounded to cents, as double.
fn has_cents(amount: Node<'_>) -> Result<bool, Abort> {
    let value = amount.double()?;
    Ok(value == round_hundredfold(value))
}

/// One good total is enough, and so is one in another currency.
pub(super) fn tax_has_cents(subject: &Subject<'_>) -> Result<bool, Abort> {
    let totals = subject.node.all("TaxTotalAmount");
    for total in &totals {
        let currency = total.attribute("currencyID");
        let root = subject.node.root();
        let is_in_currency =
            currency.is_some_and(|currency| root.has_text(super::sums::INVOICE_CURRENCY, currency));
        if !is_in_currency || has_cents(*total)? {
            return Ok(true);
        }
    }
    Ok(totals.is_empty())
}

/// One good total in the accounting currency is needed where there is one.
pub(super) fn accounting_tax_has_cents(subject: &Subject<'_>) -> Result<bool, Abort> {
    const TAX_CURRENCY: &str =
        "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/TaxCurrencyCode";
    let root = subject.node.root();
    let totals = subject.node.all("TaxTotalAmount");
    if totals.is_empty() || !root.has(TAX_CURRENCY) {
        return Ok(true);
    }
    for total in totals {
        let currency = total.attribute("currencyID");
        let is_in_currency = currency.is_some_and(|currency| root.has_text(TAX_CURRENCY, currency));
        if is_in_currency && has_cents(total)? {
            return Ok(true);
        }
    }
    Ok(false)
}
