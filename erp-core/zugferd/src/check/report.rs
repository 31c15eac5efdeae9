//! What a check found.

use serde::Serialize;

use super::abort::shorten;
use super::faults;
use crate::xml::XmlError;

/// How grave a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The invoice breaks a rule that it must keep.
    Fatal,
    /// The invoice uses what it should not.
    Warning,
    /// Something the sender may want to know.
    Information,
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Whether nothing fatal was found.
    pub valid: bool,
    /// The guideline (BT-24) as found, without white space around it.
    pub profile: Option<String>,
    /// The rules that were judged, with their releases; empty for what is no invoice.
    pub rules: Vec<&'static str>,
    /// The number of fatal findings.
    pub fatal: usize,
    /// The number of warnings.
    pub warnings: usize,
    /// The number of findings that only inform.
    pub information: usize,
    /// The findings in the order of the document, as many as [`CheckLimits::findings`](super::CheckLimits::findings)
    /// allows.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Why there is no verdict: the XML is not well-formed, it is another document, or the check takes too much work.
    #[must_use]
    pub fn not_checked(&self) -> Option<&Finding> {
        self.findings
            .first()
            .filter(|finding| finding.source.is_empty())
    }
}

/// A rule that an invoice breaks, at one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The official id, as `BR-CO-10`; `ERP-…` for what this crate found where there is no official verdict.
    pub rule: String,
    /// The rules that were judged when it was found, as in [`Report::rules`]; empty for what no rules found.
    pub source: &'static str,
    /// How grave it is.
    pub severity: Severity,
    /// The element, as an XPath with the prefixes `rsm`, `ram`, `udt` and `qdt`; `[1]` is left out. A name of more than
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

/// The report on what is not well-formed.
pub(super) fn not_xml(error: &XmlError) -> Report {
    let (line, column) = (error.line, error.column);
    // The fault may quote a name as long as the document.
    let en = shorten(&error.fault.to_string());
    let de = shorten(&faults::in_german(&error.fault));
    only(Finding {
        rule: "ERP-XML".to_owned(),
        source: "",
        severity: Severity::Fatal,
        path: "/".to_owned(),
        line,
        terms: Vec::new(),
        en: format!("The XML is not well-formed: line {line}, column {column}: {en}."),
        de: format!("Das XML ist nicht wohlgeformt: Zeile {line}, Spalte {column}: {de}."),
    })
}

/// The report on what is another document.
pub(super) fn not_an_invoice(root: &str) -> Report {
    let root = shorten(root);
    only(Finding {
        rule: "ERP-CII".to_owned(),
        source: "",
        severity: Severity::Fatal,
        path: "/".to_owned(),
        line: 1,
        terms: Vec::new(),
        en: format!(
            "The root element `{root}` is not a Cross Industry Invoice of UN/CEFACT (D16B)."
        ),
        de: format!(
            "Das Wurzelelement `{root}` ist keine Cross Industry Invoice von UN/CEFACT (D16B)."
        ),
    })
}

fn only(finding: Finding) -> Report {
    Report {
        valid: false,
        profile: None,
        rules: Vec::new(),
        fatal: 1,
        warnings: 0,
        information: 0,
        findings: vec![finding],
    }
}
