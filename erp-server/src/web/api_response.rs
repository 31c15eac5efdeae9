//! Responses of handlers: JSON in pure ASCII, created records, files, streams.

use std::fmt::Display;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use erp_core::internal::json;
use erp_core::media::BodyHash;
use erp_core::sentence::Locale;
use md5::{Digest as _, Md5};
use salvo::Response;
use salvo::http::header::{
    CONTENT_LANGUAGE, CONTENT_TYPE, ETAG, LAST_MODIFIED, LINK, LOCATION, VARY,
};
use salvo::http::{HeaderName, HeaderValue, ResBody, StatusCode};
use serde::Serialize;
use sha2::Sha256;

use super::api_request::ApiRequest;
use super::conditional::Conditions;
use super::content::{BY_LANGUAGE, JSON, NO_STORE, set_body};
use super::error::{ApiError, Result};
use super::static_body::StaticBody;
use super::stream::{self, Chunks, StreamError};

pub(super) const CONTENT_MD5: HeaderName = HeaderName::from_static("content-md5");

/// Hex digits of a digest used in an entity tag; enough to rule out collisions.
const TAG_DIGITS: usize = 32;

/// Extension of responses to requests with credentials of a user.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfUser;

/// Response of a handler. [`super::service`] adds the headers common to all responses.
#[must_use]
pub struct ApiResponse {
    status: StatusCode,
    headers: Vec<(HeaderName, HeaderValue)>,
    content: Content,
    pub(super) written: usize,
    is_of_user: bool,
}

enum Content {
    Nothing,
    Bytes(HeaderValue, Vec<u8>),
    Static(HeaderValue, Arc<StaticBody>),
    Body(HeaderValue, ResBody),
}

impl ApiResponse {
    /// 200 with a JSON body.
    /// Errors: 500 when the value cannot be written as JSON.
    pub fn json<T: Serialize + ?Sized>(value: &T) -> Result<Self> {
        Ok(Self::json_bytes(to_ascii(value)?))
    }

    /// 200 with a body that is already ASCII JSON.
    pub const fn json_bytes(bytes: Vec<u8>) -> Self {
        Self::bytes(JSON, bytes)
    }

    // rule: R-CON-03
    /// 201 with a JSON body and its `Content-MD5`; such responses are never compressed.
    /// Errors: 500 when the value cannot be written as JSON.
    pub fn created<T: Serialize + ?Sized>(value: &T) -> Result<Self> {
        let bytes = to_ascii(value)?;
        let digest = content_md5(&bytes);
        Ok(Self::json_bytes(bytes)
            .status(StatusCode::CREATED)
            .header(CONTENT_MD5, digest))
    }

    /// 204 without a body.
    pub const fn no_content() -> Self {
        Self::of(StatusCode::NO_CONTENT, Content::Nothing)
    }

    /// 200 with a body of another type.
    pub const fn bytes(content_type: HeaderValue, bytes: Vec<u8>) -> Self {
        Self::of(StatusCode::OK, Content::Bytes(content_type, bytes))
    }

    /// 200 with a static body, shared by all responses.
    pub const fn shared(content_type: HeaderValue, body: Arc<StaticBody>) -> Self {
        Self::of(StatusCode::OK, Content::Static(content_type, body))
    }

    /// 200 with any body, including streams.
    pub const fn body(content_type: HeaderValue, body: ResBody) -> Self {
        Self::of(StatusCode::OK, Content::Body(content_type, body))
    }

    /// 200 with a body that a task writes in chunks. The task waits for slow clients and stops when the client
    /// disconnects. After an error the connection is closed, so that no client mistakes a partial body for a complete
    /// one. Load the first page before responding: its errors can still be reported with a status.
    pub fn stream<F, T>(content_type: HeaderValue, producer: F) -> Self
    where
        F: FnOnce(Chunks) -> T + Send + 'static,
        T: Future<Output = Result<Chunks, StreamError>> + Send + 'static,
    {
        Self::body(content_type, stream::spawn(producer))
    }

    const fn of(status: StatusCode, content: Content) -> Self {
        Self {
            status,
            headers: Vec::new(),
            content,
            written: 0,
            is_of_user: false,
        }
    }

    /// Sets the number of bytes the request wrote to the store. They count towards the user's rate limit.
    pub const fn wrote(mut self, bytes: usize) -> Self {
        self.written = bytes;
        self
    }

    /// Says that the request had the password of a user, so that the server may prefer the client's address.
    pub const fn of_user(mut self) -> Self {
        self.is_of_user = true;
        self
    }

    pub const fn status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// Sets a header, replacing one of the same name.
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    pub fn headers(mut self, fields: impl IntoIterator<Item = (HeaderName, HeaderValue)>) -> Self {
        self.headers.extend(fields);
        self
    }

    /// Says that the language of the sentences in the body is this one, and the choice of the client.
    pub fn said_in(self, locale: Locale) -> Self {
        let language = HeaderValue::from_static(locale.as_str());
        self.header(CONTENT_LANGUAGE, language)
            .header(VARY, BY_LANGUAGE)
    }

    // rule: D-RET-02
    /// Sets a strong `ETag` from a record's revision, for example `"r123"`.
    pub fn etag(self, revision: u64) -> Self {
        self.header(ETAG, quoted('r', revision))
    }

    /// Sets a strong `ETag` over the bytes of a body in memory, for resources without a revision of their own.
    pub fn tagged(self) -> Self {
        match &self.content {
            Content::Bytes(_, bytes) => {
                let digest = BodyHash::new(Sha256::digest(bytes).into()).to_string();
                let tag = quoted('c', digest.get(..TAG_DIGITS).unwrap_or_default());
                self.header(ETAG, tag)
            }
            _ => self,
        }
    }

    /// Sets `Location` to a path of this server. A request that does not say what leads to the server gets none.
    pub fn located(self, request: &ApiRequest, path: &str) -> Self {
        let address = request.base().map(|base| format!("{base}{path}"));
        let address = address.ok().map(HeaderValue::try_from).and_then(Result::ok);
        self.headers(address.map(|address| (LOCATION, address)))
    }

    /// Sets the `Link` header of a list from pairs of relation and absolute URL (RFC 8288).
    pub fn links<'a>(self, links: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let links = links.into_iter();
        let links = links.map(|(relation, address)| format!("<{address}>; rel=\"{relation}\""));
        match HeaderValue::try_from(links.collect::<Vec<_>>().join(", ")) {
            Ok(value) if !value.is_empty() => self.header(LINK, value),
            _ => self,
        }
    }

    /// Evaluates the conditions of a request against the tag and time of this response. A 304 keeps the content type
    /// and length until compression has chosen the form of the tag that goes with them.
    pub(super) fn under(self, conditions: &Conditions) -> Result<Self> {
        let value = |name: HeaderName| {
            let found = self.headers.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| value)
        };
        if self.status.is_success() && conditions.are_known(value(ETAG), value(LAST_MODIFIED))? {
            return Ok(self.status(StatusCode::NOT_MODIFIED));
        }
        Ok(self)
    }

    pub(super) fn render_into(self, res: &mut Response) {
        res.status_code(self.status);
        if self.is_of_user {
            res.extensions.insert(OfUser);
        }
        match self.content {
            Content::Nothing => {}
            Content::Bytes(content_type, bytes) => set_body(res, content_type, bytes),
            Content::Static(content_type, body) => {
                set_body(res, content_type, body.plain().clone());
                res.extensions.insert(body);
            }
            Content::Body(content_type, body) => {
                res.headers_mut().insert(CONTENT_TYPE, content_type);
                res.body(body);
            }
        }
        if self.status == StatusCode::NOT_MODIFIED {
            res.body(ResBody::None);
        }
        for (name, value) in self.headers {
            res.headers_mut().insert(name, value);
        }
    }
}

fn to_ascii<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>> {
    json::to_ascii(value).map_err(ApiError::internal)
}

/// Strong entity tag: a letter that says of what it is, and a text.
fn quoted(of: char, text: impl Display) -> HeaderValue {
    HeaderValue::try_from(format!("\"{of}{text}\"")).unwrap_or(NO_STORE)
}

/// Base64 MD5 of the body (RFC 1864).
fn content_md5(bytes: &[u8]) -> HeaderValue {
    HeaderValue::try_from(STANDARD.encode(Md5::digest(bytes))).unwrap_or(NO_STORE)
}

#[cfg(test)]
mod tests {
    use salvo::http::header::CONTENT_LENGTH;

    use super::*;

    fn rendered(response: ApiResponse) -> Response {
        let mut res = Response::new();
        response.render_into(&mut res);
        res
    }

    // rule: R-CON-03
    #[test]
    fn created_responses_carry_the_digest_of_their_bytes() {
        let res = rendered(ApiResponse::created(&serde_json::json!({"data": {}})).unwrap());
        assert_eq!(res.status_code, Some(StatusCode::CREATED));
        // printf '{"data":{}}' | openssl md5 -binary | base64
        assert_eq!(res.headers()[CONTENT_MD5], "Odw3OaFlWAlWzvmcB+wsgQ==");
        assert_eq!(res.headers()[CONTENT_LENGTH], "11");
        assert_eq!(
            res.headers()[CONTENT_TYPE],
            "application/json; charset=iso-8859-1"
        );
    }

    // rule: R-CON-02
    #[test]
    fn umlauts_leave_as_ascii() {
        let ResBody::Once(bytes) = rendered(ApiResponse::json("Zürich").unwrap()).body else {
            panic!("one piece");
        };
        assert_eq!(bytes, r#""Z\u00fcrich""#);
    }

    // rule: R-CON-05
    #[test]
    fn links_and_entity_tags_are_written_as_the_standards_say() {
        let links = [("next", "http://h/a?x=1"), ("start", "http://h/a")];
        let res = rendered(ApiResponse::no_content().etag(7).links(links));
        assert_eq!(res.headers()[ETAG], "\"r7\"");
        assert_eq!(
            res.headers()[LINK],
            r#"<http://h/a?x=1>; rel="next", <http://h/a>; rel="start""#
        );
        assert!(
            rendered(ApiResponse::no_content().links([]))
                .headers()
                .get(LINK)
                .is_none()
        );
        assert!(res.body.is_none() && !res.headers().contains_key(CONTENT_TYPE));
    }
}
