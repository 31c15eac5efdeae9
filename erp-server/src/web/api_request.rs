//! A request as handlers see it: owned, decoded on demand, independent of the HTTP library's types.

use std::net::IpAddr;
use std::sync::Arc;

use erp_core::json::{Json, Object};
use salvo::Request;
use salvo::http::header::{IF_MATCH, IF_NONE_MATCH};
use salvo::http::uri::{Scheme, Uri};
use salvo::http::{HeaderMap, HeaderName, Method, ReqBody};
use salvo::hyper::body::Bytes;
use secrecy::SecretString;

use super::auth::{self, Basic};
use super::body::{self, Arriving};
use super::charset::Charset;
use super::conditional::{self, Tags};
use super::error::{ApiError, Result};
use super::http_state::HttpState;
use super::links::{self, Arrival, BaseUrl};
use super::permits::ConcurrencyPermit;
use super::query::{self, Query};
use crate::observe::{RequestId, Trace};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

const IDEMPOTENCY_KEY_CHARACTERS: usize = 255;

/// Extension of requests that were admitted. It is one, because each extension costs an allocation and a look-up.
#[derive(Clone, Debug)]
pub(super) struct Admitted {
    pub(super) id: RequestId,
    pub(super) trace: Trace,
    pub(super) permit: ConcurrencyPermit,
}

/// A request. The body can be read only once.
pub struct ApiRequest {
    http_state: Arc<HttpState>,
    route: &'static str,
    request_id: RequestId,
    trace: Option<Trace>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    scheme: Scheme,
    peer: Option<IpAddr>,
    body: Arriving,
}

impl ApiRequest {
    /// Moves the parts that handlers need out of the library's request.
    pub(super) fn take(
        http_state: &Arc<HttpState>,
        route: &'static str,
        req: &mut Request,
    ) -> Self {
        let admitted = req.extensions().get::<Admitted>().cloned();
        let trace = admitted.as_ref().map(|admitted| admitted.trace);
        let (request_id, permit) = match admitted {
            Some(Admitted { id, permit, .. }) => (id, permit),
            None => (RequestId::from_client(None), ConcurrencyPermit::default()),
        };
        Self {
            http_state: Arc::clone(http_state),
            route,
            request_id,
            trace,
            method: req.method().clone(),
            scheme: req.scheme().clone(),
            peer: links::peer_address(req.remote_addr()),
            uri: std::mem::take(req.uri_mut()),
            headers: std::mem::take(req.headers_mut()),
            body: Arriving::new(req.take_body(), permit, http_state.bodies.permit()),
        }
    }

    /// Request id, from `X-Request-Id` or generated.
    pub const fn request_id(&self) -> &RequestId {
        &self.request_id
    }

    /// Trace context of the request (`traceparent`).
    pub const fn trace(&self) -> Option<Trace> {
        self.trace
    }

    /// The pattern of the path, like `/www/auftrag/{AuftNr}`.
    pub const fn route(&self) -> &'static str {
        self.route
    }

    /// Request method; handlers of `GET` also get `HEAD`.
    pub const fn method(&self) -> &Method {
        &self.method
    }

    /// Path as sent: percent-encoded, without the query.
    pub fn raw_path(&self) -> &str {
        self.uri.path()
    }

    pub const fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Decoded path parameter `{name}`. Unlike in a query value, `+` is not decoded. Empty when the route has no such
    /// parameter.
    pub fn path(&self, name: &str) -> String {
        let is_place = |segment: &str| {
            let inner = segment
                .strip_prefix('{')
                .and_then(|rest| rest.strip_suffix('}'));
            inner == Some(name)
        };
        let at = segments(self.route).position(is_place);
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
    ///
    /// # Errors
    /// 404 when it is not written in digits or too large.
    pub fn path_number(&self, name: &str, what: &str) -> Result<u32> {
        query::path_number(&self.key(name), what)
    }

    /// Decoded query.
    ///
    /// # Errors
    /// 400 when it has too many parameters.
    pub fn query(&self) -> Result<Query> {
        Query::parse(self.uri.query().unwrap_or_default())
    }

    /// Reads a JSON body up to the setting `json_body_bytes`.
    ///
    /// # Errors
    /// 400, 413 or 415; also 400 when the body was already read.
    pub async fn json(&mut self) -> Result<Json> {
        self.json_up_to(self.http_state.options.limits.json_body_bytes)
            .await
    }

    /// Like [`ApiRequest::json`]; no body is an empty object.
    ///
    /// # Errors
    /// As [`ApiRequest::json`].
    pub async fn json_or_none(&mut self) -> Result<Json> {
        let limit = self.http_state.options.limits.json_body_bytes;
        let body = body::json(&self.headers, &mut self.body, limit).await?;
        Ok(body.unwrap_or_else(|| Json::Object(Object::new())))
    }

    /// Reads a JSON body of at most `limit` bytes.
    ///
    /// # Errors
    /// As [`ApiRequest::json`].
    pub async fn json_up_to(&mut self, limit: u64) -> Result<Json> {
        let body = body::json(&self.headers, &mut self.body, limit).await?;
        body.ok_or_else(body::empty)
    }

    /// Reads a JSON body of at most `limit` bytes without parsing it and returns its charset and bytes. `reserve` is
    /// called with the body length so far; its error stops the reading.
    ///
    /// # Errors
    /// As [`ApiRequest::json`], and errors of `reserve`.
    pub async fn json_bytes(
        &mut self,
        limit: u64,
        reserve: impl FnMut(usize) -> Result<()> + Send,
    ) -> Result<(Charset, Vec<u8>)> {
        body::json_bytes(&self.headers, &mut self.body, limit, reserve).await
    }

    /// Reads a body of any type, of at most `limit` bytes.
    ///
    /// # Errors
    /// 400, 413 or 415.
    pub async fn bytes(&mut self, limit: u64) -> Result<Vec<u8>> {
        body::bytes(&self.headers, &mut self.body, limit).await
    }

    /// Next chunk of the body, as large as the connection delivers it; `None` at the end. The caller limits the total.
    ///
    /// # Errors
    /// 400 when the body is incomplete, 415 when it is compressed.
    pub async fn next_piece(&mut self) -> Result<Option<Bytes>> {
        body::check_encoding(&self.headers)?;
        body::next_piece(&mut self.body).await
    }

    /// Returns `error` for a body that was not read to its end. First discards the rest, so that the client can finish
    /// writing and then reads the response.
    pub async fn refuse(&mut self, error: ApiError) -> ApiError {
        body::refuse(&self.headers, &mut self.body, error).await
    }

    /// Returns the unread body.
    pub(super) const fn take_body(&mut self) -> ReqBody {
        self.body.take()
    }

    /// Base URL for links: the setting `base_url`, or else derived from the request.
    ///
    /// # Errors
    /// 400 when the request has no valid `Host`.
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
    ///
    /// # Errors
    /// 401 `invalid_client`.
    pub fn basic(&self) -> Result<Basic> {
        auth::basic(&self.headers)
    }

    pub fn bearer(&self) -> Option<SecretString> {
        auth::bearer(&self.headers).ok()
    }

    /// Revisions a record may have for a change; `None` without a condition. `If-None-Match: *` is met by none. Weak
    /// tags match too, because compression turns our tags into weak ones. Tags of unknown form match nothing.
    ///
    /// # Errors
    /// 400 when `If-Match` is not a list of entity tags.
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
    ///
    /// # Errors
    /// 400 when it is repeated, empty, longer than 255 characters or not printable ASCII.
    pub fn idempotency_key(&self) -> Result<Option<String>> {
        let mut keys = self.headers.get_all(IDEMPOTENCY_KEY).iter();
        let (Some(key), None) = (keys.next(), keys.next()) else {
            return if self.headers.contains_key(IDEMPOTENCY_KEY) {
                Err(ApiError::malformed("`Idempotency-Key` is given twice"))
            } else {
                Ok(None)
            };
        };
        let key = key.to_str().ok().map(|key| key.trim().trim_matches('"'));
        // `to_str` allows tabs, which are not printable.
        let in_order = |key: &&str| {
            key.contains(|c| !matches!(c, ' ' | '"'))
                && key.len() <= IDEMPOTENCY_KEY_CHARACTERS
                && !key.contains('\t')
        };
        match key.filter(in_order) {
            Some(key) => Ok(Some(key.to_owned())),
            None => Err(ApiError::malformed(
                "`Idempotency-Key` must be 1 to 255 printable ASCII characters",
            )),
        }
    }

    /// Query as sent, without the `?`.
    pub fn raw_query(&self) -> &str {
        self.uri.query().unwrap_or_default()
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
