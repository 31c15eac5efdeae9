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
    let mut value = String::with_capacity(raw.len());
    for_each_piece(cursor, start, raw, |piece| match piece {
        Piece::Plain(text) => push_with_newlines(&mut value, text),
        Piece::Reference(letter) => value.push(letter),
    })?;
    Ok(Cow::Owned(value))
}

/// The content of a CDATA section.
pub(super) fn literal_data(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\r') {
        return Cow::Borrowed(raw);
    }
    let mut value = String::with_capacity(raw.len());
    push_with_newlines(&mut value, raw);
    Cow::Owned(value)
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
    let mut value = String::with_capacity(raw.len());
    for_each_piece(cursor, start, raw, |piece| match piece {
        Piece::Plain(text) => {
            let text = text.replace("\r\n", " ");
            value.extend(text.chars().map(|letter| match letter {
                '\t' | '\n' | '\r' => ' ',
                letter => letter,
            }));
        }
        Piece::Reference(letter) => value.push(letter),
    })?;
    Ok(Cow::Owned(value))
}

enum Piece<'t> {
    Plain(&'t str),
    Reference(char),
}

fn for_each_piece<'t>(
    cursor: &Cursor<'t>,
    start: usize,
    raw: &'t str,
    mut take: impl FnMut(Piece<'t>),
) -> Result<(), XmlError> {
    let mut rest = raw;
    while let Some((plain, after)) = rest.split_once('&') {
        take(Piece::Plain(plain));
        let offset = start + (raw.len() - after.len());
        let Some((name, after)) = after.split_once(';') else {
            return cursor.fault_at(offset, XmlFault::Expected("`;` after a reference"));
        };
        match resolve(name) {
            Ok(letter) => take(Piece::Reference(letter)),
            Err(fault) => return cursor.fault_at(offset, fault),
        }
        rest = after;
    }
    take(Piece::Plain(rest));
    Ok(())
}

fn push_with_newlines(value: &mut String, text: &str) {
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\r') {
        value.push_str(line);
        value.push('\n');
        rest = after.strip_prefix('\n').unwrap_or(after);
    }
    value.push_str(rest);
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
        return Err(if super::chars::is_plain_name(name) {
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
