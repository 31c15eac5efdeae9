//! The storage interface: a small ordered key-value store that any program can implement.
//!
//! The core owns keys, encoding, secondary keys and record versions, so a backend contains no business rules.
//! [`MemoryStore`] is the reference; the suite `conformance` (feature `conformance`) checks any other backend.

mod change;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
pub(crate) mod continuation;
mod error;
pub(crate) mod key;
mod memory;
mod open_error;
pub(crate) mod record;
pub(crate) mod snapshot;

use std::future::Future;

use erp_derive::Word;

pub use change::{ChangeSet, Guard, Write};
pub use error::{CommitError, StorageError};
pub use key::{Key, Space};
pub(crate) use key::{history_key, outbox_key};
pub use memory::MemoryStore;
pub use open_error::OpenError;

/// What a call to the store comes to.
pub(crate) type StoreResult<T> = Result<T, StorageError>;

/// The number of a commit: unique, increasing, and the version of every entry the commit wrote.
pub type Revision = u64;

/// What is stored under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The commit that last wrote this entry. A key that was deleted and written again has a new revision.
    pub revision: Revision,
    /// The record's bytes, or the eight bytes of a counter.
    pub value: Vec<u8>,
}

impl Entry {
    /// The value of a counter; `None` when the entry is not one.
    pub fn counter(&self) -> Option<i64> {
        self.value
            .as_slice()
            .try_into()
            .ok()
            .map(i64::from_be_bytes)
    }
}

/// A range of keys to read in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scan {
    /// The first key of the range.
    pub from: Key,
    /// The first key after the range.
    pub until: Key,
    /// Read from the last key to the first.
    pub backwards: bool,
    /// Maximum number of entries per page; never more than [`crate::limits::ENTRIES_PER_PAGE`].
    pub limit: usize,
}

impl Scan {
    /// All keys that begin with this one.
    pub fn prefix(prefix: &Key) -> Self {
        Self {
            from: prefix.clone(),
            until: prefix.after_prefix(),
            backwards: false,
            limit: crate::values::limits::ENTRIES_PER_PAGE,
        }
    }

    /// All keys of a space.
    pub fn of(space: Space) -> Self {
        Self::prefix(&Key::of(space))
    }

    /// The same range in descending order.
    #[must_use]
    pub const fn backwards(mut self) -> Self {
        self.backwards = true;
        self
    }

    /// The scan that continues after a page of `limit` entries; `None` when the range is finished.
    #[must_use]
    pub fn after_page(&self, entries: &[(Key, Entry)], limit: usize) -> Option<Self> {
        let (last, _) = entries.last().filter(|_| entries.len() >= limit)?;
        let mut rest = self.clone();
        if self.backwards {
            rest.until = last.clone();
        } else {
            rest.from = last.successor();
        }
        (rest.from < rest.until).then_some(rest)
    }

    /// The same range with at most this many entries per page.
    #[must_use]
    pub const fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }
}

/// One page of a scan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Entries in key order, or descending for a backwards scan.
    pub entries: Vec<(Key, Entry)>,
    /// The scan for the next page; `None` when the range is finished.
    pub next: Option<Scan>,
}

/// The number sequences of the interface. A backend stores each under its word, which must never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Word)]
#[non_exhaustive]
pub enum Sequence {
    /// Orders (`AuftNr`).
    Order,
    /// Offers (`OffertNr`).
    Offer,
    /// Customers (`KundNr`, which is also `DebiNr`).
    Customer,
    /// Addresses of customers (`AdrNr`).
    Address,
    /// Article media (`IDKey`).
    Media,
}

impl Sequence {
    // rule: D-NUM-03
    /// The highest number of the field that holds it; customers end at six digits, because `debinr` of the article list
    /// takes no more.
    pub const fn last_number(self) -> u64 {
        match self {
            Self::Order | Self::Offer => 9_999_999_999,
            Self::Customer => 999_999,
            Self::Address | Self::Media => i32::MAX as u64,
        }
    }

    /// The error of a store whose counter of a sequence is at its end.
    pub fn used_up(self) -> StorageError {
        let name = self.as_str();
        StorageError::Unavailable(format!("the number sequence `{name}` is used up"))
    }
}

/// `Send` and `Sync` where there are threads, nothing on wasm32.
#[cfg(not(target_family = "wasm"))]
pub trait MaybeSendSync: Send + Sync {}
#[cfg(not(target_family = "wasm"))]
impl<T: Send + Sync> MaybeSendSync for T {}

/// `Send` and `Sync` where there are threads, nothing on wasm32.
#[cfg(target_family = "wasm")]
pub trait MaybeSendSync {}
#[cfg(target_family = "wasm")]
impl<T> MaybeSendSync for T {}

/// `Send` where there are threads, nothing on wasm32.
#[cfg(not(target_family = "wasm"))]
pub trait MaybeSend: Send {}
#[cfg(not(target_family = "wasm"))]
impl<T: Send> MaybeSend for T {}

/// `Send` where there are threads, nothing on wasm32.
#[cfg(target_family = "wasm")]
pub trait MaybeSend {}
#[cfg(target_family = "wasm")]
impl<T> MaybeSend for T {}

/// A store of records.
///
/// A backend must keep these promises; [`conformance`](self) checks them:
///
/// 1. **All or nothing.** A [`ChangeSet`] is visible completely or not at all, also after a crash.
/// 2. **Guards.** They are checked against the state right before the commit. When one fails, nothing changes and
///    the result is [`CommitError::Conflict`].
/// 3. **Revisions.** Every commit has a new, higher revision, and every entry it writes carries it. A key that was
///    deleted and written again never gets an old revision back.
/// 4. **Durability.** `Ok` means that the change survives the end of the process and a power failure.
/// 5. **Read your writes.** A call sees everything that was committed before it began.
/// 6. **Unknown outcome.** After [`StorageError::OutcomeUnknown`] the change may or may not have been made;
///    repeating a guarded set is safe. After any other error it was not made and will not be.
/// 7. **No cancellation.** Dropping the future does not cancel a commit that has begun.
/// 8. **Order.** Scans return keys in byte order, in pages, without gaps for keys that no other writer touches.
/// 9. **Unique numbers.** A sequence never repeats a number, not even after a crash; gaps are allowed.
/// 10. **Counters** need no guard: `add` commutes, an absent counter is 0, and a sum beyond 64 bits fails the whole
///     set with [`CommitError::CounterOverflow`].
/// 11. **Consistent reads.** One call to `get` sees one state: never half of a commit.
///
/// No method has a default, so that a wrapper cannot forget one.
///
/// The futures of the trait have no common type, so there is no `dyn Storage`. A program that chooses its store at run time
/// has an enum with one variant per store ([recipe](crate::recipes#a-storage-of-ones-own)).
pub trait Storage: MaybeSendSync {
    /// The entries under these keys, in the order of the keys; at most [`crate::limits::KEYS_PER_GET`].
    fn get(
        &self,
        keys: &[Key],
    ) -> impl Future<Output = Result<Vec<Option<Entry>>, StorageError>> + MaybeSend;

    /// One page of a range.
    fn scan(&self, scan: Scan) -> impl Future<Output = Result<Page, StorageError>> + MaybeSend;

    /// Draws the next number of each sequence, at least the number beside it, in one call. A sequence may be listed
    /// several times; its numbers rise in the order of the list.
    fn next_numbers(
        &self,
        wanted: &[(Sequence, u64)],
    ) -> impl Future<Output = Result<Vec<u64>, StorageError>> + MaybeSend;

    /// Applies a change set and returns its revision.
    fn commit(
        &self,
        changes: ChangeSet,
    ) -> impl Future<Output = Result<Revision, CommitError>> + MaybeSend;
}
