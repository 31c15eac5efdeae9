//! Errors of a store.

use thiserror::Error;

use super::Key;

/// A store failure. None of these is caused by a request.
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
    /// The store stopped responding during a commit: the change may have been made or not.
    #[error("the outcome is unknown: {0}")]
    OutcomeUnknown(String),
    /// Stored data cannot be read back as it was written.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// A record, a change set or a list of keys exceeds a limit of the store.
    #[error("{what} is {size} large, at most {limit} is allowed")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Actual size.
        size: usize,
        /// Allowed size.
        limit: usize,
    },
}

/// Why a commit failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CommitError {
    /// A guard failed; nothing was changed.
    #[error("another writer was faster")]
    Conflict {
        /// The key whose guard failed.
        key: Key,
    },
    /// A counter would exceed 64 bits; nothing was changed.
    #[error("a counter would overflow")]
    CounterOverflow {
        /// The counter.
        key: Key,
    },
    /// The store failed. Nothing was changed and nothing will be, except after [`StorageError::OutcomeUnknown`].
    #[error(transparent)]
    Storage(#[from] StorageError),
}
