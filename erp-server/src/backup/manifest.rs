//! What a backup says about itself.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::store::Snapshot;

/// The format of new backups.
pub(super) const FORMAT: u32 = 1;

/// The name of the manifest in the archive.
pub(super) const NAME: &str = "manifest.json";

/// What a backup holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The format of the file.
    pub format: u32,
    /// The version of the program that wrote it.
    pub version: String,
    /// When it was begun.
    pub made: Timestamp,
    /// The state in it.
    pub snapshot: Snapshot,
    /// Changes of records in it; a record that changed meanwhile counts again.
    pub records: u64,
    /// Media files in it.
    pub media: u64,
    /// Media files that records name and that were missing or damaged when the backup was made, by their
    /// SHA-256.
    pub missing_media: Vec<String>,
    /// All other files of the archive, in their order.
    pub files: Vec<FileEntry>,
}

/// A file of the archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Its name in the archive.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// The SHA-256 of its content, in hexadecimal digits.
    pub sha256: String,
}
