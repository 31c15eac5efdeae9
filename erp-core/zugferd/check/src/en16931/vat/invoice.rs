//! Rules on the use of VAT categories in the whole invoice: what lines, allowances and charges use has a breakdown.

use crate::engine::table::{Functions, functions};

pub(crate) static FUNCTIONS: Functions = functions! {
    Is:
        // Every country and every category code of the document counts.
        split_payment_is_italian = |subject| {
            Ok(!(subject.facts.has_split_payment && subject.facts.has_country_other_than_italy))
        },
        split_payment_is_alone = |subject| {
            Ok(!(subject.facts.has_split_payment && subject.facts.has_standard_rate))
        },
        has_breakdown_S = |subject| Ok(subject.facts.uses("S").has_breakdown()),
        go_together_Z = |subject| Ok(subject.facts.uses("Z").go_together()),
        go_together_E = |subject| Ok(subject.facts.uses("E").go_together()),
        go_together_AE = |subject| Ok(subject.facts.uses("AE").go_together()),
        go_together_K = |subject| Ok(subject.facts.uses("K").go_together()),
        go_together_G = |subject| Ok(subject.facts.uses("G").go_together()),
        are_outside_O = |subject| Ok(subject.facts.uses("O").are_outside()),
        has_breakdown_L = |subject| Ok(subject.facts.uses("L").has_breakdown()),
        has_breakdown_M = |subject| Ok(subject.facts.uses("M").has_breakdown());
};
