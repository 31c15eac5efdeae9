//! Rules on the VAT breakdown and the totals.

use super::values::{any_sum, decimal, double_sum, sum_in_cents};
use crate::engine::{Functions, Holds, functions};
use crate::invoice::abort::Abort;
use crate::invoice::document::Document;
use crate::invoice::double;
use crate::invoice::node::Node;

pub(super) static FUNCTIONS: Functions = functions! {
    Of:
        line_total,
        allowance_total, charge_total, basis_total, tax_total, grand_total, amount_due;
};

const TOTALS: &str = "SpecifiedTradeSettlementHeaderMonetarySummation";

/// The lines next to the settlement of the totals are summed as `xs:double`.
fn line_total(_: &Document<'_>, totals: Node<'_>) -> Holds {
    const LINES: &str = "../../IncludedSupplyChainTradeLineItem/SpecifiedLineTradeSettlement/\
                         SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount";
    let total = totals.decimal("LineTotalAmount")?;
    let sum = double::to_cents(double_sum(&totals.all(LINES))?)?;
    total.map_or(Ok(false), |total| total.equals(sum))
}

pub(super) fn header_amounts<'a>(
    document: &Document<'a>,
    indicator: &str,
) -> (usize, Vec<Node<'a>>) {
    let mut groups = document.settlement("SpecifiedTradeAllowanceCharge");
    groups.retain(|group| group.has_text("ChargeIndicator/udt:Indicator", indicator));
    let amounts = groups.iter().flat_map(|group| group.all("ActualAmount"));
    (groups.len(), amounts.collect())
}

fn allowance_total(document: &Document<'_>, totals: Node<'_>) -> Holds {
    let (count, amounts) = header_amounts(document, "false");
    let totals = totals.all("AllowanceTotalAmount");
    if count == 0 && totals.is_empty() {
        return Ok(true);
    }
    any_sum(&totals, &amounts)
}

/// Service charges of logistics count as charges.
fn charge_total(document: &Document<'_>, totals: Node<'_>) -> Holds {
    let (count, amounts) = header_amounts(document, "true");
    if count == 0 && !totals.has("ChargeTotalAmount") {
        return Ok(true);
    }
    let all_totals =
        document.settlement("SpecifiedTradeSettlementHeaderMonetarySummation/ChargeTotalAmount");
    let total = match all_totals.as_slice() {
        [] => return Ok(false),
        [total] => double::round_to_cents(total.double()?),
        _ => return Err(Abort::several("ChargeTotalAmount")),
    };
    let logistics = document.settlement("SpecifiedLogisticsServiceCharge/AppliedAmount");
    let sum = double::add(sum_in_cents(&amounts)?, sum_in_cents(&logistics)?);
    Ok(total == double::round_to_cents(sum))
}

fn basis_total(_: &Document<'_>, totals: Node<'_>) -> Holds {
    let (Some(basis), Some(lines)) = (
        totals.amount("TaxBasisTotalAmount")?,
        totals.amount("LineTotalAmount")?,
    ) else {
        return Ok(false);
    };
    let allowances = totals.amount("AllowanceTotalAmount")?.unwrap_or_default();
    let charges = totals.amount("ChargeTotalAmount")?.unwrap_or_default();
    basis.equals(lines.minus(allowances)?.plus(charges)?.round(2))
}

fn tax_total(document: &Document<'_>, amount: Node<'_>) -> Holds {
    let taxes = document.settlement("ApplicableTradeTax/CalculatedAmount");
    any_sum(&[amount], &taxes)
}

/// Without exactly one VAT total in the currency of the invoice the totals with and without VAT must be equal.
fn grand_total(document: &Document<'_>, _: Node<'_>) -> Holds {
    let path = |name: &str| document.settlement(&format!("{TOTALS}/{name}"));
    let number = |nodes: &[Node<'_>]| nodes.first().map(|node| decimal(*node)).transpose();
    let grand = number(&path("GrandTotalAmount"))?;
    let basis = number(&path("TaxBasisTotalAmount"))?;
    let amounts = path("TaxTotalAmount");
    for code in document.settlement("InvoiceCurrencyCode") {
        let currency = code.text();
        let mut taxes = amounts.clone();
        taxes.retain(|tax| tax.attribute("currencyID") == Some(&*currency));
        let (Some(grand), Some(basis)) = (grand, basis) else {
            return Ok(false);
        };
        let with_tax = match taxes.as_slice() {
            [tax] => grand.equals(basis.plus(decimal(*tax)?)?.round(2))?,
            _ => false,
        };
        if !with_tax && !grand.equals(basis)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn amount_due(_: &Document<'_>, totals: Node<'_>) -> Holds {
    let (Some(due), Some(grand)) = (
        totals.amount("DuePayableAmount")?,
        totals.amount("GrandTotalAmount")?,
    ) else {
        return Ok(false);
    };
    let prepaid = totals.amount("TotalPrepaidAmount")?.unwrap_or_default();
    let rounding = totals.amount("RoundingAmount")?.unwrap_or_default();
    due.equals(grand.minus(prepaid)?.plus(rounding)?)
}
