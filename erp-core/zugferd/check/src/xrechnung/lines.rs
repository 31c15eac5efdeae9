//! The rules taken from Peppol BIS Billing on invoice lines.

use crate::engine::{Functions, Holds, Subject, functions};
use crate::invoice::abort::Abort;
use crate::invoice::decimal::Decimal;
use crate::invoice::facts::{Facts, Period};
use crate::invoice::node::Node;
use crate::invoice::texts::Texts;

pub(super) static FUNCTIONS: Functions = functions! {
    Is:
        starts_inside, ends_inside, net_amount, positive_basis, net_price, same_basis,
        invoice_starts = |subject| Ok(period(subject).is_some_and(|period| period.starts)),
        invoice_ends = |subject| Ok(period(subject).is_some_and(|period| period.ends)),
        same_unit = |subject| {
            Ok(is_in_unit_of(subject.node, subject.node, "../../../SpecifiedLineTradeDelivery/BilledQuantity"))
        };
};

/// The invoicing period of the transaction that the date of a line is in.
fn period<'a>(subject: &Subject<'a>) -> Option<&'a Period> {
    let transaction = subject.node.up()?.up()?.up()?.up()?;
    subject.facts.period(transaction)
}

/// Dates are compared as texts; of several it is enough that one is right.
fn starts_inside(subject: &Subject<'_>) -> Holds {
    let first = period(subject).and_then(|period| period.first_date.as_deref());
    let mut own = subject.node.children("udt:DateTimeString");
    Ok(first.is_some_and(|first| own.any(|date| &*date.text() >= first)))
}

fn ends_inside(subject: &Subject<'_>) -> Holds {
    let last = period(subject).and_then(|period| period.last_date.as_deref());
    let mut own = subject.node.children("udt:DateTimeString");
    Ok(last.is_some_and(|last| own.any(|date| &*date.text() <= last)))
}

fn net_amount(subject: &Subject<'_>) -> Holds {
    let line = subject.node;
    let zero = Decimal::ZERO;
    let syntax = line.syntax();
    let amount = line.decimal(syntax.line_total)?;
    let quantity = line.decimal(quantity(line))?;
    let price = line.decimal(syntax.net_price)?;
    let price = price.unwrap_or(zero).divided_by(basis(line)?)?;
    let total = quantity.unwrap_or(Decimal::new(1, 0)).times(price)?;
    let total = total.plus(allowances(line, "true")?)?;
    let total = total.minus(allowances(line, "false")?)?;
    let difference = amount.unwrap_or(zero).minus(total)?;
    Ok(difference.abs().compare(slack(subject.facts))?.is_le())
}

/// Where the quantity of a line is: credit notes of UBL have another name for it.
pub(super) fn quantity(line: Node<'_>) -> &'static str {
    if line.root().is_credit_note() {
        "cbc:CreditedQuantity"
    } else {
        line.syntax().quantity
    }
}

/// How far amounts may be from what they are computed as.
pub(super) fn slack(facts: &Facts) -> Decimal {
    let is_forint = facts.invoice_currencies.contains("HUF");
    Decimal::new(if is_forint { 50 } else { 2 }, 2)
}

/// The quantity that the price is for: of the net price, else of the gross price, else one.
fn basis(line: Node<'_>) -> Result<Decimal, Abort> {
    for path in line.syntax().price_quantities {
        if let Some(quantity) = line.decimal(path)?.filter(|quantity| !quantity.is_zero()) {
            return Ok(quantity);
        }
    }
    Ok(Decimal::new(1, 0))
}

fn allowances(line: Node<'_>, indicator: &str) -> Result<Decimal, Abort> {
    let mut sum = Decimal::ZERO;
    for group in line.all(line.syntax().line_allowances) {
        if group.words(group.syntax().indicator)? == indicator {
            for amount in group.all(group.syntax().allowance_amount) {
                sum = sum.plus(Decimal::parse(&amount.text())?)?;
            }
        }
    }
    Ok(sum.round(2))
}

fn positive_basis(subject: &Subject<'_>) -> Holds {
    let quantity = subject.node.decimal(subject.node.syntax().price_quantity)?;
    let quantity = quantity.unwrap_or(Decimal::new(1, 0));
    Ok(quantity.compare(Decimal::ZERO)?.is_gt())
}

pub(super) fn is_in_unit_of(quantity: Node<'_>, around: Node<'_>, path: &str) -> bool {
    let unit = quantity.attribute("unitCode");
    around.find(path, &mut |other| other.attribute("unitCode") == unit)
}

fn net_price(subject: &Subject<'_>) -> Holds {
    let gross = subject.node;
    if !gross.has("ChargeAmount") {
        return Ok(true);
    }
    let agreement = gross.up().unwrap_or(gross);
    let net = agreement.decimal("NetPriceProductTradePrice/ChargeAmount")?;
    let (Some(net), Some(price)) = (net, gross.decimal("ChargeAmount")?) else {
        return Ok(false);
    };
    net.equals(price.minus(discount(gross)?)?)
}

/// The first amount of the only discount.
fn discount(price: Node<'_>) -> Result<Decimal, Abort> {
    let discounts = price.children("AppliedTradeAllowanceCharge");
    let mut amounts = discounts.filter_map(|discount| discount.first("ActualAmount"));
    match (amounts.next(), amounts.next()) {
        (None, _) => Ok(Decimal::ZERO),
        (Some(amount), None) => Decimal::parse(&amount.text()),
        _ => Err(Abort::several("AppliedTradeAllowanceCharge/ActualAmount")),
    }
}

fn same_basis(subject: &Subject<'_>) -> Holds {
    let all = |path: &str| subject.node.all(path);
    let gross = all("SpecifiedLineTradeAgreement/GrossPriceProductTradePrice/BasisQuantity");
    let net = all("SpecifiedLineTradeAgreement/NetPriceProductTradePrice/BasisQuantity");
    if gross.is_empty() || net.is_empty() {
        return Ok(true);
    }
    let same = |value: fn(&Node<'_>) -> Option<String>| {
        let mut values = Texts::default();
        for value in net.iter().filter_map(value) {
            values.insert(value.into());
        }
        let mut own = gross.iter().filter_map(value);
        own.any(|value| values.contains(&value))
    };
    let unit = |node: &Node<'_>| node.attribute("unitCode").map(str::to_owned);
    let has_unit = |nodes: &[Node<'_>]| nodes.iter().any(|node| unit(node).is_some());
    let units = !(has_unit(&net) && has_unit(&gross)) || same(unit);
    Ok(units && same(|node| Some(node.text().into_owned())))
}
