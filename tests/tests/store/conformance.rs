//! The embedded store keeps every promise of the storage trait.

use std::sync::Arc;
use std::time::Duration;

use erp_core::storage::Storage;
use erp_core::storage::conformance::{Factory, run_all};
use erp_server::store::{SledStore, StoreOptions};
use erp_tests::forward_storage;
use tempfile::TempDir;

struct InFolder {
    store: SledStore,
    folder: Arc<TempDir>,
}

impl Storage for InFolder {
    forward_storage!(store: get, scan, next_numbers, commit);
}

/// Opens stores that are closed properly, or abandoned as in a crash.
struct Folders {
    options: StoreOptions,
    crash: bool,
}

impl Factory for Folders {
    type Store = InFolder;

    fn open(&self) -> InFolder {
        let folder = Arc::new(TempDir::new().unwrap());
        let store = SledStore::open(folder.path(), self.options.clone()).unwrap();
        InFolder { store, folder }
    }

    fn reopen(&self, store: InFolder) -> Option<InFolder> {
        let InFolder { store, folder } = store;
        if self.crash {
            store.abandon();
        } else {
            store.close().unwrap();
        }
        let store = SledStore::open(folder.path(), self.options.clone()).unwrap();
        Some(InFolder { store, folder })
    }
}

/// Small files, so that segments change, values are split and checkpoints run all the time.
fn small() -> StoreOptions {
    StoreOptions {
        journal_segment_bytes: 64 << 10,
        checkpoint_bytes: 16 << 10,
        checkpoint_after: Duration::from_millis(20),
        seal_after: Duration::from_millis(5),
        sled_segment_bytes: 256 << 10,
        ..StoreOptions::default()
    }
}

#[test]
fn with_the_default_settings() {
    run_all(&Folders {
        options: StoreOptions::default(),
        crash: false,
    });
}

#[test]
fn with_constant_checkpoints() {
    run_all(&Folders {
        options: small(),
        crash: false,
    });
}

// rule: R-END-27
#[test]
fn with_a_crash_instead_of_every_close() {
    run_all(&Folders {
        options: small(),
        crash: true,
    });
}
