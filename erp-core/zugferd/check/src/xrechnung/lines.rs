//! The rules taken from Peppol BIS Billing on invoice lines.

use crate::engine::rule::{Holds, Subject};
use crate::engine::table::{Functions, functions};
use crate::invoice::abort::Abort;
use crate::invoice::decimal::Decimal;
use crate::invoice::facts::{Facts, Period};
use crate::invoice::node::Node;
use crate::invoice::texts::Texts;

pub(super) static FUNCTIONS: Functions = functions! {
    Is:
        starts_inside, ends_inside, net_amount, positive_basis, same_unit, net_price, same_basis,
        invoice_starts = |subject| Ok(period(subject).is_some_and(|period| period.starts)),
        invoice_ends = |subject| Ok(period(subject).is_some_and(|period| period.ends));
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
    let total = total
        .plus(allowances(line, "true")?)?
        .minus(allowances(line, "false")?)?;
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
    if facts.invoice_currencies.contains("HUF") {
        Decimal::new(5, 1)
    } else {
        Decimal::new(2, 2)
    }
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
    quantity.map_or(Ok(true), |quantity| {
        Ok(quantity.compare(Decimal::ZERO)?.is_gt())
    })
}

fn same_unit(subject: &Subject<'_>) -> Holds {
    let unit = subject.node.attribute("unitCode");
    let quantities = subject
        .node
        .all("../../../SpecifiedLineTradeDelivery/BilledQuantity");
    Ok(quantities
        .iter()
        .any(|quantity| quantity.attribute("unitCode") == unit))
}

fn net_price(subject: &Subject<'_>) -> Holds {
    let gross = subject.node;
    let net = match gross.up() {
        Some(agreement) => agreement.decimal("NetPriceProductTradePrice/ChargeAmount"),
        None => Ok(None),
    };
    if !gross.has("ChargeAmount") {
        return Ok(true);
    }
    let (Some(net), Some(price)) = (net?, gross.decimal("ChargeAmount")?) else {
        return Ok(false);
    };
    net.equals(price.minus(discount(gross)?)?)
}

/// The first amount of the only discount.
fn discount(price: Node<'_>) -> Result<Decimal, Abort> {
    let discounts = price.all("AppliedTradeAllowanceCharge");
    let mut amounts = discounts
        .iter()
        .filter_map(|discount| discount.first("ActualAmount"));
    match (amounts.next(), amounts.next()) {
        (None, _) => Ok(Decimal::ZERO),
        (Some(amount), None) => Decimal::parse(&amount.text()),
        _ => Err(Abort::several("AppliedTradeAllowanceCharge/ActualAmount")),
    }
}

fn same_basis(subject: &Subject<'_>) -> Holds {
    let quantities = |price: &str| {
        subject.node.all(&format!(
            "SpecifiedLineTradeAgreement/{price}/BasisQuantity"
        ))
    };
    let gross = quantities("GrossPriceProductTradePrice");
    let net = quantities("NetPriceProductTradePrice");
    if gross.is_empty() || net.is_empty() {
        return Ok(true);
    }
    let same = |value: fn(&Node<'_>) -> Option<String>| {
        let mut values = Texts::default();
        for value in net.iter().filter_map(value) {
            values.insert(value.into());
        }
        gross
            .iter()
            .filter_map(value)
            .any(|value| values.contains(&value))
    };
    let has_unit = |nodes: &[Node<'_>]| {
        nodes
            .iter()
            .any(|node| node.attribute("unitCode").is_some())
    };
    let units = !(has_unit(&net) && has_unit(&gross))
        || same(|node| node.attribute("unitCode").map(str::to_owned));
    Ok(units && same(|node| Some(node.text().into_owned())))
}
