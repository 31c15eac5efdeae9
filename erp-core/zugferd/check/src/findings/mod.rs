//! Collects the findings with their places.

pub(crate) mod message;
pub(crate) mod terms;

use crate::engine::{Rule, Subject, Values};
use crate::invoice::abort::{ABORTED, Abort, shorten};
use crate::invoice::node::Node;
use crate::invoice::view::View;
use crate::report::{Finding, Report, Severity};
use crate::xml::Element;

/// Bytes of paths and sentences after which findings are only counted: a path has the names of all elements around.
const DESCRIBED: usize = 16 << 20;

pub(crate) struct Findings<'a> {
    view: &'a View<'a>,
    limit: usize,
    /// Bytes of paths and sentences that are kept.
    described: usize,
    fatal: usize,
    warnings: usize,
    information: usize,
    /// The rules that are judged.
    source: &'static str,
    /// In the order in which they were found.
    kept: Vec<Kept>,
}

pub(crate) struct Described {
    /// The official id.
    pub(crate) id: String,
    /// Business terms and groups, with blanks between.
    pub(crate) terms: &'static str,
    /// In English and German.
    pub(crate) texts: (String, String),
}

/// A finding without its line.
struct Kept {
    element: u32,
    offset: usize,
    finding: Finding,
}

impl Kept {
    /// Whether another rule set said the same of the same element.
    fn is_repeated_by(&self, other: &Self) -> bool {
        let (this, repeated) = (&self.finding, &other.finding);
        self.element == other.element
            && this.rule == repeated.rule
            && this.severity == repeated.severity
            && this.source != repeated.source
            && !this.also.contains(&repeated.source)
            // This id is that of every rule that cannot be judged.
            && (this.rule != ABORTED || this.en == repeated.en)
    }
}

impl<'a> Findings<'a> {
    pub(crate) const fn new(view: &'a View<'a>, limit: usize) -> Self {
        Self {
            view,
            limit,
            described: 0,
            fatal: 0,
            warnings: 0,
            information: 0,
            source: "",
            kept: Vec::new(),
        }
    }

    /// What is pushed from now on is found by these rules.
    pub(crate) const fn start(&mut self, source: &'static str) {
        self.source = source;
    }

    pub(crate) fn push(&mut self, rule: &'static Rule, subject: &Subject<'a>, values: Values) {
        let node = subject.node;
        self.push_described(rule.severity, node, || Described {
            id: rule.id_of(subject.category),
            terms: match rule.terms {
                "" => terms::of_element(node, None),
                terms => terms,
            },
            texts: message::broken(rule, subject, &values),
        });
    }

    /// The official artefact gives no verdict on the whole document; the finding says why.
    pub(crate) fn push_abort(&mut self, rule: &'static Rule, subject: &Subject<'a>, abort: &Abort) {
        self.push_described(Severity::Fatal, subject.node, || Described {
            id: ABORTED.to_owned(),
            terms: rule.terms,
            texts: message::undecided(&rule.id_of(subject.category), abort),
        });
    }

    /// What is broken at an element. It is described only if it is kept.
    pub(crate) fn push_described(
        &mut self,
        severity: Severity,
        node: Node<'a>,
        describe: impl FnOnce() -> Described,
    ) {
        // After the work became too much, no verdict can be trusted.
        if self.view.is_exhausted() {
            return;
        }
        *self.counter(severity) += 1;
        if self.kept.len() >= self.limit || self.described >= DESCRIBED {
            return;
        }
        let Described {
            id,
            terms,
            texts: (en, de),
        } = describe();
        let element = node.element();
        let path = self.path(element);
        self.described += path.len() + en.len() + de.len();
        let finding = Finding {
            source: self.source,
            rule: id,
            severity,
            path,
            terms: terms.split_whitespace().collect(),
            ..Finding::whole_document(en, de)
        };
        self.kept.push(Kept {
            element: element.index(),
            offset: element.offset(),
            finding,
        });
    }

    pub(crate) fn push_exhausted(&mut self, limit: u64) {
        self.fatal += 1;
        let (en, de) = message::exhausted(limit);
        let finding = Finding {
            rule: "ERP-LIMIT".to_owned(),
            ..Finding::whole_document(en, de)
        };
        let (element, offset) = (0, 0);
        self.kept.insert(
            0,
            Kept {
                element,
                offset,
                finding,
            },
        );
    }

    fn path(&self, element: Element<'a>) -> String {
        let around = std::iter::successors(Some(element), |element| element.parent());
        let steps = around.map(|element| {
            let number = match self.view.number(element) {
                1 => String::new(),
                number => format!("[{number}]"),
            };
            let prefix = self.view.namespace(element).prefix();
            format!("/{prefix}{}{number}", shorten(element.local()))
        });
        let mut steps: Vec<String> = steps.collect();
        steps.reverse();
        steps.concat()
    }

    /// The report, and for each finding the number of its element.
    pub(crate) fn into_report(
        mut self,
        profile: Option<String>,
        structure: &'static str,
        rules: Vec<&'static str>,
    ) -> (Report, Vec<u32>) {
        self.kept.sort_by_key(|kept| kept.element);
        let merged = self.merged();
        let elements = merged.iter().map(|kept| kept.element).collect();
        let findings = merged.into_iter().map(|kept| kept.finding).collect();
        let report = Report {
            valid: self.fatal == 0,
            structure,
            profile,
            rules,
            fatal: self.fatal,
            warnings: self.warnings,
            information: self.information,
            findings,
        };
        (report, elements)
    }

    /// The findings with their lines, each once: rule sets share rules.
    fn merged(&mut self) -> Vec<Kept> {
        let text = self.view.tree().text().as_bytes();
        let (mut line, mut counted) = (1, 0);
        let mut merged: Vec<Kept> = Vec::with_capacity(self.kept.len());
        for mut kept in std::mem::take(&mut self.kept) {
            let of_element = merged.iter_mut().rev();
            let mut of_element = of_element.take_while(|known| known.element == kept.element);
            if let Some(known) = of_element.find(|known| known.is_repeated_by(&kept)) {
                known.finding.also.push(kept.finding.source);
                *self.counter(kept.finding.severity) -= 1;
                continue;
            }
            let passed = text.get(counted..kept.offset).unwrap_or_default();
            line += memchr::memchr_iter(b'\n', passed).count();
            counted = counted.max(kept.offset);
            kept.finding.line = line;
            merged.push(kept);
        }
        merged
    }

    const fn counter(&mut self, severity: Severity) -> &mut usize {
        match severity {
            Severity::Fatal => &mut self.fatal,
            Severity::Warning => &mut self.warnings,
            Severity::Information => &mut self.information,
        }
    }
}
