//! Steps common to all requests: request id, limits, common headers, compression and access log. This is a single
//! middleware because each middleware adds cost to every request.

use std::sync::Arc;
use std::time::{Instant, SystemTime};

use erp_core::sentence::Locale;
use salvo::http::header::{
    ACCEPT_ENCODING, ACCEPT_RANGES, AUTHORIZATION, CACHE_CONTROL, CONNECTION, CONTENT_ENCODING,
    CONTENT_LENGTH, CONTENT_TYPE, DATE, EXPECT, HOST, ORIGIN,
};
use salvo::http::uri::Scheme;
use salvo::http::{
    Body as _, HeaderMap, HeaderName, HeaderValue, Method, ResBody, StatusCode, Version,
};
use salvo::hyper::body::Bytes;
use salvo::{Depot, FlowCtrl, Handler, Request, Response, async_trait};

use super::api_request::Admitted;
use super::api_response::{CONTENT_MD5, OfUser};
use super::compress::{COMPRESSED_FROM_BYTES, compress};
use super::content::{NO_STORE, locale};
use super::error::{ApiError, Cause, Result};
use super::http_state::HttpState;
use super::permits::{ConcurrencyPermit, Held};
use super::route::{AccessLogFields, Sender, UnknownPath};
use super::static_body::StaticBody;
use super::{body, cors, security};
use crate::observe::counters::method_name;
use crate::observe::{REQUEST_ID, RequestId, TRACEPARENT, Trace};

// rule: R-VER-01
const API_VERSION: HeaderName = HeaderName::from_static("api-version");

const VERSION: HeaderValue = HeaderValue::from_static("1.0");

const IDENTITY: HeaderValue = HeaderValue::from_static("identity");
pub(super) const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// Maximum number of header fields, that of the HTTP library for HTTP/1. A field of one byte in HTTP/2 takes more than a
/// hundred in memory.
const MAX_FIELDS: usize = 100;

/// Longest path with query, and longest sum of all header fields. They are constants because the memory of all clients is the
/// product of small bounds: with longer heads 2,000 connections could hold more than 256 MiB.
pub(super) const URI_BYTES: usize = 8 * 1024;
pub(super) const HEADER_BYTES: usize = 16 * 1024;

/// Headers whose second value would be ignored.
const ONCE: [(HeaderName, &str); 3] = [
    (HOST, "Host"),
    (AUTHORIZATION, "Authorization"),
    (CONTENT_TYPE, "Content-Type"),
];

/// Memory of a streamed body: queued chunks and the one being produced.
const STREAM_BYTES: u64 = 96 * 1024;

/// Extension of responses to requests with a valid token: what they hold until they are sent.
pub(super) type Unsent = Arc<Held>;

pub(super) struct RequestLayer(pub(super) Arc<HttpState>);

/// Request data still needed after the handler has consumed the request.
struct Arrived {
    origin: Option<HeaderValue>,
    at: Instant,
    id: RequestId,
    trace: Trace,
    accept_encoding: Option<HeaderValue>,
    /// The client waits for `100 Continue` before it sends the body.
    waits: bool,
}

impl RequestLayer {
    // rule: D-NET-14
    fn check(req: &Request, is_known: bool) -> Result<()> {
        for (name, shown) in ONCE {
            if req.headers().get_all(name).iter().nth(1).is_some() {
                return Err(ApiError::malformed(sentence!("header.twice", name = shown)));
            }
        }
        if req.version() == Version::HTTP_11 && !req.headers().contains_key(HOST) {
            return Err(ApiError::malformed(sentence!("header.no_host")));
        }
        let uri = req.uri();
        let length = uri.path().len() + uri.query().map_or(0, |query| query.len() + 1);
        if length > URI_BYTES {
            return Err(ApiError::uri_too_long(URI_BYTES));
        }
        if req.headers().len() > MAX_FIELDS {
            return Err(ApiError::too_many_headers(MAX_FIELDS));
        }
        if header_bytes(req.headers()) > HEADER_BYTES {
            return Err(ApiError::headers_too_large(HEADER_BYTES));
        }
        if !is_known {
            return Err(ApiError::from_status(StatusCode::NOT_FOUND));
        }
        Ok(())
    }

    async fn run(
        &self,
        arrived: &Arrived,
        req: &mut Request,
        depot: &mut Depot,
        res: &mut Response,
        ctrl: &mut FlowCtrl,
    ) -> Result<()> {
        // If a status is set before any handler ran, the router did not find the path.
        Self::check(req, res.status_code.is_none())?;
        let Some(permit) = ConcurrencyPermit::take(&self.0.requests) else {
            return Err(ApiError::unavailable("too many requests at once"));
        };
        req.extensions_mut().insert(Admitted {
            id: arrived.id.clone(),
            trace: arrived.trace,
            permit: permit.clone(),
        });
        ctrl.call_next(req, depot, res).await;
        permit.leave();
        Ok(())
    }

    /// Counts a response as unread. One to a request that only reads is refused when too many bytes are.
    fn hold(&self, sender: &Sender, method: &Method, res: &mut Response) {
        let unread = &self.0.unread;
        match unread.hold(&sender.name, memory(res), method.is_safe()) {
            Ok(held) => {
                res.extensions.insert::<Unsent>(Arc::new(held));
            }
            Err(error) => {
                let locale = res.extensions.remove::<Locale>();
                *res = Response::new();
                res.extensions.insert(locale.unwrap_or_default());
                error.render_into(res);
            }
        }
        if sender.is_user {
            res.extensions.insert(OfUser);
        }
    }

    async fn finish(
        &self,
        arrived: Arrived,
        req: &mut Request,
        depot: &mut Depot,
        res: &mut Response,
    ) {
        complete(res);
        let seen = res.extensions.remove::<AccessLogFields>();
        let sender = seen.as_ref().and_then(|seen| seen.sender.as_ref());
        if let Some(sender) = sender {
            self.hold(sender, req.method(), res);
        }
        if res.status_code == Some(StatusCode::REQUEST_TIMEOUT) {
            // HTTP/2 has no `Connection` header; there only the stream ends.
            if req.version() < Version::HTTP_2 {
                res.headers_mut().insert(CONNECTION, CLOSE);
            }
        } else if is_error(res)
            && !arrived.waits
            && req.version() < Version::HTTP_2
            && !req.body().is_end_stream()
        {
            // HTTP/2 can end the request instead.
            body::discard(req.body_mut()).await;
        }
        let headers = res.headers_mut();
        let is_secure = *req.scheme() == Scheme::HTTPS;
        write_common(&self.0, headers, &arrived.id, is_secure);
        let origins = &self.0.options.cors_origins;
        cors::write(origins, arrived.origin.as_ref(), headers);
        let length = res.body.size();
        if is_compressible(res, length) {
            // Without the header nothing is compressed, but `Vary` is written.
            let accepted = arrived.accept_encoding.clone();
            req.headers_mut()
                .insert(ACCEPT_ENCODING, accepted.unwrap_or(IDENTITY));
            if let Err(error) = compress(&self.0.compression, req, depot, res).await {
                res.headers_mut().remove(CONTENT_ENCODING);
                error.render_into(res);
            }
        }
        if res.status_code == Some(StatusCode::NOT_MODIFIED) {
            res.headers_mut().remove(CONTENT_TYPE);
            res.headers_mut().remove(CONTENT_LENGTH);
        }
        let route = seen.as_ref().map(|seen| seen.route);
        let status = res.status_code.unwrap_or(StatusCode::OK).as_u16();
        let took = arrived.at.elapsed();
        let metrics = &self.0.metrics;
        metrics.request(req.method(), route, status, took);
        let has_cause = res.extensions.get::<Cause>().is_some();
        let is_free = is_free(res.status_code, sender.is_some(), has_cause);
        if is_free && !self.0.free_lines.take() {
            return;
        }
        log(&arrived, req.method(), seen.as_ref(), res, length);
    }
}

#[async_trait]
impl Handler for RequestLayer {
    async fn handle(
        &self,
        req: &mut Request,
        depot: &mut Depot,
        res: &mut Response,
        ctrl: &mut FlowCtrl,
    ) {
        let _in_flight = self.0.metrics.begin();
        let arrived = Arrived {
            at: Instant::now(),
            id: RequestId::from_client(req.headers().get(REQUEST_ID)),
            trace: Trace::from_client(req.headers().get_all(TRACEPARENT)),
            accept_encoding: req.headers().get(ACCEPT_ENCODING).cloned(),
            origin: req.headers().get(ORIGIN).cloned(),
            waits: req.headers().contains_key(EXPECT),
        };
        let locale = locale(req.headers());
        if locale != Locale::English {
            res.extensions.insert(locale);
        }
        if let Err(error) = self.run(&arrived, req, depot, res, ctrl).await {
            ctrl.skip_rest();
            error.render_into(res);
        }
        self.finish(arrived, req, depot, res).await;
    }
}

// rule: D-LOG-03
/// Whether nothing else limits the number of such log lines. A refusal costs the client as little as the server.
pub(super) fn is_free(status: Option<StatusCode>, has_sender: bool, has_cause: bool) -> bool {
    match status {
        Some(StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) => true,
        _ => !has_sender && !has_cause,
    }
}

fn write_common(http_state: &HttpState, headers: &mut HeaderMap, id: &RequestId, is_secure: bool) {
    headers.insert(REQUEST_ID, id.to_header());
    headers.insert(API_VERSION, VERSION);
    headers.entry(CACHE_CONTROL).or_insert(NO_STORE);
    let transport = http_state.transport.as_ref().filter(|_| is_secure);
    security::write(headers, transport);
}

/// Raw HTTP/1.1 response for a request head that took too long. The HTTP library cannot send it, because for the
/// library no request exists yet.
pub(super) fn head_too_slow(http_state: &HttpState, is_secure: bool) -> Vec<u8> {
    let id = RequestId::from_client(None);
    let error = ApiError::request_timeout();
    let (status, body) = (error.status(), error.to_bytes(Locale::English));
    let mut res = Response::new();
    error.render_into(&mut res);
    let headers = res.headers_mut();
    write_common(http_state, headers, &id, is_secure);
    headers.insert(CONNECTION, CLOSE);
    let date = HeaderValue::try_from(httpdate::fmt_http_date(SystemTime::now()));
    headers.extend(date.ok().map(|date| (DATE, date)));
    let mut response = format!("HTTP/1.1 {status}\r\n").into_bytes();
    for (name, value) in &*headers {
        response.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    response.extend_from_slice(b"\r\n");
    response.extend(body);
    // A stranger sends as many as it likes.
    if http_state.free_lines.take() {
        let (request_id, status) = (id.as_str(), status.as_u16());
        tracing::info!(request_id, status, "a request whose head came too slowly");
    }
    response
}

/// Adds our error body to an error status without one.
fn complete(res: &mut Response) {
    if let Some(status) = res.status_code
        && is_error(res)
        && matches!(res.body, ResBody::None | ResBody::Error(_))
    {
        ApiError::from_status(status).render_into(res);
    }
}

/// Memory held by a body, in bytes.
fn memory(res: &Response) -> u64 {
    match &res.body {
        // All responses share it.
        _ if res.extensions.get::<Arc<StaticBody>>().is_some() => 0,
        ResBody::None | ResBody::Error(_) => 0,
        ResBody::Once(bytes) => wide(bytes.len()),
        ResBody::Chunks(chunks) => wide(chunks.iter().map(Bytes::len).sum()),
        _ => STREAM_BYTES,
    }
}

fn is_error(res: &Response) -> bool {
    let status = res.status_code;
    status.is_some_and(|status| status.is_client_error() || status.is_server_error())
}

/// Whether a response may be compressed. `Content-MD5` (created records) covers the uncompressed bytes, and ranges
/// and entity tags of files refer to the original bytes; such responses must stay uncompressed.
fn is_compressible(res: &Response, length: Option<u64>) -> bool {
    if res.status_code == Some(StatusCode::NOT_MODIFIED) {
        // Only the tag changes its form, as that of the response which the client has.
        return res.headers().contains_key(CONTENT_TYPE);
    }
    let large = length.is_none_or(|length| length >= wide(COMPRESSED_FROM_BYTES));
    let as_it_is = [CONTENT_MD5, ACCEPT_RANGES];
    let is_free = as_it_is
        .iter()
        .all(|name| !res.headers().contains_key(name));
    large && !matches!(res.body, ResBody::None) && is_free
}

fn header_bytes(headers: &HeaderMap) -> usize {
    let fields = headers.iter();
    fields
        .map(|(name, value)| name.as_str().len() + value.len() + 4)
        .sum()
}

fn wide(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// Writes one log line per request. It never contains a query, body, token or address.
fn log(
    arrived: &Arrived,
    method: &Method,
    seen: Option<&AccessLogFields>,
    res: &mut Response,
    bytes: Option<u64>,
) {
    let unknown = res.extensions.remove::<UnknownPath>();
    let cause = res.extensions.get::<Cause>();
    let cause = cause.map(|Cause(cause)| cause.as_str());
    let unknown = unknown.as_ref().map_or("-", |path| path.0.as_str());
    let route = seen.map_or(unknown, |seen| seen.route);
    let sender = seen.and_then(|seen| seen.sender.as_ref());
    let user = sender.map(|sender| sender.name.as_str());
    let status = res.status_code.unwrap_or(StatusCode::OK).as_u16();
    let micros = u64::try_from(arrived.at.elapsed().as_micros()).unwrap_or(u64::MAX);
    let (id, method) = (arrived.id.as_str(), method_name(method));
    let Trace {
        id: trace, span, ..
    } = arrived.trace;
    macro_rules! entry {
        ($level:ident, $($end:tt)*) => {
            tracing::$level!(
                request_id = id,
                trace_id = format_args!("{trace:032x}"),
                span_id = format_args!("{span:016x}"),
                method, route, status, micros, user, bytes, $($end)*
            )
        };
    }
    match cause {
        Some(cause) => entry!(error, cause, "request failed"),
        None => entry!(info, "request"),
    }
}
