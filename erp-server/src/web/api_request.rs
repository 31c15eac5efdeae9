//! A request as handlers see it: owned, decoded on demand, independent of the HTTP library's types.

use std::net::IpAddr;
use std::sync::Arc;

use erp_core::internal::Actor;
use erp_core::json::Json;
use erp_core::sentence::{Locale, Sentence};
use jiff::Timestamp;
use salvo::Request;
use salvo::http::header::{IF_MATCH, IF_NONE_MATCH};
use salvo::http::uri::{Scheme, Uri};
use salvo::http::{HeaderMap, HeaderName, Method, ReqBody};
use salvo::hyper::body::Bytes;
use secrecy::SecretString;
use smol_str::format_smolstr;

use super::auth::{self, Basic};
use super::body::{self, Arriving};
use super::charset::Charset;
use super::conditional::{self, Tags};
use super::content::locale;
use super::error::{ApiError, Result};
use super::http_state::HttpState;
use super::links::{Arrival, BaseUrl};
use super::permits::ConcurrencyPermit;
use super::query::{self, Query};
use crate::observe::{RequestId, Trace};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

const IDEMPOTENCY_KEY_CHARACTERS: usize = 255;

/// Extension of requests that were admitted. It is one, because each extension costs an allocation and a look-up.
#[derive(Clone)]
pub(super) struct Admitted {
    pub(super) id: RequestId,
    pub(super) trace: Trace,
    pub(super) permit: ConcurrencyPermit,
}

/// A request. The body can be read only once.
pub struct ApiRequest {
    http_state: Arc<HttpState>,
    route: &'static str,
    id: RequestId,
    trace: Trace,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    scheme: Scheme,
    peer: Option<IpAddr>,
    body: Arriving,
}

impl ApiRequest {
    pub(super) fn take(
        http_state: &Arc<HttpState>,
        route: &'static str,
        admitted: Admitted,
        req: &mut Request,
    ) -> Self {
        Self {
            http_state: Arc::clone(http_state),
            route,
            id: admitted.id,
            trace: admitted.trace,
            method: req.method().clone(),
            scheme: req.scheme().clone(),
            peer: req.remote_addr().ip(),
            uri: std::mem::take(req.uri_mut()),
            headers: std::mem::take(req.headers_mut()),
            body: Arriving::new(req.take_body(), admitted.permit, http_state.bodies.permit()),
        }
    }

    /// Request id, from `X-Request-Id` or generated.
    pub fn request_id(&self) -> &str {
        self.id.as_str()
    }

    pub fn actor(&self, user: &str) -> Actor {
        let trace = Some(self.trace).filter(|trace| trace.is_foreign);
        Actor {
            at: Timestamp::now(),
            user: Some(user.into()),
            request: self.request_id().into(),
            trace: trace.map(|trace| format_smolstr!("{:032x}", trace.id)),
            operation: format_smolstr!("{} {}", self.method, self.route),
        }
    }

    /// Request method; handlers of `GET` also get `HEAD`.
    pub const fn method(&self) -> &Method {
        &self.method
    }

    pub const fn uri(&self) -> &Uri {
        &self.uri
    }

    pub const fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Decoded path parameter `{name}`. Unlike in a query value, `+` is not decoded. Empty when the route has no such
    /// parameter.
    pub fn path(&self, name: &str) -> String {
        let place = format!("{{{name}}}");
        let at = segments(self.route).position(|segment| segment == place);
        let raw = at.and_then(|at| segments(self.uri.path()).nth(at));
        query::decode(raw.unwrap_or_default(), false)
    }

    /// Path parameter `{name}` as a key: [`ApiRequest::path`] without the trailing spaces of a `char(n)`.
    pub fn key(&self, name: &str) -> String {
        let mut key = self.path(name);
        key.truncate(key.trim_end_matches(' ').len());
        key
    }

    /// Path parameter `{name}` as a number; `what` is the record type named in the 404 error.
    /// Errors: 404 when it is not written in digits or too large.
    pub fn path_number(&self, name: &str, what: Sentence) -> Result<u32> {
        query::path_number(&self.key(name), what)
    }

    pub fn locale(&self) -> Locale {
        locale(&self.headers)
    }

    /// Decoded query.
    /// Errors: 400 when it has too many parameters.
    pub fn query(&self) -> Result<Query> {
        Query::parse(self.uri.query().unwrap_or_default())
    }

    /// Reads a JSON body up to the setting `json_body_bytes`.
    /// Errors: 400, 413 or 415; also 400 when the body was already read.
    pub async fn json(&mut self) -> Result<Json> {
        self.json_or_none().await?.ok_or_else(body::empty)
    }

    /// Like [`ApiRequest::json`]; `None` without a body.
    /// Errors: as [`ApiRequest::json`], but none for an empty body.
    pub async fn json_or_none(&mut self) -> Result<Option<Json>> {
        let limit = self.http_state.options.limits.json_body_bytes;
        body::json(&self.headers, &mut self.body, limit).await
    }

    /// Reads a JSON body of at most `limit` bytes without parsing it and returns its charset and bytes. `reserve` is
    /// called with the body length so far; its error stops the reading.
    /// Errors: as [`ApiRequest::json`], and errors of `reserve`.
    pub async fn json_bytes(
        &mut self,
        limit: u64,
        reserve: impl FnMut(usize) -> Result<()> + Send,
    ) -> Result<(Charset, Vec<u8>)> {
        body::json_bytes(&self.headers, &mut self.body, limit, reserve).await
    }

    /// Reads a body of any type, of at most `limit` bytes.
    /// Errors: 400, 413 or 415.
    pub async fn bytes(&mut self, limit: u64) -> Result<Vec<u8>> {
        body::bytes(&self.headers, &mut self.body, limit).await
    }

    /// Next chunk of the body, as large as the connection delivers it; `None` at the end. The caller limits the total.
    /// Errors: 400 when the body is incomplete, 415 when it is compressed.
    pub async fn next_piece(&mut self) -> Result<Option<Bytes>> {
        body::check_encoding(&self.headers)?;
        body::next_piece(&mut self.body).await
    }

    /// Returns `error` for a body that was not read to its end. First discards the rest, so that the client can finish
    /// writing and then reads the response.
    pub async fn refuse(&mut self, error: ApiError) -> ApiError {
        body::refuse(&self.headers, &mut self.body, error).await
    }

    pub(super) const fn take_body(&mut self) -> ReqBody {
        self.body.take()
    }

    /// Base URL for links: the setting `base_url`, or else derived from the request.
    /// Errors: 400 when the request has no valid `Host`.
    pub fn base(&self) -> Result<BaseUrl> {
        match &self.http_state.options.base_url {
            Some(base) => Ok(base.clone()),
            None => self.arrival().base(),
        }
    }

    /// Client address, as forwarded by trusted proxies; `None` on a unix socket without a forwarded address.
    pub fn client(&self) -> Option<IpAddr> {
        self.arrival().client()
    }

    /// Basic credentials of a token request.
    /// Errors: 401 `invalid_client` when they are missing or invalid.
    pub fn basic(&self) -> Result<Basic> {
        auth::basic(&self.headers)
    }

    /// Bearer token of the request.
    /// Errors: 401 `invalid_token` when none was sent.
    pub fn bearer(&self) -> Result<SecretString> {
        auth::bearer(&self.headers)
    }

    /// Revisions a record may have for a change; `None` without a condition. `If-None-Match: *` is met by none. Weak
    /// tags match too, because compression turns our tags into weak ones. Tags of unknown form match nothing.
    /// Errors: 400 when `If-Match` is not a list of entity tags.
    pub fn if_match(&self) -> Result<Option<Vec<u64>>> {
        if let Ok(Some(Tags::Any)) = conditional::tags(&self.headers, &IF_NONE_MATCH) {
            return Ok(Some(Vec::new()));
        }
        let revision = |tag: &str| -> Option<u64> {
            let tag = tag.strip_prefix("W/").unwrap_or(tag);
            tag.strip_prefix("\"r")?.strip_suffix('"')?.parse().ok()
        };
        Ok(match conditional::tags(&self.headers, &IF_MATCH)? {
            None | Some(Tags::Any) => None,
            Some(Tags::Listed(tags)) => Some(tags.into_iter().filter_map(revision).collect()),
        })
    }

    /// `Idempotency-Key` of the request, if any.
    /// Errors: 400 when it is repeated, empty, longer than 255 characters or not printable ASCII.
    pub fn idempotency_key(&self) -> Result<Option<String>> {
        let mut keys = self.headers.get_all(IDEMPOTENCY_KEY).iter();
        let Some(key) = keys.next() else {
            return Ok(None);
        };
        if keys.next().is_some() {
            let text = sentence!("header.key_twice", name = "Idempotency-Key");
            return Err(ApiError::malformed(text));
        }
        let key = key.to_str().unwrap_or_default().trim().trim_matches('"');
        let is_blank = key.chars().all(|c| matches!(c, ' ' | '"'));
        // `to_str` allows tabs, which are not printable.
        if is_blank || key.len() > IDEMPOTENCY_KEY_CHARACTERS || key.contains('\t') {
            return Err(ApiError::malformed(sentence!("header.key")));
        }
        Ok(Some(key.to_owned()))
    }

    fn arrival(&self) -> Arrival<'_> {
        Arrival {
            uri: &self.uri,
            headers: &self.headers,
            scheme: &self.scheme,
            peer: self.peer,
            trusted: &self.http_state.options.trusted_proxies,
        }
    }
}

fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|segment| !segment.is_empty())
}
