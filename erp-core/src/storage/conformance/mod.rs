//! The promises of [`Storage`] as test functions, for authors of backends.
//!
//! Implement [`Factory`] for the backend and call [`run_all`] in a test. Each function opens its own store, checks
//! one promise and panics with a message when it is broken.

mod commits;
mod counters;
mod flaky;
mod reads;
mod reopening;
mod sequences;

use std::fmt::Display;

pub use commits::*;
pub use counters::*;
pub use flaky::{Flaky, When};
pub use reads::*;
pub use reopening::*;
pub use sequences::*;

use super::{ChangeSet, CommitError, Entry, Key, Page, Revision, Scan, Sequence, Space, Storage};

/// Creates the stores to check.
pub trait Factory {
    /// The back-end.
    type Store: Storage;

    /// A new, empty store that shares no data with others.
    fn open(&self) -> Self::Store;

    /// Closes the store and opens its data again; `None` for a store that is not durable.
    fn reopen(&self, store: Self::Store) -> Option<Self::Store>;
}

/// Factory of the reference store, which is not durable.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemoryFactory;

impl Factory for MemoryFactory {
    type Store = super::MemoryStore;

    fn open(&self) -> Self::Store {
        super::MemoryStore::new()
    }

    fn reopen(&self, _: Self::Store) -> Option<Self::Store> {
        None
    }
}

/// Checks all promises.
///
/// # Panics
/// When a promise is broken, with a message that says which.
pub fn run_all(factory: &impl Factory) {
    a_commit_is_all_or_nothing(factory);
    every_guard_is_checked(factory);
    guards_see_the_state_right_before(factory);
    an_old_revision_never_comes_back(factory);
    revisions_grow_and_entries_carry_them(factory);
    the_last_write_to_a_key_counts(factory);
    events_are_stored_in_order_and_only_with_their_commit(factory);
    sizes_are_limited(factory);
    a_dropped_future_does_not_cancel(factory);
    competing_writers_never_overwrite_each_other(factory);
    counters_begin_at_zero_and_add_up(factory);
    counters_need_no_guard(factory);
    an_overflow_fails_the_whole_set(factory);
    scans_are_ordered_and_bounded(factory);
    pages_join_without_gaps(factory);
    get_keeps_the_order_of_the_keys(factory);
    get_sees_one_state(factory);
    commits_are_read_at_once(factory);
    numbers_respect_their_first(factory);
    numbers_of_one_call_increase(factory);
    numbers_are_unique_under_threads(factory);
    numbers_do_not_repeat_after_reopening(factory);
    reopening_keeps_everything(factory);
    for seed in 1..=4 {
        random_operations_agree_with_a_model(factory, seed, 400);
    }
}

fn key(name: &str) -> Key {
    Key::of(Space::Scratch).text(name)
}

/// A change set that stores one value.
fn put(name: &str, value: &[u8]) -> ChangeSet {
    let mut changes = ChangeSet::new();
    changes.put(key(name), value.to_vec());
    changes
}

#[expect(clippy::panic, reason = "this is what a failed check does")]
#[track_caller]
fn done<T, E: Display>(result: Result<T, E>, what: &str) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{what} failed: {error}"),
    }
}

#[expect(clippy::panic, reason = "this is what a failed check does")]
#[track_caller]
fn present<T>(value: Option<T>, what: &str) -> T {
    match value {
        Some(value) => value,
        None => panic!("{what} is missing"),
    }
}

#[track_caller]
fn commit(store: &impl Storage, changes: ChangeSet) -> Revision {
    done(try_commit(store, changes), "a commit")
}

fn try_commit(store: &impl Storage, changes: ChangeSet) -> Result<Revision, CommitError> {
    pollster::block_on(store.commit(changes))
}

#[track_caller]
fn get_all(store: &impl Storage, keys: &[Key]) -> Vec<Option<Entry>> {
    let entries = done(pollster::block_on(store.get(keys)), "a get");
    assert_eq!(
        entries.len(),
        keys.len(),
        "`get` answers one entry for each key"
    );
    entries
}

#[track_caller]
fn get(store: &impl Storage, key: &Key) -> Option<Entry> {
    get_all(store, std::slice::from_ref(key)).pop().flatten()
}

#[track_caller]
fn value(store: &impl Storage, name: &str) -> Option<Vec<u8>> {
    get(store, &key(name)).map(|entry| entry.value)
}

#[track_caller]
fn assert_value(store: &impl Storage, name: &str, expected: Option<&[u8]>, otherwise: &str) {
    assert_eq!(value(store, name).as_deref(), expected, "{otherwise}");
}

#[track_caller]
fn page(store: &impl Storage, scan: Scan) -> Page {
    done(pollster::block_on(store.scan(scan)), "a scan")
}

/// All entries of a range, page by page.
#[track_caller]
fn scan_all(store: &impl Storage, scan: Scan) -> Vec<(Key, Entry)> {
    let mut entries = Vec::new();
    let mut next = Some(scan);
    while let Some(scan) = next {
        let page = page(store, scan);
        entries.extend(page.entries);
        next = page.next;
    }
    entries
}

#[track_caller]
fn keys(store: &impl Storage, scan: Scan) -> Vec<Key> {
    let entries = scan_all(store, scan).into_iter();
    entries.map(|(key, _)| key).collect()
}

#[track_caller]
fn number(store: &impl Storage, sequence: Sequence, first: u64) -> u64 {
    let [number] = numbers(store, [(sequence, first)]);
    number
}

/// Numbers drawn with one call.
#[expect(clippy::panic, reason = "this is what a failed check does")]
#[track_caller]
fn numbers<const N: usize>(store: &impl Storage, wanted: [(Sequence, u64); N]) -> [u64; N] {
    let drawn = done(pollster::block_on(store.next_numbers(&wanted)), "numbers");
    let found = drawn.len();
    drawn
        .try_into()
        .unwrap_or_else(|_| panic!("{found} numbers, {N} were asked for"))
}

fn everything() -> Scan {
    Scan::of(Space::Scratch)
}

/// Splitmix64: the same numbers for the same seed on every machine.
struct Random(u64);

impl Random {
    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next().checked_rem(bound).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: R-EVT-04
    #[test]
    fn the_memory_store_keeps_every_promise() {
        run_all(&MemoryFactory);
    }
}
