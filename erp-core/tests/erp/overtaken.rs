//! A store that two servers use: the other one works at a chosen moment.

use std::sync::{Arc, Mutex};

use erp_core::Erp;
use erp_core::erp::Settings;
use erp_core::storage::{
    ChangeSet, CommitError, Entry, Key, MemoryStore, Page, Revision, Scan, Sequence, Space,
    Storage, StorageError,
};

type Rival = Box<dyn FnOnce(&Erp<Overtaken>) + Send>;

/// A store on which another server works directly before the next commit of this one, or directly after its next read
/// of a space.
#[derive(Clone, Default)]
pub(super) struct Overtaken {
    store: Arc<MemoryStore>,
    before_commit: Arc<Mutex<Option<Rival>>>,
    after_read: Arc<Mutex<Option<(Space, Rival)>>>,
}

impl Overtaken {
    pub(super) fn erp(&self) -> Erp<Self> {
        Erp::new(self.clone(), Settings::default())
    }

    pub(super) fn overtaken_by(&self, rival: impl FnOnce(&Erp<Self>) + Send + 'static) {
        *self.before_commit.lock().unwrap() = Some(Box::new(rival));
    }

    pub(super) fn overtaken_after_read(
        &self,
        space: Space,
        rival: impl FnOnce(&Erp<Self>) + Send + 'static,
    ) {
        *self.after_read.lock().unwrap() = Some((space, Box::new(rival)));
    }

    pub(super) fn was_overtaken(&self) -> bool {
        self.before_commit.lock().unwrap().is_none() && self.after_read.lock().unwrap().is_none()
    }

    fn read_of<'a>(&self, mut keys: impl Iterator<Item = &'a Key>) {
        let mut waiting = self.after_read.lock().unwrap();
        let rival = waiting.take_if(|(space, _)| keys.any(|key| key.space() == *space as u8));
        drop(waiting);
        if let Some((_, rival)) = rival {
            rival(&self.erp());
        }
    }
}

impl Storage for Overtaken {
    async fn get(&self, keys: &[Key]) -> Result<Vec<Option<Entry>>, StorageError> {
        let found = self.store.get(keys).await?;
        self.read_of(keys.iter());
        Ok(found)
    }

    async fn scan(&self, scan: Scan) -> Result<Page, StorageError> {
        let page = self.store.scan(scan.clone()).await?;
        self.read_of([&scan.from].into_iter());
        Ok(page)
    }

    async fn next_numbers(&self, wanted: &[(Sequence, u64)]) -> Result<Vec<u64>, StorageError> {
        self.store.next_numbers(wanted).await
    }

    async fn commit(&self, changes: ChangeSet) -> Result<Revision, CommitError> {
        let rival = self.before_commit.lock().unwrap().take();
        if let Some(rival) = rival {
            rival(&self.erp());
        }
        self.store.commit(changes).await
    }
}
