//! The error body of all endpoints.
//!
//! Form: `{"error": "<code>", "error_description": "<sentence>", "info": {...}}`, with the same headers as any other
//! JSON response. Details for the operator are written to the log and never to the body.

use std::borrow::Cow;
use std::fmt;

use erp_core::sentence::{AsValue, Locale, Sentence};
use erp_core::storage::{CommitError, StorageError};
use erp_core::{Problem, Problems};
use salvo::Response;
use salvo::http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_LANGUAGE, CONTENT_RANGE, RETRY_AFTER, VARY, WWW_AUTHENTICATE,
};
use salvo::http::{HeaderName, HeaderValue, StatusCode};
use serde_json::{Map, Value, json};

use super::content::{BY_LANGUAGE, JSON, NO_STORE, set_body};

/// `Retry-After` in seconds while the server is overloaded or shutting down.
pub const RETRY_SECONDS: u64 = 1;

const BEARER: HeaderValue = HeaderValue::from_static(r#"Bearer realm="erp""#);
const BEARER_REFUSED: HeaderValue =
    HeaderValue::from_static(r#"Bearer realm="erp", error="invalid_token""#);
const BASIC: HeaderValue = HeaderValue::from_static(r#"Basic realm="erp", charset="UTF-8""#);

pub type Result<T, E = ApiError> = std::result::Result<T, E>;

/// Error response: status, stable code, sentence, details and headers.
#[derive(Clone)]
#[must_use]
pub struct ApiError(Box<Parts>);

#[derive(Clone)]
struct Parts {
    status: StatusCode,
    code: Cow<'static, str>,
    description: Sentence,
    problems: Option<Vec<Problem>>,
    info: Map<String, Value>,
    headers: Vec<(HeaderName, HeaderValue)>,
    cause: Option<String>,
}

impl ApiError {
    /// An error with any status; those that several operations have are below.
    pub fn new(
        status: StatusCode,
        code: impl Into<Cow<'static, str>>,
        description: impl Into<Sentence>,
    ) -> Self {
        Self(Box::new(Parts {
            status,
            code: code.into(),
            description: description.into(),
            problems: None,
            info: Map::new(),
            headers: Vec::new(),
            cause: None,
        }))
    }

    pub fn description(&self) -> &Sentence {
        &self.0.description
    }

    /// What is listed in `info.problems`.
    pub fn problems(&self) -> &[Problem] {
        self.0.problems.as_deref().unwrap_or_default()
    }

    /// 400: invalid JSON, wrong charset or invalid query value.
    pub fn malformed(description: impl Into<Sentence>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "malformed", description)
    }

    // rule: D-REQ-05
    /// 400: an invalid query or path parameter; `allowed` completes "must be ...".
    pub fn parameter(name: &str, given: &str, allowed: impl AsValue) -> Self {
        let given = shorten(given, 40);
        Self::of_parameter(name, sentence!("parameter.must_be", name, allowed, given))
    }

    /// 400: a parameter that is none of what is allowed, of which the last is said by itself.
    pub fn neither(name: &str, given: &str, [first, last]: [&str; 2]) -> Self {
        Self::parameter(name, given, sentence!("allowed.either", first, last))
    }

    /// 400: a required query parameter is missing; `what` describes its content.
    pub fn missing_parameter(name: &str, what: impl AsValue) -> Self {
        Self::of_parameter(name, sentence!("parameter.missing", name, what))
    }

    /// 400: what is wrong with a query or path parameter, in another sentence.
    pub fn of_parameter(name: &str, text: impl Into<Sentence>) -> Self {
        Self::malformed(text).with_info("parameter", name)
    }

    // rule: R-ERR-08
    /// 400: the e-invoice processor failed (interface, Errors 1).
    pub fn endpoint(description: impl Into<Sentence>, file_name: &str, steps: Vec<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "endpoint", description)
            .with_info("filename", file_name)
            .with_info("subprocess_output", steps)
    }

    /// 401: no bearer token was sent (RFC 6750 asks for no error code in this case).
    pub fn token_missing() -> Self {
        let text = sentence!("wire.no_token");
        Self::new(StatusCode::UNAUTHORIZED, "invalid_token", text)
            .with_header(WWW_AUTHENTICATE, BEARER)
    }

    /// 401: the bearer token is unknown or expired.
    pub fn token_refused() -> Self {
        let text = sentence!("wire.token_refused");
        Self::new(StatusCode::UNAUTHORIZED, "invalid_token", text)
            .with_header(WWW_AUTHENTICATE, BEARER_REFUSED)
    }

    /// 401: Basic credentials are missing or wrong. The text is the same for an unknown user and a wrong password.
    pub fn invalid_client() -> Self {
        let text = sentence!("wire.invalid_client");
        Self::new(StatusCode::UNAUTHORIZED, "invalid_client", text)
            .with_header(WWW_AUTHENTICATE, BASIC)
    }

    /// 403: the user has none of the roles that may do this.
    pub fn insufficient_scope(roles: &[&str]) -> Self {
        let roles = roles.iter().map(|role| format!("`{role}`").as_value());
        let either = |first, last| sentence!("allowed.either", first, last);
        let roles = roles.reduce(either).unwrap_or_else(|| "".as_value());
        Self::forbidden(sentence!("wire.role", roles))
    }

    /// 403 with the reason.
    pub fn forbidden(reason: impl Into<Sentence>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "insufficient_scope", reason)
    }

    /// 404: unknown number, or a record the user may not see. `what` is for example an article.
    pub fn not_found(what: impl AsValue) -> Self {
        let text = sentence!("wire.not_found", what);
        Self::new(StatusCode::NOT_FOUND, "not_found", text)
    }

    // rule: R-ERR-01
    /// 405 with the methods the path supports.
    pub fn method_not_allowed(allow: HeaderValue) -> Self {
        let listed = allow.to_str().unwrap_or_default();
        let text = sentence!("wire.methods", methods = listed);
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", text)
            .with_header(ALLOW, allow)
    }

    /// 408: the request arrived too slowly.
    pub fn request_timeout() -> Self {
        let text = sentence!("wire.too_slow");
        Self::new(StatusCode::REQUEST_TIMEOUT, "request_timeout", text)
    }

    /// 409: the current state of the record does not allow the request.
    pub fn conflict(description: impl Into<Sentence>) -> Self {
        Self::new(StatusCode::CONFLICT, "conflict", description)
    }

    /// 410: what has changed since a mark cannot be told.
    pub fn stand_expired() -> Self {
        let text = sentence!("wire.stand_expired");
        Self::new(StatusCode::GONE, "stand_expired", text)
    }

    /// 412: a condition of the request does not hold for the current revision.
    pub fn precondition_failed() -> Self {
        let text = sentence!("wire.precondition");
        Self::new(StatusCode::PRECONDITION_FAILED, "precondition_failed", text)
    }

    // rule: R-LIM-01
    /// 413: the body exceeds `limit` bytes.
    pub fn too_large(limit: u64) -> Self {
        let text = sentence!("wire.too_large", limit);
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", text).with_info("limit", limit)
    }

    /// 414: path and query exceed `limit` bytes.
    pub fn uri_too_long(limit: usize) -> Self {
        let text = sentence!("wire.uri_too_long", limit);
        Self::new(StatusCode::URI_TOO_LONG, "uri_too_long", text).with_info("limit", limit)
    }

    /// 415: unsupported media type, charset or encoding.
    pub fn unsupported_media_type(description: impl Into<Sentence>) -> Self {
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        Self::new(status, "unsupported_media_type", description)
    }

    /// 416: a range that starts after the end of a file of `length` bytes.
    pub fn range_not_satisfiable(length: u64) -> Self {
        let status = StatusCode::RANGE_NOT_SATISFIABLE;
        let text = sentence!("wire.range", length);
        let range = HeaderValue::try_from(format!("bytes */{length}")).ok();
        Self::new(status, "range_not_satisfiable", text)
            .with_info("length", length)
            .with_headers(range.map(|range| (CONTENT_RANGE, range)))
    }

    /// 431: all header fields together exceed `limit` bytes.
    pub fn headers_too_large(limit: usize) -> Self {
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        let text = sentence!("wire.headers_too_large", limit);
        Self::new(status, "headers_too_large", text).with_info("limit", limit)
    }

    /// 431: more header fields than `limit`.
    pub fn too_many_headers(limit: usize) -> Self {
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        let text = sentence!("wire.too_many_headers", limit);
        Self::new(status, "headers_too_large", text).with_info("limit", limit)
    }

    // rule: R-ERR-02
    /// 422: well-formed, but violates rules; all violations are listed in `info.problems`.
    pub fn invalid(problems: Problems) -> Self {
        let count = problems.len();
        let list = problems.into_vec();
        let listed = list.len();
        let text = match count {
            1 => sentence!("wire.invalid_one"),
            _ if listed < count => sentence!("wire.invalid_cut", count, listed),
            _ => sentence!("wire.invalid", count),
        };
        let mut error = Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", text);
        error.0.problems = Some(list);
        if listed < count {
            error.with_info("truncated", true).with_info("count", count)
        } else {
            error
        }
    }

    /// 422: the query would have to read more than a limit allows.
    pub fn too_broad(limit: usize, text: Sentence) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "too_broad", text).with_info("limit", limit)
    }

    /// 429: too many requests or failed logins; the client may retry after `retry_seconds`.
    pub fn too_many_requests(retry_seconds: u64) -> Self {
        let text = sentence!("wire.too_many_requests", seconds = retry_seconds);
        Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", text)
            .with_header(RETRY_AFTER, HeaderValue::from(retry_seconds))
    }

    // rule: D-ERR-08
    /// 500: internal error. `cause` is written to the log only.
    pub fn internal(cause: impl fmt::Display) -> Self {
        let text = sentence!("wire.internal");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", text).with_cause(cause.to_string())
    }

    // rule: D-ERR-09
    /// 503: overloaded or shutting down. `cause` is written to the log only.
    pub fn unavailable(cause: impl fmt::Display) -> Self {
        Self::busy(sentence!("wire.busy", seconds = RETRY_SECONDS), cause)
    }

    /// 503 after which it is unknown whether the change was made. Every other 503 means that nothing was or will be
    /// changed. `cause` is written to the log only.
    pub fn outcome_unknown(cause: impl fmt::Display) -> Self {
        Self::busy(sentence!("wire.outcome_unknown"), cause).with_info("outcome", "unknown")
    }

    fn busy(text: Sentence, cause: impl fmt::Display) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", text)
            .with_header(RETRY_AFTER, HeaderValue::from(RETRY_SECONDS))
            .with_cause(cause.to_string())
    }

    /// Error for a status that was set without a body outside our handlers.
    pub fn from_status(status: StatusCode) -> Self {
        match status {
            StatusCode::NOT_FOUND => Self::new(status, "not_found", sentence!("wire.no_path")),
            StatusCode::INTERNAL_SERVER_ERROR => Self::internal("a status without a body"),
            StatusCode::SERVICE_UNAVAILABLE => Self::unavailable("a status without a body"),
            _ => {
                let reason = status.canonical_reason().unwrap_or("refused");
                let reason = reason.to_ascii_lowercase();
                let code = reason.replace([' ', '-'], "_");
                Self::new(status, code, sentence!("wire.refused", reason))
            }
        }
    }

    pub fn with_info(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.info.insert(name.to_owned(), value.into());
        self
    }

    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers.push((name, value));
        self
    }

    pub fn with_headers(
        mut self,
        fields: impl IntoIterator<Item = (HeaderName, HeaderValue)>,
    ) -> Self {
        self.0.headers.extend(fields);
        self
    }

    /// Sets the cause, which is written to the log only.
    pub fn with_cause(mut self, cause: impl Into<String>) -> Self {
        self.0.cause = Some(cause.into());
        self
    }

    pub fn status(&self) -> StatusCode {
        self.0.status
    }

    /// Stable code in the field `error`.
    pub fn code(&self) -> &str {
        &self.0.code
    }

    pub fn cause(&self) -> Option<&str> {
        self.0.cause.as_deref()
    }

    pub fn to_bytes(&self, locale: Locale) -> Vec<u8> {
        let Parts {
            code,
            description,
            problems,
            ..
        } = &*self.0;
        let mut info = self.0.info.clone();
        if let Some(mut problems) = problems.clone() {
            problems
                .iter_mut()
                .for_each(|problem| problem.message.translate(locale));
            info.insert("problems".to_owned(), json!(problems));
        }
        let description = description.text(locale);
        let body = json!({"error": code, "error_description": description, "info": info});
        erp_core::internal::json::to_ascii(&body).unwrap_or_default()
    }

    // rule: D-REQ-22
    /// Writes the error into a response, replacing its content, in the language that stands in its extensions.
    pub fn render_into(self, res: &mut Response) {
        let locale = match self.0.description {
            // A text is in English only.
            Sentence::Text(_) => Locale::English,
            _ => res.extensions.get().copied().unwrap_or_default(),
        };
        res.status_code(self.status());
        set_body(res, JSON, self.to_bytes(locale));
        let headers = res.headers_mut();
        headers.insert(CACHE_CONTROL, NO_STORE);
        headers.insert(CONTENT_LANGUAGE, HeaderValue::from_static(locale.as_str()));
        headers.append(VARY, BY_LANGUAGE);
        for (name, value) in self.0.headers {
            headers.insert(name, value);
        }
        if let Some(cause) = self.0.cause {
            res.extensions.insert(Cause(cause));
        }
    }
}

/// Passes the cause of an error to the access log via the response extensions.
#[derive(Clone)]
pub(super) struct Cause(pub(super) String);

impl fmt::Debug for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = &self.0;
        let description = parts.description.english();
        write!(f, "{} {}: {description}", parts.status, parts.code)?;
        match &parts.cause {
            Some(cause) => write!(f, " ({cause})"),
            None => Ok(()),
        }
    }
}

impl From<StorageError> for ApiError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::Damaged(_) => Self::internal(error),
            StorageError::OutcomeUnknown(_) => Self::outcome_unknown(error),
            StorageError::TooLarge { limit, .. } => {
                let text = sentence!("wire.record_too_large");
                Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", text)
                    .with_info("limit", limit)
                    .with_cause(error.to_string())
            }
            _ => Self::unavailable(error),
        }
    }
}

impl From<CommitError> for ApiError {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Storage(error) => error.into(),
            CommitError::CounterOverflow { .. } => Self::internal(error),
            _ => Self::unavailable(error),
        }
    }
}

impl From<Problems> for ApiError {
    fn from(problems: Problems) -> Self {
        Self::invalid(problems)
    }
}

/// First `most` characters of client text, followed by `...` if it was longer.
pub(crate) fn shorten(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}...", text.get(..end).unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use erp_core::Code;

    fn text(error: &ApiError) -> String {
        String::from_utf8(error.to_bytes(Locale::English)).unwrap()
    }

    // rule: R-ERR-01
    #[test]
    fn the_body_has_three_members_in_order() {
        assert_eq!(
            text(&ApiError::parameter("limit", "-1", sentence!("type.whole"))),
            r#"{"error":"malformed","error_description":"`limit` must be a whole number, not `-1`","info":{"parameter":"limit"}}"#
        );
        assert_eq!(
            text(&ApiError::not_found(sentence!("thing.article"))),
            r#"{"error":"not_found","error_description":"there is no such article","info":{}}"#
        );
    }

    // rule: D-REQ-22
    #[test]
    fn code_and_path_are_the_same_in_every_language() {
        let mut problems = Problems::new();
        problems.missing("Positionen[2].ArtNr");
        let body = ApiError::from(problems).to_bytes(Locale::German);
        assert_eq!(
            String::from_utf8(body).unwrap(),
            r#"{"error":"invalid","error_description":"die Anfrage verletzt eine Regel, siehe `info.problems`","info":{"problems":[{"code":"required","message":"dieses Feld ist erforderlich","path":"Positionen[2].ArtNr"}]}}"#
        );
    }

    // rule: D-REQ-18
    #[test]
    fn a_list_that_was_cut_says_so() {
        let mut problems = Problems::new();
        for _ in 0..1_998 {
            problems.add("", Code::WrongType, sentence!("wrong_type.object"));
        }
        let error = ApiError::from(problems);
        let of = |name| error.0.info.get(name).unwrap();
        assert_eq!(error.problems().len(), 1_000);
        assert_eq!(
            (of("truncated"), of("count")),
            (&true.into(), &1_998.into())
        );
        let sentence = "the request breaks 1998 rules, the first 1000 are in `info.problems`";
        assert!(text(&error).contains(sentence));
    }

    // rule: R-ERR-02
    #[test]
    fn all_problems_are_listed() {
        let mut problems = Problems::new();
        let message = sentence!("too_long", length = 81, limit = 80);
        problems.add_limit("AuftBez", Code::TooLong, 80, message);
        let error = ApiError::from(problems);
        assert_eq!(error.status(), 422);
        assert_eq!(
            text(&error),
            r#"{"error":"invalid","error_description":"the request breaks a rule, see `info.problems`","info":{"problems":[{"code":"too_long","limit":80,"message":"81 characters, at most 80 are allowed","path":"AuftBez"}]}}"#
        );
    }

    #[test]
    fn a_search_that_is_too_broad_reports_the_limit() {
        let error = ApiError::too_broad(50_000, sentence!("wire.too_broad", limit = 50_000));
        assert_eq!(error.status(), 422);
        assert_eq!(
            text(&error),
            r#"{"error":"too_broad","error_description":"more than 50000 entries would have to be read; add a criterion or ask for fewer","info":{"limit":50000}}"#
        );
    }

    // rule: D-ERR-08
    #[test]
    fn causes_never_reach_the_body() {
        let damaged = ApiError::from(StorageError::Damaged("page 7 of /srv/data".into()));
        assert_eq!(
            (damaged.status().as_u16(), damaged.code()),
            (500, "internal")
        );
        assert!(!text(&damaged).contains("page 7"));
        assert!(damaged.cause().unwrap().contains("page 7"));
        for error in [
            StorageError::Busy,
            StorageError::Closed,
            StorageError::Unavailable("disk full".into()),
        ] {
            let error = ApiError::from(error);
            assert_eq!(
                (error.status().as_u16(), error.code()),
                (503, "unavailable")
            );
            assert!(error.0.headers.contains(&(RETRY_AFTER, 1_u64.into())));
            assert!(!text(&error).contains("disk"));
        }
        let unknown = ApiError::from(StorageError::OutcomeUnknown("connection lost".into()));
        assert_eq!(
            (unknown.status().as_u16(), unknown.code()),
            (503, "unavailable")
        );
        assert!(text(&unknown).ends_with(r#""info":{"outcome":"unknown"}}"#));
        assert!(!text(&unknown).contains("connection"));
        let large = ApiError::from(StorageError::TooLarge {
            what: "a record",
            size: 3,
            limit: 2,
        });
        assert_eq!((large.status().as_u16(), large.code()), (413, "too_large"));
    }

    // rule: R-ERR-01
    #[test]
    fn every_status_has_a_code() {
        for number in 400..600 {
            let error = ApiError::from_status(StatusCode::from_u16(number).unwrap());
            assert!(!error.code().is_empty());
            assert!(
                error
                    .code()
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b == b'_' || b == b'\''),
                "{number}: {}",
                error.code()
            );
        }
    }

    #[test]
    fn long_input_is_cut_in_messages() {
        assert_eq!(shorten("äöü", 2), "äö...");
        assert_eq!(shorten("äö", 2), "äö");
    }
}
