//! Lanes: classes of work that must not hold a thread of the runtime.
//!
//! A lane runs its jobs on the runtime's threads for blocking work: a bounded number at a time, in the order of their
//! requests. A bounded number waits, and more are refused. The operating system divides the cores between the lanes and
//! all other requests.

use std::cell::RefCell;
use std::num::NonZero;
use std::sync::Arc;

use thiserror::Error;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::web::ApiError;

thread_local! {
    /// The caller of the job on this thread; cancelled when it no longer waits.
    static CALLER: RefCell<Option<CancellationToken>> = const { RefCell::new(None) };
}

/// Whether the caller of the job on this thread still waits for it.
#[must_use]
pub fn is_awaited() -> bool {
    CALLER.with_borrow(|caller| caller.as_ref().is_none_or(|caller| !caller.is_cancelled()))
}

/// The cores of this machine.
#[must_use]
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// Why a job has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LaneError {
    /// Too many jobs wait.
    #[error("{0}")]
    Full(&'static str),
    /// The job panicked. The message of the panic may contain data of a request; its location is in the program's
    /// output.
    #[error("a job panicked")]
    Panicked,
}

impl From<LaneError> for ApiError {
    fn from(error: LaneError) -> Self {
        match error {
            LaneError::Full(_) => Self::unavailable(error.to_string()),
            LaneError::Panicked => Self::internal(error.to_string()),
        }
    }
}

/// A class of work. Clones share its limits.
#[derive(Clone, Debug)]
pub struct Lane {
    /// Permits of jobs that run or wait.
    places: Arc<Semaphore>,
    /// Permits of jobs that run.
    running: Arc<Semaphore>,
    refusal: &'static str,
}

impl Lane {
    /// A lane for `running` jobs at a time while `waiting` wait; more are refused with this sentence.
    #[must_use]
    pub fn new(running: usize, waiting: usize, refusal: &'static str) -> Self {
        let places = running.saturating_add(waiting);
        Self {
            places: Arc::new(Semaphore::new(places.min(Semaphore::MAX_PERMITS))),
            running: Arc::new(Semaphore::new(running)),
            refusal,
        }
    }

    /// Runs a job. A caller that stops waiting leaves the lane immediately. A job that has started keeps its place until
    /// it ends, which it does soon when it asks [`is_awaited`].
    ///
    /// # Errors
    /// When the lane is full, or the job panics.
    pub async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, LaneError> {
        let on_thread = |caller: CancellationToken| {
            CALLER.set(Some(caller));
            job()
        };
        self.start(on_thread).await
    }

    /// Runs a read that may be long. It ends at its next pause after its caller stopped waiting.
    ///
    /// # Errors
    /// As [`Lane::run`].
    pub fn read<T: Send + 'static>(
        &self,
        read: impl Future<Output = T> + Send + 'static,
    ) -> impl Future<Output = Result<T, LaneError>> + Send {
        // On the heap, so that a handler is not as large as its rare long read: it is moved with every request.
        let read = Box::pin(read);
        async move {
            let runtime = Handle::current();
            let on_thread = move |caller: CancellationToken| {
                let read = caller.run_until_cancelled(read);
                runtime.block_on(read)
            };
            // Only a read without a caller has no result.
            self.start(on_thread).await?.ok_or(LaneError::Panicked)
        }
    }

    async fn start<T: Send + 'static>(
        &self,
        job: impl FnOnce(CancellationToken) -> T + Send + 'static,
    ) -> Result<T, LaneError> {
        let place = Arc::clone(&self.places).try_acquire_owned();
        let place = place.map_err(|_| LaneError::Full(self.refusal))?;
        let turn = Arc::clone(&self.running).acquire_owned().await;
        let caller = CancellationToken::new();
        let _waits = caller.clone().drop_guard();
        let done = tokio::task::spawn_blocking(move || {
            let _held = (place, turn);
            job(caller)
        });
        done.await.map_err(|_| LaneError::Panicked)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use futures_util::FutureExt as _;
    use tokio::sync::oneshot;

    use super::*;

    const FULL: LaneError = LaneError::Full("too many jobs wait");

    fn lane(running: usize, waiting: usize) -> Lane {
        Lane::new(running, waiting, "too many jobs wait")
    }

    #[tokio::test]
    async fn a_full_lane_refuses_and_a_place_that_is_free_again_takes() {
        let lane = lane(1, 1);
        let (finish, wait) = mpsc::channel::<()>();
        let (began, beginning) = oneshot::channel();
        let first = {
            let lane = lane.clone();
            let job = move || {
                began.send(()).unwrap();
                wait.recv().unwrap();
            };
            tokio::spawn(async move { lane.run(job).await })
        };
        beginning.await.unwrap();
        // One may wait; it is dropped before it runs.
        let mut second = Box::pin(lane.run(|| ()));
        assert!((&mut second).now_or_never().is_none());
        let refused = lane.run(|| ()).await.unwrap_err();
        assert_eq!(refused, FULL);
        let error = ApiError::from(refused);
        assert_eq!(
            (error.status().as_u16(), error.code()),
            (503, "unavailable")
        );
        drop(second);
        let mut fourth = Box::pin(lane.run(|| 4));
        assert!((&mut fourth).now_or_never().is_none());
        finish.send(()).unwrap();
        first.await.unwrap().unwrap();
        assert_eq!(fourth.await, Ok(4));
    }

    #[tokio::test]
    async fn an_abandoned_job_returns_its_place_at_its_end() {
        let lane = lane(1, 0);
        let (finish, wait) = mpsc::channel::<()>();
        let mut job = Box::pin(lane.run(move || wait.recv().unwrap()));
        assert!((&mut job).now_or_never().is_none());
        drop(job);
        assert_eq!(lane.run(|| ()).await, Err(FULL));
        finish.send(()).unwrap();
        drop(lane.running.acquire().await.unwrap());
        while lane.places.available_permits() == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(lane.run(|| ()).await, Ok(()));
    }

    #[tokio::test]
    async fn a_job_that_no_one_waits_for_ends_and_its_place_is_free() {
        let lane = lane(1, 1);
        let (began, beginning) = oneshot::channel();
        let first = {
            let lane = lane.clone();
            let job = move || {
                assert!(is_awaited());
                began.send(()).unwrap();
                while is_awaited() {
                    std::thread::yield_now();
                }
            };
            tokio::spawn(async move { lane.run(job).await })
        };
        beginning.await.unwrap();
        first.abort();
        assert_eq!(lane.run(is_awaited).await, Ok(true));
    }

    #[tokio::test]
    async fn a_panic_is_an_error_and_costs_no_place() {
        let lane = lane(1, 0);
        let panicked = lane.run(|| panic!("seen in the test output")).await;
        let error = ApiError::from(panicked.unwrap_err());
        assert_eq!((error.status().as_u16(), error.code()), (500, "internal"));
        assert_eq!(lane.run(|| 2).await, Ok(2));
        let panicked = lane.read(async { panic!("seen in the test output") });
        assert_eq!(panicked.await, Err(LaneError::Panicked));
        assert_eq!(lane.read(async { 7 }).await, Ok(7));
    }

    #[tokio::test]
    async fn a_read_that_never_gives_way_stops_no_other_task() {
        let lane = lane(1, 1);
        let (end, ended) = mpsc::channel();
        // It holds its thread until the other task, on the only thread of this runtime, has run.
        let read = lane.read(async move { ended.recv_timeout(Duration::from_secs(60)).is_ok() });
        let (read, ()) = tokio::join!(read, async move { end.send(()).unwrap() });
        assert_eq!(read, Ok(true));
    }

    #[tokio::test]
    async fn a_read_ends_with_its_request() {
        let lane = lane(1, 1);
        let (begun, has_begun) = oneshot::channel();
        let (held, dropped) = oneshot::channel::<()>();
        let read = lane.read(async move {
            begun.send(()).unwrap();
            std::future::pending::<()>().await;
            drop(held);
        });
        tokio::select! {
            _ = read => panic!("it does not end by itself"),
            begun = has_begun => begun.unwrap(),
        }
        assert!(dropped.await.is_err(), "the read is gone");
        assert_eq!(lane.read(async { 7 }).await, Ok(7));
    }
}
