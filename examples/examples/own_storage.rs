//! A custom storage back-end: a wrapper that counts the calls of the core.
//!
//! `cargo run -p erp-examples --example own_storage`

use std::sync::atomic::{AtomicUsize, Ordering};

use erp_core::storage::conformance::{Factory, run_all};
use erp_core::storage::{
    ChangeSet, CommitError, Entry, Key, MemoryStore, Page, Revision, Scan, Sequence, Storage,
    StorageError,
};

#[derive(Debug, Default)]
struct Counted<S> {
    inner: S,
    calls: AtomicUsize,
}

impl<S> Counted<S> {
    fn count(&self) -> &S {
        self.calls.fetch_add(1, Ordering::Relaxed);
        &self.inner
    }
}

/// A back-end has only these four methods.
impl<S: Storage> Storage for Counted<S> {
    async fn get(&self, keys: &[Key]) -> Result<Vec<Option<Entry>>, StorageError> {
        self.count().get(keys).await
    }

    async fn scan(&self, scan: Scan) -> Result<Page, StorageError> {
        self.count().scan(scan).await
    }

    async fn next_numbers(&self, wanted: &[(Sequence, u64)]) -> Result<Vec<u64>, StorageError> {
        self.count().next_numbers(wanted).await
    }

    async fn commit(&self, changes: ChangeSet) -> Result<Revision, CommitError> {
        self.count().commit(changes).await
    }
}

/// Opens stores for the conformance suite.
struct Stores;

impl Factory for Stores {
    type Store = Counted<MemoryStore>;

    fn open(&self) -> Self::Store {
        Counted::default()
    }

    /// A back-end with a disk would open its data again; the data of this one is lost with it.
    fn reopen(&self, _: Self::Store) -> Option<Self::Store> {
        None
    }
}

fn main() {
    run_all(&Stores);
    println!("every promise of the trait is kept");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_back_end_keeps_every_promise() {
        run_all(&Stores);
        let store = Stores.open();
        let read = pollster::block_on(store.get(&[]));
        assert_eq!(
            (read.map(|found| found.len()), store.calls.into_inner()),
            (Ok(0), 1)
        );
    }
}
