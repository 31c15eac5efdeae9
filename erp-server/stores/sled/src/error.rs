//! Errors of opening a store, and faults of the lower layers.

use std::io;
use std::path::Path;

use erp_core::storage::StorageError;
use thiserror::Error;

use super::layout::JOURNAL;
use erp_store::OpenError;

/// A fault of a lower layer, which does not know the data directory.
#[derive(Debug, Error)]
pub(crate) enum Fault {
    /// Stored data differs from what was written.
    #[error("{0}")]
    Damaged(String),
    /// An I/O error.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Another process has locked the files.
    #[error("another process uses the data directory")]
    Locked,
    /// A newer version wrote the files.
    #[error("the store has format {0}")]
    NewerFormat(u32),
    /// The directory contains other files.
    #[error("no store")]
    NotAStore,
    /// The directory contains a store already.
    #[error("there is a store already")]
    HoldsStore,
    /// The request does not fit the store.
    #[error("{0}")]
    Refused(String),
    /// The store was closed meanwhile.
    #[error("the store is closed")]
    Closed,
}

impl Fault {
    pub(crate) fn damaged(what: impl Into<String>) -> Self {
        Self::Damaged(what.into())
    }

    pub(crate) fn at(self, path: &Path) -> OpenError {
        // Without the journal `erp-server recover` has no data to work with.
        let advice = match std::fs::read_dir(path.join(JOURNAL)).map(|mut files| files.next()) {
            Ok(Some(_)) => OpenError::ADVICE,
            _ => OpenError::RESTORE,
        };
        let path = path.display().to_string();
        match self {
            Self::Damaged(what) => OpenError::Damaged { path, what, advice },
            Self::Io(source) => OpenError::Io { path, source },
            Self::Locked => OpenError::Locked { path },
            Self::NewerFormat(found) => OpenError::NewerFormat {
                path,
                found,
                known: super::FORMAT,
            },
            Self::NotAStore => OpenError::NotAStore { path },
            Self::HoldsStore => OpenError::HoldsStore { path },
            Self::Refused(reason) => OpenError::Refused { reason },
            Self::Closed => OpenError::Io {
                path,
                source: io::Error::other("the store is closed"),
            },
        }
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
