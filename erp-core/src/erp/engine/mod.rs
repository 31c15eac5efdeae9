//! What all operations share: the three doors, the skeleton of an operation, numbers, repetition, selection, events and
//! audit entries of a commit, and [`Erp`] itself.

pub(crate) mod access;
pub(crate) mod audit;
pub(crate) mod changes;
pub(crate) mod doors;
pub(crate) mod error;
pub(crate) mod event;
pub(crate) mod intersection;
pub(crate) mod invoices;
pub(crate) mod numbers;
pub(crate) mod operation;
pub(crate) mod order_status;
pub(crate) mod retry;
pub(crate) mod selection;
pub(crate) mod towns;
pub(crate) mod work;

use crate::domain::master::{Company, Customer, Reservation};
use crate::storage::record::{Stored, Versioned};
use crate::storage::{
    ChangeSet, CommitError, Entry, Key, Revision, Scan, Sequence, Storage, StorageError,
    StoreResult,
};
use crate::values::codes::Currency;
use crate::values::limits::COMMIT_TRIES;
use crate::wire::Reading;
use jiff::tz::TimeZone;
#[cfg(feature = "tz")]
use jiff::tz::TimeZoneDatabase;
use quick_cache::sync::Cache;
use rust_decimal::Decimal;
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};
#[cfg(feature = "tz")]
use std::sync::LazyLock;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

pub use audit::{Actor, AuditEntry, Difference, KeptDifferences};
pub(crate) use audit::{Differences, Members, PART, is_part, object, with_list};
pub use changes::{Change, ChangeLog, ChangedRecord, SeenBefore};
pub use doors::{Events, Leases, Office, Shop, Upkeep, Users};
pub use error::{Conflict, Error, ErrorKind};
pub use event::{Event, EventKind, Method};
pub use invoices::{InvoiceNumbers, InvoiceXml, ShownInvoice};
pub use retry::{Outcome, RESPONSE_LIFETIME, Retry, StoredResponse};
pub use towns::{AddressCheck, TownCheck};

use super::catalogue::slices::{Pages, scan_all};
use super::catalogue::{Catalogue, MasterData};
pub(crate) use super::keys;

/// Settings of the core, fixed when an [`Erp`] is created.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How request bodies are read.
    pub reading: Reading,
    /// First numbers of the number sequences.
    pub first_numbers: FirstNumbers,
    /// Smallest coin per currency; totals of documents are rounded to it. Empty (off) by default.
    pub cash_rounding: BTreeMap<Currency, Decimal>,
    /// Looks up a time zone by its IANA name. By default in the database that the feature `tz` compiles in; a program may
    /// use that of the system: `|name| TimeZone::get(name).ok()`.
    pub time_zones: fn(&str) -> Option<TimeZone>,
    /// How towns are checked against postal codes.
    pub towns: TownCheck,
    /// Memory for articles, prices and stock, decoded and as JSON, in bytes.
    pub article_cache_bytes: usize,
    /// Maximum number of store entries that one search or listing may read.
    pub scan_entries: usize,
    /// Whether a customer's orders must differ in `AuftBestellNr`, where they have one.
    pub unique_order_reference: bool,
    /// Whether tokens of one customer may order more than is available, where the company takes backorders.
    pub customers_may_backorder: bool,
}

impl Default for Settings {
    /// Lenient reading, the usual first numbers, no cash rounding. Towns are checked when they are compiled in (feature
    /// `towns-ch-li`), and time zones are known when they are (feature `tz`), else only `UTC`.
    fn default() -> Self {
        Self {
            reading: Reading::default(),
            first_numbers: FirstNumbers::default(),
            cash_rounding: BTreeMap::new(),
            time_zones: compiled_in,
            towns: TownCheck::default(),
            article_cache_bytes: 96 << 20,
            scan_entries: 50_000,
            unique_order_reference: false,
            customers_may_backorder: false,
        }
    }
}

/// A time zone of the database that is compiled in.
#[cfg(feature = "tz")]
fn compiled_in(name: &str) -> Option<TimeZone> {
    static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);
    ZONES.get(name).ok()
}

#[cfg(not(feature = "tz"))]
fn compiled_in(name: &str) -> Option<TimeZone> {
    (name == "UTC").then_some(TimeZone::UTC)
}

/// First numbers of the number sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstNumbers {
    /// Of orders (`AuftNr`); each range ends at [`Sequence::last_number`].
    pub order: u64,
    /// Of offers (`OffertNr`).
    pub offer: u64,
    /// Of customers (`KundNr`).
    pub customer: u64,
    /// Of addresses (`AdrNr`).
    pub address: u64,
    /// Of invoices and credit notes (`RechNr`), which have no gaps. A higher one than the last number counts from then on.
    pub invoice: u64,
}

impl Default for FirstNumbers {
    fn default() -> Self {
        Self {
            order: 100_001,
            offer: 100_001,
            customer: 10_001,
            address: 1,
            invoice: 1,
        }
    }
}

/// Tokens whose user is remembered, and addresses and offers whose customer is.
const KNOWN_OWNERS: usize = 20_000;

/// The operations on a store. To share it between tasks, put it in an `Arc`.
#[derive(Debug)]
pub struct Erp<S> {
    pub(crate) store: S,
    pub(crate) settings: Settings,
    pub(crate) catalogue: Catalogue,
    /// The user of a token, and the customer that an address or an offer named when it was read.
    pub(crate) owners: Cache<Key, SmolStr>,
    /// Number of the next entry of the audit trail.
    audited: AtomicU64,
    /// Sequences without a free number.
    pub(crate) used_up: Mutex<BTreeSet<Sequence>>,
}

impl<S: Storage> Erp<S> {
    /// Creates the operations on a store; nothing is read or written yet.
    pub fn new(store: S, settings: Settings) -> Self {
        let catalogue = Catalogue::new(settings.article_cache_bytes, settings.time_zones);
        Self {
            store,
            settings,
            catalogue,
            owners: Cache::new(KNOWN_OWNERS),
            audited: AtomicU64::new(0),
            used_up: Mutex::default(),
        }
    }

    /// The underlying store.
    pub const fn store(&self) -> &S {
        &self.store
    }

    /// The settings given to [`Erp::new`].
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(crate) async fn load<T: Stored>(&self, key: &Key) -> StoreResult<Option<Versioned<T>>> {
        let entry = self.entry(key).await?;
        entry
            .map(|entry| Versioned::decode(key, &entry))
            .transpose()
    }

    pub(crate) async fn entry(&self, key: &Key) -> StoreResult<Option<Entry>> {
        let entries = self.store.get(std::slice::from_ref(key)).await?;
        Ok(entries.into_iter().flatten().next())
    }

    /// Reads the versions of the master data together with other keys that the operation needs first.
    pub(crate) async fn load_master(
        &self,
        also: &[Key],
    ) -> StoreResult<(MasterData<'_, S>, Vec<Option<Entry>>)> {
        self.catalogue.load(&self.store, also).await
    }

    /// The company; defaults before the first import.
    pub(crate) async fn company(&self) -> StoreResult<Arc<Company>> {
        let (master, _) = self.load_master(&[]).await?;
        Ok(master.moment.company)
    }

    /// A customer, whoever may see it.
    pub(crate) async fn stored_customer(&self, number: &str) -> Result<Versioned<Customer>, Error> {
        let found = self.load(&keys::customer(number)).await?;
        found.ok_or_else(|| Error::not_found("customer", number))
    }

    pub(crate) const fn pages(&self, scan: Scan) -> Pages<'_, S> {
        Pages::of(&self.store, scan)
    }

    /// Reads all entries of a range, page by page.
    pub(crate) async fn scan_all(&self, scan: Scan) -> StoreResult<Vec<(Key, Entry)>> {
        scan_all(&self.store, scan).await
    }

    /// The records of these keys, in their order.
    pub(crate) async fn load_each<T: Stored>(
        &self,
        keys: Vec<Key>,
    ) -> StoreResult<Vec<Option<Versioned<T>>>> {
        let entries = keys.iter().zip(self.store.get(&keys).await?);
        entries
            .map(|(key, entry)| {
                entry
                    .map(|entry| Versioned::decode(key, &entry))
                    .transpose()
            })
            .collect()
    }

    pub(crate) async fn records<T: Stored>(&self, scan: Scan) -> StoreResult<Vec<Versioned<T>>> {
        let all = self.scan_all(scan).await?;
        all.iter()
            .map(|(key, entry)| Versioned::decode(key, entry))
            .collect()
    }

    pub(crate) fn time_zone(&self, name: &str) -> TimeZone {
        self.catalogue.time_zone(name)
    }

    /// Commits what one attempt decided, unless nothing is to be written, and returns its answer. `None`: another writer
    /// committed first, so the operation must decide again.
    pub(crate) async fn settle<T>(
        &self,
        actor: Option<&Actor>,
        (mut changes, answer): (ChangeSet, T),
    ) -> Result<Option<(T, Option<Committed>)>, Error> {
        if changes.is_empty() {
            return Ok(Some((answer, None)));
        }
        self.audit_changes(actor, &mut changes, None)?;
        let bytes = changes.bytes();
        match self.store.commit(changes).await {
            Ok(revision) => Ok(Some((answer, Some(Committed { revision, bytes })))),
            Err(CommitError::Conflict { .. }) => Ok(None),
            Err(CommitError::CounterOverflow { key }) => Err(match Reservation::counted(&key) {
                Some(article) => Reservation::too_much(&article).into(),
                None => StorageError::Damaged(format!("counter {key:?} is at its end")).into(),
            }),
            Err(CommitError::Storage(error)) => Err(error.into()),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Committed {
    pub(crate) revision: Revision,
    pub(crate) bytes: usize,
}

impl<S: Storage> Upkeep<'_, S> {
    /// Reads what the first requests would otherwise wait for: company, tax codes, and whose tokens there are (of very many
    /// the first page).
    pub async fn warm_up(self) -> Result<(), Error> {
        self.erp.load_master(&[]).await?;
        self.erp.remember_tokens().await
    }
}

/// Repeats deciding and committing until no other writer interferes, on behalf of an actor. A macro, because each attempt borrows from
/// the surrounding operation.
macro_rules! retry_on_conflict {
    ($erp:expr, $actor:expr, $attempt:expr) => {{
        let mut tries = 0_usize;
        loop {
            let attempt = $attempt;
            if let Some(settled) = $erp.settle($actor, attempt).await? {
                break settled;
            }
            tries += 1;
            if tries >= crate::values::limits::COMMIT_TRIES {
                return Err(crate::storage::StorageError::Busy.into());
            }
        }
    }};
}
pub(crate) use retry_on_conflict;

const _: () = assert!(COMMIT_TRIES > 1, "one try cannot survive a second writer");
