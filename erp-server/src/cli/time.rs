//! Times on the command line.

use jiff::Timestamp;

/// Parses the time of an option.
pub(super) fn time(text: &str) -> Result<Timestamp, String> {
    text.parse()
        .map_err(|_| "expected a time like `2026-06-01T10:00:00Z`".to_owned())
}
