//! The single writer thread: commits all waiting jobs as a group and responds after the group is synced.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvError, RecvTimeoutError};
use std::time::Instant;

use erp_core::storage::{ChangeSet, CommitError, Key, Revision, Sequence, StorageError, Write};
use tokio::sync::oneshot;

use super::error::Fault;
use super::journal::{AppendError, Journal, now, put_change, put_change_count, put_time};
use super::records::{Slot, sequence_key};
use super::shared::{Block, Shared, unpoisoned};
use super::tables::{Layer, Tables};

/// Maximum of commits per group. With more, the first of them would wait longer than the sync takes.
const GROUP_COMMITS: usize = 512;

/// Approximate maximum size of a group's journal record.
const GROUP_BYTES: usize = 4 * 1024 * 1024;

/// Numbers reserved by one write; a crash skips at most this many.
const BLOCK_NUMBERS: u64 = 100;

/// Why writes wait when the disk is full.
pub(crate) const NO_ROOM: &str = "the disk has no room for the records";

pub(crate) enum Job {
    Commit(ChangeSet, oneshot::Sender<Result<Revision, CommitError>>),
    Numbers(
        Vec<(Sequence, u64)>,
        oneshot::Sender<Result<Vec<u64>, StorageError>>,
    ),
    /// Shutdown: all earlier jobs were taken, and no job follows.
    Close,
}

/// Sends the response to a job when its group is durable, or the error of the group.
type Answer = Box<dyn FnOnce(Result<(), StorageError>)>;

/// A client that has left gets no response; its job was done nevertheless.
fn answer<T: 'static, E: From<StorageError> + 'static>(
    waiter: oneshot::Sender<Result<T, E>>,
    result: Result<T, E>,
) -> Answer {
    Box::new(move |group| {
        let _ = waiter.send(group.map_err(E::from).and(result));
    })
}

pub(crate) struct Committer {
    pub(crate) shared: Arc<Shared>,
    pub(crate) journal: Journal,
    pub(crate) jobs: Receiver<Job>,
}

impl Committer {
    /// Runs until [`Job::Close`] or until all senders are dropped.
    pub(crate) fn run(mut self) {
        while let Some(job) = self.wait() {
            if matches!(job, Job::Close) || self.shared.is_abandoned() {
                break;
            }
            let (jobs, closing) = self.drain(job);
            self.group(jobs);
            if closing {
                break;
            }
        }
        if !self.shared.is_abandoned() {
            self.give_back_numbers();
            self.seal();
        }
    }

    /// Stores the actual positions of the sequences, so that a clean shutdown skips no numbers.
    fn give_back_numbers(&mut self) {
        let shared = Arc::clone(&self.shared);
        let mut group = CommitGroup::new(&shared, now());
        for sequence in Sequence::ALL {
            let block = shared.take_block(sequence);
            if block.next < block.end {
                group.store_mark(sequence, block.next);
            }
        }
        if self.make_durable(&group).is_ok() {
            group.publish();
        }
    }

    fn wait(&mut self) -> Option<Job> {
        loop {
            if self.journal.is_sealed() || self.shared.writes_refused().is_some() {
                return self.jobs.recv().map_err(|RecvError| ()).ok();
            }
            match self.jobs.recv_timeout(self.shared.options.seal_after) {
                Ok(job) => return Some(job),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => self.seal(),
            }
        }
    }

    fn seal(&mut self) {
        if self.journal.is_sealed() || self.shared.writes_refused().is_some() {
            return;
        }
        match self.journal.seal() {
            Ok(()) => drop(self.shared.counts.syncs.fetch_add(1, Ordering::Relaxed)),
            // If the disk has no room for a seal, the next group reports the error.
            Err(AppendError::Clean(_)) => self.journal.skip_seal(),
            Err(AppendError::Unknown(error)) => self.shared.refuse_writes(&cannot_write(&error)),
        }
    }

    fn drain(&self, first: Job) -> (Vec<Job>, bool) {
        let mut bytes = size_of_job(&first);
        let mut jobs = vec![first];
        while jobs.len() < GROUP_COMMITS && bytes < GROUP_BYTES {
            match self.jobs.try_recv() {
                Ok(Job::Close) => return (jobs, true),
                Ok(job) => {
                    bytes += size_of_job(&job);
                    jobs.push(job);
                }
                Err(_) => break,
            }
        }
        (jobs, false)
    }

    fn group(&mut self, jobs: Vec<Job>) {
        let shared = Arc::clone(&self.shared);
        let queued = &shared.counts.queued;
        queued.fetch_sub(jobs.len(), Ordering::Relaxed);
        let mut group = CommitGroup::new(&shared, now());
        let answers: Vec<Answer> = jobs.into_iter().filter_map(|job| group.take(job)).collect();
        let durable = self.make_durable(&group);
        if durable.is_ok() {
            group.publish();
        }
        for answer in answers {
            answer(durable.clone());
        }
        if durable.is_ok() {
            shared.wait_for_checkpoint();
        }
    }

    /// Writes and syncs a group; after an error the group is not in the journal.
    fn make_durable(&mut self, group: &CommitGroup<'_>) -> Result<(), StorageError> {
        if group.count == 0 {
            return Ok(());
        }
        if let Some(reason) = self.shared.writes_refused() {
            return Err(StorageError::Unavailable(reason));
        }
        if self.shared.is_crowded() && self.shared.is_full() {
            return Err(StorageError::Unavailable(NO_ROOM.to_owned()));
        }
        let begun = Instant::now();
        let appended = self.journal.append(group.count, &group.payload);
        self.shared.sync_time.observe(begun.elapsed().as_secs_f64());
        appended.map_err(|error| match error {
            AppendError::Clean(error) => StorageError::Unavailable(cannot_write(&error)),
            AppendError::Unknown(error) => {
                let reason = cannot_write(&error);
                self.shared.refuse_writes(&reason);
                StorageError::OutcomeUnknown(reason)
            }
        })
    }
}

fn cannot_write(error: &io::Error) -> String {
    format!("the journal cannot be written: {error}")
}

fn size_of_job(job: &Job) -> usize {
    let Job::Commit(changes, _) = job else {
        return 0;
    };
    let events = changes.events.iter().map(Vec::len);
    let writes = changes.writes.iter().map(|write| match write {
        Write::Put { value, .. } => value.len(),
        _ => 0,
    });
    events.chain(writes).sum()
}

/// A group under construction: each set sees the changes of the earlier ones.
struct CommitGroup<'a> {
    shared: &'a Shared,
    payload: Vec<u8>,
    overlay: Layer,
    count: u32,
    last: u64,
    blocks: BTreeMap<Sequence, Block>,
}

impl<'a> CommitGroup<'a> {
    fn new(shared: &'a Shared, time: u64) -> Self {
        let mut payload = Vec::new();
        put_time(&mut payload, time);
        Self {
            shared,
            payload,
            overlay: Layer::new(),
            count: 0,
            last: shared.tables().last(),
            blocks: BTreeMap::new(),
        }
    }

    /// Makes the group visible to readers, and the rest of its number blocks available: a group that only took numbers of
    /// blocks writes nothing, and without their rest two clients would waste half of all numbers.
    fn publish(self) {
        if self.count > 0 {
            self.shared.publish(self.overlay, self.last, self.count);
        }
        unpoisoned(self.shared.blocks.lock()).extend(self.blocks);
    }

    fn take(&mut self, job: Job) -> Option<Answer> {
        match job {
            Job::Commit(changes, waiter) => Some(answer(waiter, self.commit(changes))),
            Job::Numbers(wanted, waiter) => {
                let numbers = wanted.into_iter();
                let numbers = numbers.map(|(sequence, first)| self.number(sequence, first));
                Some(answer(waiter, numbers.collect()))
            }
            Job::Close => None,
        }
    }

    fn commit(&mut self, changes: ChangeSet) -> Result<Revision, CommitError> {
        let revision = self.last.saturating_add(1);
        let overlay = &self.overlay;
        let tables = self.shared.tables();
        let written = changes.resolve(revision, |key| match overlay.get(key) {
            Some(slot) => Ok(slot.entry()),
            None => Ok(tables.look(key)?),
        });
        drop(tables);
        if let Err(CommitError::Storage(StorageError::Damaged(what))) = &written {
            let reason = format!("the store is damaged: {what}");
            self.shared.refuse_writes(&reason);
        }
        let written = written?;
        self.append(revision, written);
        Ok(revision)
    }

    fn append(&mut self, revision: u64, written: BTreeMap<Key, Option<Vec<u8>>>) {
        put_change_count(&mut self.payload, written.len());
        for (key, value) in written {
            put_change(&mut self.payload, &key, value.as_deref());
            self.overlay.insert(key, Slot { revision, value });
        }
        self.last = revision;
        self.count += 1;
    }

    fn store_mark(&mut self, sequence: Sequence, mark: u64) {
        let value = Some(mark.to_be_bytes().to_vec());
        let written = BTreeMap::from([(sequence_key(sequence.as_str()), value)]);
        self.append(self.last.saturating_add(1), written);
    }

    /// Takes a number from a block that becomes durable with this group at the latest.
    fn number(&mut self, sequence: Sequence, first: u64) -> Result<u64, StorageError> {
        let block = self.blocks.get(&sequence).copied();
        let mut block = block.unwrap_or_else(|| self.shared.take_block(sequence));
        let number = block.next.max(first);
        let next = number.checked_add(1).ok_or_else(|| sequence.used_up())?;
        if next > block.end {
            block.end = next.saturating_add(BLOCK_NUMBERS);
            self.store_mark(sequence, block.end);
        }
        block.next = next;
        self.blocks.insert(sequence, block);
        Ok(number)
    }
}

pub(crate) fn high_water(tables: &Tables, sequence: Sequence) -> Result<u64, Fault> {
    let Some(entry) = tables.look(&sequence_key(sequence.as_str()))? else {
        return Ok(1);
    };
    let mark = entry.value.as_slice().try_into().map(u64::from_be_bytes);
    mark.map_err(|_| Fault::damaged("the mark of a number sequence is unreadable"))
}
