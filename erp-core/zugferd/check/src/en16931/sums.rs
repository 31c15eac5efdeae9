//! Rules on totals: the stated value must be the calculated one.

use crate::engine::rule::{Subject, Values, Verdict};
use crate::engine::table::{Functions, functions};
use crate::invoice::abort::{Abort, shorten};
use crate::invoice::decimal::{BLANKS, Decimal};
use crate::invoice::double;
use crate::invoice::node::Node;
use std::cmp::Ordering::{Greater, Less};

pub(crate) static FUNCTIONS: Functions = functions! {
    Judge:
        line_total, allowance_total, charge_total, tax_basis_total, amount_due, tax_total, calculated_tax;
};

pub(super) const INVOICE_CURRENCY: &str =
    "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/InvoiceCurrencyCode";

pub(super) const TAX_CURRENCY: &str =
    "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/TaxCurrencyCode";

/// Allowances and charges of the document level.
pub(super) const ALLOWANCES: &str =
    "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/SpecifiedTradeAllowanceCharge";

/// The failure of a total that is missing or another than the expected one.
pub(super) fn differs(found: Option<String>, expected: Option<String>) -> Verdict {
    Ok(Some(Values {
        found: found.map(|found| shorten(found.trim())).unwrap_or_default(),
        expected: expected.unwrap_or_default(),
    }))
}

fn sum_of_doubles(nodes: impl IntoIterator<Item = Result<f64, Abort>>) -> Result<f64, Abort> {
    nodes
        .into_iter()
        .try_fold(0.0, |sum, value| Ok(double::add(sum, value?)))
}

/// The sum is in double; its exact value is rounded. What is stated is not rounded, so three decimal places never
/// match.
fn line_total(subject: &Subject<'_>) -> Verdict {
    const LINES: &str = "../../IncludedSupplyChainTradeLineItem/SpecifiedLineTradeSettlement/\
                         SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount";
    let Some(stated) = subject.node.decimal("LineTotalAmount")? else {
        return differs(None, None);
    };
    let lines = subject.node.all(LINES);
    let expected = double::to_cents(sum_of_doubles(lines.into_iter().map(Node::double))?)?;
    if stated.equals(expected)? {
        return Ok(None);
    }
    differs(Some(stated.amount()), Some(expected.amount()))
}

fn allowance_total(subject: &Subject<'_>) -> Verdict {
    judge_allowances(subject.node, false, "AllowanceTotalAmount")
}

fn charge_total(subject: &Subject<'_>) -> Verdict {
    judge_allowances(subject.node, true, "ChargeTotalAmount")
}

/// The first amount of each counts, in double. Without any, the total may be missing.
fn judge_allowances(summation: Node<'_>, charge: bool, total: &str) -> Verdict {
    let all = summation.root().all(ALLOWANCES);
    let mut has_some = false;
    for item in &all {
        if item.indicates(charge)? {
            has_some = true;
            break;
        }
    }
    let stated = summation.all(total);
    if stated.is_empty() && !has_some {
        return Ok(None);
    }
    let mut sum = 0.0;
    for item in all {
        if let (true, Some(amount)) = (item.indicates(charge)?, item.first("ActualAmount")) {
            sum = double::add(sum, amount.double()?);
        }
    }
    let expected = double::round_to_cents(sum);
    for total in &stated {
        if total.double()? == expected {
            return Ok(None);
        }
    }
    let found = stated.first().map(|total| total.text().into_owned());
    differs(found, double::display(expected))
}

/// Decimal, of the first amount of each kind; a missing allowance or charge total does not count.
fn tax_basis_total(subject: &Subject<'_>) -> Verdict {
    let summation = subject.node;
    let stated = summation.first_decimal("TaxBasisTotalAmount")?;
    let lines = summation.first_decimal("LineTotalAmount")?;
    let allowances = summation
        .first_decimal("AllowanceTotalAmount")?
        .unwrap_or(Decimal::ZERO);
    let charges = summation
        .first_decimal("ChargeTotalAmount")?
        .unwrap_or(Decimal::ZERO);
    let Some(lines) = lines else {
        return differs(stated.map(Decimal::amount), None);
    };
    let expected = lines.minus(allowances)?.plus(charges)?.round(2);
    match stated {
        Some(stated) if stated.equals(expected)? => Ok(None),
        stated => differs(stated.map(Decimal::amount), Some(expected.amount())),
    }
}

/// The only total that is not rounded; of the first amount of each kind.
fn amount_due(subject: &Subject<'_>) -> Verdict {
    let summation = subject.node;
    let stated = summation.first_decimal("DuePayableAmount")?;
    let total = summation.first_decimal("GrandTotalAmount")?;
    let paid = summation
        .first_decimal("TotalPrepaidAmount")?
        .unwrap_or(Decimal::ZERO);
    let rounding = summation
        .first_decimal("RoundingAmount")?
        .unwrap_or(Decimal::ZERO);
    let Some(total) = total else {
        return differs(stated.map(Decimal::amount), None);
    };
    let expected = total.minus(paid)?.plus(rounding)?;
    match stated {
        Some(stated) if stated.equals(expected)? => Ok(None),
        stated => differs(stated.map(Decimal::amount), Some(expected.amount())),
    }
}

/// In double; judged only for a VAT total in the invoice currency.
fn tax_total(subject: &Subject<'_>) -> Verdict {
    const TAXES: &str = "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/\
                         ApplicableTradeTax/CalculatedAmount";
    let stated = subject.node.double()?;
    let taxes = subject.node.root().all(TAXES).into_iter();
    let expected = double::round_to_cents(sum_of_doubles(taxes.map(Node::double))?);
    if stated == expected {
        return Ok(None);
    }
    differs(
        Some(subject.node.text().into_owned()),
        double::display(expected),
    )
}

/// Within 1.00, signs ignored. A rate that rounds to 0, or none, needs a tax that rounds to 0.
fn calculated_tax(subject: &Subject<'_>) -> Verdict {
    let breakdown = subject.node;
    let type_code = breakdown.only_text("TypeCode")?;
    let is_vat = type_code.trim_matches(BLANKS).eq_ignore_ascii_case("VAT");
    let rate = match is_vat {
        true => breakdown.decimal("RateApplicablePercent")?,
        false => None,
    };
    let tax = breakdown.decimal("CalculatedAmount")?;
    let Some(rate) = rate.filter(|rate| !rate.round(0).is_zero()) else {
        return match tax {
            Some(tax) if tax.round(0).is_zero() => Ok(None),
            tax => differs(tax.map(Decimal::amount), Some(Decimal::ZERO.amount())),
        };
    };
    let basis = breakdown.decimal("BasisAmount")?;
    let (Some(tax), Some(basis)) = (tax, basis) else {
        return differs(tax.map(Decimal::amount), None);
    };
    let expected = basis.abs().times(rate.percent())?.round(2);
    let one = Decimal::new(1, 0);
    let is_near = tax.abs().minus(one)?.compare(expected)? != Greater
        && tax.abs().plus(one)?.compare(expected)? != Less;
    if is_near {
        return Ok(None);
    }
    differs(Some(tax.amount()), Some(expected.amount()))
}
