//! NDJSON: one JSON object per line.

use erp_core::codes::Language;
use erp_core::erp::ImportRow;
use erp_core::import::{InvalidRow, Row};
use erp_core::json;
use erp_core::sentence::Sentence;

use super::unreadable;

/// Passes every row to `take` until it returns `false`. Empty lines are skipped. The texts of rows behind the company's
/// are in the company's language.
pub(super) fn rows(bytes: &[u8], mut language: Language, take: &mut impl FnMut(ImportRow) -> bool) {
    for (line, text) in filled_lines(bytes) {
        let row = row(text, line, language);
        if let Row::Company(company) = &row.row {
            language = company.language;
        }
        if !take(row) {
            return;
        }
    }
}

/// The lines that are not empty, with their numbers.
pub(super) fn filled_lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let lines = (1..).zip(bytes.split(|byte| *byte == b'\n'));
    lines.filter(|(_, line)| !line.iter().all(u8::is_ascii_whitespace))
}

fn row(bytes: &[u8], line: usize, language: Language) -> ImportRow {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let at = error.valid_up_to();
            return unreadable(line, sentence!("import.byte", at));
        }
    };
    match json::read(text) {
        Ok(value) => {
            let row = Row::read(&value, language);
            let row = row.unwrap_or_else(|problems| InvalidRow::of_line(&value, problems).into());
            ImportRow { line, row }
        }
        Err(error) => unreadable(line, not_an_object(&error)),
    }
}

fn not_an_object(error: &serde_json::Error) -> Sentence {
    let column = error.column();
    let full = error.to_string();
    match full.strip_suffix(&format!(" at line 1 column {column}")) {
        Some(why) if why.ends_with("is given twice") => sentence!("import.column", why, column),
        _ => sentence!("import.no_json", column),
    }
}
