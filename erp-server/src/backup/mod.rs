//! Backups: one state of a store with its media, in one compressed file.
//!
//! # The file
//! A tar archive in gzip, so any system can look into it:
//!
//! | name | what |
//! |---|---|
//! | `records/00000001` … | the records, in the order in which they are to be read: later ones hide earlier ones |
//! | `media/…` | the files of article media, each named by the SHA-256 of its content |
//! | `manifest.json` | what the state is, and length and SHA-256 of all the others |
//!
//! Behind the archive stands one more, empty member of gzip, whose comment is the SHA-256 of everything
//! before it. Its other bytes are given, so every bit of the file is proved, and a file that ends early
//! has no such end.
//!
//! # Where it comes from and goes to
//! [`write()`] reads a store that works on; [`Backup::verify`] proves a file and gives what is in it.

mod manifest;
mod reader;
mod service;
mod trailer;
mod writer;

use std::io;

use thiserror::Error;

pub use manifest::{FileEntry, Manifest};
pub use reader::Backup;
pub use service::{Backups, Named, Refusal};
pub use writer::{Source, Written, write};

/// Why a backup cannot be written or used.
#[derive(Debug, Error)]
pub enum BackupError {
    /// The file is not what was written.
    #[error("the backup is damaged: {0}")]
    Damaged(String),
    /// A newer version of the program wrote it.
    #[error("the backup has format {found}, this version knows formats up to {known}")]
    NewerFormat {
        /// The format found.
        found: u32,
        /// The newest format this version knows.
        known: u32,
    },
    /// The store cannot be read.
    #[error("the store cannot be read: {0}")]
    Store(#[from] erp_core::storage::StorageError),
    /// What the system answers.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl BackupError {
    fn damaged(what: impl Into<String>) -> Self {
        Self::Damaged(what.into())
    }
}
