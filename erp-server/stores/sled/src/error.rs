//! Why a store does not open, and the faults of its layers.

use std::io;
use std::path::Path;

use erp_core::storage::StorageError;
use thiserror::Error;

use super::layout::JOURNAL;
use erp_store::OpenError;

/// What went wrong below, before anyone knows which directory it was.
#[derive(Debug, Error)]
pub(crate) enum Fault {
    /// What was read is not what was written.
    #[error("{0}")]
    Damaged(String),
    /// The operating system refused something.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Somebody else has the files.
    #[error("another process runs on the data directory")]
    Locked,
    /// A newer version wrote the files.
    #[error("the store has format {0}")]
    NewerFormat(u32),
    /// The directory holds something else.
    #[error("no store")]
    NotAStore,
    /// There is a store where none may be.
    #[error("there is a store already")]
    HoldsStore,
    /// What was asked for does not fit the store.
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
        // Without the journal `erp-server recover` has nothing to begin with.
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
