//! The XML declaration.

use std::borrow::Cow;

use super::attributes::RawAttribute;
use super::cursor::Cursor;
use super::error::{XmlError, XmlFault};

/// Skips `<?xml version="1.0" encoding="…" standalone="…"?>`, which may be missing.
pub(super) fn skip(cursor: &mut Cursor<'_>) -> Result<(), XmlError> {
    let rest = cursor.rest().strip_prefix("<?xml");
    if !rest.is_some_and(|rest| rest.starts_with([' ', '\t', '\r', '\n'])) {
        return Ok(());
    }
    cursor.take("<?xml");
    let is_version = |value: &str| {
        let minor = value.strip_prefix("1.").unwrap_or_default();
        !minor.is_empty() && minor.bytes().all(|digit| digit.is_ascii_digit())
    };
    let is_encoding = |value: &str| {
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
        value.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && value.chars().all(is_letter)
    };
    let is_yes_or_no = |value: &str| matches!(value, "yes" | "no");
    if !skip_part(cursor, "version", is_version)? {
        return cursor.fault(XmlFault::Expected("`version`"));
    }
    skip_part(cursor, "encoding", is_encoding)?;
    skip_part(cursor, "standalone", is_yes_or_no)?;
    cursor.skip_blanks();
    cursor.expect("?>", "`?>`")
}

/// One part of the XML declaration; whether it is there.
fn skip_part(
    cursor: &mut Cursor<'_>,
    name: &str,
    is_valid: impl Fn(&str) -> bool,
) -> Result<bool, XmlError> {
    let mut ahead = *cursor;
    if !(ahead.skip_blanks() && ahead.rest().starts_with(name)) {
        return Ok(false);
    }
    let attribute = RawAttribute::read(&mut ahead)?;
    // References are not recognised in the declaration; a value without any is borrowed.
    let has_reference = matches!(attribute.value, Cow::Owned(_));
    if attribute.name != name || has_reference || !is_valid(&attribute.value) {
        let fault = XmlFault::Expected("a valid XML declaration");
        return ahead.fault_at(attribute.offset(), fault);
    }
    *cursor = ahead;
    Ok(true)
}
