//! Removal of media bodies: prevents a commit from referring to a body that another process is removing.
//!
//! Bodies are stored outside the store, so referring to one and removing one cannot be a single commit. The store
//! still orders the two. All bodies whose hashes begin with the same byte share one record, a [`BodyRemoval`].
//! It is rewritten at every removal and never deleted:
//!
//! - A commit that refers to a body goes in three steps: read the records with [`MediaRecords::body_marks`], make sure that
//!   the body is stored, commit with [`super::Erp::import_stored`]. The commit requires that the record is unchanged
//!   since it was read and does not list the body.
//! - A removal goes in four steps: list the body with [`MediaRecords::mark_for_deletion`], ask [`MediaRecords::named_bodies`], remove
//!   the body if no record refers to it, take it off the list with [`MediaRecords::settle`].
//!
//! If the referring commit is first, the remover sees the reference. If the listing is first, the referring commit
//! fails, even when the whole removal took place between its read and its commit. A process that dies would block
//! its listed bodies permanently, so each list has an expiry time. The remover keeps a margin before that time for
//! differing clocks and slow requests.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Error, MediaRecords, keys};
use crate::domain::media::BodyHash;
use crate::storage::record::{Versioned, decode, encode};
use crate::storage::{ChangeSet, CommitError, Key, Revision, Scan, Space, Storage, StorageError};
use crate::values::limits::CONDEMNED_BODIES;

/// Bodies that may be removed now, for all hashes that begin with the same byte.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BodyRemoval {
    /// The hashes; empty between removals.
    #[serde(default)]
    pub bodies: BTreeSet<BodyHash>,
    /// Expiry: none of them may be removed from this time on.
    pub until: Timestamp,
    /// Only in the record of the holds, whose `until` is the end of the last hold: the ends of the other holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_ends: Vec<Timestamp>,
}

impl BodyRemoval {
    /// The record of holds with these ends; `None` without any.
    fn of_holds(mut ends: Vec<Timestamp>) -> Option<Self> {
        ends.sort_unstable();
        let until = ends.pop()?;
        Some(Self {
            bodies: BTreeSet::new(),
            until,
            other_ends: ends,
        })
    }

    /// The ends of all holds in the record of the holds.
    fn ends(self) -> Vec<Timestamp> {
        let mut ends = self.other_ends;
        ends.push(self.until);
        ends
    }

    fn is_open(&self, now: Timestamp) -> bool {
        !self.bodies.is_empty() && now < self.until
    }
}

/// Snapshot of the removal records.
#[derive(Clone, Debug, Default)]
pub struct BodyMarks {
    removals: BTreeMap<u8, Versioned<BodyRemoval>>,
    hold: Option<Versioned<BodyRemoval>>,
}

impl BodyMarks {
    /// Whether one of these bodies is listed for removal at `now`.
    #[must_use]
    pub fn awaits<'a>(
        &self,
        bodies: impl IntoIterator<Item = &'a BodyHash>,
        now: Timestamp,
    ) -> bool {
        bodies.into_iter().any(|body| {
            let removal = self.removal_of(*body);
            removal.is_some_and(|removal| removal.bodies.contains(body) && now < removal.until)
        })
    }

    /// Whether any body at all may be removed at any moment.
    #[must_use]
    pub fn is_removing(&self, now: Timestamp) -> bool {
        let mut removals = self.removals.values();
        removals.any(|removal| removal.record.is_open(now))
    }

    /// Whether a hold forbids every removal.
    #[must_use]
    pub fn is_held(&self, now: Timestamp) -> bool {
        self.hold
            .as_ref()
            .is_some_and(|hold| now < hold.record.until)
    }

    /// Whether the removal record of this body is unchanged since these marks were read, and does not list the body.
    #[must_use]
    pub fn is_same_for(&self, body: BodyHash, later: &Self) -> bool {
        let first = first_byte(body);
        self.revision(first) == later.revision(first)
            && !self
                .removal_of(body)
                .is_some_and(|removal| removal.bodies.contains(&body))
    }

    fn removal_of(&self, body: BodyHash) -> Option<&BodyRemoval> {
        self.removals
            .get(&first_byte(body))
            .map(|removal| &removal.record)
    }

    fn revision(&self, first: u8) -> Option<Revision> {
        self.removals.get(&first).map(|removal| removal.revision)
    }

    /// Makes the commit fail if a removal record of these bodies has changed since.
    pub(crate) fn guard(&self, changes: &mut ChangeSet, bodies: &BTreeSet<BodyHash>) {
        let firsts: BTreeSet<u8> = bodies.iter().copied().map(first_byte).collect();
        for first in firsts {
            changes.guard(keys::body_removal(first), self.revision(first));
        }
    }
}

/// Bodies that the owner of this value may remove until it expires.
#[derive(Clone, Debug)]
pub struct Condemned {
    firsts: BTreeSet<u8>,
    until: Timestamp,
    revision: Revision,
}

impl<S: Storage> MediaRecords<'_, S> {
    /// Reads the removal records. Call it before storing the bodies that a commit will refer to.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn body_marks(self) -> Result<BodyMarks, Error> {
        let mut marks = BodyMarks::default();
        let prefix = Key::of(Space::BodyRemoval).build();
        for (key, entry) in self.erp.scan_all(Scan::prefix(&prefix)).await?.entries {
            let found = Versioned {
                record: decode::<BodyRemoval>(&key, &entry)?,
                revision: entry.revision,
            };
            match key.parts().number().map(u8::try_from) {
                Some(Ok(first)) => drop(marks.removals.insert(first, found)),
                Some(Err(_)) => marks.hold = Some(found),
                None => {
                    let what = format!("record {key:?}: its key cannot be read");
                    return Err(StorageError::Damaged(what).into());
                }
            }
        }
        Ok(marks)
    }

    /// Lists bodies for removal before `until`, as many as the list limit allows. `None`: nothing may be removed now,
    /// because of a hold or another removal.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn mark_for_deletion(
        self,
        bodies: &BTreeSet<BodyHash>,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<Condemned>, Error> {
        let marks = self.body_marks().await?;
        if marks.is_removing(now) || marks.is_held(now) || bodies.is_empty() {
            return Ok(None);
        }
        let mut lists: BTreeMap<u8, BTreeSet<BodyHash>> = BTreeMap::new();
        for body in bodies.iter().take(CONDEMNED_BODIES) {
            lists.entry(first_byte(*body)).or_default().insert(*body);
        }
        let firsts = lists.keys().copied().collect();
        let mut changes = ChangeSet::new();
        let hold = marks.hold.as_ref().map(|hold| hold.revision);
        changes.guard(keys::body_hold(), hold);
        for (first, bodies) in lists {
            changes.guard(keys::body_removal(first), marks.revision(first));
            put_list(&mut changes, first, bodies, until)?;
        }
        let revision = self.commit_unless_changed(changes).await?;
        Ok(revision.map(|revision| Condemned {
            firsts,
            until,
            revision,
        }))
    }

    /// Takes bodies off the list after their removal. Bodies that are off the list already are ignored.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn settle(self, condemned: Condemned) -> Result<(), Error> {
        let mut changes = ChangeSet::new();
        for first in condemned.firsts {
            changes.guard(keys::body_removal(first), Some(condemned.revision));
            put_list(&mut changes, first, BTreeSet::new(), condemned.until)?;
        }
        self.commit_unless_changed(changes).await.map(drop)
    }

    /// Clears lists that a remover left behind and that have expired.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn settle_expired(self, marks: &BodyMarks, now: Timestamp) -> Result<(), Error> {
        for (first, removal) in &marks.removals {
            if removal.record.bodies.is_empty() || now < removal.record.until {
                continue;
            }
            let mut changes = ChangeSet::new();
            changes.guard(keys::body_removal(*first), Some(removal.revision));
            put_list(&mut changes, *first, BTreeSet::new(), removal.record.until)?;
            self.commit_unless_changed(changes).await?;
        }
        Ok(())
    }

    /// Forbids removals until a time, so that a backup finds every body its records refer to. Bodies that are listed
    /// already may still be removed ([`BodyMarks::is_removing`]). End it with [`MediaRecords::release`].
    ///
    /// # Errors
    /// When the store fails.
    pub async fn hold(self, now: Timestamp, until: Timestamp) -> Result<(), Error> {
        let begin = |ends: &mut Vec<Timestamp>| {
            ends.retain(|end| now < *end);
            ends.push(until);
        };
        self.change_holds(begin).await
    }

    /// Ends a hold that was made until this time. Other holds stay.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn release(self, until: Timestamp) -> Result<(), Error> {
        let end = |ends: &mut Vec<Timestamp>| {
            if let Some(at) = ends.iter().position(|end| *end == until) {
                ends.swap_remove(at);
            }
        };
        self.change_holds(end).await
    }

    async fn change_holds(self, change: impl Fn(&mut Vec<Timestamp>)) -> Result<(), Error> {
        let key = keys::body_hold();
        super::retry_on_conflict!(self.erp, None, {
            let before = self.erp.load::<BodyRemoval>(&key).await?;
            let revision = before.as_ref().map(|before| before.revision);
            let mut ends = before.map_or_else(Vec::new, |before| before.record.ends());
            change(&mut ends);
            let mut changes = ChangeSet::new();
            changes.guard(key.clone(), revision);
            match BodyRemoval::of_holds(ends) {
                Some(holds) => changes.put(key.clone(), encode(&holds)?),
                None => changes.delete(key.clone()),
            }
            super::Attempt::Commit(changes, ())
        });
        Ok(())
    }

    /// Commits a maintenance change without an entry in the audit trail. `None`: a guard failed.
    async fn commit_unless_changed(self, changes: ChangeSet) -> Result<Option<Revision>, Error> {
        match self.erp.store.commit(changes).await {
            Ok(revision) => Ok(Some(revision)),
            Err(CommitError::Conflict { .. }) => Ok(None),
            Err(CommitError::CounterOverflow { key }) => {
                let what = format!("counter {key:?} is at its end");
                Err(StorageError::Damaged(what).into())
            }
            Err(CommitError::Storage(error)) => Err(error.into()),
        }
    }
}

fn put_list(
    changes: &mut ChangeSet,
    first: u8,
    bodies: BTreeSet<BodyHash>,
    until: Timestamp,
) -> Result<(), StorageError> {
    let removal = BodyRemoval {
        bodies,
        until,
        other_ends: Vec::new(),
    };
    changes.put(keys::body_removal(first), encode(&removal)?);
    Ok(())
}

fn first_byte(body: BodyHash) -> u8 {
    let [first, ..] = body.bytes();
    first
}
