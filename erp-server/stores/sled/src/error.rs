use std::io;

use erp_core::storage::StorageError;
use thiserror::Error;

/// A fault of a lower layer, which does not know the data directory.
#[derive(Debug, Error)]
pub(crate) enum Fault {
    #[error("{0}")]
    Damaged(String),
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("another process uses the data directory")]
    Locked,
    #[error("the store has format {0}")]
    NewerFormat(u32),
    #[error("no store")]
    NotAStore,
    #[error("there is a store already")]
    HoldsStore,
    /// The request does not fit the store.
    #[error("{0}")]
    Refused(String),
    #[error("the store is closed")]
    Closed,
}

impl Fault {
    pub(crate) fn damaged(what: impl Into<String>) -> Self {
        Self::Damaged(what.into())
    }
}

impl From<Fault> for StorageError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Damaged(what) => Self::Damaged(what),
            Fault::Closed => Self::Closed,
            other => Self::Unavailable(other.to_string()),
        }
    }
}
