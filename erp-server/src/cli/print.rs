//! Standard output and standard error of commands.
//!
//! A reader that closes its end of the pipe (`| head`) does not end a command: the rest of the output is
//! dropped, the work is finished. Any other error of standard output is reported at the end.

use std::fmt;
use std::io::{self, ErrorKind, Write as _};
use std::sync::{Mutex, PoisonError};

use super::Failure;

/// The first error of standard output; nothing more is written after it.
static FAILED: Mutex<Option<io::Error>> = Mutex::new(None);

/// Writes to standard output.
pub(super) fn text(text: fmt::Arguments<'_>) {
    let mut failed = FAILED.lock().unwrap_or_else(PoisonError::into_inner);
    if failed.is_none() {
        *failed = io::stdout().lock().write_fmt(text).err();
    }
}

/// Writes to standard error. There is no place to report that this failed.
pub(super) fn error(text: fmt::Arguments<'_>) {
    let _ = io::stderr().lock().write_fmt(text);
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

/// Prints a line on standard output.
macro_rules! say {
    ($($part:tt)*) => { $crate::cli::print::text(format_args!("{}\n", format_args!($($part)*))) };
}

/// Prints a line on standard error.
macro_rules! complain {
    ($($part:tt)*) => { $crate::cli::print::error(format_args!("{}\n", format_args!($($part)*))) };
}
