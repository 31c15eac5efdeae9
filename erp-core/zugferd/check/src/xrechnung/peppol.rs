//! The rules taken from Peppol BIS Billing.

use super::{lines, payment};
use crate::engine::{Functions, Holds, Subject, functions};
use crate::invoice::abort::Abort;
use crate::invoice::node::Node;
use crate::invoice::texts::Texts;
use crate::invoice::values::is_blank;

pub(super) static FUNCTIONS: Functions = functions! {
    Is:
        is_empty, currencies_differ, one_vat_total, one_accounting_total,
        same_sign, is_percentage,
        // For contexts that are wrong as such.
        never = |_| Ok(false),
        is_direct_debit = |subject| payment::means_are(subject, &["49", "59"]),
        has_indicator = |subject| Ok(matches!(&*subject.node.words(subject.node.syntax().indicator)?, "true" | "false")),
        lacks_basis = |subject| Ok(percent_and_basis(subject.node) == [true, false]),
        lacks_percent = |subject| Ok(percent_and_basis(subject.node) == [false, true]);
};

/// The name of the delivery counts as written, with its prefix.
fn is_empty(subject: &Subject<'_>) -> Holds {
    let element = subject.node.element();
    // Only CII has an element of this name.
    let is_delivery = element.local() == "ApplicableHeaderTradeDelivery"
        && subject.node.starts_as("<ram:ApplicableHeaderTradeDelivery");
    Ok(!is_delivery && element.children().next().is_none() && is_blank(&subject.node.text()))
}

fn currencies_differ(subject: &Subject<'_>) -> Holds {
    let node = subject.node;
    Ok(!node.has("TaxCurrencyCode")
        || node.words("TaxCurrencyCode")? != node.words("InvoiceCurrencyCode")?)
}

fn vat_totals(settlement: Node<'_>) -> Vec<Node<'_>> {
    settlement.all("SpecifiedTradeSettlementHeaderMonetarySummation/TaxTotalAmount")
}

fn one_vat_total(subject: &Subject<'_>) -> Holds {
    let codes = &subject.facts.invoice_currencies;
    let totals = vat_totals(subject.node);
    let own = totals.iter().filter(|total| total.is_in_currency(codes));
    Ok(own.count() <= 1)
}

fn one_accounting_total(subject: &Subject<'_>) -> Holds {
    let codes = &subject.facts.invoice_currencies;
    let is_other = |total: &Node<'_>| {
        let currency = total.attribute("currencyID");
        currency.is_some_and(|currency| codes.iter().any(|code| code != currency))
    };
    let totals = vat_totals(subject.node).into_iter();
    let others = totals.filter(is_other).count();
    Ok(others == usize::from(subject.node.has("TaxCurrencyCode")))
}

fn same_sign(subject: &Subject<'_>) -> Holds {
    let facts = subject.facts;
    let (invoice, accounting) = (&facts.invoice_currencies, &facts.tax_currencies);
    let totals = vat_totals(subject.node);
    let amounts = |codes: &Texts<'_>| -> Result<Vec<f64>, Abort> {
        let totals = totals.iter().filter(|total| total.is_in_currency(codes));
        totals.map(|total| total.double()).collect()
    };
    if accounting.is_empty() || !totals.iter().any(|total| total.is_in_currency(invoice)) {
        return Ok(true);
    }
    let (invoice, accounting) = (amounts(invoice)?, amounts(accounting)?);
    let both = |test: fn(&f64) -> bool| invoice.iter().any(test) && accounting.iter().any(test);
    Ok(both(|amount| *amount < 0.0) || both(|amount| *amount >= 0.0))
}

/// What there is of an allowance or charge.
fn percent_and_basis(item: Node<'_>) -> [bool; 2] {
    let syntax = item.syntax();
    [syntax.percent, syntax.percent_basis].map(|path| item.has(path))
}

fn is_percentage(subject: &Subject<'_>) -> Holds {
    let (node, syntax) = (subject.node, subject.node.syntax());
    if percent_and_basis(node) != [true, true] {
        return Ok(true);
    }
    let amount = node.decimal(syntax.allowance_amount)?;
    let basis = node.decimal(syntax.percent_basis)?.unwrap_or_default();
    let percent = node.decimal(syntax.percent)?.unwrap_or_default();
    let expected = basis.times(percent.percent())?;
    let difference = amount.unwrap_or_default().minus(expected)?.abs();
    Ok(difference.compare(lines::slack(subject.facts))?.is_le())
}
