//! NDJSON: one JSON object per line.

use erp_core::codes::Language;
use erp_core::erp::ImportRow;
use erp_core::import::Row;
use erp_core::json;
use erp_core::problem::Code;

use super::bad_rows::BadRow;

/// Passes every row to `take` until it returns `false`. Empty lines are skipped.
pub(super) fn rows(
    bytes: &[u8],
    language: Language,
    take: &mut impl FnMut(Result<ImportRow, BadRow>) -> bool,
) {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    for (text, line) in bytes.split(|byte| *byte == b'\n').zip(1_usize..) {
        if text.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        if !take(row(text, line, language)) {
            return;
        }
    }
}

fn row(bytes: &[u8], line: usize, language: Language) -> Result<ImportRow, BadRow> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        BadRow::new(
            line,
            Code::Malformed,
            format!("byte {} is not UTF-8", error.valid_up_to()),
        )
    })?;
    let value = json::read(text).map_err(|error| {
        BadRow::new(
            line,
            Code::Malformed,
            format!("the line is not a JSON object: column {}", error.column()),
        )
    })?;
    let row = Row::read(&value, language).map_err(|problems| BadRow {
        line,
        problems: problems.into_vec(),
    })?;
    Ok(ImportRow { line, row })
}
