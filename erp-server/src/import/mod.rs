//! Parses master data files (NDJSON and CSV) into rows of the core.

mod bad_rows;
mod bodies;
mod csv;
mod file;
mod ndjson;

use erp_core::codes::Language;
use erp_core::erp::ImportRow;
use erp_core::import::RowKind;

pub use bad_rows::{BadRow, BadRows, MOST_BAD_ROWS};
pub(crate) use bodies::open_inside;
pub use bodies::{Files, Sources, StoreError, bodies_of, store_bodies, try_bodies};
pub use file::{Import, ImportError, Media, Progress, ROWS_PER_BATCH, import_bytes, try_bytes};

/// Format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One JSON object per line, with a field that names the kind.
    Ndjson,
    /// A header line with field names and rows of one kind.
    Csv(RowKind),
}

impl Format {
    /// CSV of a kind.
    ///
    /// # Errors
    /// The allowed kinds, when this one is unknown.
    pub fn csv(kind: &str) -> Result<Self, String> {
        let names = || RowKind::ALL.map(RowKind::as_str).join(", ");
        RowKind::parse(kind)
            .map(Self::Csv)
            .ok_or_else(|| format!("one of {}", names()))
    }
}

/// Description of an import source.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The file name, for messages.
    pub name: &'a str,
    /// How it is written.
    pub format: Format,
    /// The default language of texts: the company's.
    pub language: Language,
}

/// Parses all rows of a file.
///
/// # Errors
/// The invalid rows.
pub fn read_rows(source: &Source<'_>, bytes: &[u8]) -> Result<Vec<ImportRow>, BadRows> {
    let mut rows = Vec::new();
    let mut bad = Vec::new();
    let mut take = |row: Result<ImportRow, BadRow>| {
        match row {
            Ok(row) => rows.push(row),
            Err(row) => bad.push(row),
        }
        bad.len() < MOST_BAD_ROWS
    };
    match source.format {
        Format::Ndjson => ndjson::rows(bytes, source.language, &mut take),
        Format::Csv(kind) => csv::rows(bytes, kind, source.language, &mut take),
    }
    if bad.is_empty() {
        Ok(rows)
    } else {
        Err(BadRows(bad))
    }
}

/// Converts the rows of a file to NDJSON lines, each with its line number in the file. Invalid rows are left out.
#[must_use]
pub fn lines_of(format: Format, bytes: &[u8]) -> Vec<(usize, Vec<u8>)> {
    let mut lines = Vec::new();
    match format {
        Format::Ndjson => {
            let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
            let numbered = (1..).zip(bytes.split(|byte| *byte == b'\n'));
            let filled = numbered.filter(|(_, line)| !line.iter().all(u8::is_ascii_whitespace));
            lines.extend(filled.map(|(number, line)| (number, line.to_vec())));
        }
        Format::Csv(kind) => csv::objects(bytes, kind, &mut |object| {
            if let Ok((line, object)) = object {
                let row = serde_json::json!({kind.as_str(): object});
                lines.push((line, row.to_string().into_bytes()));
            }
            true
        }),
    }
    lines
}
