//! The embedded store: sled with an additional commit journal.
//!
//! # How a commit becomes durable
//! One committer thread takes all waiting change sets as a group and checks their guards against the state
//! including the earlier sets of the group. It numbers the sets without gaps, appends the group to the [journal] as
//! one record, calls `fdatasync` once, makes the changes visible and only then responds.
//!
//! # Where records are
//! Acknowledged changes are in memory first. Checkpoints write them to sled: at about 8 MiB of changes, after some
//! seconds, and at shutdown. A checkpoint syncs sled's file and then removes the journal segments it has made
//! obsolete, except the newest. So sled never has unsynced data except one small batch at its tail, the state that
//! was measured to survive power loss; hot counters are written to sled once per checkpoint; and a commit costs one
//! append.
//!
//! # How damage is detected
//! - every value has an envelope with a checksum over key, revision and bytes, checked at every read;
//! - counts and digests per kind of record are stored with the number of the last applied commit, and verified when all
//!   of sled is read, at the start or soon after it;
//! - commit numbers in sled and journal must join without a gap, so a truncated sled or journal is detected;
//! - sled panics on some damage: all its calls run where a panic is converted to an error.
//!
//! One case cannot be distinguished from a crash: damage of the last group within the 100 ms before the journal's
//! seal confirms it.

mod bytes;
mod check;
mod checkpoint;
mod clean;
mod committer;
mod disk;
mod envelope;
mod error;
pub mod journal;
mod layout;
mod loader;
mod open;
mod quiet;
mod rebuild;
mod records;
mod replace;
mod shared;
mod snapshot;
mod tables;
mod tally;
mod tree;
mod warm;

/// The code of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime};

use erp_core::internal::{RecordSink, Snapshot, Snapshots};
use erp_core::limits::KEYS_PER_GET;
use erp_core::storage::{
    ChangeSet, CommitError, Entry, Key, OpenError, Page, Revision, Scan, Sequence, Storage,
    StorageError,
};
use prometheus_client::metrics::histogram::Histogram;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

pub use check::{Report, SpaceReport};
pub use disk::free_bytes;
pub use journal::Retention;
pub use layout::{RESTORE_ADVICE, create_private, is_store as holds_store, sync_folder};
pub use open::check;
pub use rebuild::{Recovery, recover_store, restore};

use checkpoint::Checkpointer;
use committer::{Committer, Job, NO_ROOM};
use error::Fault;
use journal::{DiskFiles, Journal, JournalFiles, Segments};
use layout::{Identity, note_backup};
use records::INTERNAL;
use shared::{Orders, Shared, unpoisoned};
use tables::Tables;

const FORMAT: u32 = 1;

/// Settings of a store.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    /// Size of sled's page cache in bytes; default 32 MiB.
    pub cache_bytes: u64,
    /// Maximum of waiting writers; further ones get [`StorageError::Busy`]; default 1024.
    pub queue: usize,
    /// Size of a journal file in bytes; default 16 MiB. Rounded up for a larger group.
    pub journal_segment_bytes: u64,
    /// Journal files kept although sled has their commits; default 1. They repair a sled file that has lost its end.
    pub journal_keep_segments: usize,
    /// When journal files are removed after sled has their commits; default: immediately.
    pub retention: Retention,
    /// Whether a damaged sled is rebuilt at the start if the journal still has every commit; default no.
    pub repair: bool,
    /// Whether a start reads the records later, with [`SledStore::read_all`], when it may: after a clean shutdown, and
    /// after a process was killed on a machine that has not been restarted since; default no.
    pub read_later: bool,
    /// Whether the store is only read: no commit, no checkpoint, and its files stay as they are; default no. What sled
    /// writes when it is opened goes into the system's temporary folder.
    pub read_only: bool,
    /// Size of changes in memory, in bytes, that triggers a checkpoint; default 8 MiB. Writers wait at four times this
    /// size.
    pub checkpoint_bytes: usize,
    /// Maximum age of changes in memory before a checkpoint; default 5 s.
    pub checkpoint_after: Duration,
    /// Idle time after which the last commit is sealed; default 100 ms.
    pub seal_after: Duration,
    /// Size of sled's segments in a new store, in bytes; default 16 MiB, a power of 2. Existing stores keep their own.
    pub sled_segment_bytes: usize,
    /// Creates and opens the journal files; replaced in tests.
    pub files: Arc<dyn JournalFiles>,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            cache_bytes: 32 << 20,
            queue: 1024,
            journal_segment_bytes: 16 << 20,
            journal_keep_segments: 1,
            retention: Retention::Applied,
            repair: false,
            read_later: false,
            read_only: false,
            checkpoint_bytes: 8 << 20,
            checkpoint_after: Duration::from_secs(5),
            seal_after: Duration::from_millis(100),
            sled_segment_bytes: 16 << 20,
            files: Arc::new(DiskFiles),
        }
    }
}

/// Status of the store for health checks and metrics.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreStatus {
    /// The last acknowledged commit.
    pub last_revision: Revision,
    /// The last commit that is in sled.
    pub applied_revision: Revision,
    /// Waiting writers.
    pub queued: usize,
    /// Commit groups written since the start.
    pub groups: u64,
    /// Commits written since the start.
    pub commits: u64,
    /// Syncs of the journal since the start.
    pub syncs: u64,
    /// Checkpoints since the start.
    pub checkpoints: u64,
    /// Batches that checkpoints have written to sled since the start.
    pub checkpoint_batches: u64,
    /// Upper estimate of the changes in memory, in bytes.
    pub memory_bytes: usize,
    /// End of the last checkpoint.
    pub last_checkpoint: Option<SystemTime>,
    /// Why no write is accepted before a restart; `None` in normal operation.
    pub writes_refused: Option<String>,
}

/// The embedded store. Clones are handles of the same store; dropping the last one closes it.
#[derive(Clone)]
pub struct SledStore {
    inner: Arc<SledInner>,
}

struct SledInner {
    shared: Arc<Shared>,
    identity: Identity,
    path: PathBuf,
    segments: Arc<Mutex<Segments>>,
    repaired: Option<(String, Recovery)>,
    rewritten: Vec<&'static str>,
    dropped_tail: bool,
    proved: bool,
    jobs: SyncSender<Job>,
    closed: AtomicBool,
    running: Mutex<Option<Running>>,
}

/// Resources released when the store is closed.
struct Running {
    committer: JoinHandle<()>,
    checkpointer: JoinHandle<()>,
    layout: layout::Layout,
}

impl SledStore {
    /// Opens and verifies the store in a folder, or creates one in a new or empty folder.
    ///
    /// Reads every record, unless [`StoreOptions::read_later`] is set.
    /// Errors: [`OpenError`]; a damaged store is never served.
    pub fn open(path: impl AsRef<Path>, options: StoreOptions) -> Result<Self, OpenError> {
        let path = path.as_ref();
        start(path, options).map_err(|fault| fault.at(path))
    }

    /// Runs a checkpoint and returns when all changes are in sled.
    /// Errors: [`StorageError::Closed`], or [`StorageError::Unavailable`] when a checkpoint failed.
    pub fn checkpoint(&self) -> Result<(), StorageError> {
        let shared = &self.inner.shared;
        let mut orders = shared.orders();
        // A running checkpoint may have started before the last commit, so one more is requested.
        orders.wanted += 1;
        let number = orders.wanted;
        let orders = shared.wait_for(orders, |orders| {
            orders.done >= number || shared.is_crowded()
        });
        let done = orders.done >= number;
        drop(orders);
        match shared.writes_refused() {
            Some(reason) => Err(StorageError::Unavailable(reason)),
            None if done => Ok(()),
            None if shared.is_crowded() => Err(StorageError::Unavailable(NO_ROOM.to_owned())),
            None => Err(StorageError::Closed),
        }
    }

    /// Reads everything and compares counts and digests, during normal operation.
    /// Errors: [`StorageError::Damaged`] with a description, or [`StorageError::Closed`].
    pub fn check(&self) -> Result<Report, StorageError> {
        let shared = &self.inner.shared;
        let mut orders = shared.orders();
        orders.check = true;
        orders.report = None;
        let is_done = |orders: &Orders| orders.report.is_some() || shared.is_crowded();
        let orders = shared.wait_for(orders, is_done);
        match orders.report.clone() {
            Some(report) => report.map_err(StorageError::Damaged),
            None if shared.is_crowded() => Err(StorageError::Unavailable(NO_ROOM.to_owned())),
            None => Err(StorageError::Closed),
        }
    }

    /// Whether every record was read at the start.
    pub fn is_proved(&self) -> bool {
        self.inner.proved
    }

    /// Reads every record during normal operation, a part at a time, and refuses all writes when one is damaged or
    /// missing. Returns the number of records.
    /// Errors: [`StorageError::Damaged`] with a description, or [`StorageError::Closed`].
    pub fn read_all(&self) -> Result<u64, StorageError> {
        let shared = &self.inner.shared;
        let mut orders = shared.orders();
        orders.read = true;
        orders.records = None;
        let orders = shared.wait_for(orders, |orders| orders.records.is_some());
        let records = orders.records.clone().ok_or(StorageError::Closed)?;
        records.map_err(StorageError::Damaged)
    }

    /// Why no write is accepted before a restart; `None` in normal operation.
    pub fn writes_refused(&self) -> Option<String> {
        self.inner.shared.writes_refused()
    }

    /// Converts a read error. Damage also disables writes: the next start can repair the records from the journal, and
    /// further writes would build on damaged data. The caller must not hold a lock of the tables.
    fn failed(&self, fault: Fault) -> StorageError {
        if let Fault::Damaged(what) = &fault {
            let reason = format!("the store is damaged: {what}");
            self.inner.shared.refuse_writes(&reason);
        }
        fault.into()
    }

    /// The damage found when the store was opened, and its repair; `None` when there was none.
    pub fn repaired(&self) -> Option<(&str, &Recovery)> {
        let (fault, recovery) = self.inner.repaired.as_ref()?;
        Some((fault, recovery))
    }

    /// The files that were damaged when the store was opened and were rewritten from their copy.
    pub fn rewritten(&self) -> &[&'static str] {
        &self.inner.rewritten
    }

    /// Whether the journal ended with a group that is not whole when the store was opened: a write that a crash
    /// interrupted, or a damaged last group that no seal confirms.
    pub fn dropped_tail(&self) -> bool {
        self.inner.dropped_tail
    }

    /// A snapshot of the store's counters and state.
    pub fn status(&self) -> StoreStatus {
        let shared = &self.inner.shared;
        let counts = &shared.counts;
        let tables = shared.tables();
        StoreStatus {
            last_revision: tables.last(),
            applied_revision: counts.applied.load(Ordering::Relaxed),
            queued: counts.queued.load(Ordering::Relaxed),
            groups: counts.groups.load(Ordering::Relaxed),
            commits: counts.commits.load(Ordering::Relaxed),
            syncs: counts.syncs.load(Ordering::Relaxed),
            checkpoints: counts.checkpoints.load(Ordering::Relaxed),
            checkpoint_batches: counts.batches.load(Ordering::Relaxed),
            memory_bytes: tables.active_bytes(),
            last_checkpoint: *unpoisoned(shared.last_checkpoint.lock()),
            writes_refused: shared.writes_refused(),
        }
    }

    /// Histogram of the time to write and sync a group to the journal, in seconds.
    pub fn sync_time(&self) -> Histogram {
        self.inner.shared.sync_time.clone()
    }

    /// Completes waiting commits, runs a checkpoint and closes the files. From then on all handles return
    /// [`StorageError::Closed`]. Closing twice does nothing.
    /// Errors: [`StorageError::Unavailable`] when the last checkpoint failed; acknowledged commits are safe in the journal.
    pub fn close(&self) -> Result<(), StorageError> {
        self.inner.close();
        let refused = self.inner.shared.writes_refused();
        refused.map_or(Ok(()), |reason| Err(StorageError::Unavailable(reason)))
    }

    /// Closes the files immediately without a checkpoint, as in a crash: for recovery tests.
    pub fn abandon(&self) {
        self.inner.shared.abandon();
        self.inner.close();
    }
}

impl fmt::Debug for SledStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SledStore")
            .field("status", &self.status())
            .finish()
    }
}

impl SledStore {
    /// Reads what may have to come from the disk: not on a thread of the caller's runtime, where there is one.
    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Tables) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StorageError> {
        let inner = Arc::clone(&self.inner);
        let read = move || read(&inner.shared.tables());
        let found = match Handle::try_current() {
            // What panics is caught below; so the runtime is ending.
            Ok(runtime) => runtime
                .spawn_blocking(read)
                .await
                .unwrap_or(Err(Fault::Closed)),
            Err(_) => read(),
        };
        found.map_err(|fault| self.failed(fault))
    }
}

fn start(path: &Path, options: StoreOptions) -> Result<SledStore, Fault> {
    let opened = open::open(path, &options)?;
    let parts = opened.parts;
    let journal = Journal::resume(
        Arc::clone(&options.files),
        &opened.layout.journal(),
        options.journal_segment_bytes,
        &parts.recovered,
        parts.segments,
        options.read_only,
    )?;
    let segments = journal.segments();
    let tables = Tables::new(Arc::new(parts.tree), parts.tail.all, parts.recovered.last);
    let blocks = open::blocks(&tables)?;
    let (jobs, waiting) = sync_channel(options.queue);
    let applied = parts.note.applied;
    if !options.read_only {
        // Without this note the next start reads everything.
        let _ = clean::note_open(&opened.layout, &parts.identity);
    }
    let shared = Arc::new(Shared::new(options, path, tables, blocks, applied));
    if shared.options.read_only {
        shared.abandon();
    }
    let checkpointer = Checkpointer {
        shared: Arc::clone(&shared),
        segments: Arc::clone(&segments),
        store: parts.identity.id,
        piece_bytes: records::piece_bytes(parts.identity.sled_segment_bytes),
        folder: opened.layout.sled(),
        reserve: open::reserve_bytes(parts.identity.sled_segment_bytes),
        applied,
        tallies: parts.found.tallies,
        reading: None,
        failed: false,
    };
    let committer = Committer {
        shared: Arc::clone(&shared),
        journal,
        jobs: waiting,
    };
    let running = Running {
        committer: spawn("store-committer", || committer.run())?,
        checkpointer: spawn("store-checkpoint", || checkpointer.run())?,
        layout: opened.layout,
    };
    let inner = SledInner {
        shared,
        identity: parts.identity,
        path: path.to_owned(),
        segments,
        repaired: opened.repaired,
        rewritten: opened.rewritten,
        dropped_tail: parts.recovered.is_torn,
        proved: parts.proved,
        jobs,
        closed: AtomicBool::new(false),
        running: Mutex::new(Some(running)),
    };
    Ok(SledStore {
        inner: Arc::new(inner),
    })
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().name(name.to_owned()).spawn(work)
}

impl SledInner {
    fn close(&self) {
        self.closed.store(true, Ordering::Release);
        let mut running = unpoisoned(self.running.lock());
        let Some(running) = running.take() else {
            return;
        };
        // Fails only when the committer has ended already.
        let _ = self.jobs.send(Job::Close);
        let _ = running.committer.join();
        self.shared.orders().stop = true;
        self.shared.notify();
        let _ = running.checkpointer.join();
        let tree = self.shared.tables_mut().close();
        // sled flushes when the last handle is dropped, and may panic then.
        let ended = quiet::guarded(|| {
            drop(tree);
            Ok(())
        });
        let whole = ended.is_ok() && self.shared.writes_refused().is_none();
        if self.shared.is_abandoned() {
            return;
        }
        if whole {
            let last = self.shared.counts.applied.load(Ordering::Relaxed);
            // Without this note the next start reads everything.
            let _ = clean::note_end(&running.layout, &self.identity, last);
        }
        let _ = clean::distrust(&self.path);
    }

    fn send(&self, job: Job) -> Result<(), StorageError> {
        if self.closed.load(Ordering::Acquire) {
            return Err(StorageError::Closed);
        }
        let queued = &self.shared.counts.queued;
        queued.fetch_add(1, Ordering::Relaxed);
        self.jobs.try_send(job).map_err(|error| {
            queued.fetch_sub(1, Ordering::Relaxed);
            match error {
                TrySendError::Full(_) => StorageError::Busy,
                TrySendError::Disconnected(_) => StorageError::Closed,
            }
        })
    }
}

impl Drop for SledInner {
    fn drop(&mut self) {
        self.close();
    }
}

impl Snapshots for SledStore {
    fn snapshot(&self, sink: &mut RecordSink<'_>) -> Result<Snapshot, StorageError> {
        let taken = self.inner.snapshot(sink);
        taken.map_err(|fault| self.failed(fault))
    }

    fn backed_up(&self, snapshot: &Snapshot) -> io::Result<()> {
        let inner = &self.inner;
        let last = inner.shared.tables().last();
        if snapshot.store != layout::id_text(inner.identity.id) || snapshot.revision > last {
            return Err(io::Error::other("the backup is of another store"));
        }
        let mut segments = unpoisoned(inner.segments.lock());
        if snapshot.revision > segments.backed_up {
            note_backup(&inner.path, &inner.identity, snapshot.revision)?;
            segments.backed_up = snapshot.revision;
        }
        Ok(())
    }
}

impl Storage for SledStore {
    async fn get(&self, keys: &[Key]) -> Result<Vec<Option<Entry>>, StorageError> {
        if keys.len() > KEYS_PER_GET {
            return Err(StorageError::TooLarge {
                what: "a list of keys",
                size: keys.len(),
                limit: KEYS_PER_GET,
            });
        }
        let known = {
            let tables = self.inner.shared.tables();
            let known = |key: &Key| match key.space() {
                INTERNAL => Ok(Some(None)),
                _ => tables.known(key),
            };
            keys.iter().map(known).collect::<Result<Option<_>, Fault>>()
        };
        if let Some(found) = known.map_err(|fault| self.failed(fault))? {
            return Ok(found);
        }
        let keys = keys.to_vec();
        let look = |tables: &Tables, key: &Key| match key.space() {
            INTERNAL => Ok(None),
            _ => tables.look(key),
        };
        self.read(move |tables| keys.iter().map(|key| look(tables, key)).collect())
            .await
    }

    async fn scan(&self, scan: Scan) -> Result<Page, StorageError> {
        self.read(move |tables| tables.page(&scan)).await
    }

    async fn next_numbers(&self, wanted: &[(Sequence, u64)]) -> Result<Vec<u64>, StorageError> {
        if self.inner.closed.load(Ordering::Acquire) {
            return Err(StorageError::Closed);
        }
        let ready =
            |(sequence, first): &(Sequence, u64)| self.inner.shared.ready_number(*sequence, *first);
        let mut numbers: Vec<u64> = wanted.iter().map_while(ready).collect();
        // From the first missing number on, so that the numbers of a sequence rise.
        let missing = wanted.get(numbers.len()..).unwrap_or_default();
        if missing.is_empty() {
            return Ok(numbers);
        }
        let (sender, answer) = oneshot::channel();
        self.inner.send(Job::Numbers(missing.to_vec(), sender))?;
        match answer.await.unwrap_or(Err(StorageError::Closed)) {
            // A number that was not returned has no effect, whether it was reserved or not.
            Err(StorageError::OutcomeUnknown(why)) => Err(StorageError::Unavailable(why)),
            Err(error) => Err(error),
            Ok(drawn) => {
                numbers.extend(drawn);
                Ok(numbers)
            }
        }
    }

    async fn commit(&self, changes: ChangeSet) -> Result<Revision, CommitError> {
        changes.check_size()?;
        let guards = changes.guards.iter().map(|guard| &guard.key);
        let writes = changes.writes.iter().map(erp_core::storage::Write::key);
        if guards.chain(writes).any(|key| key.space() == INTERNAL) {
            let reason = "keys that begin with a zero byte belong to the store";
            return Err(StorageError::Unavailable(reason.to_owned()).into());
        }
        let (sender, answer) = oneshot::channel();
        self.inner.send(Job::Commit(changes, sender))?;
        answer.await.unwrap_or(Err(StorageError::Closed.into()))
    }
}
