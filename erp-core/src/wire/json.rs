//! JSON as the interface sends it: pure ASCII, so that the same bytes are valid ISO-8859-1 and UTF-8.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Write};

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::ser::{CompactFormatter, Formatter};

/// Writes a value as compact JSON in which every character beyond ASCII is escaped.
///
/// ```
/// let json = erp_core::wire::json::to_ascii(&"Zürich €")?;
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

/// Reads a JSON text into a value, numbers digit by digit.
///
/// # Errors
/// When the text is not JSON, nests deeper than 127 levels, or names a member twice in one object
/// (RFC 8259 leaves the meaning of that open, so two readers could see two different orders).
pub fn read(text: &str) -> serde_json::Result<Value> {
    let mut once = serde_json::Deserializer::from_str(text);
    Once.deserialize(&mut once)?;
    once.end()?;
    serde_json::from_str(text)
}

/// Walks a JSON text and refuses an object that names a member twice.
struct Once;

impl<'de> DeserializeSeed<'de> for Once {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Once {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut names = BTreeSet::new();
        while let Some(name) = map.next_key::<Name<'de>>()? {
            let Name(name) = name;
            if names.contains(&name) {
                return Err(A::Error::custom(format_args!(
                    "the member `{name}` is given twice"
                )));
            }
            names.insert(name);
            map.next_value_seed(Self)?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(Self)?.is_some() {}
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// A member name, borrowed from the text unless it holds an escape.
#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] std::borrow::Cow<'a, str>);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ascii(text: &str) -> String {
        String::from_utf8(to_ascii(&text).unwrap()).unwrap()
    }

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

    #[test]
    fn a_member_given_twice_is_refused() {
        let error = read(r#"{"a":1,"b":{"x":1,"\u0078":2}}"#)
            .unwrap_err()
            .to_string();
        assert!(error.contains("`x` is given twice"), "{error}");
        assert!(read(r#"{"a":{"x":1},"b":{"x":1},"n":1.5e3,"l":[null,true,"t"]}"#).is_ok());
    }

    #[test]
    fn deep_nesting_and_trailing_text_are_refused() {
        assert!(read(&"[".repeat(20_000)).is_err());
        assert!(read("{} x").is_err());
        assert!(read("").is_err());
    }
}
