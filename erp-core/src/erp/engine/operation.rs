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
use smol_str::SmolStr;

use super::catalogue::MasterData;
use super::{AddressCheck, Attempt, Context, Erp, Error, Outcome, StoredResponse, keys};
use crate::domain::master::{Customer, CustomerNumber};
use crate::storage::record::{Stored, Versioned, decode};
use crate::storage::{ChangeSet, Entry, Key, Revision, Storage, StorageError};
use crate::values::text::Text;

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

    /// The counters that were read, by key.
    pub(crate) fn counters(&self) -> BTreeMap<&Key, i64> {
        let counter = |entry: &Option<Entry>| entry.as_ref().and_then(Entry::counter);
        let read = self.read.iter();
        read.map(|(key, entry)| (key, counter(entry).unwrap_or_default()))
            .collect()
    }

    /// The record of a key that was read; `None` when there is none.
    pub(crate) fn record<T: Stored>(
        &self,
        key: &Key,
    ) -> Result<Option<Versioned<T>>, StorageError> {
        let Some(Some(entry)) = self.read.get(key) else {
            return Ok(None);
        };
        Ok(Some(Versioned {
            record: decode(key, entry)?,
            revision: entry.revision,
        }))
    }
}

impl<S: Storage> Loaded<'_, S> {
    /// The customer of a key that was read; `None` when there is none.
    pub(crate) fn customer(&self, key: &Key) -> Result<Option<Versioned<Customer>>, StorageError> {
        let Some(Some(entry)) = self.read.get(key) else {
            return Ok(None);
        };
        self.master.catalogue().customer(key, entry).map(Some)
    }
}

impl<S> Loaded<'_, S> {
    /// What [`Erp::draw`] needs to know.
    pub(crate) fn named(&self) -> Option<&'static BTreeSet<u64>> {
        self.is_repeated.then_some(NONE_NAMED)
    }
}

/// What an operation decided.
pub(crate) struct Decision<T> {
    /// The changes; empty when nothing is to be written.
    pub(crate) changes: ChangeSet,
    /// The response.
    pub(crate) answer: T,
    /// Results of checking towns, which are not stored with the response.
    pub(crate) checks: Vec<AddressCheck>,
    /// The revision of the record that the request leaves as it is.
    pub(crate) unchanged: Option<Revision>,
}

impl<S: Storage> Erp<S> {
    /// Reads the records of these keys together with the master data's versions.
    pub(crate) async fn loaded(&self, wanted: &[Key]) -> Result<Loaded<'_, S>, StorageError> {
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

    /// Remembers which customer a record names.
    pub(crate) fn note_owner(&self, key: &Key, customer: &CustomerNumber) {
        if self.owners.get(key).as_ref() != Some(customer) {
            self.owners.insert(key.clone(), customer.clone());
        }
    }

    /// Starts an attempt: reads `wanted` and the stored response to this request.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the idempotency key was used for another request; when the store fails.
    pub(crate) async fn start<T: DeserializeOwned>(
        &self,
        context: &Context<'_>,
        wanted: &[Key],
    ) -> Result<Start<'_, S, T>, Error> {
        let kept_key = context
            .retry
            .map(|retry| keys::stored_response(context.caller, retry.key));
        let all: Vec<Key> = wanted.iter().chain(&kept_key).cloned().collect();
        let loaded = self.loaded(&all).await?;
        let kept = match &kept_key {
            Some(key) => loaded.record(key)?,
            None => None,
        };
        Ok(match context.replayed(kept.as_ref())? {
            Some(outcome) => Start::Replayed(outcome),
            None => Start::First(loaded, kept),
        })
    }

    /// Commits what was decided together with the response. `None`: another writer was faster.
    pub(crate) async fn finish<T: Serialize>(
        &self,
        context: &Context<'_>,
        kept: Option<Versioned<StoredResponse>>,
        decision: Decision<T>,
    ) -> Result<Option<Outcome<T>>, Error> {
        let Decision {
            mut changes,
            answer,
            checks,
            unchanged,
        } = decision;
        context.store_response(kept, &mut changes, &answer, unchanged)?;
        let attempt = if changes.is_empty() {
            Attempt::Done(answer)
        } else {
            Attempt::Commit(changes, answer)
        };
        let settled = self.settle(context.actor, attempt).await?;
        Ok(settled.map(|(answer, committed)| {
            let outcome = Outcome::first(answer, committed);
            Outcome {
                revision: unchanged.or(outcome.revision),
                checks,
                ..outcome
            }
        }))
    }
}

/// The number in a response, which is stored as it is sent.
pub(crate) fn number_in<const MAX: usize>(sent: Option<SmolStr>) -> Result<Text<MAX>, Error> {
    let number = sent.and_then(|number| Text::new(&number).ok());
    number.ok_or_else(|| StorageError::Damaged("a kept answer has no number".to_owned()).into())
}

/// How an attempt starts.
pub(crate) enum Start<'a, S, T> {
    /// The request was processed before.
    Replayed(Outcome<T>),
    /// What the decision starts from, and the expired response that the idempotency key still holds.
    First(Loaded<'a, S>, Option<Versioned<StoredResponse>>),
}

/// Runs an operation: reads the keys that it names, lets its decision state the changes, and commits them with the
/// response. A macro, because a function could not take a decision that borrows from the operation and whose future is
/// `Send`.
macro_rules! operate {
    ($erp:expr, $context:expr, $wanted:expr, |$loaded:ident| $decide:expr) => {{
        let result: Result<_, crate::erp::engine::Error> = 'operation: {
            for tries in 0..crate::values::limits::COMMIT_TRIES {
                let (mut $loaded, kept) = match $erp.start($context, $wanted).await? {
                    crate::erp::engine::operation::Start::Replayed(outcome) => {
                        break 'operation Ok(outcome);
                    }
                    crate::erp::engine::operation::Start::First(loaded, kept) => (loaded, kept),
                };
                $loaded.is_repeated = tries > 0;
                let decision = $decide.await?;
                if let Some(outcome) = $erp.finish($context, kept, decision).await? {
                    break 'operation Ok(outcome);
                }
            }
            Err(crate::storage::StorageError::Busy.into())
        };
        result
    }};
}
pub(crate) use operate;
