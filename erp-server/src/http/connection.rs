//! One connection from its first byte to its end: encryption, whose turn it is, and how long that may last.
//!
//! The watch stands between HTTP and the socket, above the encryption, and knows of every request when it
//! begins and when the last byte of its answer is on the way. So a head has to come within a time however
//! its bytes are spread, a connection without a request is closed however much else it sends, and a client
//! that reads slowly is cut off however often it reads a byte. Bodies have their own pace in `body`.

use std::collections::HashMap;
use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use salvo::http::ResBody;
use salvo::http::header::CONNECTION;
use salvo::hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use salvo::hyper::service::Service;
use salvo::hyper::{Request, Response};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use super::connection_memory::{Account, Charge, REQUEST_BYTES};
use super::envelope;
use super::gate::Gate;
use super::listen::Socket;
use super::pace::{Pace, Patience};
use super::static_body::StaticBody;
use crate::config::Settings;

/// A handshake that takes longer is given up.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// What clients get to take note of the end of a connection without requests: a request that is on its way
/// is still answered.
const FAREWELL: Duration = Duration::from_secs(1);

/// The library's own limit on heads stands behind the one of this module.
const BEHIND: Duration = Duration::from_secs(5);

/// Requests that one HTTP/2 connection may have open. Browsers and proxies need few; each one costs memory.
const STREAMS: u32 = 32;

/// Requests that a client may take back before they are worked on; one more ends the connection, because
/// opening and resetting streams costs a client nothing (CVE-2023-44487).
const RESET_STREAMS: usize = 20;

/// Streams that may fail by mistakes of the client; one more ends the connection.
const FAILED_STREAMS: usize = 128;

/// HTTP/2 clients are asked for a sign of life so often while nothing comes from them.
const PING: Duration = Duration::from_secs(30);

/// How long they may take for it.
const PONG: Duration = Duration::from_secs(20);

/// Bytes of one response that HTTP/2 may have taken over without a place in the client's window.
const SEND_BUFFER: usize = 64 * 1024;

/// Pieces in which a body is handed to the HTTP library, so that the rest of it stays here and is counted.
const PIECE: usize = 16 * 1024;

/// What a streamed body holds: the pieces that wait and the one that is being made.
const STREAM_BYTES: u64 = 96 * 1024;

/// Room in the buffer of HTTP/1 for the request line and for what comes with a head.
const HEAD_MARGIN: u64 = 16 * 1024;

/// The buffer that the cost of every connection includes.
const READ_BUFFER: u64 = 8 * 1024;

/// A response of which nothing is taken for so many times `write_timeout_seconds` ends its connection,
/// whatever else the client takes. So a window that stays shut cannot be kept by traffic beside it.
const SHUT: u32 = 4;

/// The beginning of the preface of HTTP/2; no method of HTTP/1 begins like it.
const PREFACE: &[u8] = b"PRI";

/// The times of a connection.
#[derive(Clone, Copy, Debug)]
struct Times {
    head: Duration,
    idle: Duration,
    write: Patience,
}

/// Serves a connection until it ends. After `stop` it takes no further request.
pub(super) async fn serve<H>(
    gate: Arc<Gate>,
    tls: Option<TlsAcceptor>,
    socket: Socket,
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
    let open = gate.connection_memory().open(is_secure);
    let account = Arc::clone(&open.account);
    tokio::select! {
        () = serve_counted(gate, tls, socket, handler, stop, Arc::clone(&account)) => (),
        () = account.evicted() => (),
    }
}

async fn serve_counted<H>(
    gate: Arc<Gate>,
    tls: Option<TlsAcceptor>,
    socket: Socket,
    handler: H,
    stop: CancellationToken,
    account: Arc<Account>,
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
        Some(tls) => match handshake(&tls, socket).await {
            Some(stream) => Box::new(stream),
            None => return,
        },
    };
    let turn = Turn::new(Instant::now());
    let told = Told {
        handler: Arc::new(handler),
        turn: Arc::clone(&turn),
        account: Arc::clone(&account),
        stop: stop.clone(),
    };
    let library = library(gate.settings());
    let charge = account.charge(0);
    let watched = Watched::new(wire, gate, turn, charge, &stop, is_secure);
    let farewell = watched.farewell.clone();
    let mut connection = pin!(library.serve_connection(TokioIo::new(watched), told));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = farewell.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended with an error");
    }
}

/// What the HTTP library is told.
fn library(settings: &Settings) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    let longest = settings
        .header_timeout_seconds
        .max(settings.idle_timeout_seconds);
    let behind = Duration::from_secs(longest) + BEHIND;
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(behind)
        .max_buf_size(head_buffer(settings));
    // Room for what HTTP/2 counts beside names and values, so that our own answer 431 comes first.
    let head = u32::try_from(settings.header_bytes.saturating_mul(2)).unwrap_or(u32::MAX);
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

/// The longest head of HTTP/1 that is collected. What is a little too long is still answered by us.
fn head_buffer(settings: &Settings) -> usize {
    let bytes = settings.header_bytes + settings.uri_bytes + HEAD_MARGIN;
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

async fn handshake(
    tls: &TlsAcceptor,
    socket: Socket,
) -> Option<tokio_rustls::server::TlsStream<Socket>> {
    match tokio::time::timeout(HANDSHAKE, tls.accept(socket)).await {
        Ok(Ok(stream)) => return Some(stream),
        Ok(Err(error)) => tracing::debug!(%error, "a handshake failed"),
        Err(_) => tracing::debug!("a handshake took too long"),
    }
    None
}

/// A socket or an encrypted stream on it.
trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

/// Whose turn it is on a connection.
#[derive(Debug)]
struct Turn(Mutex<State>);

#[derive(Debug)]
struct State {
    /// Requests that have begun and whose answers are not given to the connection yet.
    requests: usize,
    /// Answers of which the next part waits for the client, and since when it does.
    owed: HashMap<u64, Instant>,
    /// The number of the next request.
    next: u64,
    /// Bytes that came since the last head was complete.
    unread: u64,
    /// The end of the last request, or the beginning of the connection.
    quiet_since: Instant,
    /// The head that is being received. The first one begins with the connection.
    head: Option<Head>,
}

#[derive(Clone, Copy, Debug)]
struct Head {
    since: Instant,
    is_seen: bool,
}

impl Turn {
    fn new(now: Instant) -> Arc<Self> {
        let head = Head {
            since: now,
            is_seen: false,
        };
        Arc::new(Self(Mutex::new(State {
            requests: 0,
            owed: HashMap::new(),
            next: 0,
            unread: 0,
            quiet_since: now,
            head: Some(head),
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is a few assignments: the state is whole after any panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes bytes of the client. Answers how many came since the last head was complete.
    fn read(&self, count: usize, is_version_2: bool, now: Instant) -> u64 {
        let mut state = self.state();
        if state.requests == 0 || is_version_2 {
            state.unread = state
                .unread
                .saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
        }
        if state.requests == 0 {
            let head = state.head.get_or_insert(Head {
                since: now,
                is_seen: true,
            });
            head.is_seen = true;
        }
        state.unread
    }
}

/// A request from its head to the last byte of its answer.
struct Ticket {
    turn: Arc<Turn>,
    number: u64,
}

impl Ticket {
    fn new(turn: &Arc<Turn>) -> Self {
        let mut state = turn.state();
        state.requests = state.requests.saturating_add(1);
        state.head = None;
        state.unread = 0;
        let number = state.next;
        state.next = number.wrapping_add(1);
        drop(state);
        Self {
            turn: Arc::clone(turn),
            number,
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut state = self.turn.state();
        state.requests = state.requests.saturating_sub(1);
        state.owed.remove(&self.number);
        state.quiet_since = Instant::now();
    }
}

/// The service, telling of requests.
struct Told<H> {
    handler: Arc<H>,
    turn: Arc<Turn>,
    account: Arc<Account>,
    stop: CancellationToken,
}

impl<H> Service<Request<Incoming>> for Told<H>
where
    H: Service<Request<Incoming>, Response = Response<ResBody>, Future: Send + 'static>
        + Send
        + Sync
        + 'static,
{
    type Response = Response<Answered>;
    type Error = H::Error;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let ticket = Ticket::new(&self.turn);
        let stop = self.stop.clone();
        let is_version_1 = request.version() < salvo::http::Version::HTTP_2;
        let account = Arc::clone(&self.account);
        let handler = Arc::clone(&self.handler);
        account.progressed();
        let head = u64::try_from(envelope::header_bytes(request.headers())).unwrap_or(u64::MAX);
        let mut charge = account.charge(REQUEST_BYTES.saturating_add(head));
        async move {
            account.wait_for_client().await;
            let working = account.work();
            let mut answer = handler.call(request).await?;
            drop(working);
            let is_shared = answer.extensions().get::<Arc<StaticBody>>().is_some();
            let bytes = if is_shared { 0 } else { held(answer.body()) };
            charge.set_both(REQUEST_BYTES.saturating_add(bytes), bytes);
            if is_version_1 && stop.is_cancelled() {
                answer.headers_mut().insert(CONNECTION, envelope::CLOSE);
            }
            Ok(answer.map(|body| Answered {
                body,
                rest: Bytes::new(),
                is_shared,
                is_version_1,
                ticket,
                account,
                _charge: charge,
            }))
        }
        .boxed()
    }
}

/// The bytes that a body holds in memory.
fn held(body: &ResBody) -> u64 {
    let length = match body {
        ResBody::None | ResBody::Error(_) => 0,
        ResBody::Once(bytes) => bytes.len(),
        ResBody::Chunks(chunks) => chunks.iter().map(Bytes::len).sum(),
        _ => return STREAM_BYTES,
    };
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// The body of an answer, telling when its next part waits for the client.
struct Answered {
    body: ResBody,
    /// What is left of the frame that is being handed over.
    rest: Bytes,
    /// The bytes belong to all responses.
    is_shared: bool,
    is_version_1: bool,
    ticket: Ticket,
    account: Arc<Account>,
    _charge: Charge,
}

impl Answered {
    fn owe(&self, is_owed: bool) {
        let mut state = self.ticket.turn.state();
        if is_owed {
            state.owed.insert(self.ticket.number, Instant::now());
        } else {
            state.owed.remove(&self.ticket.number);
        }
    }

    /// The next piece of the frame that is being handed over. In HTTP/2 its last byte comes alone: a piece is taken
    /// as soon as the window has place for one byte, and this response is to count as not taken until the
    /// window has place for all of it.
    fn next_piece(&mut self) -> Bytes {
        let length = match self.rest.len() {
            length @ 2.. if !self.is_version_1 => (length - 1).min(PIECE),
            length => length.min(PIECE),
        };
        let piece = self.rest.split_to(length);
        if self.is_shared || length <= 1 {
            return piece;
        }
        // The library may keep the piece for long, and it would keep the whole body with it.
        match self.rest.len() {
            0..=1 => Bytes::copy_from_slice(&piece),
            _ => piece,
        }
    }
}

impl Body for Answered {
    type Data = Bytes;
    type Error = <ResBody as Body>::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        // Whoever asks for more has taken what there was.
        self.account.progressed();
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
    /// So many bytes of the preface of HTTP/2 were seen.
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

/// What is to be done about a connection.
enum Verdict {
    /// Nothing before this time.
    Wait(Instant),
    /// Nobody asks for anything.
    Close,
    /// The head took too long.
    Refuse,
    /// The client does not take its answer.
    Cut,
}

/// A stream under watch.
struct Watched {
    wire: Box<dyn Wire>,
    gate: Arc<Gate>,
    turn: Arc<Turn>,
    /// The buffer that is read into, and an unfinished head.
    charge: Charge,
    times: Times,
    version: Version,
    pace: Pace,
    is_writing: bool,
    timer: Pin<Box<Sleep>>,
    stop: Pin<Box<WaitForCancellationFutureOwned>>,
    stopped_at: Option<Instant>,
    farewell: CancellationToken,
    is_secure: bool,
    /// No head can hold more, however it comes.
    head_limit: u64,
}

impl Watched {
    fn new(
        wire: Box<dyn Wire>,
        gate: Arc<Gate>,
        turn: Arc<Turn>,
        charge: Charge,
        stop: &CancellationToken,
        is_secure: bool,
    ) -> Self {
        let settings = gate.settings();
        let write = Patience {
            most: Duration::from_secs(settings.write_timeout_seconds),
            bytes_per_second: settings.least_bytes_per_second,
        };
        let head_limit = settings.header_bytes.saturating_mul(2);
        let times = Times {
            head: Duration::from_secs(settings.header_timeout_seconds),
            idle: Duration::from_secs(settings.idle_timeout_seconds),
            write,
        };
        Self {
            wire,
            turn,
            charge,
            times,
            version: Version::Unknown(0),
            pace: Pace::new(write),
            is_writing: false,
            timer: Box::pin(tokio::time::sleep(times.head)),
            stop: Box::pin(stop.clone().cancelled_owned()),
            stopped_at: None,
            farewell: CancellationToken::new(),
            is_secure,
            head_limit,
            gate,
        }
    }

    fn verdict(&mut self, now: Instant) -> Verdict {
        let (requests, oldest, quiet_since, head) = {
            let state = self.turn.state();
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
            // Other tasks give answers to HTTP/2; they are looked after often enough to see that.
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
            Some(stopped) if begun.is_none() => usual.min(stopped + FAREWELL),
            _ => usual,
        };
        match begun {
            _ if end > now => Verdict::Wait(end),
            Some(_) => Verdict::Refuse,
            None => Verdict::Close,
        }
    }

    /// The client is told before the connection ends, because it may have sent a request meanwhile.
    fn quiet_version_2(&self, now: Instant, quiet_since: Instant) -> Verdict {
        let idle = quiet_since + self.times.idle;
        let told = self.stopped_at.map_or(idle, |stopped| idle.min(stopped));
        if told > now {
            return Verdict::Wait(told);
        }
        self.farewell.cancel();
        let end = told.max(quiet_since) + FAREWELL;
        if end > now {
            Verdict::Wait(end)
        } else {
            Verdict::Close
        }
    }

    /// Looks at the times; ready when the connection is to end.
    fn poll_times(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.stopped_at.is_none() && self.stop.as_mut().poll(cx).is_ready() {
            self.stopped_at = Some(Instant::now());
            if self.version == Version::Http2 {
                self.farewell.cancel();
            }
        }
        loop {
            let end = match self.verdict(Instant::now()) {
                Verdict::Wait(end) => end,
                Verdict::Close => return Poll::Ready(Ok(())),
                Verdict::Refuse => return self.poll_refuse(cx).map(Err),
                Verdict::Cut => {
                    tracing::info!("a client that did not take its answer was cut off");
                    return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
                }
            };
            if end < self.timer.deadline() || self.timer.is_elapsed() {
                self.timer.as_mut().reset(end);
            }
            ready!(self.timer.as_mut().poll(cx));
        }
    }

    /// 408 as far as the socket takes it at once; such a client is not waited for again.
    fn poll_refuse(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        let answer = envelope::head_too_slow(&self.gate, self.is_secure);
        let _ = Pin::new(&mut self.wire).poll_write(cx, &answer);
        let _ = Pin::new(&mut self.wire).poll_flush(cx);
        let _ = Pin::new(&mut self.wire).poll_shutdown(cx);
        Poll::Ready(io::ErrorKind::TimedOut.into())
    }

    /// Notes what came and the room there was for it, which is the library's buffer.
    fn note_read(&mut self, bytes: &[u8], room: usize) {
        self.version = self.version.read(bytes);
        let is_version_2 = self.version == Version::Http2;
        let unread = self.turn.read(bytes.len(), is_version_2, Instant::now());
        // Bodies of HTTP/2 count as well, but no more than the longest head.
        let unread = unread.min(self.head_limit);
        let room = u64::try_from(room).unwrap_or(u64::MAX);
        let held = unread.saturating_add(room).saturating_sub(READ_BUFFER);
        self.charge.set(held);
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

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let (before, room) = (buf.filled().len(), buf.remaining());
        match Pin::new(&mut self.wire).poll_read(cx, buf) {
            Poll::Ready(Ok(())) => {
                if let Some(bytes) = buf.filled().get(before..).filter(|new| !new.is_empty()) {
                    self.note_read(bytes, room);
                }
                Poll::Ready(Ok(()))
            }
            Poll::Pending => self.poll_times(cx),
            failed => failed,
        }
    }
}

impl AsyncWrite for Watched {
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
