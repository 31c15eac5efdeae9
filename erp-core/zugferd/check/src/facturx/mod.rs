//! The profiles of Factur-X and ZUGFeRD: MINIMUM, BASIC WL, BASIC, EN 16931 and EXTENDED in release 1.09.
//!
//! ```text
//! structure   which elements and attributes a profile has, how often, with which codes (structure.txt)
//! names       which business rules a profile has and under which id (names.txt)
//! rules.txt   the business rules, with the conditions in
//!   conditions, totals, vat, and extended, tolerant_totals for what only EXTENDED has
//! ```
//!
//! Unlike in the rules of EN 16931 every context is judged for itself: no rule hides another. BASIC and MINIMUM have
//! the rules of the standard under own numbers.

mod breach;
mod codes;
mod conditions;
mod extended;
mod kinds;
mod names;
mod sentences;
mod structure;
#[cfg(test)]
mod tests;
mod tolerant_totals;
mod totals;
mod values;
mod vat;

use breach::{Breach, ProfileFault};

use super::en16931;
use super::findings::Findings;
use super::report::Severity;
use crate::engine::{Functions, InProfile, RuleSet, judge_set};
use crate::invoice::document::Document;

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

/// The rules with their release, as they are reported.
pub(super) const NAME: &str = "Factur-X 1.09";

static TEXTS: [&str; 1] = [include_str!("rules.txt")];

/// Of EN 16931 the conditions that are the same.
static FUNCTIONS: [Functions; 9] = [
    conditions::FUNCTIONS,
    totals::FUNCTIONS,
    extended::FUNCTIONS,
    tolerant_totals::FUNCTIONS,
    vat::FUNCTIONS,
    en16931::conditions::FUNCTIONS,
    en16931::sums::FUNCTIONS,
    en16931::syntax::FUNCTIONS,
    en16931::vat::FUNCTIONS,
];

const fn rules(profile: InProfile) -> RuleSet {
    RuleSet::new(NAME, &TEXTS, &FUNCTIONS, Some(profile))
}

pub(super) fn judge<'a>(document: &'a Document<'a>, profile: Profile, findings: &mut Findings<'a>) {
    let mut push = |severity, node, fault| {
        let breach = Breach {
            node,
            document,
            fault,
        };
        findings.push_described(severity, node, || breach.describe());
    };
    structure::run(document, profile, &mut |node, check, number, kind| {
        let fault = ProfileFault::Structure {
            check,
            number,
            kind,
        };
        push(Severity::Fatal, node, fault);
    });
    judge_set(document, profile.rules(), |rule, subject, verdict| {
        let id = rule.id_of(subject.category);
        match verdict {
            Ok(None) => {}
            Ok(Some(_)) => {
                let name = rule.name_of(subject.category);
                let fault = ProfileFault::Business { name, id };
                push(rule.severity, subject.node, fault);
            }
            Err(abort) => {
                let fault = ProfileFault::Undecided { id, abort };
                push(Severity::Fatal, subject.node, fault);
            }
        }
    });
}
