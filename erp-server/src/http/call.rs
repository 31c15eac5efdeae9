//! One request as a handler sees it: owned, decoded on demand, without any type of the HTTP library.

use std::net::IpAddr;
use std::sync::Arc;

use salvo::Request;
use salvo::conn::SocketAddr;
use salvo::http::header::IF_MATCH;
use salvo::http::uri::{Scheme, Uri};
use salvo::http::{HeaderMap, Method, ReqBody};
use serde_json::Value;

use super::auth::{self, Basic};
use super::body;
use super::error::ApiError;
use super::gate::Gate;
use super::links::{Arrival, BaseUrl};
use super::query::{self, Query};
use super::request_id::RequestId;

/// A request. Its body can be read once; everything else as often as needed.
#[derive(Debug)]
pub struct Call {
    gate: Arc<Gate>,
    route: &'static str,
    request_id: RequestId,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    scheme: Scheme,
    peer: Option<IpAddr>,
    body: ReqBody,
}

impl Call {
    /// Takes out of a request what handlers need.
    pub(super) fn take(gate: &Arc<Gate>, route: &'static str, req: &mut Request) -> Self {
        let request_id = req.extensions().get::<RequestId>().cloned();
        Self {
            gate: Arc::clone(gate),
            route,
            request_id: request_id.unwrap_or_else(|| RequestId::from_client(None)),
            method: req.method().clone(),
            scheme: req.scheme().clone(),
            peer: peer(req.remote_addr()),
            uri: std::mem::take(req.uri_mut()),
            headers: std::mem::take(req.headers_mut()),
            body: req.take_body(),
        }
    }

    /// The id of the request.
    #[must_use]
    pub const fn request_id(&self) -> &RequestId {
        &self.request_id
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

    /// The number at `{name}` of the route; `what` is named when there can be no such record.
    ///
    /// # Errors
    /// 404 when it is not written in digits or too large.
    pub fn path_number(&self, name: &str, what: &str) -> Result<u32, ApiError> {
        query::path_number(&self.path(name), what)
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
        body::json(&self.headers, self.body.take(), limit).await
    }

    /// The body as it is, of at most `limit` bytes.
    ///
    /// # Errors
    /// 400, 413 or 415.
    pub async fn bytes(&mut self, limit: u64) -> Result<Vec<u8>, ApiError> {
        body::bytes(&self.headers, self.body.take(), limit).await
    }

    /// The body piece by piece, unlimited, for large imports.
    pub const fn take_body(&mut self) -> ReqBody {
        std::mem::replace(&mut self.body, ReqBody::None)
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

    /// The client's address, behind trusted proxies too; `None` on other transports than IP.
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

    /// Checks `If-Match` against a record's revision. A weak tag counts too, because compression
    /// weakens ours on the way out.
    ///
    /// # Errors
    /// 412 when the header is there and names another revision.
    pub fn check_if_match(&self, revision: u64) -> Result<(), ApiError> {
        let mut lines = self.headers.get_all(IF_MATCH).iter().peekable();
        let own = format!("\"r{revision}\"");
        let fits = |tag: &str| {
            let tag = tag.trim();
            tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == own
        };
        if lines.peek().is_none()
            || lines.any(|line| line.to_str().is_ok_and(|line| line.split(',').any(fits)))
        {
            return Ok(());
        }
        Err(ApiError::precondition_failed())
    }

    fn arrival(&self) -> Arrival<'_> {
        Arrival {
            uri: &self.uri,
            headers: &self.headers,
            scheme: &self.scheme,
            peer: self.peer,
            trusted: &self.gate.settings().trusted_proxies,
        }
    }
}

fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|segment| !segment.is_empty())
}

fn peer(address: &SocketAddr) -> Option<IpAddr> {
    match address {
        SocketAddr::IPv4(v4) => Some(IpAddr::V4(*v4.ip())),
        SocketAddr::IPv6(v6) => Some(IpAddr::V6(*v6.ip())),
        _ => None,
    }
}
