//! Parses master data files (NDJSON and CSV) into rows of the core.

mod bodies;
mod csv;
mod ndjson;

use erp_core::codes::Language;
use erp_core::erp::{Error, ImportRow, Office};
use erp_core::import::{InvalidRow, Row, RowKind};
use erp_core::sentence::Sentence;
use erp_core::storage::{Storage, StorageError};
use erp_core::{Code, Problem};

use crate::media::Bodies;

pub use bodies::{Files, store_bodies, try_bodies};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One JSON object per line, with a field that names the kind.
    Ndjson,
    /// A header line with field names and rows of one kind.
    Csv(RowKind),
}

impl Format {
    /// CSV of a kind; the error is the allowed kinds.
    pub fn csv(kind: &str) -> Result<Self, Sentence> {
        let names = || RowKind::ALL.map(RowKind::as_str).join(", ");
        let kind = RowKind::parse(kind).map(Self::Csv);
        kind.ok_or_else(|| sentence!("allowed.one_of", names = names()))
    }
}

/// Longest body of an import in bytes: all of it is one commit.
pub const LONGEST_BODY: u64 = 8 << 20;

/// Invalid rows after which the rest of a file is not read.
pub const MOST_BAD_ROWS: usize = 100;

/// Parses the rows of a file; texts without a language are in this one, the company's. A row with problems is
/// [`Row::Invalid`], and an import of it is refused.
pub fn read_rows(format: Format, language: Language, bytes: &[u8]) -> Vec<ImportRow> {
    let mut rows = Vec::new();
    let mut bad = 0;
    let mut take = |row: ImportRow| {
        bad += usize::from(is_invalid(&row));
        rows.push(row);
        bad < MOST_BAD_ROWS
    };
    match format {
        Format::Ndjson => ndjson::rows(bytes, language, &mut take),
        Format::Csv(kind) => csv::rows(bytes, kind, language, &mut take),
    }
    rows
}

pub const fn is_invalid(row: &ImportRow) -> bool {
    matches!(row.row, Row::Invalid(_))
}

fn unreadable(line: usize, message: Sentence) -> ImportRow {
    invalid(line, vec![Problem::new("", Code::Malformed, message)])
}

fn invalid(line: usize, problems: Vec<Problem>) -> ImportRow {
    let row = InvalidRow {
        problems,
        ..InvalidRow::default()
    };
    ImportRow {
        line,
        row: row.into(),
    }
}

/// Rows of an import by this program for one commit.
const ROWS_PER_COMMIT: usize = 1_000;

/// Imports NDJSON that this program brings along. `files` are those that its media rows name. The commits before one that
/// is refused are done.
pub async fn import_lines<S: Storage>(
    office: Office<'_, S>,
    bodies: &Bodies,
    files: &Files<'_>,
    lines: &[u8],
) -> Result<(), Error> {
    let language = office.company().await?.language;
    let mut rows = read_rows(Format::Ndjson, language, lines);
    store_bodies(&mut rows, bodies, files)
        .map_err(|error| StorageError::Unavailable(error.to_string()))?;
    for rows in rows.chunks(ROWS_PER_COMMIT) {
        office.import(rows).await?;
    }
    Ok(())
}

/// Converts the rows of a file to NDJSON lines, each with its line number in the file. A CSV field of the wrong form is
/// text there; rows that are no CSV are left out.
pub fn lines_of(format: Format, bytes: &[u8]) -> Vec<(usize, Vec<u8>)> {
    let mut lines = Vec::new();
    match format {
        Format::Ndjson => {
            let filled = ndjson::filled_lines(bytes);
            lines.extend(filled.map(|(number, line)| (number, line.to_vec())));
        }
        Format::Csv(kind) => csv::objects(bytes, kind, &mut |object| {
            if let Ok((line, object, _)) = object {
                let row = serde_json::json!({kind.as_str(): object});
                lines.push((line, row.to_string().into_bytes()));
            }
            true
        }),
    }
    lines
}
