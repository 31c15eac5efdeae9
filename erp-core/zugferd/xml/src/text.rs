//! Bytes as the text of a document, strictly or leniently, and text as content of a document.
//!
//! UTF-8 and UTF-16 are read here; other encodings need the feature `rare` or a decoder of the caller.

use std::borrow::Cow;

use super::chars::{find_illegal, is_allowed};
use super::error::{XmlError, XmlFault};
use super::limits::XmlLimits;

pub use super::chars::is_name;
pub use super::charset::DecodeText;

/// The text without byte order mark; every character in it is one that XML allows.
/// Errors: [`XmlError`] when the bytes are not what they are declared to be, or too many.
pub fn decode<'b>(bytes: &'b [u8], limits: &XmlLimits) -> Result<Cow<'b, str>, XmlError> {
    if bytes.len() > limits.bytes {
        let (what, limit) = ("bytes", limits.bytes);
        return Err(start_fault(XmlFault::TooLarge { what, limit }));
    }
    let text = match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => {
            must_not_contradict(declared(rest), "UTF-8", &["utf-8", "utf8"])?;
            utf8(rest)?
        }
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes)?,
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes)?,
        // XML requires a byte order mark in UTF-16 unless the encoding is named outside the document.
        [b'<', 0, ..] | [0, b'<', ..] => {
            let mark = "a byte order mark of UTF-16";
            return Err(start_fault(XmlFault::Expected(mark)));
        }
        _ => by_declaration(bytes, limits)?,
    };
    match find_illegal(&text) {
        Some(offset) => Err(illegal(&text, offset)),
        None => Ok(text),
    }
}

/// Decodes the start of a document leniently: byte order mark, then the pattern of UTF-16, then the declaration;
/// invalid bytes become U+FFFD.
/// Errors: the name of an unknown encoding.
pub fn decode_lossy(bytes: &[u8], decode_text: DecodeText) -> Result<Cow<'_, str>, String> {
    Ok(match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest),
        [0xFF, 0xFE, rest @ ..] => utf16_lossy(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16_lossy(rest, u16::from_be_bytes),
        [b'<', 0, ..] => utf16_lossy(bytes, u16::from_le_bytes),
        [0, b'<', ..] => utf16_lossy(bytes, u16::from_be_bytes),
        _ => match declared(bytes.trim_ascii_start()).map(str::trim) {
            None => String::from_utf8_lossy(bytes),
            Some(label) if is_utf8(label) => String::from_utf8_lossy(bytes),
            Some(label) => match (decode_text(label, bytes), std::str::from_utf8(bytes)) {
                (Some(text), _) => Cow::Owned(text),
                // Some writers name an encoding that is not known (`UTF-8-w/o-BOM`); the text is UTF-8 all the same.
                (None, Ok(text)) => Cow::Borrowed(text),
                (None, Err(_)) => return Err(label.to_owned()),
            },
        },
    })
}

/// Text for the content of an element or an attribute; characters that XML does not allow are left out.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars().filter(|letter| is_allowed(*letter)) {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '\'' => escaped.push_str("&apos;"),
            '"' => escaped.push_str("&quot;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

fn is_utf8(label: &str) -> bool {
    const NAMES: [&str; 6] = [
        "utf-8",
        "utf8",
        "unicode-1-1-utf-8",
        "unicode11utf8",
        "unicode20utf8",
        "x-unicode20utf8",
    ];
    NAMES.iter().any(|name| label.eq_ignore_ascii_case(name))
}

fn utf16_lossy(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Cow<'_, str> {
    let (units, rest) = bytes.as_chunks::<2>();
    let letters = char::decode_utf16(units.iter().map(|bytes| unit(*bytes)));
    let letters = letters.map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER));
    let cut = (!rest.is_empty()).then_some(char::REPLACEMENT_CHARACTER);
    Cow::Owned(letters.chain(cut).collect())
}

fn start_fault(fault: XmlFault) -> XmlError {
    XmlError::at("", 0, fault)
}

pub(super) fn illegal(text: &str, offset: usize) -> XmlError {
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
    let fault = XmlFault::WrongBytes(encoding.to_owned());
    XmlError::at(&before, before.len(), fault)
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<Cow<'_, str>, XmlError> {
    let (units, rest) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(units.len());
    let fault = |text: &str| {
        let fault = XmlFault::WrongBytes("UTF-16".to_owned());
        XmlError::at(text, text.len(), fault)
    };
    for letter in char::decode_utf16(units.iter().map(|bytes| unit(*bytes))) {
        text.push(letter.map_err(|_| fault(&text))?);
    }
    if !rest.is_empty() {
        return Err(fault(&text));
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
        Some(at) => {
            let fault = XmlFault::WrongBytes(label.to_owned());
            Err(XmlError::at(&text, at, fault))
        }
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

#[cfg(test)]
mod tests {
    use super::super::charset::decode_text;
    use super::*;

    fn lossy(bytes: &[u8]) -> Option<String> {
        decode_lossy(bytes, decode_text).ok().map(Cow::into_owned)
    }

    fn declared_as(label: &str, text: &[u8]) -> (String, Option<String>) {
        let declaration = format!("<?xml version='1.0' encoding='{label}'?>");
        let bytes = [declaration.as_bytes(), text].concat();
        (declaration, lossy(&bytes))
    }

    fn read(label: &str, text: &[u8]) -> Option<String> {
        let (declaration, found) = declared_as(label, text);
        Some(found?.strip_prefix(&declaration)?.to_owned())
    }

    #[test]
    fn names_of_unicode_mean_utf_8_in_a_declaration() {
        for label in ["UTF-8", " utf8 ", "unicode-1-1-utf-8"] {
            assert_eq!(read(label, "ä€".as_bytes()).unwrap(), "ä€", "{label}");
        }
        assert_eq!(read("utf-8", b"a\xE2\x82b").unwrap(), "a\u{FFFD}b");
    }

    #[cfg(feature = "rare")]
    #[test]
    fn other_encodings_are_known_by_all_their_names() {
        for label in ["UTF-16", "utf-16be", "iso-2022-kr"] {
            assert_eq!(read(label, "ä".as_bytes()).unwrap(), "ä", "{label}");
        }
        for (label, bytes, text) in [
            ("iso-8859-1", b"\xE4\x80".as_slice(), "ä€"),
            ("latin1", b"\xFC", "ü"),
            ("windows-1252", b"\x84", "„"),
            ("ISO-8859-15", b"\xA4", "€"),
            ("Shift_JIS", b"\x83\x41", "ア"),
        ] {
            assert_eq!(read(label, bytes).unwrap(), text, "{label}");
        }
    }

    #[test]
    fn unknown_encodings_are_read_when_they_are_utf_8() {
        assert_eq!(read("klingon", b"a").unwrap(), "a");
        assert_eq!(declared_as("klingon", b"\xE4").1, None);
    }

    #[test]
    fn a_byte_order_mark_wins() {
        for bytes in [
            b"\xEF\xBB\xBFa\xC3\xA4".as_slice(),
            b"\xFF\xFEa\0\xE4\0",
            b"\xFE\xFF\0a\0\xE4",
        ] {
            assert_eq!(lossy(bytes).unwrap(), "aä");
        }
        let xml = b"\xEF\xBB\xBF<?xml version='1.0' encoding='klingon'?>\xE4";
        assert!(lossy(xml).unwrap().ends_with('\u{FFFD}'));
    }

    #[test]
    fn what_is_wrong_in_utf_16_is_replaced() {
        assert_eq!(lossy(b"<\0\0\xD8b\0c").unwrap(), "<\u{FFFD}b\u{FFFD}");
        assert_eq!(lossy(b"\0<\xDC\0\0b").unwrap(), "<\u{FFFD}b");
    }
}
