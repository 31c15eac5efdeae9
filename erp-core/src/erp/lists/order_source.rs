//! Where the orders of a query are found: by their reference, by state and time, in the list of their customer, or by number.
//!
//! The filters decide which of them, and so which keys are read. What these keys do not say of an order is looked up in the
//! order.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::RangeInclusive;

use jiff::Timestamp;

use super::order_query::{OrderQuery, Wanted};
use crate::erp::engine::work::Work;
use crate::erp::engine::{Erp, Error, keys};
use crate::erp::keys::secondary::{customer_order, order_place};
use crate::storage::record::decode;
use crate::storage::{Entry, Key, Scan, Space, Storage, StoreResult};
use crate::values::limits::ENTRIES_PER_PAGE;

/// Orders read per call: even orders of the maximum size stay small together.
pub(super) const ORDERS_PER_READ: usize = 64;

/// Where the orders of a list are found, and how far it is read.
pub(super) enum OrderSource {
    /// The keys of states, between two places by time.
    Times { from: (i64, u64), until: (i64, u64) },
    Numbers {
        /// Lists of orders by number, and the range that is left of each. Of one list the highest range is first.
        lists: Vec<(Key, RangeInclusive<u64>)>,
        /// Numbers that were found besides.
        known: BTreeSet<u64>,
    },
}

/// An order that was found.
pub(super) struct FoundOrder {
    pub(super) number: u64,
    /// Its entry in the list of its state, which says all that lists show; `None` where another list was read.
    pub(super) row: Option<(Key, Entry)>,
}

/// What was found next.
#[derive(Default)]
pub(super) struct OrderPart {
    /// The numbers of the orders that are not ruled out.
    pub(super) found: VecDeque<FoundOrder>,
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
        let ranges = query.numbers();
        let in_ranges = |list: Key| {
            ranges
                .iter()
                .map(move |range| (list.clone(), range.clone()))
        };
        let mut known = BTreeSet::new();
        let lists = if let Some(reference) = &query.reference {
            known = self.known(reference, wanted.customer, &ranges).await?;
            Vec::new()
        } else if query.to_invoice {
            in_ranges(keys::orders_to_invoice()).collect()
        } else if let Some(customer) = &query.customer {
            in_ranges(keys::orders_of_customer(customer)).collect()
        } else if let Some(search) = &wanted.search {
            known = self.known(&search.text, None, &ranges).await?;
            let customers = search
                .customers
                .iter()
                .map(|customer| keys::orders_of_customer(customer));
            let lists = customers.flat_map(&in_ranges);
            let numbers = search.numbers(&ranges).into_iter();
            numbers
                .map(|range| (keys::orders(), range))
                .chain(lists)
                .collect()
        } else if query.number.is_some() {
            in_ranges(keys::orders()).collect()
        } else {
            return self.by_time(query, wanted).await;
        };
        Ok(OrderSource::Numbers { lists, known })
    }

    async fn by_time(&self, query: &OrderQuery, wanted: &Wanted<'_>) -> Result<OrderSource, Error> {
        let mut until = wanted.times.until.map_or((i64::MAX, u64::MAX), first_place);
        if let Some(after) = query.after {
            until = until.min(self.place_of(after).await?);
        }
        let from = wanted.times.since.map_or((i64::MIN, 0), first_place);
        Ok(OrderSource::Times { from, until })
    }

    /// The orders with this reference, of one customer or of all, whose numbers are in these ranges.
    async fn known(
        &self,
        reference: &str,
        customer: Option<&str>,
        ranges: &[RangeInclusive<u64>],
    ) -> Result<BTreeSet<u64>, Error> {
        let mut work = Work::new(self.settings.scan_entries);
        let mut known = BTreeSet::new();
        let mut pages = self.pages(keys::orders_of_reference(reference, customer));
        while let Some(entries) = pages.next().await? {
            work.count(entries.len()).await?;
            let numbers = entries.iter().filter_map(|(key, _)| number_in(key));
            known
                .extend(numbers.filter(|number| ranges.iter().any(|range| range.contains(number))));
        }
        Ok(known)
    }

    /// Finds the next orders, about as many as are wanted.
    pub(super) async fn next_part(
        &self,
        source: &mut OrderSource,
        wanted: &Wanted<'_>,
        most: usize,
    ) -> StoreResult<OrderPart> {
        let most = most.min(ENTRIES_PER_PAGE);
        match source {
            OrderSource::Times { from, until } => {
                self.next_by_time(*from, until, wanted, most).await
            }
            OrderSource::Numbers { lists, known } => {
                self.next_by_number(lists, known, wanted, most).await
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
    ) -> StoreResult<OrderPart> {
        let mut places = BTreeMap::new();
        let mut entries = 0_usize;
        // An order only moves to a later state. If it moves meanwhile, it is found twice rather than not at all, and
        // listed as the later one.
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
            let found = read.entries.into_iter();
            places.extend(found.filter_map(|row| Some((place_in(&row.0)?, row))));
        }
        let is_last = places.len() < most;
        let places: Vec<_> = places.into_iter().rev().take(most).collect();
        let last = places.last().map(|(place, _)| *place);
        *until = last.filter(|_| !is_last).unwrap_or(from);
        let found = places.into_iter();
        let found = found.map(|((_, number), row)| FoundOrder {
            number,
            row: Some(row),
        });
        Ok(OrderPart {
            entries,
            last: last.map(|(_, number)| number),
            found: found.collect(),
        })
    }

    /// The next orders of all lists by number: those above the highest number where reading a list has stopped.
    async fn next_by_number(
        &self,
        lists: &mut Vec<(Key, RangeInclusive<u64>)>,
        known: &mut BTreeSet<u64>,
        wanted: &Wanted<'_>,
        most: usize,
    ) -> StoreResult<OrderPart> {
        let (mut entries, mut floor) = (0_usize, 0_u64);
        for (list, range) in &*lists {
            if *range.end() < floor {
                continue;
            }
            let read = self.store.scan(scan(list, range)).await?;
            entries += read.entries.len();
            for (key, entry) in &read.entries {
                if takes(wanted, key, entry)? {
                    known.extend(number_in(key));
                }
            }
            if let (Some(_), Some((key, _))) = (read.next, read.entries.last()) {
                floor = floor.max(number_in(key).unwrap_or_default());
            }
        }
        let last = known.iter().rev().nth(most.saturating_sub(1));
        floor = floor.max(last.copied().unwrap_or_default());
        lists.retain_mut(|(_, range)| {
            *range = *range.start()..=floor.saturating_sub(1).min(*range.end());
            floor > 0 && !range.is_empty()
        });
        let found = known.split_off(&floor).into_iter().rev();
        let found = found.map(|number| FoundOrder { number, row: None });
        let found: VecDeque<FoundOrder> = found.collect();
        Ok(OrderPart {
            entries: entries.max(found.len()),
            last: Some(floor).filter(|floor| *floor > 0),
            found,
        })
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

/// The entries of a list in a range of numbers, backwards.
fn scan(list: &Key, numbers: &RangeInclusive<u64>) -> Scan {
    let key = |number| list.clone().number(number);
    Scan {
        from: key(*numbers.start()),
        until: key(*numbers.end()).successor(),
        backwards: true,
        limit: ORDERS_PER_READ,
    }
}

/// Whether the entry of a list does not rule its order out.
fn takes(wanted: &Wanted<'_>, key: &Key, entry: &Entry) -> StoreResult<bool> {
    let space = key.space();
    if space == Space::Order as u8 {
        return Ok(wanted.takes_order(&decode(key, entry)?));
    }
    if space == Space::OrderOfCustomer as u8 {
        let (_, listed) = customer_order(key, entry)?;
        return Ok(wanted.takes(listed.status, listed.created_at));
    }
    Ok(true)
}

/// The number that is the last part of a key.
pub(super) fn number_in(key: &Key) -> Option<u64> {
    let number = key.as_bytes().last_chunk()?;
    Some(u64::from_be_bytes(*number))
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
