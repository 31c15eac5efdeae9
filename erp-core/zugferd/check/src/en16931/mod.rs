//! The business rules of EN 16931 for CII, as the official validation artefacts judge them.

pub(super) mod amounts;
mod codes;
pub(super) mod conditions;
mod grand_total;
pub(super) mod sums;
pub(super) mod syntax;
mod vat;

use crate::engine::rule_set::RuleSet;

pub(super) use codes::{is_party_scheme, is_registration_scheme};

pub(super) static RULES: RuleSet = RuleSet::new(
    "EN 16931 CII 1.3.16",
    &[
        include_str!("model.txt"),
        include_str!("syntax.txt"),
        include_str!("codes.txt"),
    ],
    &[
        amounts::FUNCTIONS,
        codes::FUNCTIONS,
        conditions::FUNCTIONS,
        grand_total::FUNCTIONS,
        sums::FUNCTIONS,
        syntax::FUNCTIONS,
        vat::FUNCTIONS,
        vat::amounts::FUNCTIONS,
        vat::breakdowns::FUNCTIONS,
        vat::invoice::FUNCTIONS,
        vat::uses::FUNCTIONS,
    ],
    None,
);
