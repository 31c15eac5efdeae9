//! Bodies on their way out: what keeps a commit from naming one that another process removes.
//!
//! Bodies live outside the store, so naming one and removing it cannot be one commit. The store orders
//! them all the same. For the bodies whose hashes begin with the same byte there is one record, a
//! [`BodyRemoval`], which is written anew at every removal and never taken away:
//!
//! - Who names a body reads the records with [`Erp::body_marks`], then sees to it that the body is there,
//!   and then commits with [`Erp::import_stored`], which demands that the record of the body is the one
//!   that was read and does not list the body.
//! - Who removes a body lists it with [`Erp::condemn_bodies`], then asks [`Erp::named_bodies`], removes
//!   it if it still is not named, and takes it off the list with [`Erp::settle_bodies`].
//!
//! Either the naming commit comes first, and then the remover sees the name; or the listing does, and then
//! the naming commit fails, also when the whole removal happened between its reading and its commit. A list
//! without an end would block for ever what a dead process listed, so each has a time; who removes
//! keeps so far from it that clocks may differ and a request may be slow.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Erp, Error, keys};
use crate::limits::CONDEMNED_BODIES;
use crate::media::BodyHash;
use crate::record::{Versioned, decode, encode};
use crate::storage::{ChangeSet, CommitError, Key, Revision, Scan, Space, Storage, StorageError};

/// Bodies that may be removed from now on, of those whose hashes begin with the same byte.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BodyRemoval {
    /// Which they are; none between removals.
    #[serde(default)]
    pub bodies: BTreeSet<BodyHash>,
    /// From this time on none of them is removed any more.
    pub until: Timestamp,
}

impl BodyRemoval {
    fn is_open(&self, now: Timestamp) -> bool {
        !self.bodies.is_empty() && now < self.until
    }
}

/// What was on its way out at one time.
#[derive(Clone, Debug, Default)]
pub struct BodyMarks {
    removals: BTreeMap<u8, Versioned<BodyRemoval>>,
    hold: Option<Versioned<BodyRemoval>>,
}

impl BodyMarks {
    /// Whether one of these bodies may be removed at any moment.
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

    /// Whether any body may be removed at any moment.
    #[must_use]
    pub fn is_removing(&self, now: Timestamp) -> bool {
        let mut removals = self.removals.values();
        removals.any(|removal| removal.record.is_open(now))
    }

    /// Whether nothing may be removed.
    #[must_use]
    pub fn is_held(&self, now: Timestamp) -> bool {
        self.hold
            .as_ref()
            .is_some_and(|hold| now < hold.record.until)
    }

    /// Whether the body was on no way out since these marks were read.
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

    /// Demands that nothing of the like of these bodies was on its way out since.
    pub(super) fn guard(&self, changes: &mut ChangeSet, bodies: &BTreeSet<BodyHash>) {
        let firsts: BTreeSet<u8> = bodies.iter().copied().map(first_byte).collect();
        for first in firsts {
            changes.guard(keys::body_removal(first), self.revision(first));
        }
    }
}

/// Bodies that the holder of this may remove, until their time is over.
#[derive(Clone, Debug)]
pub struct Condemned {
    firsts: BTreeSet<u8>,
    until: Timestamp,
    revision: Revision,
}

impl<S: Storage> Erp<S> {
    /// What is on its way out now. To be read before the bodies are stored that a commit is to name.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn body_marks(&self) -> Result<BodyMarks, Error> {
        let mut marks = BodyMarks::default();
        let prefix = Key::of(Space::BodyRemoval).build();
        for (key, entry) in self.scan_all(Scan::prefix(&prefix)).await?.entries {
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

    /// Lists bodies that are to be removed before `until`: all but those beyond the limit of a list.
    /// `None`: nothing may be removed now, because of a hold or of another who removes.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn condemn_bodies(
        &self,
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
            let removal = BodyRemoval { bodies, until };
            changes.put(keys::body_removal(first), encode(&removal)?);
        }
        let revision = self.commit_unless_changed(changes).await?;
        Ok(revision.map(|revision| Condemned {
            firsts,
            until,
            revision,
        }))
    }

    /// Takes bodies off the list again, once their removal is over. What somebody else has taken off
    /// already stays so.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn settle_bodies(&self, condemned: Condemned) -> Result<(), Error> {
        let mut changes = ChangeSet::new();
        for first in condemned.firsts {
            changes.guard(keys::body_removal(first), Some(condemned.revision));
            put_empty(&mut changes, first, condemned.until)?;
        }
        self.commit_unless_changed(changes).await.map(drop)
    }

    /// Takes off the list what its remover left there until its time was over.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn settle_expired_bodies(
        &self,
        marks: &BodyMarks,
        now: Timestamp,
    ) -> Result<(), Error> {
        for (first, removal) in &marks.removals {
            if removal.record.bodies.is_empty() || now < removal.record.until {
                continue;
            }
            let mut changes = ChangeSet::new();
            changes.guard(keys::body_removal(*first), Some(removal.revision));
            put_empty(&mut changes, *first, removal.record.until)?;
            self.commit_unless_changed(changes).await?;
        }
        Ok(())
    }

    /// Keeps every body until a time, so that a backup finds what its records name; what is listed already
    /// may still go ([`BodyMarks::is_removing`]). Answers what [`Erp::release_bodies`] wants to know.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn hold_bodies(&self, until: Timestamp) -> Result<Revision, Error> {
        let (_, revision) = super::until_committed!(self, {
            let before = self.load::<BodyRemoval>(&keys::body_hold()).await?;
            let known = before.as_ref().map(|before| before.record.until);
            let hold = BodyRemoval {
                bodies: BTreeSet::new(),
                until: known.map_or(until, |known| known.max(until)),
            };
            let mut changes = ChangeSet::new();
            changes.guard(keys::body_hold(), before.map(|before| before.revision));
            changes.put(keys::body_hold(), encode(&hold)?);
            super::Attempt::Commit(changes, ())
        });
        Ok(revision.map_or(0, |committed| committed.revision))
    }

    /// Ends a hold, unless another one has begun since.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn release_bodies(&self, hold: Revision) -> Result<(), Error> {
        let mut changes = ChangeSet::new();
        changes.guard(keys::body_hold(), Some(hold));
        changes.delete(keys::body_hold());
        self.commit_unless_changed(changes).await.map(drop)
    }

    /// Commits what is upkeep and stands in no trail. `None`: a guard did not hold.
    async fn commit_unless_changed(&self, changes: ChangeSet) -> Result<Option<Revision>, Error> {
        match self.store.commit(changes).await {
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

fn put_empty(changes: &mut ChangeSet, first: u8, until: Timestamp) -> Result<(), StorageError> {
    let removal = BodyRemoval {
        bodies: BTreeSet::new(),
        until,
    };
    changes.put(keys::body_removal(first), encode(&removal)?);
    Ok(())
}

fn first_byte(body: BodyHash) -> u8 {
    let [first, ..] = body.bytes();
    first
}
