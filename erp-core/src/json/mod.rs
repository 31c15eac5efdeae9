//! JSON as the interface sends it (pure ASCII, so that the same bytes are valid ISO-8859-1 and UTF-8) and as it reads
//! it (numbers digit by digit).

// rule: D-REQ-11, D-REQ-17
mod read;
mod value;

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter};

pub use read::{read, within_f64};
pub(crate) use value::write_digits;
pub use value::{AsJson, Digits, Json, Object};

/// Writes a value as compact JSON in which every character beyond ASCII is escaped.
///
/// ```
/// let json = erp_core::json::to_ascii(&"Zürich €")?;
/// assert_eq!(json, br#""Z\u00fcrich \u20ac""#);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Errors
/// Only when the value's own `Serialize` fails; the wire types never do.
pub fn to_ascii<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(512);
    write_ascii(&mut bytes, value)?;
    Ok(bytes)
}

// rule: R-CON-02
/// Like [`to_ascii`], into a writer.
///
/// # Errors
/// When the value's `Serialize` or the writer fails.
pub fn write_ascii<W: Write, T: Serialize + ?Sized>(
    writer: W,
    value: &T,
) -> serde_json::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(writer, AsciiFormatter);
    value.serialize(&mut serializer)
}

struct AsciiFormatter;

impl Formatter for AsciiFormatter {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if fragment.is_ascii() {
            return writer.write_all(fragment.as_bytes());
        }
        let mut rest = fragment;
        while let Some(at) = rest.bytes().position(|byte| !byte.is_ascii()) {
            let (ascii, beyond) = rest.split_at(at);
            writer.write_all(ascii.as_bytes())?;
            let mut characters = beyond.chars();
            if let Some(character) = characters.next() {
                let mut units = [0_u16; 2];
                for unit in character.encode_utf16(&mut units) {
                    write!(writer, "\\u{unit:04x}")?;
                }
            }
            rest = characters.as_str();
        }
        CompactFormatter.write_string_fragment(writer, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ascii(text: &str) -> String {
        String::from_utf8(to_ascii(&text).unwrap()).unwrap()
    }

    // rule: R-CON-02
    #[test]
    fn everything_beyond_ascii_is_escaped() {
        assert_eq!(ascii("äß€Ł"), r#""\u00e4\u00df\u20ac\u0141""#);
        assert_eq!(ascii("a😀b"), r#""a\ud83d\ude00b""#);
        assert_eq!(ascii("\"\\\n\u{1}\u{7f}"), "\"\\\"\\\\\\n\\u0001\u{7f}\"");
    }

    #[test]
    fn what_is_written_reads_back() {
        for text in ["", "Zürich", "日本", "\u{10ffff}", "x\u{80}y"] {
            assert_eq!(
                serde_json::from_slice::<String>(&to_ascii(&text).unwrap()).unwrap(),
                text
            );
        }
    }
}
