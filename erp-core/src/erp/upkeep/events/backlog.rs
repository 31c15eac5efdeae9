//! Size and age of the delivery backlog, for monitoring.

use jiff::Timestamp;

use super::dispatch::event_of_due;
use super::{Event, EventId, Events, LoggedEvent, outbox};
use crate::erp::engine::{Error, keys};
use crate::storage::record::decode;
use crate::storage::{Scan, Space, Storage};

/// Deliveries that are waiting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Deliveries that wait for a first or further attempt; limited to the requested count.
    pub deliveries: usize,
    /// Time of the oldest waiting event, in the outbox or for a target; among the counted ones.
    pub oldest: Option<Timestamp>,
}

#[cfg(feature = "internal")]
impl<S: Storage> Events<'_, S> {
    /// The backlog, counted up to about `most` deliveries; reads keys and two records.
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
