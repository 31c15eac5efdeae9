//! Character encodings of XML, by the names of the Encoding Standard (encoding.spec.whatwg.org).
//!
//! UTF-8 and UTF-16 are read here. The tables of all others come from `encoding_rs`, or, in browsers and
//! node, from the platform, which has the same tables and need not download them.

use std::borrow::Cow;

#[cfg(feature = "rare")]
use encoding_rs as tables;
#[cfg(not(feature = "rare"))]
mod platform;
#[cfg(not(feature = "rare"))]
use platform as tables;

/// How bytes become characters.
#[derive(Debug)]
pub(crate) enum Charset {
    Utf8,
    Utf16Le,
    Utf16Be,
    Other(Table),
}

#[cfg(feature = "rare")]
type Table = &'static tables::Encoding;
#[cfg(not(feature = "rare"))]
type Table = tables::Table;

impl Charset {
    /// The encoding that a declaration names, where it is known.
    ///
    /// Whoever could read the declaration byte by byte has no two-byte text before him, so the names of
    /// UTF-16 mean UTF-8.
    pub(super) fn declared(label: &str) -> Option<Self> {
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
            return Some(Self::Utf8);
        }
        other(trimmed)
    }

    /// The text; a byte order mark wins over the encoding, and what is wrong becomes U+FFFD.
    pub(super) fn decode<'b>(&self, bytes: &'b [u8]) -> Cow<'b, str> {
        match (bytes, self) {
            ([0xEF, 0xBB, 0xBF, rest @ ..], _) => String::from_utf8_lossy(rest),
            ([0xFF, 0xFE, rest @ ..], _) => utf16(rest, u16::from_le_bytes),
            ([0xFE, 0xFF, rest @ ..], _) => utf16(rest, u16::from_be_bytes),
            (_, Self::Utf8) => String::from_utf8_lossy(bytes),
            (_, Self::Utf16Le) => utf16(bytes, u16::from_le_bytes),
            (_, Self::Utf16Be) => utf16(bytes, u16::from_be_bytes),
            (_, Self::Other(table)) => decode_other(table, bytes),
        }
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Cow<'_, str> {
    let (units, rest) = bytes.as_chunks::<2>();
    let letters = char::decode_utf16(units.iter().map(|bytes| unit(*bytes)));
    let letters = letters.map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER));
    let cut = (!rest.is_empty()).then_some(char::REPLACEMENT_CHARACTER);
    Cow::Owned(letters.chain(cut).collect())
}

#[cfg(feature = "rare")]
fn other(label: &str) -> Option<Charset> {
    let found = tables::Encoding::for_label(label.as_bytes())?.output_encoding();
    Some(if found == tables::UTF_8 {
        Charset::Utf8
    } else {
        Charset::Other(found)
    })
}

#[cfg(feature = "rare")]
fn decode_other<'b>(table: &Table, bytes: &'b [u8]) -> Cow<'b, str> {
    table.decode_without_bom_handling(bytes).0
}

#[cfg(not(feature = "rare"))]
use platform::{decode as decode_other, other};

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(label: &str, bytes: &[u8]) -> Option<String> {
        Charset::declared(label).map(|charset| charset.decode(bytes).into_owned())
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
            assert_eq!(Charset::Utf8.decode(bytes), "aä");
            assert_eq!(Charset::Utf16Le.decode(bytes), "aä");
        }
    }

    #[test]
    fn what_is_wrong_in_utf_16_is_replaced() {
        assert_eq!(
            Charset::Utf16Le.decode(b"a\0\0\xD8b\0c"),
            "a\u{FFFD}b\u{FFFD}"
        );
        assert_eq!(Charset::Utf16Be.decode(b"\0a\xDC\0\0b"), "a\u{FFFD}b");
    }
}
