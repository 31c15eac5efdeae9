//! The reference store: everything in memory, nothing durable.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{
    ChangeSet, CommitError, Entry, Expected, Key, Page, Revision, Scan, Sequence, Storage,
    StorageError, Write, outbox_key,
};
use crate::limits::{ENTRIES_PER_PAGE, KEYS_PER_GET};

/// A store in memory: for tests, for programs without a disk, and as the model of the trait's promises.
///
/// It keeps every promise but durability; it ends with the process.
#[derive(Debug, Default)]
pub struct MemoryStore {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    entries: BTreeMap<Key, Entry>,
    revision: Revision,
    numbers: BTreeMap<Sequence, u64>,
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The state is only replaced whole, so a panic elsewhere cannot leave it half changed.
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
            next: scan.rest_behind(&entries, limit),
            entries,
        })
    }

    async fn next_number(&self, sequence: Sequence, first: u64) -> Result<u64, StorageError> {
        let mut state = self.state();
        let last = state.numbers.entry(sequence).or_default();
        *last = last.saturating_add(1).max(first);
        Ok(*last)
    }

    async fn commit(&self, changes: ChangeSet) -> Result<Revision, CommitError> {
        changes.check_size()?;
        let mut state = self.state();
        for guard in changes.guards {
            let found = state.entries.get(&guard.key).map(|entry| entry.revision);
            let holds = match guard.expected {
                Expected::Absent => found.is_none(),
                Expected::At(revision) => found == Some(revision),
            };
            if !holds {
                return Err(CommitError::Conflict { key: guard.key });
            }
        }
        let revision = state.revision.saturating_add(1);
        let mut written: BTreeMap<Key, Option<Vec<u8>>> = BTreeMap::new();
        for write in changes.writes {
            match write {
                Write::Put { key, value } => drop(written.insert(key, Some(value))),
                Write::Delete { key } => drop(written.insert(key, None)),
                Write::Add { key, delta } => {
                    let before = match written.get(&key) {
                        Some(value) => value.clone(),
                        None => state.entries.get(&key).map(|entry| entry.value.clone()),
                    };
                    let before = before
                        .and_then(|value| value.try_into().ok())
                        .map_or(0, i64::from_be_bytes);
                    let Some(after) = before.checked_add(delta) else {
                        return Err(CommitError::CounterOverflow { key });
                    };
                    written.insert(key, Some(after.to_be_bytes().to_vec()));
                }
            }
        }
        for (index, event) in changes.events.into_iter().enumerate() {
            written.insert(outbox_key(revision, index), Some(event));
        }
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
