//! Conditions that only the rules for UBL have.

use std::cmp::Ordering;

use super::extension::{NEWER_SCHEMES, is_in};
use super::germany::has_taxed_category;
use super::lines;
use crate::engine::{Functions, Holds, Subject, Values, Verdict, functions};
use crate::invoice::abort::Abort;
use crate::invoice::date;
use crate::invoice::decimal::Decimal;
use crate::invoice::node::Node;
use crate::invoice::values::{any, is_blank, normalize};

pub(super) static FUNCTIONS: Functions = functions! {
    Is:
        totals_have_same_sign,
        price_is_discounted, unit_of_line, seller_has_tax_id, date_of_delivery,
        sub_lines_add_up, sub_lines_have_category, party_scheme_is_known, third_party_currency,
        one_total_with_breakdowns = |subject| Ok(totals(subject.node).0 == 1),
        is_discount = |subject| Ok(subject.node.words(subject.node.syntax().indicator)? == "false"),
        // Whether the period has the date, even if it cannot be read.
        period_starts = |subject| Ok(!matches!(subject.document.period(), [Ok(None), _])),
        period_ends = |subject| Ok(!matches!(subject.document.period(), [_, Ok(None)])),
        starts_in_period = |subject| Ok(compared(subject, 0)?.is_some_and(Ordering::is_ge)),
        ends_in_period = |subject| Ok(compared(subject, 1)?.is_some_and(Ordering::is_le)),
        one_total_without_breakdowns = |subject| {
            Ok(totals(subject.node).1 == usize::from(subject.node.has("cbc:TaxCurrencyCode")))
        },
        currency_differs = |subject| {
            Ok(normalize(&subject.node.text()) != subject.node.words("../cbc:DocumentCurrencyCode")?)
        };
    Judge:
        amount_due_with_third_parties;
};

/// How many VAT totals of the document have breakdowns, and how many have none.
fn totals(root: Node<'_>) -> (usize, usize) {
    let totals = root.children("cac:TaxTotal");
    totals.fold((0, 0), |(with, without), total| {
        if total.has("cac:TaxSubtotal") {
            (with + 1, without)
        } else {
            (with, without + 1)
        }
    })
}

/// One amount in each currency that has the sign is enough; zero has both.
fn totals_have_same_sign(subject: &Subject<'_>) -> Holds {
    let (root, syntax) = (subject.node, subject.node.syntax());
    if !root.has(syntax.tax_currency) {
        return Ok(true);
    }
    let amounts = |currency: &str| -> Result<Vec<f64>, Abort> {
        let code = root.words(currency)?;
        let mut amounts = root.all(syntax.tax_totals);
        amounts.retain(|amount| amount.attribute("currencyID") == Some(code.as_str()));
        amounts.into_iter().map(Node::double).collect()
    };
    let accounting = amounts(syntax.tax_currency)?;
    let invoice = amounts(syntax.invoice_currency)?;
    let both = |test: fn(&f64) -> bool| accounting.iter().any(test) && invoice.iter().any(test);
    Ok(both(|amount| *amount <= 0.0) || both(|amount| *amount >= 0.0))
}

/// How the date of a line compares with a date of the period of the invoice; `None` if it is empty.
fn compared(subject: &Subject<'_>, of_period: usize) -> Result<Option<Ordering>, Abort> {
    let text = subject.node.text();
    let of_period = subject.document.period().get(of_period);
    match of_period.cloned().transpose()?.flatten() {
        Some(of_period) if !text.is_empty() => Ok(Some(date::parse(&text)?.cmp(&of_period))),
        _ => Ok(None),
    }
}

fn price_is_discounted(subject: &Subject<'_>) -> Holds {
    let discount = subject.node;
    let Some(gross) = discount.decimal("cbc:BaseAmount")? else {
        return Ok(true);
    };
    let net = discount.decimal("../cbc:PriceAmount")?;
    let (Some(net), Some(amount)) = (net, discount.decimal("cbc:Amount")?) else {
        return Ok(false);
    };
    net.equals(gross.minus(amount)?)
}

fn unit_of_line(subject: &Subject<'_>) -> Holds {
    let Some(line) = subject.node.up().and_then(Node::up) else {
        return Ok(true);
    };
    if !line.has("cbc:InvoicedQuantity") && !line.has("cbc:CreditedQuantity") {
        return Ok(true);
    }
    let path = lines::quantity(line);
    Ok(lines::is_in_unit_of(subject.node, line, path))
}

/// A tax identifier of the seller, or a tax representative, where a category needs it.
fn seller_has_tax_id(subject: &Subject<'_>) -> Holds {
    let root = subject.node;
    let mut allowances = root.children("cac:AllowanceCharge");
    let is_taxed = has_taxed_category(root, "cac:*Line/cac:Item/cac:ClassifiedTaxCategory/cbc:ID")
        || allowances.any(|item| {
            let indicates = |text: &str| item.has_text("cbc:ChargeIndicator", text);
            (indicates("true") || indicates("false"))
                && has_taxed_category(item, "cac:TaxCategory/cbc:ID")
        });
    Ok(!is_taxed
        || root.has("cac:TaxRepresentativeParty")
        || root.has_words("cac:AccountingSupplierParty/cac:Party/cac:PartyTaxScheme/cbc:CompanyID"))
}

fn date_of_delivery(subject: &Subject<'_>) -> Holds {
    let root = subject.node;
    let mut lines = root.children("cac:*Line");
    Ok(root.has("cac:Delivery/cbc:ActualDeliveryDate")
        || root.has("cac:InvoicePeriod")
        || lines.all(|line| line.has("cac:InvoicePeriod")))
}

/// Whether the amount of a line is the sum of the lines directly inside.
fn adds_up(line: Node<'_>) -> Holds {
    let mut sum = Decimal::ZERO;
    for inner in line.children("cac:SubInvoiceLine") {
        let amount = inner.decimal(inner.syntax().line_amount)?;
        sum = sum.plus(amount.unwrap_or_default())?;
    }
    let amount = line.decimal(line.syntax().line_amount)?;
    amount.map_or(Ok(false), |amount| amount.equals(sum))
}

fn sub_lines_add_up(subject: &Subject<'_>) -> Holds {
    let lines = subject.node.children("cac:InvoiceLine");
    let lines = lines.chain(subject.document.anywhere("cac:SubInvoiceLine"));
    let is_wrong = |line: Node<'_>| Ok(line.has("cac:SubInvoiceLine") && !adds_up(line)?);
    Ok(!any(lines, is_wrong)?)
}

fn sub_lines_have_category(subject: &Subject<'_>) -> Holds {
    let mut items = subject.document.anywhere("cac:SubInvoiceLine/cac:Item");
    Ok(items.all(|item| item.count("cac:ClassifiedTaxCategory") == 1))
}

fn party_scheme_is_known(subject: &Subject<'_>) -> Holds {
    let node = subject.node;
    let is_creditor = normalize(node.attribute("schemeID").unwrap_or_default()) == "SEPA"
        && (node.is_inside("cac:AccountingSupplierParty") || node.is_inside("cac:PayeeParty"));
    Ok(is_creditor || is_in(node, "icd", &NEWER_SCHEMES))
}

fn third_party_currency(subject: &Subject<'_>) -> Holds {
    let currencies = &subject.facts.invoice_currencies;
    let mut amounts = subject.node.children("cbc:PaidAmount");
    Ok(amounts.any(|amount| amount.is_in_currency(currencies)))
}

/// Both sides are rounded; what is missing counts as nothing, but for the amount due and the total.
fn amount_due_with_third_parties(subject: &Subject<'_>) -> Verdict {
    let (node, totals) = (subject.node, &subject.node.syntax().totals);
    let zero = Decimal::ZERO;
    let rounding = node.decimal(totals.rounding)?.unwrap_or(zero);
    let paid = node.decimal(totals.paid)?.unwrap_or(zero);
    let mut others = zero;
    let payments = node.all("../cac:PrepaidPayment/cbc:PaidAmount");
    if payments.iter().any(|payment| !is_blank(&payment.text())) {
        for payment in payments {
            others = others.plus(Decimal::parse(&payment.text())?)?;
        }
    }
    let (due, total) = (node.decimal(totals.due)?, node.decimal(totals.grand)?);
    let mut values = Values::found(due.map(Decimal::amount).unwrap_or_default());
    if let Some(total) = total {
        let expected = total.minus(paid)?.plus(others)?.round(2);
        if let Some(due) = due
            && due.minus(rounding)?.round(2).equals(expected)?
        {
            return Ok(None);
        }
        values.expected = expected.plus(rounding)?.amount();
    }
    Ok(Some(values))
}
