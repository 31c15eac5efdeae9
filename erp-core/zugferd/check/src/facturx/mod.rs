//! The profiles of Factur-X and ZUGFeRD: MINIMUM, BASIC WL, BASIC, EN 16931 and EXTENDED in release 1.09.
//!
//! ```text
//! structure   which elements and attributes a profile has, how often, with which codes (structure.txt)
//! names       which business rules a profile has and under which id (names.txt)
//!   header, parties, payment, lines, allowances, totals
//!   vat       the rules of each VAT category, over sums
//!   extended, tolerant_totals   what only EXTENDED has
//! ```
//!
//! Unlike in the rules of EN 16931 every context is judged for itself: no rule hides another. BASIC and MINIMUM have
//! the rules of the standard under own numbers.

mod allowances;
pub(super) mod breach;
mod codes;
mod document;
mod extended;
mod header;
mod kinds;
mod line_tree;
mod lines;
mod names;
mod parties;
mod payment;
mod rule;
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
use document::Document;
use rule::{Group, Place, Rule};
use structure::Check;
use sums::Sums;
use values::Verdict;

use super::facts::Facts;
use super::findings::Findings;
use super::node::Node;
use super::report::Severity;

/// A profile.
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

/// Judges the rules of a profile.
struct Found<'f, 'a> {
    profile: Profile,
    facts: &'a Facts,
    findings: &'f mut Findings<'a>,
}

impl<'a> Found<'_, 'a> {
    fn structure(&mut self, check: Check, number: u32, kind: bool, node: Node<'a>) {
        let fault = Fault::Structure {
            check,
            number,
            kind,
        };
        self.findings.push_breach(Breach {
            severity: Severity::Fatal,
            node,
            facts: self.facts,
            fault,
        });
    }

    /// Judges a business rule at an element, if the profile has it.
    fn business(&mut self, name: &str, node: Node<'a>, verdict: &dyn Fn() -> Verdict) {
        let Some((id, severity)) = names::find(name, self.profile) else {
            return;
        };
        let name = name.to_owned();
        let (severity, fault) = match verdict() {
            Ok(true) => return,
            Ok(false) => (severity, Fault::Business { name, id }),
            Err(abort) => (Severity::Fatal, Fault::Undecided { id, abort }),
        };
        self.findings.push_breach(Breach {
            severity,
            node,
            facts: self.facts,
            fault,
        });
    }
}

/// Judges an invoice by the rules of its profile.
pub(super) fn judge<'a>(
    root: Node<'a>,
    facts: &'a Facts,
    profile: Profile,
    findings: &mut Findings<'a>,
) {
    let mut found = Found {
        profile,
        facts,
        findings,
    };
    structure::run(root, profile, &mut found);
    let document = Document::new(root, facts);
    let tables = [
        header::DOCUMENT,
        header::REFERENCES,
        parties::PARTIES,
        payment::PAYMENT,
        lines::LINES,
        allowances::ALLOWANCES,
        totals::BREAKDOWNS,
        totals::TOTAL,
        extended::EXTENDED,
        tolerant_totals::TOLERANT_TOTALS,
    ];
    for rule in tables.into_iter().flatten().flat_map(Group::rules) {
        run(&rule, &document, &mut found);
    }
    group_sums(&document, &mut found);
    let sums = Sums::gather(&document, &vat::codes());
    vat::Vat {
        document: &document,
        sums: &sums,
        profile,
        found: &mut found,
    }
    .run();
}

fn run<'a>(rule: &Rule, document: &Document<'a>, found: &mut Found<'_, 'a>) {
    if names::find(rule.name, found.profile).is_none() {
        return;
    }
    let mut judge = |node: Node<'a>| {
        // What is judged after the work became too much is void.
        if !node.is_exhausted() {
            found.business(rule.name, node, &|| rule.test.holds(document, node));
        }
    };
    match rule.place {
        Place::Root => judge(document.root),
        Place::Path(path) => document.root.all(path).into_iter().for_each(judge),
        Place::Any(path) => document.anywhere(path).for_each(judge),
        Place::Everything => document.everything().for_each(judge),
        // A condition that cannot be judged does not hold.
        Place::Some(path, condition) => document
            .anywhere(path)
            .filter(|node| condition(document, *node).unwrap_or(false))
            .for_each(judge),
    }
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
