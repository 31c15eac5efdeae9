//! `erp-server import`: master data from files, without a running server.

use std::io::IsTerminal as _;
use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, Command};
use indicatif::{ProgressBar, ProgressStyle};

use super::media::bodies;
use super::{Failure, open_erp, runtime, settings, with_settings};
use crate::master_data::{Import, Progress};

pub(super) fn command() -> Command {
    let files = Arg::new("files")
        .required(true)
        .action(ArgAction::Append)
        .num_args(1..)
        .value_name("FILE")
        .help("NDJSON (one object a line) or CSV files, in this order");
    let kind = Arg::new("kind")
        .long("kind")
        .value_name("KIND")
        .help("Kind of the rows of CSV files; without it the file's name tells (`artikel.csv`)");
    with_settings(
        Command::new("import")
            .about("Import master data; the server must not run")
            .arg(files)
            .arg(kind),
    )
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let kind = matches.get_one::<String>("kind").map(String::as_str);
    let files = matches.get_many::<String>("files").unwrap_or_default();
    let imports: Vec<Import> = files
        .map(|file| Import::of(Path::new(file), kind))
        .collect::<Result<_, _>>()
        .map_err(Failure::usage)?;
    let settings = settings(matches)?;
    let erp = open_erp(&settings)?;
    let bodies = bodies(&settings);
    let done = runtime()?.block_on(async {
        for import in &imports {
            let name = import.path.display().to_string();
            let report = import.run(&erp, &bodies, &Bar::new(&name)).await?;
            let skipped = match report.skipped {
                0 => String::new(),
                count => format!("; {count} rows of orders and offers were read over"),
            };
            println!(
                "{name}: {} rows: {} records added, {} changed, {} removed, {} unchanged{skipped}",
                report.rows, report.added, report.changed, report.removed, report.unchanged
            );
        }
        Ok(())
    });
    erp.store().close()?;
    done
}

/// A progress bar on a terminal, nothing elsewhere.
struct Bar(ProgressBar);

impl Bar {
    fn new(name: &str) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}");
        let bar = ProgressBar::no_length().with_message(name.to_owned());
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
