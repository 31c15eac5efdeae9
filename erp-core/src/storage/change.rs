//! Change sets: everything that one commit checks and writes.

use std::collections::BTreeMap;

use super::record::mark;
use super::{CommitError, Entry, Key, Revision, StorageError, outbox_key};
use crate::values::limits::{CHANGE_SET_BYTES, KEY_BYTES, RECORD_BYTES};

/// A precondition of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The key to check.
    pub key: Key,
    /// The revision that its entry must have; `None` when there must be no entry.
    pub expected: Option<Revision>,
}

/// One write of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// Stores a value.
    Put {
        /// The key.
        key: Key,
        /// The new value.
        value: Vec<u8>,
    },
    /// Removes an entry; does nothing when there is none.
    Delete {
        /// The key.
        key: Key,
    },
    /// Adds to a counter; an absent one counts as 0.
    Add {
        /// The key.
        key: Key,
        /// The amount to add; may be negative.
        delta: i64,
    },
}

impl Write {
    /// The key that is written.
    pub const fn key(&self) -> &Key {
        match self {
            Self::Put { key, .. } | Self::Delete { key } | Self::Add { key, .. } => key,
        }
    }
}

/// Everything one commit does, all or nothing.
///
/// Each key takes one kind of write per set: put and delete for records (the last one wins), add for counters (the
/// amounts add up).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeSet {
    /// Preconditions, checked against the state right before the commit.
    pub guards: Vec<Guard>,
    /// Writes, in this order.
    pub writes: Vec<Write>,
    /// Events for the outbox, stored in [`Space::Outbox`](super::Space) by revision and place.
    pub events: Vec<Vec<u8>>,
}

impl ChangeSet {
    /// An empty change set.
    pub const fn new() -> Self {
        Self {
            guards: Vec::new(),
            writes: Vec::new(),
            events: Vec::new(),
        }
    }

    /// Whether the set neither checks nor changes anything.
    pub const fn is_empty(&self) -> bool {
        self.guards.is_empty() && self.writes.is_empty() && self.events.is_empty()
    }

    /// Requires that the key is unchanged since it was read: at its `expected` revision, or absent for `None`.
    pub fn guard(&mut self, key: Key, expected: Option<Revision>) {
        self.guards.push(Guard { key, expected });
    }

    /// Stores a value.
    pub fn put(&mut self, key: Key, value: Vec<u8>) {
        self.writes.push(Write::Put { key, value });
    }

    /// Stores a secondary key without further content.
    pub(crate) fn mark(&mut self, key: Key) {
        let value = mark(key.space());
        self.put(key, value);
    }

    /// Stores a value under a key that must be free.
    pub fn insert(&mut self, key: Key, value: Vec<u8>) {
        self.guard(key.clone(), None);
        self.put(key, value);
    }

    /// Removes an entry.
    pub fn delete(&mut self, key: Key) {
        self.writes.push(Write::Delete { key });
    }

    /// Adds to a counter.
    pub fn add(&mut self, key: Key, delta: i64) {
        self.writes.push(Write::Add { key, delta });
    }

    // rule: R-EVT-04
    /// Adds an event that is delivered if and only if the set is committed.
    pub fn event(&mut self, event: Vec<u8>) {
        self.events.push(event);
    }

    /// Checks the size limits that every backend must support.
    ///
    /// # Errors
    /// [`StorageError::TooLarge`] when a key, a record or the whole set exceeds its limit.
    pub fn check_size(&self) -> Result<(), StorageError> {
        let guards = self.guards.iter().map(|guard| &guard.key);
        for key in guards.chain(self.writes.iter().map(Write::key)) {
            check("a key", key.as_bytes().len(), KEY_BYTES)?;
        }
        for size in self.sizes() {
            check("a record", size, RECORD_BYTES)?;
        }
        check("a change set", self.bytes(), CHANGE_SET_BYTES)
    }

    /// Total bytes of all written keys and values.
    pub fn bytes(&self) -> usize {
        self.sizes().sum()
    }

    /// Bytes of each write and event.
    fn sizes(&self) -> impl Iterator<Item = usize> {
        let writes = self.writes.iter().map(|write| match write {
            Write::Put { key, value } => key.as_bytes().len() + value.len(),
            Write::Delete { key } | Write::Add { key, .. } => key.as_bytes().len() + 8,
        });
        let events = self.events.iter().map(|event| event.len() + 17);
        writes.chain(events)
    }

    /// Computes the value of each written key, for backends without arithmetic of their own.
    ///
    /// `read` returns the state right before the commit; `revision` is the number that the commit will get.
    ///
    /// # Errors
    /// [`CommitError::Conflict`] when a guard fails, [`CommitError::CounterOverflow`], and errors of `read`.
    pub fn resolve(
        self,
        revision: Revision,
        mut read: impl FnMut(&Key) -> Result<Option<Entry>, StorageError>,
    ) -> Result<BTreeMap<Key, Option<Vec<u8>>>, CommitError> {
        for Guard { key, expected } in self.guards {
            let found = read(&key)?.map(|entry| entry.revision);
            if found != expected {
                return Err(CommitError::Conflict { key });
            }
        }
        let mut written: BTreeMap<Key, Option<Vec<u8>>> = BTreeMap::new();
        for write in self.writes {
            match write {
                Write::Put { key, value } => drop(written.insert(key, Some(value))),
                Write::Delete { key } => drop(written.insert(key, None)),
                Write::Add { key, delta } => {
                    let before = match written.get(&key) {
                        Some(value) => value.clone(),
                        None => read(&key)?.map(|entry| entry.value),
                    };
                    let Some(after) = counter(before.as_deref()).checked_add(delta) else {
                        return Err(CommitError::CounterOverflow { key });
                    };
                    written.insert(key, Some(after.to_be_bytes().to_vec()));
                }
            }
        }
        for (index, event) in self.events.into_iter().enumerate() {
            written.insert(outbox_key(revision, index), Some(event));
        }
        Ok(written)
    }
}

/// An entry that is not a counter counts as absent, as in [`Entry::counter`].
fn counter(value: Option<&[u8]>) -> i64 {
    value
        .and_then(|value| value.try_into().ok())
        .map_or(0, i64::from_be_bytes)
}

const fn check(what: &'static str, size: usize, limit: usize) -> Result<(), StorageError> {
    if size > limit {
        return Err(StorageError::TooLarge { what, size, limit });
    }
    Ok(())
}
