//! The audit trail: who changed which records, when, and by which request.
//!
//! An entry is written in the commit of its change, so neither can exist without the other. It names records by
//! kind and number. What differs of master data that an import changes is kept beside it, in [`KeptDifferences`]. Every change is made on behalf of an [`Actor`] that the caller passes
//! in. Automatic changes (deliveries of events, expired rows) have no actor and no entry.

mod differences;
mod names;

use std::sync::atomic::Ordering;

use erp_derive::skip_serializing_none;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::erp::engine::Erp;
use crate::erp::keys::{self, AuditId};
use crate::storage::record::encode;
use crate::storage::{ChangeSet, Storage, StoreResult};
use crate::values::limits::AUDITED_RECORDS;
use names::Named;

pub use differences::{Difference, KeptDifferences};
pub(crate) use differences::{Differences, Members, PART, is_part, object, with_list};

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
    /// Whether what differs of these records is kept beside the entry, as far as it is not too long.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_differences: bool,
}

impl AuditEntry {
    /// Whether a name is that of this record, or of prices or stock of this article.
    #[must_use]
    pub fn is_of(named: &str, record: &str) -> bool {
        let of = |kind: &str| Some((named.strip_prefix(kind)?, record.strip_prefix("Artikel ")?));
        named == record
            || of("Bestand ").is_some_and(|(named, article)| named == article)
            || of("Preis ").is_some_and(|(named, article)| {
                let list = named.strip_suffix(article);
                list.is_some_and(|list| list.ends_with(' '))
            })
    }
}

impl<S: Storage> Erp<S> {
    /// Adds the audit entry to a change set, if there is an actor and a named record changes, and what differs, if it is
    /// to be kept.
    pub(crate) fn audit_changes(
        &self,
        actor: Option<&Actor>,
        changes: &mut ChangeSet,
        mut differences: Option<Differences>,
    ) -> StoreResult<()> {
        let Some(actor) = actor else {
            return Ok(());
        };
        let named = Named::of(changes);
        for part in named.parts(AUDITED_RECORDS) {
            let id = AuditId {
                micros: actor.at.as_microsecond(),
                number: self.audited.fetch_add(1, Ordering::Relaxed),
                request: actor.request.clone(),
            };
            let entry = AuditEntry {
                user: actor.user.clone(),
                operation: actor.operation.clone(),
                trace: actor.trace.clone(),
                changed: part.changed,
                removed: part.removed,
                has_differences: differences.is_some(),
            };
            if let Some(differences) = &mut differences {
                differences.put(changes, &id, &entry)?;
            }
            changes.put(keys::audit(&id), encode(&entry)?);
        }
        Ok(())
    }
}
