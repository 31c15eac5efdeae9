//! Which rules an invoice must keep, by its guideline.

use super::en16931;
use super::node::Node;
use super::rule::RuleSet;
use super::values::is_blank;

/// The guideline (BT-24) without white space around it.
pub(super) fn guideline(root: Node<'_>) -> Option<String> {
    let id = "rsm:ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID";
    let text = root.first(id)?.text();
    (!is_blank(&text)).then(|| text.trim().to_owned())
}

static EN_16931: [&RuleSet; 1] = [&en16931::RULES];

/// The rule sets of a guideline, in the order in which they are judged.
pub(super) const fn rule_sets(_guideline: Option<&str>) -> &'static [&'static RuleSet] {
    &EN_16931
}
