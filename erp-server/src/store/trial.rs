//! A store that discards its changes, for dry runs.

use std::collections::BTreeMap;
use std::sync::Mutex;

use erp_core::Erp;
use erp_core::limits::KEYS_PER_GET;
use erp_core::storage::{
    ChangeSet, CommitError, Entry, Key, Page, Revision, Scan, Sequence, Storage, StorageError,
};

use crate::lock::lock;

/// First revision of a dry run; above all revisions of a real store.
const FIRST_REVISION: Revision = 1 << 62;

/// First number that a dry run gives out; above those in use, and never stored.
const FIRST_NUMBER: u64 = 1_500_000_000;

/// Reads from a store and keeps changes in memory. Ranges with changed keys are scanned forwards only.
pub struct Trial<'a, S> {
    store: &'a S,
    state: Mutex<TrialState>,
}

struct TrialState {
    /// The entries that differ from the store; `None` for deleted ones.
    changed: BTreeMap<Key, Option<Entry>>,
    revision: Revision,
    number: u64,
}

impl<'a, S: Storage> Trial<'a, S> {
    pub fn of(erp: &'a Erp<S>) -> Erp<Self> {
        Erp::new(Self::new(erp.store()), erp.settings().clone())
    }

    const fn new(store: &'a S) -> Self {
        Self {
            store,
            state: Mutex::new(TrialState {
                changed: BTreeMap::new(),
                revision: FIRST_REVISION,
                number: FIRST_NUMBER,
            }),
        }
    }
}

impl<S: Storage> Storage for Trial<'_, S> {
    async fn get(&self, keys: &[Key]) -> Result<Vec<Option<Entry>>, StorageError> {
        let mut found = self.store.get(keys).await?;
        let state = lock(&self.state);
        for (key, entry) in keys.iter().zip(&mut found) {
            if let Some(changed) = state.changed.get(key) {
                entry.clone_from(changed);
            }
        }
        Ok(found)
    }

    async fn scan(&self, scan: Scan) -> Result<Page, StorageError> {
        let Page { entries, mut next } = self.store.scan(scan.clone()).await?;
        let state = lock(&self.state);
        let whole = scan.from.clone()..scan.until.clone();
        let is_empty = scan.from >= scan.until;
        if is_empty || state.changed.range(whole).next().is_none() {
            return Ok(Page { entries, next });
        }
        if scan.backwards {
            let message = "a trial has changed keys of this range";
            return Err(StorageError::Unavailable(message.to_owned()));
        }
        let until = next.as_ref().map_or(&scan.until, |next| &next.from);
        let changed = state.changed.range(scan.from.clone()..until.clone());
        let mut entries: BTreeMap<Key, Entry> = entries.into_iter().collect();
        for (key, entry) in changed {
            match entry {
                Some(entry) => drop(entries.insert(key.clone(), entry.clone())),
                None => drop(entries.remove(key)),
            }
            if entries.len() >= scan.limit {
                // A page ends here; what comes after it is read again with the next one.
                let from = key.successor();
                drop(entries.split_off(&from));
                next = Some(Scan { from, ..scan });
                break;
            }
        }
        let entries = entries.into_iter().collect();
        Ok(Page { entries, next })
    }

    async fn next_numbers(&self, wanted: &[(Sequence, u64)]) -> Result<Vec<u64>, StorageError> {
        let mut state = lock(&self.state);
        let draw = |(_, first): &(Sequence, u64)| {
            state.number = (state.number + 1).max(*first);
            state.number
        };
        Ok(wanted.iter().map(draw).collect())
    }

    async fn commit(&self, changes: ChangeSet) -> Result<Revision, CommitError> {
        changes.check_size()?;
        let guards = changes.guards.iter().map(|guard| &guard.key);
        let writes = changes.writes.iter().map(erp_core::storage::Write::key);
        let keys: Vec<Key> = guards.chain(writes).cloned().collect();
        let mut known = BTreeMap::new();
        for keys in keys.chunks(KEYS_PER_GET) {
            let entries = self.get(keys).await?;
            known.extend(keys.iter().cloned().zip(entries));
        }
        let mut state = lock(&self.state);
        state.revision += 1;
        let revision = state.revision;
        let written = changes.resolve(revision, |key| {
            Ok(known.get(key).cloned().unwrap_or_default())
        })?;
        for (key, value) in written {
            let entry = value.map(|value| Entry { revision, value });
            state.changed.insert(key, entry);
        }
        Ok(revision)
    }
}

#[cfg(test)]
mod tests {
    use erp_core::storage::{MemoryStore, Space};

    use super::*;

    fn key(name: &str) -> Key {
        Key::of(Space::Customer).text(name)
    }

    #[tokio::test]
    async fn a_trial_reads_its_own_changes_and_leaves_the_store_alone() {
        let store = MemoryStore::new();
        let mut changes = ChangeSet::new();
        changes.put(key("kept"), vec![1]);
        changes.put(key("gone"), vec![2]);
        let begun = store.commit(changes).await.unwrap();
        let trial = Trial::new(&store);
        let mut changes = ChangeSet::new();
        changes.guard(key("gone"), Some(begun));
        changes.delete(key("gone"));
        changes.insert(key("new"), vec![3]);
        let tried = trial.commit(changes).await.unwrap();
        let names = [key("kept"), key("gone"), key("new")];
        let values = |entries: Vec<Option<Entry>>| {
            entries
                .into_iter()
                .map(|entry| entry.map(|entry| entry.value))
                .collect::<Vec<_>>()
        };
        let in_trial = values(trial.get(&names).await.unwrap());
        assert_eq!(in_trial, [Some(vec![1]), None, Some(vec![3])]);
        let in_store = values(store.get(&names).await.unwrap());
        assert_eq!(in_store, [Some(vec![1]), Some(vec![2]), None]);
        // Guards see the changes of the trial.
        let mut changes = ChangeSet::new();
        changes.guard(key("new"), None);
        assert!(matches!(
            trial.commit(changes).await,
            Err(CommitError::Conflict { .. })
        ));
        let mut changes = ChangeSet::new();
        changes.guard(key("new"), Some(tried));
        changes.put(key("new"), vec![4]);
        assert!(trial.commit(changes).await.unwrap() > tried);
        for limit in [1, 2, 10] {
            let whole = Scan {
                from: key("a"),
                until: key("z"),
                backwards: false,
                limit,
            };
            assert!(trial.scan(whole.clone().backwards()).await.is_err());
            let (mut next, mut found) = (Some(whole), Vec::new());
            while let Some(scan) = next {
                let page = trial.scan(scan).await.unwrap();
                found.extend(page.entries.into_iter().map(|(key, _)| key));
                next = page.next;
            }
            assert_eq!(found, [key("kept"), key("new")], "{limit}");
        }
        let numbers = (
            trial.next_numbers(&[(Sequence::Media, 7)]).await.unwrap()[0],
            store.next_numbers(&[(Sequence::Media, 7)]).await.unwrap()[0],
        );
        assert!(numbers.0 > FIRST_NUMBER && numbers.1 == 7, "{numbers:?}");
    }
}
