//! What a connection waits for, and until when.
//!
//! The times do not depend on how a client spreads its bytes: a head must be complete within a fixed time, a connection
//! without a request is closed whatever else it sends, and a client that takes a response too slowly is disconnected even
//! if it takes a byte now and then.

use std::collections::BTreeMap;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf, Take};
use tokio::time::Instant;

use crate::bound::Wire;
use crate::client::Connection;
use crate::options::Options;
use crate::transfer_rate::TransferRate;

/// Grace period when a connection without requests is closed: a request already sent by the client is still served.
const GRACE: Duration = Duration::from_secs(1);

/// Multiple of `client_timeout` after which a response without any progress closes the connection, even if other data
/// flows. Otherwise a closed flow control window could be kept alive by unrelated traffic.
const SHUT: u32 = 4;

/// Bytes a connection writes at a time. Then the others have their turn: an empty buffer of the system takes megabytes.
const TURN: usize = 128 * 1024;

/// Bytes of HTTP/2 that are read from an unknown client at a time. Each may be a header field, which takes a hundred bytes
/// in memory until its request begins.
const READ_TURN: u64 = 512;

/// Start of the HTTP/2 connection preface; no HTTP/1 method starts with it.
const PREFACE: &[u8] = b"PRI";

/// What to do with a connection now.
pub(crate) enum Verdict {
    /// Look again at this time.
    Wait(Instant),
    /// Tell an HTTP/2 client that no further request is served.
    GoAway,
    /// Close: no request is in progress.
    Close,
    HeadTooSlow,
    /// Disconnect at once.
    Cut,
}

/// The requests of a connection, and what server and client wait for.
#[derive(Debug)]
pub(crate) struct Times(Mutex<TimesState>);

#[derive(Debug)]
struct TimesState {
    client_timeout: Duration,
    idle_timeout: Duration,
    /// First bytes from the client, at most as many as [`PREFACE`] has.
    first: Vec<u8>,
    /// Requests whose responses are not fully handed to the connection yet.
    requests: usize,
    /// Requests that have not begun.
    heads: usize,
    next: u64,
    /// Responses whose next part waits for the client, with the start of the wait.
    waiting: BTreeMap<u64, Instant>,
    /// The system takes no more bytes for the client.
    is_writing: bool,
    rate: TransferRate,
    /// End of the last request, or start of the connection.
    quiet_since: Instant,
    /// The head being received. The first one starts with the connection.
    head: Option<HeadTimes>,
    stopped_at: Option<Instant>,
    is_going: bool,
    ended_at: Option<Instant>,
    /// What is still written when the connection is read next, before the error that ends it; empty: nothing, and the
    /// reading ends without an error.
    farewell: Option<Vec<u8>>,
}

#[derive(Clone, Copy, Debug)]
struct HeadTimes {
    since: Instant,
    is_seen: bool,
}

impl Times {
    pub(crate) fn new(options: &Options, now: Instant) -> Arc<Self> {
        Arc::new(Self(Mutex::new(TimesState {
            client_timeout: options.client_timeout,
            idle_timeout: options.idle_timeout,
            first: Vec::new(),
            requests: 0,
            heads: 0,
            next: 0,
            waiting: BTreeMap::new(),
            is_writing: false,
            rate: TransferRate::new(options.client_timeout),
            quiet_since: now,
            head: Some(HeadTimes {
                since: now,
                is_seen: false,
            }),
            stopped_at: None,
            is_going: false,
            ended_at: None,
            farewell: None,
        })))
    }

    fn state(&self) -> MutexGuard<'_, TimesState> {
        // Each change is a few assignments, so the state stays consistent even after a panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The head of a request is complete. Returns the number of the request.
    pub(crate) fn begin(&self) -> u64 {
        let mut state = self.state();
        state.requests += 1;
        state.head = None;
        let number = state.next;
        state.next = number.wrapping_add(1);
        number
    }

    /// A head of which nothing is done yet. Nothing more is read before the result is dropped.
    pub(crate) fn head(self: &Arc<Self>) -> Head {
        self.state().heads += 1;
        Head(Arc::clone(self))
    }

    /// The last byte of a response is handed to the connection.
    pub(crate) fn end(&self, number: u64) {
        let mut state = self.state();
        state.requests = state.requests.saturating_sub(1);
        state.waiting.remove(&number);
        state.quiet_since = Instant::now();
    }

    pub(crate) fn set_waiting(&self, number: u64, is_waiting: bool) {
        let mut state = self.state();
        if is_waiting {
            state.waiting.insert(number, Instant::now());
        } else {
            state.waiting.remove(&number);
        }
    }

    pub(crate) fn stop(&self) {
        let _ = self.state().stopped_at.get_or_insert_with(Instant::now);
    }

    /// Ends the connection with the next read.
    pub(crate) fn close(&self, farewell: Vec<u8>) {
        let mut state = self.state();
        state.ended_at = Some(Instant::now());
        state.farewell = Some(farewell);
    }

    /// Everything is written; what the client still sends is read until it closes, too.
    fn shut(&self) {
        let _ = self.state().ended_at.get_or_insert_with(Instant::now);
    }

    pub(crate) fn verdict(&self, now: Instant) -> Verdict {
        self.state().verdict(now)
    }
}

/// The head of a request that has not begun.
pub(crate) struct Head(Arc<Times>);

impl Drop for Head {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.heads = state.heads.saturating_sub(1);
    }
}

impl TimesState {
    fn verdict(&mut self, now: Instant) -> Verdict {
        let until = |end: Instant, then: Verdict| if end > now { Verdict::Wait(end) } else { then };
        if let Some(ended) = self.ended_at {
            return until(ended + GRACE, Verdict::Cut);
        }
        if self.stopped_at.is_some() && self.is_version_2() && !self.is_going {
            self.is_going = true;
            return Verdict::GoAway;
        }
        let oldest = self.waiting.values().min();
        if self.is_writing || oldest.is_some() {
            let shut = oldest.map(|since| *since + self.client_timeout * SHUT);
            let end = self.rate.wait(now);
            let verdict = until(shut.map_or(end, |shut| end.min(shut)), Verdict::Cut);
            if matches!(verdict, Verdict::Cut) {
                tracing::info!("a client that did not read its response was disconnected");
            }
            return verdict;
        }
        self.rate.rest(now);
        if self.requests > 0 {
            return Verdict::Wait(now + self.client_timeout);
        }
        if self.is_version_2() {
            self.quiet_version_2(now)
        } else {
            self.quiet_version_1(now)
        }
    }

    fn is_version_2(&self) -> bool {
        self.first == PREFACE
    }

    fn may_be_version_2(&self) -> bool {
        PREFACE.starts_with(&self.first)
    }

    fn quiet_version_1(&self, now: Instant) -> Verdict {
        let usual = match self.head {
            Some(head) => head.since + self.client_timeout,
            None => self.quiet_since + self.idle_timeout,
        };
        let is_seen = self.head.is_some_and(|head| head.is_seen);
        let end = match self.stopped_at {
            Some(stopped) if !is_seen => usual.min(stopped + GRACE),
            _ => usual,
        };
        match is_seen {
            _ if end > now => Verdict::Wait(end),
            true => Verdict::HeadTooSlow,
            false => Verdict::Close,
        }
    }

    /// Sends GOAWAY before closing, because the client may just have sent a request.
    fn quiet_version_2(&mut self, now: Instant) -> Verdict {
        let idle = self.quiet_since + self.idle_timeout;
        let due = self.stopped_at.map_or(idle, |stopped| idle.min(stopped));
        if due > now {
            return Verdict::Wait(due);
        }
        if !self.is_going {
            self.is_going = true;
            return Verdict::GoAway;
        }
        let end = due.max(self.quiet_since) + GRACE;
        if end > now {
            Verdict::Wait(end)
        } else {
            Verdict::Close
        }
    }

    /// The client sent these bytes.
    fn received(&mut self, bytes: &[u8]) {
        let missing = PREFACE.len() - self.first.len();
        self.first.extend(bytes.iter().take(missing));
        if self.requests == 0 {
            let head = self.head.get_or_insert_with(|| HeadTimes {
                since: Instant::now(),
                is_seen: true,
            });
            head.is_seen = true;
        }
    }
}

/// The stream below the HTTP library, which notes what is read and written.
pub(crate) struct TimedStream {
    /// Its limit is what may still be read in this turn.
    wire: Take<Box<dyn Wire>>,
    client: Arc<Connection>,
    times: Arc<Times>,
    /// Bytes written in this turn.
    written: usize,
}

impl TimedStream {
    pub(crate) fn new(wire: Box<dyn Wire>, client: Arc<Connection>, times: Arc<Times>) -> Self {
        Self {
            wire: wire.take(READ_TURN),
            client,
            times,
            written: 0,
        }
    }

    /// Writes unless the turn of the connection is over.
    fn write_in_turn(
        &mut self,
        cx: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut dyn Wire>, &mut Context<'_>) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if self.written >= TURN {
            self.written = 0;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let written = write(Pin::new(&mut **self.wire.get_mut()), cx);
        let mut state = self.times.state();
        state.is_writing = written.is_pending();
        match written {
            Poll::Ready(Ok(count)) => {
                self.written += count;
                state.rate.moved(count, Instant::now());
            }
            _ => self.written = 0,
        }
        written
    }
}

impl AsyncRead for TimedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let state = self.times.state();
        let (farewell, has_heads) = (state.farewell.clone(), state.heads > 0);
        let may_be_version_2 = state.may_be_version_2();
        drop(state);
        if let Some(farewell) = farewell {
            if farewell.is_empty() {
                return Poll::Ready(Ok(()));
            }
            // As far as the system takes it without waiting.
            let wire = self.wire.get_mut();
            let _ = Pin::new(&mut *wire).poll_write(cx, &farewell);
            let _ = Pin::new(&mut *wire).poll_flush(cx);
            let _ = Pin::new(&mut *wire).poll_shutdown(cx);
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let is_over = has_heads || self.wire.limit() == 0;
        if !(may_be_version_2 && self.client.unknown().is_some()) {
            self.wire.set_limit(u64::MAX);
        } else if is_over {
            self.wire.set_limit(READ_TURN);
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.wire).poll_read(cx, buf);
        if polled.is_pending() {
            self.wire.set_limit(READ_TURN);
        }
        if let Some(bytes) = buf.filled().get(before..).filter(|new| !new.is_empty()) {
            self.times.state().received(bytes);
        }
        polled
    }
}

impl AsyncWrite for TimedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.write_in_turn(cx, |wire, cx| wire.poll_write(cx, buf))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.write_in_turn(cx, |wire, cx| wire.poll_write_vectored(cx, bufs))
    }

    fn is_write_vectored(&self) -> bool {
        self.wire.get_ref().is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.wire.get_mut()).poll_flush(cx)
    }

    /// Waits for the client to close, for a short time. If the socket were closed while the client sends, the system
    /// would answer with a reset, and the client could lose responses that it has not read yet (RFC 9112, section 9.6).
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // Called again for each wait; of a connection that the client has closed by then, an error is no news.
        let _ = ready!(Pin::new(self.wire.get_mut()).poll_shutdown(cx));
        self.times.shut();
        let mut bytes = [0; 4096];
        loop {
            let mut unread = ReadBuf::new(&mut bytes);
            let read = ready!(Pin::new(self.wire.get_mut()).poll_read(cx, &mut unread));
            if read.is_err() || unread.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::addresses::Addresses;
    use crate::listen::Listen;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::{Wake, Waker};

    #[derive(Default)]
    struct Woken(AtomicUsize);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn client() -> Arc<Connection> {
        Arc::new(Connection {
            local: None,
            remote: None,
            is_encrypted: false,
            counted: Some(Addresses::new(1).count([192, 0, 2, 1].into())),
        })
    }

    /// How many bytes are read until the next turn.
    fn read(stream: &mut TimedStream) -> usize {
        let mut bytes = [0; 8_192];
        let mut read = ReadBuf::new(&mut bytes);
        let mut cx = Context::from_waker(Waker::noop());
        while Pin::new(&mut *stream)
            .poll_read(&mut cx, &mut read)
            .is_ready()
        {}
        read.filled().len()
    }

    #[test]
    fn heads_begin_before_more_is_read_of_an_unknown_client() {
        let (near, mut far) = tokio::io::duplex(8_192);
        let options = Options::new(Listen::Tcp(([127, 0, 0, 1], 0).into()));
        let (client, times) = (client(), Times::new(&options, Instant::now()));
        let mut stream = TimedStream::new(Box::new(near), Arc::clone(&client), Arc::clone(&times));
        let mut cx = Context::from_waker(Waker::noop());
        let mut send = |bytes: &[u8]| {
            let sent = Pin::new(&mut far).poll_write(&mut cx, bytes);
            assert!(matches!(sent, Poll::Ready(Ok(sent)) if sent == bytes.len()));
        };
        send(b"PRI * HTTP/2.0");
        send(&[0; 4_000]);
        assert_eq!(read(&mut stream), 512);
        let heads = (times.head(), times.head());
        assert_eq!(read(&mut stream), 0);
        drop(heads.0);
        assert_eq!(read(&mut stream), 0);
        drop(heads.1);
        assert_eq!(read(&mut stream), 512);
        client.set_known();
        assert_eq!(read(&mut stream), 14 + 4_000 - 2 * 512);
    }

    #[test]
    fn http_1_is_read_at_once() {
        let (near, mut far) = tokio::io::duplex(8_192);
        let options = Options::new(Listen::Tcp(([127, 0, 0, 1], 0).into()));
        let times = Times::new(&options, Instant::now());
        let mut stream = TimedStream::new(Box::new(near), client(), Arc::clone(&times));
        let mut cx = Context::from_waker(Waker::noop());
        let sent = Pin::new(&mut far).poll_write(&mut cx, &[b'P'; 4_000]);
        assert!(matches!(sent, Poll::Ready(Ok(4_000))));
        assert_eq!(read(&mut stream), 4_000);
    }

    #[test]
    fn a_client_may_still_send_for_a_short_time_after_the_last_byte() {
        let (near, far) = tokio::io::duplex(1024);
        let mut far = Box::pin(far);
        let options = Options::new(Listen::Tcp(([127, 0, 0, 1], 0).into()));
        let times = Times::new(&options, Instant::now());
        let mut stream = TimedStream::new(Box::new(near), client(), Arc::clone(&times));
        let mut cx = Context::from_waker(Waker::noop());
        for _ in 0..2 {
            assert!(Pin::new(&mut stream).poll_shutdown(&mut cx).is_pending());
            // More than is ever buffered in all.
            let sent = far.as_mut().poll_write(&mut cx, &[0; 1024]);
            assert!(matches!(sent, Poll::Ready(Ok(1024))));
        }
        let now = Instant::now();
        assert!(matches!(times.verdict(now), Verdict::Wait(end) if end <= now + GRACE));
        assert!(matches!(times.verdict(now + GRACE), Verdict::Cut));
        drop(far);
        assert!(Pin::new(&mut stream).poll_shutdown(&mut cx).is_ready());
    }

    #[test]
    fn a_response_that_the_system_takes_at_once_is_written_in_turns() {
        let (near, _far) = tokio::io::duplex(1024 * 1024);
        let options = Options::new(Listen::Tcp(([127, 0, 0, 1], 0).into()));
        let times = Times::new(&options, Instant::now());
        let mut stream = TimedStream::new(Box::new(near), client(), times);
        let woken = Arc::<Woken>::default();
        let waker = Waker::from(Arc::clone(&woken));
        let mut cx = Context::from_waker(&waker);
        for turn in 1..=2 {
            let mut written = 0;
            while let Poll::Ready(taken) = Pin::new(&mut stream).poll_write(&mut cx, &[0; 16_384]) {
                written += taken.unwrap();
            }
            assert_eq!(written, TURN);
            assert_eq!(woken.0.load(Ordering::Relaxed), turn);
        }
    }
}
