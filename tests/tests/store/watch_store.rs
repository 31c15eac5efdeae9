//! A server whose disk fails is not ready, and its metrics show it.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use erp_core::Erp;
use erp_core::storage::{ChangeSet, Key, Space, Storage as _};
use erp_server::config::{Settings, core_settings};
use erp_server::store::journal::{DiskFiles, JournalFile, JournalFiles};
use erp_server::store::{SledStore, Store, StoreOptions};
use erp_server::{scrape, serve};

/// Files that sync until the switch is set.
#[derive(Clone, Debug, Default)]
struct Failing(Arc<AtomicBool>);

#[derive(Debug)]
struct FailingFile(Failing, Box<dyn JournalFile>);

impl JournalFiles for Failing {
    fn create(&self, path: &Path, size: u64) -> io::Result<Box<dyn JournalFile>> {
        let file = DiskFiles.create(path, size)?;
        Ok(Box::new(FailingFile(self.clone(), file)))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn JournalFile>> {
        let file = DiskFiles.open(path)?;
        Ok(Box::new(FailingFile(self.clone(), file)))
    }
}

impl JournalFile for FailingFile {
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.1.write_at(offset, bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        if self.0.0.load(Ordering::SeqCst) {
            return Err(io::Error::other("input/output error"));
        }
        self.1.sync()
    }
}

fn change(number: u64) -> ChangeSet {
    let mut changes = ChangeSet::new();
    changes.put(Key::of(Space::Scratch).number(number), vec![1]);
    changes
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_takes_no_writes_is_not_ready() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = Settings::defaults().unwrap();
    settings.store.data_dir = folder.path().join("data");
    let failing = Failing::default();
    let options = StoreOptions {
        sled_segment_bytes: 1 << 20,
        files: Arc::new(failing.clone()),
        ..StoreOptions::default()
    };
    let store = SledStore::open(&settings.store.data_dir, options).unwrap();
    let erp = Erp::new(Store::from(store.clone()), core_settings(&settings));
    let app = serve::app(erp, &settings, None);
    assert_eq!(serve::watch(&app, &settings).await.unwrap(), None);
    let writable = |value: u8| format!("erp_store_writable {value}\n");

    store.commit(change(1)).await.unwrap();
    assert!(app.ready().all());
    assert!(scrape::text(&app).await.unwrap().contains(&writable(1)));

    failing.0.store(true, Ordering::SeqCst);
    assert!(store.commit(change(2)).await.is_err());
    let reported = app.ready();
    assert_eq!(
        (reported.store, reported.disk, reported.serving),
        (false, true, true)
    );
    assert!(scrape::text(&app).await.unwrap().contains(&writable(0)));
    // Reads still work, so the server is alive.
    let key = Key::of(Space::Scratch).number(1);
    assert!(store.get(&[key]).await.unwrap()[0].is_some());
    let _ = store.close();
}
