//! `erp-server zugferd read`.

use std::path::PathBuf;

use clap::Args;
use erp_core::zugferd::{ExtractOptions, read};

use super::batch::{Batch, json_line};
use super::check::invoice;
use super::inputs::inputs;
use super::password::PasswordArgs;
use crate::cli::failure::Failure;
use crate::cli::print::ListArgs;

/// Print what invoices say, XML files or those in PDF files, as JSON by the numbers of the terms of EN 16931
///
/// An invoice in CII or UBL is a JSON object on many lines, with `--json` on one line with the name of its `file`. Of a
/// folder all files `*.xml` and `*.pdf` are read, those of folders inside it too.
///
/// Exit codes: 0 all read, 1 some cannot be read, 2 wrong command line.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server zugferd read --json invoice.pdf invoice.xml")]
pub(in crate::cli) struct Read {
    /// XML or PDF files, or folders with them; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The embedded invoice of this name, where a PDF has several
    #[arg(long, value_name = "NAME")]
    file_name: Option<String>,
    #[command(flatten)]
    password: PasswordArgs,
    #[command(flatten)]
    list: ListArgs,
}

impl Read {
    pub(in crate::cli) fn run(self) -> Result<(), Failure> {
        let inputs = inputs(&self.files)?;
        let mut batch = Batch::new(inputs.len(), false);
        let options = ExtractOptions {
            file_name: self.file_name,
            password: self.password.read()?,
            ..ExtractOptions::default()
        };
        for input in &inputs {
            batch.file(&input.path, || {
                let xml = invoice(input, &options)?;
                let terms = read(&xml, &options).map_err(|error| error.to_string())?;
                let line = if self.list.json {
                    json_line(&input.path, None, &terms)?
                } else {
                    serde_json::to_string_pretty(&terms).map_err(|error| error.to_string())?
                };
                Ok(vec![line])
            });
        }
        batch.end()
    }
}
