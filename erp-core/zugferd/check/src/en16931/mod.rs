//! The business rules of EN 16931, as the official validation artefacts judge them: for CII here, for UBL in `ubl`. Both
//! share the conditions, which read the invoice by the paths of its `Syntax`.

pub(super) mod amounts;
mod codes;
pub(super) mod conditions;
mod grand_total;
pub(super) mod sums;
pub(super) mod syntax;
pub(super) mod ubl;
pub(super) mod vat;

use crate::engine::rule_set::RuleSet;
use crate::engine::table::Functions;

pub(super) use codes::{is_party_scheme, is_registration_scheme};

static MODEL: &str = include_str!("model.txt");
static CODES: &str = include_str!("codes.txt");

pub(super) static RULES: RuleSet = RuleSet::new(
    "EN 16931 CII 1.3.16",
    &[MODEL, include_str!("syntax.txt"), CODES],
    &FUNCTIONS,
    None,
);

const FUNCTIONS: [Functions; 11] = [
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
];
