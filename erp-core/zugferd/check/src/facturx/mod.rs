//! The profiles of Factur-X and ZUGFeRD: MINIMUM, BASIC WL, BASIC, EN 16931 and EXTENDED in release 1.09.
//!
//! ```text
//! structure   which elements and attributes a profile has, how often, with which codes (structure.txt)
//! names       which business rules a profile has and under which id (names.txt)
//! rules.txt   the business rules, with the conditions in
//!   header, parties, payment, lines, totals, and extended, tolerant_totals for what only EXTENDED has
//! vat         the rules of each VAT category, over sums
//! ```
//!
//! Unlike in the rules of EN 16931 every context is judged for itself: no rule hides another. BASIC and MINIMUM have
//! the rules of the standard under own numbers.

mod breach;
mod codes;
mod extended;
mod header;
mod kinds;
mod lines;
mod names;
mod parties;
mod payment;
mod sentences;
mod structure;
mod sums;
#[cfg(test)]
mod tests;
mod tolerant_totals;
mod totals;
mod values;
mod vat;
mod vat_sums;

use breach::{Breach, Fault};
use structure::Check;
use sums::Sums;
use vat::Vat;

use super::en16931::{amounts, conditions, sums as totals_of_the_standard, syntax};
use super::findings::Findings;
use super::report::Severity;
use crate::engine::judge_set;
use crate::engine::rule::{Holds, numbered};
use crate::engine::rule_set::{InProfile, RuleSet};
use crate::engine::table::Functions;
use crate::invoice::document::Document;
use crate::invoice::node::Node;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Profile {
    Minimum,
    BasicWithoutLines,
    Basic,
    En16931,
    Extended,
}

impl Profile {
    /// The profile of exactly this guideline.
    pub(super) fn of(guideline: &str) -> Option<Self> {
        Some(match guideline {
            "urn:factur-x.eu:1p0:minimum" => Self::Minimum,
            "urn:factur-x.eu:1p0:basicwl" => Self::BasicWithoutLines,
            "urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic" => Self::Basic,
            "urn:cen.eu:en16931:2017" => Self::En16931,
            "urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended" => Self::Extended,
            _ => return None,
        })
    }

    /// What it is called in the tables.
    const fn letter(self) -> char {
        match self {
            Self::Minimum => 'M',
            Self::BasicWithoutLines => 'W',
            Self::Basic => 'B',
            Self::En16931 => 'E',
            Self::Extended => 'X',
        }
    }

    /// Whether lines may be inside other lines.
    const fn has_sub_lines(self) -> bool {
        matches!(self, Self::Extended)
    }
}

/// The rules with their release, as they are reported.
pub(super) const NAME: &str = "Factur-X 1.09";

static TEXTS: [&str; 1] = [include_str!("rules.txt")];

/// Of EN 16931 the conditions that are the same.
static FUNCTIONS: [Functions; 11] = [
    header::FUNCTIONS,
    parties::FUNCTIONS,
    payment::FUNCTIONS,
    lines::FUNCTIONS,
    totals::FUNCTIONS,
    extended::FUNCTIONS,
    tolerant_totals::FUNCTIONS,
    amounts::FUNCTIONS,
    conditions::FUNCTIONS,
    totals_of_the_standard::FUNCTIONS,
    syntax::FUNCTIONS,
];

const fn rules(profile: InProfile) -> RuleSet {
    RuleSet::new(NAME, &TEXTS, &FUNCTIONS, Some(profile))
}

impl Profile {
    pub(super) fn rules(self) -> &'static RuleSet {
        static MINIMUM: RuleSet = rules(|name| names::find(name, Profile::Minimum));
        static BASIC_WITHOUT_LINES: RuleSet =
            rules(|name| names::find(name, Profile::BasicWithoutLines));
        static BASIC: RuleSet = rules(|name| names::find(name, Profile::Basic));
        static EN_16931: RuleSet = rules(|name| names::find(name, Profile::En16931));
        static EXTENDED: RuleSet = rules(|name| names::find(name, Profile::Extended));
        match self {
            Self::Minimum => &MINIMUM,
            Self::BasicWithoutLines => &BASIC_WITHOUT_LINES,
            Self::Basic => &BASIC,
            Self::En16931 => &EN_16931,
            Self::Extended => &EXTENDED,
        }
    }
}

/// Judges the rules of a profile.
struct Found<'f, 'a> {
    profile: Profile,
    document: &'a Document<'a>,
    findings: &'f mut Findings<'a>,
}

impl<'a> Found<'_, 'a> {
    fn push(&mut self, severity: Severity, node: Node<'a>, fault: Fault) {
        let document = self.document;
        let breach = Breach {
            node,
            document,
            fault,
        };
        self.findings
            .push_described(severity, node, || breach.describe());
    }

    fn structure(&mut self, check: Check, number: u32, kind: bool, node: Node<'a>) {
        let fault = Fault::Structure {
            check,
            number,
            kind,
        };
        self.push(Severity::Fatal, node, fault);
    }

    /// Judges a business rule at an element, if the profile has it.
    fn business(&mut self, name: &str, node: Node<'a>, verdict: &dyn Fn() -> Holds) {
        let Some((number, severity)) = names::find(name, self.profile) else {
            return;
        };
        let name = name.to_owned();
        let id = number.map_or_else(|| name.clone(), numbered);
        match verdict() {
            Ok(true) => {}
            Ok(false) => self.push(severity, node, Fault::Business { name, id }),
            Err(abort) => self.push(Severity::Fatal, node, Fault::Undecided { id, abort }),
        }
    }
}

pub(super) fn judge<'a>(document: &'a Document<'a>, profile: Profile, findings: &mut Findings<'a>) {
    let mut found = Found {
        profile,
        document,
        findings,
    };
    structure::run(document.root, profile, &mut found);
    judge_set(document, profile.rules(), |rule, subject, verdict| {
        let (name, id) = (rule.id.to_owned(), rule.id_of(None));
        match verdict {
            Ok(None) => {}
            Ok(Some(_)) => {
                found.push(rule.severity, subject.node, Fault::Business { name, id });
            }
            Err(abort) => {
                found.push(
                    Severity::Fatal,
                    subject.node,
                    Fault::Undecided { id, abort },
                );
            }
        }
    });
    group_sums(document, &mut found);
    Vat {
        document,
        sums: &Sums::gather(document),
        found: &mut found,
    }
    .run();
}

/// The condition does not depend on the line that it is reported at.
fn group_sums<'a>(document: &Document<'a>, found: &mut Found<'_, 'a>) {
    if names::find(extended::GROUP_SUMS, found.profile).is_none() {
        return;
    }
    let verdict = extended::group_sums(document);
    for line in document.anywhere("IncludedSupplyChainTradeLineItem") {
        found.business(extended::GROUP_SUMS, line, &|| verdict.clone());
    }
}
