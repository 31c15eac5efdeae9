//! Lanes: classes of work that must not hold a thread of the runtime.
//!
//! A lane runs its jobs on the runtime's threads for blocking work, a bounded number at a time. Callers take turns, so
//! that the jobs of one never make all others wait for them. A bounded number waits, and more are refused. The operating
//! system divides the cores between the lanes and all other requests.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::num::NonZero;
use std::sync::{Arc, Mutex};

use erp_store_sled::may_wait;
use thiserror::Error;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::lock::lock;
use crate::web::ApiError;

/// Jobs of one caller that run while other callers wait.
const SHARE: usize = 2;

/// Jobs that may wait in a lane of the server: some seconds of work. Each holds its place among the requests of the server
/// (`max_requests`, 1,024), of which all lanes together leave some to those that need no lane.
pub const MOST_WAITING: usize = 150;

thread_local! {
    /// The caller of the job on this thread; cancelled when it no longer waits.
    static CALLER: RefCell<Option<CancellationToken>> = const { RefCell::new(None) };
}

/// Whether the caller of the job on this thread still waits for it.
pub fn is_awaited() -> bool {
    CALLER.with_borrow(|caller| caller.as_ref().is_none_or(|caller| !caller.is_cancelled()))
}

pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LaneError {
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
            LaneError::Full(_) => Self::unavailable(error),
            LaneError::Panicked => Self::internal(error),
        }
    }
}

/// A class of work. Clones share its limits.
#[derive(Clone, Debug)]
pub struct Lane {
    queue: Arc<Mutex<Queue>>,
    refusal: &'static str,
}

impl Lane {
    /// A lane for `places` jobs at a time while `most_waiting` wait; more are refused with this sentence. One caller alone
    /// gets all places but one, which is free for the next caller.
    pub fn new(places: usize, most_waiting: usize, refusal: &'static str) -> Self {
        let queue = Queue {
            places,
            most_waiting,
            ..Queue::default()
        };
        Self {
            queue: Arc::new(Mutex::new(queue)),
            refusal,
        }
    }

    /// Runs a job of a caller. Who stops waiting leaves the lane immediately. A job that has started keeps its place until
    /// it ends, which it does soon when it asks [`is_awaited`].
    /// Errors: when the lane is full, or the job panics.
    pub async fn run<T: Send + 'static>(
        &self,
        caller: &str,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, LaneError> {
        let on_thread = |awaited: CancellationToken| {
            CALLER.set(Some(awaited));
            job()
        };
        self.start(caller, on_thread).await
    }

    /// Runs a read that may be long. It ends at its next pause after its caller stopped waiting.
    pub fn read<T: Send + 'static>(
        &self,
        caller: String,
        read: impl Future<Output = T> + Send + 'static,
    ) -> impl Future<Output = Result<T, LaneError>> + Send {
        // On the heap, so that a handler is not as large as its rare long read: it is moved with every request.
        let read = Box::pin(read);
        async move {
            let runtime = Handle::current();
            let on_thread = move |awaited: CancellationToken| {
                let read = awaited.run_until_cancelled(read);
                may_wait(|| runtime.block_on(read))
            };
            // Only a read without a caller has no result.
            let done = self.start(&caller, on_thread).await?;
            done.ok_or(LaneError::Panicked)
        }
    }

    async fn start<T: Send + 'static>(
        &self,
        caller: &str,
        job: impl FnOnce(CancellationToken) -> T + Send + 'static,
    ) -> Result<T, LaneError> {
        let (start, started) = oneshot::channel();
        lock(&self.queue).join(caller, start);
        self.begin_next();
        // A queue that is full drops what starts a job.
        let turn = started.await.map_err(|_| LaneError::Full(self.refusal))?;
        let awaited = CancellationToken::new();
        let _waits = awaited.clone().drop_guard();
        let done = tokio::task::spawn_blocking(move || {
            let _held = turn;
            job(awaited)
        });
        done.await.map_err(|_| LaneError::Panicked)
    }

    fn begin_next(&self) {
        let next = lock(&self.queue).next();
        if let Some((caller, start)) = next {
            let lane = self.clone();
            // Who no longer waits drops its turn, which starts the next job.
            let _ = start.send(Turn { lane, caller });
        }
    }
}

/// The place of a job that runs.
#[derive(Debug)]
struct Turn {
    lane: Lane,
    caller: String,
}

impl Drop for Turn {
    fn drop(&mut self) {
        lock(&self.lane.queue).end(&self.caller);
        self.lane.begin_next();
    }
}

type Start = oneshot::Sender<Turn>;

// rule: D-WRK-03
#[derive(Debug, Default)]
struct Queue {
    places: usize,
    most_waiting: usize,
    /// Jobs that run, by caller.
    running: HashMap<String, usize>,
    /// Jobs that wait, by caller, in the order of the callers' turns.
    waiting: VecDeque<(String, VecDeque<Start>)>,
}

impl Queue {
    /// Adds a job. When too many wait, the caller with the most of them loses its last one, so that one caller's jobs
    /// keep no other caller out.
    fn join(&mut self, caller: &str, job: Start) {
        self.forget_abandoned();
        match self.waiting.iter_mut().find(|(known, _)| known == caller) {
            Some((_, jobs)) => jobs.push_back(job),
            None => self.waiting.push_back((caller.to_owned(), [job].into())),
        }
        let jobs = self.waiting.iter().map(|(_, jobs)| jobs.len());
        // A job that may start at once does not wait.
        let startable = usize::from(self.next_line().is_some());
        let most = self.most_waiting.saturating_add(startable);
        if jobs.sum::<usize>() > most
            && let Some((_, jobs)) = self.waiting.iter_mut().max_by_key(|(_, jobs)| jobs.len())
        {
            jobs.pop_back();
        }
    }

    fn next(&mut self) -> Option<(String, Start)> {
        self.forget_abandoned();
        let (caller, mut jobs) = self.waiting.remove(self.next_line()?)?;
        let job = jobs.pop_front()?;
        *self.running.entry(caller.clone()).or_default() += 1;
        if !jobs.is_empty() {
            self.waiting.push_back((caller.clone(), jobs));
        }
        Some((caller, job))
    }

    /// Whose turn it is: the first caller with less than its share, else the one of whom the fewest jobs run.
    fn next_line(&self) -> Option<usize> {
        let free = self.places.checked_sub(self.running.values().sum())?;
        let alone = self.places.saturating_sub(1).max(1);
        let running = |caller: &String| self.running.get(caller).copied().unwrap_or_default();
        let lines = self.waiting.iter().enumerate();
        lines
            .map(|(place, (caller, _))| (running(caller), place))
            .filter(|(running, _)| free > 0 && *running < alone)
            .min_by_key(|(running, place)| (running.saturating_sub(SHARE - 1), *place))
            .map(|(_, place)| place)
    }

    fn end(&mut self, caller: &str) {
        if let Some(running) = self.running.get_mut(caller) {
            *running -= 1;
            if *running == 0 {
                self.running.remove(caller);
            }
        }
    }

    fn forget_abandoned(&mut self) {
        self.waiting.retain_mut(|(_, jobs)| {
            jobs.retain(|job| !job.is_closed());
            !jobs.is_empty()
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use futures_util::FutureExt as _;
    use tokio::sync::oneshot::error::TryRecvError;

    use super::*;

    const FULL: LaneError = LaneError::Full("too many jobs wait");

    fn lane(places: usize, waiting: usize) -> Lane {
        Lane::new(places, waiting, "too many jobs wait")
    }

    impl Lane {
        async fn job<T: Send + 'static>(
            &self,
            job: impl FnOnce() -> T + Send + 'static,
        ) -> Result<T, LaneError> {
            self.run("a", job).await
        }
    }

    /// A queue whose jobs are named like their callers.
    #[derive(Default)]
    struct Jobs {
        queue: Queue,
        waiting: Vec<(char, oneshot::Receiver<Turn>)>,
        started: Vec<Start>,
    }

    impl Jobs {
        fn new(places: usize, most_waiting: usize) -> Self {
            let queue = Queue {
                places,
                most_waiting,
                ..Queue::default()
            };
            Self {
                queue,
                ..Self::default()
            }
        }

        fn join(&mut self, callers: &str) {
            for caller in callers.chars() {
                let (start, started) = oneshot::channel();
                self.queue.join(&caller.to_string(), start);
                self.waiting.push((caller, started));
            }
        }

        /// Starts what can start.
        fn start(&mut self) -> String {
            let mut callers = String::new();
            while let Some((caller, start)) = self.queue.next() {
                callers += &caller;
                self.started.push(start);
            }
            callers
        }

        /// Ends a job of each of these callers, one after the other, and starts what can start then.
        fn end(&mut self, callers: &str) -> String {
            let ended = callers.chars().map(|caller| {
                self.queue.end(&caller.to_string());
                self.start()
            });
            ended.collect::<Vec<_>>().join(" ")
        }

        /// Whose jobs were refused.
        fn refused(&mut self) -> String {
            let refused = self.waiting.iter_mut().filter_map(|(caller, started)| {
                let gone = matches!(started.try_recv(), Err(TryRecvError::Closed));
                gone.then_some(*caller)
            });
            refused.collect()
        }
    }

    // rule: D-WRK-03
    #[test]
    fn callers_take_turns_however_many_jobs_each_has() {
        let mut one = Jobs::new(1, 100);
        one.join("AAAAB");
        assert_eq!(one.start(), "A");
        assert_eq!(one.end("AB"), "B A");
        one.join("CC");
        assert_eq!(one.end("AACAC"), "A C A C ");
    }

    // rule: D-WRK-03
    #[test]
    fn a_caller_alone_leaves_a_place_and_while_others_wait_it_runs_two_jobs() {
        let mut four = Jobs::new(4, 100);
        four.join("AAAAAAA");
        assert_eq!(four.start(), "AAA");
        four.join("BBB");
        assert_eq!(four.start(), "B");
        // B has one running and A two or more, so B goes first.
        assert_eq!(four.end("A"), "B");
        assert_eq!(four.end("A"), "A");
        assert_eq!(four.end("B"), "B");
        assert_eq!(four.end("B"), "A");
        assert_eq!(four.end("B"), "", "A may not take the last place");
        four.join("C");
        assert_eq!(four.start(), "C");
    }

    // rule: D-WRK-03
    #[test]
    fn no_caller_starves_beside_one_that_always_has_more() {
        let mut two = Jobs::new(2, 1_000);
        two.join("AAAA");
        assert_eq!(two.start(), "A");
        two.join("BBBCDEF");
        let mut running = "A".to_owned() + &two.start();
        let mut started = running.clone();
        for _ in 0..20 {
            two.join("A");
            let ended = running.remove(0).to_string();
            let next = two.end(&ended);
            running += &next;
            started += &next;
        }
        let place = |caller| started.find(caller).unwrap();
        assert!("BCDEF".chars().all(|caller| place(caller) < 7), "{started}");
        assert_eq!(started.matches('B').count(), 3, "{started}");
    }

    // rule: D-WRK-03
    #[test]
    fn the_caller_with_most_jobs_is_refused_when_too_many_wait() {
        let mut one = Jobs::new(1, 3);
        one.join("A");
        assert_eq!(one.start(), "A");
        one.join("AAA");
        assert_eq!(one.refused(), "");
        one.join("A");
        assert_eq!(one.refused(), "A");
        one.join("BC");
        assert_eq!(one.refused(), "AAA");
        one.join("D");
        assert_eq!(one.refused(), "AAAD");
        assert_eq!(one.end("AABC"), "A B C ");
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
            tokio::spawn(async move { lane.job(job).await })
        };
        beginning.await.unwrap();
        // One may wait; it is dropped before it runs.
        let mut second = Box::pin(lane.job(|| ()));
        assert!((&mut second).now_or_never().is_none());
        let refused = lane.job(|| ()).await.unwrap_err();
        assert_eq!(refused, FULL);
        let error = ApiError::from(refused);
        assert_eq!(
            (error.status().as_u16(), error.code()),
            (503, "unavailable")
        );
        drop(second);
        let mut fourth = Box::pin(lane.job(|| 4));
        assert!((&mut fourth).now_or_never().is_none());
        finish.send(()).unwrap();
        first.await.unwrap().unwrap();
        assert_eq!(fourth.await, Ok(4));
    }

    #[tokio::test]
    async fn an_abandoned_job_returns_its_place_at_its_end() {
        let lane = lane(1, 0);
        let (finish, wait) = mpsc::channel::<()>();
        let mut job = Box::pin(lane.job(move || wait.recv().unwrap()));
        assert!((&mut job).now_or_never().is_none());
        drop(job);
        assert_eq!(lane.job(|| ()).await, Err(FULL));
        finish.send(()).unwrap();
        while !lock(&lane.queue).running.is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(lane.job(|| ()).await, Ok(()));
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
            tokio::spawn(async move { lane.job(job).await })
        };
        beginning.await.unwrap();
        first.abort();
        assert_eq!(lane.job(is_awaited).await, Ok(true));
    }

    #[tokio::test]
    async fn a_panic_is_an_error_and_costs_no_place() {
        let lane = lane(1, 0);
        let panicked = lane.job(|| panic!("seen in the test output")).await;
        let error = ApiError::from(panicked.unwrap_err());
        assert_eq!((error.status().as_u16(), error.code()), (500, "internal"));
        assert_eq!(lane.job(|| 2).await, Ok(2));
        let panicked = lane.read("a".into(), async { panic!("seen in the test output") });
        assert_eq!(panicked.await, Err(LaneError::Panicked));
        assert_eq!(lane.read("a".into(), async { 7 }).await, Ok(7));
    }

    #[tokio::test]
    async fn a_read_that_never_gives_way_stops_no_other_task() {
        let lane = lane(1, 1);
        let (end, ended) = mpsc::channel();
        // It holds its thread until the other task, on the only thread of this runtime, has run.
        let read = lane.read("a".into(), async move {
            ended.recv_timeout(Duration::from_secs(60)).is_ok()
        });
        let (read, ()) = tokio::join!(read, async move { end.send(()).unwrap() });
        assert_eq!(read, Ok(true));
    }

    #[tokio::test]
    async fn a_read_ends_with_its_request() {
        let lane = lane(1, 1);
        let (begun, has_begun) = oneshot::channel();
        let (held, dropped) = oneshot::channel::<()>();
        let read = lane.read("a".into(), async move {
            begun.send(()).unwrap();
            std::future::pending::<()>().await;
            drop(held);
        });
        tokio::select! {
            _ = read => panic!("it does not end by itself"),
            begun = has_begun => begun.unwrap(),
        }
        assert!(dropped.await.is_err(), "the read is gone");
        assert_eq!(lane.read("a".into(), async { 7 }).await, Ok(7));
    }
}
