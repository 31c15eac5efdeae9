//! `erp-server zugferd combine`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command};
use erp_core::zugferd::{CombineOptions, Limits, combine};
use jiff::Timestamp;

use super::output::Outputs;
use super::{Batch, files, files_argument, named, output_arguments, read};
use crate::cli::Failure;

pub(super) fn command() -> Command {
    let command = Command::new("combine")
        .about("Embed an XML invoice in a PDF, or in each of many PDF files the one with its name")
        .long_about(
            "Embed an XML invoice in a PDF: `combine invoice.pdf invoice.xml`.\n\n\
             Without an XML among the files each PDF gets the XML of the same name beside it, or the one \
             `--xml` names: `combine --output-dir done *.pdf`. The result of `invoice.pdf` is \
             `invoice-hybrid.pdf` beside it, or `invoice.pdf` in `--output-dir`.\n\n\
             Exit codes: 0 all done, 1 some failed, 2 wrong command line.",
        )
        .arg(files_argument("A PDF and an XML, or PDF files"))
        .arg(
            Arg::new("xml")
                .long("xml")
                .value_name("XML")
                .value_parser(clap::value_parser!(PathBuf))
                .help("The XML for every PDF"),
        )
        .arg(
            Arg::new("require-pdfa")
                .long("require-pdfa")
                .action(ArgAction::SetTrue)
                .help("Refuse a PDF that cannot become PDF/A-3 instead of writing it without a claim"),
        )
        .arg(
            Arg::new("decrypt")
                .long("decrypt")
                .action(ArgAction::SetTrue)
                .help("Take the encryption off a PDF that opens without a password"),
        );
    output_arguments(command, "Write this file; `-` is standard output")
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let xml = matches.get_one::<PathBuf>("xml").cloned();
    let pairs = pairs(files(matches), xml)?;
    let outputs = Outputs::of(matches, pairs.len())?;
    let mut batch = Batch::new(pairs.len(), outputs.is_stdout());
    let options = CombineOptions {
        now: Some(Timestamp::now()),
        require_pdfa: matches.get_flag("require-pdfa"),
        decrypt: matches.get_flag("decrypt"),
        limits: Limits::DEFAULT,
    };
    for (pdf, xml) in &pairs {
        batch.file(pdf, || one(pdf, xml, &options, &outputs));
    }
    batch.end()
}

fn is_xml(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("xml"))
}

/// Pairs each PDF with its XML.
fn pairs(
    mut files: Vec<PathBuf>,
    xml: Option<PathBuf>,
) -> Result<Vec<(PathBuf, PathBuf)>, Failure> {
    let is_pair = matches!(files.as_slice(), [pdf, xml] if is_xml(xml) && !is_xml(pdf));
    match (is_pair, xml) {
        (true, Some(_)) => Err(Failure::usage(
            "the XML is named twice, as a file and by `--xml`",
        )),
        (true, None) => Ok(files
            .pop()
            .into_iter()
            .filter_map(|xml| Some((files.pop()?, xml)))
            .collect()),
        (false, _) if files.iter().any(|file| is_xml(file)) => Err(Failure::usage(
            "an XML stands among the PDF files; give one PDF and its XML, or name the XML with `--xml`",
        )),
        (false, xml) => {
            let pair = |pdf: PathBuf| {
                let own = xml.clone().unwrap_or_else(|| xml_beside(&pdf));
                (pdf, own)
            };
            Ok(files.into_iter().map(pair).collect())
        }
    }
}

/// `invoice.xml` or `invoice.XML`, whichever exists.
fn xml_beside(pdf: &Path) -> PathBuf {
    let capital = pdf.with_extension("XML");
    let lower = pdf.with_extension("xml");
    if !lower.exists() && capital.exists() {
        capital
    } else {
        lower
    }
}

fn one(
    pdf: &Path,
    xml: &Path,
    options: &CombineOptions,
    outputs: &Outputs,
) -> Result<Vec<String>, String> {
    let bytes = read(pdf)?;
    let invoice = read(xml).map_err(|error| format!("{}: {error}", xml.display()))?;
    let combined = combine(&bytes, &invoice, options).map_err(|error| error.to_string())?;
    let stem = pdf.file_stem().unwrap_or_else(|| OsStr::new("invoice"));
    let stem = stem.to_string_lossy();
    let written = outputs.write(
        pdf,
        &format!("{stem}-hybrid.pdf"),
        &format!("{stem}.pdf"),
        &combined.pdf,
    )?;
    let mut lines = vec![format!(
        "{}: {written}: {}, PDF/A {}",
        pdf.display(),
        named(&combined.profile),
        combined.pdfa.word()
    )];
    let reasons = combined.pdfa.reasons().iter();
    lines.extend(reasons.map(|reason| format!("  {reason}")));
    Ok(lines)
}
