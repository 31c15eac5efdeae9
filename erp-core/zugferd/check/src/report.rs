//! What a check found.

use serde::Serialize;

use super::faults;
use super::invoice::texts::TextMap;
use crate::invoice::abort::shorten;
use crate::xml::{Element, XmlError, XmlFault};

/// How grave a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The invoice breaks a rule that it must keep.
    Fatal,
    /// The invoice uses something that it should not.
    Warning,
    /// Something the sender may want to know.
    Information,
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Whether there is no fatal finding, of the structure or of a rule.
    pub valid: bool,
    /// The schema whose structure (order and number of elements, attributes, types of values) was checked; `not checked`
    /// for a document that is not an invoice.
    pub structure: &'static str,
    /// The guideline (BT-24) as found, without white space around it.
    pub profile: Option<String>,
    /// The rule sets that were checked, with their releases; empty for a document that is not an invoice.
    pub rules: Vec<&'static str>,
    /// The number of fatal findings.
    pub fatal: usize,
    /// The number of warnings.
    pub warnings: usize,
    /// The number of findings that only inform.
    pub information: usize,
    /// The findings in the order of the document, `ERP-GUIDELINE` first, as many as [`CheckLimits::findings`](super::CheckLimits::findings)
    /// allows.
    pub findings: Vec<Finding>,
}

impl Report {
    /// The [`Report::structure`] of a document whose structure was not checked.
    pub const NOT_CHECKED: &'static str = "not checked";

    /// The reason why there is no result: the XML is not well-formed, it is another document, or the check takes too
    /// much work.
    pub fn not_checked(&self) -> Option<&Finding> {
        let first = self.findings.first();
        first.filter(|finding| finding.source.is_empty() && finding.severity == Severity::Fatal)
    }
}

/// A rule that an invoice breaks, at one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The official id, for example `BR-CO-10`; `ERP-STRUCTURE` for the structure; `ERP-GUIDELINE` (a warning) where rules
    /// of the guideline are not here; `ERP-…` for a finding of this crate without an official result.
    pub rule: String,
    /// The rule set of the finding, as in [`Report::rules`], or the schema, as in [`Report::structure`]; empty if it is from
    /// none.
    pub source: &'static str,
    /// Other rules, as in [`Report::rules`], that say the same of the element: it is one finding.
    pub also: Vec<&'static str>,
    /// How grave it is.
    pub severity: Severity,
    /// The element, as an XPath with the prefixes `rsm`, `ram`, `udt` and `qdt` of CII or `ubl`, `cn`, `cac`, `cbc` and `ext` of
    /// UBL; `[1]` is left out. A name of more than
    /// 120 characters is cut, with `…` after it.
    pub path: String,
    /// The line of the element in the XML, from 1.
    pub line: usize,
    /// The business terms and groups (`BT-…`, `BG-…`), if any.
    pub terms: Vec<&'static str>,
    /// What is wrong, in English.
    pub en: String,
    /// What is wrong, in German.
    pub de: String,
}

impl Finding {
    /// Whether the rules of this name, as in [`Report::rules`], have it.
    pub fn is_of(&self, rules: &str) -> bool {
        self.source == rules || self.also.contains(&rules)
    }

    /// Numbered findings, those together that say the same, in the order in which they came first.
    pub fn grouped<'f>(
        findings: impl Iterator<Item = (usize, &'f Self)>,
    ) -> Vec<Vec<(usize, &'f Self)>> {
        let mut groups = TextMap::<Vec<_>>::default();
        for found in findings {
            let says = format!("{} {}", found.1.rule, found.1.en);
            groups.change(says.into(), |group| group.push(found));
        }
        groups.into_values()
    }

    /// Fatal for the whole document.
    pub(super) fn whole_document(en: String, de: String) -> Self {
        Self {
            rule: String::new(),
            source: "",
            also: Vec::new(),
            severity: Severity::Fatal,
            path: "/".to_owned(),
            line: 1,
            terms: Vec::new(),
            en,
            de,
        }
    }
}

/// The report on a document that is not well-formed, or has a document type declaration.
pub(super) fn not_xml(error: &XmlError) -> Report {
    let (line, column) = (error.line, error.column);
    // The fault may quote a name as long as the document.
    let en = shorten(&error.fault.to_string());
    let de = shorten(&faults::in_german(&error.fault));
    let (what_en, what_de) = match error.fault {
        XmlFault::DocumentTypeDeclaration => ("has a `<!DOCTYPE`", "hat ein `<!DOCTYPE`"),
        _ => ("is not well-formed", "ist nicht wohlgeformt"),
    };
    let en = format!("The XML {what_en}: line {line}, column {column}: {en}.");
    let de = format!("Das XML {what_de}: Zeile {line}, Spalte {column}: {de}.");
    only("ERP-XML", line, en, de)
}

pub(super) fn not_an_invoice(root: Element<'_>) -> Report {
    let name = shorten(root.local());
    let en = "is neither a Cross Industry Invoice of UN/CEFACT (D16B) nor an invoice or credit note of UBL 2.1.";
    let de = "ist weder eine Cross Industry Invoice von UN/CEFACT (D16B) noch eine Rechnung oder Gutschrift nach UBL 2.1.";
    let en = format!("The root element `{name}` {en}");
    only("ERP-CII", 1, en, format!("Das Wurzelelement `{name}` {de}"))
}

fn only(rule: &str, line: usize, en: String, de: String) -> Report {
    Report {
        valid: false,
        structure: Report::NOT_CHECKED,
        profile: None,
        rules: Vec::new(),
        fatal: 1,
        warnings: 0,
        information: 0,
        findings: vec![Finding {
            rule: rule.to_owned(),
            line,
            ..Finding::whole_document(en, de)
        }],
    }
}
