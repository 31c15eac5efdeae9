//! The amounts of VAT breakdowns against the lines, allowances and charges of their category.

use std::cmp::Ordering;

use crate::en16931::sums::{differs, near_tax};
use crate::engine::{Functions, Holds, Subject, Verdict, functions};
use crate::invoice::abort::Abort;
use crate::invoice::decimal::Decimal;
use crate::invoice::document::{Document, Total};
use crate::invoice::double;
use crate::invoice::node::Node;
use crate::invoice::values::any;

pub(crate) static FUNCTIONS: Functions = functions! {
    Judge:
        tax_is_zero, tax_is_near,
        // The rate does not count.
        basis_is_near = |subject| judge_basis(subject, of_any_rate(subject), Near::One),
        basis_is_exact = |subject| judge_basis(subject, of_any_rate(subject), Near::Exact),
        basis_of_rate_is_exact = |subject| judge_rates(subject, Near::Exact),
        basis_of_rate_is_near = |subject| judge_rates(subject, Near::One);
};

/// Which taxes are counted: a category and, for the standard rate, one rate.
#[derive(Clone, Copy)]
struct CountedTaxes {
    code: &'static str,
    rate: Option<Decimal>,
}

impl CountedTaxes {
    /// Whether the taxes at the path are of the category and the rate, though not one of them needs to be both.
    fn has(self, node: Node<'_>, taxes: &str) -> Holds {
        let taxes = node.all(taxes);
        if !any(&taxes, |tax| tax.is_of_category(self.code))? {
            return Ok(false);
        }
        let Some(wanted) = self.rate else {
            return Ok(true);
        };
        any(taxes, |tax| match tax.decimal(tax.syntax().rate)? {
            Some(rate) => rate.equals(wanted),
            None => Ok(false),
        })
    }

    /// The lines of the category, and the sum of their amounts.
    fn lines(self, lines: Vec<Node<'_>>) -> Result<(usize, Decimal), Abort> {
        let (mut count, mut sum) = (0, Decimal::ZERO);
        for line in lines {
            let syntax = line.syntax();
            if !self.has(line, syntax.line_taxes)? {
                continue;
            }
            count += 1;
            let path = syntax.line_amount;
            let (around, amount) = path.rsplit_once('/').unwrap_or((".", path));
            for total in line.all(around) {
                if let Some(amount) = total.decimal(amount)? {
                    sum = sum.plus(amount)?;
                }
            }
        }
        Ok((count, sum))
    }

    /// Whether the item is a charge or an allowance. Only for Z and O of CII the indicator must be there.
    fn is_kind(self, item: Node<'_>, charge: bool) -> Holds {
        match self.code {
            "Z" | "O" if !item.syntax().is_ubl => item.must_indicate(charge),
            _ => item.indicates(charge),
        }
    }

    /// The sum of the allowances or charges of the category. Logistics service charges are in no sum.
    fn allowances(self, root: Node<'_>, charge: bool) -> Result<Decimal, Abort> {
        let syntax = root.syntax();
        let mut sum = Decimal::ZERO;
        for item in root.all(syntax.allowances) {
            if !self.has(item, syntax.allowance_taxes)? || !self.is_kind(item, charge)? {
                continue;
            }
            if let Some(amount) = item.amount(syntax.allowance_amount)? {
                sum = sum.plus(amount)?;
            }
        }
        Ok(sum)
    }

    /// Lines plus charges minus allowances, which CII rounds each alone. UBL has a total of each kind of lines where there is
    /// one: any, for S one of the rate, or an allowance or charge of it anywhere.
    fn total(self, document: &Document<'_>) -> Total {
        let (root, syntax) = (document.root, document.root.syntax());
        let plus = self.allowances(root, true)?;
        let minus = self.allowances(root, false)?;
        if !syntax.is_ubl {
            let (_, sum) = self.lines(root.all(syntax.line))?;
            let total = sum.round(2).plus(plus.round(2))?.minus(minus.round(2))?;
            return Ok(vec![total]);
        }
        let is_counted = |item| self.has(item, syntax.allowance_taxes);
        let has_allowance =
            self.code == "S" && any(document.anywhere(syntax.allowances), is_counted)?;
        let mut totals = Vec::new();
        for line in ["cac:InvoiceLine", "cac:CreditNoteLine"] {
            let (lines, sum) = self.lines(root.all(line))?;
            if lines > 0 || has_allowance || (self.code != "S" && root.has(line)) {
                totals.push(sum.plus(plus)?.minus(minus)?);
            }
        }
        Ok(totals)
    }
}

/// The breakdown: the subject or, where that is its category, the element around it.
pub(crate) fn breakdown_of<'a>(subject: &Subject<'a>) -> Node<'a> {
    let node = subject.node;
    match node.up() {
        Some(tax) if node.is("CategoryCode") || node.is("cac:TaxCategory") => tax,
        _ => node,
    }
}

/// Where the rate and the exemption of the breakdown are.
pub(super) fn tax_of<'a>(subject: &Subject<'a>) -> Node<'a> {
    if subject.node.syntax().is_ubl {
        subject.node
    } else {
        breakdown_of(subject)
    }
}

fn text(tax: Node<'_>, path: &str) -> Option<String> {
    tax.first(path).map(|amount| amount.text().into_owned())
}

/// How near the taxable amount must be to the total.
#[derive(Clone, Copy)]
enum Near {
    Exact,
    /// Less than 1.00 away, in double.
    One,
}

/// CII compares in double; UBL computes the bounds in double, and else in decimal.
fn judge_basis(subject: &Subject<'_>, counted: CountedTaxes, near: Near) -> Verdict {
    let breakdown = breakdown_of(subject);
    let syntax = breakdown.syntax();
    let path = syntax.breakdown_basis;
    let rate = counted.rate.map(|rate| rate.to_string());
    let of = format!("{} {}", counted.code, rate.unwrap_or_default());
    let mut total = Ok(Vec::new());
    let mut totals = subject.document.totals.borrow_mut();
    totals.change(of.into(), |known| {
        total.clone_from(known.get_or_insert_with(|| counted.total(subject.document)));
    });
    let totals = total?;
    let fits = |total: &Decimal| match (near, syntax.is_ubl) {
        (Near::Exact, false) => {
            let expected = total.to_double();
            breakdown.any_double(path, |basis| basis == expected)
        }
        (Near::One, false) => {
            let basis = breakdown.only(path)?.map(Node::double).transpose()?;
            Ok(basis.is_some_and(|basis| double::is_within_one(basis, total.to_double())))
        }
        (Near::Exact, true) => {
            let basis = breakdown.decimal(path)?;
            basis.map_or(Ok(false), |basis| basis.equals(*total))
        }
        (Near::One, true) => breakdown.only(path)?.map_or(Ok(false), |basis| {
            let (least, most) = double::bounds(basis.double()?)?;
            Ok(least.compare(*total)?.is_lt() && most.compare(*total)?.is_gt())
        }),
    };
    if any(&totals, fits)? {
        return Ok(None);
    }
    let total = totals.first().map(|total| total.amount());
    differs(text(breakdown, path), total)
}

fn of_any_rate(subject: &Subject<'_>) -> CountedTaxes {
    CountedTaxes {
        code: subject.code(),
        rate: None,
    }
}

/// For each rate of the breakdown, which is one; without one the rule holds.
fn judge_rates(subject: &Subject<'_>, near: Near) -> Verdict {
    let tax = tax_of(subject);
    for rate in tax.all(tax.syntax().rate) {
        let counted = CountedTaxes {
            code: subject.code(),
            rate: Some(Decimal::parse(&rate.text())?),
        };
        let failure = judge_basis(subject, counted, near)?;
        if failure.is_some() {
            return Ok(failure);
        }
    }
    Ok(None)
}

fn tax_is_zero(subject: &Subject<'_>) -> Verdict {
    let breakdown = breakdown_of(subject);
    let path = breakdown.syntax().breakdown_tax;
    let is_zero = if breakdown.syntax().is_ubl {
        breakdown.decimal(path)?.is_some_and(Decimal::is_zero)
    } else {
        breakdown.any_double(path, |amount| amount == 0.0)?
    };
    if is_zero {
        return Ok(None);
    }
    differs(text(breakdown, path), Some("0.00".to_owned()))
}

/// Less than 1.00 from the taxable amount times the rate, signs ignored. In CII the product is in double, and rounded
/// to whole units before it is divided by 100.
fn tax_is_near(subject: &Subject<'_>) -> Verdict {
    let (breakdown, tax) = (breakdown_of(subject), tax_of(subject));
    let syntax = breakdown.syntax();
    let amount = breakdown.decimal(syntax.breakdown_tax)?;
    let basis = breakdown.decimal(syntax.breakdown_basis)?;
    if syntax.is_ubl {
        return match tax.decimal(syntax.rate)? {
            Some(rate) => near_tax(amount, basis, rate, Ordering::Less),
            None => differs(amount.map(Decimal::amount), None),
        };
    }
    let rate = tax.only(syntax.rate)?.map(Node::double).transpose()?;
    let (Some(amount), Some(basis), Some(rate)) = (amount, basis, rate) else {
        return differs(amount.map(Decimal::amount), None);
    };
    let expected = double::tax(basis.abs().to_double(), rate);
    if double::is_within_one(amount.abs().to_double(), expected) {
        return Ok(None);
    }
    differs(Some(amount.amount()), double::display(expected))
}
