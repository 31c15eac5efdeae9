//! Parses master data files (NDJSON and CSV) into rows of the core.

mod bodies;
mod csv;
mod file;
mod ndjson;

use erp_core::codes::Language;
use erp_core::erp::ImportRow;
use erp_core::import::{InvalidRow, Row, RowKind};
use erp_core::problem::{Code, Problem};

pub(crate) use bodies::open_inside;
pub use bodies::{Files, store_bodies, try_bodies};
pub use file::{BadFile, Content, Import, ImportError, Media, ROWS_PER_BATCH, Watch, import_bytes};
pub(crate) use file::{TriedFiles, bad_rows};

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

#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The file name, for messages.
    pub name: &'a str,
    pub format: Format,
    /// The default language of texts: the company's.
    pub language: Language,
}

/// Longest body of an import in bytes: all of it is one commit.
pub const LONGEST_BODY: u64 = 8 << 20;

/// Invalid rows after which the rest of a file is not read.
pub const MOST_BAD_ROWS: usize = 100;

/// Parses the rows of a file. A row with problems is [`Row::Invalid`], and an import of it is refused.
#[must_use]
pub fn read_rows(source: &Source<'_>, bytes: &[u8]) -> Vec<ImportRow> {
    let mut rows = Vec::new();
    let mut bad = 0_usize;
    let mut take = |row: ImportRow| {
        bad = bad.saturating_add(usize::from(is_invalid(&row)));
        rows.push(row);
        bad < MOST_BAD_ROWS
    };
    match source.format {
        Format::Ndjson => ndjson::rows(bytes, source.language, &mut take),
        Format::Csv(kind) => csv::rows(bytes, kind, source.language, &mut take),
    }
    rows
}

#[must_use]
pub const fn is_invalid(row: &ImportRow) -> bool {
    matches!(row.row, Row::Invalid(_))
}

fn unreadable(line: usize, message: impl Into<String>) -> ImportRow {
    let problems = vec![Problem::new("", Code::Malformed, message)];
    let row = InvalidRow {
        problems,
        ..InvalidRow::default()
    };
    ImportRow {
        line,
        row: row.into(),
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
            if let Ok((line, object, problems)) = object
                && problems.is_empty()
            {
                let row = serde_json::json!({kind.as_str(): object});
                lines.push((line, row.to_string().into_bytes()));
            }
            true
        }),
    }
    lines
}
