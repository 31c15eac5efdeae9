//! Record storage in a PostgreSQL database that any number of servers may share.
//!
//! # Where records are
//! One table, `erp_entries`, ordered by key: a record has `value`, a counter has `counter`. A row with neither is a
//! placeholder that reserves a key during a commit.
//!
//! # How a commit becomes durable
//! A change set is part of one statement, and the statement is the transaction: it locks the rows of all its
//! keys in key order, checks the guards, draws the revisions and writes. So a commit is one round trip, and two
//! sets that touch the same keys are serialized. If a key appears meanwhile, the statement fails and is repeated.
//!
//! # Locks of other sessions
//! A row may be locked by a session that is stuck. A statement of several sets waits only briefly for such a lock;
//! then each set is sent alone, over a bounded number of connections, so that the other sets and the readers are
//! not blocked. A set has [`PostgresOptions::timeout`] in total: for the queue, for a connection and for locks.
//! What has not been sent to the database by then is never sent. What has been sent is cancelled, and the response
//! of the database decides. Only if there is no response is the outcome unknown.
//!
//! # Batching
//! Requests that arrive during a statement wait in a batch queue and are sent with the next one: all reads by key, and
//! all sets without a common key, each of which succeeds or fails by itself. A server with one client never waits
//! and reads without the queue; a server with many clients sends fewer statements than it has requests.
//!
//! `Ok` guarantees what the database's `synchronous_commit` guarantees: with `on`, the default, the commit is on
//! the disk of the database, and on that of the synchronous standby if there is one.
//!
//! # Revisions
//! They are drawn from a database sequence under the locks, so a commit that sees the entries of another one has
//! the higher revision. Commits without a common key may become visible in another order than their revisions.
//!
//! # Numbers
//! A server reserves them in blocks of [`BLOCK`] by one durable write, and gives them out from memory. Two servers
//! use different blocks; a server that ends leaves the rest of its blocks unused.

mod batch_queue;
mod commit;
mod entries;
mod fault;
mod pool;
mod pooler;
mod schema;
mod sequences;
mod statement;
mod stuck;
mod transfer;
mod url;

/// The code of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use erp_core::internal::{RecordSink, Snapshot, Snapshots};
use erp_core::limits::KEYS_PER_GET;
use erp_core::storage::{
    ChangeSet, CommitError, Entry, Key, OpenError, Page, Revision, Scan, Sequence, Storage,
    StorageError, Write,
};
use prometheus_client::metrics::histogram::Histogram;
use tokio::runtime::{Handle, Runtime};
use tokio::sync::Semaphore;
use tokio::sync::oneshot::{Sender, channel};
use tokio::time::{Instant as Deadline, timeout_at};

pub use sequences::BLOCK;
pub use transfer::load;
pub use url::DatabaseUrl;

use batch_queue::{BatchQueue, Worker};
use commit::{Plan, PlanOutcome, commit_together, deciding, settled};
use fault::Fault;
use pool::Connections;
use sequences::Blocks;
use statement::Sql;
use stuck::StuckCommits;

/// Interval of the availability check of the database.
const ASK_EVERY: Duration = Duration::from_secs(1);

/// Time limit of that check.
const ASK_FOR: Duration = Duration::from_secs(5);

/// Attempts for a set whose additions depend on stored values, when other writers change these values.
const SETTLED_TRIES: u32 = 100;

/// Concurrent read statements; further reads are batched into the next one.
const READS_AT_ONCE: usize = 4;

/// Concurrent commit statements; further sets are batched into the next one.
const COMMITS_AT_ONCE: usize = 4;

const SETS_TOGETHER: usize = 64;

/// Maximum size of such a batch in bytes; a larger set is sent alone.
const BYTES_TOGETHER: usize = 1 << 20;

/// Lock timeout of a statement with several sets, as a part of [`PostgresOptions::timeout`]: 1 s of 20 s. One stuck
/// row must not delay the other sets of the batch.
const LOCK_TOGETHER: u32 = 20;

/// Histogram bounds in seconds: from a disk cache that acknowledges early to a disk that is about to fail.
const COMMIT_SECONDS: [f64; 12] = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.1, 0.25, 1.0, 5.0,
];

/// Settings of a [`PostgresStore`].
#[derive(Clone, Debug)]
pub struct PostgresOptions {
    /// Address of the database and credentials.
    pub url: DatabaseUrl,
    /// PEM file with trusted CA certificates; `None` uses those of the system.
    pub ca_file: Option<PathBuf>,
    /// Maximum of connections of this process; default 16.
    pub connections: usize,
    /// Maximum of commits that wait at the same time, for each other or for a lock; further ones are
    /// [`StorageError::Busy`]. Default 512.
    pub queue: usize,
    /// Time limit of one operation including the waits for the queue, a connection and locks; default 20 s. Limits
    /// enforced by the database are derived from it: half of it for a lock, three quarters for a statement.
    pub timeout: Duration,
}

impl PostgresOptions {
    /// Default settings for a database.
    pub const fn new(url: DatabaseUrl) -> Self {
        Self {
            url,
            ca_file: None,
            connections: 16,
            queue: 512,
            timeout: Duration::from_secs(20),
        }
    }
}

/// Status of the store for health checks and metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PostgresStatus {
    /// Whether the last availability check succeeded and the database accepts writes.
    pub reachable: bool,
    /// Whether commits have been waiting for a quarter of [`PostgresOptions::timeout`] and none has succeeded
    /// meanwhile.
    pub commits_stuck: bool,
    /// Commits since the start.
    pub commits: u64,
    /// Commits rejected by a guard since the start.
    pub conflicts: u64,
    /// Statements repeated after a conflict with other writers, since the start.
    pub repeats: u64,
    /// Round trips (statements) since the start.
    pub round_trips: u64,
    /// Open connections.
    pub connections: usize,
    /// Operations that wait for a connection.
    pub waiting: usize,
}

/// A store in a PostgreSQL database. Clones share the same connections.
#[derive(Clone)]
pub struct PostgresStore {
    inner: Arc<Inner>,
}

struct Inner {
    database: String,
    connections: Connections,
    handle: Handle,
    /// Runtime of the connections if the store was opened outside a multi-threaded runtime.
    own: Option<Runtime>,
    blocks: Blocks,
    reads: BatchQueue<Read>,
    commits: BatchQueue<Commit>,
    /// Limits the connections that wait for locks, one per set.
    alone: Semaphore,
    stuck: StuckCommits,
    counts: CommitCounts,
    commit_time: Histogram,
    closed: AtomicBool,
}

/// Permit for a direct read that bypasses the queue; dropping it starts a worker if reads were queued meanwhile.
struct DirectRead<'a> {
    inner: &'a Arc<Inner>,
    place: Option<Worker<'a, Read>>,
}

impl Drop for DirectRead<'_> {
    fn drop(&mut self) {
        if self.place.take().is_some_and(Worker::leave) {
            self.inner.begin_reading();
        }
    }
}

struct Read {
    keys: Vec<Key>,
    answer: Sender<Result<Arc<BTreeMap<Key, Entry>>, StorageError>>,
}

struct Commit {
    plan: Plan,
    deadline: Deadline,
    claim: Claim,
    answer: Sender<Result<PlanOutcome, Fault>>,
}

/// Decides a race for a queued set: either the worker sends it to the database, or the client withdraws it at its
/// deadline.
#[derive(Clone, Default)]
struct Claim(Arc<AtomicBool>);

impl Claim {
    /// Returns `true` for the first caller only.
    fn take(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }
}

#[derive(Default)]
struct CommitCounts {
    reachable: AtomicBool,
    commits: AtomicU64,
    conflicts: AtomicU64,
    repeats: AtomicU64,
}

impl PostgresStore {
    /// Connects, and creates or updates the tables. Several servers may do so at the same time.
    ///
    /// Connections live on the current runtime, which must be multi-threaded, or on a runtime of the store.
    /// Errors: [`OpenError::Database`] when the database cannot be reached or rejects the connection, and
    /// [`OpenError::NewerFormat`] when a newer version of the program has updated the tables.
    pub fn open(options: &PostgresOptions) -> Result<Self, OpenError> {
        let store = Self::connect(options)?;
        let prepared = store.wait(schema::prepare(&store.inner.connections));
        match prepared.map_err(|fault| fault.at(&store.inner.database))? {
            Some(loading) => Err(OpenError::Database {
                database: store.inner.database.clone(),
                reason: format!(
                    "a copy into it was not finished, {loading} entries have arrived; run the same `restore` again"
                ),
            }),
            None => {
                store.limit_role();
                store.inner.counts.reachable.store(true, Ordering::Release);
                store.watch();
                Ok(store)
            }
        }
    }

    /// Behind a pooler the limits of sessions are settings of the role.
    fn limit_role(&self) {
        let connections = &self.inner.connections;
        if connections.are_pooled()
            && let Err(error) = self.wait(connections.limit_role())
        {
            tracing::warn!(%error, "the role has no limits for locks and statements");
        }
    }

    /// Checks that the database accepts a connection with these settings; creates nothing there.
    /// Errors: [`OpenError::Database`] with the message of the database.
    pub fn try_out(options: &PostgresOptions) -> Result<(), OpenError> {
        let store = Self::connect(options)?;
        let answered = store.wait(store.inner.connections.query(&Sql::plain("SELECT 1"), &[]));
        let answered = answered.map_err(|fault| fault.at(&store.inner.database));
        answered.map(drop)
    }

    /// Connects without checking the tables.
    fn connect(options: &PostgresOptions) -> Result<Self, OpenError> {
        let database = options.url.to_string();
        let refuse = |reason: String| OpenError::Database {
            database: database.clone(),
            reason,
        };
        let (handle, own) = match Handle::try_current() {
            Ok(current) => (current, None),
            Err(_) => {
                let own = tokio::runtime::Builder::new_multi_thread()
                    .worker_threads(1)
                    .thread_name("store-postgres")
                    .enable_all()
                    .build()
                    .map_err(|error| refuse(error.to_string()))?;
                (own.handle().clone(), Some(own))
            }
        };
        let connections = Connections::new(options, handle.clone()).map_err(refuse)?;
        let inner = Inner {
            database,
            connections,
            handle,
            own,
            blocks: Blocks::default(),
            reads: BatchQueue::new(READS_AT_ONCE),
            commits: BatchQueue::new(COMMITS_AT_ONCE),
            alone: Semaphore::new((options.connections / 2).max(1)),
            stuck: StuckCommits::new(options.timeout / 4, options.queue),
            counts: CommitCounts::default(),
            commit_time: Histogram::new(COMMIT_SECONDS),
            closed: AtomicBool::new(false),
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// A snapshot of the store's counters and availability.
    pub fn status(&self) -> PostgresStatus {
        let counts = &self.inner.counts;
        let connections = &self.inner.connections;
        let pool = connections.pool.status();
        PostgresStatus {
            reachable: counts.reachable.load(Ordering::Acquire) && !self.is_closed(),
            commits_stuck: self.inner.stuck.is_stuck(),
            commits: counts.commits.load(Ordering::Relaxed),
            conflicts: counts.conflicts.load(Ordering::Relaxed),
            repeats: counts.repeats.load(Ordering::Relaxed),
            round_trips: connections.round_trips.load(Ordering::Relaxed),
            connections: pool.size,
            waiting: pool.waiting,
        }
    }

    /// The database settings that make commits less durable than they are acknowledged to be, such as
    /// `synchronous_commit = off`.
    /// Errors: when the database does not respond.
    pub async fn risks(&self) -> Result<Vec<String>, StorageError> {
        Ok(schema::risks(&self.inner.connections).await?)
    }

    /// Histogram of the commit durations, in seconds.
    pub fn commit_time(&self) -> Histogram {
        self.inner.commit_time.clone()
    }

    /// Closes the connections. Closing twice does nothing.
    pub fn close(&self) {
        self.inner.closed.store(true, Ordering::Release);
        self.inner.connections.pool.close();
    }

    fn is_closed(&self) -> bool {
        self.inner.closed.load(Ordering::Acquire)
    }

    /// Blocks the current thread until the database has responded.
    fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        match Handle::try_current() {
            Ok(current) => tokio::task::block_in_place(|| current.block_on(work)),
            Err(_) => self.inner.handle.block_on(work),
        }
    }

    /// Runs the work to its end on the runtime of the connections, even if the caller is dropped.
    async fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Fault>> + Send + 'static,
    ) -> Result<T, Fault> {
        if self.is_closed() {
            return Err(Fault::Closed);
        }
        let done = self.inner.handle.spawn(work).await;
        done.unwrap_or(Err(Fault::Closed))
    }

    /// A permit to read directly, without the queue and another task, so that the statement is cancelled when no one
    /// waits for it any more; `None` outside the runtime of the connections or when reads are queued.
    fn alone(&self) -> Option<DirectRead<'_>> {
        let here = Handle::try_current().ok()?;
        if here.id() != self.inner.handle.id() {
            return None;
        }
        Some(DirectRead {
            inner: &self.inner,
            place: Some(self.inner.reads.alone()?),
        })
    }

    /// Checks every second whether the database is available, until the store is closed.
    fn watch(&self) {
        let inner = Arc::downgrade(&self.inner);
        self.inner.handle.spawn(async move {
            let mut stuck = false;
            loop {
                tokio::time::sleep(ASK_EVERY).await;
                let Some(inner) = inner.upgrade() else { return };
                if inner.closed.load(Ordering::Acquire) {
                    return;
                }
                let was_stuck = std::mem::replace(&mut stuck, inner.stuck.is_stuck());
                match (was_stuck, stuck) {
                    (false, true) => tracing::error!("commits wait, and none succeeds"),
                    (true, false) => tracing::info!("no commit is stuck any more"),
                    _ => (),
                }
                let asked = schema::is_there(&inner.connections);
                let answered = tokio::time::timeout(ASK_FOR, asked).await;
                let late = || Err(Fault::Lost("no response in time".to_owned()));
                let answered = answered.unwrap_or_else(|_| late());
                let before = inner
                    .counts
                    .reachable
                    .swap(answered.is_ok(), Ordering::AcqRel);
                match (before, answered) {
                    (true, Err(error)) => tracing::error!(%error, "the database does not respond"),
                    (false, Ok(())) => tracing::info!("the database responds again"),
                    _ => (),
                }
            }
        });
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.connections.pool.close();
        if let Some(own) = self.own.take() {
            own.shutdown_background();
        }
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore")
            .field("database", &self.inner.database)
            .field("status", &self.status())
            .finish()
    }
}

impl Inner {
    fn begin_reading(self: &Arc<Self>) {
        let inner = Arc::clone(self);
        self.handle
            .spawn(async move { inner.work_on_reads().await });
    }

    /// Reads in batches until the queue is empty.
    async fn work_on_reads(&self) {
        let mut worker = self.reads.worker();
        loop {
            let mut count = 0_usize;
            let jobs = worker.next(|read| {
                count += read.keys.len();
                count <= KEYS_PER_GET
            });
            if jobs.is_empty() {
                return;
            }
            let keys = jobs.iter().flat_map(|job| &job.keys);
            let keys: BTreeSet<&[u8]> = keys.map(Key::as_bytes).collect();
            let keys: Vec<&[u8]> = keys.into_iter().collect();
            let found = entries::get(&self.connections, &keys).await;
            let found = found.map(Arc::new).map_err(StorageError::from);
            for job in jobs {
                let _ = job.answer.send(found.clone());
            }
        }
    }

    async fn commit(self: &Arc<Self>, changes: ChangeSet) -> Result<Revision, CommitError> {
        let begun = Instant::now();
        let deadline = Deadline::now() + self.connections.timeout;
        let Some(waiting) = self.stuck.begin() else {
            return Err(StorageError::Busy.into());
        };
        let done = match Plan::of(changes.clone()) {
            Some(plan) => match self.apply(plan, deadline).await {
                // Only the stored values show which counter overflowed, or whether a guard failed before.
                Err(Attempt::OutOfRange) => self.commit_settled(&changes, deadline).await,
                Err(Attempt::Failed(error)) => Err(error),
                Ok(revision) => Ok(revision),
            },
            None => self.commit_settled(&changes, deadline).await,
        };
        if matches!(done, Ok(_) | Err(CommitError::Conflict { .. })) {
            waiting.went_through();
        }
        match &done {
            Ok(_) => {
                self.counts.commits.fetch_add(1, Ordering::Relaxed);
                self.commit_time.observe(begun.elapsed().as_secs_f64());
            }
            Err(CommitError::Conflict { .. }) => {
                self.counts.conflicts.fetch_add(1, Ordering::Relaxed);
            }
            Err(_) => (),
        }
        done
    }

    /// Reads the entries that decide the set, and commits it on condition that they are unchanged.
    async fn commit_settled(
        self: &Arc<Self>,
        changes: &ChangeSet,
        deadline: Deadline,
    ) -> Result<Revision, CommitError> {
        for _ in 0..SETTLED_TRIES {
            let keys = deciding(changes);
            let keys: Vec<&[u8]> = keys.iter().map(Key::as_bytes).collect();
            let stored = entries::get(&self.connections, &keys);
            let stored = timeout_at(deadline, stored).await;
            let stored = stored.unwrap_or(Err(Fault::Busy))?;
            let settled = settled(changes, &stored)?;
            let plan = Plan::of(settled).ok_or(StorageError::Busy)?;
            match self.apply(plan, deadline).await {
                Err(Attempt::Failed(CommitError::Conflict { .. })) => (),
                Err(Attempt::Failed(error)) => return Err(error),
                Err(Attempt::OutOfRange) => return Err(StorageError::Busy.into()),
                Ok(revision) => return Ok(revision),
            }
            self.counts.repeats.fetch_add(1, Ordering::Relaxed);
        }
        Err(StorageError::Busy.into())
    }

    async fn apply(self: &Arc<Self>, plan: Plan, deadline: Deadline) -> Result<Revision, Attempt> {
        let guarded = plan.guarded.clone();
        match self.apply_with_others(plan, deadline).await {
            Ok(PlanOutcome::Done(revision)) => Ok(revision),
            Ok(PlanOutcome::Failed(rank)) => Err(Attempt::Failed(match guarded.get(rank) {
                Some(key) => CommitError::Conflict { key: key.clone() },
                None => Fault::Damaged("an unknown guard failed".to_owned()).into(),
            })),
            Err(Fault::OutOfRange) => Err(Attempt::OutOfRange),
            Err(fault) => Err(Attempt::Failed(fault.into())),
        }
    }

    async fn apply_alone(&self, plan: &Plan, deadline: Deadline) -> Result<PlanOutcome, Fault> {
        let permit = timeout_at(deadline, self.alone.acquire()).await;
        let _permit = match permit {
            Ok(Ok(permit)) => permit,
            Ok(Err(_)) => return Err(Fault::Closed),
            Err(_) => return Err(Fault::Busy),
        };
        let repeated = || {
            self.counts.repeats.fetch_add(1, Ordering::Relaxed);
        };
        plan.commit(&self.connections, deadline, repeated).await
    }

    async fn apply_with_others(
        self: &Arc<Self>,
        plan: Plan,
        deadline: Deadline,
    ) -> Result<PlanOutcome, Fault> {
        let (answer, mut applied) = channel();
        let claim = Claim::default();
        let job = Commit {
            plan,
            deadline,
            claim: claim.clone(),
            answer,
        };
        if self.commits.join(job) {
            let inner = Arc::clone(self);
            self.handle
                .spawn(async move { inner.work_on_commits().await });
        }
        let answered = match timeout_at(deadline, &mut applied).await {
            Ok(answered) => answered,
            // Withdrawn before a statement took it: it is never sent.
            Err(_) if claim.take() => return Err(Fault::Busy),
            // The statement ends at the deadline too, so its response is due.
            Err(_) => applied.await,
        };
        answered.unwrap_or_else(|_| {
            if claim.take() {
                Err(Fault::Closed)
            } else {
                Err(Fault::OutcomeUnknown("the store was closed".to_owned()))
            }
        })
    }

    /// Commits in batches until the queue is empty.
    async fn work_on_commits(self: &Arc<Self>) {
        let mut worker = self.commits.worker();
        loop {
            let (mut keys, mut sets, mut bytes) = (BTreeSet::new(), 0_usize, 0_usize);
            let jobs = worker.next(|commit| {
                let size = bytes.saturating_add(commit.plan.bytes());
                let fits = sets < SETS_TOGETHER
                    && (size <= BYTES_TOGETHER || sets == 0)
                    && !commit.plan.keys.iter().any(|key| keys.contains(key));
                if fits {
                    keys.extend(commit.plan.keys.iter().cloned());
                    (sets, bytes) = (sets + 1, size);
                }
                fits
            });
            if jobs.is_empty() {
                return;
            }
            let claimed: Vec<Commit> = jobs.into_iter().filter(|job| job.claim.take()).collect();
            if !claimed.is_empty() {
                self.commit_jobs(claimed).await;
            }
        }
    }

    async fn commit_jobs(self: &Arc<Self>, jobs: Vec<Commit>) {
        let deadline = jobs.iter().map(|job| job.deadline).min();
        let deadline = deadline.unwrap_or_else(Deadline::now);
        let lock_limit = self.connections.timeout / LOCK_TOGETHER;
        let plans: Vec<&Plan> = jobs.iter().map(|job| &job.plan).collect();
        match commit_together(&self.connections, &plans, deadline, lock_limit).await {
            Ok(outcomes) => {
                for (job, outcome) in jobs.into_iter().zip(outcomes) {
                    // The client may have left; then the result is dropped.
                    let _ = job.answer.send(Ok(outcome));
                }
            }
            // One of them met another writer: each set is tried alone, and none waits for the others.
            Err(Fault::Again | Fault::OutOfRange | Fault::Locked) => {
                self.counts.repeats.fetch_add(1, Ordering::Relaxed);
                for job in jobs {
                    let inner = Arc::clone(self);
                    self.handle.spawn(async move {
                        let applied = inner.apply_alone(&job.plan, job.deadline).await;
                        let _ = job.answer.send(applied);
                    });
                }
            }
            Err(fault) => {
                for job in jobs {
                    let _ = job.answer.send(Err(fault.clone()));
                }
            }
        }
    }
}

/// Why a plan was not committed.
enum Attempt {
    OutOfRange,
    Failed(CommitError),
}

impl Storage for PostgresStore {
    async fn get(&self, keys: &[Key]) -> Result<Vec<Option<Entry>>, StorageError> {
        if keys.len() > KEYS_PER_GET {
            return Err(StorageError::TooLarge {
                what: "a list of keys",
                size: keys.len(),
                limit: KEYS_PER_GET,
            });
        }
        if self.is_closed() {
            return Err(StorageError::Closed);
        }
        if let Some(alone) = self.alone() {
            let asked: Vec<&[u8]> = keys.iter().map(Key::as_bytes).collect();
            let found = entries::get(&self.inner.connections, &asked).await?;
            drop(alone);
            return Ok(keys.iter().map(|key| found.get(key).cloned()).collect());
        }
        let (answer, found) = channel();
        let keys_asked = keys.to_vec();
        let read = Read {
            keys: keys_asked,
            answer,
        };
        if self.inner.reads.join(read) {
            self.inner.begin_reading();
        }
        let found = found.await.unwrap_or(Err(StorageError::Closed))?;
        Ok(keys.iter().map(|key| found.get(key).cloned()).collect())
    }

    async fn scan(&self, scan: Scan) -> Result<Page, StorageError> {
        if scan.from >= scan.until {
            return Ok(Page::default());
        }
        let inner = Arc::clone(&self.inner);
        Ok(self
            .run(async move { entries::scan(&inner.connections, &scan).await })
            .await?)
    }

    async fn next_numbers(&self, wanted: &[(Sequence, u64)]) -> Result<Vec<u64>, StorageError> {
        let inner = Arc::clone(&self.inner);
        let wanted = wanted.to_vec();
        let drawn = self.run(async move {
            let mut numbers = Vec::with_capacity(wanted.len());
            for (sequence, first) in wanted {
                match inner.blocks.next(&inner.connections, sequence, first).await {
                    Ok(number) => numbers.push(number),
                    Err(Fault::OutOfRange) => return Ok(Err(sequence.used_up())),
                    Err(fault) => return Err(fault),
                }
            }
            Ok(Ok(numbers))
        });
        drawn.await?
    }

    async fn commit(&self, changes: ChangeSet) -> Result<Revision, CommitError> {
        changes.check_size()?;
        let guards = changes.guards.iter().map(|guard| &guard.key);
        let writes = changes.writes.iter().map(Write::key);
        if guards.chain(writes).any(|key| key.space() == 0) {
            let reason = "keys that begin with a zero byte belong to the store";
            return Err(StorageError::Unavailable(reason.to_owned()).into());
        }
        let inner = Arc::clone(&self.inner);
        self.run(async move { Ok(inner.commit(changes).await) })
            .await
            .map_err(CommitError::from)?
    }
}

impl Snapshots for PostgresStore {
    fn snapshot(&self, sink: &mut RecordSink<'_>) -> Result<Snapshot, StorageError> {
        if self.is_closed() {
            return Err(StorageError::Closed);
        }
        Ok(self.wait(transfer::read(&self.inner.connections, sink))?)
    }

    /// Does nothing: this store has no journal that a backup could make obsolete.
    fn backed_up(&self, snapshot: &Snapshot) -> io::Result<()> {
        let id = self.wait(schema::id(&self.inner.connections));
        if id.map_err(|fault| io::Error::other(fault.to_string()))? == snapshot.store {
            Ok(())
        } else {
            Err(io::Error::other("the backup is of another store"))
        }
    }
}
