//! Backups: one state of a store with its media, in one compressed file.
//!
//! # File format
//! A gzip-compressed tar archive, readable on any system:
//!
//! | name | content |
//! |---|---|
//! | `records/00000001` … | the records, in the order to read them: later ones replace earlier ones |
//! | `media/…` | the files of article media, each named by the SHA-256 of its content |
//! | `manifest.json` | the state, and length and SHA-256 of all other files |
//!
//! The archive is followed by one more, empty gzip member, whose comment is the SHA-256 of everything before it. Its
//! other bytes are fixed, so every bit of the file is verified, and a truncated file is detected by its missing end.
//!
//! # Use
//! [`write()`] exports a store during operation; [`Backup::verify`] verifies a file and gives access to its content.

mod manifest;
mod reader;
mod service;
mod trailer;
mod writer;

use std::io;

use thiserror::Error;

pub use manifest::{FileEntry, Manifest};
pub use reader::Backup;
pub use service::{Backups, Refusal};
pub use writer::{WrittenBackup, write};

#[derive(Debug, Error)]
pub enum BackupError {
    #[error("the backup is damaged: {0}")]
    Damaged(String),
    #[error("the backup has format {found}, this version knows formats up to {known}")]
    NewerFormat { found: u32, known: u32 },
    #[error("the store cannot be read: {0}")]
    Store(#[from] erp_core::storage::StorageError),
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl BackupError {
    fn damaged(what: impl Into<String>) -> Self {
        Self::Damaged(what.into())
    }
}
