//! The record store of the server: embedded in one process, or a PostgreSQL database shared by many servers.
//!
//! [`Store`] is the one selected by the settings. Both kinds implement [`Storage`], and can export their state as a
//! [`Snapshot`] and be created from one.

mod database;
mod embedded;
mod server_store;
mod trial;

use std::io;
use std::ops::Deref;

use erp_core::storage::{
    ChangeSet, CommitError, Entry, Key, Page, Revision, Scan, Sequence, Storage, StorageError,
};

pub(crate) use embedded::bytes_of;
pub use erp_core::internal::{Continuation, RecordSink, Records, Snapshot, Snapshots};
pub use erp_core::storage::OpenError;
pub use erp_store_postgres::{self as postgres, PostgresOptions, PostgresStore};
pub use erp_store_sled::{
    self as sled, Recovery, Report, Retention, SledStore, SpaceReport, StoreOptions, StoreStatus,
    check, create_private, free_bytes, holds_store, journal, recover_store, restore, sync_folder,
};
pub(crate) use server_store::register;
pub use server_store::{Scrape, ServerStore, StoreHealth};
pub use trial::Trial;

/// The store of a server. Clones are handles of the same store.
#[derive(Clone, Debug)]
pub enum Store {
    /// Embedded: files in a folder that only this process uses.
    Sled(SledStore),
    /// A PostgreSQL database that other servers may use at the same time.
    Postgres(PostgresStore),
}

/// What a server asks of its store, whichever it is.
impl Deref for Store {
    type Target = dyn ServerStore;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Sled(store) => store,
            Self::Postgres(store) => store,
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
        (**self).snapshot(sink)
    }

    fn backed_up(&self, snapshot: &Snapshot) -> io::Result<()> {
        (**self).backed_up(snapshot)
    }
}
