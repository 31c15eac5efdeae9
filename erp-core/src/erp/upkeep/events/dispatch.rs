//! Moves events from the outbox to the targets.

use jiff::{SignedDuration, Timestamp};

use super::{
    Delivery, DeliveryAttempt, DeliveryState, Event, EventId, EventTarget, Events, LoggedEvent,
    Schedule, outbox,
};
use crate::erp::engine::{Error, keys, retry_on_conflict};
use crate::erp::upkeep::{Lease, LeaseAfter};
use crate::storage::record::{Versioned, decode, encode};
use crate::storage::{
    ChangeSet, Key, Page, Revision, Scan, Space, Storage, StorageError, StoreResult,
};

const ENDED_PER_COMMIT: usize = 500;

/// Maximum clock difference between servers on one store for which events keep their order. A time farther ahead
/// comes from a wrong clock and is ignored.
const CLOCKS_APART: SignedDuration = SignedDuration::from_mins(1);

/// A delivery that is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// The delivery.
    pub delivery: Delivery,
    /// The commit that last wrote it: an attempt is only valid for this state of the delivery.
    pub revision: Revision,
    /// The event.
    pub event: Event,
}

#[cfg(feature = "internal")]
impl<S: Storage> Events<'_, S> {
    // rule: R-EVT-11
    /// Moves up to `limit` events from the outbox into the log, each with one delivery per target that wants it.
    /// Returns their number; 0 also when another worker is moving them.
    pub async fn fan_out(self, limit: usize) -> Result<usize, Error> {
        let page = self.erp.store.scan(outbox(None).limit(limit)).await?;
        if page.entries.is_empty() {
            return Ok(0);
        }
        let attempt = self.handing_over(&page).await?;
        let settled = self.erp.settle(None, attempt).await?;
        Ok(settled.map_or(0, |(moved, _)| moved))
    }

    async fn handing_over(self, page: &Page) -> StoreResult<(ChangeSet, usize)> {
        let now = self.not_before_the_last().await?;
        let targets = self.versioned_targets().await?;
        let mut changes = ChangeSet::new();
        guard_targets(&mut changes, &targets);
        for (key, entry) in &page.entries {
            let id = EventId::of_key(key)?;
            let event: Event = decode(key, entry)?;
            changes.guard(key.clone(), Some(entry.revision));
            changes.delete(key.clone());
            let wanting = |target: &&Versioned<EventTarget>| target.value.wants(event.kind);
            for target in targets.iter().filter(wanting) {
                let delivery = Delivery::new(id, target.value.id, now);
                write_delivery(&mut changes, None, &delivery)?;
            }
            let logged = LoggedEvent {
                event,
                logged_at: now,
            };
            changes.insert(keys::logged_event(id), encode(&logged)?);
        }
        Ok((changes, page.entries.len()))
    }

    /// The time of the door, or the time of the last event that was moved if that is later: a server whose clock is slow must not
    /// send its events ahead of the waiting ones.
    async fn not_before_the_last(self) -> StoreResult<Timestamp> {
        let now = self.now;
        let log = Scan::of(Space::EventLog);
        let last = self.erp.store.scan(log.backwards().limit(1)).await?;
        let Some((key, entry)) = last.entries.first() else {
            return Ok(now);
        };
        let last = decode::<LoggedEvent>(key, entry)?.logged_at;
        let ahead = last.duration_since(now);
        Ok(if ahead <= CLOCKS_APART {
            last.max(now)
        } else {
            now
        })
    }

    /// Due deliveries of a target, longest waiting first; at most `limit`.
    pub async fn due(self, target: u64, limit: usize) -> Result<Vec<Due>, Error> {
        let scan = Scan {
            until: keys::due_after(target, self.now),
            ..Scan::prefix(&keys::due_of_target(target))
        };
        let waiting = self.erp.store.scan(scan.limit(limit)).await?.entries;
        let mut wanted = Vec::new();
        for (key, _) in &waiting {
            let id = event_of_due(key)?;
            wanted.extend([keys::delivery(id, target), keys::logged_event(id)]);
        }
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let mut due = Vec::new();
        let found = self.erp.store.get(&wanted).await?;
        let read = wanted.chunks(2).zip(found.chunks(2));
        for ((queued, _), pair) in waiting.iter().zip(read) {
            let ([key, logged], [Some(found), Some(event)]) = pair else {
                continue;
            };
            let delivery: Delivery = decode(key, found)?;
            // Another server may have finished it, or ended it with its target, since the scan.
            if delivery.due_key().as_ref() == Some(queued) {
                due.push(Due {
                    delivery,
                    revision: found.revision,
                    event: decode::<LoggedEvent>(logged, event)?.event,
                });
            }
        }
        Ok(due)
    }

    /// Records an attempt and its consequences; a 410 disables the target and ends its waiting deliveries. The attempt
    /// is made under a lease of the target's deliveries, which the same commit can release. `None`: another server has
    /// taken the lease and makes its own attempt, so this one is not recorded.
    ///
    /// If the delivery was written in the meantime (it was replayed), the attempt is only listed: an attempt that
    /// started before a replay must not complete the replay.
    ///
    /// # Errors
    /// [`Error::NotFound`] when the delivery was removed.
    pub async fn record_attempt(
        self,
        due: &Due,
        attempt: DeliveryAttempt,
        schedule: &Schedule,
        (lease, lease_after): (&Lease, LeaseAfter),
    ) -> Result<Option<Delivery>, Error> {
        let wanted = [due.delivery.key(), lease.key()];
        let (delivery, _) = retry_on_conflict!(self.erp, None, {
            let mut entries = self.erp.store.get(&wanted).await?.into_iter();
            let found = entries.next().flatten();
            if !lease.is_still(entries.next().flatten().as_ref()) {
                return Ok(None);
            }
            let found = found
                .ok_or_else(|| Error::not_found("delivery", due.delivery.event.to_string()))?;
            let found = Versioned::<Delivery>::decode(&due.delivery.key(), &found)?;
            let record = found.value.clone();
            let after = if found.revision == due.revision {
                record.after(attempt, schedule)
            } else {
                record.noting(attempt)
            };
            let mut changes = ChangeSet::new();
            lease.guard(&mut changes, lease_after);
            write_delivery(&mut changes, Some(&found), &after)?;
            let gone = DeliveryState::TargetGone;
            if found.value.state != gone && after.state == gone {
                self.switch_off(&mut changes, after.target).await?;
            }
            (changes, after)
        });
        if delivery.state == DeliveryState::TargetGone {
            self.end_deliveries(delivery.target).await?;
        }
        Ok(Some(delivery))
    }

    // rule: R-EVT-07
    async fn switch_off(self, changes: &mut ChangeSet, target: u64) -> StoreResult<()> {
        let key = keys::event_target(target);
        let Some(found) = self.erp.load::<EventTarget>(&key).await? else {
            return Ok(());
        };
        let target = EventTarget {
            enabled: false,
            ..found.value
        };
        changes.guard(key.clone(), Some(found.revision));
        changes.put(key, encode(&target)?);
        Ok(())
    }

    /// Ends the waiting deliveries of a target that is removed or disabled; does nothing for an enabled one.
    pub(super) async fn end_deliveries(self, target: u64) -> Result<usize, Error> {
        let mut ended = 0_usize;
        loop {
            let (page, _) = retry_on_conflict!(self.erp, self.actor, self.ending(target).await?);
            let Some(some) = page else {
                return Ok(ended);
            };
            ended += some;
        }
    }

    /// Ends a page of the waiting deliveries of a target; their number, or `None` when none waits.
    async fn ending(self, target: u64) -> StoreResult<(ChangeSet, Option<usize>)> {
        let key = keys::event_target(target);
        let found = self.erp.load::<EventTarget>(&key).await?;
        if found.as_ref().is_some_and(|found| found.value.enabled) {
            return Ok((ChangeSet::new(), None));
        }
        let scan = Scan::prefix(&keys::due_of_target(target)).limit(ENDED_PER_COMMIT);
        let page = self.erp.store.scan(scan).await?;
        if page.entries.is_empty() {
            return Ok((ChangeSet::new(), None));
        }
        let mut changes = ChangeSet::new();
        // If the target is enabled again at this moment, its new deliveries must stay.
        changes.guard(key, found.map(|found| found.revision));
        let mut ended = 0_usize;
        for (due, _) in &page.entries {
            let key = keys::delivery(event_of_due(due)?, target);
            let found = self.erp.load::<Delivery>(&key).await?;
            match found {
                Some(found) if found.value.due_key().as_ref() == Some(due) => {
                    let after = found.value.clone().ended();
                    write_delivery(&mut changes, Some(&found), &after)?;
                    ended += 1;
                }
                // Another server delivered or ended it after the page was read: its state stays.
                found => {
                    changes.guard(key, found.map(|found| found.revision));
                    changes.delete(due.clone());
                }
            }
        }
        Ok((changes, Some(ended)))
    }

    /// Ends deliveries that a crash left waiting after their target was removed; returns their number.
    pub async fn end_orphaned(self) -> Result<usize, Error> {
        let mut scan = Scan::of(Space::DeliveryDue).limit(1);
        let mut ended = 0_usize;
        while let Some((key, _)) = self.erp.store.scan(scan.clone()).await?.entries.first() {
            let target = key.parts().number();
            let target = target.ok_or_else(|| not_due(key))?;
            ended += self.end_deliveries(target).await?;
            // Continue with the next target, whose deliveries sort after all of this one.
            scan.from = keys::due_of_target(target).after_prefix();
        }
        Ok(ended)
    }
}

/// Requires the targets to be unchanged, so that no delivery is created for a removed one.
pub(super) fn guard_targets(changes: &mut ChangeSet, targets: &[Versioned<EventTarget>]) {
    for target in targets {
        changes.guard(keys::event_target(target.value.id), Some(target.revision));
    }
}

/// Writes a delivery together with its key in the queue of waiting deliveries.
pub(super) fn write_delivery(
    changes: &mut ChangeSet,
    before: Option<&Versioned<Delivery>>,
    after: &Delivery,
) -> StoreResult<()> {
    changes.guard(after.key(), before.map(|before| before.revision));
    if let Some(due) = before.and_then(|before| before.value.due_key()) {
        changes.delete(due);
    }
    if let Some(due) = after.due_key() {
        changes.mark(due);
    }
    changes.put(after.key(), encode(after)?);
    Ok(())
}

pub(super) fn event_of_due(key: &Key) -> StoreResult<EventId> {
    let mut parts = key.parts();
    let due = parts.number().and(parts.signed());
    let id = due.and(parts.number().zip(parts.number()));
    id.map(|(revision, index)| EventId { revision, index })
        .ok_or_else(|| not_due(key))
}

fn not_due(key: &Key) -> StorageError {
    StorageError::Damaged(format!("key {key:?} is no waiting delivery's"))
}
