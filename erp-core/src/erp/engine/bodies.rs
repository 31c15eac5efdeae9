//! What earlier versions stored about media bodies that they were removing.
//!
//! They removed a body within a minute after they had listed it here. This version moves bodies aside instead and guards no
//! commit against a removal, so no older server that shares the store may remove any. All of this can go in November 2027,
//! with its key space reserved.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Attempt, Error, Upkeep, keys};
use crate::domain::media::BodyHash;
use crate::storage::record::{decode, encode};
use crate::storage::{ChangeSet, Key, Scan, Space, Storage};

/// Bodies that an earlier version was removing, or until when it may remove none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BodyRemoval {
    /// The hashes; empty between removals, and in the record that forbids removals.
    #[serde(default)]
    pub bodies: BTreeSet<BodyHash>,
    /// Until when they may be removed, or none may.
    pub until: Timestamp,
    /// In the record that forbids removals: when earlier reasons for it end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_ends: Vec<Timestamp>,
}

impl<S: Storage> Upkeep<'_, S> {
    /// Forbids servers of earlier versions to remove bodies, for good. Returns until when one may still do so, because it
    /// has begun.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn stop_older_removals(self) -> Result<Option<Timestamp>, Error> {
        let forever = BodyRemoval {
            bodies: BTreeSet::new(),
            until: Timestamp::MAX,
            other_ends: Vec::new(),
        };
        let key = keys::body_hold();
        let held = self.erp.load::<BodyRemoval>(&key).await?;
        if held.is_none_or(|held| held.value.until != forever.until) {
            let mut changes = ChangeSet::new();
            changes.put(key, encode(&forever)?);
            self.erp.settle(None, Attempt::Commit(changes, ())).await?;
        }
        let mut last = None;
        let prefix = Key::of(Space::BodyRemoval).build();
        for (key, entry) in self.erp.scan_all(Scan::prefix(&prefix)).await? {
            let removal: BodyRemoval = decode(&key, &entry)?;
            if !removal.bodies.is_empty() && self.now < removal.until {
                last = last.max(Some(removal.until));
            }
        }
        Ok(last)
    }
}
