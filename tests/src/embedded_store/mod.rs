//! Shared parts of the tests of the embedded store: a workload with its expected content, snapshots, files.

mod snapshots;

use std::path::Path;
use std::time::Duration;

use erp_core::internal::outbox_key;
use erp_core::storage::{ChangeSet, Entry, Key, Space, Storage, StorageError};
use erp_server::store::{SledStore, StoreOptions};

use crate::storage;
pub use crate::storage::Content;
pub use snapshots::{SnapshotRecords, keeping, recovered, repairing, try_recover};

/// Small files, and no checkpoint unless a test calls for one.
pub fn manual() -> StoreOptions {
    StoreOptions {
        journal_segment_bytes: 128 << 10,
        journal_keep_segments: 0,
        checkpoint_bytes: 64 << 20,
        checkpoint_after: Duration::from_secs(3600),
        seal_after: Duration::from_secs(3600),
        sled_segment_bytes: 512 << 10,
        ..StoreOptions::default()
    }
}

/// Opens a store.
pub fn open(path: &Path, options: &StoreOptions) -> SledStore {
    SledStore::open(path, options.clone()).unwrap()
}

/// The revision of a commit that must succeed.
pub fn commit(store: &SledStore, changes: ChangeSet) -> u64 {
    pollster::block_on(store.commit(changes)).unwrap()
}

/// Everything that a reader can see.
pub fn content(store: &SledStore) -> Content {
    try_content(store).unwrap()
}

/// Everything that a reader can see, or the error.
///
/// # Errors
/// When a page cannot be read.
pub fn try_content(store: &SledStore) -> Result<Content, StorageError> {
    pollster::block_on(storage::content(store))
}

/// A change set that writes one record.
pub fn put(number: u64, value: &[u8]) -> ChangeSet {
    let mut changes = ChangeSet::new();
    changes.put(Key::of(Space::Scratch).number(number), value.to_vec());
    changes
}

/// Random commits, and the content that the store must have after them.
#[derive(Clone, Debug)]
pub struct Workload {
    random: u64,
    /// The content that the store must have.
    pub expected: Content,
}

impl Workload {
    /// A workload before its first commit.
    pub fn new(seed: u64) -> Self {
        Self {
            random: seed,
            expected: Content::new(),
        }
    }

    /// A random number below a bound (splitmix64).
    pub fn below(&mut self, bound: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }

    /// Makes this number of commits to this number of records.
    pub fn run(&mut self, store: &SledStore, commits: u32, records: u64) {
        for _ in 0..commits {
            let mut changes = ChangeSet::new();
            for _ in 0..=self.below(5) {
                let space = [Space::Article, Space::Order, Space::Scratch][self.below(3) as usize];
                let key = Key::of(space).number(self.below(records));
                if self.below(6) == 0 {
                    changes.delete(key);
                } else {
                    let length = match self.below(60) {
                        0 => 20_000,
                        _ => self.below(400),
                    };
                    let byte = self.below(256) as u8;
                    changes.put(key, vec![byte; length as usize]);
                }
            }
            changes.add(Key::of(Space::Reserved).number(self.below(10)), 1);
            if self.below(4) == 0 {
                changes.event(vec![1, 2, 3]);
            }
            let revision = commit(store, changes.clone());
            self.note(revision, &changes);
        }
    }

    /// Applies a change set with this revision to the expected content.
    pub fn note(&mut self, revision: u64, changes: &ChangeSet) {
        use erp_core::storage::Write;
        for write in &changes.writes {
            let value = match write {
                Write::Put { value, .. } => Some(value.clone()),
                Write::Delete { .. } => None,
                Write::Add { key, delta } => {
                    let before = self.expected.get(key).and_then(Entry::counter).unwrap_or(0);
                    Some((before + delta).to_be_bytes().to_vec())
                }
            };
            match value {
                Some(value) => self
                    .expected
                    .insert(write.key().clone(), Entry { revision, value }),
                None => self.expected.remove(write.key()),
            };
        }
        for (index, value) in changes.events.iter().cloned().enumerate() {
            self.expected
                .insert(outbox_key(revision, index), Entry { revision, value });
        }
    }
}

/// Copies a folder with all its content.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// All files in a folder and its subfolders.
pub fn files(path: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}
