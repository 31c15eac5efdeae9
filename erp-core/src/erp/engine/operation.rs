//! The skeleton of the operations that change records for a client: read, decide, commit, and start again when another
//! writer was faster.
//!
//! One call to the store reads the stored response to a repeated request, the versions of the master data and the
//! records whose keys the operation knows in advance. With these it decides what to write. The commit contains the
//! response for a repetition of the request.
//!
//! Example: placing an order reads `(kept response, versions, customer)`, draws the order number and commits: three
//! calls while articles and prices are in the cache.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::retry::OfCustomer;
use super::{AddressCheck, Erp, Error, Outcome, Shop, StoredResponse, keys};
use crate::domain::master::Customer;
use crate::erp::catalogue::MasterData;
use crate::storage::record::{Stored, Versioned};
use crate::storage::{ChangeSet, Entry, Key, Revision, Storage, StoreResult};

/// What one attempt of an operation starts from, read with one call.
pub(crate) struct Loaded<'a, S> {
    pub(crate) master: MasterData<'a, S>,
    read: BTreeMap<Key, Option<Entry>>,
    /// Whether another writer was faster: the numbers that were drawn may be taken.
    pub(crate) is_repeated: bool,
}

/// The numbers that a repeated attempt must not draw besides those that are taken.
const NONE_NAMED: &BTreeSet<u64> = &BTreeSet::new();

impl<S> Loaded<'_, S> {
    /// Whether the entry of this key was read, present or not.
    pub(crate) fn has_read(&self, key: &Key) -> bool {
        self.read.contains_key(key)
    }

    /// The counters that were read; the other records are no counters and count nothing.
    pub(crate) fn counters(&self) -> BTreeMap<Key, i64> {
        let counter = |entry: &Option<Entry>| entry.as_ref().and_then(Entry::counter);
        let read = self.read.iter();
        read.map(|(key, entry)| (key.clone(), counter(entry).unwrap_or_default()))
            .collect()
    }

    /// The record of a key that was read; `None` when there is none.
    pub(crate) fn record<T: Stored>(&self, key: &Key) -> StoreResult<Option<Versioned<T>>> {
        let Some(Some(entry)) = self.read.get(key) else {
            return Ok(None);
        };
        Versioned::decode(key, entry).map(Some)
    }

    /// What [`Erp::draw`] needs to know.
    pub(crate) fn named(&self) -> Option<&'static BTreeSet<u64>> {
        self.is_repeated.then_some(NONE_NAMED)
    }

    /// The customer of a key that was read; `None` when there is none.
    pub(crate) fn customer(&self, key: &Key) -> StoreResult<Option<Versioned<Customer>>> {
        let Some(Some(entry)) = self.read.get(key) else {
            return Ok(None);
        };
        self.master.catalogue.customer(key, entry).map(Some)
    }
}

pub(crate) struct Decision<T> {
    /// The changes; empty when nothing is to be written.
    pub(crate) changes: ChangeSet,
    /// The record as it is now.
    pub(crate) value: T,
    /// Results of checking towns, which are not stored with the response.
    pub(crate) checks: Vec<AddressCheck>,
    /// The revision of the record that the request leaves as it is.
    pub(crate) unchanged: Option<Revision>,
}

/// What an operation decides.
pub(crate) type Decided<T> = Result<Decision<T>, Error>;

impl<T> Decision<T> {
    pub(crate) const fn of(changes: ChangeSet, value: T, checks: Vec<AddressCheck>) -> Self {
        Self {
            changes,
            value,
            checks,
            unchanged: None,
        }
    }
}

impl<S: Storage> Erp<S> {
    /// Reads the records of these keys together with the master data's versions.
    pub(crate) async fn loaded(&self, wanted: &[Key]) -> StoreResult<Loaded<'_, S>> {
        let (master, entries) = self.load_master(wanted).await?;
        let read = wanted.iter().cloned().zip(entries).collect();
        Ok(Loaded {
            master,
            read,
            is_repeated: false,
        })
    }

    /// A key, and the customer that the record of this key named last time. It is only a guess, so that one call reads
    /// both: who uses it looks whether the record still names this customer.
    pub(crate) fn with_owner(&self, key: Option<Key>) -> Vec<Key> {
        let owner = key.as_ref().and_then(|key| self.owners.get(key));
        let customer = owner.map(|number| keys::customer(&number));
        key.into_iter().chain(customer).collect()
    }

    /// Remembers which customer or user a record names.
    pub(crate) fn note_owner(&self, key: &Key, owner: &str) {
        if self.owners.get(key).is_none_or(|known| known != owner) {
            self.owners.insert(key.clone(), owner.into());
        }
    }
}

impl<'a, S: Storage> Shop<'a, S> {
    /// Starts an attempt: reads `wanted` and the stored response to this request.
    /// Errors: [`Error::Invalid`] when the idempotency key was used for another request.
    pub(crate) async fn start<T: DeserializeOwned>(
        self,
        wanted: &[Key],
    ) -> Result<Start<'a, S, T>, Error> {
        let kept_key = self
            .retry
            .map(|retry| keys::stored_response(self.caller, retry.key));
        let all: Vec<Key> = wanted.iter().chain(&kept_key).cloned().collect();
        let loaded = self.erp.loaded(&all).await?;
        let kept = match &kept_key {
            Some(key) => loaded.record(key)?,
            None => None,
        };
        Ok(match self.replayed(kept.as_ref())? {
            Some(outcome) => Start::Replayed(outcome),
            None => Start::First(loaded, kept),
        })
    }

    /// Commits what was decided together with the response that `answer` makes of it. `None`: another writer was faster.
    pub(crate) async fn finish<T: OfCustomer, A: Serialize>(
        self,
        kept: Option<Versioned<StoredResponse>>,
        decision: Decision<T>,
        answer: impl Fn(&T) -> A,
    ) -> Result<Option<Outcome<A>>, Error> {
        let Decision {
            mut changes,
            value,
            checks,
            unchanged,
        } = decision;
        let customer = value.customer().cloned();
        let value = answer(&value);
        self.store_response(kept, &mut changes, (&value, customer), unchanged)?;
        let settled = self.erp.settle(self.actor, (changes, value)).await?;
        Ok(settled.map(|(value, committed)| Outcome {
            value,
            revision: unchanged.or(committed.map(|committed| committed.revision)),
            written: committed.map_or(0, |committed| committed.bytes),
            replayed: false,
            checks,
        }))
    }
}

pub(crate) enum Start<'a, S, T> {
    /// The request was processed before.
    Replayed(Outcome<T>),
    /// What the decision starts from, and the expired response that the idempotency key still holds.
    First(Loaded<'a, S>, Option<Versioned<StoredResponse>>),
}

/// Runs an operation: reads the keys that it names, lets its decision state the changes, and commits them with the
/// response that `$answer` makes of the decided value. A macro, because a function could not take a decision that borrows from the operation and whose future is
/// `Send`.
macro_rules! operate {
    ($shop:expr, $wanted:expr, $answer:expr, |$loaded:ident| $decide:expr) => {{
        let result: Result<_, crate::erp::engine::Error> = 'operation: {
            for tries in 0..crate::values::limits::COMMIT_TRIES {
                let (mut $loaded, kept) = match $shop.start($wanted).await? {
                    crate::erp::engine::operation::Start::Replayed(outcome) => {
                        break 'operation Ok(outcome);
                    }
                    crate::erp::engine::operation::Start::First(loaded, kept) => (loaded, kept),
                };
                $loaded.is_repeated = tries > 0;
                let decision = $decide.await?;
                if let Some(outcome) = $shop.finish(kept, decision, $answer).await? {
                    break 'operation Ok(outcome);
                }
            }
            Err(crate::storage::StorageError::Busy.into())
        };
        result
    }};
}
pub(crate) use operate;
