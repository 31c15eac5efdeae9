//! The record store of the server: embedded in one process, or a PostgreSQL database shared by many servers.
//!
//! [`Store`] is the one selected by the settings. Both kinds implement [`Storage`], and can export their state as a
//! [`Snapshot`] and be created from one.

mod trial;

use std::fmt;
use std::io;

use erp_core::storage::{
    ChangeSet, CommitError, Entry, Key, Page, Revision, Scan, Sequence, Storage, StorageError,
};

pub use erp_core::storage::{Continuation, OpenError, RecordSink, Records, Snapshot, Snapshots};
pub use erp_store_postgres::{self as postgres, PostgresOptions, PostgresStore};
pub use erp_store_sled::{
    self as sled, Recovery, Report, Retention, SledStore, SpaceReport, StoreOptions, StoreStatus,
    check, create_private, free_bytes, holds_store, journal, recover_store, restore, sync_folder,
};
pub use trial::Trial;

/// The store of a server. Clones are handles of the same store.
#[derive(Clone)]
pub enum Store {
    /// Embedded: files in a folder that only this process uses.
    Sled(SledStore),
    /// A PostgreSQL database that other servers may use at the same time.
    Postgres(PostgresStore),
}

impl Store {
    /// Whether it works, according to its last known state; sends no request. In a database only commits may be stuck.
    #[must_use]
    pub fn works(&self) -> bool {
        match self {
            Self::Sled(store) => store.status().writes_refused.is_none(),
            Self::Postgres(store) => store.status().reachable,
        }
    }

    /// Whether it works and commits go through.
    #[must_use]
    pub fn takes_writes(&self) -> bool {
        let is_stuck = match self {
            Self::Sled(_) => false,
            Self::Postgres(store) => store.status().commits_stuck,
        };
        self.works() && !is_stuck
    }

    /// Completes waiting commits and closes files and connections; from then on every handle returns
    /// [`StorageError::Closed`].
    ///
    /// # Errors
    /// As [`SledStore::close`].
    pub fn close(&self) -> Result<(), StorageError> {
        match self {
            Self::Sled(store) => store.close(),
            Self::Postgres(store) => {
                store.close();
                Ok(())
            }
        }
    }
}

impl From<SledStore> for Store {
    fn from(store: SledStore) -> Self {
        Self::Sled(store)
    }
}

impl From<PostgresStore> for Store {
    fn from(store: PostgresStore) -> Self {
        Self::Postgres(store)
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sled(store) => store.fmt(f),
            Self::Postgres(store) => store.fmt(f),
        }
    }
}

/// The futures of the database are on the heap: every operation holds one of these futures, and is moved with it.
impl Storage for Store {
    async fn get(&self, keys: &[Key]) -> Result<Vec<Option<Entry>>, StorageError> {
        match self {
            Self::Sled(store) => store.get(keys).await,
            Self::Postgres(store) => Box::pin(store.get(keys)).await,
        }
    }

    async fn scan(&self, scan: Scan) -> Result<Page, StorageError> {
        match self {
            Self::Sled(store) => store.scan(scan).await,
            Self::Postgres(store) => Box::pin(store.scan(scan)).await,
        }
    }

    async fn next_numbers(&self, wanted: &[(Sequence, u64)]) -> Result<Vec<u64>, StorageError> {
        match self {
            Self::Sled(store) => store.next_numbers(wanted).await,
            Self::Postgres(store) => Box::pin(store.next_numbers(wanted)).await,
        }
    }

    async fn commit(&self, changes: ChangeSet) -> Result<Revision, CommitError> {
        match self {
            Self::Sled(store) => store.commit(changes).await,
            Self::Postgres(store) => Box::pin(store.commit(changes)).await,
        }
    }
}

impl Snapshots for Store {
    fn snapshot(&self, sink: &mut RecordSink<'_>) -> Result<Snapshot, StorageError> {
        match self {
            Self::Sled(store) => store.snapshot(sink),
            Self::Postgres(store) => store.snapshot(sink),
        }
    }

    fn backed_up(&self, snapshot: &Snapshot) -> io::Result<()> {
        match self {
            Self::Sled(store) => store.backed_up(snapshot),
            Self::Postgres(store) => store.backed_up(snapshot),
        }
    }
}
