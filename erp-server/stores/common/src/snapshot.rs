//! One state of a store on its way out of it or into another.

use std::collections::BTreeMap;
use std::io;

use erp_core::storage::{Key, StorageError};
use serde::{Deserialize, Serialize};

/// Which state of which store a snapshot is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The identity of the store.
    pub store: String,
    /// The last commit in it.
    pub revision: u64,
    /// When that was, in milliseconds since 1970; 0 when nobody wrote it down.
    pub time: u64,
    /// The number every sequence goes on with, at least.
    pub sequences: BTreeMap<String, u64>,
}

/// Takes records: a value with the revision it got, or nothing for a key that is gone. Later ones hide
/// earlier ones of the same key.
pub type RecordSink<'a> = dyn FnMut(Key, u64, Option<Vec<u8>>) -> io::Result<()> + 'a;

/// The records of a snapshot.
pub trait Records {
    /// Hands all of them to a sink.
    ///
    /// # Errors
    /// What reading or the sink answers.
    fn each(&mut self, sink: &mut RecordSink<'_>) -> io::Result<()>;
}

/// A store that can hand out its state while it works on.
pub trait Snapshots: Send + Sync {
    /// Hands one state of the store to `sink`, and answers which it was. Records that change meanwhile
    /// come again.
    ///
    /// # Errors
    /// What `sink` answers, as [`StorageError::Unavailable`], and all that reading answers.
    fn snapshot(&self, sink: &mut RecordSink<'_>) -> Result<Snapshot, StorageError>;

    /// Notes that a verified backup has this state, so that what only leads to it may go.
    ///
    /// # Errors
    /// When it is no state of this store, or the note cannot be written; then everything stays.
    fn backed_up(&self, snapshot: &Snapshot) -> io::Result<()>;
}
