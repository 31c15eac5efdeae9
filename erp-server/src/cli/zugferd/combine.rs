//! `erp-server zugferd combine`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::Args;
use erp_core::zugferd::{CheckLimits, CombineOptions, Language, Limits, check, combine};
use jiff::Timestamp;
use serde_json::json;

use super::batch::{Batch, named, read};
use super::check::{language_of_environment, lines, result};
use super::inputs::ends_in;
use super::output::{OutputArgs, Outputs};
use super::password::PasswordArgs;
use crate::cli::failure::Failure;
use crate::cli::print::ListArgs;

/// Embed an XML invoice in a PDF, or in each of many PDF files the one with its name
///
/// Without an XML among the files each PDF gets the XML of the same name in its folder, or the one `--xml` names. The
/// result of `invoice.pdf` is `invoice-hybrid.pdf` in its folder, or `invoice.pdf` in `--output-dir`.
///
/// Exit codes: 0 all done, 1 some failed, 2 wrong command line.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        erp-server zugferd combine invoice.pdf invoice.xml\n  \
        erp-server zugferd combine --output-dir done *.pdf")]
pub(in crate::cli) struct Combine {
    /// A PDF and an XML, or PDF files
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The XML for every PDF
    #[arg(long)]
    xml: Option<PathBuf>,
    /// Refuse a PDF that cannot become PDF/A-3 instead of writing it without claiming PDF/A-3
    #[arg(long)]
    require_pdfa: bool,
    /// Refuse an invoice that is not valid, with its findings
    #[arg(long)]
    require_valid: bool,
    /// Remove the encryption of a PDF that opens without a password
    #[arg(long)]
    decrypt: bool,
    #[command(flatten)]
    password: PasswordArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    list: ListArgs,
}

impl Combine {
    pub(in crate::cli) fn run(self) -> Result<(), Failure> {
        let pairs = pairs(&self.files, self.xml.as_deref())?;
        let mut outputs = self.output.open(pairs.len())?;
        let mut batch = Batch::new(pairs.len(), outputs.is_stdout());
        let options = CombineOptions {
            now: Some(Timestamp::now()),
            require_pdfa: self.require_pdfa,
            decrypt: self.decrypt,
            password: self.password.read()?,
            limits: Limits::DEFAULT,
        };
        for (pdf, xml) in &pairs {
            batch.file(pdf, || {
                let (valid, json) = (self.require_valid, self.list.json);
                one((pdf, xml), &options, valid, &mut outputs, json)
            });
        }
        batch.end()
    }
}

fn pairs(files: &[PathBuf], xml: Option<&Path>) -> Result<Vec<(PathBuf, PathBuf)>, Failure> {
    match (files, xml) {
        ([pdf, own], xml) if ends_in(own, "xml") && !ends_in(pdf, "xml") => match xml {
            None => Ok(vec![(pdf.clone(), own.clone())]),
            Some(_) => Err(Failure::usage(
                "the XML is named twice, as a file and by `--xml`",
            )),
        },
        _ if files.iter().any(|file| ends_in(file, "xml")) => Err(Failure::usage(
            "there is an XML among the PDF files; give one PDF and its XML, or name the XML with `--xml`",
        )),
        _ => {
            let own = |pdf: &PathBuf| xml.map_or_else(|| xml_of(pdf), Path::to_owned);
            Ok(files.iter().map(|pdf| (pdf.clone(), own(pdf))).collect())
        }
    }
}

/// `invoice.xml` or `invoice.XML`, whichever exists.
fn xml_of(pdf: &Path) -> PathBuf {
    let capital = pdf.with_extension("XML");
    let lower = pdf.with_extension("xml");
    if !lower.exists() && capital.exists() {
        capital
    } else {
        lower
    }
}

/// Writes a PDF with its invoice; returns what is printed.
fn one(
    (pdf, xml): (&Path, &Path),
    options: &CombineOptions,
    require_valid: bool,
    outputs: &mut Outputs,
    json: bool,
) -> Result<Vec<String>, String> {
    let bytes = read(pdf)?;
    let invoice = read(xml).map_err(|error| format!("{}: {error}", xml.display()))?;
    let combined = combine(&bytes, &invoice, options).map_err(|error| error.to_string())?;
    let report = check(&invoice, &CheckLimits::DEFAULT);
    if require_valid && !report.valid {
        return Err(lines(xml, &report, language_of_environment()).join("\n"));
    }
    let stem = pdf.file_stem().unwrap_or_else(|| OsStr::new("invoice"));
    let stem = stem.to_string_lossy();
    let (beside, within) = (format!("{stem}-hybrid.pdf"), format!("{stem}.pdf"));
    let written = outputs.write(pdf, &beside, &within, &combined.pdf)?;
    let reasons = combined.pdfa.reasons().iter();
    let reasons: Vec<String> = reasons.map(ToString::to_string).collect();
    let (profile, pdfa) = (named(&combined.profile), combined.pdfa.word());
    if json {
        let result = json!({
            "file": pdf.display().to_string(),
            "output": written,
            "profile": profile,
            "pdfa": pdfa,
            "reasons": reasons,
            "check": report,
        });
        return Ok(vec![result.to_string()]);
    }
    let verdict = result(&report, Language::English);
    let name = pdf.display();
    let mut lines = vec![format!(
        "{name}: {written}: {profile}, PDF/A {pdfa}, invoice {verdict}"
    )];
    lines.extend(reasons.iter().map(|reason| format!("  {reason}")));
    Ok(lines)
}
