//! Serves one connection: HTTP and timeouts.
//!
//! [`TimeoutStream`] wraps the (decrypted) stream below the HTTP library. [`ConnectionState`] tracks each request from its head to
//! the last byte of its response. This makes the timeouts independent of how bytes are spread over time: a head must
//! be complete within a fixed time, a connection without a request is closed whatever else it sends, and a client
//! that reads too slowly is disconnected even if it reads a byte now and then. `body` limits the rate of bodies.
//!
//! What a client without a token can hold is a product of small bounds: connections, bytes and fields of a head, requests
//! of a connection. Nothing is accounted.

use std::collections::HashMap;
use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::future::{BoxFuture, pending, poll_fn};
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use salvo::http::ResBody;
use salvo::http::header::CONNECTION;
use salvo::hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use salvo::hyper::rt::Executor;
use salvo::hyper::service::Service;
use salvo::hyper::{Request, Response};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::time::{Instant, Sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use super::http_state::HttpState;
use super::listen::Socket;
use super::options::{Limits, Options};
use super::per_address::Counted;
use super::permits::Held;
use super::request_layer::{self, OfUser};
use super::static_body::StaticBody;
use super::transfer_rate::{MinRate, TransferRate};
use super::turns::InTurns;

/// Time limit for the TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// Grace period when a connection without requests is closed: a request already sent by the client is still served.
const GRACE: Duration = Duration::from_secs(1);

/// Added to this module's time limits to get the library's own head timeout, which must fire later.
const LIBRARY_MARGIN: Duration = Duration::from_secs(5);

/// Maximum concurrent requests per HTTP/2 connection. Browsers and proxies need few, and each costs memory: closed
/// windows keep the responses of all of them.
const STREAMS: u32 = 16;

/// Maximum streams a client may reset before they are processed; one more closes the connection. Opening and
/// resetting streams costs a client nothing (CVE-2023-44487).
const RESET_STREAMS: usize = 20;

/// Maximum streams that may fail by client errors; one more closes the connection.
const FAILED_STREAMS: usize = 128;

/// Interval of HTTP/2 pings while the client sends nothing.
const PING: Duration = Duration::from_secs(30);

/// Time limit for the reply to a ping.
const PONG: Duration = Duration::from_secs(20);

/// Bytes of one response that HTTP/2 may buffer beyond the client's flow control window.
const SEND_BUFFER: usize = 64 * 1024;

/// Size of the pieces in which a body is passed to the HTTP library, which would buffer a large one whole.
const PIECE: usize = 16 * 1024;

/// Memory of a streamed body: queued chunks and the one being produced.
const STREAM_BYTES: u64 = 96 * 1024;

/// Room for the request line, the overhead that HTTP/2 counts for each field, and bytes that follow the head. Heads
/// slightly over the limit still fit and get our own error response.
const HEAD_MARGIN: u64 = 8 * 1024;

/// Multiple of `write_timeout_seconds` after which a response without any progress closes the connection, even if
/// other data flows. Otherwise a closed flow control window could be kept alive by unrelated traffic.
const SHUT: u32 = 4;

/// Start of the HTTP/2 connection preface; no HTTP/1 method starts with it.
const PREFACE: &[u8] = b"PRI";

/// Time limits of a connection.
#[derive(Clone, Copy, Debug)]
struct Times {
    head: Duration,
    idle: Duration,
    write: MinRate,
}

/// Serves a connection until it ends. After `stop` it accepts no further requests. `client` is `None` for a proxy.
pub(super) async fn serve<H>(
    http_state: Arc<HttpState>,
    tls: Option<TlsAcceptor>,
    socket: Socket,
    client: Option<Arc<Counted>>,
    handler: H,
    stop: CancellationToken,
) where
    H: Service<Request<Incoming>, Response = Response<ResBody>, Future: Send + 'static>
        + Send
        + Sync
        + 'static,
    H::Error: std::error::Error + Send + Sync + 'static,
{
    let queue = Arc::clone(http_state.queue());
    let closed = client.clone();
    let closed = async {
        match closed {
            Some(client) => client.closed().await,
            None => pending().await,
        }
    };
    let served = serve_one(http_state, tls, socket, client.clone(), handler, stop);
    tokio::select! {
        // A connection that gives way to another needs no turn for it.
        biased;
        () = closed => (),
        () = InTurns::new(queue, client, served) => (),
    }
}

async fn serve_one<H>(
    http_state: Arc<HttpState>,
    tls: Option<TlsAcceptor>,
    socket: Socket,
    client: Option<Arc<Counted>>,
    handler: H,
    stop: CancellationToken,
) where
    H: Service<Request<Incoming>, Response = Response<ResBody>, Future: Send + 'static>
        + Send
        + Sync
        + 'static,
    H::Error: std::error::Error + Send + Sync + 'static,
{
    let is_secure = tls.is_some();
    let wire: Box<dyn Wire> = match tls {
        None => Box::new(socket),
        Some(tls) => {
            let accepted = timeout(HANDSHAKE, tls.accept(socket)).await;
            match accepted.map_err(io::Error::from).flatten() {
                Ok(stream) => Box::new(stream),
                Err(error) => {
                    tracing::debug!(%error, "a handshake failed");
                    return;
                }
            }
        }
    };
    let connection_state = ConnectionState::new(Instant::now());
    let service = TrackedService {
        handler: Arc::new(handler),
        connection_state: Arc::clone(&connection_state),
        client,
        stop: stop.clone(),
    };
    let (executor, requests) = mpsc::unbounded_channel();
    let library = library(http_state.options(), InConnection(executor));
    let stream = TimeoutStream::new(wire, http_state, connection_state, &stop, is_secure);
    let goaway = stream.goaway.clone();
    let served = async {
        let mut connection = pin!(library.serve_connection(TokioIo::new(stream), service));
        tokio::select! {
            ended = connection.as_mut() => ended,
            () = goaway.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        }
    };
    if let Err(error) = with_requests(served, requests).await {
        tracing::debug!(%error, "a connection ended with an error");
    }
}

type RequestTask = BoxFuture<'static, ()>;

/// Runs the requests of an HTTP/2 connection in the task of the connection. So they share its turns, and none of their
/// heads is kept while it waits for a turn of its own.
#[derive(Clone, Debug)]
struct InConnection(UnboundedSender<RequestTask>);

impl<F> Executor<F> for InConnection
where
    F: Future<Output: Send> + Send + 'static,
{
    fn execute(&self, request: F) {
        // This fails when the connection has ended, and its requests end with it.
        let _ = self.0.send(request.map(drop).boxed());
    }
}

/// Runs a connection together with its requests.
async fn with_requests<F: Future>(
    connection: F,
    mut requests: UnboundedReceiver<RequestTask>,
) -> F::Output {
    let mut connection = pin!(connection);
    let mut open = FuturesUnordered::new();
    poll_fn(|cx| {
        let ended = connection.as_mut().poll(cx);
        if ended.is_pending() {
            while let Poll::Ready(Some(request)) = requests.poll_recv(cx) {
                open.push(request);
            }
            while let Poll::Ready(Some(())) = open.poll_next_unpin(cx) {}
        }
        ended
    })
    .await
}

/// Configures the HTTP library. Few open, cancelled and failed requests of HTTP/2 are allowed because each holds memory
/// (CVE-2023-44487).
fn library(options: &Options, executor: InConnection) -> Builder<InConnection> {
    let mut builder = Builder::new(executor);
    let head_timeout = options.timeouts.header.max(options.timeouts.idle) + LIBRARY_MARGIN;
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(head_timeout)
        .max_buf_size(head_buffer(&options.limits));
    let head = u32::try_from(head_buffer(&options.limits)).unwrap_or(u32::MAX);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS)
        .max_pending_accept_reset_streams(RESET_STREAMS)
        .max_local_error_reset_streams(FAILED_STREAMS)
        .keep_alive_interval(PING)
        .keep_alive_timeout(PONG)
        .max_send_buf_size(SEND_BUFFER)
        .max_header_list_size(head);
    builder
}

/// Bytes that the library keeps of a head.
fn head_buffer(limits: &Limits) -> usize {
    let bytes = limits.header_bytes + limits.uri_bytes + HEAD_MARGIN;
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// A plain socket or a TLS stream.
trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

/// State of the requests on a connection: what the server and the client wait for.
#[derive(Debug)]
struct ConnectionState(Mutex<State>);

#[derive(Debug)]
struct State {
    /// Requests whose responses are not fully handed to the connection yet.
    requests: usize,
    /// Responses whose next part waits for the client, with the start of the wait.
    owed: HashMap<u64, Instant>,
    /// Number of the next request.
    next: u64,
    /// End of the last request, or start of the connection.
    quiet_since: Instant,
    /// Head being received. The first one starts with the connection.
    head: Option<Head>,
}

#[derive(Clone, Copy, Debug)]
struct Head {
    since: Instant,
    is_seen: bool,
}

impl ConnectionState {
    fn new(now: Instant) -> Arc<Self> {
        let head = Head {
            since: now,
            is_seen: false,
        };
        Arc::new(Self(Mutex::new(State {
            requests: 0,
            owed: HashMap::new(),
            next: 0,
            quiet_since: now,
            head: Some(head),
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is a few assignments, so the state stays consistent even after a panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that the client sent something.
    fn read(&self, now: Instant) {
        let mut state = self.state();
        if state.requests == 0 {
            let head = state.head.get_or_insert(Head {
                since: now,
                is_seen: true,
            });
            head.is_seen = true;
        }
    }
}

/// A request in flight, from its head to the last byte of its response.
struct InFlight {
    connection_state: Arc<ConnectionState>,
    number: u64,
}

impl InFlight {
    fn new(connection_state: &Arc<ConnectionState>) -> Self {
        let mut state = connection_state.state();
        state.requests = state.requests.saturating_add(1);
        state.head = None;
        let number = state.next;
        state.next = number.wrapping_add(1);
        drop(state);
        Self {
            connection_state: Arc::clone(connection_state),
            number,
        }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut state = self.connection_state.state();
        state.requests = state.requests.saturating_sub(1);
        state.owed.remove(&self.number);
        state.quiet_since = Instant::now();
    }
}

/// Service wrapper that tracks requests in [`ConnectionState`].
struct TrackedService<H> {
    handler: Arc<H>,
    connection_state: Arc<ConnectionState>,
    client: Option<Arc<Counted>>,
    stop: CancellationToken,
}

impl<H> Service<Request<Incoming>> for TrackedService<H>
where
    H: Service<Request<Incoming>, Response = Response<ResBody>, Future: Send + 'static>
        + Send
        + Sync
        + 'static,
{
    type Response = Response<TrackedBody>;
    type Error = H::Error;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let in_flight = InFlight::new(&self.connection_state);
        let stop = self.stop.clone();
        let is_version_1 = request.version() < salvo::http::Version::HTTP_2;
        let handler = Arc::clone(&self.handler);
        let client = self.client.clone();
        async move {
            let mut answer = handler.call(request).await?;
            let of_user = answer.extensions_mut().remove::<OfUser>();
            if let Some(client) = client.filter(|_| of_user.is_some()) {
                client.set_user();
            }
            let is_shared = answer.extensions().get::<Arc<StaticBody>>().is_some();
            let unsent = of_user.map(|OfUser(unsent)| unsent.hold(held(answer.body(), is_shared)));
            if is_version_1 && stop.is_cancelled() {
                answer
                    .headers_mut()
                    .insert(CONNECTION, request_layer::CLOSE);
            }
            Ok(answer.map(|body| TrackedBody {
                body,
                rest: Bytes::new(),
                is_shared,
                is_version_1,
                in_flight,
                _unsent: unsent,
            }))
        }
        .boxed()
    }
}

/// Memory held by a body, in bytes.
fn held(body: &ResBody, is_shared: bool) -> u64 {
    let length = match body {
        _ if is_shared => 0,
        ResBody::None | ResBody::Error(_) => 0,
        ResBody::Once(bytes) => bytes.len(),
        ResBody::Chunks(chunks) => chunks.iter().map(Bytes::len).sum(),
        _ => return STREAM_BYTES,
    };
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// Response body that records when its next part waits for the client.
struct TrackedBody {
    body: ResBody,
    /// Rest of the current frame.
    rest: Bytes,
    /// The bytes are shared by all responses.
    is_shared: bool,
    is_version_1: bool,
    in_flight: InFlight,
    _unsent: Option<Held>,
}

impl TrackedBody {
    fn owe(&self, is_owed: bool) {
        let mut state = self.in_flight.connection_state.state();
        if is_owed {
            state.owed.insert(self.in_flight.number, Instant::now());
        } else {
            state.owed.remove(&self.in_flight.number);
        }
    }

    /// Next piece of the current frame. In HTTP/2 the last byte is sent separately: the library takes a piece as soon
    /// as the flow control window has room for one byte, but the response must count as waiting until the window has
    /// room for all of it.
    fn next_piece(&mut self) -> Bytes {
        let length = match self.rest.len() {
            length @ 2.. if !self.is_version_1 => (length - 1).min(PIECE),
            length => length.min(PIECE),
        };
        let piece = self.rest.split_to(length);
        if self.is_shared || length <= 1 {
            return piece;
        }
        // The library may keep this slice for long, and a slice keeps the whole buffer alive.
        match self.rest.len() {
            0..=1 => Bytes::copy_from_slice(&piece),
            _ => piece,
        }
    }
}

impl Body for TrackedBody {
    type Data = Bytes;
    type Error = <ResBody as Body>::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if !self.rest.is_empty() {
            let piece = self.next_piece();
            self.owe(true);
            return Poll::Ready(Some(Ok(Frame::data(piece))));
        }
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        self.owe(matches!(polled, Poll::Ready(Some(Ok(_)))));
        let Poll::Ready(Some(Ok(frame))) = polled else {
            return polled;
        };
        Poll::Ready(Some(Ok(match frame.into_data() {
            Ok(data) => {
                self.rest = data;
                Frame::data(self.next_piece())
            }
            Err(other) => other,
        })))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        Body::size_hint(&self.body)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    /// Number of bytes of the HTTP/2 preface seen so far.
    Unknown(usize),
    Http1,
    Http2,
}

impl Version {
    fn read(self, bytes: &[u8]) -> Self {
        let Self::Unknown(seen) = self else {
            return self;
        };
        let mut seen = seen;
        for byte in bytes {
            if PREFACE.get(seen) != Some(byte) {
                return Self::Http1;
            }
            seen += 1;
            if seen == PREFACE.len() {
                return Self::Http2;
            }
        }
        Self::Unknown(seen)
    }
}

/// What to do with a connection now.
enum Verdict {
    /// Check again at this time.
    Wait(Instant),
    /// Close: no request is in progress.
    Close,
    /// Respond with 408: the head took too long.
    Refuse,
    /// Disconnect: the client does not read its response.
    Cut,
}

/// Stream that enforces the timeouts of a connection.
struct TimeoutStream {
    wire: Box<dyn Wire>,
    http_state: Arc<HttpState>,
    connection_state: Arc<ConnectionState>,
    times: Times,
    version: Version,
    pace: TransferRate,
    is_writing: bool,
    timer: Pin<Box<Sleep>>,
    stop: Pin<Box<WaitForCancellationFutureOwned>>,
    stopped_at: Option<Instant>,
    goaway: CancellationToken,
    is_secure: bool,
}

impl TimeoutStream {
    fn new(
        wire: Box<dyn Wire>,
        http_state: Arc<HttpState>,
        connection_state: Arc<ConnectionState>,
        stop: &CancellationToken,
        is_secure: bool,
    ) -> Self {
        let timeouts = http_state.options().timeouts;
        let write = MinRate {
            most: timeouts.write,
            bytes_per_second: timeouts.least_bytes_per_second,
        };
        let times = Times {
            head: timeouts.header,
            idle: timeouts.idle,
            write,
        };
        Self {
            wire,
            connection_state,
            times,
            version: Version::Unknown(0),
            pace: TransferRate::new(write),
            is_writing: false,
            timer: Box::pin(tokio::time::sleep(times.head)),
            stop: Box::pin(stop.clone().cancelled_owned()),
            stopped_at: None,
            goaway: CancellationToken::new(),
            is_secure,
            http_state,
        }
    }

    fn verdict(&mut self, now: Instant) -> Verdict {
        let (requests, oldest, quiet_since, head) = {
            let state = self.connection_state.state();
            let oldest = state.owed.values().min().copied();
            (state.requests, oldest, state.quiet_since, state.head)
        };
        if self.is_writing || oldest.is_some() {
            let shut = oldest.map(|since| since + self.times.write.most * SHUT);
            let pace = self.pace.wait(now);
            let end = shut.map_or(pace, |shut| pace.min(shut));
            return if end > now {
                Verdict::Wait(end)
            } else {
                Verdict::Cut
            };
        }
        self.pace.rest(now);
        if requests > 0 {
            // HTTP/2 responses are produced without a read; look often enough to notice them.
            return Verdict::Wait(now + self.times.write.most);
        }
        match self.version {
            Version::Http2 => self.quiet_version_2(now, quiet_since),
            _ => self.quiet_version_1(now, quiet_since, head),
        }
    }

    fn quiet_version_1(&self, now: Instant, quiet_since: Instant, head: Option<Head>) -> Verdict {
        let begun = head.filter(|head| head.is_seen);
        let usual = match head {
            Some(head) => head.since + self.times.head,
            None => quiet_since + self.times.idle,
        };
        let end = match self.stopped_at {
            Some(stopped) if begun.is_none() => usual.min(stopped + GRACE),
            _ => usual,
        };
        match begun {
            _ if end > now => Verdict::Wait(end),
            Some(_) => Verdict::Refuse,
            None => Verdict::Close,
        }
    }

    /// Sends GOAWAY before closing, because the client may just have sent a request.
    fn quiet_version_2(&self, now: Instant, quiet_since: Instant) -> Verdict {
        let idle = quiet_since + self.times.idle;
        let due = self.stopped_at.map_or(idle, |stopped| idle.min(stopped));
        if due > now {
            return Verdict::Wait(due);
        }
        self.goaway.cancel();
        let end = due.max(quiet_since) + GRACE;
        if end > now {
            Verdict::Wait(end)
        } else {
            Verdict::Close
        }
    }

    /// Checks the time limits; ready when the connection must end.
    fn poll_times(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.stopped_at.is_none() && self.stop.as_mut().poll(cx).is_ready() {
            self.stopped_at = Some(Instant::now());
            if self.version == Version::Http2 {
                self.goaway.cancel();
            }
        }
        loop {
            let end = match self.verdict(Instant::now()) {
                Verdict::Wait(end) => end,
                Verdict::Close => return Poll::Ready(Ok(())),
                Verdict::Refuse => return self.poll_refuse(cx).map(Err),
                Verdict::Cut => {
                    tracing::info!("a client that did not read its response was disconnected");
                    return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
                }
            };
            if end < self.timer.deadline() || self.timer.is_elapsed() {
                self.timer.as_mut().reset(end);
            }
            ready!(self.timer.as_mut().poll(cx));
        }
    }

    /// Sends 408 as far as the socket accepts it without blocking, then closes.
    fn poll_refuse(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        let answer = request_layer::head_too_slow(&self.http_state, self.is_secure);
        let _ = Pin::new(&mut self.wire).poll_write(cx, &answer);
        let _ = Pin::new(&mut self.wire).poll_flush(cx);
        let _ = Pin::new(&mut self.wire).poll_shutdown(cx);
        Poll::Ready(io::ErrorKind::TimedOut.into())
    }

    fn note_written(
        &mut self,
        written: Poll<io::Result<usize>>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        match &written {
            Poll::Pending => {
                self.is_writing = true;
                match self.poll_times(cx) {
                    Poll::Pending => (),
                    Poll::Ready(Ok(())) => {
                        return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
                    }
                    Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                }
            }
            Poll::Ready(Ok(count)) => {
                self.is_writing = false;
                self.pace.moved(*count, Instant::now());
            }
            Poll::Ready(Err(_)) => (),
        }
        written
    }
}

impl AsyncRead for TimeoutStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        match Pin::new(&mut self.wire).poll_read(cx, buf) {
            Poll::Ready(Ok(())) => {
                if let Some(bytes) = buf.filled().get(before..).filter(|new| !new.is_empty()) {
                    self.version = self.version.read(bytes);
                    self.connection_state.read(Instant::now());
                }
                Poll::Ready(Ok(()))
            }
            Poll::Pending => self.poll_times(cx),
            failed => failed,
        }
    }
}

impl AsyncWrite for TimeoutStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.wire).poll_write(cx, buf);
        self.note_written(written, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.wire).poll_write_vectored(cx, bufs);
        self.note_written(written, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.wire.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.wire).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.wire).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_seen_however_the_bytes_come() {
        let read = |parts: &[&[u8]]| {
            parts
                .iter()
                .fold(Version::Unknown(0), |version, part| version.read(part))
        };
        assert_eq!(read(&[b"PRI * HTTP/2.0\r\n\r\n"]), Version::Http2);
        assert_eq!(read(&[b"P", b"R", b"I"]), Version::Http2);
        assert_eq!(read(&[b"PR"]), Version::Unknown(2));
        for http1 in [&b"GET /"[..], b"POST", b"PUT", b"PATCH", b"PROPFIND"] {
            assert_eq!(read(&[http1]), Version::Http1);
        }
        assert_eq!(read(&[b"P", b"O"]), Version::Http1);
    }
}
