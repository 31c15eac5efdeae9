//! Standard output and standard error of commands.
//!
//! A closed pipe (`| head`) does not end a command: further output is dropped and the work is completed. Any other
//! error of standard output is reported at the end.

use std::fmt;
use std::io::{self, ErrorKind, IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};

use super::Failure;

/// Prints a line on standard output.
macro_rules! say {
    ($($part:tt)*) => { $crate::cli::print::text(format_args!("{}\n", format_args!($($part)*))) };
}

/// Prints a line on standard error.
macro_rules! complain {
    ($($part:tt)*) => { $crate::cli::print::error(format_args!("{}\n", format_args!($($part)*))) };
}

/// The first error of standard output; after it nothing more is written.
static FAILED: Mutex<Option<io::Error>> = Mutex::new(None);

/// Writes to standard output.
pub(super) fn text(text: fmt::Arguments<'_>) {
    let mut failed = FAILED.lock().unwrap_or_else(PoisonError::into_inner);
    if failed.is_none() {
        *failed = io::stdout().lock().write_fmt(text).err();
    }
}

/// Writes to standard error. Errors are ignored, as there is nowhere to report them.
pub(super) fn error(text: fmt::Arguments<'_>) {
    let _ = io::stderr().lock().write_fmt(text);
}

/// Prints a table: on a terminal aligned with a header, elsewhere one tab-separated line per row.
pub(super) fn table<const N: usize>(head: [&str; N], rows: impl Iterator<Item = Vec<String>>) {
    if !io::stdout().is_terminal() {
        return rows.for_each(|row| say!("{}", row.join("\t")));
    }
    let head = Vec::from(head.map(str::to_owned));
    for line in aligned(std::iter::once(head).chain(rows).collect()) {
        say!("{line}");
    }
}

/// Pads every column but the last to its longest cell.
fn aligned(rows: Vec<Vec<String>>) -> Vec<String> {
    let wide = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let columns = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns)
        .map(|column| wide(column).map(|cell| cell.chars().count()).max())
        .map(Option::unwrap_or_default)
        .collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths);
        let cells: String = cells
            .map(|(cell, width)| format!("{cell:width$}  "))
            .collect();
        cells.trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// Flushes standard output.
///
/// # Errors
/// When it could not be written, unless the reader closed it.
pub(super) fn finish() -> Result<(), Failure> {
    let failed = FAILED.lock().unwrap_or_else(PoisonError::into_inner).take();
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
        let rows = rows.map(|row| row.map(str::to_owned).into()).into();
        assert_eq!(aligned(rows), ["name    role", "Zürich  shop", "a       -"]);
    }
}
