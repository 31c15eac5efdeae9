//! The bodies of requests and responses, which report to the connection what it waits for.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::options::Options;
use crate::times::Times;
use crate::transfer_rate::TransferRate;

/// Size of the pieces in which a body is passed to the HTTP library, which would buffer a large one whole. Each piece of this
/// size is a write of its own, as the library's buffer is smaller.
const PIECE: usize = 64 * 1024;

/// The body of a request. Reading it fails with [`io::ErrorKind::TimedOut`] when the client sends it too slowly.
#[derive(Debug)]
pub struct RequestBody {
    body: Incoming,
    rate: TransferRate,
    timer: Option<Pin<Box<Sleep>>>,
}

impl RequestBody {
    pub(crate) const fn new(body: Incoming, options: &Options) -> Self {
        Self {
            body,
            rate: TransferRate::new(options.client_timeout),
            timer: None,
        }
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        let now = Instant::now();
        if let Poll::Ready(frame) = polled {
            self.rate.rest(now);
            if let Some(data) = frame
                .as_ref()
                .and_then(|frame| frame.as_ref().ok()?.data_ref())
            {
                self.rate.moved(data.len(), now);
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(io::Error::other)));
        }
        let end = self.rate.wait(now);
        if end > now {
            let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(end)));
            if timer.deadline() != end {
                timer.as_mut().reset(end);
            }
            ready!(timer.as_mut().poll(cx));
        }
        Poll::Ready(Some(Err(io::ErrorKind::TimedOut.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A request in progress, from its head to the last byte of its response.
pub(crate) struct InProgress {
    pub(crate) times: Arc<Times>,
    pub(crate) number: u64,
}

impl Drop for InProgress {
    fn drop(&mut self) {
        self.times.end(self.number);
    }
}

/// The body of a response, which records when its next part waits for the client.
pub(crate) struct ResponseBody<B> {
    body: B,
    rest: Bytes,
    /// The bytes of the current frame are used elsewhere too.
    is_shared: bool,
    is_version_1: bool,
    in_progress: InProgress,
}

impl<B> ResponseBody<B> {
    pub(crate) const fn new(body: B, is_version_1: bool, in_progress: InProgress) -> Self {
        Self {
            body,
            rest: Bytes::new(),
            is_shared: false,
            is_version_1,
            in_progress,
        }
    }

    fn set_waiting(&self, is_waiting: bool) {
        let InProgress { times, number } = &self.in_progress;
        times.set_waiting(*number, is_waiting);
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
        // The library may keep this piece for long, and a piece keeps the whole frame in memory.
        match self.rest.len() {
            0..=1 if !self.is_shared && length > 1 => Bytes::copy_from_slice(&piece),
            _ => piece,
        }
    }
}

impl<B> Body for ResponseBody<B>
where
    B: Body<Data = Bytes> + Unpin,
{
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        if !self.rest.is_empty() {
            let piece = self.next_piece();
            self.set_waiting(true);
            return Poll::Ready(Some(Ok(Frame::data(piece))));
        }
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        self.set_waiting(matches!(polled, Poll::Ready(Some(Ok(_)))));
        let Poll::Ready(Some(Ok(frame))) = polled else {
            return polled;
        };
        Poll::Ready(Some(Ok(match frame.into_data() {
            Ok(data) => {
                self.is_shared = !data.is_unique();
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
        self.body.size_hint()
    }
}
