//! Leases: what one server of a store does at a time, for as long as it says so.
//!
//! A lease is a record that names its holder and the end of its time; whoever commits it under a guard
//! has it. Once its time is over anybody may take it. Its revision proves to a commit that the lease was
//! in the same hands all along, whatever the clocks say: see [`Erp::record_attempt`].

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Attempt, Erp, Error, keys};
use crate::record::{decode, encode};
use crate::storage::{ChangeSet, Entry, Key, Revision, Scan, Space, Storage};

/// What a lease is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leased {
    /// Delivering events to the target of this number.
    Deliveries(u64),
    /// Removing rows that nobody needs any more.
    Housekeeping,
    /// Removing media files that no record names.
    MediaCollection,
}

impl Leased {
    /// The word in the key. It never changes.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Deliveries(_) => "deliveries",
            Self::Housekeeping => "housekeeping",
            Self::MediaCollection => "media",
        }
    }
}

/// Who takes leases, and for how long at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseTerms {
    /// The holder: a random number each process makes for itself.
    pub holder: u64,
    /// How long a lease lasts unless it is renewed. Servers on one store use the same length for the same
    /// work.
    pub length: SignedDuration,
}

/// A lease as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseRecord {
    /// Who has it.
    pub holder: u64,
    /// When its time is over.
    pub until: Timestamp,
}

impl LeaseRecord {
    /// Whether it keeps others out at `now`. An end farther away than two lengths was written by a clock
    /// that was wrong, and nobody waits for it.
    fn keeps_out(&self, terms: &LeaseTerms, now: Timestamp) -> bool {
        let left = self.until.duration_since(now);
        let longest = terms.length.saturating_add(terms.length);
        self.holder != terms.holder && left > SignedDuration::ZERO && left <= longest
    }
}

/// A lease that was taken here. Others may have taken it since, once its time was over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    leased: Leased,
    until: Timestamp,
    revision: Revision,
}

/// What becomes of a lease with a commit made under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseAfter {
    /// It stays with its holder.
    Kept,
    /// It is given back.
    Released,
}

impl Lease {
    /// When its time is over.
    #[must_use]
    pub const fn until(&self) -> Timestamp {
        self.until
    }

    pub(super) fn key(&self) -> Key {
        keys::lease(self.leased)
    }

    /// Whether the entry under its key is this lease, neither taken by others nor renewed since.
    pub(super) fn is_still(&self, found: Option<&Entry>) -> bool {
        found.is_some_and(|found| found.revision == self.revision)
    }

    /// Lets the change set through only while the lease is in the same hands.
    pub(super) fn guard(&self, changes: &mut ChangeSet, after: LeaseAfter) {
        changes.guard(self.key(), Some(self.revision));
        if after == LeaseAfter::Released {
            changes.delete(self.key());
        }
    }
}

impl<S: Storage> Erp<S> {
    /// Takes a lease that is free, whose time is over, or that its holder has already. `None`: another has
    /// it, or was faster.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn take_lease(
        &self,
        leased: Leased,
        terms: &LeaseTerms,
        now: Timestamp,
    ) -> Result<Option<Lease>, Error> {
        let found = self.load::<LeaseRecord>(&keys::lease(leased)).await?;
        if let Some(found) = &found
            && found.record.keeps_out(terms, now)
        {
            return Ok(None);
        }
        let before = found.map(|found| found.revision);
        self.write_lease(leased, before, terms, now).await
    }

    /// Renews a lease when less than half of its length is left, and answers it as it was otherwise.
    /// `None`: it is lost, another has taken it.
    ///
    /// # Errors
    /// When the store fails; whether the lease was renewed is not known then.
    pub async fn keep_lease(
        &self,
        lease: Lease,
        terms: &LeaseTerms,
        now: Timestamp,
    ) -> Result<Option<Lease>, Error> {
        let left = lease.until.duration_since(now);
        if left.saturating_add(left) >= terms.length {
            return Ok(Some(lease));
        }
        self.write_lease(lease.leased, Some(lease.revision), terms, now)
            .await
    }

    async fn write_lease(
        &self,
        leased: Leased,
        before: Option<Revision>,
        terms: &LeaseTerms,
        now: Timestamp,
    ) -> Result<Option<Lease>, Error> {
        let key = keys::lease(leased);
        let until = now.checked_add(terms.length).unwrap_or(Timestamp::MAX);
        let record = LeaseRecord {
            holder: terms.holder,
            until,
        };
        let mut changes = ChangeSet::new();
        changes.guard(key.clone(), before);
        changes.put(key, encode(&record)?);
        let written = self.settle(Attempt::Commit(changes, ())).await?;
        let lease = |revision| Lease {
            leased,
            until,
            revision,
        };
        let committed = written.and_then(|((), committed)| committed);
        Ok(committed.map(|committed| lease(committed.revision)))
    }

    /// Gives a lease back. Nothing happens when it is lost already.
    ///
    /// # Errors
    /// When the store fails; the lease ends with its time then.
    pub async fn release_lease(&self, lease: &Lease) -> Result<(), Error> {
        let mut changes = ChangeSet::new();
        lease.guard(&mut changes, LeaseAfter::Released);
        self.settle(Attempt::Commit(changes, ())).await?;
        Ok(())
    }

    /// Gives back all leases of a holder, when it ends. Answers how many.
    ///
    /// # Errors
    /// When the store fails; the leases end with their time then.
    pub async fn release_leases_of(&self, holder: u64) -> Result<usize, Error> {
        self.end_leases(|lease| lease.holder == holder).await
    }

    /// Ends all leases, whoever has them: for the start of a process that is the only one that can have
    /// the store open. Answers how many.
    ///
    /// # Errors
    /// When the store fails; the leases end with their time then.
    pub async fn end_all_leases(&self) -> Result<usize, Error> {
        self.end_leases(|_| true).await
    }

    async fn end_leases(&self, ends: impl Fn(&LeaseRecord) -> bool) -> Result<usize, Error> {
        let mut ended = 0_usize;
        let leases = Scan::prefix(&Key::of(Space::Lease).build());
        for (key, entry) in self.scan_all(leases).await?.entries {
            if ends(&decode(&key, &entry)?) {
                let mut changes = ChangeSet::new();
                changes.guard(key.clone(), Some(entry.revision));
                changes.delete(key);
                let settled = self.settle(Attempt::Commit(changes, ())).await?;
                ended = ended.saturating_add(usize::from(settled.is_some()));
            }
        }
        Ok(ended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::erp::Settings;
    use crate::storage::MemoryStore;
    use pollster::block_on;

    const TARGET: Leased = Leased::Deliveries(7);

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_780_000_000 + second).unwrap()
    }

    fn terms(holder: u64) -> LeaseTerms {
        LeaseTerms {
            holder,
            length: SignedDuration::from_secs(60),
        }
    }

    fn empty() -> Erp<MemoryStore> {
        Erp::new(MemoryStore::new(), Settings::default())
    }

    fn take(erp: &Erp<MemoryStore>, holder: u64, second: i64) -> Option<Lease> {
        block_on(erp.take_lease(TARGET, &terms(holder), at(second))).unwrap()
    }

    fn keep(erp: &Erp<MemoryStore>, lease: &Lease, holder: u64, second: i64) -> Option<Lease> {
        block_on(erp.keep_lease(lease.clone(), &terms(holder), at(second))).unwrap()
    }

    #[test]
    fn one_holder_at_a_time_and_anybody_behind_its_end() {
        let erp = empty();
        let first = take(&erp, 1, 0).unwrap();
        assert_eq!(first.until(), at(60));
        assert_eq!(take(&erp, 2, 0), None);
        assert_eq!(take(&erp, 2, 59), None);
        let other = Leased::Deliveries(8);
        assert!(
            block_on(erp.take_lease(other, &terms(2), at(0)))
                .unwrap()
                .is_some()
        );
        let second = take(&erp, 2, 60).unwrap();
        assert_eq!(second.until(), at(120));
        assert_eq!(keep(&erp, &first, 1, 61), None, "lost");
        block_on(erp.release_lease(&first)).unwrap();
        assert_eq!(take(&erp, 1, 61), None, "who lost it gives nothing back");
        block_on(erp.release_lease(&second)).unwrap();
        assert!(take(&erp, 1, 61).is_some());
    }

    #[test]
    fn a_lease_is_written_again_only_when_less_than_half_is_left() {
        let erp = empty();
        let lease = take(&erp, 1, 0).unwrap();
        assert_eq!(keep(&erp, &lease, 1, 30), Some(lease.clone()));
        let renewed = keep(&erp, &lease, 1, 31).unwrap();
        assert_eq!(renewed.until(), at(91));
        assert_eq!(take(&erp, 2, 60), None, "the renewed time counts");
        assert_eq!(
            keep(&erp, &lease, 1, 31),
            None,
            "only the newest can be renewed"
        );
        // Its time is over, and nobody has taken it.
        assert_eq!(keep(&erp, &renewed, 1, 200).unwrap().until(), at(260));
    }

    #[test]
    fn a_holder_that_forgot_its_lease_takes_it_again() {
        let erp = empty();
        let forgotten = take(&erp, 1, 0).unwrap();
        let again = take(&erp, 1, 1).unwrap();
        assert_ne!(forgotten, again);
        assert_eq!(keep(&erp, &forgotten, 1, 59), None);
    }

    #[test]
    fn of_two_that_decide_at_once_one_gets_it() {
        let erp = empty();
        let stale = block_on(erp.write_lease(TARGET, None, &terms(1), at(0))).unwrap();
        assert!(stale.is_some());
        let late = block_on(erp.write_lease(TARGET, None, &terms(2), at(0))).unwrap();
        assert_eq!(late, None);
    }

    #[test]
    fn a_clock_that_was_wrong_keeps_nobody_out_for_long() {
        let erp = empty();
        take(&erp, 1, 1_000_000).unwrap();
        assert!(take(&erp, 2, 0).is_some());
        let erp = empty();
        take(&erp, 1, 60).unwrap();
        assert_eq!(take(&erp, 2, 0), None, "clocks may be a length apart");
    }

    #[test]
    fn leases_end_with_their_holder_or_all_at_once() {
        let erp = empty();
        take(&erp, 1, 0).unwrap();
        for leased in [Leased::Housekeeping, Leased::MediaCollection] {
            let taken = block_on(erp.take_lease(leased, &terms(2), at(0))).unwrap();
            assert!(taken.is_some());
        }
        assert_eq!(block_on(erp.release_leases_of(2)).unwrap(), 2);
        assert_eq!(block_on(erp.release_leases_of(2)).unwrap(), 0);
        assert_eq!(take(&erp, 2, 0), None);
        let found = block_on(erp.check()).unwrap();
        assert_eq!((found.findings, found.records["leases"]), (vec![], 1));
        assert_eq!(block_on(erp.end_all_leases()).unwrap(), 1);
        assert!(take(&erp, 2, 0).is_some());
    }
}
