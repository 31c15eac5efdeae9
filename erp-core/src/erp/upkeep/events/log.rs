//! The event log: events that were handed to delivery, for listing and replay.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::dispatch::{guard_targets, write_delivery};
use super::{Delivery, Event, EventId, Events};
use crate::erp::engine::{Error, keys, retry_on_conflict};
use crate::storage::record::{Versioned, decode, encode};
use crate::storage::{ChangeSet, Entry, Key, Scan, Space, Storage, StoreResult};

const EVENTS_PER_COMMIT: usize = 100;

/// An event in the log as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedEvent {
    /// The event.
    pub event: Event,
    /// When it was handed to delivery; the retention period starts here.
    pub logged_at: Timestamp,
}

/// Filter and page of a log listing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogQuery {
    /// Only events that happened at this time or later.
    pub since: Option<Timestamp>,
    /// Only events after this one.
    pub after: Option<EventId>,
    /// Maximum number of events.
    pub limit: usize,
}

/// A logged event with its deliveries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedEntry {
    /// The event's number.
    pub id: EventId,
    /// The event.
    pub event: Event,
    /// When it was handed to delivery.
    pub logged_at: Timestamp,
    /// Its deliveries by target.
    pub deliveries: Vec<Delivery>,
}

#[cfg(feature = "internal")]
impl<S: Storage> Events<'_, S> {
    /// Logged events in order, with their deliveries.
    pub async fn logged(self, query: &LogQuery) -> Result<Vec<LoggedEntry>, Error> {
        let mut entries = Vec::new();
        let log = log_after(query.after).limit(query.limit.max(EVENTS_PER_COMMIT));
        let mut pages = self.erp.pages(log);
        while let Some(page) = pages.next().await? {
            for (key, entry) in &page {
                if entries.len() >= query.limit {
                    return Ok(entries);
                }
                let logged: LoggedEvent = decode(key, entry)?;
                if query.since.is_none_or(|since| since <= logged.event.at) {
                    entries.push(self.with_deliveries(key, logged).await?);
                }
            }
        }
        Ok(entries)
    }

    async fn with_deliveries(self, key: &Key, logged: LoggedEvent) -> StoreResult<LoggedEntry> {
        let id = EventId::of_key(key)?;
        let deliveries = self.versioned_deliveries(id).await?;
        Ok(LoggedEntry {
            id,
            event: logged.event,
            logged_at: logged.logged_at,
            deliveries: deliveries.into_iter().map(|found| found.value).collect(),
        })
    }

    /// The deliveries of an event with their attempts, by target.
    pub async fn deliveries(self, event: EventId) -> Result<Vec<Delivery>, Error> {
        let found = self.versioned_deliveries(event).await?;
        Ok(found.into_iter().map(|found| found.value).collect())
    }

    /// A logged event with its deliveries; `None` when it is no longer in the log.
    pub(super) async fn entry(self, id: EventId) -> StoreResult<Option<LoggedEntry>> {
        let key = keys::logged_event(id);
        match self.erp.load::<LoggedEvent>(&key).await? {
            Some(found) => self.with_deliveries(&key, found.value).await.map(Some),
            None => Ok(None),
        }
    }

    async fn versioned_deliveries(self, event: EventId) -> StoreResult<Vec<Versioned<Delivery>>> {
        let deliveries = Scan::prefix(&keys::deliveries_of(event));
        self.erp.records(deliveries).await
    }

    // rule: R-EVT-08
    /// Sends a logged event again to every target that wants it now. Returns the number of targets.
    ///
    /// # Errors
    /// [`Error::NotFound`] when the event is not in the log.
    pub async fn replay(self, id: EventId) -> Result<usize, Error> {
        let key = keys::logged_event(id);
        if self.erp.load::<LoggedEvent>(&key).await?.is_none() {
            return Err(Error::not_found("event", id.to_string()));
        }
        self.replay_logged(&[key]).await
    }

    /// Sends every logged event that happened at `since` or later again. Returns the number of deliveries.
    ///
    /// # Errors
    /// When the store fails; deliveries started until then continue.
    pub async fn replay_since(self, since: Timestamp) -> Result<usize, Error> {
        let mut loaded = 0_usize;
        let mut pages = self.erp.pages(log_after(None).limit(EVENTS_PER_COMMIT));
        while let Some(entries) = pages.next().await? {
            let mut wanted = Vec::new();
            for (key, entry) in &entries {
                if since <= decode::<LoggedEvent>(key, entry)?.event.at {
                    wanted.push(key.clone());
                }
            }
            loaded += self.replay_logged(&wanted).await?;
        }
        Ok(loaded)
    }

    /// Restarts the deliveries of the events under these log keys, in one commit.
    async fn replay_logged(self, logged: &[Key]) -> Result<usize, Error> {
        let (loaded, _) = retry_on_conflict!(self.erp, self.actor, {
            let mut changes = ChangeSet::new();
            let mut loaded = 0_usize;
            let targets = self.versioned_targets().await?;
            guard_targets(&mut changes, &targets);
            for key in logged {
                // Removed in the meantime: too old for a replay.
                let Some(found) = self.erp.load::<LoggedEvent>(key).await? else {
                    continue;
                };
                changes.guard(key.clone(), Some(found.revision));
                // Written again, so that a removal that has not seen the new deliveries fails.
                changes.put(key.clone(), encode(&found.value)?);
                let id = EventId::of_key(key)?;
                let kind = found.value.event.kind;
                for target in targets.iter().filter(|target| target.value.wants(kind)) {
                    let target = target.value.id;
                    let before = self
                        .erp
                        .load::<Delivery>(&keys::delivery(id, target))
                        .await?;
                    let after = before.as_ref().map_or_else(
                        || Delivery::new(id, target, self.now),
                        |before| before.value.clone().again(self.now),
                    );
                    write_delivery(&mut changes, before.as_ref(), &after)?;
                    loaded += 1;
                }
            }
            match loaded {
                0 => (ChangeSet::new(), 0),
                _ => (changes, loaded),
            }
        });
        Ok(loaded)
    }

    // rule: R-EVT-13
    /// Removes events that were handed to delivery before `before`, with their deliveries; returns their number.
    /// Events with a waiting delivery stay, however old they are.
    pub async fn remove_old(self, before: Timestamp) -> Result<usize, Error> {
        let mut removed = 0_usize;
        let mut pages = self.erp.pages(log_after(None).limit(EVENTS_PER_COMMIT));
        // The log is ordered by age, so all events after a young one are young.
        let mut all_are_old = true;
        while all_are_old && let Some(entries) = pages.next().await? {
            let mut changes = ChangeSet::new();
            let mut count = 0_usize;
            for (key, entry) in &entries {
                let is_old = decode::<LoggedEvent>(key, entry)?.logged_at < before;
                all_are_old &= is_old;
                if is_old && self.removal(&mut changes, key, entry).await? {
                    count += 1;
                }
            }
            if count > 0 {
                // Without an outcome one of the events is being replayed, and the next round reads what is left.
                let settled = self.erp.settle(None, (changes, count)).await?;
                removed += settled.map_or(0, |(count, _)| count);
            }
        }
        Ok(removed)
    }

    /// Removes one event of the log, unless a delivery of it is waiting.
    async fn removal(self, changes: &mut ChangeSet, key: &Key, entry: &Entry) -> StoreResult<bool> {
        let deliveries = self.versioned_deliveries(EventId::of_key(key)?).await?;
        let waits = |found: &Versioned<Delivery>| found.value.next_attempt_at.is_some();
        if deliveries.iter().any(waits) {
            return Ok(false);
        }
        for delivery in deliveries {
            changes.guard(delivery.value.key(), Some(delivery.revision));
            changes.delete(delivery.value.key());
        }
        changes.guard(key.clone(), Some(entry.revision));
        changes.delete(key.clone());
        Ok(true)
    }
}

fn log_after(after: Option<EventId>) -> Scan {
    let mut scan = Scan::of(Space::EventLog);
    if let Some(after) = after {
        scan.from = keys::logged_event(after).successor();
    }
    scan
}
