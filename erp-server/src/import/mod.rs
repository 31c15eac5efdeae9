//! Parses master data files (NDJSON and CSV) into rows of the core.

mod bodies;
mod columns;
mod csv;
mod first_company;
mod ndjson;
mod number;

use std::sync::Arc;

use encoding_rs::WINDOWS_1252;
use erp_core::codes::Language;
use erp_core::erp::{Error, ImportRow, Office};
use erp_core::import::{InvalidRow, Row, RowKind};
use erp_core::internal::ChangedMembers;
use erp_core::sentence::Sentence;
use erp_core::storage::{Storage, StorageError};
use erp_core::{Code, Problem};

use crate::media::Bodies;

pub use bodies::{Files, store_bodies, try_bodies};
pub use columns::columns_of;
pub use first_company::FirstCompany;
pub use number::Form;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One JSON object per line, with a field that names the kind.
    Ndjson,
    /// A header line with field names and rows of one kind, with numbers in this form.
    Csv(RowKind, Option<Form>),
}

impl Format {
    /// CSV of a kind; the error is the allowed kinds.
    pub fn csv(kind: &str) -> Result<Self, Sentence> {
        kind_of(kind).map(|kind| Self::Csv(kind, None))
    }
}

/// The kind of a name; the error is the allowed ones.
pub fn kind_of(name: &str) -> Result<RowKind, Sentence> {
    let names = || RowKind::ALL.map(RowKind::as_str).join(", ");
    RowKind::parse(name).ok_or_else(|| sentence!("allowed.one_of", names = names()))
}

/// A file in UTF-8.
#[derive(Clone, Debug)]
pub struct Source {
    pub format: Format,
    pub bytes: Arc<Vec<u8>>,
    was_windows: bool,
}

/// Why a CSV file cannot be read.
pub enum Unreadable {
    /// The byte at this place is damaged: most other letters of the file are UTF-8.
    Byte(usize),
    /// The columns do not tell the kind.
    Kind(Sentence),
}

impl Source {
    pub fn ndjson(bytes: Vec<u8>) -> Self {
        Self {
            format: Format::Ndjson,
            bytes: Arc::new(bytes),
            was_windows: false,
        }
    }

    // rule: D-IMP-13
    /// A CSV file of a kind, or of the only one that its columns fit.
    pub fn csv(
        kind: Option<RowKind>,
        form: Option<Form>,
        mut bytes: Vec<u8>,
    ) -> Result<Self, Unreadable> {
        let error = std::str::from_utf8(&bytes).err();
        if let Some(error) = error {
            // In Windows-1252, too, two letters can look like one in UTF-8: `ß»`.
            let (mut letters, mut others) = (0, 0);
            for part in bytes.utf8_chunks() {
                letters += part.valid().chars().filter(|c| !c.is_ascii()).count();
                others += part.invalid().len();
            }
            if letters >= others {
                return Err(Unreadable::Byte(error.valid_up_to()));
            }
            let (text, _) = WINDOWS_1252.decode_without_bom_handling(&bytes);
            bytes = text.into_owned().into_bytes();
        }
        let kind = kind.map_or_else(|| csv::kind_of(&bytes).map_err(Unreadable::Kind), Ok)?;
        Ok(Self {
            format: Format::Csv(kind, form),
            bytes: Arc::new(bytes),
            was_windows: error.is_some(),
        })
    }

    // rule: D-IMP-12
    /// What is said of the file as a whole: its charset, and which members changed although it has no column for them.
    pub fn warnings(&self, changed: &ChangedMembers) -> Vec<Problem> {
        let mut warnings = Vec::new();
        if self.was_windows {
            let message = sentence!("import.windows_1252");
            warnings.push(Problem::new("", Code::Malformed, message));
        }
        if let Format::Csv(kind, _) = self.format {
            let columns = csv::paths(&self.bytes, kind);
            let changed = changed.get(kind.as_str()).into_iter().flatten();
            // A row leaves the texts that it does not bring.
            let lost = changed.filter(|member| *member != "Texte" && !columns.contains(*member));
            let lost: Vec<&str> = lost.map(String::as_str).collect();
            if !lost.is_empty() {
                let message = sentence!("import.emptied", names = lost.join(", "));
                warnings.push(Problem::new("", Code::Required, message));
            }
        }
        warnings
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
        Format::Csv(kind, form) => csv::rows(bytes, (kind, form), language, &mut take),
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

/// Converts the first rows of a file to NDJSON lines, each with its line number in the file. A CSV field of the wrong form
/// is text there; rows that are no CSV are left out.
pub fn lines_of(format: Format, bytes: &[u8], most: usize) -> Vec<(usize, Vec<u8>)> {
    let mut lines = Vec::new();
    match format {
        Format::Ndjson => {
            let filled = ndjson::filled_lines(bytes).take(most);
            lines.extend(filled.map(|(number, line)| (number, line.to_vec())));
        }
        Format::Csv(kind, form) => csv::objects(bytes, (kind, form), &mut |object| {
            if let Ok((line, object, _)) = object {
                let row = serde_json::json!({kind.as_str(): object});
                lines.push((line, row.to_string().into_bytes()));
            }
            lines.len() < most
        }),
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: D-IMP-13
    #[test]
    fn a_file_that_is_no_utf8_is_windows_1252_unless_a_byte_is_damaged() {
        let text = |bytes: &[u8]| match Source::csv(Some(RowKind::Article), None, bytes.to_vec()) {
            Ok(source) => {
                let text = String::from_utf8(source.bytes.to_vec()).unwrap();
                Ok((text, source.was_windows))
            }
            Err(Unreadable::Byte(at)) => Err(at),
            Err(Unreadable::Kind(why)) => panic!("{}", why.english()),
        };
        assert_eq!(text("Größe".as_bytes()), Ok(("Größe".to_owned(), false)));
        assert_eq!(text(b"Gr\xf6\xdfe \x80"), Ok(("Größe €".to_owned(), true)));
        let quoted = "Käse «groß»".to_owned();
        assert_eq!(text(b"K\xe4se \xabgro\xdf\xbb"), Ok((quoted, true)));
        assert_eq!(text(b"Gr\xc3\xb6\xdfe"), Err(4));
        assert_eq!(text(b"\xef\xbb\xbfGr\xf6"), Err(5));
    }
}
