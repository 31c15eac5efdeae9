//! `erp-server import`: imports master data from files into a data folder or a running server.

mod report;
mod upload;

use std::path::PathBuf;

use clap::Args;
use erp_core::Erp;
use jiff::Timestamp;

use super::backend::{Backend, BackendArgs};
use super::failure::Failure;
use super::media::bodies;
use crate::config::Settings;
use crate::import::{Import, ImportError, TriedFiles};
use crate::observe::audit::this_command;
use crate::store::{Store, Trial};
use report::{Counts, row_bar, show, warn};

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
    /// (`artikel.csv`)
    #[arg(long)]
    kind: Option<String>,
    /// Check every row and count what would change, without writing anything
    #[arg(long)]
    dry_run: bool,
    /// Print the counts of each file as one JSON object per line
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
        let imports: Vec<Import> = files
            .map(|file| Import::read(file, self.kind.as_deref()))
            .collect::<Result<_, _>>()
            .map_err(failure)?;
        let printed = Counts {
            json: self.json,
            dry_run: self.dry_run,
        };
        self.backend.run_on_new(async |backend| match backend {
            Backend::Store(erp, settings) => on_store(erp, settings, &imports, &printed).await,
            server if self.dry_run => upload::try_out(server, &imports, &printed).await,
            server => upload::send(server, &imports, &printed).await,
        })
    }
}

fn failure(error: ImportError) -> Failure {
    match error {
        ImportError::UnknownKind { .. } => Failure::usage(error.to_string()),
        error => error.into(),
    }
}

/// Dry-runs all files one after the other, then imports them.
async fn on_store(
    erp: &Erp<Store>,
    settings: &Settings,
    imports: &[Import],
    printed: &Counts,
) -> Result<(), Failure> {
    let bodies = bodies(settings);
    let trial = Trial::of(erp);
    let mut tried = TriedFiles::default();
    let mut reports = Vec::with_capacity(imports.len());
    for import in imports {
        let bar = row_bar("checking", &import.name);
        let watch = |done, all| show(&bar, done, all);
        let report = import.try_out(&trial, &bodies, &watch, &mut tried);
        reports.push(report.await?);
    }
    tried.result(&trial).await?;
    let office = trial.office(Timestamp::now());
    let missing = office.missing_to_sell().await?;
    drop(trial);
    for (import, report) in imports.iter().zip(&mut reports) {
        if !printed.dry_run {
            let bar = row_bar("importing", &import.name);
            let watch = |done, all| show(&bar, done, all);
            let actor = this_command();
            *report = import.run(erp, &bodies, &watch, actor.as_ref()).await?;
        }
        printed.print(Some(&import.name), report);
    }
    warn(&missing);
    Ok(())
}
