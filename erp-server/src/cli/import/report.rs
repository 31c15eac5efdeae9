//! Reports the progress and the counts of an import.

use erp_core::erp::ImportReport;
use indicatif::ProgressBar;
use serde_json::json;

use crate::cli::json::with;
use crate::cli::progress::bar;

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
        count => format!(", {count} orders, offers and invoices skipped"),
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

pub(super) fn row_bar(what: &str, name: &str) -> ProgressBar {
    let message = format!("{what} {name}");
    bar("{msg} {wide_bar} {pos}/{len} {per_sec} {eta}", message)
}

/// Shows on a bar how many rows are written, and of how many.
pub(super) fn show(bar: &ProgressBar, done: usize, all: usize) {
    bar.set_length(all as u64);
    bar.set_position(done as u64);
    if done == all {
        bar.finish_and_clear();
    }
}
