//! The totals of the profile EXTENDED: a cent of tolerance for every amount in a sum.

use super::totals::header_amounts;
use super::values::{decimal, decimal_sum, exact_sum, is_near, sum_in_cents};
use crate::engine::{Functions, Holds, functions};
use crate::invoice::abort::Abort;
use crate::invoice::decimal::Decimal;
use crate::invoice::document::Document;
use crate::invoice::double;
use crate::invoice::line_tree::{LINE_TOTAL, is_detail};
use crate::invoice::node::Node;

pub(super) static FUNCTIONS: Functions = functions! {
    Of:
        tolerant_line_total = line_total, tolerant_allowance_total = allowance_total,
        tolerant_charge_total = charge_total, tolerant_basis_total = basis_total,
        tolerant_grand_total = grand_total, tolerant_amount_due = amount_due;
};

/// The lines of the invoice that the totals are of.
fn lines_beside<'a>(totals: Node<'a>) -> Vec<Node<'a>> {
    totals.all("../../IncludedSupplyChainTradeLineItem")
}

fn details(lines: &[Node<'_>]) -> usize {
    lines.iter().filter(|line| is_detail(**line)).count()
}

fn detail_sum(lines: &[Node<'_>]) -> Result<Decimal, Abort> {
    let details = lines.iter().filter(|line| is_detail(**line));
    let amounts: Vec<_> = details.flat_map(|line| line.all(LINE_TOTAL)).collect();
    decimal_sum(&amounts)
}

fn line_total(_: &Document<'_>, totals: Node<'_>) -> Holds {
    let lines = lines_beside(totals);
    let Some(total) = totals.decimal("LineTotalAmount")? else {
        return Ok(false);
    };
    is_near(total, detail_sum(&lines)?, lines.len())
}

/// The number of allowances or charges next to the totals.
fn groups_beside(totals: Node<'_>, indicator: &str) -> usize {
    let groups = totals.all("../SpecifiedTradeAllowanceCharge");
    let is_meant = |group: &&Node<'_>| group.has_text("ChargeIndicator/udt:Indicator", indicator);
    groups.iter().filter(is_meant).count()
}

fn charges_beside(totals: Node<'_>) -> usize {
    groups_beside(totals, "true") + totals.count("../SpecifiedLogisticsServiceCharge")
}

fn allowance_total(document: &Document<'_>, totals: Node<'_>) -> Holds {
    let (count, amounts) = header_amounts(document, "false");
    if count == 0 && !totals.has("AllowanceTotalAmount") {
        return Ok(true);
    }
    let sum = double::to_decimal(sum_in_cents(&amounts)?)?;
    match totals.decimal("AllowanceTotalAmount")? {
        Some(total) => is_near(total, sum, groups_beside(totals, "false")),
        None => Ok(false),
    }
}

fn charge_sum(document: &Document<'_>) -> Result<Decimal, Abort> {
    let (_, amounts) = header_amounts(document, "true");
    let logistics = document.settlement("SpecifiedLogisticsServiceCharge/AppliedAmount");
    decimal_sum(&amounts)?.plus(decimal_sum(&logistics)?)
}

fn charge_total(document: &Document<'_>, totals: Node<'_>) -> Holds {
    let (count, _) = header_amounts(document, "true");
    if count == 0 && !totals.has("ChargeTotalAmount") {
        return Ok(true);
    }
    let sum = charge_sum(document)?;
    match totals.decimal("ChargeTotalAmount")? {
        Some(total) => is_near(total, sum, charges_beside(totals)),
        None => Ok(false),
    }
}

/// The number of amounts that the totals without and with VAT are made of.
fn amounts_of(lines: &[Node<'_>], totals: Node<'_>) -> usize {
    details(lines) + groups_beside(totals, "false") + charges_beside(totals)
}

fn basis_total(document: &Document<'_>, totals: Node<'_>) -> Holds {
    let Some(basis) = totals.decimal("TaxBasisTotalAmount")? else {
        return Ok(false);
    };
    let lines = lines_beside(totals);
    let (_, allowances) = header_amounts(document, "false");
    let sum = detail_sum(&lines)?.minus(decimal_sum(&allowances)?)?;
    let sum = sum.plus(charge_sum(document)?)?;
    is_near(basis, sum, amounts_of(&lines, totals))
}

/// Without exactly one VAT total in the currency of the invoice the totals with and without VAT must be equal; a VAT
/// total is required nevertheless.
fn grand_total(_: &Document<'_>, totals: Node<'_>) -> Holds {
    let (Some(basis), Some(grand)) = (
        totals.decimal("TaxBasisTotalAmount")?,
        totals.decimal("GrandTotalAmount")?,
    ) else {
        return Ok(false);
    };
    let mut verdict = None;
    for code in totals.all("../InvoiceCurrencyCode") {
        let currency = code.text();
        let mut taxes = totals.all("TaxTotalAmount");
        taxes.retain(|tax| tax.attribute("currencyID") == Some(&*currency));
        let tax = match taxes.as_slice() {
            [] => continue,
            [tax] => decimal(*tax)?,
            _ => return Err(Abort::several("TaxTotalAmount")),
        };
        if verdict.is_some() {
            return Err(Abort::several("InvoiceCurrencyCode"));
        }
        let amounts = amounts_of(&lines_beside(totals), totals);
        verdict = Some(is_near(grand, basis.plus(tax)?, amounts)?);
    }
    Ok(verdict.unwrap_or(false))
}

fn amount_due(_: &Document<'_>, totals: Node<'_>) -> Holds {
    let sum = |path| exact_sum(&totals.all(path));
    let Some(due) = totals.decimal("DuePayableAmount")? else {
        return Ok(false);
    };
    let expected = sum("GrandTotalAmount")?.minus(sum("TotalPrepaidAmount")?)?;
    let adjusted = sum("../SpecifiedFinancialAdjustment/ActualAmount");
    due.equals(expected.plus(sum("RoundingAmount")?)?.plus(adjusted?)?)
}
