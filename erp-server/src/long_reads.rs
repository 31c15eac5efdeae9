//! Threads for reads that may be long.
//!
//! A long read yields after each slice, but then waits for nothing. With a hundred of them on the threads of the
//! runtime, every other request would wait for a hundred slices at each of its own steps. On threads of their own they
//! share time among each other, and the operating system divides the cores between them and all other requests.

use std::num::NonZero;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinSet;

use crate::web::ApiError;

/// Runs long reads on half of the cores.
#[derive(Debug)]
pub struct LongReads(Option<Runtime>);

impl LongReads {
    /// Starts the threads. Without them, reads run on the caller's.
    #[must_use]
    pub fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let runtime = Builder::new_multi_thread()
            .worker_threads((cores / 2).max(1))
            .thread_name("long-reads")
            .enable_all()
            .build();
        if let Err(error) = &runtime {
            tracing::error!(%error, "threads for long reads could not be started");
        }
        Self(runtime.ok())
    }

    /// Runs a read and returns its result. Dropping the returned future ends the read.
    ///
    /// # Errors
    /// When the read panicked.
    pub async fn run<T: Send + 'static>(
        &self,
        read: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, ApiError> {
        let here = self
            .0
            .as_ref()
            .map_or_else(Handle::current, |runtime| runtime.handle().clone());
        // A set ends its tasks when it is dropped.
        let mut task = JoinSet::new();
        task.spawn_on(read, &here);
        match task.join_next().await {
            Some(Ok(result)) => Ok(result),
            Some(Err(error)) => Err(ApiError::internal(error.to_string())),
            None => Err(ApiError::internal("a read has no task")),
        }
    }
}

impl Default for LongReads {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for LongReads {
    fn drop(&mut self) {
        // Waiting for the threads would panic in a task, where the last reference may be dropped.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn a_read_that_never_gives_way_stops_no_other_task() {
        let reads = LongReads::new();
        let (end, ended) = mpsc::channel();
        // It holds its thread until the other task, on the only thread of this runtime, has run.
        let read = reads.run(async move {
            let begun = std::thread::current().name().map(str::to_owned);
            (begun, ended.recv_timeout(Duration::from_secs(60)).is_ok())
        });
        let (read, ()) = tokio::join!(read, async move { end.send(()).unwrap() });
        assert_eq!(read.unwrap(), (Some("long-reads".to_owned()), true));
    }

    #[tokio::test]
    async fn a_read_ends_with_its_request_and_a_panic_is_an_error() {
        let reads = LongReads::new();
        let (begun, has_begun) = oneshot::channel();
        let (held, dropped) = oneshot::channel::<()>();
        let read = reads.run(async move {
            begun.send(()).unwrap();
            std::future::pending::<()>().await;
            drop(held);
        });
        tokio::select! {
            _ = read => panic!("it does not end by itself"),
            begun = has_begun => begun.unwrap(),
        }
        assert!(dropped.await.is_err(), "the read is gone");
        let panicked = reads.run(async { panic!("seen in the test output") }).await;
        assert_eq!(panicked.unwrap_err().status().as_u16(), 500);
        assert_eq!(reads.run(async { 7 }).await.unwrap(), 7);
    }
}
