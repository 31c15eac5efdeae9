//! Requirements of a VAT category where it is used, on lines, allowances and charges: identifiers of the parties and a
//! rate.

use crate::engine::rule::{Holds, Subject};
use crate::engine::table::{Functions, functions};

pub(crate) static FUNCTIONS: Functions = functions! {
    Is:
        seller_is_identified, both_are_identified, seller_is_identified_for_vat, both_are_identified_for_vat,
        no_party_is_identified_for_vat, has_rate_above_zero, has_rate_of_zero, has_rate_not_below_zero;
};

fn seller_is_identified(subject: &Subject<'_>) -> Holds {
    Ok(subject.facts.header_ids.identify_seller())
}

fn both_are_identified(subject: &Subject<'_>) -> Holds {
    let ids = subject.facts.ids;
    Ok(ids.identify_seller() && (ids.buyer_vat || ids.buyer_legal))
}

fn seller_is_identified_for_vat(subject: &Subject<'_>) -> Holds {
    Ok(subject.facts.ids.identify_seller_for_vat())
}

fn both_are_identified_for_vat(subject: &Subject<'_>) -> Holds {
    let ids = subject.facts.ids;
    Ok(ids.identify_seller_for_vat() && ids.buyer_vat)
}

fn no_party_is_identified_for_vat(subject: &Subject<'_>) -> Holds {
    let ids = subject.facts.header_ids;
    Ok(!ids.identify_seller_for_vat() && !ids.buyer_vat)
}

const RATE: &str = "RateApplicablePercent";

fn has_rate_above_zero(subject: &Subject<'_>) -> Holds {
    subject.node.any_double(RATE, |rate| rate > 0.0)
}

fn has_rate_of_zero(subject: &Subject<'_>) -> Holds {
    subject.node.any_double(RATE, |rate| rate == 0.0)
}

fn has_rate_not_below_zero(subject: &Subject<'_>) -> Holds {
    subject.node.any_double(RATE, |rate| rate >= 0.0)
}
