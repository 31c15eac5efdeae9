//! Judges an invoice by the rules of its guideline.

use crate::engine::judge_set;
use crate::facturx;
use crate::findings::Findings;
use crate::invoice::document::Document;
use crate::invoice::facts::Facts;
use crate::invoice::node::Node;
use crate::invoice::view::View;
use crate::limits::CheckLimits;
use crate::report::{Report, Severity, not_an_invoice};
use crate::select::rules_of;
use crate::structure;
use crate::xml::Tree;

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
    let schema = judged.structure;
    let structure = schema.map_or(Report::NOT_CHECKED, |schema| schema.name());
    if let Some(schema) = schema {
        findings.start(structure);
        structure::judge(root, schema, &mut |fault| {
            findings.push_described(Severity::Fatal, fault.node, || fault.describe());
        });
    }
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
