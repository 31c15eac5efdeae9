//! The amounts of VAT breakdowns against the lines, allowances and charges of their category.

use crate::en16931::sums::{ALLOWANCES, differs};
use crate::engine::rule::{Holds, Subject, Verdict};
use crate::engine::table::{Functions, functions};
use crate::invoice::abort::Abort;
use crate::invoice::decimal::Decimal;
use crate::invoice::double;
use crate::invoice::node::Node;

pub(crate) static FUNCTIONS: Functions = functions! {
    Judge:
        basis_is_near, basis_is_exact, basis_of_rate_is_exact, tax_is_zero, tax_is_near;
};

const RATE: &str = "RateApplicablePercent";

/// Which taxes are counted: a category and, for the standard rate, one rate.
#[derive(Clone, Copy)]
struct Counted {
    code: &'static str,
    rate: Option<Decimal>,
}

impl Counted {
    /// Whether the taxes at the path are of the category and the rate, though not one of them needs to be both.
    fn has(self, node: Node<'_>, taxes: &str) -> Holds {
        let taxes = node.all(taxes);
        if !taxes
            .iter()
            .any(|tax| tax.has_text("CategoryCode", self.code))
        {
            return Ok(false);
        }
        let Some(wanted) = self.rate else {
            return Ok(true);
        };
        for tax in taxes {
            if let Some(rate) = tax.decimal(RATE)?
                && rate.equals(wanted)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn lines(self, root: Node<'_>) -> Result<Decimal, Abort> {
        const LINES: &str = "rsm:SupplyChainTradeTransaction/IncludedSupplyChainTradeLineItem/\
                             SpecifiedLineTradeSettlement";
        let mut sum = Decimal::ZERO;
        for line in root.all(LINES) {
            if !self.has(line, "ApplicableTradeTax")? {
                continue;
            }
            for total in line.all("SpecifiedTradeSettlementLineMonetarySummation") {
                if let Some(amount) = total.decimal("LineTotalAmount")? {
                    sum = sum.plus(amount)?;
                }
            }
        }
        Ok(sum)
    }

    /// Whether the item is a charge or an allowance. Only for Z and O the indicator must be there.
    fn is_kind(self, item: Node<'_>, charge: bool) -> Holds {
        match self.code {
            "Z" | "O" => item.must_indicate(charge),
            _ => item.indicates(charge),
        }
    }

    /// The first amount of each allowance or charge. Logistics service charges are in no sum.
    fn allowances(self, root: Node<'_>, charge: bool) -> Result<Decimal, Abort> {
        let mut sum = Decimal::ZERO;
        for item in root.all(ALLOWANCES) {
            if !self.has(item, "CategoryTradeTax")? || !self.is_kind(item, charge)? {
                continue;
            }
            if let Some(amount) = item.first("ActualAmount") {
                sum = sum.plus(Decimal::parse(&amount.text())?)?;
            }
        }
        Ok(sum)
    }

    /// Lines plus charges minus allowances, each rounded alone.
    fn total(self, root: Node<'_>) -> Result<Decimal, Abort> {
        let lines = self.lines(root)?.round(2);
        let charges = self.allowances(root, true)?.round(2);
        let allowances = self.allowances(root, false)?.round(2);
        lines.plus(charges)?.minus(allowances)
    }
}

/// The breakdown: the subject or, where that is the code, the element around it.
pub(super) fn breakdown_of<'a>(subject: &Subject<'a>) -> Node<'a> {
    match subject.node.up() {
        Some(tax) if subject.node.is("CategoryCode") => tax,
        _ => subject.node,
    }
}

fn text(tax: Node<'_>, path: &str) -> Option<String> {
    tax.first(path).map(|amount| amount.text().into_owned())
}

/// Exactly the total, compared as double.
fn must_be_total(tax: Node<'_>, counted: Counted) -> Verdict {
    let total = counted.total(tax.root())?;
    let expected = total.to_double();
    if tax.any_double("BasisAmount", |basis| basis == expected)? {
        return Ok(None);
    }
    differs(text(tax, "BasisAmount"), Some(total.amount()))
}

/// Less than 1.00 from the total, as double; the rate does not count.
fn basis_is_near(subject: &Subject<'_>) -> Verdict {
    let tax = breakdown_of(subject);
    let basis = tax.only("BasisAmount")?;
    let basis = basis.map(Node::double).transpose()?;
    let counted = Counted {
        code: subject.code(),
        rate: None,
    };
    let total = counted.total(tax.root())?;
    if basis.is_some_and(|basis| double::is_within_one(basis, total.to_double())) {
        return Ok(None);
    }
    differs(text(tax, "BasisAmount"), Some(total.amount()))
}

fn basis_is_exact(subject: &Subject<'_>) -> Verdict {
    let counted = Counted {
        code: subject.code(),
        rate: None,
    };
    must_be_total(breakdown_of(subject), counted)
}

/// For each rate of the breakdown, which is one; without one the rule holds.
fn basis_of_rate_is_exact(subject: &Subject<'_>) -> Verdict {
    let tax = breakdown_of(subject);
    for rate in tax.all(RATE) {
        let counted = Counted {
            code: subject.code(),
            rate: Some(Decimal::parse(&rate.text())?),
        };
        let failure = must_be_total(tax, counted)?;
        if failure.is_some() {
            return Ok(failure);
        }
    }
    Ok(None)
}

fn tax_is_zero(subject: &Subject<'_>) -> Verdict {
    let tax = breakdown_of(subject);
    if tax.any_double("CalculatedAmount", |amount| amount == 0.0)? {
        return Ok(None);
    }
    differs(text(tax, "CalculatedAmount"), Some("0.00".to_owned()))
}

/// Less than 1.00 from the taxable amount times the rate, signs ignored; the product is in double, and rounded to
/// whole units before it is divided by 100.
fn tax_is_near(subject: &Subject<'_>) -> Verdict {
    let tax = breakdown_of(subject);
    let amount = tax.decimal("CalculatedAmount")?;
    let basis = tax.decimal("BasisAmount")?;
    let rate = tax.only(RATE)?.map(Node::double).transpose()?;
    let (Some(amount), Some(basis), Some(rate)) = (amount, basis, rate) else {
        return differs(amount.map(Decimal::amount), None);
    };
    let expected = double::tax(basis.abs().to_double(), rate);
    if double::is_within_one(amount.abs().to_double(), expected) {
        return Ok(None);
    }
    differs(Some(amount.amount()), double::display(expected))
}
