//! One connection from its first byte to its end: encryption, whose turn it is, and how long that may last.
//!
//! The watch stands between HTTP and the socket, above the encryption, and knows of every request when it
//! begins and when the last byte of its answer is on the way. So a head has to come within a time however
//! its bytes are spread, a connection without a request is closed however much else it sends, and a client
//! that reads slowly is cut off however often it reads a byte. Bodies have their own pace in `body`.

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

use super::envelope;
use super::gate::Gate;
use super::listen::Socket;
use super::pace::{Pace, Patience};
use crate::config::Settings;

/// A handshake that takes longer is given up.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// What clients get to take note of the end of a connection without requests: a request that is on its way
/// is still answered.
const FAREWELL: Duration = Duration::from_secs(1);

/// The library's own limit on heads stands behind the one of this module.
const BEHIND: Duration = Duration::from_secs(5);

/// Requests that one HTTP/2 connection may have open; as many connections of HTTP/1 would be needed for them.
const STREAMS: u32 = 128;

/// Requests that a client may take back before they are worked on; one more ends the connection, because
/// opening and resetting streams costs a client nothing (CVE-2023-44487).
const RESET_STREAMS: usize = 20;

/// Streams that may fail by mistakes of the client; one more ends the connection.
const FAILED_STREAMS: usize = 128;

/// HTTP/2 clients are asked for a sign of life so often while nothing comes from them.
const PING: Duration = Duration::from_secs(30);

/// How long they may take for it.
const PONG: Duration = Duration::from_secs(20);

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
        handler,
        turn: Arc::clone(&turn),
        stop: stop.clone(),
    };
    let library = library(gate.settings());
    let watched = Watched::new(wire, gate, turn, &stop, is_secure);
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
        .header_read_timeout(behind);
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
        .max_header_list_size(head);
    builder
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
    /// Answers of which the next part waits for the client.
    owed: usize,
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
            owed: 0,
            quiet_since: now,
            head: Some(head),
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is a few assignments: the state is whole after any panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

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

/// A request from its head to the last byte of its answer.
struct Ticket(Arc<Turn>);

impl Ticket {
    fn new(turn: &Arc<Turn>) -> Self {
        let mut state = turn.state();
        state.requests = state.requests.saturating_add(1);
        state.head = None;
        drop(state);
        Self(Arc::clone(turn))
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.requests = state.requests.saturating_sub(1);
        state.quiet_since = Instant::now();
    }
}

/// The service, telling of requests.
struct Told<H> {
    handler: H,
    turn: Arc<Turn>,
    stop: CancellationToken,
}

impl<H> Service<Request<Incoming>> for Told<H>
where
    H: Service<Request<Incoming>, Response = Response<ResBody>, Future: Send + 'static>,
{
    type Response = Response<Answered>;
    type Error = H::Error;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let ticket = Ticket::new(&self.turn);
        let stop = self.stop.clone();
        let is_version_1 = request.version() < salvo::http::Version::HTTP_2;
        let answer = self.handler.call(request);
        async move {
            let mut answer = answer.await?;
            if is_version_1 && stop.is_cancelled() {
                answer.headers_mut().insert(CONNECTION, envelope::CLOSE);
            }
            Ok(answer.map(|body| Answered {
                body,
                ticket,
                is_owed: false,
            }))
        }
        .boxed()
    }
}

/// The body of an answer, telling when its next part waits for the client.
struct Answered {
    body: ResBody,
    ticket: Ticket,
    is_owed: bool,
}

impl Answered {
    fn owe(&mut self, is_owed: bool) {
        if self.is_owed != is_owed {
            let mut state = self.ticket.0.state();
            state.owed = if is_owed {
                state.owed.saturating_add(1)
            } else {
                state.owed.saturating_sub(1)
            };
            self.is_owed = is_owed;
        }
    }
}

impl Drop for Answered {
    fn drop(&mut self) {
        self.owe(false);
    }
}

impl Body for Answered {
    type Data = Bytes;
    type Error = <ResBody as Body>::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        self.owe(matches!(polled, Poll::Ready(Some(Ok(_)))));
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
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
    times: Times,
    version: Version,
    pace: Pace,
    is_writing: bool,
    timer: Pin<Box<Sleep>>,
    stop: Pin<Box<WaitForCancellationFutureOwned>>,
    stopped_at: Option<Instant>,
    farewell: CancellationToken,
    is_secure: bool,
}

impl Watched {
    fn new(
        wire: Box<dyn Wire>,
        gate: Arc<Gate>,
        turn: Arc<Turn>,
        stop: &CancellationToken,
        is_secure: bool,
    ) -> Self {
        let settings = gate.settings();
        let write = Patience {
            most: Duration::from_secs(settings.write_timeout_seconds),
            bytes_per_second: settings.least_bytes_per_second,
        };
        let times = Times {
            head: Duration::from_secs(settings.header_timeout_seconds),
            idle: Duration::from_secs(settings.idle_timeout_seconds),
            write,
        };
        Self {
            wire,
            turn,
            times,
            version: Version::Unknown(0),
            pace: Pace::new(write),
            is_writing: false,
            timer: Box::pin(tokio::time::sleep(times.head)),
            stop: Box::pin(stop.clone().cancelled_owned()),
            stopped_at: None,
            farewell: CancellationToken::new(),
            is_secure,
            gate,
        }
    }

    fn verdict(&mut self, now: Instant) -> Verdict {
        let (requests, owed, quiet_since, head) = {
            let state = self.turn.state();
            (state.requests, state.owed, state.quiet_since, state.head)
        };
        if self.is_writing || owed > 0 {
            let end = self.pace.wait(now);
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

    fn note_read(&mut self, bytes: &[u8]) {
        self.version = self.version.read(bytes);
        self.turn.read(Instant::now());
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
        let before = buf.filled().len();
        match Pin::new(&mut self.wire).poll_read(cx, buf) {
            Poll::Ready(Ok(())) => {
                if let Some(bytes) = buf.filled().get(before..).filter(|new| !new.is_empty()) {
                    self.note_read(bytes);
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
