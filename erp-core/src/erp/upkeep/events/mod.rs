//! Events: recorded in the commit of the change they describe, and delivered from there.
//!
//! A change writes its event into the outbox. There are two ways to consume it:
//!
//! - An embedding program reads events with [`Events::outbox`] and removes each with [`Events::acknowledge`].
//! - [`Events::fan_out`] moves events into the event log with one [`Delivery`] per target; [`Events::due`] and
//!   [`Events::record_attempt`] deliver them.
//!
//! Every step is one commit, so neither a crash nor a second server loses or duplicates a step.

mod delivery;
mod dispatch;
mod failed;
mod log;
mod target;

pub use delivery::{
    ATTEMPTS_KEPT, AttemptOutcome, Delivery, DeliveryAttempt, DeliveryState, RETRY_WAITS, Schedule,
    Verdict,
};
pub use dispatch::Due;
pub use failed::FailedPage;
pub use log::{LogQuery, LoggedEntry, LoggedEvent};
pub use target::{EventTarget, NewEventTarget};

use jiff::Timestamp;

use self::dispatch::event_of_due;
use crate::erp::engine::{Error, Event, EventKind, Events, keys};
use crate::erp::keys::EventId;
use crate::storage::record::decode;
use crate::storage::{ChangeSet, Entry, Key, Scan, Space, Storage, StorageError};

/// An event in the outbox with its id.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutboxEntry {
    /// The event's number.
    pub id: EventId,
    /// The event.
    pub event: Event,
}

/// Deliveries that are waiting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Deliveries that wait for a first or further attempt; limited to the requested count.
    pub deliveries: usize,
    /// Time of the oldest waiting event, in the outbox or for a target; among the counted ones.
    pub oldest: Option<Timestamp>,
}

impl<S: Storage> Events<'_, S> {
    /// Events of the outbox in order, after `after`; at most `limit`.
    pub async fn outbox(
        self,
        after: Option<EventId>,
        limit: usize,
    ) -> Result<Vec<OutboxEntry>, Error> {
        let page = self.erp.store.scan(outbox(after).limit(limit)).await?;
        let entry = |(key, entry): &(Key, Entry)| -> Result<OutboxEntry, StorageError> {
            Ok(OutboxEntry {
                id: EventId::of_key(key)?,
                event: decode(key, entry)?,
            })
        };
        Ok(page.entries.iter().map(entry).collect::<Result<_, _>>()?)
    }

    // rule: R-EVT-12
    /// Removes a delivered event from the outbox. Removing one twice changes nothing.
    pub async fn acknowledge(self, id: EventId) -> Result<(), Error> {
        let mut changes = ChangeSet::new();
        changes.delete(keys::outbox(id));
        // Without a guard there is no conflict.
        self.erp.settle(None, (changes, ())).await?;
        Ok(())
    }

    /// The backlog, counted up to about `most` deliveries; reads keys and two records.
    #[cfg(feature = "internal")]
    pub async fn backlog(self, most: usize) -> Result<Backlog, Error> {
        let mut deliveries = 0_usize;
        let mut first: Option<EventId> = None;
        let mut pages = self.erp.pages(Scan::of(Space::DeliveryDue));
        while deliveries < most
            && let Some(entries) = pages.next().await?
        {
            for (key, _) in &entries {
                let event = event_of_due(key)?;
                first = Some(first.map_or(event, |first| first.min(event)));
            }
            deliveries += entries.len();
        }
        let mut oldest = None;
        for (key, entry) in self.erp.store.scan(outbox(None).limit(1)).await?.entries {
            oldest = Some(decode::<Event>(&key, &entry)?.at);
        }
        if let Some(first) = first {
            let logged = self
                .erp
                .load::<LoggedEvent>(&keys::logged_event(first))
                .await?;
            let waiting = logged.map(|logged| logged.value.event.at);
            oldest = oldest.into_iter().chain(waiting).min();
        }
        Ok(Backlog { deliveries, oldest })
    }
}

fn outbox(after: Option<EventId>) -> Scan {
    let mut scan = Scan::of(Space::Outbox);
    if let Some(after) = after {
        scan.from = keys::outbox(after).successor();
    }
    scan
}
