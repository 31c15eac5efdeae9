//! Where the orders of a query are found: by their reference, by state and time, in the list of their customer, or by number.
//!
//! The filters decide which of them, and so which keys are read. What these keys do not say of an order is looked up in the
//! order.

use std::collections::{BTreeSet, VecDeque};
use std::ops::RangeInclusive;

use jiff::Timestamp;

use super::order_query::{OrderQuery, Wanted};
use crate::erp::engine::work::Work;
use crate::erp::engine::{Erp, Error, keys};
use crate::erp::keys::secondary::{customer_order, order_place};
use crate::storage::record::decode;
use crate::storage::{Key, Scan, Storage, StorageError};
use crate::values::limits::ENTRIES_PER_PAGE;

/// Orders read per call: even orders of the maximum size stay small together.
pub(super) const ORDERS_PER_READ: usize = 64;

/// Where the orders of a list are found, and how far it is read.
pub(super) enum OrderSource {
    /// The keys of states, between two places by time.
    Times {
        from: (i64, u64),
        until: (i64, u64),
    },
    /// The orders of a customer or all orders, in these ranges of numbers.
    Numbers(VecDeque<Scan>),
    Known(VecDeque<u64>),
}

/// What was found next.
#[derive(Default)]
pub(super) struct OrderPart {
    /// The numbers of the orders that are not ruled out.
    pub(super) found: VecDeque<u64>,
    /// How many entries were read; 0 at the end.
    pub(super) entries: usize,
    pub(super) last: Option<u64>,
}

impl<S: Storage> Erp<S> {
    pub(super) async fn source(
        &self,
        query: &OrderQuery,
        wanted: &Wanted<'_>,
    ) -> Result<OrderSource, Error> {
        if let Some(reference) = &query.reference {
            let scan = keys::orders_of_reference(reference, wanted.customer);
            return self.known(query, scan).await;
        }
        let by_number = query.customer.is_some() || query.number.is_some();
        if by_number {
            let ranges = query.numbers().into_iter();
            return Ok(OrderSource::Numbers(
                ranges.map(|numbers| scan(query, &numbers)).collect(),
            ));
        }
        let mut until = wanted.times.until.map_or((i64::MAX, u64::MAX), first_place);
        if let Some(after) = query.after {
            until = until.min(self.place_of(after).await?);
        }
        let from = wanted.times.since.map_or((i64::MIN, 0), first_place);
        Ok(OrderSource::Times { from, until })
    }

    /// The orders whose numbers are the last part of these keys, and in the ranges of the query.
    async fn known(&self, query: &OrderQuery, scan: Scan) -> Result<OrderSource, Error> {
        let mut work = Work::new(self.settings.scan_entries);
        let ranges = query.numbers();
        let mut numbers = BTreeSet::new();
        let mut pages = self.pages(scan);
        while let Some(entries) = pages.next().await? {
            work.count(entries.len()).await?;
            let listed = entries.iter().filter_map(|(key, _)| {
                let mut parts = key.parts();
                parts.text().and(parts.text()).and(parts.number())
            });
            numbers
                .extend(listed.filter(|number| ranges.iter().any(|range| range.contains(number))));
        }
        Ok(OrderSource::Known(numbers.into_iter().rev().collect()))
    }

    /// Finds the next orders, about as many as are wanted.
    pub(super) async fn next_part(
        &self,
        source: &mut OrderSource,
        wanted: &Wanted<'_>,
        most: usize,
    ) -> Result<OrderPart, StorageError> {
        let most = most.min(ENTRIES_PER_PAGE);
        match source {
            OrderSource::Times { from, until } => {
                self.next_by_time(*from, until, wanted, most).await
            }
            OrderSource::Numbers(scans) => self.next_by_number(scans, wanted).await,
            OrderSource::Known(numbers) => {
                let found = numbers.drain(..most.min(numbers.len()));
                let found: VecDeque<u64> = found.collect();
                Ok(OrderPart {
                    entries: found.len(),
                    last: found.back().copied(),
                    found,
                })
            }
        }
    }

    /// The next orders of all wanted states by time.
    async fn next_by_time(
        &self,
        from: (i64, u64),
        until: &mut (i64, u64),
        wanted: &Wanted<'_>,
        most: usize,
    ) -> Result<OrderPart, StorageError> {
        let mut places = BTreeSet::new();
        let mut entries = 0_usize;
        // An order only moves to a later state. If it moves meanwhile, it is found twice rather than not at all.
        for status in &wanted.statuses {
            if from >= *until {
                break;
            }
            let scan = Scan {
                from: keys::order_of_status(*status, from),
                until: keys::order_of_status(*status, *until),
                backwards: true,
                limit: most,
            };
            let read = self.store.scan(scan).await?;
            entries += read.entries.len();
            places.extend(read.entries.iter().filter_map(|(key, _)| place_in(key)));
        }
        let is_last = places.len() < most;
        let places: Vec<_> = places.into_iter().rev().take(most).collect();
        *until = places.last().copied().filter(|_| !is_last).unwrap_or(from);
        let found: VecDeque<u64> = places.into_iter().map(|(_, number)| number).collect();
        Ok(OrderPart {
            entries,
            last: found.back().copied(),
            found,
        })
    }

    /// The next orders of a customer, or of all, by number.
    async fn next_by_number(
        &self,
        scans: &mut VecDeque<Scan>,
        wanted: &Wanted<'_>,
    ) -> Result<OrderPart, StorageError> {
        let mut part = OrderPart::default();
        while part.entries == 0
            && let Some(scan) = scans.pop_front()
        {
            let read = self.store.scan(scan).await?;
            for (key, entry) in &read.entries {
                let (number, is_wanted) = match wanted.customer {
                    Some(_) => {
                        let (number, listed) = customer_order(key, entry)?;
                        (number, wanted.takes(listed.status, listed.created_at))
                    }
                    None => {
                        let order = decode(key, entry)?;
                        let number = key.parts().number().unwrap_or_default();
                        (number, wanted.takes_order(&order))
                    }
                };
                part.found.extend(is_wanted.then_some(number));
                part.last = Some(number);
            }
            part.entries = read.entries.len();
            if let Some(rest) = read.next {
                scans.push_front(rest);
            }
        }
        Ok(part)
    }

    /// The place of an order by time; without one of this number, that of the next lower number.
    async fn place_of(&self, number: u64) -> Result<(i64, u64), Error> {
        let scan = Scan {
            from: keys::order(0),
            until: keys::order(number).successor(),
            backwards: true,
            limit: 1,
        };
        let found = self.store.scan(scan).await?;
        let Some((key, entry)) = found.entries.first() else {
            return Ok((i64::MIN, 0));
        };
        Ok(order_place(number, &decode(key, entry)?))
    }
}

/// The entries of these orders, backwards.
fn scan(query: &OrderQuery, numbers: &RangeInclusive<u64>) -> Scan {
    let key = |number| match &query.customer {
        Some(customer) => keys::order_of_customer(customer, number),
        None => keys::order(number),
    };
    Scan {
        from: key(*numbers.start()),
        until: key(*numbers.end()).successor(),
        backwards: true,
        limit: ORDERS_PER_READ,
    }
}

/// The first place of an order made at this time or later.
fn first_place(at: Timestamp) -> (i64, u64) {
    (at.as_microsecond(), 0)
}

/// The place by time that a key by state holds.
fn place_in(key: &Key) -> Option<(i64, u64)> {
    let mut parts = key.parts();
    parts.text()?;
    parts.signed().zip(parts.number())
}
