//! The reference store: in memory, not durable.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{
    ChangeSet, CommitError, Entry, Key, Page, Revision, Scan, Sequence, Storage, StorageError,
};
use crate::values::limits::{ENTRIES_PER_PAGE, KEYS_PER_GET};

/// An in-memory store for tests and for programs without a disk. It is also the reference for the promises of
/// [`Storage`], of which it keeps all but durability: its data end with the process.
#[derive(Debug, Default)]
pub struct MemoryStore {
    state: Mutex<MemoryState>,
}

#[derive(Debug, Default)]
struct MemoryState {
    entries: BTreeMap<Key, Entry>,
    revision: Revision,
    numbers: BTreeMap<Sequence, u64>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, MemoryState> {
        // The state is only replaced as a whole, so a panic elsewhere cannot leave it inconsistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Storage for MemoryStore {
    async fn get(&self, keys: &[Key]) -> Result<Vec<Option<Entry>>, StorageError> {
        if keys.len() > KEYS_PER_GET {
            return Err(StorageError::TooLarge {
                what: "a list of keys",
                size: keys.len(),
                limit: KEYS_PER_GET,
            });
        }
        let state = self.state();
        Ok(keys
            .iter()
            .map(|key| state.entries.get(key).cloned())
            .collect())
    }

    async fn scan(&self, scan: Scan) -> Result<Page, StorageError> {
        let limit = scan.limit.clamp(1, ENTRIES_PER_PAGE);
        if scan.from >= scan.until {
            return Ok(Page::default());
        }
        let state = self.state();
        let range = state.entries.range(scan.from.clone()..scan.until.clone());
        let copy = |(key, entry): (&Key, &Entry)| (key.clone(), entry.clone());
        let entries: Vec<_> = if scan.backwards {
            range.rev().take(limit).map(copy).collect()
        } else {
            range.take(limit).map(copy).collect()
        };
        Ok(Page {
            next: scan.after_page(&entries, limit),
            entries,
        })
    }

    async fn next_numbers(&self, wanted: &[(Sequence, u64)]) -> Result<Vec<u64>, StorageError> {
        let mut state = self.state();
        let draw = |(sequence, first): &(Sequence, u64)| {
            let last = state.numbers.entry(*sequence).or_default();
            let next = last.checked_add(1).ok_or_else(|| sequence.used_up())?;
            *last = next.max(*first);
            Ok(*last)
        };
        wanted.iter().map(draw).collect()
    }

    async fn commit(&self, changes: ChangeSet) -> Result<Revision, CommitError> {
        changes.check_size()?;
        let mut state = self.state();
        let revision = state.revision.saturating_add(1);
        let written = changes.resolve(revision, |key| Ok(state.entries.get(key).cloned()))?;
        state.revision = revision;
        for (key, value) in written {
            match value {
                Some(value) => drop(state.entries.insert(key, Entry { revision, value })),
                None => drop(state.entries.remove(&key)),
            }
        }
        Ok(revision)
    }
}
