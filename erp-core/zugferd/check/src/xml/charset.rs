//! Character encodings of XML, by the names of the Encoding Standard (encoding.spec.whatwg.org).
//!
//! UTF-8 and UTF-16 are read here. The tables of all others come from `encoding_rs`, or from the caller: a
//! browser has the same tables and need not download them.

use std::borrow::Cow;

/// Decodes text that is neither UTF-8 nor UTF-16: gets the encoding that the XML declares, without blanks around
/// it, and the bytes. Returns `None` for an encoding that it does not know; bytes that are wrong become U+FFFD.
pub type DecodeText = fn(encoding: &str, bytes: &[u8]) -> Option<String>;

/// How bytes become characters.
#[derive(Debug, PartialEq, Eq)]
enum Charset {
    Utf8,
    Utf16Le,
    Utf16Be,
    Other(String),
}

impl Charset {
    /// The encoding that a declaration names.
    fn declared(label: &str) -> Self {
        const UTF_8: [&str; 6] = [
            "utf-8",
            "utf8",
            "unicode-1-1-utf-8",
            "unicode11utf8",
            "unicode20utf8",
            "x-unicode20utf8",
        ];
        let trimmed = label.trim_matches(['\t', '\n', '\x0C', '\r', ' ']);
        if UTF_8.iter().any(|name| trimmed.eq_ignore_ascii_case(name)) {
            return Self::Utf8;
        }
        Self::Other(trimmed.to_owned())
    }

    /// The text; a byte order mark wins over the encoding, and what is wrong becomes U+FFFD.
    ///
    /// # Errors
    /// The name of an encoding that is not known.
    fn decode<'b>(&self, bytes: &'b [u8], decode_text: DecodeText) -> Result<Cow<'b, str>, &str> {
        Ok(match (bytes, self) {
            ([0xEF, 0xBB, 0xBF, rest @ ..], _) => String::from_utf8_lossy(rest),
            ([0xFF, 0xFE, rest @ ..], _) => utf16(rest, u16::from_le_bytes),
            ([0xFE, 0xFF, rest @ ..], _) => utf16(rest, u16::from_be_bytes),
            (_, Self::Utf8) => String::from_utf8_lossy(bytes),
            (_, Self::Utf16Le) => utf16(bytes, u16::from_le_bytes),
            (_, Self::Utf16Be) => utf16(bytes, u16::from_be_bytes),
            (_, Self::Other(name)) => Cow::Owned(decode_text(name, bytes).ok_or(name.as_str())?),
        })
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Cow<'_, str> {
    let (units, rest) = bytes.as_chunks::<2>();
    let letters = char::decode_utf16(units.iter().map(|bytes| unit(*bytes)));
    let letters = letters.map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER));
    let cut = (!rest.is_empty()).then_some(char::REPLACEMENT_CHARACTER);
    Cow::Owned(letters.chain(cut).collect())
}

/// All other encodings of the Encoding Standard. A declaration that could be read byte by byte is not in a two-byte
/// encoding, so the names of UTF-16 mean UTF-8.
#[cfg(feature = "rare")]
pub(super) fn decode_text(encoding: &str, bytes: &[u8]) -> Option<String> {
    let table = encoding_rs::Encoding::for_label(encoding.as_bytes())?.output_encoding();
    Some(table.decode_without_bom_handling(bytes).0.into_owned())
}

#[cfg(not(feature = "rare"))]
pub(super) fn decode_text(_encoding: &str, _bytes: &[u8]) -> Option<String> {
    None
}

/// The text of the start of a document, whatever is wrong with it: byte order mark, then the pattern of UTF-16, then
/// the declaration; what is wrong becomes U+FFFD.
///
/// # Errors
/// The name of an encoding that is not known.
pub fn decode_lossy(bytes: &[u8], decode_text: DecodeText) -> Result<Cow<'_, str>, String> {
    let guess = match bytes {
        [b'<', 0, ..] => Charset::Utf16Le,
        [0, b'<', ..] => Charset::Utf16Be,
        _ => declared_encoding(bytes),
    };
    // A byte order mark wins over the guess.
    match (guess.decode(bytes, decode_text), std::str::from_utf8(bytes)) {
        (Ok(text), _) => Ok(text),
        // Some writers name an encoding that is not known (`UTF-8-w/o-BOM`); the text is UTF-8 all the same.
        (Err(_), Ok(text)) => Ok(Cow::Borrowed(text)),
        (Err(encoding), Err(_)) => Err(encoding.to_owned()),
    }
}

/// The encoding of the XML declaration, UTF-8 without one.
fn declared_encoding(bytes: &[u8]) -> Charset {
    const LONGEST_DECLARATION: usize = 256;
    let start = bytes.get(..LONGEST_DECLARATION.min(bytes.len()));
    let start = String::from_utf8_lossy(start.unwrap_or_default());
    let declared = start
        .split_once("<?xml")
        .and_then(|(_, rest)| rest.split_once("?>"))
        .and_then(|(declaration, _)| declaration.split_once("encoding"))
        .map(|(_, value)| value.trim_start_matches([' ', '\t', '\r', '\n', '=']));
    let Some(declared) = declared else {
        return Charset::Utf8;
    };
    let mut parts = declared.split(['"', '\'']);
    let label = parts.nth(1).unwrap_or_default();
    Charset::declared(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(label: &str, bytes: &[u8]) -> Option<String> {
        let charset = Charset::declared(label);
        charset.decode(bytes, decode_text).ok().map(Cow::into_owned)
    }

    #[test]
    fn names_of_unicode_mean_utf_8_in_a_declaration() {
        for label in ["UTF-8", " utf8\n", "unicode-1-1-utf-8"] {
            assert_eq!(declared(label, "ä€".as_bytes()).unwrap(), "ä€", "{label}");
        }
        assert_eq!(declared("utf-8", b"a\xE2\x82b").unwrap(), "a\u{FFFD}b");
    }

    #[cfg(feature = "rare")]
    #[test]
    fn other_encodings_are_known_by_all_their_names() {
        for label in ["UTF-16", "utf-16be", "iso-2022-kr"] {
            assert_eq!(declared(label, "ä".as_bytes()).unwrap(), "ä", "{label}");
        }
        for (label, bytes, text) in [
            ("iso-8859-1", b"\xE4\x80".as_slice(), "ä€"),
            ("latin1", b"\xFC", "ü"),
            ("windows-1252", b"\x84", "„"),
            ("ISO-8859-15", b"\xA4", "€"),
            ("Shift_JIS", b"\x83\x41", "ア"),
        ] {
            assert_eq!(declared(label, bytes).unwrap(), text, "{label}");
        }
        assert_eq!(declared("klingon", b"a"), None);
        assert_eq!(declared("", b"a"), None);
    }

    #[test]
    fn a_byte_order_mark_wins() {
        for bytes in [
            b"\xEF\xBB\xBFa\xC3\xA4".as_slice(),
            b"\xFF\xFEa\0\xE4\0",
            b"\xFE\xFF\0a\0\xE4",
        ] {
            for charset in [
                Charset::Utf8,
                Charset::Utf16Le,
                Charset::declared("klingon"),
            ] {
                assert_eq!(charset.decode(bytes, decode_text).unwrap(), "aä");
            }
        }
    }

    #[test]
    fn what_is_wrong_in_utf_16_is_replaced() {
        assert_eq!(
            Charset::Utf16Le
                .decode(b"a\0\0\xD8b\0c", decode_text)
                .unwrap(),
            "a\u{FFFD}b\u{FFFD}"
        );
        assert_eq!(
            Charset::Utf16Be
                .decode(b"\0a\xDC\0\0b", decode_text)
                .unwrap(),
            "a\u{FFFD}b"
        );
    }
}
