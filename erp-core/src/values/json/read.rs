//! Reads JSON texts, numbers digit by digit.
//!
//! `serde_json` finds the values and the errors, but hands over decimal numbers as binary ones. So their digits are taken
//! from the text: the reader meets the numbers in the order of the text, and [`Numbers`] finds them in the same order.
//!
//! Example: in `{"a":1.50,"b":["2",3e0]}` the reader meets two numbers, and the text has the runs `1.50` and `3e0`
//! outside of its strings.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::btree_map::Entry;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::{Digits, Json, Object};

// rule: D-REQ-07
/// Reads a JSON text into a value, numbers digit by digit. An object is never a number, whatever its members are
/// called: a client could send the name by which `serde_json` passes numbers.
///
/// # Errors
/// When the text is not JSON, nests deeper than 127 levels, or names a member twice in one object
/// (RFC 8259 leaves the meaning of that open, so two readers could see two different orders).
pub fn read(text: &str) -> serde_json::Result<Json> {
    let bounded = within_f64(text);
    let mut deserializer = serde_json::Deserializer::from_str(&bounded);
    let numbers = Cell::new(Numbers::of(text));
    let value = JsonReader { numbers: &numbers }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Maximum length of a number that `f64` holds whatever its digits are, with a margin.
const SHORT: usize = 300;

/// The text with other numbers in place of those that may be beyond the range of `f64`, which `serde_json` refuses.
/// Everything keeps its place, so that errors have the right column.
#[must_use]
pub fn within_f64(text: &str) -> Cow<'_, str> {
    let mut bounded = String::new();
    let mut copied = 0;
    let mut numbers = Numbers::of(text);
    while let Some(number) = numbers.next() {
        if number.len() <= SHORT && !number.contains(['e', 'E']) {
            continue;
        }
        let start = numbers.at.saturating_sub(number.len());
        bounded.push_str(text.get(copied..start).unwrap_or_default());
        bounded.push_str(&small(number));
        copied = numbers.at;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    bounded.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(bounded)
}

/// A small number of the same length; text that is not a number stays an error of the same kind.
fn small(number: &str) -> String {
    if number.len() > SHORT && Digits::parse(number).is_some() {
        return format!("1e{}", "0".repeat(number.len().saturating_sub(2)));
    }
    let mut is_exponent = false;
    let zeroed = number.chars().map(|character| match character {
        '0'..='9' if is_exponent => '0',
        other => {
            is_exponent |= matches!(other, 'e' | 'E');
            other
        }
    });
    zeroed.collect()
}

/// The numbers of a JSON text in order: runs of the characters of numbers, outside of strings.
#[derive(Clone, Copy, Debug)]
struct Numbers<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Numbers<'t> {
    const fn of(text: &'t str) -> Self {
        Self { text, at: 0 }
    }
}

impl<'t> Iterator for Numbers<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        loop {
            let rest = self.text.get(self.at..)?;
            let starts = |byte: &u8| matches!(byte, b'"' | b'-' | b'0'..=b'9');
            let offset = rest.as_bytes().iter().position(starts)?;
            let number = rest.get(offset..)?;
            self.at += offset;
            if !number.starts_with('"') {
                let is_end = |c: char| !matches!(c, '-' | '+' | '.' | 'e' | 'E' | '0'..='9');
                let length = number.find(is_end).unwrap_or(number.len());
                self.at += length;
                return number.get(..length);
            }
            self.skip_string();
        }
    }
}

impl Numbers<'_> {
    /// Continues after the string that starts here.
    fn skip_string(&mut self) {
        let bytes = self.text.as_bytes();
        self.at += 1;
        while let Some(rest) = bytes.get(self.at..) {
            let Some(offset) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\')) else {
                self.at = bytes.len();
                return;
            };
            let is_end = rest.get(offset) == Some(&b'"');
            // The character after a backslash ends nothing.
            let step = if is_end { 1 } else { 2 };
            self.at += offset + step;
            if is_end {
                return;
            }
        }
    }
}

#[derive(Clone, Copy)]
struct JsonReader<'c, 't> {
    numbers: &'c Cell<Numbers<'t>>,
}

impl JsonReader<'_, '_> {
    /// The digits of the number that was met.
    fn number<E: serde::de::Error>(self) -> Result<Json, E> {
        let mut numbers = self.numbers.get();
        let digits = numbers.next();
        self.numbers.set(numbers);
        let digits = digits.ok_or_else(|| E::custom("a number without digits"))?;
        Ok(Json::Number(Digits::of(digits)))
    }
}

impl<'de> DeserializeSeed<'de> for JsonReader<'_, '_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for JsonReader<'_, '_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut object = Object::new();
        while let Some(MemberName(name)) = map.next_key::<MemberName<'de>>()? {
            match object.entry(name.into_owned()) {
                Entry::Vacant(place) => {
                    place.insert(map.next_value_seed(self)?);
                }
                Entry::Occupied(given) => {
                    let name = given.key();
                    return Err(A::Error::custom(format_args!(
                        "the member `{name}` is given twice"
                    )));
                }
            }
        }
        Ok(Json::Object(object))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(self)? {
            values.push(value);
        }
        Ok(Json::Array(values))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_u64<E: serde::de::Error>(self, _: u64) -> Result<Json, E> {
        self.number()
    }

    fn visit_i64<E: serde::de::Error>(self, _: i64) -> Result<Json, E> {
        self.number()
    }

    fn visit_f64<E: serde::de::Error>(self, _: f64) -> Result<Json, E> {
        self.number()
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::String(text.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }
}

/// A member name, borrowed from the text unless it holds an escape.
#[derive(Deserialize)]
#[serde(transparent)]
struct MemberName<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    // rule: D-REQ-11
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
        let shown = |name| value.get(name).unwrap().to_string();
        assert_eq!(shown("n"), "-1.50e+3");
        assert_eq!(shown("big"), "123456789012345678901234567890");
        assert_eq!(value.get("l"), Some(&json!([null, true, "tä"]).into()));
        assert_eq!((shown("o"), shown("")), ("{}".to_owned(), "[]".to_owned()));
    }

    #[test]
    fn numbers_keep_their_digits_whatever_stands_around_them() {
        let text = r#"[0.10, "7\"8\\", -0, 1E400, {"3": 2e-7, "x": ["\\", 5]}, 0.1234567890123456789012345678]"#;
        let read = read(text).unwrap().to_string();
        let expected =
            r#"[0.10,"7\"8\\",-0,1e+400,{"3":2e-7,"x":["\\",5]},0.1234567890123456789012345678]"#;
        assert_eq!(read, expected);
        let long = format!("{}{}", "9".repeat(400), ".5e-3");
        assert_eq!(super::read(&long).unwrap().to_string(), long);
    }

    #[test]
    fn an_error_has_the_place_and_the_words_of_serde_json() {
        for text in [
            "[1.5.3]",
            "[01]",
            "[1.]",
            "[1e]",
            "[1e+]",
            "[-]",
            "[1-2]",
            "{\"a\":1,}",
            "[1,]",
            "[tru1]",
            "{1:2}",
            "[1.5 x]",
            "[\"a\n1\"]",
            "1 2",
            "[1.5e",
            "nul1",
        ] {
            let ours = read(text).unwrap_err().to_string();
            let theirs = serde_json::from_str::<serde_json::Value>(text).unwrap_err();
            assert_eq!(ours, theirs.to_string(), "{text}");
        }
        // Beyond `f64` in front of an error, and text that only looks like a long number.
        let error = read("[1e999, 7 x]").unwrap_err();
        assert_eq!((error.line(), error.column()), (1, 11));
        let not_a_number = format!("[{}]", "1-".repeat(400));
        assert_eq!(read(&not_a_number).unwrap_err().column(), 3);
    }

    /// Lengths around those that change how a number is read, and above 65,535.
    fn length() -> impl Strategy<Value = usize> {
        prop_oneof![1_usize..4, 290_usize..310, 65_520_usize..65_550]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        // rule: D-REQ-07
        #[test]
        fn a_number_of_any_form_and_length_is_read(
            sign in "-?",
            (whole, wholes) in ("[0-9]", length()),
            (fraction, fractions) in ("(\\.[0-9])?", length()),
            (exponent, exponents) in ("([eE][+-]?[0-9])?", length()),
            after in "[-+.eE]?",
        ) {
            let long = |part: &str, length: usize| match part.chars().last() {
                Some(last) => format!("{part}{}", last.to_string().repeat(length - 1)),
                None => String::new(),
            };
            let whole = if whole == "0" { whole } else { long(&whole, wholes) };
            let number = format!("{sign}{whole}{}{}", long(&fraction, fractions), long(&exponent, exponents));
            let found = read(&number).unwrap();
            prop_assert!(matches!(found, Json::Number(_)));
            prop_assert_eq!(read(&found.to_string()).unwrap(), found);
            let error = read(&format!("{number} x")).unwrap_err();
            prop_assert_eq!(error.column(), number.len() + 2);
            prop_assert_eq!(read(&format!("{number}{after}")).is_ok(), after.is_empty());
        }
    }

    // rule: D-REQ-07
    #[test]
    fn an_object_is_never_a_number() {
        for name in [
            "$serde_json::private::Number",
            r"\u0024serde_json::private::Number",
            "$serde_json::private::RawValue",
        ] {
            for text in [
                format!(r#"{{"{name}":"2"}}"#),
                format!(r#"{{"{name}":2}}"#),
                format!(r#"{{"{name}":"2","x":1}}"#),
                format!(r#"{{"x":1,"{name}":"2"}}"#),
            ] {
                let value = read(&text).unwrap();
                assert!(value.is_object(), "{text}");
                let name = name.replace(r"\u0024", "$");
                assert!(value.get(&name).is_some(), "{text}");
            }
        }
        assert!(matches!(read("2").unwrap(), Json::Number(_)));
    }

    // rule: D-REQ-11
    #[test]
    fn deep_nesting_and_trailing_text_are_refused() {
        assert!(read(&"[".repeat(20_000)).is_err());
        assert!(read("{} x").is_err());
        assert!(read("").is_err());
    }
}
