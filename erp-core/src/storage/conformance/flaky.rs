//! A store wrapper that fails on request, for testing error handling.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::storage::{
    ChangeSet, CommitError, Entry, Key, Page, Revision, Scan, Sequence, Storage, StorageError,
};

/// When a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Before anything happened.
    Before,
    /// After the inner store has done its work, as when the response is lost.
    After,
}

/// Fails the n-th call with [`StorageError::Unavailable`] and passes all others on.
#[derive(Debug)]
pub struct Flaky<S> {
    inner: S,
    calls: AtomicU64,
    fails_at: u64,
    when: When,
}

impl<S> Flaky<S> {
    /// Fails call number `fails_at`, counted from 1; 0 fails none and only counts.
    pub const fn new(inner: S, fails_at: u64, when: When) -> Self {
        Self {
            inner,
            calls: AtomicU64::new(0),
            fails_at,
            when,
        }
    }

    /// How many calls there were.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::SeqCst)
    }

    /// The wrapped store, which never fails.
    pub const fn inner(&self) -> &S {
        &self.inner
    }

    /// Counts a call; returns when it must fail, if it must.
    fn count(&self) -> Option<When> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst).saturating_add(1);
        (call == self.fails_at).then_some(self.when)
    }
}

fn failure() -> StorageError {
    StorageError::Unavailable("made to fail by a test".to_owned())
}

/// Runs the inner call unless this call must fail before it; fails it afterwards if required.
async fn pass<T, E: From<StorageError>>(
    when: Option<When>,
    call: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    if when == Some(When::Before) {
        return Err(failure().into());
    }
    let answer = call.await;
    // A lost response, whatever it was.
    if when == Some(When::After) {
        return Err(failure().into());
    }
    answer
}

impl<S: Storage> Storage for Flaky<S> {
    async fn get(&self, keys: &[Key]) -> Result<Vec<Option<Entry>>, StorageError> {
        pass(self.count(), self.inner.get(keys)).await
    }

    async fn scan(&self, scan: Scan) -> Result<Page, StorageError> {
        pass(self.count(), self.inner.scan(scan)).await
    }

    async fn next_numbers(&self, wanted: &[(Sequence, u64)]) -> Result<Vec<u64>, StorageError> {
        pass(self.count(), self.inner.next_numbers(wanted)).await
    }

    async fn commit(&self, changes: ChangeSet) -> Result<Revision, CommitError> {
        pass(self.count(), self.inner.commit(changes)).await
    }
}

#[cfg(test)]
mod tests {
    use super::super::{key, put, try_commit, value};
    use super::*;
    use crate::storage::MemoryStore;

    #[test]
    fn a_call_fails_before_or_after_it_happened() {
        for (when, happened) in [(When::Before, None), (When::After, Some(b"1".to_vec()))] {
            let store = Flaky::new(MemoryStore::new(), 2, when);
            assert!(pollster::block_on(store.get(&[key("a")])).is_ok());
            let failed = try_commit(&store, put("a", b"1"));
            assert!(matches!(
                failed,
                Err(CommitError::Storage(StorageError::Unavailable(_)))
            ));
            assert_eq!(value(&store, "a"), happened);
            assert_eq!(store.calls(), 3);
        }
    }
}
