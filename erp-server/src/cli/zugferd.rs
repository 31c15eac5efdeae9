//! `erp-server zugferd`: processes e-invoice files, one or thousands, without a server and a store.

mod combine;
mod extract;
mod inspect;
mod output;

use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command};
use erp_core::zugferd::{Limits, Profile};
use indicatif::{ProgressBar, ProgressStyle};

use super::Failure;

pub(super) fn command() -> Command {
    Command::new("zugferd")
        .about("Embed invoices in PDF files, take them out, look into files")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(combine::command())
        .subcommand(extract::command())
        .subcommand(inspect::command())
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    match matches.subcommand() {
        Some(("combine", matches)) => combine::run(matches),
        Some(("extract", matches)) => extract::run(matches),
        Some(("inspect", matches)) => inspect::run(matches),
        _ => Err(Failure::usage("name what to do with the files")),
    }
}

fn files_argument(help: &'static str) -> Arg {
    Arg::new("files")
        .required(true)
        .action(ArgAction::Append)
        .num_args(1..)
        .value_name("FILE")
        .value_parser(clap::value_parser!(PathBuf))
        .help(help)
}

/// `--output`, `--output-dir`, `--force`.
fn output_arguments(command: Command, output: &'static str) -> Command {
    command
        .arg(
            Arg::new("output")
                .long("output")
                .short('o')
                .value_name("FILE")
                .value_parser(clap::value_parser!(PathBuf))
                .conflicts_with("output-dir")
                .help(output),
        )
        .arg(
            Arg::new("output-dir")
                .long("output-dir")
                .value_name("FOLDER")
                .value_parser(clap::value_parser!(PathBuf))
                .help("Write into this folder, which is made when it is missing"),
        )
        .arg(
            Arg::new("force")
                .long("force")
                .action(ArgAction::SetTrue)
                .help("Replace files that are there already"),
        )
}

fn files(matches: &ArgMatches) -> Vec<PathBuf> {
    let files = matches.get_many::<PathBuf>("files").unwrap_or_default();
    files.cloned().collect()
}

/// Reads an input file; one that exceeds the limit is rejected without reading it.
fn read(path: &Path) -> Result<Vec<u8>, String> {
    let limit = Limits::DEFAULT.pdf.input_bytes;
    let length = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if usize::try_from(length).is_ok_and(|length| length <= limit) {
        return fs::read(path).map_err(|error| error.to_string());
    }
    Err(format!("it has {length} bytes, {limit} are allowed"))
}

fn named(profile: &Profile) -> String {
    format!("{} {}", profile.standard, profile.xmp_level())
}

/// Progress of a batch: a line per finished file, a bar on a terminal, the number of failures.
struct Batch {
    bar: ProgressBar,
    files: usize,
    failed: usize,
    /// Whether results go to standard output, so that progress lines must not.
    stdout_taken: bool,
}

impl Batch {
    fn new(files: usize, stdout_taken: bool) -> Self {
        let bar = if files > 1 && io::stderr().is_terminal() {
            let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {eta} {msg}");
            let bar = ProgressBar::new(u64::try_from(files).unwrap_or(u64::MAX));
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        } else {
            ProgressBar::hidden()
        };
        Self {
            bar,
            files,
            failed: 0,
            stdout_taken,
        }
    }

    /// Processes one file; prints the returned lines under the name of the file.
    fn file(&mut self, path: &Path, work: impl FnOnce() -> Result<Vec<String>, String>) {
        let name = path.display().to_string();
        self.bar.set_message(name.clone());
        let done = work();
        self.bar.suspend(|| match &done {
            Ok(lines) => lines.iter().for_each(|line| self.say(line)),
            Err(error) => complain!("erp-server: {name}: {error}"),
        });
        self.failed = self.failed.saturating_add(usize::from(done.is_err()));
        self.bar.inc(1);
    }

    fn say(&self, line: &str) {
        if self.stdout_taken {
            complain!("{line}");
        } else {
            say!("{line}");
        }
    }

    fn end(self) -> Result<(), Failure> {
        self.bar.finish_and_clear();
        match self.failed {
            0 => Ok(()),
            failed => Err(Failure::new(format!(
                "{failed} of {} files failed",
                self.files
            ))),
        }
    }
}
