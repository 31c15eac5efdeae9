//! Signing secrets in Standard Webhooks form: `whsec_` followed by 24 to 64 bytes in Base64.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use erp_core::internal::Say;
use hmac::{Hmac, KeyInit as _, Mac as _};
use rand::TryRng as _;
use rand::rngs::SysRng;
use sha2::Sha256;

const PREFIX: &str = "whsec_";
const BYTES: std::ops::RangeInclusive<usize> = 24..=64;

const MADE_BYTES: usize = 32;

/// The text is not a valid secret. The error does not contain the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
#[say("malformed.secret")]
pub struct SecretError;

// rule: R-EVT-10
/// The signing secret of a target. Its `Debug` output hides the value.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// Generates a secret of 256 random bits.
    pub fn random() -> Result<Self, rand::rngs::SysError> {
        let mut bytes = vec![0; MADE_BYTES];
        SysRng.try_fill_bytes(&mut bytes)?;
        Ok(Self(bytes))
    }

    pub fn parse(text: &str) -> Result<Self, SecretError> {
        let coded = text.strip_prefix(PREFIX).ok_or(SecretError)?;
        let bytes = STANDARD.decode(coded).map_err(|_| SecretError)?;
        if BYTES.contains(&bytes.len()) {
            Ok(Self(bytes))
        } else {
            Err(SecretError)
        }
    }

    /// The secret as text, for the store and for the client that adds the target.
    pub fn to_text(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(&self.0))
    }

    /// The HMAC-SHA256 of the concatenated parts, in Base64.
    pub(super) fn sign(&self, parts: &[&[u8]]) -> String {
        // HMAC accepts keys of any length.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else {
            return String::new();
        };
        for part in parts {
            mac.update(part);
        }
        STANDARD.encode(mac.finalize().into_bytes())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: R-EVT-10
    #[test]
    fn a_secret_reads_back_and_is_not_printed() {
        let secret = Secret::random().unwrap();
        let text = secret.to_text();
        assert_eq!(Secret::parse(&text), Ok(secret.clone()));
        assert_ne!(Secret::random().unwrap(), secret);
        assert_eq!(format!("{secret:?}"), "Secret(..)");
    }

    // rule: R-EVT-10
    #[test]
    fn the_form_is_checked() {
        let short = format!("whsec_{}", STANDARD.encode([1; 23]));
        let long = format!("whsec_{}", STANDARD.encode([1; 65]));
        let bare = STANDARD.encode([1; 24]);
        for text in ["", "whsec_", "whsec_***", &short, &long, &bare] {
            assert_eq!(Secret::parse(text), Err(SecretError), "{text}");
        }
    }
}
