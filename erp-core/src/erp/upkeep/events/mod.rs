//! Events: recorded in the commit of the change they describe, and delivered from there.
//!
//! A change writes its event into the outbox. There are two ways to consume it:
//!
//! - An embedding program reads events with [`Events::outbox`] and removes each with [`Events::acknowledge`].
//! - [`Events::fan_out`] moves events into the event log with one [`Delivery`] per target; [`Events::due`] and
//!   [`Events::record_attempt`] deliver them.
//!
//! Every step is one commit, so neither a crash nor a second server loses or duplicates a step.

mod backlog;
mod delivery;
mod dispatch;
mod failed;
mod log;
mod target;

pub use backlog::Backlog;
pub use delivery::{
    ATTEMPTS_KEPT, AttemptOutcome, Delivery, DeliveryAttempt, DeliveryState, RETRY_WAITS, Schedule,
    Verdict,
};
pub use dispatch::Due;
pub use failed::FailedPage;
pub use log::{LogQuery, LoggedEntry, LoggedEvent};
pub use target::{EventTarget, NewEventTarget};

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
}

fn outbox(after: Option<EventId>) -> Scan {
    let mut scan = Scan::of(Space::Outbox);
    if let Some(after) = after {
        scan.from = keys::outbox(after).successor();
    }
    scan
}
