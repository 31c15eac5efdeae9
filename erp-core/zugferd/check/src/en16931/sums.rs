//! Rules on totals: the stated value must be the calculated one.

use crate::engine::{Functions, Subject, Values, Verdict, functions};
use crate::invoice::abort::{Abort, shorten};
use crate::invoice::decimal::{BLANKS, Decimal};
use crate::invoice::double;
use crate::invoice::node::Node;
use crate::invoice::syntax::Syntax;
use crate::invoice::texts::{TextMap, Texts};
use crate::invoice::values::any;
use std::cmp::Ordering::{self, Equal, Less};

pub(crate) static FUNCTIONS: Functions = functions! {
    Judge:
        line_total, tax_basis_total, amount_due, tax_total, calculated_tax, grand_total,
        allowance_total = |subject| judge_allowances(subject.node, false, subject.node.syntax().totals.allowances),
        charge_total = |subject| judge_allowances(subject.node, true, subject.node.syntax().totals.charges);
};

/// The failure of a total that is missing or another than the expected one.
pub(super) fn differs(found: Option<String>, expected: Option<String>) -> Verdict {
    Ok(Some(Values {
        found: found.map(|found| shorten(found.trim())).unwrap_or_default(),
        expected: expected.unwrap_or_default(),
    }))
}

/// A sum as the syntax computes it.
enum Sum {
    /// CII: in double, in the order of the document.
    Double(f64),
    /// UBL: exact.
    Decimal(Decimal),
}

impl Sum {
    fn of<'a>(syntax: &Syntax, nodes: impl IntoIterator<Item = Node<'a>>) -> Result<Self, Abort> {
        let mut sum = if syntax.is_ubl {
            Self::Decimal(Decimal::ZERO)
        } else {
            Self::Double(0.0)
        };
        for node in nodes {
            sum = match sum {
                Self::Double(sum) => Self::Double(double::add(sum, node.double()?)),
                Self::Decimal(sum) => Self::Decimal(sum.plus(Decimal::parse(&node.text())?)?),
            };
        }
        Ok(sum)
    }

    /// The exact value rounded to cents.
    fn in_cents(&self) -> Result<Decimal, Abort> {
        match *self {
            Self::Double(sum) => double::to_cents(sum),
            Self::Decimal(sum) => Ok(sum.round(2)),
        }
    }

    /// Whether the stated amount is the sum in cents, which CII rounds and compares in double.
    fn is(&self, stated: Node<'_>) -> Result<bool, Abort> {
        match *self {
            Self::Double(sum) => Ok(stated.double()? == double::round_to_cents(sum)),
            Self::Decimal(sum) => Decimal::parse(&stated.text())?.equals(sum.round(2)),
        }
    }

    fn display(&self) -> Option<String> {
        match *self {
            Self::Double(sum) => double::display(double::round_to_cents(sum)),
            Self::Decimal(sum) => Some(sum.round(2).amount()),
        }
    }
}

/// The exact value of the sum is rounded. What is stated is not rounded, so three decimal places never match.
fn line_total(subject: &Subject<'_>) -> Verdict {
    const LINES: &str = "../../IncludedSupplyChainTradeLineItem/SpecifiedLineTradeSettlement/\
                         SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount";
    let (totals, syntax) = (subject.node, subject.node.syntax());
    let Some(stated) = totals.decimal(syntax.totals.lines)? else {
        return differs(None, None);
    };
    let lines = if syntax.is_ubl {
        subject.document.line_amounts()?
    } else {
        totals.all(LINES)
    };
    let expected = Sum::of(syntax, lines)?.in_cents()?;
    if stated.equals(expected)? {
        return Ok(None);
    }
    differs(Some(stated.amount()), Some(expected.amount()))
}

/// Without any allowance or charge, the total may be missing.
fn judge_allowances(totals: Node<'_>, charge: bool, total: &str) -> Verdict {
    let syntax = totals.syntax();
    let all = totals.root().all(syntax.allowances);
    let has_some = any(&all, |item| item.indicates(charge))?;
    let stated = totals.all(total);
    if stated.is_empty() && !has_some {
        return Ok(None);
    }
    let mut amounts = Vec::new();
    for item in all {
        if item.indicates(charge)? {
            amounts.extend(item.amount_node(syntax.allowance_amount)?);
        }
    }
    if syntax.is_ubl {
        totals.only(total)?;
    }
    let expected = Sum::of(syntax, amounts)?;
    if any(&stated, |total| expected.is(*total))? {
        return Ok(None);
    }
    let found = stated.first().map(|total| total.text().into_owned());
    differs(found, expected.display())
}

/// A missing allowance or charge total does not count. UBL does not round where both are missing.
fn tax_basis_total(subject: &Subject<'_>) -> Verdict {
    let (node, syntax) = (subject.node, subject.node.syntax());
    let stated = node.amount(syntax.totals.basis)?;
    let lines = node.amount(syntax.totals.lines)?;
    let allowances = node.amount(syntax.totals.allowances)?;
    let charges = node.amount(syntax.totals.charges)?;
    let Some(lines) = lines else {
        return differs(stated.map(Decimal::amount), None);
    };
    let is_exact = syntax.is_ubl && allowances.is_none() && charges.is_none();
    let (less, more) = (allowances.unwrap_or_default(), charges.unwrap_or_default());
    let mut expected = lines.minus(less)?.plus(more)?;
    if !is_exact {
        expected = expected.round(2);
    }
    match stated {
        Some(stated) if stated.equals(expected)? => Ok(None),
        stated => differs(stated.map(Decimal::amount), Some(expected.amount())),
    }
}

/// CII does not round; UBL rounds the difference on each side where there is one.
fn amount_due(subject: &Subject<'_>) -> Verdict {
    let (node, syntax) = (subject.node, subject.node.syntax());
    let stated = node.amount(syntax.totals.due)?;
    let total = node.amount(syntax.totals.grand)?;
    let paid = node.amount(syntax.totals.paid)?;
    let rounding = node.amount(syntax.totals.rounding)?;
    let Some(total) = total else {
        return differs(stated.map(Decimal::amount), None);
    };
    let less = |amount: Decimal, other: Option<Decimal>| match other {
        Some(other) if syntax.is_ubl => Ok(amount.minus(other)?.round(2)),
        Some(other) => amount.minus(other),
        None => Ok(amount),
    };
    let unpaid = less(total, paid)?;
    match stated {
        Some(stated) if less(stated, rounding)?.equals(unpaid)? => Ok(None),
        stated => {
            let expected = unpaid.plus(rounding.unwrap_or_default())?;
            differs(stated.map(Decimal::amount), Some(expected.amount()))
        }
    }
}

/// In CII judged only for a VAT total in the invoice currency; in UBL for each that has breakdowns.
fn tax_total(subject: &Subject<'_>) -> Verdict {
    const TAXES: &str = "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/\
                         ApplicableTradeTax/CalculatedAmount";
    let (node, syntax) = (subject.node, subject.node.syntax());
    let (stated, taxes) = if syntax.is_ubl {
        let breakdowns = node.all("cac:TaxSubtotal");
        if breakdowns.is_empty() {
            return Ok(None);
        }
        let mut taxes = Vec::new();
        for breakdown in breakdowns {
            taxes.extend(breakdown.only(syntax.breakdown_tax)?);
        }
        (node.only("cbc:TaxAmount")?, taxes)
    } else {
        (Some(node), node.root().all(TAXES))
    };
    let expected = Sum::of(syntax, taxes)?;
    match stated {
        Some(stated) if expected.is(stated)? => Ok(None),
        stated => {
            let found = stated.map(|node| node.text().into_owned());
            differs(found, expected.display())
        }
    }
}

/// Within 1.00, which UBL excludes; signs ignored. A rate that rounds to 0, or none, needs a tax that rounds to 0.
fn calculated_tax(subject: &Subject<'_>) -> Verdict {
    let (breakdown, syntax) = (subject.node, subject.node.syntax());
    let rate = if syntax.is_ubl {
        rate_of_vat(breakdown)?
    } else {
        let type_code = breakdown.only_text("TypeCode")?;
        let is_vat = type_code.trim_matches(BLANKS).eq_ignore_ascii_case("VAT");
        let rate = is_vat.then(|| breakdown.decimal(syntax.rate));
        rate.transpose()?.flatten()
    };
    let tax = breakdown.decimal(syntax.breakdown_tax)?;
    let Some(rate) = rate.filter(|rate| !rate.round(0).is_zero()) else {
        return match tax {
            Some(tax) if tax.round(0).is_zero() => Ok(None),
            tax => differs(tax.map(Decimal::amount), Some(Decimal::ZERO.amount())),
        };
    };
    let basis = breakdown.decimal(syntax.breakdown_basis)?;
    near_tax(tax, basis, rate, if syntax.is_ubl { Less } else { Equal })
}

/// The rate of a breakdown of UBL; none where its tax is not VAT.
fn rate_of_vat(breakdown: Node<'_>) -> Result<Option<Decimal>, Abort> {
    let mut rate = None;
    for tax in breakdown.all("cac:TaxCategory") {
        if tax.is_vat()?
            && let Some(other) = tax.decimal("cbc:Percent")?
            && rate.replace(other).is_some()
        {
            return Err(Abort::several("cbc:Percent"));
        }
    }
    Ok(rate)
}

/// Whether the tax is up to 1.00 from the taxable amount times the rate, signs ignored: how the difference compares
/// to 1.00 at most.
pub(super) fn near_tax(
    tax: Option<Decimal>,
    basis: Option<Decimal>,
    rate: Decimal,
    most: Ordering,
) -> Verdict {
    let (Some(tax), Some(basis)) = (tax, basis) else {
        return differs(tax.map(Decimal::amount), None);
    };
    let expected = basis.abs().times(rate.percent())?.round(2);
    let difference = tax.abs().minus(expected)?.abs();
    if difference.compare(Decimal::new(1, 0))? <= most {
        return Ok(None);
    }
    differs(Some(tax.amount()), Some(expected.amount()))
}

/// The total without VAT plus the only VAT total in the invoice currency, or only the total without VAT, whatever the
/// VAT is.
fn grand_total(subject: &Subject<'_>) -> Verdict {
    let root = subject.node;
    if root.syntax().is_ubl {
        return grand_total_in_ubl(root);
    }
    let currencies = root.all(root.syntax().invoice_currency);
    if currencies.is_empty() {
        return Ok(None);
    }
    let totals = GrandTotals::gather(root)?;
    let mut judged = Texts::default();
    for currency in currencies {
        let currency = currency.text();
        if judged.contains(&currency) {
            continue;
        }
        let failure = totals.judge(&currency)?;
        if failure.is_some() {
            return Ok(failure);
        }
        judged.insert(currency);
    }
    Ok(None)
}

/// The total without VAT plus the VAT total in the invoice currency, of which there must be exactly one.
fn grand_total_in_ubl(root: Node<'_>) -> Verdict {
    let syntax = root.syntax();
    let summations = root.all("cac:LegalMonetaryTotal");
    for currency in root.texts(syntax.invoice_currency).iter() {
        let taxes = taxes_in(&root.all("cac:TaxTotal"), "cbc:TaxAmount", currency)?;
        let grand = decimals(&summations, syntax.totals.grand)?;
        let mut expected = None;
        if let [tax] = taxes.as_slice() {
            let basis = decimals(&summations, syntax.totals.basis)?;
            if let Some(basis) = single(&basis)? {
                let sum = basis.plus(*tax)?.round(2);
                if any(&grand, |grand| grand.equals(sum))? {
                    continue;
                }
                expected = Some(sum.amount());
            }
        }
        return differs(grand.first().map(|grand| grand.amount()), expected);
    }
    Ok(None)
}

const SUMMATION_NAME: &str = "SpecifiedTradeSettlementHeaderMonetarySummation";

struct GrandTotals<'a> {
    /// All summations, wherever they are.
    summations: Vec<Node<'a>>,
    /// How many VAT totals the header has in each currency.
    taxes: TextMap<'a, usize>,
    grand: Vec<Decimal>,
    basis: Vec<Decimal>,
    /// The totals with VAT as texts: equal numbers have equal texts.
    grand_texts: Texts<'static>,
    /// A total without VAT is one with VAT too.
    is_basis: bool,
}

impl<'a> GrandTotals<'a> {
    fn gather(root: Node<'a>) -> Result<Self, Abort> {
        let summations = root.descendants().filter(|node| node.is(SUMMATION_NAME));
        let summations: Vec<_> = summations.collect();
        let grand = decimals(&summations, "GrandTotalAmount")?;
        let basis = decimals(&summations, "TaxBasisTotalAmount")?;
        let mut taxes = TextMap::default();
        for tax in root.all(TAX_TOTALS) {
            if let Some(currency) = tax.attribute("currencyID") {
                taxes.change(currency.into(), |count| *count += 1);
            }
        }
        let mut grand_texts = Texts::default();
        for total in &grand {
            grand_texts.insert(total.to_string().into());
        }
        let is_grand = |basis: &Decimal| grand_texts.contains(&basis.to_string());
        let is_basis = basis.iter().any(is_grand);
        Ok(Self {
            summations,
            taxes,
            grand,
            basis,
            grand_texts,
            is_basis,
        })
    }

    fn judge(&self, currency: &str) -> Verdict {
        let mut expected = None;
        if self.taxes.get(currency) == Some(&1) {
            let taxes = taxes_in(&self.summations, "TaxTotalAmount", currency)?;
            if let (Some(basis), Some(tax)) = (single(&self.basis)?, single(&taxes)?) {
                let sum = basis.plus(tax)?.round(2);
                if self.grand_texts.contains(&sum.to_string()) {
                    return Ok(None);
                }
                expected = Some(sum);
            }
        }
        if self.is_basis {
            return Ok(None);
        }
        let expected = expected.or_else(|| self.basis.first().copied());
        let found = self.grand.first().map(|grand| grand.amount());
        differs(found, expected.map(Decimal::amount))
    }
}

const TAX_TOTALS: &str = "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/\
                          SpecifiedTradeSettlementHeaderMonetarySummation/TaxTotalAmount";

fn decimals(totals: &[Node<'_>], path: &str) -> Result<Vec<Decimal>, Abort> {
    let amounts = totals.iter().map(|total| total.amount(path));
    amounts.filter_map(Result::transpose).collect()
}

/// The VAT total in a currency of each summation.
fn taxes_in(totals: &[Node<'_>], path: &str, currency: &str) -> Result<Vec<Decimal>, Abort> {
    let mut taxes = Vec::new();
    for total in totals {
        let mut amounts = total.all(path);
        amounts.retain(|amount| amount.attribute("currencyID") == Some(currency));
        match amounts.as_slice() {
            [] => {}
            [amount] => taxes.push(Decimal::parse(&amount.text())?),
            _ => return Err(Abort::several(path)),
        }
    }
    Ok(taxes)
}

fn single(numbers: &[Decimal]) -> Result<Option<Decimal>, Abort> {
    match numbers {
        [] => Ok(None),
        [number] => Ok(Some(*number)),
        _ => Err(Abort::several(SUMMATION_NAME)),
    }
}
