//! The operations of the interface: load, decide, commit.
//!
//! [`Erp`] is the only asynchronous code of the core. Every rule it applies is a plain function
//! elsewhere; here stand only what to load, and what to write together.

mod access;
mod addresses;
mod administration;
mod articles;
mod audit;
mod bodies;
mod catalogue;
mod customers;
mod error;
mod events;
mod export;
mod floors;
mod import;
mod integrity;
mod intersection;
mod keys;
mod lease;
mod media;
mod offers;
mod ordering;
mod orders;
mod problems;
mod retry;
mod search;
mod selection;
mod towns;
mod work;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::{Timestamp, tz::TimeZone};
use quick_cache::sync::Cache;
use rust_decimal::Decimal;

use crate::codes::Currency;
use crate::limits::COMMIT_TRIES;
use crate::master::Caller;
use crate::record::{self, Stored, Versioned};
use crate::storage::{ChangeSet, CommitError, Key, Page, Revision, Scan, Storage, StorageError};
use crate::text::Text;
use crate::wire::Reading;

pub use access::TokenHash;
pub use administration::{IssuedToken, UserChange};
pub use articles::{ArticleList, ArticleQuery};
pub use audit::{Actor, ActorNow, AuditEntry, AuditId, AuditPage, AuditQuery, Audited};
pub use bodies::{BodyMarks, BodyRemoval, Condemned};
pub use customers::{CustomerOrders, OrderPages};
pub use error::Error;
pub use events::{
    ATTEMPTS_KEPT, AttemptOutcome, Backlog, Delivery, DeliveryAttempt, DeliveryState, Due, Event,
    EventId, EventKind, EventTarget, LogQuery, LoggedEntry, LoggedEvent, Method, NewEventTarget,
    OutboxEntry, RETRY_WAITS, Schedule, Verdict,
};
pub use export::{ExportPage, ExportPlace, ExportedFile, ExportedRow};
pub use floors::imported_number;
pub use import::{ImportReport, ImportRow, RowError};
pub use integrity::{Finding, Integrity};
pub use lease::{Lease, LeaseAfter, LeaseRecord, LeaseTerms, Leased};
pub use media::{MediaContent, MediaPart};
pub use retry::{ANSWER_KEPT, KeptAnswer, Outcome, Retry};
pub use search::{SearchField, SearchTerms};
pub use towns::{AddressCheck, TownCheck};

use catalogue::Catalogue;

/// What the caller of the core decides once.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How bodies are read.
    pub reading: Reading,
    /// Where number sequences begin.
    pub first_numbers: FirstNumbers,
    /// The smallest coin per currency, where documents are rounded to it. Off by default.
    pub cash_rounding: BTreeMap<Currency, Decimal>,
    /// Finds a time zone by its IANA name; the time zone database belongs to the caller. With the system's
    /// database or the one `jiff` brings along: `|name| TimeZone::get(name).ok()`.
    pub time_zones: fn(&str) -> Option<TimeZone>,
    /// How towns are checked against postal codes.
    pub towns: TownCheck,
    /// How many articles (and as many prices and stocks) are kept ready in memory.
    pub cached_articles: usize,
    /// How many entries of the store one search or listing may read.
    pub scan_entries: usize,
    /// Who acts, for the audit trail. Asked at each commit, in the task that makes the change.
    pub actor: ActorNow,
}

impl Default for Settings {
    /// Lenient reading, sequences from their usual first numbers, no cash rounding, no actor; towns are checked
    /// when they are compiled in (feature `towns-ch-li`). Only the time zone `UTC` is known: a program that
    /// imports a company with another one sets [`Settings::time_zones`].
    fn default() -> Self {
        Self {
            reading: Reading::default(),
            first_numbers: FirstNumbers::default(),
            cash_rounding: BTreeMap::new(),
            time_zones: |name| (name == "UTC").then_some(TimeZone::UTC),
            towns: TownCheck::default(),
            cached_articles: 20_000,
            scan_entries: 50_000,
            actor: || None,
        }
    }
}

/// Where number sequences begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstNumbers {
    /// `AuftNr`.
    pub order: u64,
    /// `OffertNr`.
    pub offer: u64,
    /// `KundNr`.
    pub customer: u64,
    /// `AdrNr`.
    pub address: u64,
}

impl Default for FirstNumbers {
    fn default() -> Self {
        Self {
            order: 1_000_001,
            offer: 500_001,
            customer: 10_001,
            address: 1,
        }
    }
}

/// Who asks, and when.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The time of the request.
    pub now: Timestamp,
    /// The user.
    pub caller: &'a Caller,
    /// What links begin with, without a slash at the end: `https://erp.example.com`.
    pub base_url: &'a str,
    /// What makes the request safe to send again.
    pub retry: Option<Retry<'a>>,
    /// The revisions one of which the record must still have (`If-Match`); only changes of a record look.
    pub if_match: Option<&'a [Revision]>,
}

impl<'a> Context<'a> {
    /// A request without conditions.
    #[must_use]
    pub const fn new(now: Timestamp, caller: &'a Caller, base_url: &'a str) -> Self {
        Self {
            now,
            caller,
            base_url,
            retry: None,
            if_match: None,
        }
    }

    /// Checks `If-Match` against the revision a change rests on.
    fn check_revision(&self, found: Revision) -> Result<(), Error> {
        match self.if_match {
            Some(wanted) if !wanted.contains(&found) => Err(Error::PreconditionFailed),
            _ => Ok(()),
        }
    }
}

/// Tokens whose user is remembered.
const KNOWN_TOKENS: usize = 10_000;

/// The operations on a store.
///
/// Cloning is not needed: share it in an `Arc`.
#[derive(Debug)]
pub struct Erp<S> {
    store: S,
    settings: Settings,
    catalogue: Catalogue,
    /// Whose a token is.
    token_users: Cache<TokenHash, Text<80>>,
    /// The next entry of the audit trail.
    audited: AtomicU64,
}

impl<S: Storage> Erp<S> {
    /// Operations on this store.
    #[must_use]
    pub fn new(store: S, settings: Settings) -> Self {
        let catalogue = Catalogue::new(settings.cached_articles);
        Self {
            store,
            settings,
            catalogue,
            token_users: Cache::new(KNOWN_TOKENS),
            audited: AtomicU64::new(0),
        }
    }

    /// The store.
    #[must_use]
    pub const fn store(&self) -> &S {
        &self.store
    }

    /// The settings.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    async fn load<T: Stored>(&self, key: &Key) -> Result<Option<Versioned<T>>, StorageError> {
        let entries = self.store.get(std::slice::from_ref(key)).await?;
        let Some(entry) = entries.into_iter().flatten().next() else {
            return Ok(None);
        };
        Ok(Some(Versioned {
            record: record::decode(key, &entry)?,
            revision: entry.revision,
        }))
    }

    /// Every entry of a range, page by page.
    async fn scan_all(&self, scan: Scan) -> Result<Page, StorageError> {
        let mut all = Page::default();
        let mut next = Some(scan);
        while let Some(scan) = next {
            let page = self.store.scan(scan).await?;
            work::yield_now().await;
            all.entries.extend(page.entries);
            next = page.next;
        }
        Ok(all)
    }

    fn next_audit_number(&self) -> u64 {
        self.audited.fetch_add(1, Ordering::Relaxed)
    }

    fn time_zone(&self, name: &str) -> TimeZone {
        (self.settings.time_zones)(name).unwrap_or(TimeZone::UTC)
    }
}

/// What a commit wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Committed {
    revision: Revision,
    bytes: usize,
}

/// What one try of an operation came to.
enum Attempt<T> {
    /// Commit this, and answer so.
    Commit(ChangeSet, T),
    /// Nothing to write.
    Done(T),
}

impl<S: Storage> Erp<S> {
    /// Commits what one try decided. `None`: another writer was faster, decide again.
    async fn settle<T>(
        &self,
        attempt: Attempt<T>,
    ) -> Result<Option<(T, Option<Committed>)>, StorageError> {
        let (mut changes, answer) = match attempt {
            Attempt::Done(answer) => return Ok(Some((answer, None))),
            Attempt::Commit(changes, answer) => (changes, answer),
        };
        self.audit_changes(&mut changes)?;
        let bytes = changes.bytes();
        match self.store.commit(changes).await {
            Ok(revision) => Ok(Some((answer, Some(Committed { revision, bytes })))),
            Err(CommitError::Conflict { .. }) => Ok(None),
            Err(CommitError::CounterOverflow { key }) => Err(StorageError::Damaged(format!(
                "counter {key:?} is at its end"
            ))),
            Err(CommitError::Storage(error)) => Err(error),
        }
    }
}

/// Decides and commits until no other writer was faster. A macro, because the tries borrow from the
/// operation around them.
macro_rules! until_committed {
    ($erp:expr, $attempt:expr) => {{
        let mut tries = 0_usize;
        loop {
            let attempt = $attempt;
            if let Some(settled) = $erp.settle(attempt).await? {
                break settled;
            }
            tries = tries.saturating_add(1);
            if tries >= crate::limits::COMMIT_TRIES {
                return Err(crate::storage::StorageError::Busy.into());
            }
        }
    }};
}
use until_committed;

const _: () = assert!(COMMIT_TRIES > 1, "one try cannot survive a second writer");
