//! Reports the progress and the counts of an import.

use std::io::IsTerminal as _;

use erp_core::erp::ImportReport;
use indicatif::{ProgressBar, ProgressStyle};

use crate::import::Progress;

/// The counts of an import; those of rows are summed.
pub(super) fn counts(report: &ImportReport) -> String {
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
pub(super) struct Bar(ProgressBar);

impl Bar {
    pub(super) fn new(what: &str, name: &str) -> Self {
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
