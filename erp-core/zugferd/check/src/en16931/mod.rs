//! The business rules of EN 16931 for CII, as the official validation artefacts judge them.

mod amounts;
mod codes;
mod conditions;
mod decimals;
mod grand_total;
mod model;
mod presence;
mod sums;
mod syntax;
mod vat;

use super::rule_set::RuleSet;

pub(super) use codes::{is_party_scheme, is_registration_scheme};

pub(super) static RULES: RuleSet = RuleSet::new(
    "EN 16931 CII 1.3.16",
    &[model::CONTEXTS, syntax::CONTEXTS, codes::CONTEXTS],
);
