//! Snapshots of a store, and recoveries that start from one.

use std::io;
use std::path::Path;
use std::time::Duration;

use erp_core::storage::{Entry, Key};
use erp_server::store::{
    OpenError, RecordSink, Records, Recovery, Retention, SledStore, Snapshot, Snapshots,
    StoreOptions, recover_store,
};

use super::{Content, manual};

/// Options that keep the whole journal until a backup covers it.
pub fn keeping() -> StoreOptions {
    StoreOptions {
        retention: Retention::UntilBackup { most_bytes: None },
        ..manual()
    }
}

/// Options that also repair damage.
pub fn repairing() -> StoreOptions {
    StoreOptions {
        repair: true,
        ..keeping()
    }
}

/// The records of a snapshot, in the order in which they were read.
#[derive(Clone, Debug, Default)]
pub struct SnapshotRecords(pub Vec<(Key, u64, Option<Vec<u8>>)>);

impl Records for SnapshotRecords {
    fn each(&mut self, sink: &mut RecordSink<'_>) -> io::Result<()> {
        for (key, revision, value) in self.0.clone() {
            sink(key, revision, value)?;
        }
        Ok(())
    }
}

impl SnapshotRecords {
    /// Takes a snapshot of a store.
    pub fn of(store: &SledStore) -> (Snapshot, Self) {
        let mut taken = Self::default();
        let snapshot = store.snapshot(&mut |key, revision, value| {
            taken.0.push((key, revision, value));
            Ok(())
        });
        (snapshot.unwrap(), taken)
    }

    /// Takes a snapshot slowly, so that commits happen in between.
    pub fn slowly(store: &SledStore) -> (Snapshot, Self) {
        let mut taken = Self::default();
        let snapshot = store.snapshot(&mut |key, revision, value| {
            taken.0.push((key, revision, value));
            if taken.0.len() % 100 == 0 {
                std::thread::sleep(Duration::from_millis(1));
            }
            Ok(())
        });
        (snapshot.unwrap(), taken)
    }

    /// The records by key.
    pub fn content(&self) -> Content {
        let mut content = Content::new();
        for (key, revision, value) in self.0.clone() {
            match value {
                Some(value) => content.insert(key, Entry { revision, value }),
                None => content.remove(&key),
            };
        }
        content
    }
}

/// Recovers a store; the recovery must succeed.
pub fn recovered(path: &Path, base: Option<(&Snapshot, &SnapshotRecords)>) -> Recovery {
    try_recover(path, base, None).unwrap()
}

/// Recovers a store from its journal, or from a snapshot and the journal.
///
/// # Errors
/// When it cannot be recovered.
pub fn try_recover(
    path: &Path,
    base: Option<(&Snapshot, &SnapshotRecords)>,
    until: Option<u64>,
) -> Result<Recovery, OpenError> {
    match base {
        None => recover_store(path, &keeping(), None, until),
        Some((snapshot, taken)) => {
            let mut records = taken.clone();
            recover_store(path, &keeping(), Some((snapshot, &mut records)), until)
        }
    }
}
