//! The audit trail: who changed which records, when, by which request.
//!
//! An entry is written in the commit of the change it tells of, so neither is ever there without the
//! other. It names records by kind and number and never tells their content. Who acts is told by
//! [`Actor`], which the setting [`super::Settings::actor`] is asked for at each commit; what nobody
//! asked for (deliveries of events, rows that expire) has no actor and no entry.

mod names;
mod query;

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

pub use query::{AuditPage, AuditQuery, Audited};

use super::{Erp, keys};
use crate::limits::AUDITED_RECORDS;
use crate::record::encode;
use crate::storage::{ChangeSet, Key, Storage, StorageError};
use names::Named;

/// On whose behalf a change is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// Now.
    pub at: Timestamp,
    /// The user; `None` when nobody is known yet, as in a request for a token.
    pub user: Option<SmolStr>,
    /// What the log calls the request or command by, at most 64 characters. It is part of the key of the
    /// entry, and keeps entries of several servers on one store apart.
    pub request: SmolStr,
    /// The trace the caller said the request belongs to (W3C Trace Context, `trace-id`).
    pub trace: Option<SmolStr>,
    /// What is done: method and pattern of the path, or a command.
    pub operation: SmolStr,
}

/// Finds out who acts, at the moment of a commit; `None` when nobody does.
pub type ActorNow = fn() -> Option<Actor>;

/// An entry as stored; time, request and commit stand in its key and beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// The user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<SmolStr>,
    /// What was done: method and pattern of the path, or a command.
    pub operation: SmolStr,
    /// The trace the caller named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<SmolStr>,
    /// Records that were added or changed, by kind and number: `Auftrag 100123`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// Records that were removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
}

impl AuditEntry {
    /// Whether the entry tells of this record.
    #[must_use]
    pub fn names(&self, record: &str) -> bool {
        let mut records = self.changed.iter().chain(&self.removed);
        records.any(|named| named == record)
    }
}

/// The place of an entry in the trail, by time. Written `1780300800000000-17-4f0c`: microseconds since
/// 1970, a number of the process that wrote it, the request.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AuditId {
    /// When the change was made, in microseconds since 1970.
    pub micros: i64,
    /// Counts the entries of one process.
    pub number: u64,
    /// The request.
    pub request: SmolStr,
}

impl AuditId {
    /// When the change was made.
    #[must_use]
    pub fn at(&self) -> Timestamp {
        Timestamp::from_microsecond(self.micros).unwrap_or(Timestamp::MIN)
    }

    /// The id in the key of an entry.
    ///
    /// # Errors
    /// When the key is no entry's.
    pub(super) fn of_key(key: &Key) -> Result<Self, StorageError> {
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
        // Another way to write the same number is no id.
        read()
            .filter(|id| id.to_string() == text)
            .ok_or("an entry's id, like `1780300800000000-17-4f0c`")
    }
}

impl<S: Storage> Erp<S> {
    /// Adds the entry of a change set to it, when somebody acts and a record is named.
    pub(super) fn audit_changes(&self, changes: &mut ChangeSet) -> Result<(), StorageError> {
        let Some(actor) = (self.settings.actor)() else {
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
        // A time before 1970 has no spelling that reads; nobody changes anything there.
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
