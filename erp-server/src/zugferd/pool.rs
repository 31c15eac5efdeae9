//! Bounded worker pool: limits concurrency, queue length and memory; excess requests are rejected immediately.

use std::cell::RefCell;
use std::sync::{Arc, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::options::Options;
use crate::web::ApiError;

/// Unit of the memory budget in bytes.
const PIECE: u64 = 64 * 1024;

thread_local! {
    /// Alive while the caller of the work on this thread waits.
    static CALLER: RefCell<Option<Weak<()>>> = const { RefCell::new(None) };
}

/// Whether the caller of the work on this thread still waits for it.
pub(super) fn is_awaited() -> bool {
    CALLER.with_borrow(|caller| {
        let caller = caller.as_ref();
        caller.is_none_or(|caller| caller.strong_count() > 0)
    })
}

/// The limits of the e-invoice processor. Clones share them.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    /// Permits for running and queued requests.
    line: Arc<Semaphore>,
    /// Permits for running requests.
    work: Arc<Semaphore>,
    /// Memory for bodies, in units of `PIECE`.
    memory: Arc<Semaphore>,
}

impl Pool {
    pub(super) fn new(options: &Options) -> Self {
        let parallel = options.parallel.unwrap_or_else(cores);
        let line = parallel.saturating_add(options.waiting);
        // One body of maximum length always fits.
        let memory = options.memory_bytes.max(options.body_bytes);
        let pieces = usize::try_from(memory.div_ceil(PIECE)).unwrap_or(usize::MAX);
        Self {
            line: Arc::new(Semaphore::new(line.min(Semaphore::MAX_PERMITS))),
            work: Arc::new(Semaphore::new(parallel)),
            memory: Arc::new(Semaphore::new(pieces.min(Semaphore::MAX_PERMITS))),
        }
    }

    /// An empty memory permit for a body.
    pub(super) fn memory(&self) -> Memory {
        Memory {
            pieces: Arc::clone(&self.memory),
            held: None,
        }
    }

    /// Runs CPU-intensive work outside the async threads, after waiting for a permit. A caller that stops waiting
    /// releases its queue permit immediately; work that has started keeps its permits and memory until it ends, which
    /// it does soon when it asks [`is_awaited`].
    ///
    /// # Errors
    /// 503 when the queue is full, 500 when the work panics.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        memory: Memory,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let in_line = Arc::clone(&self.line)
            .try_acquire_owned()
            .map_err(|_| ApiError::unavailable("too many e-invoices wait"))?;
        let place = Arc::clone(&self.work).acquire_owned().await;
        let place = place.map_err(|error| ApiError::internal(error.to_string()))?;
        let caller = Arc::new(());
        let waiting = Arc::downgrade(&caller);
        let done = tokio::task::spawn_blocking(move || {
            let _held = (in_line, place, memory);
            CALLER.set(Some(waiting));
            work()
        });
        let done = done.await;
        drop(caller);
        // The panic message may contain parts of the file; its location is in the program's output.
        done.map_err(|_| ApiError::internal("the e-invoice processor panicked"))
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Memory permit of one request. It grows with the body; dropping it releases the memory.
#[derive(Debug)]
pub(super) struct Memory {
    pieces: Arc<Semaphore>,
    held: Option<OwnedSemaphorePermit>,
}

impl Memory {
    /// Reserves memory up to this total number of bytes.
    ///
    /// # Errors
    /// 503 when the budget is exhausted.
    pub(super) fn grow_to(&mut self, bytes: usize) -> Result<(), ApiError> {
        let held = self
            .held
            .as_ref()
            .map_or(0, OwnedSemaphorePermit::num_permits);
        let needed = bytes.div_ceil(usize::try_from(PIECE).unwrap_or(usize::MAX));
        let more = u32::try_from(needed.saturating_sub(held)).unwrap_or(u32::MAX);
        if more == 0 {
            return Ok(());
        }
        let taken = Arc::clone(&self.pieces).try_acquire_many_owned(more);
        let taken = taken
            .map_err(|_| ApiError::unavailable("too many bytes of e-invoices are in memory"))?;
        match &mut self.held {
            Some(held) => held.merge(taken),
            None => self.held = Some(taken),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Settings;
    use futures_util::FutureExt as _;
    use std::sync::mpsc;

    fn pool(changes: &[(&str, &str)]) -> Pool {
        let mut settings = Settings::defaults().unwrap();
        for (name, value) in changes {
            settings.set(name, value, "a test").unwrap();
        }
        Pool::new(&settings.zugferd_options())
    }

    #[tokio::test]
    async fn a_full_line_refuses_and_a_place_that_is_free_again_takes() {
        let pool = pool(&[("zugferd_parallel", "1"), ("zugferd_waiting", "1")]);
        let (finish, wait) = mpsc::channel::<()>();
        let (began, beginning) = tokio::sync::oneshot::channel();
        let first = {
            let pool = pool.clone();
            tokio::spawn(async move {
                pool.run(pool.memory(), move || {
                    began.send(()).unwrap();
                    wait.recv().unwrap();
                })
                .await
            })
        };
        beginning.await.unwrap();
        // One may wait; it is dropped before it runs.
        let mut second = Box::pin(pool.run(pool.memory(), || ()));
        assert!((&mut second).now_or_never().is_none());
        let third = pool.run(pool.memory(), || ()).await.unwrap_err();
        assert_eq!(
            (third.status().as_u16(), third.code()),
            (503, "unavailable")
        );
        drop(second);
        let mut fourth = Box::pin(pool.run(pool.memory(), || 4));
        assert!((&mut fourth).now_or_never().is_none());
        finish.send(()).unwrap();
        first.await.unwrap().unwrap();
        assert_eq!(fourth.await.unwrap(), 4);
    }

    #[tokio::test]
    async fn abandoned_work_returns_its_permit_at_its_end() {
        let pool = pool(&[("zugferd_parallel", "1"), ("zugferd_waiting", "0")]);
        let (finish, wait) = mpsc::channel::<()>();
        let mut work = Box::pin(pool.run(pool.memory(), move || wait.recv().unwrap()));
        assert!((&mut work).now_or_never().is_none());
        drop(work);
        assert!(pool.run(pool.memory(), || ()).await.is_err());
        finish.send(()).unwrap();
        let _ = pool.work.acquire().await.unwrap();
        assert!(pool.run(pool.memory(), || ()).await.is_ok());
    }

    #[tokio::test]
    async fn work_that_no_one_waits_for_ends_and_its_place_is_free() {
        let pool = pool(&[("zugferd_parallel", "1"), ("zugferd_waiting", "1")]);
        let (began, beginning) = tokio::sync::oneshot::channel();
        let first = {
            let pool = pool.clone();
            tokio::spawn(async move {
                pool.run(pool.memory(), move || {
                    assert!(is_awaited());
                    began.send(()).unwrap();
                    while is_awaited() {
                        std::thread::yield_now();
                    }
                })
                .await
            })
        };
        beginning.await.unwrap();
        first.abort();
        assert!(pool.run(pool.memory(), is_awaited).await.unwrap());
    }

    #[tokio::test]
    async fn a_panic_is_an_error_and_costs_no_place() {
        let pool = pool(&[("zugferd_parallel", "1"), ("zugferd_waiting", "0")]);
        let panicked = pool.run(pool.memory(), || panic!("seen in the test output"));
        let error = panicked.await.unwrap_err();
        assert_eq!((error.status().as_u16(), error.code()), (500, "internal"));
        assert_eq!(pool.run(pool.memory(), || 2).await.unwrap(), 2);
    }

    #[test]
    fn memory_is_bounded_and_given_back() {
        let pool = pool(&[
            ("zugferd_body_bytes", "131072"),
            ("zugferd_memory_bytes", "1024"),
        ]);
        let (mut first, mut second) = (pool.memory(), pool.memory());
        first.grow_to(1).unwrap();
        first.grow_to(65_536).unwrap();
        second.grow_to(65_536).unwrap();
        assert_eq!(second.grow_to(65_537).unwrap_err().status().as_u16(), 503);
        drop(first);
        second.grow_to(131_072).unwrap();
        // One body of maximum length fits even if the memory setting is lower.
        assert!(pool.memory().grow_to(1).is_err());
    }
}
