//! Serves one connection: HTTP and timeouts.

use std::error::Error;
use std::future::{pending, poll_fn};
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Poll, ready};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{CONNECTION, HeaderValue};
use hyper::rt::Executor;
use hyper::service::Service;
use hyper::{Request, Response, Version};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::body::{InProgress, RequestBody, ResponseBody};
use crate::bound::Wire;
use crate::client::Connection;
use crate::fair_queue::{FairQueue, InTurns};
use crate::options::Options;
use crate::times::{TimedStream, Times, Verdict};

const HANDSHAKE: Duration = Duration::from_secs(10);

/// Added to the time limits to get the library's own head timeout, which must fire later.
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

/// The library needs this much for a head.
const LEAST_HEAD_BYTES: usize = 8_192;

/// Bytes of one response that HTTP/2 may buffer beyond the client's flow control window.
const SEND_BUFFER: usize = 64 * 1024;

pub(crate) type BoxError = Box<dyn Error + Send + Sync>;

/// What all connections share.
pub(crate) struct Setup<F> {
    pub(crate) options: Arc<Options>,
    pub(crate) tls: Option<TlsAcceptor>,
    pub(crate) queue: Arc<FairQueue>,
    pub(crate) stop: CancellationToken,
    pub(crate) make_service: F,
}

/// Serves a connection until it ends or has to give way. After `stop` it accepts no further requests.
pub(crate) async fn serve<F, S, B>(
    setup: Arc<Setup<F>>,
    wire: Box<dyn Wire>,
    connection: Arc<Connection>,
) where
    F: Fn(Arc<Connection>) -> S + Send + Sync,
    S: Service<Request<RequestBody>, Response = Response<B>> + Send + Sync + 'static,
    S: Service<Request<RequestBody>, Error: Into<BoxError>, Future: Send + 'static>,
    B: Body<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static,
{
    let closed = async {
        match &connection.counted {
            Some(client) => client.closed().await,
            None => pending().await,
        }
    };
    let served = serve_one(&setup, wire, Arc::clone(&connection));
    tokio::select! {
        // A connection that gives way to another needs no turn for it.
        biased;
        () = closed => (),
        () = InTurns::new(Arc::clone(&setup.queue), Arc::clone(&connection), served) => (),
    }
}

async fn serve_one<F, S, B>(setup: &Setup<F>, wire: Box<dyn Wire>, client: Arc<Connection>)
where
    F: Fn(Arc<Connection>) -> S + Send + Sync,
    S: Service<Request<RequestBody>, Response = Response<B>> + Send + Sync + 'static,
    S: Service<Request<RequestBody>, Error: Into<BoxError>, Future: Send + 'static>,
    B: Body<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static,
{
    let wire: Box<dyn Wire> = match &setup.tls {
        None => wire,
        Some(tls) => {
            let accepted = timeout(HANDSHAKE, tls.accept(wire)).await;
            match accepted.map_err(io::Error::from).flatten() {
                Ok(stream) => Box::new(stream),
                Err(error) => {
                    tracing::debug!(%error, "a handshake failed");
                    return;
                }
            }
        }
    };
    let times = Times::new(&setup.options, Instant::now());
    let turn = Arc::new(Turn::default());
    let service = Timed {
        service: Arc::new((setup.make_service)(Arc::clone(&client))),
        options: &setup.options,
        times: Arc::clone(&times),
        stop: setup.stop.clone(),
        turn: Arc::clone(&turn),
    };
    let stream = TimedStream::new(wire, Arc::clone(&client), Arc::clone(&times));
    let (executor, mut begun) = mpsc::unbounded_channel();
    let library = library(&setup.options, InConnection(executor));
    let mut connection = pin!(library.serve_connection(TokioIo::new(stream), service));
    let mut requests = FuturesUnordered::new();
    let mut stop = pin!(setup.stop.cancelled());
    let mut timer = pin!(sleep_until(Instant::now()));
    let ended = poll_fn(|cx| {
        turn.begin();
        loop {
            if let Poll::Ready(ended) = connection.as_mut().poll(cx) {
                return Poll::Ready(ended);
            }
            while let Poll::Ready(Some(request)) = begun.poll_recv(cx) {
                requests.push(request);
            }
            while let Poll::Ready(Some(())) = requests.poll_next_unpin(cx) {}
            if stop.as_mut().poll(cx).is_ready() {
                times.stop();
            }
            match times.verdict(Instant::now()) {
                Verdict::Wait(end) => {
                    if end < timer.deadline() || timer.is_elapsed() {
                        timer.as_mut().reset(end);
                    }
                    ready!(timer.as_mut().poll(cx));
                }
                Verdict::GoAway => connection.as_mut().graceful_shutdown(),
                Verdict::Close => times.close(Vec::new()),
                Verdict::HeadTooSlow => times.close((setup.options.head_too_slow)(&client)),
                Verdict::Cut => return Poll::Ready(Ok(())),
            }
        }
    });
    if let Err(error) = ended.await {
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

/// Configures the HTTP library. Few open, cancelled and failed requests of HTTP/2 are allowed because each holds memory
/// (CVE-2023-44487).
fn library(options: &Options, executor: InConnection) -> Builder<InConnection> {
    let mut builder = Builder::new(executor);
    let head_timeout = options.client_timeout.max(options.idle_timeout) + LIBRARY_MARGIN;
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(head_timeout)
        .max_buf_size(options.head_bytes.max(LEAST_HEAD_BYTES));
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS)
        .max_pending_accept_reset_streams(RESET_STREAMS)
        .max_local_error_reset_streams(FAILED_STREAMS)
        .keep_alive_interval(PING)
        .keep_alive_timeout(PONG)
        .max_send_buf_size(SEND_BUFFER)
        .max_header_list_size(u32::try_from(options.head_bytes).unwrap_or(u32::MAX));
    builder
}

/// A poll of a connection works on one of its requests, so that other connections need not wait for all sixteen.
#[derive(Debug, Default)]
struct Turn(AtomicBool);

impl Turn {
    fn begin(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Polls a request, if none was polled in this turn. Else it waits for the next one.
    async fn each_poll_of<F: Future>(&self, request: F) -> F::Output {
        let mut request = pin!(request);
        poll_fn(|cx| {
            if self.0.swap(true, Ordering::Relaxed) {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            request.as_mut().poll(cx)
        })
        .await
    }
}

/// Wraps a service, so that [`Times`] knows of each request from its head to the last byte of its response.
struct Timed<'a, S> {
    service: Arc<S>,
    options: &'a Options,
    times: Arc<Times>,
    stop: CancellationToken,
    turn: Arc<Turn>,
}

impl<S, B> Service<Request<Incoming>> for Timed<'_, S>
where
    S: Service<Request<RequestBody>, Response = Response<B>> + Send + Sync + 'static,
    S: Service<Request<RequestBody>, Future: Send + 'static>,
    B: Body<Data = Bytes> + Unpin,
{
    type Response = Response<ResponseBody<B>>;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Self::Response, S::Error>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let in_progress = InProgress {
            number: self.times.begin(),
            times: Arc::clone(&self.times),
        };
        let (stop, turn) = (self.stop.clone(), Arc::clone(&self.turn));
        let is_version_1 = request.version() < Version::HTTP_2;
        let request = request.map(|body| RequestBody::new(body, self.options));
        let service = Arc::clone(&self.service);
        let head = self.times.head();
        // The service begins in the turn of the request: what it makes of a head is larger than the head.
        let response = async move {
            drop(head);
            service.call(request).await
        };
        async move {
            let mut response = turn.each_poll_of(response).await?;
            if is_version_1 && stop.is_cancelled() {
                let close = HeaderValue::from_static("close");
                response.headers_mut().insert(CONNECTION, close);
            }
            Ok(response.map(|body| ResponseBody::new(body, is_version_1, in_progress)))
        }
        .boxed()
    }
}
