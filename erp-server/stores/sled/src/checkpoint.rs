//! Brings what memory holds into sled, so that the journal can become short again.
//!
//! A checkpoint is many batches, each synced, because sled lets nobody read while it applies one. The
//! first batch notes where the checkpoint goes and what the tallies will be then; so a crash in
//! between is told from damage, and the journal, which still holds all of it, is applied again.

use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use super::check::{Report, Tail, examine};
use super::committer::{NO_ROOM, unpoisoned};
use super::error::Fault;
use super::free_bytes;
use super::journal::{Retention, Segments, prepare_spare};
use super::records::{Encoder, Note};
use super::shared::Shared;
use super::tables::Layer;
use super::tally::Tallies;
use super::tree::{RawWrite, Tree};

/// Bytes of one batch, about: readers wait about two milliseconds for it at most.
const BATCH_BYTES: usize = 32 * 1024;

/// The checkpoint thread.
pub(crate) struct Checkpointer {
    pub(crate) shared: Arc<Shared>,
    pub(crate) segments: Arc<Mutex<Segments>>,
    pub(crate) store: [u8; 16],
    pub(crate) piece_bytes: usize,
    /// Of the records.
    pub(crate) folder: PathBuf,
    /// Bytes of the disk that sled gets and nobody else: with fewer free ones a checkpoint waits.
    pub(crate) reserve: u64,
    /// Commits up to this one are in sled.
    pub(crate) applied: u64,
    /// Of what is in sled.
    pub(crate) tallies: Tallies,
    /// After a failed checkpoint what is in sled is unknown until the store is opened again.
    pub(crate) failed: bool,
}

struct Order {
    number: u64,
    check: bool,
    stop: bool,
}

impl Checkpointer {
    /// Works until it is told to stop; the last checkpoint is part of that.
    pub(crate) fn run(mut self) {
        loop {
            let order = self.wait();
            if self.shared.is_abandoned() {
                break;
            }
            if let Err(fault) = self.checkpoint() {
                self.failed = true;
                self.shared
                    .refuse_writes(&format!("a checkpoint failed: {fault}"));
            }
            let report = order
                .check
                .then(|| self.check().map_err(|fault| fault.to_string()));
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

    /// Waits for an order, for too much in memory, or for the age at which anything goes to sled.
    fn wait(&self) -> Order {
        let mut orders = self.shared.orders();
        let mut aged = false;
        loop {
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
            (orders, aged) = self.shared.wait_for_age(orders);
        }
    }

    fn checkpoint(&mut self) -> Result<(), Fault> {
        if self.failed {
            return Err(Fault::damaged("an earlier checkpoint failed"));
        }
        let (layer, tree, last) = {
            let mut tables = self.shared.tables_mut();
            let last = tables.last();
            if last == self.applied {
                // A backup may have covered more of it since.
                drop(tables);
                return self.shorten_journal();
            }
            let (layer, tree) = tables.freeze()?;
            (layer, tree, last)
        };
        // Writers may wait for room in the active table.
        drop(self.shared.orders());
        self.shared.notify();
        self.apply(&tree, &layer, last)?;
        self.shared.tables_mut().thaw();
        self.applied = last;
        self.shared.counts.applied.store(last, Ordering::Relaxed);
        self.shared
            .counts
            .checkpoints
            .fetch_add(1, Ordering::Relaxed);
        *unpoisoned(self.shared.last_checkpoint.lock()) = Some(SystemTime::now());
        self.shorten_journal()
    }

    /// Removes what sled and the retention no longer need of the journal.
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
        };
        let mut batches = Batches::default();
        for (key, slot) in layer {
            let mut writes = Vec::new();
            match &slot.value {
                Some(value) => encoder.put(key, slot.revision, value, &mut writes)?,
                None => encoder.delete(key, &mut writes)?,
            }
            batches.add(writes);
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

    /// Waits until the disk has room. sled cannot go on behind a write that had none, and neither reads all it
    /// holds; the journal and memory can.
    fn wait_for_room(&self) -> Result<(), Fault> {
        // A system that does not tell is believed to have room.
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
            drop(self.shared.wait_for_age(orders));
        }
        self.shared.set_crowded(false);
        Ok(())
    }

    /// Reads everything in sled and compares it with what must be there.
    fn check(&self) -> Result<Report, Fault> {
        let tree = self.shared.tables().tree()?.clone();
        let found = examine(&tree, &Tail::default())?;
        found.compare(&self.tallies)?;
        let segments = unpoisoned(self.segments.lock()).list.clone();
        Ok(found.report(self.applied, self.applied, &segments))
    }
}

/// Writes by batch; those of one record stay together, so that it is never stored in part.
#[derive(Default)]
pub(crate) struct Batches {
    pub(crate) done: Vec<Vec<RawWrite>>,
    bytes: usize,
}

impl Batches {
    pub(crate) fn add(&mut self, writes: Vec<RawWrite>) {
        let size =
            |(key, value): &RawWrite| key.len().saturating_add(value.as_ref().map_or(0, Vec::len));
        let bytes = writes.iter().map(size).fold(0, usize::saturating_add);
        match self.done.last_mut() {
            Some(batch) if self.bytes < BATCH_BYTES => {
                self.bytes = self.bytes.saturating_add(bytes);
                batch.extend(writes);
            }
            _ => {
                self.bytes = bytes;
                self.done.push(writes);
            }
        }
    }
}
