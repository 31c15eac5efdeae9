//! Standard input, output and error of commands.
//!
//! A closed pipe (`| head`) does not end a command: further output is dropped and the work is completed. Any other
//! error of standard output is reported at the end.

use std::fmt;
use std::io::{self, BufRead as _, ErrorKind, IsTerminal as _, Write as _};
use std::sync::Mutex;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

use super::failure::Failure;
use crate::lock::lock;

macro_rules! say {
    ($($part:tt)*) => { $crate::cli::print::text(format_args!("{}\n", format_args!($($part)*))) };
}

macro_rules! complain {
    ($($part:tt)*) => { $crate::cli::print::error(format_args!("{}\n", format_args!($($part)*))) };
}

/// The first error of standard output; after it nothing more is written.
static FAILED: Mutex<Option<io::Error>> = Mutex::new(None);

pub(super) fn text(text: fmt::Arguments<'_>) {
    let mut failed = lock(&FAILED);
    if failed.is_none() {
        *failed = io::stdout().lock().write_fmt(text).err();
    }
}

/// Writes to standard error. Errors are ignored, as there is nowhere to report them.
pub(super) fn error(text: fmt::Arguments<'_>) {
    let _ = io::stderr().lock().write_fmt(text);
}

/// Reads a line of standard input, which is asked for on a terminal.
pub(super) fn ask(what: &str) -> io::Result<String> {
    if io::stdin().is_terminal() {
        complain!("{what}:");
    }
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(line)
}

/// How a list is printed.
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Print one JSON object per line
    #[arg(long)]
    pub(super) json: bool,
}

/// How the result of a command is printed.
#[derive(Debug, Args)]
pub(super) struct ResultArgs {
    /// Print the result as one JSON object
    #[arg(long)]
    pub(super) json: bool,
}

impl ResultArgs {
    pub(super) fn print(&self, result: &Value, words: impl fmt::Display) {
        if self.json {
            say!("{result}")
        } else {
            say!("{words}")
        }
    }
}

impl ListArgs {
    /// Prints the entries of a list: as JSON, or as a table with one row for each.
    pub(super) fn print<const N: usize>(
        &self,
        entries: &[Value],
        head: [&str; N],
        row: impl Fn(&Value) -> [String; N],
    ) {
        self.print_page(entries, head, row, true);
    }

    /// Prints a page of a list; only the first has the head.
    pub(super) fn print_page<const N: usize>(
        &self,
        entries: &[Value],
        head: [&str; N],
        row: impl Fn(&Value) -> [String; N],
        is_first: bool,
    ) {
        if self.json {
            return entries.iter().for_each(|entry| say!("{entry}"));
        }
        let lines = lines(head, entries.iter().map(row));
        let lines = lines.iter().skip(usize::from(!is_first));
        lines.for_each(|line| say!("{line}"));
    }
}

/// The lines of a table, first its head: aligned on a terminal, tab-separated elsewhere.
pub(super) fn lines<const N: usize>(
    head: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
) -> Vec<String> {
    let head = head.map(str::to_owned);
    let rows = std::iter::once(head).chain(rows);
    if io::stdout().is_terminal() {
        aligned(&rows.collect::<Vec<_>>())
    } else {
        rows.map(|row| row.join("\t")).collect()
    }
}

/// Whether standard output is still read. A long list ends when it is not.
pub(super) fn is_read() -> bool {
    lock(&FAILED).is_none()
}

/// Pads every column but the last to its longest cell.
fn aligned<const N: usize>(rows: &[[String; N]]) -> Vec<String> {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(&widths);
        let cells: String = cells
            .map(|(cell, width)| format!("{cell:width$}  "))
            .collect();
        cells.trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// A progress bar on a terminal, whose end the caller sets; no output elsewhere.
pub(super) fn bar(template: &str, message: impl Into<String>) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(template);
    ProgressBar::no_length()
        .with_message(message.into())
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

pub(super) fn byte_bar(message: &'static str) -> ProgressBar {
    bar("{msg} {wide_bar} {bytes} of {total_bytes}", message)
}

/// Flushes standard output; fails when it could not be written, unless the reader closed it.
pub(super) fn finish() -> Result<(), Failure> {
    let failed = lock(&FAILED).take();
    match failed.map_or_else(|| io::stdout().lock().flush(), Err) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::new(format!(
            "standard output cannot be written: {error}"
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_longest_cells() {
        let rows = [["name", "role"], ["Zürich", "shop"], ["a", "-"]];
        let rows = rows.map(|row| row.map(str::to_owned));
        assert_eq!(
            aligned(&rows),
            ["name    role", "Zürich  shop", "a       -"]
        );
    }
}
