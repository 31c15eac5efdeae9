//! Character data and attribute values as the application sees them.

use std::borrow::Cow;

use super::chars::is_allowed;
use super::cursor::Cursor;
use super::error::{XmlError, XmlFault};

/// Character data with references replaced and line ends as `\n`; `start` is its offset.
pub(super) fn character_data<'t>(
    cursor: &Cursor<'t>,
    start: usize,
    raw: &'t str,
) -> Result<Cow<'t, str>, XmlError> {
    if memchr::memchr2(b'&', b'\r', raw.as_bytes()).is_none() {
        return Ok(Cow::Borrowed(raw));
    }
    replace_references(cursor, start, raw, literal_data)
}

pub(super) fn literal_data(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\r') {
        return Cow::Borrowed(raw);
    }
    Cow::Owned(raw.replace("\r\n", "\n").replace('\r', "\n"))
}

/// An attribute value: as character data, and white space becomes blanks.
pub(super) fn attribute_value<'t>(
    cursor: &Cursor<'t>,
    start: usize,
    raw: &'t str,
) -> Result<Cow<'t, str>, XmlError> {
    if !raw.contains(['&', '\t', '\n', '\r']) {
        return Ok(Cow::Borrowed(raw));
    }
    let blank = |text: &str| text.replace("\r\n", " ").replace(['\t', '\n', '\r'], " ");
    replace_references(cursor, start, raw, |text| Cow::Owned(blank(text)))
}

/// The characters of references, and what `plain` makes of the text between them.
fn replace_references<'t>(
    cursor: &Cursor<'t>,
    start: usize,
    raw: &'t str,
    plain: impl Fn(&'t str) -> Cow<'t, str>,
) -> Result<Cow<'t, str>, XmlError> {
    let mut value = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((before, after)) = rest.split_once('&') {
        value.push_str(&plain(before));
        let offset = start + (raw.len() - after.len());
        let Some((name, after)) = after.split_once(';') else {
            return cursor.fault_at(offset, XmlFault::Expected("`;` after a reference"));
        };
        match resolve(name) {
            Ok(letter) => value.push(letter),
            Err(fault) => return cursor.fault_at(offset, fault),
        }
        rest = after;
    }
    value.push_str(&plain(rest));
    Ok(Cow::Owned(value))
}

/// The character of a reference, given without `&` and `;`.
fn resolve(name: &str) -> Result<char, XmlFault> {
    match name {
        "lt" => return Ok('<'),
        "gt" => return Ok('>'),
        "amp" => return Ok('&'),
        "apos" => return Ok('\''),
        "quot" => return Ok('"'),
        _ => {}
    }
    let Some(number) = name.strip_prefix('#') else {
        return Err(if super::chars::is_name(name) {
            XmlFault::UnknownEntity(name.chars().take(60).collect())
        } else {
            XmlFault::Expected("the name of an entity")
        });
    };
    let (digits, radix) = match number.strip_prefix('x') {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    // `from_str_radix` would take a sign too.
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(XmlFault::Expected("the number of a character"));
    }
    let number = u32::from_str_radix(digits, radix).unwrap_or(u32::MAX);
    let letter = char::from_u32(number).filter(|letter| is_allowed(*letter));
    letter.ok_or(XmlFault::IllegalCharacter(number))
}
