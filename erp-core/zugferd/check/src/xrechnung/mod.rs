//! The rules of XRechnung 3.0, for CII and (list `ubl.txt`) for UBL, in addition to those of EN 16931: German ones (`BR-DE-…`), those taken from
//! Peppol, those of the extension and of vehicles bought by the public sector (CVD).

mod extension;
mod germany;
mod lines;
mod payment;
mod peppol;
mod ubl;
mod vehicles;

use crate::engine::{Functions, RuleSet, functions};

static FUNCTIONS: Functions = functions! {
    Is:
        is_extension = |subject| Ok(subject.facts.is_extension),
        is_of_vehicles = |subject| Ok(subject.facts.is_of_vehicles);
};

pub(super) static RULES: RuleSet = RuleSet::new("XRechnung 3.0.2 CII 2.5.0", &[LIST], &ALL, None);

pub(super) static IN_UBL: RuleSet = RuleSet::new(
    "XRechnung 3.0.2 UBL 2.5.0",
    &[include_str!("ubl.txt")],
    &ALL,
    None,
)
.with_sentences(&[LIST]);

static LIST: &str = include_str!("rules.txt");

static ALL: [Functions; 8] = [
    FUNCTIONS,
    extension::FUNCTIONS,
    germany::FUNCTIONS,
    lines::FUNCTIONS,
    payment::FUNCTIONS,
    peppol::FUNCTIONS,
    ubl::FUNCTIONS,
    vehicles::FUNCTIONS,
];

/// Whether XRechnung 3.0 judges invoices of this guideline.
pub(super) fn is_guideline(guideline: &str) -> bool {
    guideline.contains("xrechnung_3.0")
}
