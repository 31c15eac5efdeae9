//! Why a store does not open, and the faults of its layers.

use std::io;
use std::path::Path;

use erp_core::storage::StorageError;
use thiserror::Error;

/// What to do about damage, for every message that reports it.
const ADVICE: &str = "nothing was deleted and nothing should be: keep a copy of the folder, \
                      and run `erp-server recover`, with the last backup when it asks for one";

/// Why a data directory could not be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// A process (perhaps this one) has the store open.
    #[error("another process runs on the data directory `{path}`")]
    Locked {
        /// The data directory.
        path: String,
    },
    /// What is there is not what was written.
    #[error("the store in `{path}` is damaged: {what}; {advice}")]
    Damaged {
        /// The data directory.
        path: String,
        /// What was found.
        what: String,
        /// What to do about it.
        advice: &'static str,
    },
    /// The directory holds something else.
    #[error("`{path}` is not empty and holds no store; choose an empty or a new directory")]
    NotAStore {
        /// The data directory.
        path: String,
    },
    /// There is a store where none may be.
    #[error("`{path}` holds a store already; choose an empty or a new directory")]
    HoldsStore {
        /// The data directory.
        path: String,
    },
    /// What was asked for does not fit the store.
    #[error("{reason}")]
    Refused {
        /// Why.
        reason: String,
    },
    /// A newer version of the program wrote the store.
    #[error("the store in `{path}` has format {found}, this version knows formats up to {known}")]
    NewerFormat {
        /// The data directory.
        path: String,
        /// The format found.
        found: u32,
        /// The newest format this version knows.
        known: u32,
    },
    /// The operating system refused something.
    #[error("the data directory `{path}` cannot be used: {source}")]
    Io {
        /// The data directory.
        path: String,
        /// What the operating system said.
        source: io::Error,
    },
}

impl OpenError {
    /// Whether another process has the store open.
    #[must_use]
    pub const fn is_locked(&self) -> bool {
        matches!(self, Self::Locked { .. })
    }

    /// Whether the store is damaged.
    #[must_use]
    pub const fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. })
    }
}

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
        let path = path.display().to_string();
        match self {
            Self::Damaged(what) => OpenError::Damaged {
                path,
                what,
                advice: ADVICE,
            },
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
