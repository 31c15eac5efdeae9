//! Request id, which connects a response to its log lines.

use rand::RngExt as _;
use salvo::http::{HeaderName, HeaderValue};

/// `X-Request-Id`, in requests and responses.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Maximum length; longer client ids are replaced by a generated one.
const CHARACTERS: usize = 64;

/// Request id: sent by the client if well-formed, otherwise 128 random bits in hex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(HeaderValue);

impl RequestId {
    /// Uses the client's id if it consists of 1 to 64 characters of `A-Z a-z 0-9 . _ -`, or else generates one.
    pub fn from_client(sent: Option<&HeaderValue>) -> Self {
        let legal = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
        let well_formed = |value: &&HeaderValue| {
            let bytes = value.as_bytes();
            (1..=CHARACTERS).contains(&bytes.len()) && bytes.iter().all(legal)
        };
        sent.filter(well_formed)
            .map_or_else(Self::random, |value| Self(value.clone()))
    }

    fn random() -> Self {
        let bits: u128 = rand::rng().random();
        let value = HeaderValue::try_from(format!("{bits:032x}"));
        Self(value.unwrap_or(HeaderValue::from_static("none")))
    }

    /// The id as text, at most 64 characters.
    pub fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    pub(crate) fn to_header(&self) -> HeaderValue {
        self.0.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_well_formed_ids_are_kept() {
        let from = |text: &'static [u8]| {
            RequestId::from_client(Some(&HeaderValue::from_bytes(text).unwrap()))
        };
        assert_eq!(from(b"shop-1.A_b").as_str(), "shop-1.A_b");
        let long = [b'a'; 65];
        let long = RequestId::from_client(Some(&HeaderValue::from_bytes(&long).unwrap()));
        for id in [
            from(b""),
            from(b"a b"),
            from(b"a\"b"),
            from(b"\xe4"),
            long,
            RequestId::from_client(None),
        ] {
            assert_eq!(id.as_str().len(), 32);
            assert!(id.as_str().bytes().all(|byte| byte.is_ascii_hexdigit()));
        }
        assert_ne!(RequestId::from_client(None), RequestId::from_client(None));
    }
}
