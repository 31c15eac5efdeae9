//! Long reads in slices: other tasks run in between, and what an ended request has read is kept for the next one.
//!
//! An embedded store returns from `get` and `scan` without ever waiting. So a long read would block a thread of
//! the runtime until it is finished: no other request runs on it, and no timeout fires.

use std::future::poll_fn;
use std::mem::take;
use std::sync::{Mutex, PoisonError};
use std::task::Poll;

use crate::storage::{Entry, Key, Scan, Storage, StoreResult};

/// Entries read between two yields: about half a millisecond with an embedded store.
pub(crate) const SLICE: usize = 100;

/// Maximum entries read with one call: what a slice of articles needs (the article, two prices and stock), so that a
/// document of usual length needs one call.
pub(crate) const ENTRIES_PER_READ: usize = 4 * SLICE;

/// Yields to other tasks. It wakes itself, so it works with any runtime.
pub(crate) async fn yield_now() {
    let mut yielded = false;
    poll_fn(|context| {
        if yielded {
            return Poll::Ready(());
        }
        yielded = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// The pages of a range, one after the other.
pub(crate) struct Pages<'a, S> {
    store: &'a S,
    next: Option<Scan>,
}

impl<'a, S: Storage> Pages<'a, S> {
    pub(crate) const fn of(store: &'a S, scan: Scan) -> Self {
        let next = Some(scan);
        Self { store, next }
    }

    /// The entries of the next page; `None` after the last one. Other tasks run before it returns.
    pub(crate) async fn next(&mut self) -> StoreResult<Option<Vec<(Key, Entry)>>> {
        let Some(scan) = self.next.take() else {
            return Ok(None);
        };
        let page = self.store.scan(scan).await?;
        yield_now().await;
        self.next = page.next;
        Ok(Some(page.entries))
    }
}

/// Reads all entries of a range, page by page.
pub(crate) async fn scan_all(store: &impl Storage, scan: Scan) -> StoreResult<Vec<(Key, Entry)>> {
    let mut all = Vec::new();
    let mut pages = Pages::of(store, scan.limit(ENTRIES_PER_READ));
    while let Some(entries) = pages.next().await? {
        all.extend(entries);
    }
    Ok(all)
}

/// How far long reads came when their requests ended, for the next ones that read the same. If each began anew, a read
/// that takes longer than a request may would never end.
pub(crate) type Unfinished<K, T> = Mutex<Vec<(K, T)>>;

/// A long read. What it has read is kept when this value is dropped before [`Begun::finish`].
pub(crate) struct Begun<'a, K, T: Default> {
    place: &'a Unfinished<K, T>,
    most: usize,
    key: Option<K>,
    pub(crate) read: T,
}

impl<'a, K: PartialEq, T: Default> Begun<'a, K, T> {
    /// Goes on with the read of this key, or begins it. At `most` the newest reads are kept.
    pub(crate) fn of(place: &'a Unfinished<K, T>, key: K, most: usize) -> Self {
        let mut kept = place.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.iter().position(|(of, _)| *of == key);
        Self {
            place,
            most,
            key: Some(key),
            read: known.map(|at| kept.remove(at).1).unwrap_or_default(),
        }
    }

    pub(crate) fn finish(mut self) -> T {
        self.key = None;
        take(&mut self.read)
    }
}

impl<K, T: Default> Drop for Begun<'_, K, T> {
    fn drop(&mut self) {
        if let Some(key) = self.key.take() {
            let mut kept = self.place.lock().unwrap_or_else(PoisonError::into_inner);
            kept.push((key, take(&mut self.read)));
            let beyond = kept.len().saturating_sub(self.most);
            drop(kept.drain(..beyond));
        }
    }
}
