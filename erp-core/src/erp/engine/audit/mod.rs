//! The audit trail: who changed which records, when, and by which request.
//!
//! An entry is written in the commit of its change, so neither can exist without the other. It names records by
//! kind and number and never contains their content. Every change is made on behalf of an [`Actor`] that the caller passes
//! in. Automatic changes (deliveries of events, expired rows) have no actor and no entry.

mod names;

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use erp_derive::skip_serializing_none;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::erp::engine::{Erp, keys};
use crate::storage::record::encode;
use crate::storage::{ChangeSet, Key, Storage, StorageError};
use crate::values::limits::AUDITED_RECORDS;
use names::Named;

/// The user and request that make a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// The time of the change.
    pub at: Timestamp,
    /// The user; `None` when no user is known yet, as in a request for a token.
    pub user: Option<SmolStr>,
    /// Request or command id as in the log, at most 64 characters. It is part of the entry's key and keeps entries of
    /// several servers on one store apart.
    pub request: SmolStr,
    /// The trace id that the client sent (W3C Trace Context, `trace-id`).
    pub trace: Option<SmolStr>,
    /// The operation: method and path pattern, or a command.
    pub operation: SmolStr,
}

/// An entry as stored. Time and request are in its key, the commit in its revision.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// The acting user.
    pub user: Option<SmolStr>,
    /// The operation: method and path pattern, or a command.
    pub operation: SmolStr,
    /// The trace id that the client sent.
    pub trace: Option<SmolStr>,
    /// Records that were added or changed, by kind and number: `Auftrag 100123`.
    pub changed: Vec<String>,
    /// Records that were removed.
    pub removed: Vec<String>,
}

impl AuditEntry {
    /// Whether the entry names this record.
    #[must_use]
    pub fn names(&self, record: &str) -> bool {
        let mut records = self.changed.iter().chain(&self.removed);
        records.any(|named| named == record)
    }
}

/// Position of an entry in the trail, ordered by time. Written `1780300800000000-17-4f0c`: microseconds since 1970,
/// a counter of the process that wrote it, the request.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AuditId {
    /// Time of the change, in microseconds since 1970.
    pub micros: i64,
    /// Counter of entries within one process.
    pub number: u64,
    /// The request.
    pub request: SmolStr,
}

impl AuditId {
    /// Time of the change.
    #[must_use]
    pub fn at(&self) -> Timestamp {
        Timestamp::from_microsecond(self.micros).unwrap_or(Timestamp::MIN)
    }

    /// Reads the id from an entry's key.
    ///
    /// # Errors
    /// When the key is not that of an audit entry.
    pub(crate) fn of_key(key: &Key) -> Result<Self, StorageError> {
        let mut parts = key.parts();
        let mut read = || {
            Some(Self {
                micros: parts.signed()?,
                number: parts.number()?,
                request: parts.text()?.into(),
            })
        };
        read().ok_or_else(|| StorageError::Damaged(format!("key {key:?} is no audit entry's")))
    }
}

impl fmt::Display for AuditId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.micros, self.number, self.request)
    }
}

impl FromStr for AuditId {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.splitn(3, '-');
        let mut read = || {
            Some(Self {
                micros: parts.next()?.parse().ok()?,
                number: parts.next()?.parse().ok()?,
                request: parts.next()?.into(),
            })
        };
        // Only the canonical spelling of a number is accepted.
        read()
            .filter(|id| id.to_string() == text)
            .ok_or("an entry's id, like `1780300800000000-17-4f0c`")
    }
}

impl<S: Storage> Erp<S> {
    /// Adds the audit entry to a change set, if there is an actor and a named record changes.
    pub(crate) fn audit_changes(
        &self,
        actor: Option<&Actor>,
        changes: &mut ChangeSet,
    ) -> Result<(), StorageError> {
        let Some(actor) = actor else {
            return Ok(());
        };
        let named = Named::of(changes);
        for part in named.parts(AUDITED_RECORDS) {
            let id = AuditId {
                micros: actor.at.as_microsecond(),
                number: self.next_audit_number(),
                request: actor.request.clone(),
            };
            let entry = AuditEntry {
                user: actor.user.clone(),
                operation: actor.operation.clone(),
                trace: actor.trace.clone(),
                changed: part.changed,
                removed: part.removed,
            };
            changes.put(keys::audit(&id), encode(&entry)?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_one_spelling() {
        let id = AuditId {
            micros: -3,
            number: 17,
            request: "a-b_c.1".into(),
        };
        // A time before 1970 has no valid spelling; no change can have such a time.
        assert!(id.to_string().parse::<AuditId>().is_err());
        let id = AuditId { micros: 3, ..id };
        assert_eq!(id.to_string(), "3-17-a-b_c.1");
        assert_eq!("3-17-a-b_c.1".parse(), Ok(id.clone()));
        assert_eq!(AuditId::of_key(&keys::audit(&id)), Ok(id));
        for text in ["", "3", "3-17", "03-17-a", "3-+17-a", "x-17-a"] {
            assert!(text.parse::<AuditId>().is_err(), "{text}");
        }
    }

    #[test]
    fn keys_order_by_time() {
        let key = |micros, number| {
            keys::audit(&AuditId {
                micros,
                number,
                request: "r".into(),
            })
        };
        assert!(key(1, 9) < key(2, 0) && key(2, 0) < key(2, 1));
    }
}
