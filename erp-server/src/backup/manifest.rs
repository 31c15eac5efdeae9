use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::store::Snapshot;

pub(super) const FORMAT: u32 = 1;

pub(super) const NAME: &str = "manifest.json";

/// Content of a backup, stored as JSON in the archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    pub version: String,
    pub made: Timestamp,
    pub snapshot: Snapshot,
    /// Number of record changes; a record that changed during the export counts again.
    pub records: u64,
    pub media: u64,
    /// SHA-256 of the media files that records refer to and that were missing or damaged when the backup was made.
    pub missing_media: Vec<String>,
    /// All other files of the archive, in archive order.
    pub files: Vec<FileEntry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    pub name: String,
    pub bytes: u64,
    pub sha256: String,
}
