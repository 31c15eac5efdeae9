//! What a store can answer instead of success.

use thiserror::Error;

use super::Key;

/// A store that cannot do its work. None of these is the fault of a request.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StorageError {
    /// Too many writers are waiting; try again.
    #[error("the store has too many writers waiting")]
    Busy,
    /// The store is closing or closed.
    #[error("the store is closed")]
    Closed,
    /// The store cannot be reached or cannot write (disk full, connection lost).
    #[error("the store does not answer: {0}")]
    Unavailable(String),
    /// The store stopped answering while a change was in progress: it may have been made or not.
    #[error("the outcome is unknown: {0}")]
    OutcomeUnknown(String),
    /// What was read is not what was written.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// A record, a change set or a list of keys is larger than the store takes.
    #[error("{what} is {size} large, at most {limit} is allowed")]
    TooLarge {
        /// What was too large.
        what: &'static str,
        /// How large it was.
        size: usize,
        /// How large it may be.
        limit: usize,
    },
}

/// Why a commit did not happen.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CommitError {
    /// A guard did not hold; nothing was changed.
    #[error("another writer was faster")]
    Conflict {
        /// The key whose guard failed.
        key: Key,
    },
    /// A counter would leave 64 bits; nothing was changed.
    #[error("a counter would overflow")]
    CounterOverflow {
        /// The counter.
        key: Key,
    },
    /// The store failed. Nothing was changed and nothing will be, unless the error is
    /// [`StorageError::OutcomeUnknown`].
    #[error(transparent)]
    Storage(#[from] StorageError),
}
