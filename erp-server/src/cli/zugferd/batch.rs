//! Reads input files and reports what was done with each.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use erp_core::zugferd::{Language, Limits, Profile};
use indicatif::ProgressBar;
use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::failure::Failure;
use crate::cli::json::with;
use crate::cli::print::bar;

/// Reads an input file, or standard input for `-`; one that exceeds the limit is rejected without keeping it.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, String> {
    let input: Box<dyn Read> = if path.as_os_str() == "-" {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(path).map_err(|error| error.to_string())?)
    };
    let limit = Limits::DEFAULT.pdf.input_bytes;
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    let read = input.take(most).read_to_end(&mut bytes);
    read.map_err(|error| error.to_string())?;
    if bytes.len() > limit {
        return Err(format!(
            "it has more than the {limit} bytes that are allowed"
        ));
    }
    Ok(bytes)
}

/// A result as a line of JSON, with the name of its file, and of the one that was written.
pub(super) fn json_line(
    file: &Path,
    written: Option<&str>,
    result: &impl Serialize,
) -> Result<String, String> {
    let mut line = json!({"file": file.display().to_string()});
    if let Some(written) = written {
        line = with(line, "output", written);
    }
    let fields = serde_json::to_value(result).map_err(|error| error.to_string())?;
    if let (Value::Object(line), Value::Object(fields)) = (&mut line, fields) {
        line.extend(fields);
    }
    Ok(line.to_string())
}

pub(super) fn named(profile: &Profile) -> String {
    format!("{} {}", profile.standard, profile.xmp_level())
}

/// Progress of a batch: a line per finished file, a bar on a terminal, the number of failures.
pub(super) struct Batch {
    bar: ProgressBar,
    files: usize,
    failed: usize,
    /// Whether results go to standard output, so that progress lines must not.
    stdout_taken: bool,
}

impl Batch {
    pub(super) fn new(files: usize, stdout_taken: bool) -> Self {
        let bar = match files {
            0 | 1 => ProgressBar::hidden(),
            _ => bar("{wide_bar} {pos}/{len} {eta} {msg}", ""),
        };
        bar.set_length(u64::try_from(files).unwrap_or(u64::MAX));
        Self {
            bar,
            files,
            failed: 0,
            stdout_taken,
        }
    }

    /// Processes one file; prints the returned lines under the name of the file.
    pub(super) fn file(&mut self, path: &Path, work: impl FnOnce() -> Result<Vec<String>, String>) {
        let name = path.display().to_string();
        self.bar.set_message(name.clone());
        let done = work();
        self.bar.suspend(|| match &done {
            Ok(lines) => lines.iter().for_each(|line| self.say(line)),
            Err(error) => complain!("erp-server: {name}: {error}"),
        });
        self.failed += usize::from(done.is_err());
        self.bar.inc(1);
    }

    fn say(&self, line: &str) {
        if self.stdout_taken {
            complain!("{line}");
        } else {
            say!("{line}");
        }
    }

    pub(super) fn end(self) -> Result<(), Failure> {
        self.end_invalid(0, Language::English)
    }

    /// Ends a batch in which this number of invoices is not valid.
    pub(super) fn end_invalid(self, invalid: usize, language: Language) -> Result<(), Failure> {
        self.bar.finish_and_clear();
        let files = self.files;
        let of = language.choose("of", "von");
        let failed = language.choose("files failed", "Dateien fehlgeschlagen");
        let not_valid = language.choose("invoices are not valid", "Rechnungen ungültig");
        let and = language.choose("and", "und");
        Err(Failure::new(match (self.failed, invalid) {
            (0, 0) => return Ok(()),
            (count, 0) => format!("{count} {of} {files} {failed}"),
            (0, invalid) => format!("{invalid} {of} {files} {not_valid}"),
            (count, invalid) => {
                format!("{count} {of} {files} {failed}, {and} {invalid} {not_valid}")
            }
        }))
    }
}
