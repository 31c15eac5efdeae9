//! JSON as the interface sends it: pure ASCII, so that the same bytes are valid ISO-8859-1 and UTF-8.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::ser::{CompactFormatter, Formatter};
use serde_json::{Map, Value};

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
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Reader { text }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// The name under which `serde_json` hands over a number, as an object with this one member.
const NUMBER: &str = "$serde_json::private::Number";

/// Reads values of a text, each member of an object once.
#[derive(Clone, Copy)]
struct Reader<'t> {
    text: &'t str,
}

impl Reader<'_> {
    /// Whether `serde_json` made this name for a number. A client may write the same name: then it is
    /// part of the text, or a copy where it was written with escapes, and the object stays an object.
    fn marks_number(&self, name: &str, borrowed: bool) -> bool {
        let is_of_text = || self.text.as_bytes().as_ptr_range().contains(&name.as_ptr());
        name == NUMBER && borrowed && !is_of_text()
    }
}

impl<'de> DeserializeSeed<'de> for Reader<'de> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'de> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(Name(name)) = map.next_key::<Name<'de>>()? {
            if self.marks_number(&name, matches!(name, Cow::Borrowed(_))) {
                let digits: String = map.next_value()?;
                return digits.parse().map(Value::Number).map_err(A::Error::custom);
            }
            if object.contains_key(name.as_ref()) {
                return Err(A::Error::custom(format_args!(
                    "the member `{name}` is given twice"
                )));
            }
            let value = map.next_value_seed(self)?;
            object.insert(name.into_owned(), value);
        }
        Ok(Value::Object(object))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(self)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    // Whole numbers of 64 bits; all others come as maps, digit by digit.
    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::from(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::from(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}

/// A member name, borrowed from the text unless it holds an escape.
#[derive(Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

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
    fn every_kind_of_value_is_read() {
        let text = r#"{"n":-1.50e3,"big":123456789012345678901234567890,"l":[null,true,"t\u00e4"],"o":{},"":[]}"#;
        let value = read(text).unwrap();
        assert_eq!(value["n"].to_string(), "-1.50e+3");
        assert_eq!(value["big"].to_string(), "123456789012345678901234567890");
        assert_eq!(value["l"], serde_json::json!([null, true, "tä"]));
        assert_eq!(
            (&value["o"], &value[""]),
            (&serde_json::json!({}), &serde_json::json!([]))
        );
        assert_eq!(value, serde_json::from_str::<Value>(text).unwrap());
    }

    #[test]
    fn an_object_is_never_a_number() {
        for name in [
            "$serde_json::private::Number",
            r"\u0024serde_json::private::Number",
        ] {
            for text in [
                format!(r#"{{"{name}":"2"}}"#),
                format!(r#"{{"{name}":2}}"#),
                format!(r#"{{"{name}":"2","x":1}}"#),
                format!(r#"{{"x":1,"{name}":"2"}}"#),
            ] {
                let value = read(&text).unwrap();
                assert!(value.is_object(), "{text}");
                assert!(
                    value.get("$serde_json::private::Number").is_some(),
                    "{text}"
                );
            }
        }
        assert!(read("2").unwrap().is_number());
    }

    #[test]
    fn deep_nesting_and_trailing_text_are_refused() {
        assert!(read(&"[".repeat(20_000)).is_err());
        assert!(read("{} x").is_err());
        assert!(read("").is_err());
    }
}
