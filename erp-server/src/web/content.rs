//! Bodies of responses that are in memory, with their headers.

use erp_core::sentence::Locale;
use salvo::Response;
use salvo::http::header::{ACCEPT_LANGUAGE, CONTENT_LENGTH, CONTENT_TYPE};
use salvo::http::{HeaderMap, HeaderName, HeaderValue, ResBody};
use salvo::hyper::body::Bytes;

/// Content type of every JSON response (interface, general convention 2).
pub const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=iso-8859-1");
pub(super) const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
/// `Vary` of a response with sentences.
pub(super) const BY_LANGUAGE: HeaderValue = HeaderValue::from_static("accept-language");

pub(super) fn set_body(res: &mut Response, content_type: HeaderValue, bytes: impl Into<Bytes>) {
    let bytes = bytes.into();
    let headers = res.headers_mut();
    headers.insert(CONTENT_TYPE, content_type);
    headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes.len()));
    res.body(ResBody::Once(bytes));
}

/// The language that the client prefers, if its texts are there; otherwise English.
pub(super) fn locale(headers: &HeaderMap) -> Locale {
    let of = |tag: &str| Locale::of_tag(if tag == "*" { "en" } else { tag });
    preferred(headers, &ACCEPT_LANGUAGE, of).unwrap_or_default()
}

/// What a client prefers by a field like `Accept`: of the values that `find` knows, the first with the highest quality.
pub fn preferred<T>(
    headers: &HeaderMap,
    name: &HeaderName,
    find: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    let fields = headers.get_all(name).iter();
    let fields = fields.filter_map(|field| field.to_str().ok());
    let mut best = (0, None);
    for range in fields.flat_map(|field| field.split(',')) {
        let mut parts = range.split(';').map(str::trim);
        if let Some(found) = parts.next().and_then(&find) {
            let quality = parts.find_map(|part| part.strip_prefix("q="));
            let quality = quality.map_or(1_000, thousandths);
            if quality > best.0 {
                best = (quality, Some(found));
            }
        }
    }
    best.1
}

/// A quality in thousandths: 0 to 1 with at most three fraction digits. What is none counts as 0.
fn thousandths(quality: &str) -> u32 {
    let (whole, fraction) = quality.split_once('.').unwrap_or((quality, ""));
    let fraction = format!("{fraction:0<3}");
    let digits = fraction
        .get(..3)
        .and_then(|digits| digits.parse::<u32>().ok());
    match (whole, digits) {
        ("1", Some(_)) => 1_000,
        ("0", Some(digits)) => digits,
        _ => 0,
    }
}
