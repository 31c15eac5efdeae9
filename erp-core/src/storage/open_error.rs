//! Errors when a store is opened.

use std::io;

use thiserror::Error;

/// Why a store could not be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// A process (perhaps this one) has the store open.
    #[error("another process uses the data directory `{path}`")]
    Locked {
        /// The data directory.
        path: String,
    },
    /// Stored data differs from what was written.
    #[error("the store in `{path}` is damaged: {what}; {advice}")]
    Damaged {
        /// The data directory.
        path: String,
        /// What was found.
        what: String,
        /// The recommended action.
        advice: &'static str,
    },
    /// The directory contains other files.
    #[error("`{path}` is not empty and not a store; choose an empty or a new directory")]
    NotAStore {
        /// The data directory.
        path: String,
    },
    /// The target of a copy or restore contains a store already.
    #[error("`{path}` holds a store already; choose an empty or a new directory")]
    HoldsStore {
        /// The data directory.
        path: String,
    },
    /// The request does not fit the store.
    #[error("{reason}")]
    Refused {
        /// The reason, for the user.
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
    /// The database cannot be reached or rejected a statement.
    #[error("the database {database} cannot be used: {reason}")]
    Database {
        /// The database, without its password.
        database: String,
        /// The message of the database or the connection.
        reason: String,
    },
    /// An I/O error of the data directory.
    #[error("the data directory `{path}` cannot be used: {source}")]
    Io {
        /// The data directory.
        path: String,
        /// The error of the operating system.
        source: io::Error,
    },
}

impl OpenError {
    /// Whether the store is damaged.
    pub const fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. })
    }
}
