//! Records as they were read from sled, and keys without a record, for the next request that reads them.
//!
//! Every request reads the counters of master data, a token and a user, and each article of a list the counter of what
//! is reserved. A look into sled takes ten times as long as one here, and may wait for the disk.

use erp_core::storage::{Entry, Key};
use quick_cache::Weighter;
use quick_cache::sync::Cache;

/// Maximum size of a value in bytes: a long one would take the place of many.
const VALUE_BYTES: usize = 8 * 1024;

/// Memory of a key besides its bytes and those of its value.
const FRAME_BYTES: u64 = 100;

/// Memory of a key with a usual value.
const USUAL_BYTES: u64 = 512;

#[derive(Clone)]
struct ByBytes;

impl Weighter<Key, Option<Entry>> for ByBytes {
    fn weight(&self, key: &Key, found: &Option<Entry>) -> u64 {
        let value = found.as_ref().map_or(0, |entry| entry.value.len());
        FRAME_BYTES + (key.as_bytes().len() + value) as u64
    }
}

/// What is known of keys. Whoever reads or changes it holds the lock of the tables: a reader keeps what it read before
/// a change of the key is published, and publishing removes it.
pub(crate) struct Warm(Cache<Key, Option<Entry>, ByBytes>);

impl Warm {
    pub(crate) fn new(bytes: u64) -> Self {
        let usual = usize::try_from(bytes / USUAL_BYTES).unwrap_or(usize::MAX);
        Self(Cache::with_weighter(usual, bytes, ByBytes))
    }

    /// What is known of a key; `None` when nothing is.
    pub(crate) fn get(&self, key: &Key) -> Option<Option<Entry>> {
        self.0.get(key)
    }

    /// Keeps what was read from sled, if it is not long.
    pub(crate) fn keep(&self, key: &Key, found: Option<&Entry>) {
        if found.is_none_or(|entry| entry.value.len() <= VALUE_BYTES) {
            self.0.insert(key.clone(), found.cloned());
        }
    }

    pub(crate) fn remove(&self, key: &Key) {
        self.0.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use erp_core::storage::{ChangeSet, Key, Storage as _};

    use crate::{SledStore, StoreOptions};

    #[tokio::test]
    async fn a_record_that_changes_is_read_anew() {
        let folder = tempfile::tempdir().unwrap();
        let store = SledStore::open(folder.path(), StoreOptions::default()).unwrap();
        let key = Key::from_bytes(b"key".to_vec());
        let read = async || {
            let found = store.get(std::slice::from_ref(&key)).await.unwrap();
            found.into_iter().next().flatten().map(|entry| entry.value)
        };
        assert_eq!(read().await, None);
        for value in [Some(b"one".to_vec()), Some(b"two".to_vec()), None] {
            let mut changes = ChangeSet::new();
            match &value {
                Some(value) => changes.put(key.clone(), value.clone()),
                None => changes.delete(key.clone()),
            }
            store.commit(changes).await.unwrap();
            assert_eq!(read().await, value, "from memory");
            store.checkpoint().unwrap();
            assert_eq!(read().await, value, "from sled");
            assert_eq!(read().await, value, "again");
        }
    }
}
