//! One request as a handler sees it: owned, decoded on demand, without any type of the HTTP library.

use std::net::IpAddr;
use std::sync::Arc;

use salvo::Request;
use salvo::http::header::IF_MATCH;
use salvo::http::uri::{Scheme, Uri};
use salvo::http::{HeaderMap, HeaderName, Method, ReqBody};
use salvo::hyper::body::Bytes;
use serde_json::Value;

use super::auth::{self, Basic};
use super::body::{self, Arriving};
use super::charset::Charset;
use super::error::ApiError;
use super::gate::Gate;
use super::links::{self, Arrival, BaseUrl};
use super::place::Place;
use super::query::{self, Query};
use super::request_id::RequestId;
use super::trace::Trace;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Longest `Idempotency-Key`.
const IDEMPOTENCY_KEY_CHARACTERS: usize = 255;

/// A request. Its body can be read once; everything else as often as needed.
#[derive(Debug)]
pub struct Call {
    gate: Arc<Gate>,
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

impl Call {
    /// Takes out of a request what handlers need.
    pub(super) fn take(gate: &Arc<Gate>, route: &'static str, req: &mut Request) -> Self {
        let request_id = req.extensions().get::<RequestId>().cloned();
        let place = req.extensions().get::<Place>().cloned();
        Self {
            gate: Arc::clone(gate),
            route,
            request_id: request_id.unwrap_or_else(|| RequestId::from_client(None)),
            trace: req.extensions().get::<Trace>().copied(),
            method: req.method().clone(),
            scheme: req.scheme().clone(),
            peer: links::peer_address(req.remote_addr()),
            uri: std::mem::take(req.uri_mut()),
            headers: std::mem::take(req.headers_mut()),
            body: gate.arriving(req.take_body(), place.unwrap_or_default()),
        }
    }

    /// The id of the request.
    #[must_use]
    pub const fn request_id(&self) -> &RequestId {
        &self.request_id
    }

    /// The trace the request belongs to.
    #[must_use]
    pub const fn trace(&self) -> Option<Trace> {
        self.trace
    }

    /// The pattern of the path, like `/www/auftrag/{AuftNr}`.
    #[must_use]
    pub const fn route(&self) -> &'static str {
        self.route
    }

    /// The method; `HEAD` reaches the handlers of `GET`.
    #[must_use]
    pub const fn method(&self) -> &Method {
        &self.method
    }

    /// The path as it was sent, percent-encoded, without the query.
    #[must_use]
    pub fn raw_path(&self) -> &str {
        self.uri.path()
    }

    /// All header fields.
    #[must_use]
    pub const fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The text at `{name}` of the route, decoded like a query value but with `+` as it is.
    /// Empty when the route has no such place.
    #[must_use]
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

    /// The key at `{name}` of the route: [`Call::path`] without the padding of a `char(n)`.
    #[must_use]
    pub fn key(&self, name: &str) -> String {
        let mut key = self.path(name);
        key.truncate(key.trim_end_matches(' ').len());
        key
    }

    /// The number at `{name}` of the route; `what` is named when there can be no such record.
    ///
    /// # Errors
    /// 404 when it is not written in digits or too large.
    pub fn path_number(&self, name: &str, what: &str) -> Result<u32, ApiError> {
        query::path_number(&self.key(name), what)
    }

    /// The decoded query.
    ///
    /// # Errors
    /// 400 when it has too many parameters.
    pub fn query(&self) -> Result<Query, ApiError> {
        Query::parse(self.uri.query().unwrap_or_default())
    }

    /// The JSON body, of at most the setting `json_body_bytes`.
    ///
    /// # Errors
    /// 400, 413 or 415; also 400 when the body was read before.
    pub async fn json(&mut self) -> Result<Value, ApiError> {
        self.json_up_to(self.gate.settings().json_body_bytes).await
    }

    /// The JSON body, of at most `limit` bytes.
    ///
    /// # Errors
    /// As [`Call::json`].
    pub async fn json_up_to(&mut self, limit: u64) -> Result<Value, ApiError> {
        body::json(&self.headers, &mut self.body, limit).await
    }

    /// The bytes of the JSON body with their charset, of at most `limit` bytes, for who reads the JSON
    /// elsewhere. `reserve` is told how long the body has grown and may refuse to go on.
    ///
    /// # Errors
    /// As [`Call::json`], and what `reserve` says.
    pub async fn json_bytes(
        &mut self,
        limit: u64,
        reserve: impl FnMut(usize) -> Result<(), ApiError> + Send,
    ) -> Result<(Charset, Vec<u8>), ApiError> {
        body::json_bytes(&self.headers, &mut self.body, limit, reserve).await
    }

    /// The body as it is, of at most `limit` bytes.
    ///
    /// # Errors
    /// 400, 413 or 415.
    pub async fn bytes(&mut self, limit: u64) -> Result<Vec<u8>, ApiError> {
        body::bytes(&self.headers, &mut self.body, limit).await
    }

    /// The next piece of the body, in memory at most as much as the connection hands over at a time;
    /// `None` at its end. The caller bounds the sum.
    ///
    /// # Errors
    /// 400 when the body breaks off, 415 when it is compressed.
    pub async fn next_piece(&mut self) -> Result<Option<Bytes>, ApiError> {
        body::check_encoding(&self.headers)?;
        body::next_piece(&mut self.body).await
    }

    /// An error for a body that is not read to its end: lets the client finish writing, so that it
    /// reads the answer.
    pub async fn refuse(&mut self, error: ApiError) -> ApiError {
        body::refuse(&self.headers, &mut self.body, error).await
    }

    /// The body, unread.
    pub(super) const fn take_body(&mut self) -> ReqBody {
        self.body.take()
    }

    /// The address that links begin with: the setting `base_url`, else the request's own.
    ///
    /// # Errors
    /// 400 when the request has no usable `Host`.
    pub fn base(&self) -> Result<BaseUrl, ApiError> {
        match &self.gate.settings().base_url {
            Some(base) => Ok(base.clone()),
            None => self.arrival().base(),
        }
    }

    /// The client's address, behind trusted proxies too; `None` on a unix socket without one.
    #[must_use]
    pub fn client(&self) -> Option<IpAddr> {
        self.arrival().client()
    }

    /// The credentials of a token request.
    ///
    /// # Errors
    /// 401 `invalid_client`.
    pub fn basic(&self) -> Result<Basic, ApiError> {
        auth::basic(&self.headers)
    }

    /// The revisions `If-Match` names; `None` without the header or with `*`. A weak tag counts too,
    /// because compression weakens ours on the way out; a tag that is not ours matches nothing.
    ///
    /// # Errors
    /// 400 when the header is no list of entity tags.
    pub fn if_match(&self) -> Result<Option<Vec<u64>>, ApiError> {
        let unreadable = || ApiError::malformed("`If-Match` is no list of entity tags");
        let mut revisions: Option<Vec<u64>> = None;
        for line in self.headers.get_all(IF_MATCH) {
            let line = line.to_str().map_err(|_| unreadable())?.trim();
            if line == "*" {
                return Ok(None);
            }
            let tags = entity_tags(line).ok_or_else(unreadable)?;
            let named = tags.into_iter().filter_map(|tag| {
                let digits = tag.strip_prefix('r')?;
                digits.parse::<u64>().ok()
            });
            revisions.get_or_insert_default().extend(named);
        }
        Ok(revisions)
    }

    /// The `Idempotency-Key` of the request.
    ///
    /// # Errors
    /// 400 when it is given twice, empty, longer than 255 characters or not printable ASCII.
    pub fn idempotency_key(&self) -> Result<Option<String>, ApiError> {
        let mut keys = self.headers.get_all(IDEMPOTENCY_KEY).iter();
        let (Some(key), None) = (keys.next(), keys.next()) else {
            return match self.headers.contains_key(IDEMPOTENCY_KEY) {
                true => Err(ApiError::malformed("`Idempotency-Key` is given twice")),
                false => Ok(None),
            };
        };
        let key = key.to_str().ok().map(|key| key.trim().trim_matches('"'));
        // A tab may stand in a header field but is not printable.
        let in_order = |key: &&str| {
            !key.is_empty() && key.len() <= IDEMPOTENCY_KEY_CHARACTERS && !key.contains('\t')
        };
        match key.filter(in_order) {
            Some(key) => Ok(Some(key.to_owned())),
            None => Err(ApiError::malformed(
                "`Idempotency-Key` must be 1 to 255 printable ASCII characters",
            )),
        }
    }

    /// The query as it was sent, without the `?`.
    #[must_use]
    pub fn raw_query(&self) -> &str {
        self.uri.query().unwrap_or_default()
    }

    fn arrival(&self) -> Arrival<'_> {
        Arrival {
            uri: &self.uri,
            headers: &self.headers,
            scheme: &self.scheme,
            peer: self.peer,
            trusted: &self.gate.settings().trusted_proxies,
            trusts_unix: self.gate.settings().trusted_unix_proxy,
        }
    }
}

/// The tags of a list, without quotes; they may hold commas, and empty elements are to be ignored (RFC 9110,
/// sections 5.6.1 and 8.8.3). `None` when it is no such list.
fn entity_tags(list: &str) -> Option<Vec<&str>> {
    let mut tags = Vec::new();
    let mut rest = list;
    while !rest.is_empty() {
        if let Some(behind) = rest.strip_prefix(',') {
            rest = behind.trim_start();
            continue;
        }
        let opaque = rest.strip_prefix("W/").unwrap_or(rest);
        let (tag, behind) = opaque.strip_prefix('"')?.split_once('"')?;
        tags.push(tag);
        rest = behind.trim_start();
        if !rest.is_empty() && !rest.starts_with(',') {
            return None;
        }
    }
    Some(tags)
}

fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|segment| !segment.is_empty())
}
