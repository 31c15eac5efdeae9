//! Rules on the use of VAT categories in the whole invoice: what lines, allowances and charges use has a breakdown.

use crate::engine::rule::{Holds, Subject};
use crate::engine::table::{Functions, functions};
use crate::invoice::facts::Uses;

pub(crate) static FUNCTIONS: Functions = functions! {
    Is:
        split_payment_is_italian, split_payment_is_alone;
    Is:
        has_breakdown_S = |subject| Ok(has_breakdown(subject.facts.uses("S"))),
        go_together_Z = |subject| Ok(go_together(subject.facts.uses("Z"))),
        go_together_E = |subject| Ok(go_together(subject.facts.uses("E"))),
        go_together_AE = |subject| Ok(go_together(subject.facts.uses("AE"))),
        go_together_K = |subject| Ok(go_together(subject.facts.uses("K"))),
        go_together_G = |subject| Ok(go_together(subject.facts.uses("G"))),
        are_outside_O = |subject| Ok(are_outside(subject.facts.uses("O"))),
        has_breakdown_L = |subject| Ok(has_breakdown(subject.facts.uses("L"))),
        has_breakdown_M = |subject| Ok(has_breakdown(subject.facts.uses("M")));
};

/// Counted as the official artefact does: two uses without a breakdown pass.
fn has_breakdown(uses: Uses) -> bool {
    let is_enough = |count: usize| count == 0 || count + uses.breakdowns >= 2;
    is_enough(uses.lines) && is_enough(uses.allowances)
}

/// No use and no breakdown, or uses and exactly one breakdown.
fn go_together(uses: Uses) -> bool {
    match uses.breakdowns {
        0 => uses.lines + uses.allowances == 0,
        1 => uses.lines + uses.allowances > 0,
        _ => false,
    }
}

/// As [`go_together`], but a use without a breakdown passes.
fn are_outside(uses: Uses) -> bool {
    uses.breakdowns == 0 || go_together(uses)
}

/// Every country of the document counts.
fn split_payment_is_italian(subject: &Subject<'_>) -> Holds {
    let facts = subject.facts;
    Ok(!(facts.has_split_payment && facts.has_country_other_than_italy))
}

/// Every category code of the document counts.
fn split_payment_is_alone(subject: &Subject<'_>) -> Holds {
    let facts = subject.facts;
    Ok(!(facts.has_split_payment && facts.has_standard_rate))
}
