//! `erp-server import`: imports master data from files into a data folder or a running server.

mod upload;

use std::io::IsTerminal as _;
use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, Command};
use erp_core::Erp;
use erp_core::erp::ImportReport;
use indicatif::{ProgressBar, ProgressStyle};

use super::Failure;
use super::media::bodies;
use super::place::{Place, at_new_place, own_input, with_place};
use crate::audit::this_command;
use crate::config::Settings;
use crate::master_data::{Import, ImportError, Progress};
use crate::store::{Store, Trial};

pub(super) fn command() -> Command {
    let files = Arg::new("files")
        .required(true)
        .action(ArgAction::Append)
        .num_args(1..)
        .value_name("FILE")
        .help("NDJSON (one object a line) or CSV files, in this order; `-` is standard input");
    let kind = Arg::new("kind")
        .long("kind")
        .value_name("KIND")
        .help("Kind of the rows of CSV files and of standard input that is CSV; without it the file's name says it (`artikel.csv`)");
    let dry_run = Arg::new("dry-run")
        .long("dry-run")
        .action(ArgAction::SetTrue)
        .help("Check every row and count what would change, without writing anything");
    with_place(
        Command::new("import")
            .about(
                "Import master data; nothing is written when a row of any file cannot be imported",
            )
            .arg(files)
            .arg(kind)
            .arg(dry_run),
    )
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let kind = matches.get_one::<String>("kind").map(String::as_str);
    let files = matches.get_many::<String>("files").unwrap_or_default();
    let inputs = files.clone().filter(|file| *file == "-").count();
    if inputs > 1 {
        return Err(Failure::usage("standard input can be read only once"));
    }
    if inputs > 0 {
        own_input(matches, "the rows")?;
    }
    // Everything is parsed before a store is opened.
    let imports: Vec<Import> = files
        .map(|file| Import::read(Path::new(file), kind))
        .collect::<Result<_, _>>()
        .map_err(failure)?;
    let dry_run = matches.get_flag("dry-run");
    at_new_place(matches, async |place| match place {
        Place::Offline(erp, settings) => offline(erp, settings, &imports, dry_run).await,
        Place::Online(remote) if dry_run => upload::try_out(remote, &imports).await,
        Place::Online(remote) => upload::send(remote, &imports).await,
    })
}

fn failure(error: ImportError) -> Failure {
    match error {
        ImportError::UnknownKind { .. } => Failure::usage(error.to_string()),
        error => error.into(),
    }
}

/// Dry-runs all files one after the other, then imports them.
async fn offline(
    erp: &Erp<Store>,
    settings: &Settings,
    imports: &[Import],
    dry_run: bool,
) -> Result<(), Failure> {
    let bodies = bodies(settings);
    let trial = Trial::of(erp);
    let mut reports = Vec::with_capacity(imports.len());
    for import in imports {
        let bar = Bar::new("checking", &import.name);
        reports.push(import.try_out(&trial, &bodies, &bar).await?);
    }
    drop(trial);
    if dry_run {
        for (import, report) in imports.iter().zip(&reports) {
            say!("{}: dry run: {}", import.name, counts(report));
        }
        return Ok(());
    }
    for import in imports {
        let bar = Bar::new("importing", &import.name);
        let report = import
            .run(erp, &bodies, &bar, this_command().as_ref())
            .await?;
        say!("{}: {}", import.name, counts(&report));
    }
    Ok(())
}

/// The counts of an import; those of rows are summed.
fn counts(report: &ImportReport) -> String {
    let skipped = match report.skipped {
        0 => String::new(),
        count => format!(", {count} orders and offers skipped"),
    };
    format!(
        "{} rows: {} added, {} changed, {} removed, {} unchanged{skipped}",
        report.rows, report.added, report.changed, report.removed, report.unchanged
    )
}

/// A progress bar on a terminal; no output elsewhere.
struct Bar(ProgressBar);

impl Bar {
    fn new(what: &str, name: &str) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {elapsed}");
        let bar = ProgressBar::no_length().with_message(format!("{what} {name}"));
        Self(bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())))
    }
}

impl Progress for Bar {
    fn begin(&self, rows: usize) {
        self.0.set_length(u64::try_from(rows).unwrap_or(u64::MAX));
    }

    fn advance(&self, rows: usize) {
        self.0.inc(u64::try_from(rows).unwrap_or(u64::MAX));
    }

    fn end(&self) {
        self.0.finish_and_clear();
    }
}
