//! `erp-server zugferd check`.

use std::path::{Path, PathBuf};

use clap::Args;
use erp_core::zugferd::{CheckLimits, ExtractOptions, Finding, Report, Severity, check, extract};
use serde_json::{Value, json};

use super::batch::{Batch, read};
use super::extract::visible;
use crate::cli::failure::Failure;
use crate::cli::print::ListArgs;

/// Bytes at the beginning of a file that are searched for the mark of a PDF, as readers of PDF files do.
const HEAD: usize = 1_024;

// rule: R-CLI-10
/// Check invoices, XML files or those in PDF files, against the rules of EN 16931, XRechnung and Factur-X
///
/// Each finding has its line, rule, severity and business terms.
///
/// Exit codes: 0 all valid, 1 some are not valid or cannot be read, 2 wrong command line.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        erp-server zugferd check invoice.xml\n  \
        erp-server zugferd check --json *.pdf")]
pub(in crate::cli) struct Check {
    /// XML or PDF files
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The embedded invoice of this name, where a PDF has several
    #[arg(long, value_name = "NAME")]
    file_name: Option<String>,
    #[command(flatten)]
    list: ListArgs,
}

impl Check {
    pub(in crate::cli) fn run(self) -> Result<(), Failure> {
        let mut batch = Batch::new(self.files.len(), false);
        let options = ExtractOptions {
            file_name: self.file_name,
            ..ExtractOptions::default()
        };
        let mut invalid = 0_usize;
        for file in &self.files {
            batch.file(file, || {
                let report = report(file, &options)?;
                invalid = invalid.saturating_add(usize::from(!report.valid));
                Ok(match self.list.json {
                    true => vec![json_line(file, &report)?],
                    false => lines(file, &report),
                })
            });
        }
        batch.end_with_invalid(invalid)
    }
}

fn report(file: &Path, options: &ExtractOptions) -> Result<Report, String> {
    let bytes = read(file)?;
    if !is_pdf(file, &bytes) {
        return Ok(check(&bytes, &CheckLimits::DEFAULT));
    }
    let extracted = extract(&bytes, options).map_err(|error| error.to_string())?;
    Ok(check(&extracted.xml, &CheckLimits::DEFAULT))
}

/// Whether a file is a PDF: by its content, and by its name where the content is damaged.
fn is_pdf(file: &Path, bytes: &[u8]) -> bool {
    let is_named = file
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("pdf"));
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    is_named || head.windows(5).any(|five| five == b"%PDF-")
}

fn json_line(file: &Path, report: &Report) -> Result<String, String> {
    let mut line = json!({"file": file.display().to_string()});
    let fields = serde_json::to_value(report).map_err(|error| error.to_string())?;
    if let (Value::Object(line), Value::Object(fields)) = (&mut line, fields) {
        line.extend(fields);
    }
    Ok(line.to_string())
}

fn lines(file: &Path, report: &Report) -> Vec<String> {
    let verdict = match report.not_checked() {
        Some(_) => "not checked".to_owned(),
        None => format!("{}, {}", result(report), report.rules.join(", ")),
    };
    let mut lines = vec![format!("{}: {verdict}", file.display())];
    let is_of_one_set = report.rules.len() < 2;
    lines.extend(report.findings.iter().map(|found| match is_of_one_set {
        true => finding(found),
        false => format!("{} [{}]", finding(found), found.source),
    }));
    let counts = [report.fatal, report.warnings, report.information];
    let all = counts.into_iter().fold(0, usize::saturating_add);
    match all.saturating_sub(report.findings.len()) {
        0 => {}
        more => lines.push(format!("  and {more} more")),
    }
    lines.iter().map(|line| visible(line)).collect()
}

fn result(report: &Report) -> String {
    match (report.valid, report.warnings) {
        (true, 0) => "valid".to_owned(),
        (true, warnings) => format!("valid, warnings: {warnings}"),
        (false, warnings) => format!("invalid, fatal: {}, warnings: {warnings}", report.fatal),
    }
}

fn finding(finding: &Finding) -> String {
    let severity = match finding.severity {
        Severity::Fatal => "fatal",
        Severity::Warning => "warning",
        Severity::Information => "information",
    };
    let terms = match finding.terms.as_slice() {
        [] => String::new(),
        terms => format!(" ({})", terms.join(", ")),
    };
    let (line, rule, text) = (finding.line, &finding.rule, &finding.en);
    format!("  line {line}: {severity} {rule}{terms}: {text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: R-CLI-10
    #[test]
    fn a_pdf_is_known_by_its_content_or_its_name() {
        let name = Path::new("invoice");
        assert!(is_pdf(name, b"%PDF-1.7"));
        assert!(is_pdf(name, b"junk\n%PDF-1.7"));
        assert!(is_pdf(Path::new("a.PDF"), b"damaged"));
        assert!(!is_pdf(name, b"<a/>") && !is_pdf(name, b""));
        let late = [&[b' '; HEAD][..], b"%PDF-1.7"].concat();
        assert!(!is_pdf(name, &late));
    }

    // rule: R-CLI-10
    #[test]
    fn findings_that_are_only_counted_are_named() {
        let mut report = check(b"<a/>", &CheckLimits::DEFAULT);
        report.warnings = 4;
        let lines = lines(Path::new("a.xml"), &report);
        assert_eq!(lines[0], "a.xml: not checked");
        assert!(lines[1].starts_with("  line 1: fatal ERP-CII: The root element"));
        assert_eq!(lines[2], "  and 4 more");
    }
}
