//! Judges an invoice by the rules of its guideline.

use crate::engine::{RuleSet, judge_set};
use crate::facturx::{self, Profile};
use crate::findings::{Described, Findings, message};
use crate::invoice::document::Document;
use crate::invoice::facts::{EXTENSION, Facts, STANDARD, VEHICLES};
use crate::invoice::node::Node;
use crate::invoice::syntax::Syntax;
use crate::invoice::view::View;
use crate::limits::CheckLimits;
use crate::report::{Report, Severity, not_an_invoice};
use crate::structure::{self, Schema};
use crate::xml::Tree;
use crate::{en16931, xrechnung};

/// The report, and for each finding the number of its element.
pub(super) fn judge(tree: &Tree<'_>, limits: &CheckLimits) -> (Report, Vec<u32>) {
    let view = View::new(tree, limits);
    let root = Node::new(&view, tree.root());
    let is_invoice = ["rsm:CrossIndustryInvoice", "ubl:Invoice", "cn:CreditNote"];
    if !is_invoice.iter().any(|name| root.is(name)) {
        return (not_an_invoice(root.element()), vec![0]);
    }
    let profile = root.guideline();
    let judged = rules_of(profile.as_deref(), root.syntax());
    let facts = Facts::gather(root);
    let document = Document::new(root, &facts, judged.profile.is_some());
    let mut findings = Findings::new(&view, limits.findings);
    let structure = judged.structure.name();
    if let Some(guideline) = profile.as_deref().filter(|_| !judged.is_whole) {
        findings.push_described(Severity::Warning, root, || Described {
            id: "ERP-GUIDELINE".to_owned(),
            terms: "BT-24",
            texts: message::unknown_guideline(guideline, &judged.names()),
        });
    }
    findings.start(structure);
    structure::judge(root, judged.structure, &mut |fault| {
        findings.push_described(Severity::Fatal, fault.node, || fault.describe());
    });
    for set in judged.sets {
        findings.start(set.name);
        judge_set(&document, set, |rule, subject, verdict| match verdict {
            Ok(None) => {}
            Ok(Some(values)) => findings.push(rule, subject, values),
            Err(abort) => findings.push_abort(rule, subject, &abort),
        });
    }
    if let Some(profile) = judged.profile {
        findings.start(facturx::NAME);
        facturx::judge(&document, profile, &mut findings);
    }
    if view.is_exhausted() {
        findings.push_exhausted(limits.steps);
    }
    findings.into_report(profile, structure, judged.names())
}

static EN_16931: [&RuleSet; 1] = [&en16931::RULES];
static XRECHNUNG: [&RuleSet; 2] = [&en16931::RULES, &xrechnung::RULES];
static EN_16931_IN_UBL: [&RuleSet; 1] = [&en16931::ubl::RULES];
static XRECHNUNG_IN_UBL: [&RuleSet; 2] = [&en16931::ubl::RULES, &xrechnung::IN_UBL];

struct Judged {
    /// The rule sets, in the order in which they are judged.
    sets: &'static [&'static RuleSet],
    /// The profile of Factur-X, which is judged after them.
    profile: Option<Profile>,
    /// The schema, which is judged before them.
    structure: Schema,
    /// Whether these are all rules of the guideline.
    is_whole: bool,
}

impl Judged {
    /// The names of the rules with their releases.
    fn names(&self) -> Vec<&'static str> {
        let sets = self.sets.iter().map(|set| set.name);
        sets.chain(self.profile.map(|_| facturx::NAME)).collect()
    }
}

/// The rule sets of a guideline. Factur-X is CII only. MINIMUM and BASIC WL have less than EN 16931 requires and EXTENDED has more than it
/// allows, so only their own rules apply to them.
fn rules_of(guideline: Option<&str>, syntax: &Syntax) -> Judged {
    let (guideline, is_ubl) = (guideline.unwrap_or_default(), syntax.is_ubl);
    let profile = Profile::of(guideline);
    let is_whole = profile.is_some_and(|profile| !is_ubl || profile == Profile::En16931);
    let profile = profile.filter(|_| !is_ubl);
    let sets: &[_] = match (profile, is_ubl, xrechnung::is_guideline(guideline)) {
        (Some(Profile::Basic | Profile::En16931), ..) | (None, false, false) => &EN_16931,
        (Some(_), ..) => &[],
        (None, false, true) => &XRECHNUNG,
        (None, true, false) => &EN_16931_IN_UBL,
        (None, true, true) => &XRECHNUNG_IN_UBL,
    };
    Judged {
        sets,
        profile,
        structure: Schema::of(profile, is_ubl),
        is_whole: is_whole || [STANDARD, EXTENSION, VEHICLES].contains(&guideline),
    }
}
