//! Judges rules at elements.

use super::context::{Context, ContextPlace};
use super::rule::{Rule, Subject, Test, Values, Verdict};
use super::rule_set::RuleSet;
use crate::codes::CodeList;
use crate::invoice::abort::shorten;
use crate::invoice::document::Document;
use crate::invoice::node::Node;

/// Calls with every rule of a set at every element that it is for.
pub(crate) fn judge_set<'a>(
    document: &'a Document<'a>,
    set: &'static RuleSet,
    mut take: impl FnMut(&'static Rule, &Subject<'a>, Verdict),
) {
    for index in set.indices() {
        // Most elements have a rule in one pattern or another; where all rules are of the document, none is looked at.
        let mut contexts = index.all().iter();
        let only_root = contexts.all(|context| context.place.is_document());
        let most = if only_root { 1 } else { usize::MAX };
        for node in document.everything().take(most) {
            let mut taken = None;
            for context in index.contexts(node.element().local()) {
                node.work(1);
                if node.is_exhausted() {
                    return;
                }
                if set.first_takes() && taken.is_some_and(|line| line != context.line) {
                    break;
                }
                let Some(subject) = context.takes(node, document) else {
                    continue;
                };
                taken = Some(context.line);
                node.work(context.rules.len() as u64);
                for rule in &context.rules {
                    take(rule, &subject, rule.test.judge(&subject));
                }
            }
        }
    }
}

impl Context {
    /// The subject, if this is a context of the node.
    fn takes<'a>(&self, node: Node<'a>, document: &'a Document<'a>) -> Option<Subject<'a>> {
        if !self.place.is_at(node) {
            return None;
        }
        let subject = Subject {
            node,
            facts: document.facts,
            document,
            category: self.category,
        };
        let when = self.when.as_ref();
        let is_met = when.is_none_or(|when| matches!(when.judge(&subject), Ok(None)));
        is_met.then_some(subject)
    }
}

impl ContextPlace {
    fn is_at(&self, node: Node<'_>) -> bool {
        match self {
            Self::Paths(paths) => paths.iter().any(|path| {
                let first = node.ends(path.iter().copied());
                first.is_some_and(|first| first.up().is_none())
            }),
            Self::Anywhere(paths) => {
                let mut paths = paths.iter();
                paths.any(|path| node.ends(path.iter().copied()).is_some())
            }
            Self::Suffix(end) => node.element().local().ends_with(end) && node.is_ram(),
            Self::AnySuffix(end) => node.element().local().ends_with(end),
        }
    }
}

impl Test {
    pub(crate) fn judge(&self, subject: &Subject<'_>) -> Verdict {
        let node = subject.node;
        match *self {
            Self::Absent(path) => Ok(fail_unless(!node.has(path))),
            Self::Nowhere(path) => Ok(fail_unless(!subject.document.has(path))),
            Self::Present(path) => Ok(fail_unless(node.has(path))),
            Self::All(all) => Ok(fail_unless(all.split('|').all(|one| node.meets(one)))),
            Self::Any(all) => Ok(fail_unless(all.split('|').any(|one| node.meets(one)))),
            Self::Filled(path) => Ok(fail_unless(
                node.find(path, &mut |node| !node.text().is_empty()),
            )),
            Self::NotBlank(path) => node.is_filled(path).map(fail_unless),
            Self::Words(path) => Ok(fail_unless(node.has_words(path))),
            Self::NotBoth(one, other) => Ok(fail_unless(!(node.has(one) && node.has(other)))),
            Self::AtMostOnce(path) => Ok(judge_count(node.count(path), 0..=1)),
            Self::Once(path) => Ok(judge_count(node.count(path), 1..=1)),
            Self::Decimals(path) => node.only_text(path).map(|text| judge_decimals(&text)),
            Self::FirstDecimals(path) => {
                let first = node.first(path);
                Ok(first.and_then(|first| judge_decimals(&first.text())))
            }
            Self::Code(list) => Ok(judge_code(&node.text(), list)),
            Self::AttributeCode(name, list) => {
                Ok(judge_code(node.attribute(name).unwrap_or_default(), list))
            }
            Self::Is(holds) => holds(subject).map(fail_unless),
            Self::Of(holds) => holds(subject.document, node).map(fail_unless),
            Self::Judge(judge) => judge(subject),
            Self::Always => Ok(None),
        }
    }
}

pub(crate) fn fail_unless(holds: bool) -> Option<Values> {
    (!holds).then(Values::default)
}

fn judge_count(count: usize, allowed: std::ops::RangeInclusive<usize>) -> Option<Values> {
    (!allowed.contains(&count)).then(|| Values::found(count.to_string()))
}

/// Characters count, not digits: `1.000` and `1.00` with a blank after it fail.
fn judge_decimals(text: &str) -> Option<Values> {
    let decimals = text.split_once('.').map_or("", |(_, decimals)| decimals);
    (decimals.chars().count() > 2).then(|| Values::found(shorten(text)))
}

fn judge_code(text: &str, list: &CodeList) -> Option<Values> {
    (!list.contains(text)).then(|| Values::found(shorten(text)))
}
