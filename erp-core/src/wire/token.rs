//! The response of `POST /www/token` (interface: "Endpoints" and "Authentication").

use erp_derive::Record;
use serde::{Serialize, Serializer};
use smol_str::SmolStr;

use super::scope::Scope;
use super::table::{Field, Kind};
use super::value::Value;
use crate::values::json::Json;
use crate::values::text::Text;

/// A fresh token.
#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(Response)]
pub struct TokenAnswer {
    /// The token for bearer authentication.
    #[wire("access_token", required)]
    pub access_token: SmolStr,
    /// How the token is used: `Bearer`.
    #[wire("token_type", required, words("Bearer"))]
    pub token_type: SmolStr,
    /// Lifetime in seconds.
    #[wire("expires_in", lifetime, required)]
    pub expires_in: Lifetime,
    /// The customer that the token is for.
    #[wire("debinr")]
    pub customer: Option<Text<8>>,
}

/// A lifetime in seconds: declared a whole number, shown as a string in the interface's example, so
/// that a setting chooses the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// `3600`
    Number(i32),
    /// `"3600"`
    Text(i32),
}

impl Lifetime {
    /// The lifetime in seconds.
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

impl Value for Lifetime {
    const KIND: Kind = Kind::Int;

    fn read_value(value: &Json, field: &Field, scope: &mut Scope<'_>) -> Option<Self> {
        match value.as_str().and_then(|text| text.parse().ok()) {
            Some(seconds) => Some(Self::Text(seconds)),
            None => i32::read_value(value, field, scope).map(Self::Number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Reading, Record as _};

    // rule: R-END-25
    #[test]
    fn both_forms_of_the_lifetime_are_written_and_read() {
        for (lifetime, json) in [
            (Lifetime::Number(3600), "\"expires_in\":3600"),
            (Lifetime::Text(3600), "\"expires_in\":\"3600\""),
        ] {
            let answer = TokenAnswer {
                access_token: "t".into(),
                token_type: "Bearer".into(),
                expires_in: lifetime,
                customer: None,
            };
            let json = format!("{{\"access_token\":\"t\",\"token_type\":\"Bearer\",{json}}}");
            assert_eq!(serde_json::to_string(&answer).unwrap(), json);
            let body: serde_json::Value = serde_json::from_str(&json).unwrap();
            assert_eq!(
                TokenAnswer::read(&body, Reading::default()).unwrap(),
                answer
            );
        }
        let body = serde_json::json!({"expires_in": "soon"});
        assert!(TokenAnswer::read(&body, Reading::default()).is_err());
    }
}
