//! Export and import of a store's state.

use std::collections::BTreeMap;
use std::io;

use serde::{Deserialize, Serialize};

use super::{Key, StorageError};

/// Identifies the exported state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The id of the store.
    pub store: String,
    /// The revision of the last commit it contains.
    pub revision: u64,
    /// Time of that commit in milliseconds since 1970; 0 if unknown.
    pub time: u64,
    /// Lower bound of the next number, by sequence name.
    pub sequences: BTreeMap<String, u64>,
}

/// Receives records: key, revision, and the value or `None` for a deleted key. A later record replaces an earlier
/// one of the same key.
pub type RecordSink<'a> = dyn FnMut(Key, u64, Option<Vec<u8>>) -> io::Result<()> + 'a;

/// The records of a snapshot.
pub trait Records {
    /// Passes all records to a sink.
    /// Errors: those of reading and of the sink.
    fn each(&mut self, sink: &mut RecordSink<'_>) -> io::Result<()>;
}

/// A store that can export its state during normal operation.
pub trait Snapshots: Send + Sync {
    /// Passes one consistent state of the store to `sink` and returns its identification. Records that change
    /// during the export are passed again.
    /// Errors: those of `sink` as [`StorageError::Unavailable`], and all errors of reading.
    fn snapshot(&self, sink: &mut RecordSink<'_>) -> Result<Snapshot, StorageError>;

    /// Records that a verified backup contains this state, so that journal files it covers may be removed.
    /// Errors: when the snapshot is not a state of this store, or the note cannot be written; then nothing is removed.
    fn backed_up(&self, snapshot: &Snapshot) -> io::Result<()>;
}
