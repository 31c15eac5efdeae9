//! The business rules of EN 16931, as the official validation artefacts judge them: for CII here, for UBL in `ubl`. Both
//! share the conditions, which read the invoice by the paths of its `Syntax`.

pub(super) mod conditions;
pub(super) mod sums;
pub(super) mod syntax;
pub(super) mod ubl;
pub(super) mod vat;

use crate::engine::{Functions, RuleSet};

pub(super) use conditions::{is_party_scheme, is_registration_scheme};

static MODEL: &str = include_str!("model.txt");
static CODES: &str = include_str!("codes.txt");

pub(super) static RULES: RuleSet = RuleSet::new(
    "EN 16931 CII 1.3.16",
    &[MODEL, include_str!("syntax.txt"), CODES],
    &FUNCTIONS,
    None,
);

const FUNCTIONS: [Functions; 5] = [
    conditions::FUNCTIONS,
    sums::FUNCTIONS,
    syntax::FUNCTIONS,
    vat::FUNCTIONS,
    vat::amounts::FUNCTIONS,
];
