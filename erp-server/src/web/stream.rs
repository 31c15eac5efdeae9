//! Streams large responses: a producer task writes to a bounded channel that the client drains.

use std::io;
use std::panic::AssertUnwindSafe;

use erp_core::storage::StorageError;
use futures_util::{FutureExt as _, stream};
use salvo::http::ResBody;
use thiserror::Error;
use tokio::sync::mpsc::{self, Sender};

use super::error::ApiError;

/// Minimum chunk size: smaller pieces are collected first, to avoid many small packets.
const CHUNK_BYTES: usize = 32 * 1024;

/// Channel capacity in chunks. When it is full, the producer waits for the client.
const WAITING_CHUNKS: usize = 2;

#[derive(Debug, Error)]
pub enum StreamError {
    #[error("the client is gone")]
    ClientGone,
    /// Producing the rest failed.
    #[error("the list broke off: {0:?}")]
    Failed(ApiError),
}

impl From<ApiError> for StreamError {
    fn from(error: ApiError) -> Self {
        Self::Failed(error)
    }
}

impl From<StorageError> for StreamError {
    fn from(error: StorageError) -> Self {
        Self::Failed(error.into())
    }
}

#[derive(Debug)]
pub struct Chunks {
    sender: Sender<io::Result<Vec<u8>>>,
    waiting: Vec<u8>,
}

impl Chunks {
    /// Buffer for the next bytes; call [`Chunks::send_full`] between two pieces.
    pub const fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.waiting
    }

    // rule: D-ANS-13
    /// Sends the buffer if it has reached the chunk size; waits while the client is slow.
    /// Errors: [`StreamError::ClientGone`]: return it with `?` to end the task.
    pub async fn send_full(&mut self) -> Result<(), StreamError> {
        if self.waiting.len() < CHUNK_BYTES {
            return Ok(());
        }
        self.send().await
    }

    async fn send(&mut self) -> Result<(), StreamError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let bytes = std::mem::replace(&mut self.waiting, Vec::with_capacity(CHUNK_BYTES));
        let sent = self.sender.send(Ok(bytes)).await;
        sent.map_err(|_| StreamError::ClientGone)
    }
}

/// Starts the producer task and returns the body that streams its chunks.
pub(super) fn spawn<F, T>(producer: F) -> ResBody
where
    F: FnOnce(Chunks) -> T + Send + 'static,
    T: Future<Output = Result<Chunks, StreamError>> + Send + 'static,
{
    let (sender, receiver) = mpsc::channel(WAITING_CHUNKS);
    tokio::spawn(async move {
        let chunks = Chunks {
            sender: sender.clone(),
            waiting: Vec::with_capacity(CHUNK_BYTES),
        };
        let whole = async move {
            let mut chunks = producer(chunks).await?;
            chunks.send().await
        };
        let ended = tokio::select! {
            ended = AssertUnwindSafe(whole).catch_unwind() => ended,
            () = sender.closed() => return,
        };
        match ended {
            Ok(Ok(()) | Err(StreamError::ClientGone)) => {}
            Ok(Err(error)) => break_off(&sender, &error.to_string()).await,
            Err(_panic) => break_off(&sender, "the producer panicked").await,
        }
    });
    ResBody::stream(stream::unfold(receiver, |mut receiver| async move {
        receiver.recv().await.map(|piece| (piece, receiver))
    }))
}

/// Ends the body with an error, which closes the connection. If the stream merely ended, a client would take the
/// partial body for a complete one.
async fn break_off(sender: &Sender<io::Result<Vec<u8>>>, reason: &str) {
    tracing::error!(reason, "a streamed response broke off");
    let _ = sender
        .send(Err(io::Error::other("the response broke off")))
        .await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::StreamExt as _;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    async fn pieces(mut body: ResBody) -> (Vec<u8>, bool) {
        let mut bytes = Vec::new();
        while let Some(frame) = body.next().await {
            match frame {
                Ok(frame) => bytes.extend(frame.into_data().unwrap()),
                Err(_) => return (bytes, false),
            }
        }
        (bytes, true)
    }

    #[tokio::test]
    async fn everything_arrives_in_order() {
        let body = spawn(|mut chunks| async move {
            for number in 0..20_000_u32 {
                chunks.buffer().extend(number.to_be_bytes());
                chunks.send_full().await?;
            }
            Ok(chunks)
        });
        let (bytes, whole) = pieces(body).await;
        assert!(whole);
        let expected: Vec<u8> = (0..20_000_u32).flat_map(u32::to_be_bytes).collect();
        assert_eq!(bytes, expected);
    }

    // rule: D-ANS-13
    #[tokio::test]
    async fn an_error_or_a_panic_is_not_a_complete_list() {
        let failing = spawn(|mut chunks| async move {
            chunks.buffer().extend(vec![b'x'; CHUNK_BYTES]);
            chunks.send_full().await?;
            Err(StorageError::Closed.into())
        });
        assert_eq!(pieces(failing).await, (vec![b'x'; CHUNK_BYTES], false));
        let panicking = spawn(|_| async move { panic!("seen in the test output") });
        assert_eq!(pieces(panicking).await, (vec![], false));
    }

    #[tokio::test]
    async fn a_client_that_leaves_or_waits_stops_the_producer() {
        let made = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&made);
        let (gone, is_gone) = tokio::sync::oneshot::channel::<()>();
        let mut body = spawn(move |mut chunks| async move {
            let _dropped_at_the_end = gone;
            loop {
                counter.fetch_add(1, Ordering::SeqCst);
                chunks.buffer().extend(vec![b'x'; CHUNK_BYTES]);
                chunks.send_full().await?;
            }
        });
        body.next().await.unwrap().unwrap();
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert!(made.load(Ordering::SeqCst) <= WAITING_CHUNKS + 2);
        drop(body);
        assert!(is_gone.await.is_err());
    }
}
