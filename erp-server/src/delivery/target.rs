use std::net::IpAddr;

use erp_core::erp::EventKind;
use erp_core::internal::Say;
use salvo::http::uri::Uri;

use super::is_public;

/// Maximum length of a target address, as for links (interface, "Limits").
pub(crate) const URL_CHARACTERS: usize = 2_048;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum TargetError {
    #[say("malformed.target_long", most = URL_CHARACTERS)]
    TooLong,
    /// Not an http or https URL.
    #[say("malformed.target")]
    NoWebAddress,
    /// Contains a user name or password, which would appear in lists and logs.
    #[say("malformed.target_user")]
    User,
    /// A private address, and the setting does not allow it.
    #[say("malformed.target_private")]
    Private,
}

/// Checks the address of a target. Host names are resolved only when an event is sent.
pub fn check_url(url: &str, private_allowed: bool) -> Result<Uri, TargetError> {
    if url.chars().count() > URL_CHARACTERS {
        return Err(TargetError::TooLong);
    }
    let uri: Uri = url.parse().map_err(|_| TargetError::NoWebAddress)?;
    let authority = uri.authority().ok_or(TargetError::NoWebAddress)?;
    if !matches!(uri.scheme_str(), Some("http" | "https")) || authority.host().is_empty() {
        return Err(TargetError::NoWebAddress);
    }
    if authority.as_str().contains('@') {
        return Err(TargetError::User);
    }
    match literal(&uri) {
        Some(address) if !private_allowed && !is_public(address) => Err(TargetError::Private),
        _ => Ok(uri),
    }
}

/// The IP address if the host is one; otherwise the host is a name.
fn literal(uri: &Uri) -> Option<IpAddr> {
    uri.host()?.trim_matches(['[', ']']).parse().ok()
}

/// Parses the names of event kinds; the error is the first unknown one.
pub fn check_kinds<'a>(
    names: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<EventKind>, &'a str> {
    let kind = |name: &'a str| EventKind::parse(name).ok_or(name);
    names.into_iter().map(kind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_addresses_are_targets() {
        for url in [
            "https://example.com/hook?key=1",
            "http://example.com",
            "http://8.8.8.8:8080/",
            "https://[2600::1]/",
        ] {
            assert!(check_url(url, false).is_ok(), "{url}");
        }
        for (url, error) in [
            ("", TargetError::NoWebAddress),
            ("/hook", TargetError::NoWebAddress),
            ("example.com", TargetError::NoWebAddress),
            ("ftp://example.com/", TargetError::NoWebAddress),
            ("https://", TargetError::NoWebAddress),
            ("https://ex ample.com/", TargetError::NoWebAddress),
            ("https://user:pw@example.com/", TargetError::User),
            ("http://127.0.0.1/", TargetError::Private),
            ("http://10.0.0.1:80/", TargetError::Private),
            ("http://[::1]:80/", TargetError::Private),
            ("http://169.254.169.254/latest", TargetError::Private),
        ] {
            assert_eq!(check_url(url, false), Err(error), "{url}");
        }
        let long = format!("https://example.com/{}", "x".repeat(2_048));
        assert_eq!(check_url(&long, false), Err(TargetError::TooLong));
        assert!(check_url("http://127.0.0.1:9/", true).is_ok());
    }

    #[test]
    fn kinds_have_names() {
        let kinds = check_kinds(["REST_Kunde", "REST_Auft"]);
        assert_eq!(kinds, Ok(vec![EventKind::Customer, EventKind::Order]));
        assert_eq!(check_kinds(["REST_Auft", "rest_auft"]), Err("rest_auft"));
    }
}
