//! Requirements of a VAT category where it is used, on lines, allowances and charges: identifiers of the parties and a
//! rate.

use crate::engine::rule::{Holds, Subject};
use crate::engine::table::{Functions, functions};
use crate::invoice::decimal::Decimal;

pub(crate) static FUNCTIONS: Functions = functions! {
    Is:
        has_rate_of_zero,
        has_rate_not_below_zero = |subject| subject.node.any_double(subject.node.syntax().rate, |rate| rate >= 0.0),
        seller_is_identified = |subject| Ok(subject.facts.header_ids.identify_seller()),
        both_are_identified = |subject| Ok(subject.facts.ids.identify_both()),
        seller_is_identified_for_vat = |subject| Ok(subject.facts.ids.identify_seller_for_vat()),
        both_are_identified_for_vat = |subject| Ok(subject.facts.ids.identify_both_for_vat()),
        no_party_is_identified_for_vat = |subject| Ok(subject.facts.header_ids.identify_none_for_vat()),
        has_rate_above_zero = |subject| subject.node.any_double(subject.node.syntax().rate, |rate| rate > 0.0);
};

/// UBL reads a decimal.
fn has_rate_of_zero(subject: &Subject<'_>) -> Holds {
    let (node, syntax) = (subject.node, subject.node.syntax());
    if syntax.is_ubl {
        return Ok(node.decimal(syntax.rate)?.is_some_and(Decimal::is_zero));
    }
    node.any_double(syntax.rate, |rate| rate == 0.0)
}
