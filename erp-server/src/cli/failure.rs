//! Why a command failed, and its exit code.

use std::fmt::Display;
use std::io;
use std::path::Path;

use erp_core::erp::Error;

/// Exit code: invalid command line.
pub(super) const USAGE: u8 = 2;
/// Exit code: another process has the store open.
pub(super) const LOCKED: u8 = 3;
/// Exit code: the store is damaged.
pub(super) const DAMAGED: u8 = 4;
/// Exit code: the store failed during operation. The next start may repair it.
pub(super) const STORE_FAILED: u8 = 5;

/// Why a command failed, with its exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(super) code: u8,
    pub(super) message: String,
}

impl Failure {
    pub(super) fn coded(code: u8, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { code, message }
    }

    pub(super) fn new(message: impl Into<String>) -> Self {
        Self::coded(1, message)
    }

    /// The end of a command whose output is no longer read: it counts as success.
    pub(super) fn quiet() -> Self {
        Self::coded(0, "")
    }

    /// The same failure, with its place before the message.
    pub(super) fn at(self, place: impl Display) -> Self {
        let message = format!("{place}: {}", self.message);
        Self { message, ..self }
    }

    pub(super) fn cannot_write(path: &Path, error: &io::Error) -> Self {
        Self::new(format!("`{}` cannot be written: {error}", path.display()))
    }

    pub(super) fn exists(path: &Path) -> Self {
        Self::usage(format!("`{}` exists already", path.display()))
    }

    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self::coded(USAGE, message)
    }
}

impl<E: std::error::Error + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        let any: &(dyn std::error::Error + 'static) = &error;
        match any.downcast_ref::<Error>() {
            Some(Error::Invalid(problems) | Error::Malformed(problems)) => {
                let lines = problems
                    .as_slice()
                    .iter()
                    .map(|problem| format!("\n  {problem}"));
                Self::new(format!("{error}:{}", lines.collect::<String>()))
            }
            _ => Self::new(error.to_string()),
        }
    }
}
