//! `erp-server zugferd read`.

use std::path::PathBuf;

use clap::Args;
use erp_core::zugferd::{CheckLimits, ExtractOptions, read};

use super::batch::{Batch, json_line};
use super::check::invoice;
use super::inputs::inputs;
use super::password::PasswordArgs;
use crate::cli::failure::Failure;
use crate::cli::print::ListArgs;

/// Print what invoices say, XML files or those in PDF files, as JSON by the numbers of the terms of EN 16931
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server zugferd read invoice.pdf")]
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
                let said = read(&invoice(input, &options)?, &CheckLimits::DEFAULT);
                let said = said.map_err(|error| error.to_string())?;
                Ok(vec![match self.list.json {
                    true => json_line(&input.path, None, &said)?,
                    false => format!("{said:#}"),
                }])
            });
        }
        batch.end()
    }
}
