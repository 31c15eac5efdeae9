//! The `Authorization` header: Basic for `POST /www/token`, Bearer for everything else.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use salvo::http::HeaderMap;
use salvo::http::header::AUTHORIZATION;
use secrecy::SecretString;

use super::charset::utf8_or_latin1;
use super::error::{ApiError, Result};

/// Accepts missing padding, which some old clients omit.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Maximum length of user name and password. Longer ones are rejected before any hashing.
const CREDENTIAL_CHARACTERS: usize = 255;

/// Basic credentials as the client sent them. `Debug` does not print the password.
#[derive(Debug)]
pub struct Basic {
    /// User name, not empty.
    pub user: String,
    /// Password, at most 255 characters.
    pub password: SecretString,
}

// rule: R-AUT-01
/// Credentials of a token request (RFC 7617: UTF-8; old clients: ISO-8859-1).
pub(super) fn basic(headers: &HeaderMap) -> Result<Basic> {
    let coded = scheme(headers, "basic").ok_or_else(ApiError::invalid_client)?;
    let bytes = LENIENT
        .decode(coded)
        .map_err(|_| ApiError::invalid_client())?;
    let text = utf8_or_latin1(bytes);
    let (user, password) = text.split_once(':').ok_or_else(ApiError::invalid_client)?;
    let legal = |part: &str| {
        part.chars().count() <= CREDENTIAL_CHARACTERS && !part.chars().any(char::is_control)
    };
    if user.is_empty() || !legal(user) || !legal(password) {
        return Err(ApiError::invalid_client());
    }
    Ok(Basic {
        user: user.to_owned(),
        password: password.into(),
    })
}

pub(super) fn bearer(headers: &HeaderMap) -> Result<SecretString> {
    let token = scheme(headers, "bearer").filter(|token| !token.is_empty());
    token
        .map(SecretString::from)
        .ok_or_else(ApiError::token_missing)
}

/// Text after the scheme name; the name is compared case-insensitively.
fn scheme<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, rest) = value.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case(name).then(|| rest.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::STANDARD as BASE64;
    use salvo::http::HeaderValue;
    use secrecy::ExposeSecret as _;

    fn headers(value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, HeaderValue::try_from(value).unwrap());
        headers
    }

    fn read(pair: &[u8]) -> Option<(String, String)> {
        let sent = headers(&format!("Basic {}", BASE64.encode(pair)));
        let basic = basic(&sent).ok()?;
        Some((basic.user, basic.password.expose_secret().to_owned()))
    }

    // rule: R-AUT-01
    #[test]
    fn credentials_are_utf8_or_latin1() {
        let jürg = Some(("jürg".to_owned(), "pä:ss".to_owned()));
        assert_eq!(read("jürg:pä:ss".as_bytes()), jürg);
        assert_eq!(read(b"j\xfcrg:p\xe4:ss"), jürg);
        for bad in [
            &b"no-colon"[..],
            b":secret",
            b"a:b\n",
            b"a\0:b",
            &[b'a'; 600],
        ] {
            assert_eq!(read(bad), None);
        }
        assert_eq!(basic(&headers("bAsIc YTpi")).unwrap().user, "a");
        assert_eq!(basic(&headers("Basic YTpiYw")).unwrap().user, "a");
    }

    #[test]
    fn what_is_missing_is_asked_for() {
        for value in ["", "Basic", "Basic !!!", "Bearer x", "Digest YTpi"] {
            assert_eq!(
                basic(&headers(value)).unwrap_err().code(),
                "invalid_client",
                "{value}"
            );
        }
        assert_eq!(
            bearer(&headers("bearer  abc ")).unwrap().expose_secret(),
            "abc"
        );
        for value in ["", "Bearer", "Bearer ", "Basic YTpi"] {
            assert_eq!(
                bearer(&headers(value)).unwrap_err().code(),
                "invalid_token",
                "{value}"
            );
        }
    }

    #[test]
    fn secrets_cannot_be_printed() {
        let printed = format!("{:?}", basic(&headers("Basic YTpnZWhlaW0=")).unwrap());
        assert!(
            printed.contains("user: \"a\"") && !printed.contains("geheim"),
            "{printed}"
        );
    }
}
