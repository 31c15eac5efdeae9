//! JSON as the interface sends it (pure ASCII, so that the same bytes are valid ISO-8859-1 and UTF-8) and as it reads
//! it (numbers digit by digit).

mod read;
mod value;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use serde_json::ser::{CompactFormatter, Formatter};
use serde_json::value::RawValue;

pub use read::{read, within_f64};
pub(crate) use value::write_digits;
pub use value::{AsJson, Digits, Json, Object};

/// What a value is written as. None of the interface's own values fails.
pub(crate) fn written(value: &impl Serialize) -> Json {
    let text = serde_json::to_string(value).unwrap_or_default();
    read(&text).unwrap_or_default()
}

/// Writes a value as compact JSON in which every character beyond ASCII is escaped.
///
/// ```
/// let json = erp_core::internal::json::to_ascii(&"Zürich €");
/// assert!(json.is_ok_and(|json| json == br#""Z\u00fcrich \u20ac""#));
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
pub fn write_ascii<W: Write, T: Serialize + ?Sized>(
    writer: W,
    value: &T,
) -> serde_json::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(writer, AsciiFormatter::default());
    value.serialize(&mut serializer)
}

/// A JSON text as it is sent. A retried request gets the first response byte for byte from one that was stored.
///
/// ```
/// let rendered = erp_core::internal::json::Rendered::new(&"Zürich");
/// assert!(serde_json::to_string(&rendered).is_ok_and(|text| text == r#""Z\u00fcrich""#));
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Rendered(Box<RawValue>);

impl Rendered {
    /// The text of a value; that of a value that cannot be written is `null`, which no record of the interface is.
    pub fn new(value: &impl Serialize) -> Self {
        let text = to_ascii(value).map(String::from_utf8);
        let raw = text.ok().and_then(Result::ok).map(RawValue::from_string);
        Self(
            raw.and_then(Result::ok)
                .unwrap_or_else(|| RawValue::NULL.to_owned()),
        )
    }

    /// The text of a member, if the value has it.
    pub fn text(&self, member: &str) -> Option<String> {
        let members: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_str(self.0.get()).ok()?;
        serde_json::from_str(members.get(member)?.get()).ok()
    }
}

/// The escape of a UTF-16 unit, like `\u00e4`. Every umlaut of a response is one, so it is written without `format!`.
fn escape(unit: u16) -> [u8; 6] {
    let digit = |shift: u32| {
        let digit = char::from_digit(u32::from(unit >> shift & 15), 16);
        digit.map_or(b'0', |digit| digit.try_into().unwrap_or(b'0'))
    };
    [b'\\', b'u', digit(12), digit(8), digit(4), digit(0)]
}

/// Writes the comma before a member and the colon after its name together with the quotes: a response consists of
/// members, and each piece is a call.
#[derive(Default)]
struct AsciiFormatter {
    comma_due: bool,
    is_name: bool,
}

impl Formatter for AsciiFormatter {
    fn begin_object_key<W: ?Sized + Write>(&mut self, _: &mut W, first: bool) -> io::Result<()> {
        self.comma_due = !first;
        self.is_name = true;
        Ok(())
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        Ok(())
    }

    fn begin_string<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        if std::mem::take(&mut self.comma_due) {
            writer.write_all(b",\"")
        } else {
            writer.write_all(b"\"")
        }
    }

    fn end_string<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        if std::mem::take(&mut self.is_name) {
            writer.write_all(b"\":")
        } else {
            writer.write_all(b"\"")
        }
    }

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
                    writer.write_all(&escape(*unit))?;
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
    fn objects_and_lists_are_compact_and_in_order() {
        let value = serde_json::json!({
            "a": {}, "b": {"x": [{"y": 1, "z": []}, {}, "t"], "w": null}, "ü": {"\"": true, "n": -1.5},
        });
        let ascii = String::from_utf8(to_ascii(&value).unwrap()).unwrap();
        assert_eq!(ascii, value.to_string().replace('ü', "\\u00fc"));
        let by_number = std::collections::BTreeMap::from([(1, [2, 3]), (4, [5, 6])]);
        assert_eq!(to_ascii(&by_number).unwrap(), br#"{"1":[2,3],"4":[5,6]}"#);
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
