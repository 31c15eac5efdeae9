//! Security headers that limit what browsers do with a response.

use salvo::http::header::{
    CONTENT_SECURITY_POLICY, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use salvo::http::{HeaderMap, HeaderName, HeaderValue};

/// Defaults for every response that does not set its own: no MIME sniffing, no active content or embedded resources,
/// no framing, no referrer.
const ALWAYS: [(HeaderName, HeaderValue); 4] = [
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
    ),
    (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
];

/// Value of `Strict-Transport-Security`; `None` for 0 seconds.
pub(super) fn transport(seconds: u64) -> Option<HeaderValue> {
    let value = HeaderValue::try_from(format!("max-age={seconds}"));
    value.ok().filter(|_| seconds > 0)
}

// rule: D-NET-08
/// Adds missing headers to a response. Pass `transport` for encrypted connections only.
pub(super) fn write(headers: &mut HeaderMap, transport: Option<&HeaderValue>) {
    for (name, value) in ALWAYS {
        headers.entry(name).or_insert(value);
    }
    if let Some(value) = transport {
        headers.insert(STRICT_TRANSPORT_SECURITY, value.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: D-NET-08
    #[test]
    fn an_answer_keeps_its_own_policy() {
        let mut headers = HeaderMap::new();
        let own = HeaderValue::from_static("default-src 'self'");
        headers.insert(CONTENT_SECURITY_POLICY, own.clone());
        write(&mut headers, transport(0).as_ref());
        assert_eq!(headers[CONTENT_SECURITY_POLICY], own);
        assert_eq!(headers[X_FRAME_OPTIONS], "DENY");
        assert!(!headers.contains_key(STRICT_TRANSPORT_SECURITY));
        write(&mut headers, transport(60).as_ref());
        assert_eq!(headers[STRICT_TRANSPORT_SECURITY], "max-age=60");
    }
}
