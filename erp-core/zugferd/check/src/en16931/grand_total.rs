//! The rule on the total with VAT.

use super::sums::differs;
use crate::engine::rule::{Subject, Verdict};
use crate::engine::table::{Functions, functions};
use crate::invoice::abort::Abort;
use crate::invoice::decimal::Decimal;
use crate::invoice::node::Node;
use crate::invoice::texts::{TextMap, Texts};
use crate::invoice::values::any;

pub(super) static FUNCTIONS: Functions = functions! {
    Judge:
        grand_total;
};

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
