//! Judges the rules at the elements of an invoice.

use super::context::{Context, Place};
use super::facts::Facts;
use super::facturx;
use super::findings::Findings;
use super::index::Index;
use super::limits::CheckLimits;
use super::node::Node;
use super::report::{Report, not_an_invoice};
use super::rule::{Rule, Subject, Test, Values, Verdict};
use super::rule_set::RuleSet;
use super::select::{guideline, rules_of};
use super::view::View;
use crate::xml::Tree;

pub(super) fn judge(tree: &Tree<'_>, limits: &CheckLimits) -> Report {
    let view = View::new(tree, limits.steps);
    let root = Node::new(&view, tree.root());
    if !root.is("rsm:CrossIndustryInvoice") {
        return not_an_invoice(root.element());
    }
    let profile = guideline(root);
    let judged = rules_of(profile.as_deref());
    let facts = Facts::gather(root);
    let mut findings = Findings::new(&view, limits.findings);
    for set in judged.sets {
        findings.start(set.name);
        judge_set(root, &facts, set, |rule, subject, verdict| match verdict {
            Ok(None) => {}
            Ok(Some(values)) => findings.push(rule, subject, values),
            Err(abort) => findings.push_abort(rule, subject, &abort),
        });
    }
    if let Some(profile) = judged.profile {
        findings.start(facturx::NAME);
        facturx::judge(root, &facts, profile, &mut findings);
    }
    if view.is_exhausted() {
        findings.push_exhausted(limits.steps);
    }
    findings.into_report(profile, judged.names())
}

/// Calls with every rule of a set at every element that it is for.
pub(super) fn judge_set<'a>(
    root: Node<'a>,
    facts: &'a Facts,
    set: &'static RuleSet,
    mut take: impl FnMut(&'static Rule, &Subject<'a>, Verdict),
) {
    for index in set.indices() {
        for node in std::iter::once(root).chain(root.descendants()) {
            if node.is_exhausted() {
                return;
            }
            judge_node(node, facts, index, &mut take);
        }
    }
}

fn judge_node<'a>(
    node: Node<'a>,
    facts: &'a Facts,
    index: &'static Index,
    take: &mut impl FnMut(&'static Rule, &Subject<'a>, Verdict),
) {
    let mut contexts = index.contexts(node.element().local());
    let taken = contexts.find_map(|ready| Some((ready, ready.context.takes(node, facts)?)));
    let Some((ready, subject)) = taken else {
        return;
    };
    for rule in &ready.rules {
        take(rule, &subject, rule.test.judge(&subject));
    }
}

impl Context {
    /// The subject, if this is a context of the node.
    fn takes<'a>(&self, node: Node<'a>, facts: &'a Facts) -> Option<Subject<'a>> {
        if !self.place.is_at(node) {
            return None;
        }
        let subject = Subject {
            node,
            facts,
            category: self.category,
        };
        let is_met = self.when.is_none_or(|when| when(&subject).unwrap_or(false));
        is_met.then_some(subject)
    }
}

impl Place {
    fn is_at(&self, node: Node<'_>) -> bool {
        match self {
            Self::Path(path) => is_path(node, path),
            Self::Paths(paths) => paths.iter().any(|path| is_path(node, path)),
            Self::Anywhere(path) => ends_with(node, path).is_some(),
            Self::Suffix(end) => node.element().local().ends_with(end) && node.is_ram(),
            Self::AnySuffix(end) => node.element().local().ends_with(end),
        }
    }
}

/// The element of the first step, if the path ends at the node.
pub(super) fn ends_with<'a>(node: Node<'a>, path: &[&str]) -> Option<Node<'a>> {
    let (last, above) = path.split_last()?;
    if !node.is(last) {
        return None;
    }
    match above {
        [] => Some(node),
        above => ends_with(node.up()?, above),
    }
}

fn is_path(node: Node<'_>, path: &[&str]) -> bool {
    ends_with(node, path).is_some_and(|first| first.up().is_none())
}

impl Test {
    pub(super) fn judge(&self, subject: &Subject<'_>) -> Verdict {
        let node = subject.node;
        match *self {
            Self::Absent(path) => Ok(fail_unless(!node.has(path))),
            Self::Present(path) => Ok(fail_unless(node.has(path))),
            Self::NotBlank(path) => node.is_filled(path).map(fail_unless),
            Self::Words(path) => Ok(fail_unless(node.has_words(path))),
            Self::NotBoth(one, other) => Ok(fail_unless(!(node.has(one) && node.has(other)))),
            Self::AtMostOnce(path) => Ok(judge_count(node.count(path), 0..=1)),
            Self::Once(path) => Ok(judge_count(node.count(path), 1..=1)),
            Self::Decimals(path) => node.only_text(path).map(|text| judge_decimals(&text)),
            Self::FirstDecimals(path) => Ok(node
                .first(path)
                .and_then(|first| judge_decimals(&first.text()))),
            Self::Code(list) => Ok(judge_code(&node.text(), list)),
            Self::AttributeCode(name, list) => {
                Ok(judge_code(node.attribute(name).unwrap_or_default(), list))
            }
            Self::Is(holds) => holds(subject).map(fail_unless),
            Self::Judge(judge) => judge(subject),
            Self::Always => Ok(None),
        }
    }
}

pub(super) fn fail_unless(holds: bool) -> Option<Values> {
    (!holds).then(Values::default)
}

fn judge_count(count: usize, allowed: std::ops::RangeInclusive<usize>) -> Option<Values> {
    (!allowed.contains(&count)).then(|| Values {
        found: count.to_string(),
        ..Values::default()
    })
}

/// Characters count, not digits: `1.000` and `1.00` with a blank after it fail.
fn judge_decimals(text: &str) -> Option<Values> {
    let decimals = text.split_once('.').map_or("", |(_, decimals)| decimals);
    (decimals.chars().count() > 2).then(|| Values {
        found: super::abort::shorten(text),
        ..Values::default()
    })
}

fn judge_code(text: &str, list: &super::codes::CodeList) -> Option<Values> {
    (!list.contains(text)).then(|| Values {
        found: super::abort::shorten(text),
        ..Values::default()
    })
}
