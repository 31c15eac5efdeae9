//! Rules on allowances and charges.

use super::document::Document;
use super::rule::Place::Some as Those;
use super::rule::{Group, table, two_decimals};
use super::values::Verdict;
use crate::node::Node;

const HEADER: &str =
    "ApplicableHeaderTradeSettlement/SpecifiedTradeAllowanceCharge/ChargeIndicator";
const LINE: &str = "SpecifiedLineTradeSettlement/SpecifiedTradeAllowanceCharge/ChargeIndicator";

/// The rules look at the indicator of an allowance or charge and at what is beside it.
pub(super) static ALLOWANCES: &[Group] = table! {
    Those(HEADER, allowance) {
        "BR-31" Holds(has_amount);
        "BR-32" Holds(has_category);
        "BR-33" Holds(has_reason);
        "BR-CO-21" Holds(has_reason);
        "BR-DEC-01" Holds(amount_decimals);
        "BR-DEC-02" Holds(basis_decimals);
    }
    Those(HEADER, charge) {
        "BR-36" Holds(has_amount);
        "BR-37" Holds(has_category);
        "BR-38" Holds(has_reason);
        "BR-FXEXT-BR-38" Holds(has_reason);
        "BR-CO-22" Holds(has_reason);
        "BR-DEC-05" Holds(amount_decimals);
        "BR-DEC-06" Holds(basis_decimals);
    }
    Those(LINE, allowance) {
        "BR-41" Holds(has_amount);
        "BR-42" Holds(has_reason);
        "BR-CO-23" Holds(has_reason);
        "BR-DEC-24" Holds(amount_decimals);
        "BR-DEC-25" Holds(basis_decimals);
    }
    Those(LINE, charge) {
        "BR-43" Holds(has_amount);
        "BR-44" Holds(has_reason);
        "BR-FXEXT-BR-44" Holds(has_reason);
        "BR-CO-24" Holds(has_reason);
        "BR-DEC-27" Holds(amount_decimals);
        "BR-DEC-28" Holds(basis_decimals);
    }
};

fn allowance(_: &Document<'_>, indicator: Node<'_>) -> Verdict {
    Ok(indicator.has_text("udt:Indicator", "false"))
}

fn charge(_: &Document<'_>, indicator: Node<'_>) -> Verdict {
    Ok(indicator.has_text("udt:Indicator", "true"))
}

fn beside<'a>(element: Node<'a>, path: &str) -> Vec<Node<'a>> {
    element
        .up()
        .map(|parent| parent.all(path))
        .unwrap_or_default()
}

fn has_amount(_: &Document<'_>, indicator: Node<'_>) -> Verdict {
    Ok(!beside(indicator, "ActualAmount").is_empty())
}

fn has_reason(_: &Document<'_>, indicator: Node<'_>) -> Verdict {
    Ok(indicator
        .up()
        .is_some_and(|parent| parent.has("Reason") || parent.has("ReasonCode")))
}

fn has_category(_: &Document<'_>, indicator: Node<'_>) -> Verdict {
    indicator.up().map_or(Ok(false), |parent| {
        parent.has_vat_category("CategoryTradeTax")
    })
}

/// Only the first amount counts.
fn amount_decimals(_: &Document<'_>, indicator: Node<'_>) -> Verdict {
    two_decimals(beside(indicator, "ActualAmount").first().copied())
}

fn basis_decimals(_: &Document<'_>, indicator: Node<'_>) -> Verdict {
    two_decimals(
        indicator
            .up()
            .map_or(Ok(None), |parent| parent.only("BasisAmount"))?,
    )
}
