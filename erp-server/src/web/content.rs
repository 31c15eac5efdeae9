//! Bodies of responses that are in memory, with their headers.

use salvo::Response;
use salvo::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use salvo::http::{HeaderValue, ResBody};
use salvo::hyper::body::Bytes;

/// Content type of every JSON response (interface, general convention 2).
pub const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=iso-8859-1");
pub(super) const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

pub(super) fn set_body(res: &mut Response, content_type: HeaderValue, bytes: impl Into<Bytes>) {
    let bytes = bytes.into();
    let headers = res.headers_mut();
    headers.insert(CONTENT_TYPE, content_type);
    headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes.len()));
    res.body(ResBody::Once(bytes));
}
