//! Progress bars.

use std::io::{self, IsTerminal as _};

use indicatif::{ProgressBar, ProgressStyle};

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
