//! `erp-server zugferd extract`.

use std::ffi::OsStr;
use std::path::Path;

use clap::{Arg, ArgMatches, Command};
use erp_core::zugferd::{ExtractOptions, extract};

use super::output::Outputs;
use super::{Batch, files, files_argument, named, output_arguments, read};
use crate::cli::Failure;

pub(super) fn command() -> Command {
    let command = Command::new("extract")
        .about("Take the XML invoices out of PDF files")
        .long_about(
            "Take the XML invoices out of PDF files. That of `invoice.pdf` is written to `invoice.xml` \
             beside it or in `--output-dir`.\n\n\
             Exit codes: 0 all done, 1 some failed, 2 wrong command line.",
        )
        .arg(files_argument("PDF files"))
        .arg(
            Arg::new("file-name")
                .long("file-name")
                .value_name("NAME")
                .help("The embedded invoice of this name, where there are several"),
        );
    output_arguments(command, "Write this file; `-` is standard output")
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let files = files(matches);
    let outputs = Outputs::of(matches, files.len())?;
    let mut batch = Batch::new(files.len(), outputs.is_stdout());
    let options = ExtractOptions {
        file_name: matches.get_one::<String>("file-name").cloned(),
        ..ExtractOptions::default()
    };
    for pdf in &files {
        batch.file(pdf, || one(pdf, &options, &outputs));
    }
    batch.end()
}

fn one(pdf: &Path, options: &ExtractOptions, outputs: &Outputs) -> Result<Vec<String>, String> {
    let bytes = read(pdf)?;
    let extracted = extract(&bytes, options).map_err(|error| error.to_string())?;
    let stem = pdf.file_stem().unwrap_or_else(|| OsStr::new("invoice"));
    let name = format!("{}.xml", stem.to_string_lossy());
    let written = outputs.write(pdf, &name, &name, &extracted.xml)?;
    let profile = extracted.profile.as_ref();
    let profile = profile.map_or_else(|| "profile not known".to_owned(), named);
    let mut lines = vec![format!(
        "{}: {written}: {profile}, embedded as `{}`",
        pdf.display(),
        visible(&extracted.file_name)
    )];
    let fault = extracted.fault.iter();
    lines.extend(fault.map(|fault| format!("  the XML is not well-formed: {fault}")));
    let others = extracted.others.iter();
    lines.extend(others.map(|other| {
        format!(
            "  another invoice is attached: `{}`",
            visible(&other.file_name)
        )
    }));
    Ok(lines)
}

/// A name from a file, without terminal control characters.
pub(super) fn visible(name: &str) -> String {
    let plain = |character: char| {
        if character.is_control() {
            '?'
        } else {
            character
        }
    };
    name.chars().map(plain).collect()
}
