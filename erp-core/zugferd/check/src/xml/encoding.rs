//! The text of a document, when its bytes are what they are declared to be.

use std::borrow::Cow;

use super::chars::find_illegal;
use super::error::{XmlError, XmlFault};
use super::limits::XmlLimits;

/// The text without byte order mark; every character in it is one that XML allows.
///
/// # Errors
/// [`XmlError`] when the bytes are not what they are declared to be, or too many.
pub fn decode<'b>(bytes: &'b [u8], limits: &XmlLimits) -> Result<Cow<'b, str>, XmlError> {
    if bytes.len() > limits.bytes {
        let limit = limits.bytes;
        return Err(start_fault(XmlFault::TooLarge {
            what: "bytes",
            limit,
        }));
    }
    let text = match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => {
            must_not_contradict(declared(rest), "UTF-8", &["utf-8", "utf8"])?;
            utf8(rest)?
        }
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes)?,
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes)?,
        // XML asks for a byte order mark in UTF-16 unless something outside names the encoding.
        [b'<', 0, ..] | [0, b'<', ..] => {
            return Err(start_fault(XmlFault::Expected(
                "a byte order mark of UTF-16",
            )));
        }
        _ => by_declaration(bytes, limits)?,
    };
    match find_illegal(&text) {
        Some(offset) => Err(illegal(&text, offset)),
        None => Ok(text),
    }
}

fn start_fault(fault: XmlFault) -> XmlError {
    XmlError::at("", 0, fault)
}

fn illegal(text: &str, offset: usize) -> XmlError {
    let rest = text.get(offset..).unwrap_or_default();
    let letter = rest.chars().next().map_or(0, u32::from);
    XmlError::at(text, offset, XmlFault::IllegalCharacter(letter))
}

fn utf8(bytes: &[u8]) -> Result<Cow<'_, str>, XmlError> {
    std::str::from_utf8(bytes)
        .map(Cow::Borrowed)
        .map_err(|error| wrong_bytes(bytes, error.valid_up_to(), "UTF-8"))
}

fn wrong_bytes(bytes: &[u8], valid: usize, encoding: &str) -> XmlError {
    let before = String::from_utf8_lossy(bytes.get(..valid).unwrap_or_default());
    XmlError::at(
        &before,
        before.len(),
        XmlFault::WrongBytes(encoding.to_owned()),
    )
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<Cow<'_, str>, XmlError> {
    let (units, rest) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(units.len());
    for letter in char::decode_utf16(units.iter().map(|bytes| unit(*bytes))) {
        let fault = || XmlFault::WrongBytes("UTF-16".to_owned());
        text.push(letter.map_err(|_| XmlError::at(&text, text.len(), fault()))?);
    }
    if !rest.is_empty() {
        let fault = XmlFault::WrongBytes("UTF-16".to_owned());
        return Err(XmlError::at(&text, text.len(), fault));
    }
    let names = ["utf-16", "iso-10646-ucs-2"];
    must_not_contradict(declared(text.as_bytes()), "UTF-16", &names)?;
    Ok(Cow::Owned(text))
}

fn by_declaration<'b>(bytes: &'b [u8], limits: &XmlLimits) -> Result<Cow<'b, str>, XmlError> {
    let label = declared(bytes).unwrap_or("utf-8");
    let lower = label.to_ascii_lowercase();
    match lower.as_str() {
        "utf-8" | "utf8" => return utf8(bytes),
        "us-ascii" | "ascii" => {
            return match bytes.iter().position(|byte| !byte.is_ascii()) {
                None => utf8(bytes),
                Some(at) => Err(wrong_bytes(bytes, at, label)),
            };
        }
        name if name.starts_with("utf-16") || name.starts_with("iso-10646-ucs") => {
            must_not_contradict(Some(label), "neither UTF-16 nor UCS-4", &[])?;
        }
        _ => {}
    }
    let fault = || XmlFault::UnknownEncoding(label.to_owned());
    let text = (limits.decode_text)(label, bytes).ok_or_else(|| start_fault(fault()))?;
    // The decoder puts this character where bytes are wrong.
    match text.find(char::REPLACEMENT_CHARACTER) {
        Some(at) => Err(XmlError::at(
            &text,
            at,
            XmlFault::WrongBytes(label.to_owned()),
        )),
        None => Ok(Cow::Owned(text)),
    }
}

fn must_not_contradict(
    declared: Option<&str>,
    actual: &'static str,
    names: &[&str],
) -> Result<(), XmlError> {
    let is_name = |label: &str| names.iter().any(|name| label.eq_ignore_ascii_case(name));
    match declared {
        Some(label) if !is_name(label) => Err(start_fault(XmlFault::ContradictedEncoding {
            declared: label.to_owned(),
            actual,
        })),
        _ => Ok(()),
    }
}

/// The encoding of the XML declaration, if there is one that could be a name at all.
///
/// Whether the declaration is well-formed is judged when it is parsed.
fn declared(bytes: &[u8]) -> Option<&str> {
    const LONGEST_DECLARATION: usize = 256;
    let start = bytes.get(..LONGEST_DECLARATION.min(bytes.len()))?;
    let ascii = start.iter().position(|byte| !byte.is_ascii());
    let start = start.get(..ascii.unwrap_or(start.len()))?;
    let declaration = std::str::from_utf8(start).ok()?.strip_prefix("<?xml")?;
    let (declaration, _) = declaration.split_once("?>")?;
    let (_, value) = declaration.split_once("encoding")?;
    let value = value.trim_start_matches([' ', '\t', '\r', '\n', '=']);
    let quote = value
        .chars()
        .next()
        .filter(|quote| matches!(quote, '"' | '\''))?;
    let label = value.get(1..)?.split(quote).next()?;
    (!label.is_empty()).then_some(label)
}
