//! A store that counts the calls of operations.

use std::collections::BTreeSet;
use std::sync::Mutex;

use erp_core::Erp;
use erp_core::erp::Settings;
use erp_core::storage::{
    ChangeSet, CommitError, Entry, Key, MemoryStore, Page, Revision, Scan, Sequence, Storage,
    StorageError, Write,
};
use serde_json::Value;

use super::common::{block_on, import_rows, rows};

#[derive(Debug, Default)]
pub(crate) struct Counting {
    store: MemoryStore,
    counts: Mutex<Counts>,
    commits: Mutex<Vec<ChangeSet>>,
    removed: Mutex<BTreeSet<Key>>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) gets: usize,
    pub(crate) scans: usize,
    pub(crate) draws: usize,
    pub(crate) commits: usize,
    /// Keys that were read by `get`.
    pub(crate) keys: usize,
    /// Entries that were returned, by key or in a range.
    pub(crate) entries: usize,
    /// Removed keys in the ranges that were read: a store passes over them one by one, too.
    pub(crate) removed: usize,
}

impl Counts {
    /// The number of calls; each is a round trip to a database.
    pub(crate) const fn calls(&self) -> usize {
        self.gets + self.scans + self.draws + self.commits
    }
}

/// The small company, with a limit on what a request may read.
pub(crate) fn company(scan_entries: usize) -> Erp<Counting> {
    let settings = Settings {
        scan_entries,
        ..Settings::default()
    };
    let erp = Erp::new(Counting::default(), settings);
    import(&erp, &rows());
    erp
}

/// Imports rows at 10 o'clock.
pub(crate) fn import(erp: &Erp<Counting>, rows: &[Value]) {
    let at = "2026-06-01T10:00:00Z".parse().unwrap();
    block_on(erp.office(at).import(&import_rows(rows))).unwrap();
}

impl Counting {
    /// The counts since the last call of this function.
    pub(crate) fn take(&self) -> Counts {
        std::mem::take(&mut self.counts.lock().unwrap())
    }

    /// The change sets that were stored since the last call of this function.
    pub(crate) fn commits(&self) -> Vec<ChangeSet> {
        std::mem::take(&mut self.commits.lock().unwrap())
    }

    fn count(&self, add: impl FnOnce(&mut Counts)) {
        add(&mut self.counts.lock().unwrap());
    }
}

impl Storage for Counting {
    async fn get(&self, keys: &[Key]) -> Result<Vec<Option<Entry>>, StorageError> {
        let found = self.store.get(keys).await?;
        self.count(|counts| {
            counts.gets += 1;
            counts.keys += keys.len();
            counts.entries += found.iter().flatten().count();
        });
        Ok(found)
    }

    async fn scan(&self, scan: Scan) -> Result<Page, StorageError> {
        let page = self.store.scan(scan.clone()).await?;
        let end = match (&page.next, scan.backwards) {
            (Some(next), false) => &next.from,
            _ => &scan.until,
        };
        let removed = self.removed.lock().unwrap();
        let removed = removed.range(&scan.from..end).count();
        self.count(|counts| {
            counts.scans += 1;
            counts.entries += page.entries.len();
            counts.removed += removed;
        });
        Ok(page)
    }

    async fn next_numbers(&self, wanted: &[(Sequence, u64)]) -> Result<Vec<u64>, StorageError> {
        self.count(|counts| counts.draws += 1);
        self.store.next_numbers(wanted).await
    }

    async fn commit(&self, changes: ChangeSet) -> Result<Revision, CommitError> {
        self.count(|counts| counts.commits += 1);
        let revision = self.store.commit(changes.clone()).await?;
        let mut removed = self.removed.lock().unwrap();
        for write in &changes.writes {
            match write {
                Write::Delete { key } => drop(removed.insert(key.clone())),
                Write::Put { key, .. } | Write::Add { key, .. } => drop(removed.remove(key)),
            }
        }
        drop(removed);
        self.commits.lock().unwrap().push(changes);
        Ok(revision)
    }
}
