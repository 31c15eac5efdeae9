//! Events that a target did not accept, newest first.
//!
//! Failures have no index: most stores have none, and deliveries are removed after the days of the event log.

use super::{Delivery, EventId, Events, LoggedEntry};
use crate::erp::catalogue::slices::ENTRIES_PER_READ;
use crate::erp::engine::work::Work;
use crate::erp::engine::{Error, keys};
use crate::storage::record::decode;
use crate::storage::{Scan, Space, Storage};

/// A page of events with a failed delivery.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailedPage {
    /// The events with all their deliveries, newest first.
    pub entries: Vec<LoggedEntry>,
    /// Continue with the events before this one; `None` at the end.
    pub next: Option<EventId>,
}

#[cfg(feature = "internal")]
impl<S: Storage> Events<'_, S> {
    /// Events before `before` with a delivery whose last attempt failed, newest first. When too many deliveries would
    /// have to be read for a whole page, it is a short one.
    ///
    /// # Errors
    /// [`Error::TooBroad`] when too many deliveries would have to be read to find one.
    pub async fn failed(self, before: Option<EventId>, limit: usize) -> Result<FailedPage, Error> {
        let mut work = Work::new(self.erp.settings.scan_entries);
        let mut page = FailedPage::default();
        let mut last = None;
        let mut pages = self.erp.pages(deliveries_before(before));
        while let Some(entries) = pages.next().await? {
            for (key, entry) in &entries {
                let delivery: Delivery = decode(key, entry)?;
                let event = delivery.event;
                if !delivery.has_failed() || last == Some(event) {
                    continue;
                }
                if page.entries.len() >= limit {
                    page.next = last;
                    return Ok(page);
                }
                last = Some(event);
                work.pause(1).await;
                page.entries.extend(self.entry(event).await?);
            }
            match work.count(entries.len()).await {
                Err(Error::TooBroad { .. }) if last.is_some() => {
                    let end = entries.last().map(|(key, _)| EventId::of_key(key));
                    // Other deliveries of the event at the end may not be read yet.
                    page.next = end
                        .transpose()?
                        .map(|end| if last == Some(end) { end } else { behind(end) });
                    return Ok(page);
                }
                counted => counted?,
            }
        }
        Ok(page)
    }

    /// How many of the newest deliveries have failed; about `most` are read.
    pub async fn count_failed(self, most: usize) -> Result<usize, Error> {
        let (mut read, mut failed) = (0_usize, 0_usize);
        let mut pages = self.erp.pages(deliveries_before(None));
        while read < most
            && let Some(entries) = pages.next().await?
        {
            for (key, entry) in &entries {
                let delivery: Delivery = decode(key, entry)?;
                failed += usize::from(delivery.has_failed());
            }
            read += entries.len();
        }
        Ok(failed)
    }
}

/// The deliveries of the events before one, backwards.
fn deliveries_before(before: Option<EventId>) -> Scan {
    let mut scan = Scan::of(Space::Delivery);
    if let Some(before) = before {
        scan.until = keys::deliveries_of(before);
    }
    scan.backwards().limit(ENTRIES_PER_READ)
}

const fn behind(id: EventId) -> EventId {
    EventId {
        index: id.index.saturating_add(1),
        ..id
    }
}
