//! State shared by the store's threads and handles.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{
    Condvar, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
};
use std::time::{Duration, SystemTime};

use erp_core::storage::Sequence;
use prometheus_client::metrics::histogram::Histogram;

use super::check::Report;
use super::tables::{Layer, Tables};
use super::{StoreOptions, clean};

/// Histogram bounds in seconds: from a disk cache that acknowledges early to a disk that is about to fail.
const SYNC_SECONDS: [f64; 12] = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.1, 0.25, 1.0, 5.0,
];

/// Numbers that may be given out without a write: from `next` (included) to `end` (excluded).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) next: u64,
    pub(crate) end: u64,
}

#[derive(Debug, Default)]
pub(crate) struct StoreCounts {
    pub(crate) queued: AtomicUsize,
    pub(crate) groups: AtomicU64,
    pub(crate) commits: AtomicU64,
    pub(crate) syncs: AtomicU64,
    pub(crate) checkpoints: AtomicU64,
    pub(crate) batches: AtomicU64,
    pub(crate) applied: AtomicU64,
}

#[derive(Debug, Default)]
pub(crate) struct Orders {
    /// Number of checkpoints requested and completed.
    pub(crate) wanted: u64,
    pub(crate) done: u64,
    pub(crate) check: bool,
    pub(crate) stop: bool,
    pub(crate) report: Option<Result<Report, String>>,
    /// All records are to be read, and how many were read at the end.
    pub(crate) read: bool,
    pub(crate) records: Option<Result<u64, String>>,
    pub(crate) ended: bool,
}

pub(crate) struct Shared {
    pub(crate) options: StoreOptions,
    folder: PathBuf,
    pub(crate) counts: StoreCounts,
    /// Time to write and sync a group of commits, in seconds.
    pub(crate) sync_time: Histogram,
    pub(crate) last_checkpoint: Mutex<Option<SystemTime>>,
    tables: RwLock<Tables>,
    pub(crate) blocks: Mutex<BTreeMap<Sequence, Block>>,
    orders: Mutex<Orders>,
    changed: Condvar,
    refused: OnceLock<String>,
    /// The disk is full; a checkpoint waits for free space.
    crowded: AtomicBool,
    abandoned: AtomicBool,
}

impl Shared {
    pub(crate) fn new(
        options: StoreOptions,
        folder: &Path,
        tables: Tables,
        blocks: BTreeMap<Sequence, Block>,
        applied: u64,
    ) -> Self {
        let counts = StoreCounts::default();
        counts.applied.store(applied, Ordering::Relaxed);
        Self {
            options,
            folder: folder.to_owned(),
            counts,
            sync_time: Histogram::new(SYNC_SECONDS),
            last_checkpoint: Mutex::new(None),
            tables: RwLock::new(tables),
            blocks: Mutex::new(blocks),
            orders: Mutex::default(),
            changed: Condvar::new(),
            refused: OnceLock::new(),
            crowded: AtomicBool::new(false),
            abandoned: AtomicBool::new(false),
        }
    }

    pub(crate) fn tables(&self) -> RwLockReadGuard<'_, Tables> {
        unpoisoned(self.tables.read())
    }

    pub(crate) fn tables_mut(&self) -> RwLockWriteGuard<'_, Tables> {
        unpoisoned(self.tables.write())
    }

    pub(crate) fn orders(&self) -> MutexGuard<'_, Orders> {
        unpoisoned(self.orders.lock())
    }

    /// Tells the checkpoint thread of an order, and waits until it is done or the thread has ended.
    pub(crate) fn wait_for<'a>(
        &self,
        orders: MutexGuard<'a, Orders>,
        is_done: impl Fn(&Orders) -> bool,
    ) -> MutexGuard<'a, Orders> {
        self.notify();
        let waits = |orders: &mut Orders| !is_done(orders) && !orders.ended;
        unpoisoned(self.changed.wait_while(orders, waits))
    }

    /// As [`Shared::wait`], but not longer than this.
    pub(crate) fn wait_at_most<'a>(
        &self,
        time: Duration,
        orders: MutexGuard<'a, Orders>,
    ) -> MutexGuard<'a, Orders> {
        unpoisoned(self.changed.wait_timeout(orders, time)).0
    }

    pub(crate) fn notify(&self) {
        self.changed.notify_all();
    }

    /// Why no write is accepted before the store is opened again.
    pub(crate) fn writes_refused(&self) -> Option<String> {
        self.refused.get().cloned()
    }

    /// Disables writes; the first reason is kept. The next start reads everything.
    pub(crate) fn refuse_writes(&self, reason: &str) {
        let _not_removed = clean::distrust(&self.folder);
        let _ = self.refused.set(format!(
            "{reason}; writes are accepted again after a restart"
        ));
        drop(self.orders());
        self.notify();
    }

    pub(crate) fn is_crowded(&self) -> bool {
        self.crowded.load(Ordering::Acquire)
    }

    pub(crate) fn set_crowded(&self, crowded: bool) {
        self.crowded.store(crowded, Ordering::Release);
    }

    pub(crate) fn is_full(&self) -> bool {
        self.tables().active_bytes() > self.options.checkpoint_bytes.saturating_mul(4)
    }

    pub(crate) fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Acquire)
    }

    pub(crate) fn abandon(&self) {
        self.abandoned.store(true, Ordering::Release);
        drop(self.orders());
        self.notify();
    }

    pub(crate) fn publish(&self, layer: Layer, last: u64, commits: u32) {
        let (counts, commits) = (&self.counts, u64::from(commits));
        counts.groups.fetch_add(1, Ordering::Relaxed);
        counts.syncs.fetch_add(1, Ordering::Relaxed);
        counts.commits.fetch_add(commits, Ordering::Relaxed);
        let bytes = {
            let mut tables = self.tables_mut();
            tables.publish(layer, last);
            tables.active_bytes()
        };
        if bytes > self.options.checkpoint_bytes {
            let mut orders = self.orders();
            if orders.wanted == orders.done {
                orders.wanted += 1;
                self.notify();
            }
        }
    }

    /// Blocks writers while a checkpoint lags far behind.
    pub(crate) fn wait_for_checkpoint(&self) {
        if !self.is_full() {
            return;
        }
        let waits = |orders: &mut Orders| {
            self.is_full()
                && !self.is_crowded()
                && self.writes_refused().is_none()
                && !self.is_abandoned()
                && !orders.ended
        };
        drop(unpoisoned(self.changed.wait_while(self.orders(), waits)));
    }

    /// The next number of a sequence, if one is reserved already.
    pub(crate) fn ready_number(&self, sequence: Sequence, first: u64) -> Option<u64> {
        let mut blocks = unpoisoned(self.blocks.lock());
        let block = blocks.get_mut(&sequence)?;
        let number = block.next.max(first);
        let next = number.checked_add(1)?;
        if next > block.end {
            return None;
        }
        block.next = next;
        Some(number)
    }

    /// Takes the rest of a block, so that the committer can extend it.
    pub(crate) fn take_block(&self, sequence: Sequence) -> Block {
        let mut blocks = unpoisoned(self.blocks.lock());
        match blocks.get_mut(&sequence) {
            Some(block) => {
                let taken = *block;
                // Until the group is durable, no other thread takes numbers of this sequence.
                block.next = block.end;
                taken
            }
            None => Block { next: 1, end: 1 },
        }
    }
}

/// Ignores lock poisoning after a panic: the protected values are only replaced as a whole.
pub(crate) fn unpoisoned<T>(result: Result<T, PoisonError<T>>) -> T {
    result.unwrap_or_else(PoisonError::into_inner)
}
