//! What the breakdown of a VAT category must add up to.

use std::cmp::Ordering;

use super::sums::{Part, Sums};
use super::values::{any_same, any_to_zero, decimal, is_near};
use crate::engine::rule::Holds;
use crate::invoice::abort::Abort;
use crate::invoice::decimal::Decimal;
use crate::invoice::double;
use crate::invoice::node::Node;

/// The basis is the sum of what has the category: exactly for S (by rate) and O, less than 1 away for the others.
pub(super) fn sum(sums: &Sums, code: &'static str, tax: Node<'_>) -> Holds {
    let bases = tax.all("BasisAmount");
    match code {
        // The official condition looks for the rate in a place where it never is.
        "L" | "M" => Ok(true),
        "S" => {
            for rate in tax.all("RateApplicablePercent") {
                let rate = decimal(rate)?;
                if bases.is_empty() {
                    return Ok(false);
                }
                let total = sums.of_category("S", Some(rate), false)?;
                total.count()?;
                let total = total.without_logistics()?;
                if !any_same(&bases, total.to_double())? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        "O" if bases.is_empty() => Ok(false),
        "O" => {
            let total = sums.of_category("O", None, false)?.without_logistics()?;
            any_same(&bases, total.to_double())
        }
        code => {
            let basis = match bases.as_slice() {
                [] => return Ok(false),
                [basis] => basis.double()?,
                _ => return Err(Abort::several("BasisAmount")),
            };
            let total = sums
                .of_category(code, None, false)?
                .without_logistics()?
                .to_double();
            Ok(double::add(basis, -1.0) <= total && double::add(basis, 1.0) > total)
        }
    }
}

/// Nothing is due.
pub(super) fn no_tax(tax: Node<'_>) -> Holds {
    any_to_zero(&tax.all("CalculatedAmount"), Ordering::is_eq)
}

/// The tax of category S is less than 1 away from basis times rate.
pub(super) fn standard_tax(tax: Node<'_>) -> Holds {
    let number = |path| tax.decimal(path);
    let (Some(calculated), Some(basis)) = (number("CalculatedAmount")?, number("BasisAmount")?)
    else {
        return Ok(false);
    };
    let rate = match tax.all("RateApplicablePercent").as_slice() {
        [] => return Ok(false),
        [rate] => rate.double()?,
        _ => return Err(Abort::several("RateApplicablePercent")),
    };
    let expected = double::tax(basis.abs().to_double(), rate);
    let above = calculated.abs().plus(Decimal::new(1, 0))?.to_double();
    let below = calculated.abs().minus(Decimal::new(1, 0))?.to_double();
    Ok(below < expected && above > expected)
}

/// The same with a cent for every amount that the breakdown sums.
pub(super) fn tolerant_tax(sums: &Sums, code: &'static str, tax: Node<'_>) -> Holds {
    let number = |path| tax.decimal(path);
    let (Some(rate), Some(basis)) = (number("RateApplicablePercent")?, number("BasisAmount")?)
    else {
        return Ok(false);
    };
    let Some(calculated) = number("CalculatedAmount")? else {
        return Ok(false);
    };
    let expected = basis.times(rate.percent())?.round(2);
    for reason in [true, false] {
        if let Some(part) = Part::of(tax, true, reason)? {
            let amounts = sums.of_part(code, &part, true)?.count()?;
            if is_near(calculated, expected, amounts)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
