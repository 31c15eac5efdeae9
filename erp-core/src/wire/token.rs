//! The response of `POST /www/token` (interface: "Endpoints" and "Authentication").

use serde::{Deserialize, Serialize, Serializer};

use super::record::{Field, Kind, Scope, wire_record};
use super::value::Value;
use crate::values::json::Json;

wire_record! {
    /// A fresh token.
    pub struct TokenAnswer {
        /// The token for bearer authentication.
        access_token: text required,
        /// How the token is used: `Bearer`.
        token_type: text required,
        /// Lifetime in seconds.
        expires_in: lifetime required,
    }
}

/// A lifetime in seconds: declared a whole number, shown as a string in the interface's example, so
/// that a setting chooses the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "serde_json::Value")]
pub enum Lifetime {
    /// `3600`
    Number(i32),
    /// `"3600"`
    Text(i32),
}

impl Lifetime {
    /// The lifetime in seconds.
    #[must_use]
    pub const fn seconds(self) -> i32 {
        match self {
            Self::Number(seconds) | Self::Text(seconds) => seconds,
        }
    }
}

impl Serialize for Lifetime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(seconds) => serializer.serialize_i32(*seconds),
            Self::Text(seconds) => serializer.collect_str(seconds),
        }
    }
}

impl TryFrom<serde_json::Value> for Lifetime {
    type Error = &'static str;

    fn try_from(value: serde_json::Value) -> Result<Self, Self::Error> {
        use serde_json::Value;
        let read = match &value {
            Value::String(text) => text.parse().ok().map(Self::Text),
            Value::Number(number) => number
                .as_i64()
                .and_then(|number| number.try_into().ok())
                .map(Self::Number),
            _ => None,
        };
        read.ok_or("expected whole seconds as a number or a string")
    }
}

impl Value for Lifetime {
    const KIND: Kind = Kind::Int;

    fn read_value(value: &Json, field: &Field, scope: &mut Scope<'_>) -> Option<Self> {
        match value.as_str().and_then(|text| text.parse().ok()) {
            Some(seconds) => Some(Self::Text(seconds)),
            None => i32::read_value(value, field, scope).map(Self::Number),
        }
    }

    fn to_wire(&self, _: &Field) -> Option<impl Serialize> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: R-END-25
    #[test]
    fn both_forms_of_the_lifetime_are_written_and_read() {
        for (lifetime, json) in [
            (Lifetime::Number(3600), "{\"expires_in\":3600}"),
            (Lifetime::Text(3600), "{\"expires_in\":\"3600\"}"),
        ] {
            let answer = TokenAnswer {
                expires_in: Some(lifetime),
                ..TokenAnswer::default()
            };
            assert_eq!(serde_json::to_string(&answer).unwrap(), json);
            assert_eq!(serde_json::from_str::<TokenAnswer>(json).unwrap(), answer);
        }
        assert!(serde_json::from_str::<Lifetime>("\"soon\"").is_err());
    }
}
