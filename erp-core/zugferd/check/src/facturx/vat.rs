//! The rules that every VAT category has. The sums of the newer releases allow a cent for every amount summed, and know
//! reasons of exemption.

use std::cmp::Ordering;

use super::Profile;
use super::values::{any_same, any_to_zero, decimal, is_near};
use crate::en16931::vat::amounts::breakdown_of;
use crate::engine::{Functions, Holds, Subject, functions};
use crate::invoice::abort::Abort;
use crate::invoice::category_sums::{BreakdownPart, CategoryTotal};
use crate::invoice::decimal::Decimal;
use crate::invoice::double;
use crate::invoice::line_tree::is_detail;
use crate::invoice::node::Node;

pub(super) static FUNCTIONS: Functions = functions! {
    Is:
        has_code, uses_have_breakdowns, sum_is_near, sum_of_rate, sum_is_exact, tax_of_rate, tolerant_tax_of_rate,
        tolerant_sum_before_reasons,
        has_code_of_vat = |subject| Ok(has_code(subject)? && subject.node.is_vat()?),
        is_code_of_allowance = |subject| Ok(has_code(subject)? && is_charge(subject, "false")),
        is_code_of_charge = |subject| Ok(has_code(subject)? && is_charge(subject, "true")),
        has_breakdown = |subject| Ok(subject.facts.uses(subject.code()).has_breakdown()),
        go_together = |subject| Ok(subject.facts.uses(subject.code()).go_together()),
        are_outside = |subject| Ok(subject.facts.uses(subject.code()).are_outside()),
        no_tax = |subject| any_to_zero(&breakdown_of(subject).all("CalculatedAmount"), Ordering::is_eq),
        tolerant_sum_of_ordinary_lines = |subject| {
            let total = subject.document.category_sums().of_category(subject.code(), None, true)?;
            is_basis(breakdown_of(subject), total)
        },
        tolerant_sum_with_reason = |subject| tolerant_sum(subject, true),
        tolerant_sum_in_one_way = |subject| Ok(tolerant_sum(subject, true)? || tolerant_sum(subject, false)?);
    Of:
        rate_zero = |_, tax| any_to_zero(&tax.all(RATE), Ordering::is_eq),
        rate_above_zero = |_, tax| any_to_zero(&tax.all(RATE), Ordering::is_gt),
        rate_not_below_zero = |_, tax| any_to_zero(&tax.all(RATE), Ordering::is_ge);
};

const RATE: &str = "RateApplicablePercent";

/// One of the codes is that of the category, of whatever tax it is.
fn has_code(subject: &Subject<'_>) -> Holds {
    Ok(subject.node.has_text("CategoryCode", subject.code()))
}

fn is_charge(subject: &Subject<'_>, indicator: &str) -> bool {
    let group = subject.node.up();
    group.is_some_and(|group| group.has_text("ChargeIndicator/udt:Indicator", indicator))
}

/// Only ordinary lines, allowances, charges and service charges are uses.
fn uses_have_breakdowns(subject: &Subject<'_>) -> Holds {
    let document = subject.document;
    let uses = subject.facts.uses(subject.code());
    let is_of = |tax: &Node<'_>| tax.has_text("CategoryCode", subject.code());
    let of_detail = |tax: &Node<'_>| {
        let line = tax.up().and_then(Node::up);
        is_of(tax) && line.is_some_and(is_detail)
    };
    let mut details = document.anywhere("SpecifiedLineTradeSettlement/ApplicableTradeTax");
    let is_used = uses.allowances > 0
        || document.anywhere("AppliedTradeTax").any(|tax| is_of(&tax))
        || details.any(|tax| of_detail(&tax));
    Ok((uses.breakdowns > 0) == is_used)
}

/// The basis is at most 1 above the sum of what has the category, and less than 1 below it, as the official condition has it.
fn sum_is_near(subject: &Subject<'_>) -> Holds {
    let Some(basis) = breakdown_of(subject).only("BasisAmount")? else {
        return Ok(false);
    };
    let basis = basis.double()?;
    let total = total_of_category(subject)?;
    Ok(double::add(basis, -1.0) <= total && double::add(basis, 1.0) > total)
}

fn total_of_category(subject: &Subject<'_>) -> Result<f64, Abort> {
    let sums = subject.document.category_sums();
    let total = sums.of_category(subject.code(), None, false)?;
    Ok(total.without_logistics()?.to_double())
}

fn sum_is_exact(subject: &Subject<'_>) -> Holds {
    let bases = breakdown_of(subject).all("BasisAmount");
    Ok(!bases.is_empty() && any_same(&bases, total_of_category(subject)?)?)
}

/// The basis is the sum of what has the category and its rate.
fn sum_of_rate(subject: &Subject<'_>) -> Holds {
    let tax = breakdown_of(subject);
    let bases = tax.all("BasisAmount");
    for rate in tax.all(RATE) {
        let rate = decimal(rate)?;
        if bases.is_empty() {
            return Ok(false);
        }
        let sums = subject.document.category_sums();
        let total = sums.of_category(subject.code(), Some(rate), false)?;
        total.count()?;
        if !any_same(&bases, total.without_logistics()?.to_double())? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The tax is less than 1 away from basis times rate.
fn tax_of_rate(subject: &Subject<'_>) -> Holds {
    let tax = breakdown_of(subject);
    let calculated = tax.decimal("CalculatedAmount")?;
    let (Some(calculated), Some(basis)) = (calculated, tax.decimal("BasisAmount")?) else {
        return Ok(false);
    };
    let Some(rate) = tax.only(RATE)? else {
        return Ok(false);
    };
    let expected = double::tax(basis.abs().to_double(), rate.double()?);
    let above = calculated.abs().plus(Decimal::new(1, 0))?.to_double();
    let below = calculated.abs().minus(Decimal::new(1, 0))?.to_double();
    Ok(below < expected && above > expected)
}

/// The same with a cent for every amount that the breakdown sums.
fn tolerant_tax_of_rate(subject: &Subject<'_>) -> Holds {
    let tax = subject.node;
    let (Some(rate), Some(basis)) = (tax.decimal(RATE)?, tax.decimal("BasisAmount")?) else {
        return Ok(false);
    };
    let Some(calculated) = tax.decimal("CalculatedAmount")? else {
        return Ok(false);
    };
    let expected = basis.times(rate.percent())?.round(2);
    for reason in [true, false] {
        if let Some(part) = BreakdownPart::of(tax, true, reason)? {
            let sums = subject.document.category_sums();
            let amounts = sums.of_part(subject.code(), &part, true)?.count()?;
            if is_near(calculated, expected, amounts)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Whether the basis of a breakdown is the sum.
fn is_basis(tax: Node<'_>, total: CategoryTotal) -> Holds {
    let Some(basis) = tax.decimal("BasisAmount")? else {
        return Ok(false);
    };
    let (sum, count) = total.with_logistics()?;
    is_near(basis, sum, count)
}

/// What belongs to a breakdown; `None` if its rate is missing. Only EXTENDED has lines that are not ordinary.
fn total_of(
    subject: &Subject<'_>,
    code: &'static str,
    reason: bool,
) -> Result<Option<CategoryTotal>, Abort> {
    let Some(part) = BreakdownPart::of(subject.node, subject.code() != "O", reason)? else {
        return Ok(None);
    };
    let profile = subject.node.guideline().and_then(|text| Profile::of(&text));
    let detail = profile == Some(Profile::Extended);
    let sums = subject.document.category_sums();
    sums.of_part(code, &part, detail).map(Some)
}

fn tolerant_sum(subject: &Subject<'_>, reason: bool) -> Holds {
    let total = total_of(subject, subject.code(), reason)?;
    total.map_or(Ok(false), |total| is_basis(subject.node, total))
}

fn tolerant_sum_before_reasons(subject: &Subject<'_>) -> Holds {
    // The official condition sums the charges of category S too, without use.
    if let Some(total) = total_of(subject, "S", true)? {
        total.check_charges()?;
    }
    tolerant_sum(subject, false)
}
