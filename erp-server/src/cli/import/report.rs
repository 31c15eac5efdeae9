//! Reports the progress and the counts of an import.

use std::fmt;
use std::io::IsTerminal as _;
use std::time::Duration;

use erp_core::erp::ImportReport;
use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};
use serde_json::json;

use crate::cli::json::with;
use crate::import::Progress;

/// An estimate from less is far off.
const ESTIMATED_AFTER: Duration = Duration::from_secs(2);

/// How the counts of an import are printed.
pub(super) struct Counts {
    pub(super) json: bool,
    pub(super) dry_run: bool,
}

impl Counts {
    /// Prints the counts of a file, or of all files together.
    pub(super) fn print(&self, file: Option<&str>, report: &ImportReport) {
        if !self.json {
            let name = file.map_or_else(String::new, |file| format!("{file}: "));
            let dry_run = if self.dry_run { "dry run: " } else { "" };
            say!("{name}{dry_run}{}", counts(report));
            for warning in &report.warnings {
                say!("{name}warning: {warning}");
            }
            return;
        }
        let result = with(json!(report), "file", file);
        say!("{}", with(result, "dry_run", self.dry_run));
    }
}

/// Prints what is missing to sell anything after the last file.
pub(super) fn warn(warnings: &[String]) {
    for warning in warnings {
        complain!("erp-server: warning: {warning}");
    }
}

fn counts(report: &ImportReport) -> String {
    let skipped = match report.skipped {
        0 => String::new(),
        count => format!(", {count} orders and offers skipped"),
    };
    format!(
        "{} {}: {} added, {} changed, {} removed, {} unchanged{skipped}",
        report.rows,
        if report.rows == 1 { "row" } else { "rows" },
        report.added,
        report.changed,
        report.removed,
        report.unchanged
    )
}

/// A progress bar on a terminal; no output elsewhere.
pub(super) struct Bar(ProgressBar);

impl Bar {
    pub(super) fn new(what: &str, name: &str) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {rate} {left}");
        let style = style.map(|style| style.with_key("rate", rate).with_key("left", left));
        let bar = ProgressBar::no_length().with_message(format!("{what} {name}"));
        Self(bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())))
    }
}

/// Rows per second.
fn rate(state: &ProgressState, out: &mut dyn fmt::Write) {
    let _ = write!(out, "{:.0}/s", state.per_sec());
}

/// The time an import still needs, once it can be estimated.
fn left(state: &ProgressState, out: &mut dyn fmt::Write) {
    if state.elapsed() >= ESTIMATED_AFTER {
        let _ = write!(out, "{} left", HumanDuration(state.eta()));
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
