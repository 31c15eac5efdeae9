//! `erp-server zugferd check`.

use std::env;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use erp_core::zugferd::{
    CheckLimits, ExtractOptions, Finding, Language, Report, Severity, check, extract,
};

use super::batch::{Batch, json_line, read};
use super::extract::visible;
use super::inputs::{Input, ends_in, inputs};
use super::output::OutputArgs;
use super::password::PasswordArgs;
use super::reports::{INDEX, Reports};
use crate::cli::failure::Failure;
use crate::cli::print::ListArgs;

/// Bytes at the beginning of a file that are searched for the mark of a PDF, as readers of PDF files do.
const HEAD: usize = 1_024;

/// Lines that are named where findings say the same.
const NAMED: usize = 20;

/// Check invoices, XML files or those in PDF files, against the rules of EN 16931, XRechnung and Factur-X
///
/// Each finding has its line, severity, rule, business terms and path. Of a folder all files `*.xml` and `*.pdf` are
/// checked, those of folders inside it too, in the order of their names; symbolic links are not followed.
///
/// With `--html` the report on `invoice.xml` is the page `invoice.xml.html` beside it, for standard input on standard
/// output. `--output-dir` has one for each document and `index.html` with all verdicts.
///
/// Exit codes: 0 all valid, 1 some are not valid or cannot be read, 2 wrong command line.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        erp-server zugferd check invoice.xml\n  \
        erp-server zugferd check --json FOLDER\n  \
        erp-server zugferd check --html --output-dir reports FOLDER\n  \
        erp-server zugferd check --lang de - <invoice.xml")]
pub(in crate::cli) struct InvoiceCheck {
    /// XML or PDF files, or folders with them; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The embedded invoice of this name, where a PDF has several
    #[arg(long, value_name = "NAME")]
    file_name: Option<String>,
    /// The language of the findings; without it the one of the environment (`LANG`)
    #[arg(long, value_parser = languages())]
    lang: Option<Language>,
    /// Write the reports as HTML, each with the invoice as people read it
    #[arg(long)]
    html: bool,
    #[command(flatten)]
    password: PasswordArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    list: ListArgs,
}

fn languages() -> impl TypedValueParser<Value = Language> {
    PossibleValuesParser::new(["de", "en"]).map(|name| match name.as_str() {
        "de" => Language::German,
        _ => Language::English,
    })
}

/// German where the environment asks for it, else English.
pub(super) fn language_of_environment() -> Language {
    let names = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter();
    let mut set = names.filter_map(|name| env::var(name).ok());
    match set.find(|value| !value.is_empty()) {
        Some(value) if value.starts_with("de") => Language::German,
        _ => Language::English,
    }
}

impl InvoiceCheck {
    pub(in crate::cli) fn run(self) -> Result<(), Failure> {
        if self.output.is_given() && !self.html {
            return Err(Failure::usage(
                "`--output`, `--output-dir` and `--force` are for `--html`",
            ));
        }
        let language = self.lang.unwrap_or_else(language_of_environment);
        let output = match self.files.as_slice() {
            [one] if self.html && one.as_os_str() == "-" => self.output.or_stdout(),
            _ => self.output,
        };
        let inputs = inputs(&self.files)?;
        let outputs = self.html.then(|| output.open(inputs.len())).transpose()?;
        let mut reports = outputs.map(|outputs| Reports::new(outputs, language));
        let is_taken = reports.as_ref().is_some_and(Reports::are_on_stdout);
        let mut batch = Batch::new(inputs.len(), is_taken);
        let options = ExtractOptions {
            file_name: self.file_name,
            password: self.password.read()?,
            ..ExtractOptions::default()
        };
        let mut invalid = 0_usize;
        for input in &inputs {
            let file = &input.path;
            batch.file(file, || {
                let xml = invoice(input, &options);
                let (report, written) = match &mut reports {
                    None => (check(&xml?, &CheckLimits::DEFAULT), None),
                    Some(reports) => {
                        let (report, written) = reports.write(input, xml)?;
                        (report, Some(written))
                    }
                };
                invalid += usize::from(!report.valid);
                Ok(match (self.list.json, written) {
                    (true, written) => vec![json_line(file, written.as_deref(), &report)?],
                    (false, None) => lines(file, &report, language),
                    (false, Some(written)) => {
                        let verdict = result(&report, language);
                        vec![format!("{}: {written}: {verdict}", file.display())]
                    }
                })
            });
        }
        if let Some(reports) = &mut reports {
            batch.file(Path::new(INDEX), || {
                let written = reports.end()?.filter(|_| !self.list.json);
                Ok(written.into_iter().collect())
            });
        }
        batch.end_invalid(invalid, language)
    }
}

/// The XML of an input, or the one in its PDF.
pub(super) fn invoice(input: &Input, options: &ExtractOptions) -> Result<Vec<u8>, String> {
    if let Some(fault) = &input.fault {
        return Err(fault.clone());
    }
    let bytes = read(&input.path)?;
    if !is_pdf(&input.path, &bytes) {
        return Ok(bytes);
    }
    let extracted = extract(&bytes, options).map_err(|error| error.to_string())?;
    Ok(extracted.xml)
}

/// Whether a file is a PDF: by its content, and by its name where the content is damaged.
fn is_pdf(file: &Path, bytes: &[u8]) -> bool {
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    ends_in(file, "pdf") || head.windows(5).any(|five| five == b"%PDF-")
}

/// The verdict, and each finding with its path.
pub(super) fn lines(file: &Path, report: &Report, language: Language) -> Vec<String> {
    let mut verdict = format!("{}: {}", file.display(), result(report, language));
    if report.not_checked().is_none() {
        let word = language.choose("structure", "Struktur");
        let rules = report.rules.join(", ");
        verdict = format!("{verdict}, {rules} ({word}: {})", report.structure);
    }
    let mut lines = vec![verdict];
    for group in Finding::grouped(report.findings.iter().enumerate()) {
        let [(_, found), others @ ..] = group.as_slice() else {
            continue;
        };
        let mut line = finding(found, language);
        if report.rules.len() > 1 {
            let also = found.also.iter().copied();
            let rules: Vec<&str> = std::iter::once(found.source).chain(also).collect();
            line = format!("{line} [{}]", rules.join(", "));
        }
        lines.push(line);
        lines.push(format!("    {}", found.path));
        if !others.is_empty() {
            let named = others.iter().take(NAMED);
            let named: Vec<_> = named.map(|(_, other)| other.line.to_string()).collect();
            let more = if others.len() > NAMED { ", …" } else { "" };
            let times = language.choose(" times, also in lines", "-mal, auch in Zeilen");
            let (count, named) = (group.len(), named.join(", "));
            lines.push(format!("    {count}{times} {named}{more}"));
        }
    }
    let counts = [report.fatal, report.warnings, report.information];
    let all: usize = counts.into_iter().sum();
    match all.saturating_sub(report.findings.len()) {
        0 => {}
        more => lines.push(match language {
            Language::English => format!("  and {more} more"),
            Language::German => format!("  und {more} weitere"),
        }),
    }
    lines.iter().map(|line| visible(line)).collect()
}

pub(super) fn result(report: &Report, language: Language) -> String {
    let (fatal, warnings) = (report.fatal, report.warnings);
    let warned = language.choose("warnings", "Warnungen");
    if report.not_checked().is_some() {
        return language.choose("not checked", "nicht geprüft").to_owned();
    }
    let valid = language.choose("valid", "gültig");
    let invalid = language.choose("invalid, fatal", "ungültig, Fehler");
    match (report.valid, warnings) {
        (true, 0) => valid.to_owned(),
        (true, _) => format!("{valid}, {warned}: {warnings}"),
        (false, _) => format!("{invalid}: {fatal}, {warned}: {warnings}"),
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
    let word = language.choose("line", "Zeile");
    let (line, rule) = (finding.line, &finding.rule);
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
        let lines = told(Language::English);
        assert_eq!(lines[0], "a.xml: not checked");
        assert!(lines[1].starts_with("  line 1: fatal ERP-CII: The root element"));
        assert_eq!(lines[2..], ["    /", "  and 4 more"]);
        let lines = told(Language::German);
        assert_eq!(lines[0], "a.xml: nicht geprüft");
        assert!(lines[1].starts_with("  Zeile 1: Fehler ERP-CII: Das Wurzelelement"));
        assert_eq!(lines[2..], ["    /", "  und 4 weitere"]);
    }
}
