//! Writes the changes in memory to sled, so that the journal can be shortened.
//!
//! A checkpoint consists of many synced batches, because sled blocks readers while it applies one. The first batch
//! notes the target commit and its tallies. So a crash in between is distinguished from damage, and the journal,
//! which still contains all changes, is applied again.

use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use super::check::{Reading, Report, Tail, examine};
use super::committer::NO_ROOM;
use super::error::Fault;
use super::free_bytes;
use super::journal::{Retention, Segments, prepare_spare};
use super::records::{Encoder, Note};
use super::shared::{Shared, unpoisoned};
use super::tables::Layer;
use super::tally::Tallies;
use super::tree::{RawWrite, Tree};

/// Approximate size of one batch: readers wait at most about two milliseconds for it. Each is synced: after a power loss
/// in the midst of four unsynced ones sled could not read its records.
const BATCH_BYTES: usize = 32 * 1024;

pub(crate) struct Checkpointer {
    pub(crate) shared: Arc<Shared>,
    pub(crate) segments: Arc<Mutex<Segments>>,
    pub(crate) store: [u8; 16],
    pub(crate) piece_bytes: usize,
    pub(crate) folder: PathBuf,
    /// Free disk space reserved for sled, in bytes: below it a checkpoint waits.
    pub(crate) reserve: u64,
    /// sled contains all commits up to this one.
    pub(crate) applied: u64,
    pub(crate) tallies: Tallies,
    /// The reading of all records, once it was ordered and until it has ended.
    pub(crate) reading: Option<Reading>,
    /// Set by a failed checkpoint: the state of sled is unknown until the store is opened again.
    pub(crate) failed: bool,
}

struct Order {
    number: u64,
    check: bool,
    stop: bool,
}

impl Checkpointer {
    /// Runs until it is asked to stop, and ends with a last checkpoint.
    pub(crate) fn run(mut self) {
        loop {
            let order = self.wait();
            if self.shared.is_abandoned() {
                break;
            }
            if let Err(fault) = self.checkpoint() {
                self.fail(&format!("a checkpoint failed: {fault}"));
            }
            let check = || self.check().map_err(|fault| fault.to_string());
            let report = order.check.then(check);
            let mut orders = self.shared.orders();
            orders.done = orders.done.max(order.number);
            if report.is_some() {
                orders.check = false;
                orders.report = report;
            }
            drop(orders);
            self.shared.notify();
            if order.stop {
                break;
            }
        }
        self.shared.orders().ended = true;
        self.shared.notify();
    }

    /// Waits for an order, for the memory limit, or for the maximum age of changes. Reads on in the meantime.
    fn wait(&mut self) -> Order {
        let begun = Instant::now();
        let shared = Arc::clone(&self.shared);
        let mut orders = shared.orders();
        loop {
            let aged = begun.elapsed() >= self.shared.options.checkpoint_after;
            let tables = self.shared.tables();
            let full = tables.active_bytes() > self.shared.options.checkpoint_bytes;
            let any = tables.last() > self.applied;
            drop(tables);
            let due = (full || aged && any) && !self.failed;
            let ordered = orders.wanted > orders.done || orders.check || orders.stop;
            if due || ordered || self.shared.is_abandoned() {
                return Order {
                    number: orders.wanted,
                    check: orders.check,
                    stop: orders.stop,
                };
            }
            if std::mem::take(&mut orders.read) {
                self.reading = Some(Reading::default());
            }
            orders = match self.reading {
                None => shared.wait_at_most(shared.options.checkpoint_after, orders),
                Some(_) => {
                    drop(orders);
                    let pause = self.read_on();
                    shared.wait_at_most(pause, shared.orders())
                }
            };
        }
    }

    /// Reads some more records, and returns how long to wait: as long as that took, so that requests have the processor
    /// and the disk.
    fn read_on(&mut self) -> Duration {
        let begun = Instant::now();
        let ended = match self.read_part() {
            Ok(None) => return begun.elapsed(),
            Ok(Some(records)) => Ok(records),
            Err(Fault::Closed) => return self.shared.options.checkpoint_after,
            Err(fault) => {
                self.fail(&format!("the store is damaged: {fault}"));
                Err(fault.to_string())
            }
        };
        self.reading = None;
        self.shared.orders().records = Some(ended);
        self.shared.notify();
        Duration::ZERO
    }

    /// Reads some more records; their number when all were read and none is missing.
    fn read_part(&mut self) -> Result<Option<u64>, Fault> {
        let tree = Arc::clone(self.shared.tables().tree()?);
        let Some(reading) = &mut self.reading else {
            return Ok(None);
        };
        if !reading.step(&tree)? {
            return Ok(None);
        }
        reading.read.tallies.prove(&self.tallies)?;
        Ok(Some(reading.records))
    }

    fn fail(&mut self, reason: &str) {
        self.failed = true;
        self.shared.refuse_writes(reason);
    }

    fn checkpoint(&mut self) -> Result<(), Fault> {
        if self.failed {
            return Err(Fault::damaged("an earlier checkpoint failed"));
        }
        let (layer, tree, last) = {
            let mut tables = self.shared.tables_mut();
            let last = tables.last();
            if last == self.applied {
                // A backup may have covered more of the journal since.
                drop(tables);
                return self.shorten_journal();
            }
            let (layer, tree) = tables.freeze()?;
            (layer, tree, last)
        };
        // Wakes writers that wait for room in the active table.
        drop(self.shared.orders());
        self.shared.notify();
        self.apply(&tree, &layer, last)?;
        self.shared.tables_mut().thaw();
        self.applied = last;
        let counts = &self.shared.counts;
        counts.applied.store(last, Ordering::Relaxed);
        counts.checkpoints.fetch_add(1, Ordering::Relaxed);
        *unpoisoned(self.shared.last_checkpoint.lock()) = Some(SystemTime::now());
        self.shorten_journal()
    }

    /// Removes journal segments that neither sled nor the retention needs any more.
    fn shorten_journal(&self) -> Result<(), Fault> {
        let options = &self.shared.options;
        let (keep, retention) = (options.journal_keep_segments, options.retention);
        unpoisoned(self.segments.lock()).remove_covered(self.applied, keep, retention)?;
        if retention != Retention::Applied {
            let size = options.journal_segment_bytes;
            if let Err(error) = prepare_spare(&self.segments, &*options.files, size) {
                tracing::warn!(%error, "no journal file could be prepared");
            }
        }
        Ok(())
    }

    fn apply(&mut self, tree: &Tree, layer: &Layer, last: u64) -> Result<(), Fault> {
        let mut encoder = Encoder {
            tree,
            piece_bytes: self.piece_bytes,
            tallies: self.tallies.clone(),
            read: self.reading.as_mut().map(|reading| &mut reading.read),
        };
        let mut batches = Batches::default();
        for (key, slot) in layer {
            batches.add(encoder.writes(key, slot)?);
        }
        let mut note = Note {
            store: self.store,
            applied: self.applied,
            target: last,
            tallies: encoder.tallies,
        };
        let mut batches = batches.done;
        if let [first, _, ..] = batches.as_mut_slice() {
            first.push(note.write());
        }
        note.applied = last;
        match batches.last_mut() {
            Some(batch) => batch.push(note.write()),
            None => batches.push(vec![note.write()]),
        }
        for batch in batches {
            self.wait_for_room()?;
            if self.shared.is_abandoned() {
                return Err(Fault::Closed);
            }
            tree.apply(batch)?;
            self.shared.counts.batches.fetch_add(1, Ordering::Relaxed);
        }
        self.tallies = note.tallies;
        Ok(())
    }

    /// Waits for free disk space. sled cannot recover from a write that failed on a full disk, and then fails to read
    /// some of its data; the journal and memory can.
    fn wait_for_room(&self) -> Result<(), Fault> {
        // Where the system does not report free space, there is assumed to be enough.
        while free_bytes(&self.folder).is_ok_and(|free| free < self.reserve) {
            let orders = self.shared.orders();
            if orders.stop || self.shared.is_abandoned() {
                return Err(Fault::Io(io::Error::new(ErrorKind::StorageFull, NO_ROOM)));
            }
            if !self.shared.is_crowded() {
                tracing::error!(free_needed = self.reserve, "{NO_ROOM}");
                self.shared.set_crowded(true);
                self.shared.notify();
            }
            let time = self.shared.options.checkpoint_after;
            drop(self.shared.wait_at_most(time, orders));
        }
        self.shared.set_crowded(false);
        Ok(())
    }

    /// Reads all of sled and compares it with the expected content.
    fn check(&self) -> Result<Report, Fault> {
        let tree = self.shared.tables().tree()?.clone();
        let found = examine(&tree, &Tail::default())?;
        found.tallies.prove(&self.tallies)?;
        Ok(found.report(self.applied, self.applied))
    }
}

/// Groups writes into batches; the writes of one record stay together, so that it is never stored partially.
#[derive(Default)]
pub(crate) struct Batches {
    pub(crate) done: Vec<Vec<RawWrite>>,
    bytes: usize,
}

impl Batches {
    pub(crate) fn add(&mut self, writes: Vec<RawWrite>) {
        let size = |(key, value): &RawWrite| key.len() + value.as_ref().map_or(0, Vec::len);
        let bytes = writes.iter().map(size).sum();
        match self.done.last_mut() {
            Some(batch) if self.bytes < BATCH_BYTES => {
                self.bytes += bytes;
                batch.extend(writes);
            }
            _ => {
                self.bytes = bytes;
                self.done.push(writes);
            }
        }
    }
}
