//! A JSON value that keeps the digits of its numbers.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::DeserializeOwned;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use smol_str::SmolStr;

/// The members of an object, sorted by name.
pub type Object = BTreeMap<String, Json>;

/// A JSON value as read by [`super::read`]. `serde_json::Value` would round its decimal numbers to binary ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Json {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// The digits of a number.
    Number(Digits),
    /// A string.
    String(String),
    /// A list.
    Array(Vec<Json>),
    /// An object.
    Object(Object),
}

/// The text of a number in the syntax of JSON, with a lower-case `e` and a signed exponent: `-1.50e+3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digits(SmolStr);

impl Digits {
    /// The number as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Normalises the exponent of a text that is a JSON number.
    pub(crate) fn of(text: &str) -> Self {
        let Some((mantissa, exponent)) = text.split_once(['e', 'E']) else {
            return Self(text.into());
        };
        let sign = if exponent.starts_with(['+', '-']) {
            ""
        } else {
            "+"
        };
        Self(smol_str::format_smolstr!("{mantissa}e{sign}{exponent}"))
    }

    /// Reads a number from a text that has nothing else; `None` when it is not a JSON number.
    pub fn parse(text: &str) -> Option<Self> {
        let starts = text.starts_with(|first: char| first == '-' || first.is_ascii_digit());
        let ends = text.ends_with(|last: char| last.is_ascii_digit());
        let is_number = starts && ends && serde_json::from_str::<&RawValue>(text).is_ok();
        is_number.then(|| Self::of(text))
    }
}

impl Json {
    /// A member of an object; `None` for other values.
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.as_object()?.get(name)
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// A truth value.
    pub const fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The entries of a list.
    pub const fn as_array(&self) -> Option<&Vec<Self>> {
        match self {
            Self::Array(entries) => Some(entries),
            _ => None,
        }
    }

    /// The members of an object.
    pub const fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The members of an object, to change them.
    pub const fn as_object_mut(&mut self) -> Option<&mut Object> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The value as a type that `serde` can read; the error has no place, because this value has none.
    pub(crate) fn to_type<T: DeserializeOwned>(&self) -> Result<T, String> {
        serde_json::from_str(&self.to_string()).map_err(|error| {
            let place = format!(" at line {} column {}", error.line(), error.column());
            without_number(&error.to_string().replace(&place, ""))
        })
    }

    /// Whether this is `null`.
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Whether this is an object.
    pub const fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }
}

/// A JSON value of this crate or of `serde_json`.
pub trait AsJson {
    /// The value with the digits of its numbers.
    fn as_json(&self) -> Cow<'_, Json>;
}

/// The message with the word `number` in place of its kind and value.
fn without_number(message: &str) -> String {
    for kind in ["integer `", "floating point `"] {
        let start = format!("invalid type: {kind}");
        if let Some((_, rest)) = message
            .strip_prefix(&start)
            .and_then(|rest| rest.split_once('`'))
        {
            return format!("invalid type: number{rest}");
        }
    }
    message.to_owned()
}

impl AsJson for Json {
    fn as_json(&self) -> Cow<'_, Json> {
        Cow::Borrowed(self)
    }
}

impl AsJson for serde_json::Value {
    /// Numbers have the digits that `serde_json` prints.
    fn as_json(&self) -> Cow<'_, Json> {
        Cow::Owned(self.clone().into())
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<i64> for Json {
    fn from(number: i64) -> Self {
        Self::Number(Digits(smol_str::format_smolstr!("{number}")))
    }
}

impl From<serde_json::Value> for Json {
    /// Numbers have the digits that `serde_json` prints.
    fn from(value: serde_json::Value) -> Self {
        use serde_json::Value;
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Number(number) => Self::Number(Digits::of(&number.to_string())),
            Value::String(text) => Self::String(text),
            Value::Array(entries) => Self::Array(entries.into_iter().map(Self::from).collect()),
            Value::Object(members) => Self::Object(
                members
                    .into_iter()
                    .map(|(name, value)| (name, Self::from(value)))
                    .collect(),
            ),
        }
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(digits) => write_digits(digits.as_str(), serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(entries) => entries.serialize(serializer),
            Self::Object(members) => members.serialize(serializer),
        }
    }
}

pub(crate) fn write_digits<S: Serializer>(digits: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let raw: &RawValue = serde_json::from_str(digits).map_err(S::Error::custom)?;
    raw.serialize(serializer)
}

impl fmt::Display for Json {
    /// Compact JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_of_serde_json_becomes_the_same_value() {
        let value = json!({"b": [null, true, "ä", 1, -2.5], "a": {"n": 1e-7}});
        let json = Json::from(value);
        assert_eq!(
            json.to_string(),
            r#"{"a":{"n":1e-7},"b":[null,true,"ä",1,-2.5]}"#
        );
        assert_eq!(json.get("b").and_then(Json::as_array).unwrap().len(), 5);
        assert_eq!(json.get("a").and_then(|a| a.get("n")?.as_str()), None);
        assert_eq!(Json::Null.get("a"), None);
    }

    #[test]
    fn an_error_of_a_type_names_neither_place_nor_number() {
        let of = |value: serde_json::Value| Json::from(value).to_type::<Vec<String>>().unwrap_err();
        let expected = "invalid type: number, expected a string";
        assert_eq!(
            (of(json!([7])).as_str(), of(json!([1.5])).as_str()),
            (expected, expected)
        );
        assert_eq!(of(json!({})), "invalid type: map, expected a sequence");
        let number = Json::from("x")
            .to_type::<crate::values::number::Number>()
            .unwrap_err();
        assert_eq!(number, "invalid type: string \"x\", expected a JSON number");
    }

    #[test]
    fn only_numbers_are_digits() {
        for (text, digits) in [
            ("1.50", "1.50"),
            ("-0", "-0"),
            ("1E5", "1e+5"),
            ("2e-3", "2e-3"),
        ] {
            assert_eq!(Digits::parse(text).unwrap().as_str(), digits);
        }
        for text in [
            "", "+1", "01", "1.", ".5", "1 ", " 1", "true", "\"1\"", "1,2", "-", "1e",
        ] {
            assert_eq!(Digits::parse(text), None, "{text}");
        }
    }
}
