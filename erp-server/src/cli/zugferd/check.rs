//! `erp-server zugferd check`.

use std::env;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use erp_core::zugferd::{CheckLimits, ExtractOptions, Finding, Report, Severity, check, extract};

use super::batch::{Batch, json_line, read};
use super::extract::visible;
use crate::cli::failure::Failure;
use crate::cli::print::ListArgs;

/// Bytes at the beginning of a file that are searched for the mark of a PDF, as readers of PDF files do.
const HEAD: usize = 1_024;

/// Check invoices, XML files or those in PDF files, against the rules of EN 16931, XRechnung and Factur-X
///
/// Each finding has its line, severity, rule, business terms and path.
///
/// Exit codes: 0 all valid, 1 some are not valid or cannot be read, 2 wrong command line.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        erp-server zugferd check invoice.xml\n  \
        erp-server zugferd check --json *.pdf\n  \
        erp-server zugferd check --lang de - <invoice.xml")]
pub(in crate::cli) struct Check {
    /// XML or PDF files; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The embedded invoice of this name, where a PDF has several
    #[arg(long, value_name = "NAME")]
    file_name: Option<String>,
    /// The language of the findings; without it the one of the environment (`LANG`)
    #[arg(long)]
    lang: Option<Language>,
    #[command(flatten)]
    list: ListArgs,
}

/// A language of findings.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Language {
    De,
    En,
}

impl Language {
    /// German where the environment asks for it, else English.
    pub(super) fn of_environment() -> Self {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter();
        let mut set = names.filter_map(|name| env::var(name).ok());
        match set.find(|value| !value.is_empty()) {
            Some(value) if value.starts_with("de") => Self::De,
            _ => Self::En,
        }
    }

    const fn choose<'t>(self, english: &'t str, german: &'t str) -> &'t str {
        match self {
            Self::De => german,
            Self::En => english,
        }
    }
}

impl Check {
    pub(in crate::cli) fn run(self) -> Result<(), Failure> {
        let mut batch = Batch::new(self.files.len(), false);
        let options = ExtractOptions {
            file_name: self.file_name,
            ..ExtractOptions::default()
        };
        let language = self.lang.unwrap_or_else(Language::of_environment);
        let mut invalid = 0_usize;
        for file in &self.files {
            batch.file(file, || {
                let report = report(file, &options)?;
                invalid = invalid.saturating_add(usize::from(!report.valid));
                Ok(match self.list.json {
                    true => vec![json_line(file, &report)?],
                    false => lines(file, &report, language),
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

/// The verdict, and each finding with its path.
pub(super) fn lines(file: &Path, report: &Report, language: Language) -> Vec<String> {
    let mut verdict = format!("{}: {}", file.display(), result(report, language));
    if report.not_checked().is_none() {
        let word = language.choose("structure", "Struktur");
        let rules = report.rules.join(", ");
        let structure = match report.structure {
            Report::NOT_CHECKED => language.choose("not checked", "nicht geprüft"),
            schema => schema,
        };
        verdict = format!("{verdict}, {rules} ({word}: {structure})");
    }
    let mut lines = vec![verdict];
    for found in &report.findings {
        let mut line = finding(found, language);
        if report.rules.len() > 1 {
            let also = found.also.iter().copied();
            let rules: Vec<&str> = std::iter::once(found.source).chain(also).collect();
            line = format!("{line} [{}]", rules.join(", "));
        }
        lines.push(line);
        lines.push(format!("    {}", found.path));
    }
    let counts = [report.fatal, report.warnings, report.information];
    let all = counts.into_iter().fold(0, usize::saturating_add);
    match all.saturating_sub(report.findings.len()) {
        0 => {}
        more => lines.push(match language {
            Language::En => format!("  and {more} more"),
            Language::De => format!("  und {more} weitere"),
        }),
    }
    lines.iter().map(|line| visible(line)).collect()
}

/// The verdict in words.
pub(super) fn result(report: &Report, language: Language) -> String {
    let (fatal, warnings) = (report.fatal, report.warnings);
    let warned = language.choose("warnings", "Warnungen");
    if report.not_checked().is_some() {
        return language.choose("not checked", "nicht geprüft").to_owned();
    }
    match (report.valid, warnings) {
        (true, 0) => language.choose("valid", "gültig").to_owned(),
        (true, _) => format!(
            "{}, {warned}: {warnings}",
            language.choose("valid", "gültig")
        ),
        (false, _) => format!(
            "{}: {fatal}, {warned}: {warnings}",
            language.choose("invalid, fatal", "ungültig, Fehler")
        ),
    }
}

fn finding(finding: &Finding, language: Language) -> String {
    let severity = match finding.severity {
        Severity::Fatal => language.choose("fatal", "Fehler"),
        Severity::Warning => language.choose("warning", "Warnung"),
        Severity::Information => language.choose("information", "Hinweis"),
    };
    let terms = match finding.terms.as_slice() {
        [] => String::new(),
        terms => format!(" ({})", terms.join(", ")),
    };
    let text = language.choose(&finding.en, &finding.de);
    let (word, line, rule) = (
        language.choose("line", "Zeile"),
        finding.line,
        &finding.rule,
    );
    format!("  {word} {line}: {severity} {rule}{terms}: {text}")
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn findings_that_are_only_counted_are_named() {
        let mut report = check(b"<a/>", &CheckLimits::DEFAULT);
        report.warnings = 4;
        let told = |language| lines(Path::new("a.xml"), &report, language);
        let lines = told(Language::En);
        assert_eq!(lines[0], "a.xml: not checked");
        assert!(lines[1].starts_with("  line 1: fatal ERP-CII: The root element"));
        assert_eq!(lines[2..], ["    /", "  and 4 more"]);
        let lines = told(Language::De);
        assert_eq!(lines[0], "a.xml: nicht geprüft");
        assert!(lines[1].starts_with("  Zeile 1: Fehler ERP-CII: Das Wurzelelement"));
        assert_eq!(lines[2..], ["    /", "  und 4 weitere"]);
    }
}
