//! `erp-server import`: sends the rows of files to `POST /admin/import`, of a running server or of this process.

mod file;
mod problems;
mod send;

use std::path::PathBuf;

use clap::Args;
use erp_core::internal::Stated;
use serde_json::json;

use super::backend::BackendArgs;
use super::failure::Failure;
use super::json::with;
use super::open::Opening;
use crate::import::Form;
use file::ImportFile;
use send::{Imported, Rows, store_files};

fn form(name: &str) -> Result<Form, String> {
    let known = Form::NAMES.join(" or ");
    Form::parse(name).ok_or_else(|| format!("expected {known}"))
}

/// Import master data; nothing is written when a row of any file cannot be imported
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        erp-server import --dry-run articles.ndjson preis.csv\n  \
        erp-server import --kind artikel products.csv --server https://erp.example.com --login admin")]
pub(super) struct ImportCommand {
    /// NDJSON (one object per line) or CSV files, in this order; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Kind of the rows of CSV files and of standard input that is CSV; without it the name of the file is the kind
    /// (`artikel.csv`), or its columns tell it
    #[arg(long)]
    kind: Option<String>,
    /// How CSV files write numbers: `excel-de` with a comma before the decimals, `excel-ch` with a point; without it each
    /// column shows its form
    #[arg(long, value_parser = form)]
    form: Option<Form>,
    /// Check every row and count what would change, without writing anything
    #[arg(long)]
    dry_run: bool,
    /// Print the counts as one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    backend: BackendArgs,
}

impl ImportCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        let inputs = self.files.iter().filter(|file| file.as_os_str() == "-");
        match inputs.count() {
            0 => {}
            1 => self.backend.require_stdin("the rows")?,
            _ => return Err(Failure::usage("standard input can be read only once")),
        }
        // Everything is parsed before a store is opened.
        let files = self.files.iter();
        let mut stated = Stated::default();
        let of_csv = (self.kind.as_deref(), self.form);
        let files = files.map(|file| ImportFile::read(file, of_csv, &mut stated));
        let mut files: Vec<ImportFile> = files.collect::<Result<_, _>>()?;
        let opening = if self.dry_run {
            Opening::Trial
        } else {
            Opening::InFolder
        };
        let mut imported = self.backend.run_on(opening, async |backend| {
            if self.dry_run || files.iter().any(ImportFile::is_wrong) {
                return Rows::of(&files).try_out(backend).await;
            }
            for file in &mut files {
                store_files(backend, file).await?;
            }
            Rows::of(&files).import(backend).await
        })?;
        let changed = std::mem::take(&mut imported.report.changed_members);
        for warning in files.iter().flat_map(|file| file.warnings(&changed)) {
            imported.report.warn(warning);
        }
        self.print(&files, &imported);
        Ok(())
    }

    /// Prints what became of all rows. Only of a single file the name is told.
    fn print(&self, files: &[ImportFile], imported: &Imported) {
        let report = &imported.report;
        let file = match files {
            [file] => Some(file.name.as_str()),
            _ => None,
        };
        if self.json {
            let result = with(json!(report), "file", file);
            say!("{}", with(result, "dry_run", self.dry_run));
        } else {
            let file = file.map_or_else(String::new, |file| format!("{file}: "));
            let dry_run = if self.dry_run { "dry run: " } else { "" };
            say!("{file}{dry_run}{}", imported.counts());
            for warning in &report.warnings {
                say!("warning: {warning}");
            }
        }
        for warning in &imported.missing {
            complain!("erp-server: warning: {warning}");
        }
        for note in &imported.notes {
            if self.json {
                complain!("erp-server: {note}");
            } else {
                say!("{note}");
            }
        }
    }
}
