//! Why a store does not open.

use std::io;

use thiserror::Error;

/// Why a store could not be opened.
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
    /// The database refused something or cannot be reached.
    #[error("the database {database} cannot be used: {reason}")]
    Database {
        /// The database, without its password.
        database: String,
        /// What it said.
        reason: String,
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
    /// What to do about damage, for every message that reports it.
    pub const ADVICE: &'static str = "nothing was deleted and nothing should be: keep a copy of the \
                      folder, and run `erp-server recover`, with the last backup when it asks for one";

    /// The same when `recover` cannot help, because the journal is lost or does not fit.
    pub const RESTORE: &'static str = "nothing was deleted and nothing should be: keep a copy of the \
                      folder, and restore the last backup into a new folder with `erp-server restore FILE --data \
                      NEW-FOLDER`; changes after the backup are lost with the journal";

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
