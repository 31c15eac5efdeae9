//! CORS: which pages of other origins may call the server from a browser.
//!
//! Access depends only on the bearer token, never on cookies, so credentials are not allowed.

use salvo::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ALLOW, VARY,
};
use salvo::http::{HeaderMap, HeaderValue};

use super::links::is_host;

/// Request headers a page may send.
const SENT: HeaderValue = HeaderValue::from_static(
    "authorization, content-type, if-match, if-modified-since, if-none-match, if-range, \
     if-unmodified-since, idempotency-key, range, traceparent, x-request-id",
);

/// Response headers a page may read.
const READ: HeaderValue = HeaderValue::from_static(
    "accept-ranges, content-disposition, content-language, content-md5, content-range, etag, idempotent-replayed, link, \
     location, ratelimit, ratelimit-policy, retry-after, x-address-check, x-invoice-check, x-invoice-files, \
     x-invoice-profile, x-pdf-a, x-request-id, x-unknown-parameters",
);

/// Preflight cache time in seconds.
const REMEMBERED: HeaderValue = HeaderValue::from_static("600");

// rule: D-REQ-21
/// Writes the CORS headers. Without configured origins it writes none; for an origin not on the list it grants no
/// permission, and the browser withholds the response from the page.
pub(super) fn write(origins: &[String], origin: Option<&HeaderValue>, headers: &mut HeaderMap) {
    if origins.is_empty() {
        return;
    }
    headers.append(VARY, HeaderValue::from_static("origin"));
    let Some(origin) = origin.filter(|origin| permitted(origins, origin)) else {
        return;
    };
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, READ);
    // Preflight headers belong to the response to `OPTIONS`, which lists all methods in `Allow`.
    if let Some(methods) = headers.get(ALLOW).cloned() {
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, methods);
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, SENT);
        headers.insert(ACCESS_CONTROL_MAX_AGE, REMEMBERED);
    }
}

fn permitted(origins: &[String], origin: &HeaderValue) -> bool {
    let Ok(origin) = origin.to_str() else {
        return false;
    };
    origins.iter().any(|known| known == "*" || known == origin)
}

/// An entry of `cors_origins` as browsers send it, or `*`.
/// Errors: what an entry must be.
pub fn origin(text: &str) -> Result<String, String> {
    let text = text.trim_end_matches('/').to_ascii_lowercase();
    let is_sent = text.split_once("://").is_some_and(|(scheme, host)| {
        let usual_port = match scheme {
            "https" => Some(":443"),
            "http" => Some(":80"),
            // Web views of apps: `capacitor://localhost`.
            _ => None,
        };
        let has_usual = usual_port.is_some_and(|port| host.ends_with(port));
        scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) && is_host(host) && !has_usual
    });
    match is_sent || text == "*" {
        true => Ok(text),
        false => Err(
            "`*` or origins as browsers send them, like `https://shop.example.com`, without the usual port or a path"
                .to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(origins: &[&str], origin: &'static str, allow: bool) -> HeaderMap {
        let origins: Vec<String> = origins.iter().map(|&origin| origin.to_owned()).collect();
        let mut headers = HeaderMap::new();
        if allow {
            headers.insert(ALLOW, HeaderValue::from_static("GET, OPTIONS"));
        }
        write(
            &origins,
            Some(&HeaderValue::from_static(origin)),
            &mut headers,
        );
        headers
    }

    // rule: D-REQ-21
    #[test]
    fn only_configured_origins_are_permitted() {
        let shop = "https://shop.example.com";
        let headers = written(&[shop], shop, false);
        assert_eq!(headers[ACCESS_CONTROL_ALLOW_ORIGIN], shop);
        assert_eq!(headers[VARY], "origin");
        assert!(!headers.contains_key(ACCESS_CONTROL_ALLOW_METHODS));
        for foreign in [
            "https://shop.example.com.evil.example",
            "http://shop.example.com",
            "null",
        ] {
            let headers = written(&[shop], foreign, true);
            assert!(
                !headers.contains_key(ACCESS_CONTROL_ALLOW_ORIGIN),
                "{foreign}"
            );
            assert_eq!(headers[VARY], "origin");
        }
        assert_eq!(
            written(&["*"], shop, false)[ACCESS_CONTROL_ALLOW_ORIGIN],
            shop
        );
        assert_eq!(written(&[], shop, true).len(), 1);
    }

    // rule: D-REQ-21
    #[test]
    fn an_entry_is_what_browsers_send() {
        for good in [
            "*",
            "https://shop.example.com",
            "http://localhost:3000",
            "http://[::1]:443",
            "capacitor://localhost",
        ] {
            assert_eq!(origin(good).as_deref(), Ok(good));
            assert_eq!(
                origin(&format!("{}/", good.to_uppercase())).as_deref(),
                Ok(good)
            );
        }
        for bad in [
            "shop.example.com",
            "https://shop.example.com/kasse",
            "https://shop.example.com:443",
            "http://shop.example.com:80",
            "https://*.example.com",
            "https://",
            "null",
            "a b://c",
        ] {
            assert!(origin(bad).is_err(), "{bad}");
        }
    }

    // rule: D-REQ-21
    #[test]
    fn a_preflight_names_methods_and_headers() {
        let headers = written(
            &["https://shop.example.com"],
            "https://shop.example.com",
            true,
        );
        assert_eq!(headers[ACCESS_CONTROL_ALLOW_METHODS], "GET, OPTIONS");
        assert!(
            headers[ACCESS_CONTROL_ALLOW_HEADERS]
                .to_str()
                .unwrap()
                .contains("idempotency-key")
        );
        assert_eq!(headers[ACCESS_CONTROL_MAX_AGE], "600");
    }
}
