//! What a check found, as problems of a request and as a line of the log.

use erp_core::sentence::Sentence;
use erp_core::zugferd::{Report, Severity};
use erp_core::{Code, Problems};

/// The fatal findings as problems of the field `XML`.
pub(super) fn problems(report: &Report) -> Problems {
    let mut problems = Problems::new();
    let fatal = report.findings.iter();
    for finding in fatal.filter(|finding| finding.severity == Severity::Fatal) {
        let path = format!("XML{}", finding.path.trim_end_matches('/'));
        let what = Sentence::Pair(finding.en.clone(), finding.de.clone());
        let (rule, line) = (&finding.rule, finding.line);
        let message = sentence!("invoice_rule.line", rule, line, what);
        problems.add(&path, Code::InvoiceRule, message);
    }
    problems
}

/// The result as a step. It has no text of the invoice: the log may be read by others.
pub(super) fn step(report: &Report) -> String {
    match report.not_checked() {
        Some(why) => format!("not checked: {} in line {}", why.rule, why.line),
        None => format!(
            "checked: fatal={}, warnings={}",
            report.fatal, report.warnings
        ),
    }
}

pub(super) fn word(report: &Report) -> &'static str {
    match report.not_checked() {
        Some(_) => "not-checked",
        None if report.valid => "valid",
        None => "invalid",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use erp_core::zugferd::{CheckLimits, check};

    const EMPTY: &str = "<rsm:CrossIndustryInvoice xmlns:rsm=\"urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100\"/>";

    // rule: R-ZUG-41
    #[test]
    fn fatal_findings_are_problems_with_rule_line_and_path() {
        let report = check(EMPTY.as_bytes(), &CheckLimits::DEFAULT);
        let problems = problems(&report);
        let problems = problems.as_slice();
        assert_eq!(problems.len(), report.fatal);
        let first = problems
            .iter()
            .find(|problem| problem.message.english().starts_with("BR-01, line 1: "))
            .unwrap();
        assert_eq!(first.path, "XML/rsm:CrossIndustryInvoice");
        assert_eq!(first.code, Code::InvoiceRule);
        let other = super::problems(&check(b"<a/>", &CheckLimits::DEFAULT));
        assert_eq!(other.as_slice()[0].path, "XML");
    }

    #[test]
    fn a_step_and_a_word_tell_the_result() {
        let mut report = check(EMPTY.as_bytes(), &CheckLimits::DEFAULT);
        (report.fatal, report.warnings) = (2, 1);
        assert_eq!(step(&report), "checked: fatal=2, warnings=1");
        assert_eq!(word(&report), "invalid");
        report.valid = true;
        assert_eq!(word(&report), "valid");
        let report = check(b"<secret/>", &CheckLimits::DEFAULT);
        assert_eq!(step(&report), "not checked: ERP-CII in line 1");
        assert_eq!(word(&report), "not-checked");
    }
}
