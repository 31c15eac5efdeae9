//! The rule on the total with VAT.

use super::sums::{INVOICE_CURRENCY, differs};
use crate::check::abort::Abort;
use crate::check::decimal::Decimal;
use crate::check::node::Node;
use crate::check::rule::{Rule, Subject, Verdict, rules};

pub(super) const INVOICE: &[Rule] = rules! {
    fatal "BR-CO-15" "BT-112 BT-109 BT-110", Judge(grand_total)
        => "{BT-112} is {found}; the total without VAT plus VAT is {expected}."
        | "{BT-112} ist {found}; Betrag ohne Umsatzsteuer plus Umsatzsteuer ist {expected}.";
};

/// A total without VAT plus the only VAT total in the invoice currency; or the total without VAT alone, whatever
/// the VAT is.
fn grand_total(subject: &Subject<'_>) -> Verdict {
    let root = subject.node;
    let totals: Vec<_> = root
        .descendants()
        .filter(|node| node.is(SUMMATION_NAME))
        .collect();
    for currency in root.all(INVOICE_CURRENCY) {
        let failure = judge_grand_total(root, &totals, &currency.text())?;
        if failure.is_some() {
            return Ok(failure);
        }
    }
    Ok(None)
}

const SUMMATION_NAME: &str = "SpecifiedTradeSettlementHeaderMonetarySummation";

fn judge_grand_total(root: Node<'_>, totals: &[Node<'_>], currency: &str) -> Verdict {
    let mut counted = root.all(TAX_TOTALS);
    counted.retain(|total| total.attribute("currencyID") == Some(currency));
    let grand = decimals(totals, "GrandTotalAmount")?;
    let basis = decimals(totals, "TaxBasisTotalAmount")?;
    let mut expected = None;
    if counted.len() == 1 {
        let taxes = taxes(totals, currency)?;
        if let (Some(basis), Some(tax)) = (single(&basis)?, single(&taxes)?) {
            let sum = basis.plus(tax)?.round(2);
            if contains(&grand, sum)? {
                return Ok(None);
            }
            expected = Some(sum);
        }
    }
    for basis in &basis {
        if contains(&grand, *basis)? {
            return Ok(None);
        }
    }
    let expected = expected.or_else(|| basis.first().copied());
    differs(
        grand.first().map(|grand| grand.amount()),
        expected.map(Decimal::amount),
    )
}

const TAX_TOTALS: &str = "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/\
                          SpecifiedTradeSettlementHeaderMonetarySummation/TaxTotalAmount";

fn decimals(totals: &[Node<'_>], path: &str) -> Result<Vec<Decimal>, Abort> {
    let amounts = totals
        .iter()
        .filter_map(|total| total.first_decimal(path).transpose());
    amounts.collect()
}

/// The VAT total in a currency of each summation.
fn taxes(totals: &[Node<'_>], currency: &str) -> Result<Vec<Decimal>, Abort> {
    let mut taxes = Vec::new();
    for total in totals {
        let mut amounts = total.all("TaxTotalAmount");
        amounts.retain(|amount| amount.attribute("currencyID") == Some(currency));
        match amounts.as_slice() {
            [] => {}
            [amount] => taxes.push(Decimal::parse(&amount.text())?),
            _ => return Err(Abort::several("TaxTotalAmount")),
        }
    }
    Ok(taxes)
}

/// The only number, if there is one.
fn single(numbers: &[Decimal]) -> Result<Option<Decimal>, Abort> {
    match numbers {
        [] => Ok(None),
        [number] => Ok(Some(*number)),
        _ => Err(Abort::several(SUMMATION_NAME)),
    }
}

fn contains(numbers: &[Decimal], wanted: Decimal) -> Result<bool, Abort> {
    for number in numbers {
        if number.equals(wanted)? {
            return Ok(true);
        }
    }
    Ok(false)
}
