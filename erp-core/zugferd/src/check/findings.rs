//! Collects the findings with their places.

use super::abort::{ABORTED, Abort, shorten};
use super::facturx::breach::Breach;
use super::message;
use super::node::Node;
use super::report::{Finding, Report, Severity};
use super::rule::{Rule, Subject, Values};
use super::view::View;
use crate::xml::Element;

/// Bytes of paths and sentences after which findings are only counted: a path has the names of all elements around.
const DESCRIBED: usize = 16 << 20;

pub(super) struct Findings<'a> {
    view: &'a View<'a>,
    limit: usize,
    /// Bytes of paths and sentences that are kept.
    described: usize,
    fatal: usize,
    warnings: usize,
    information: usize,
    /// The rules that are judged.
    source: &'static str,
    /// With the number of the element.
    kept: Vec<(u32, Finding)>,
    /// For each element its number among siblings of the same name, from 1; 0 is not known yet.
    numbers: Vec<u32>,
    /// Offsets of the line ends, once they are needed.
    line_ends: Option<Vec<usize>>,
}

impl<'a> Findings<'a> {
    pub(super) const fn new(view: &'a View<'a>, limit: usize) -> Self {
        Self {
            view,
            limit,
            described: 0,
            fatal: 0,
            warnings: 0,
            information: 0,
            source: "",
            kept: Vec::new(),
            numbers: Vec::new(),
            line_ends: None,
        }
    }

    /// What is pushed from now on is found by these rules.
    pub(super) const fn start(&mut self, source: &'static str) {
        self.source = source;
    }

    pub(super) fn push(&mut self, rule: &'static Rule, subject: &Subject<'a>, values: Values) {
        if self.count(rule.severity) {
            let id = rule.id_of(subject.category);
            let texts = message::broken(rule, subject, &values);
            self.keep(id, rule.severity, rule.terms, subject.node, texts);
        }
    }

    /// What an invoice breaks of its profile.
    pub(super) fn push_breach(&mut self, breach: Breach<'a>) {
        if self.count(breach.severity) {
            let (id, severity, node) = (breach.id(), breach.severity, breach.node);
            self.keep(id, severity, breach.terms(), node, breach.sentences());
        }
    }

    /// The official artefact gives no verdict on the whole document; the finding says why.
    pub(super) fn push_abort(&mut self, rule: &'static Rule, subject: &Subject<'a>, abort: &Abort) {
        if self.count(Severity::Fatal) {
            let texts = message::aborted(rule, subject, abort);
            self.keep(
                ABORTED.to_owned(),
                Severity::Fatal,
                rule.terms,
                subject.node,
                texts,
            );
        }
    }

    pub(super) fn push_exhausted(&mut self, limit: u64) {
        self.fatal += 1;
        let (en, de) = message::exhausted(limit);
        let finding = Finding {
            rule: "ERP-LIMIT".to_owned(),
            source: "",
            severity: Severity::Fatal,
            path: "/".to_owned(),
            line: 1,
            terms: Vec::new(),
            en,
            de,
        };
        self.kept.insert(0, (0, finding));
    }

    /// Counts a finding; whether it is to be kept.
    fn count(&mut self, severity: Severity) -> bool {
        // After the work became too much, no verdict can be trusted.
        if self.view.is_exhausted() {
            return false;
        }
        match severity {
            Severity::Fatal => self.fatal += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Information => self.information += 1,
        }
        self.kept.len() < self.limit && self.described < DESCRIBED
    }

    fn keep(
        &mut self,
        id: String,
        severity: Severity,
        terms: &'static str,
        node: Node<'a>,
        (en, de): (String, String),
    ) {
        let element = node.element();
        let path = self.path(element);
        self.described += path.len() + en.len() + de.len();
        let finding = Finding {
            source: self.source,
            rule: id,
            severity,
            path,
            line: self.line(element.offset()),
            terms: terms.split_whitespace().collect(),
            en,
            de,
        };
        self.kept.push((element.index(), finding));
    }

    fn line(&mut self, offset: usize) -> usize {
        let text = self.view.tree().text().as_bytes();
        let find_ends = || memchr::memchr_iter(b'\n', text).collect();
        let line_ends = self.line_ends.get_or_insert_with(find_ends);
        line_ends.partition_point(|end| *end < offset) + 1
    }

    fn path(&mut self, element: Element<'a>) -> String {
        let mut steps = Vec::new();
        let mut next = Some(element);
        while let Some(element) = next {
            let number = match self.number(element) {
                1 => String::new(),
                number => format!("[{number}]"),
            };
            let prefix = self.view.namespace(element).prefix();
            steps.push(format!("/{prefix}{}{number}", shorten(element.local())));
            next = element.parent();
        }
        steps.reverse();
        steps.concat()
    }

    /// The number of an element among its siblings of the same name.
    fn number(&mut self, element: Element<'a>) -> u32 {
        let Some(parent) = element.parent() else {
            return 1;
        };
        if self.numbers.is_empty() {
            self.numbers = vec![0; self.view.tree().elements().count()];
        }
        let known = self.numbers.get(element.index() as usize).copied();
        if let Some(number @ 1..) = known {
            return number;
        }
        let name = |child: &Element<'a>| (child.namespace_number(), child.local());
        let mut siblings: Vec<_> = parent.children().collect();
        siblings.sort_by_key(name);
        let mut last = None;
        let mut count = 0;
        for sibling in siblings {
            count = if last == Some(name(&sibling)) {
                count + 1
            } else {
                1
            };
            last = Some(name(&sibling));
            if let Some(number) = self.numbers.get_mut(sibling.index() as usize) {
                *number = count;
            }
        }
        let number = self.numbers.get(element.index() as usize).copied();
        number.unwrap_or(1)
    }

    pub(super) fn into_report(
        mut self,
        profile: Option<String>,
        rules: Vec<&'static str>,
    ) -> Report {
        self.kept.sort_by_key(|(index, _)| *index);
        Report {
            valid: self.fatal == 0,
            profile,
            rules,
            fatal: self.fatal,
            warnings: self.warnings,
            information: self.information,
            findings: self.kept.into_iter().map(|(_, finding)| finding).collect(),
        }
    }
}
