//! `erp-server zugferd extract`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::Args;
use erp_core::zugferd::{ExtractOptions, extract};
use serde_json::json;

use super::batch::{Batch, named, read};
use super::output::{OutputArgs, Outputs};
use super::password::PasswordArgs;
use crate::cli::failure::Failure;
use crate::cli::print::ListArgs;

/// Extract the XML invoices of PDF files
///
/// That of `invoice.pdf` is written to `invoice.xml` in its folder or in `--output-dir`.
///
/// Exit codes: 0 all done, 1 some failed, 2 wrong command line.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server zugferd extract --output-dir invoices *.pdf")]
pub(in crate::cli) struct Extract {
    /// PDF files
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The embedded invoice of this name, where there are several
    #[arg(long, value_name = "NAME")]
    file_name: Option<String>,
    #[command(flatten)]
    password: PasswordArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    list: ListArgs,
}

impl Extract {
    pub(in crate::cli) fn run(self) -> Result<(), Failure> {
        let mut outputs = self.output.open(self.files.len())?;
        let mut batch = Batch::new(self.files.len(), outputs.is_stdout());
        let options = ExtractOptions {
            file_name: self.file_name,
            password: self.password.read()?,
            ..ExtractOptions::default()
        };
        for pdf in &self.files {
            batch.file(pdf, || one(pdf, &options, &mut outputs, self.list.json));
        }
        batch.end()
    }
}

fn one(
    pdf: &Path,
    options: &ExtractOptions,
    outputs: &mut Outputs,
    json: bool,
) -> Result<Vec<String>, String> {
    let bytes = read(pdf)?;
    let extracted = extract(&bytes, options).map_err(|error| error.to_string())?;
    let stem = pdf.file_stem().unwrap_or_else(|| OsStr::new("invoice"));
    let name = format!("{}.xml", stem.to_string_lossy());
    let written = outputs.write(pdf, &name, &name, &extracted.xml)?;
    let profile = extracted.profile.as_ref();
    if json {
        let others = extracted.others.iter().map(|other| &other.file_name);
        let result = json!({
            "file": pdf.display().to_string(),
            "output": written,
            "profile": profile.map(named),
            "embedded_as": extracted.file_name,
            "fault": extracted.fault.as_ref().map(ToString::to_string),
            "others": others.collect::<Vec<_>>(),
        });
        return Ok(vec![result.to_string()]);
    }
    let profile = profile.map_or_else(|| "unknown profile".to_owned(), named);
    let mut lines = vec![format!(
        "{}: {written}: {profile}, embedded as `{}`",
        pdf.display(),
        visible(&extracted.file_name)
    )];
    let fault = extracted.fault.iter();
    lines.extend(fault.map(|fault| format!("  the XML is not well-formed: {fault}")));
    let others = extracted.others.iter().map(|other| &other.file_name);
    lines.extend(others.map(|name| format!("  another invoice is attached: `{}`", visible(name))));
    Ok(lines)
}

/// A name from a file, without terminal control characters.
pub(super) fn visible(name: &str) -> String {
    name.replace(char::is_control, "?")
}
