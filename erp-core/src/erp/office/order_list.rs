//! The orders of all customers for the back office, newest first.
//!
//! Keys by state and time lead to the orders of a state, of some days, and to all orders. The orders of one customer or
//! with the first digits of a number are read by number. So are all orders while those of an older version get their keys.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use rust_decimal::Decimal;
use smol_str::SmolStr;

use crate::domain::document::{Order, OrderNumber, OrderStatus};
use crate::domain::master::CustomerNumber;
use crate::erp::engine::secondary::{customer_order, order_place};
use crate::erp::engine::work::{Work, yield_now};
use crate::erp::engine::{Erp, Error, Office, OrderKeys, keys};
use crate::storage::record::decode;
use crate::storage::{Entry, Key, Scan, Storage, StorageError};
use crate::values::codes::Currency;
use crate::values::limits::ENTRIES_PER_PAGE;

/// Orders read per call: even orders of the maximum size stay small together.
const ORDERS_PER_READ: usize = 64;

/// Which orders to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrderQuery {
    /// Only orders of this status.
    pub status: Option<OrderStatus>,
    /// Only orders of this customer.
    pub customer: Option<SmolStr>,
    /// Only orders made on this day or later, in the company's time zone.
    pub from: Option<Date>,
    /// Only orders made on this day or earlier.
    pub to: Option<Date>,
    /// Only orders whose number begins with these digits.
    pub number: Option<FirstDigits>,
    /// Only orders that follow the one of this number.
    pub after: Option<u64>,
    /// Maximum number of orders.
    pub limit: usize,
}

/// The first digits of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstDigits(u64);

impl FromStr for FirstDigits {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = keys::document_number(text).filter(|number| *number > 0);
        number.map(Self).ok_or("the first digits of a number")
    }
}

impl FirstDigits {
    /// The numbers that begin with these digits: one range per length, the highest first.
    fn ranges(self) -> Vec<RangeInclusive<u64>> {
        let mut ranges = Vec::new();
        let mut next = Some((self.0, self.0));
        while let Some((first, last)) = next {
            ranges.push(first..=last);
            let longer = |number: u64, digit| number.checked_mul(10)?.checked_add(digit);
            next = longer(first, 0).zip(longer(last, 9));
        }
        ranges.reverse();
        ranges
    }
}

/// An order in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedOrder {
    /// Order number (`AuftNr`).
    pub number: OrderNumber,
    /// Customer number (`KundNr`).
    pub customer: CustomerNumber,
    /// The company or person of the contact address.
    pub name: String,
    /// State (`AuftStatus`).
    pub status: OrderStatus,
    /// When it was made.
    pub created_at: Timestamp,
    /// Sum with tax (`AuftBrutto`).
    pub gross: Decimal,
    /// Its currency (`WaehrAbk`).
    pub currency: Currency,
    /// How many positions it has.
    pub positions: usize,
}

impl From<Order> for ListedOrder {
    fn from(order: Order) -> Self {
        let document = order.document;
        let contact = document.addresses.contact.as_ref();
        Self {
            number: order.number,
            customer: order.customer,
            name: contact.map_or_else(String::new, |contact| contact.address.addressee()),
            status: order.status,
            created_at: document.created_at,
            gross: document.gross,
            currency: document.currency,
            positions: document.positions.len(),
        }
    }
}

/// A page of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrderPage {
    /// The orders, the newest first; those of a customer or with certain first digits by falling number.
    pub orders: Vec<ListedOrder>,
    /// Continue after the order of this number; `None` at the end.
    pub next: Option<u64>,
}

/// What an order must have besides its number.
struct Wanted {
    status: Option<OrderStatus>,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
}

impl Wanted {
    fn of(query: &OrderQuery, zone: &TimeZone) -> Self {
        Self {
            status: query.status,
            since: query.from.map(|day| begin_of(day, zone)),
            until: query
                .to
                .and_then(|day| day.tomorrow().ok())
                .map(|day| begin_of(day, zone)),
        }
    }

    fn takes(&self, status: OrderStatus, created_at: Timestamp) -> bool {
        self.status.is_none_or(|wanted| wanted == status)
            && self.since.is_none_or(|since| since <= created_at)
            && self.until.is_none_or(|until| created_at < until)
    }
}

/// The first moment of a day; of a day beyond all times, the last or first one.
fn begin_of(day: Date, zone: &TimeZone) -> Timestamp {
    match day.to_zoned(zone.clone()) {
        Ok(begin) => begin.timestamp(),
        Err(_) if day.year() < 0 => Timestamp::MIN,
        Err(_) => Timestamp::MAX,
    }
}

impl<S: Storage> Office<'_, S> {
    /// How many orders each state has; `None` while orders of an older version get their keys
    /// ([`Upkeep::write_order_keys`](crate::erp::Upkeep::write_order_keys)).
    ///
    /// # Errors
    /// When the store fails.
    pub async fn count_orders(
        self,
    ) -> Result<Option<[(OrderStatus, i64); OrderStatus::ALL.len()]>, Error> {
        if !self.erp.has_order_keys().await? {
            return Ok(None);
        }
        let mut counts = OrderStatus::ALL.map(|status| (status, 0_i64));
        for (status, count) in &mut counts {
            let counters = self.erp.scan_all(keys::counters_of_status(*status)).await?;
            let counters = counters
                .entries
                .iter()
                .filter_map(|(_, entry)| entry.counter());
            *count = counters.fold(0, i64::saturating_add);
        }
        Ok(Some(counts))
    }
}

impl<S: Storage> Erp<S> {
    /// A page of the orders of all customers, newest first. When too many orders would have to be read for a whole
    /// page, it is a short one.
    ///
    /// # Errors
    /// [`Error::TooBroad`] when too many orders of a customer or with certain first digits would have to be read to find
    /// one.
    pub(super) async fn list_orders(&self, query: &OrderQuery) -> Result<OrderPage, Error> {
        let zone = self.time_zone(&self.company().await?.time_zone);
        let wanted = Wanted::of(query, &zone);
        let by_number = query.customer.is_some() || query.number.is_some();
        if by_number || !self.has_order_keys().await? {
            self.orders_by_number(query, &wanted).await
        } else {
            self.orders_by_time(query, &wanted).await
        }
    }

    /// Whether all orders have keys by state.
    pub(crate) async fn has_order_keys(&self) -> Result<bool, StorageError> {
        let found = self.load::<OrderKeys>(&keys::order_keys()).await?;
        Ok(found.is_some_and(|found| found.value.next.is_none()))
    }

    /// A page by the keys of the states: only orders on the page are read.
    async fn orders_by_time(
        &self,
        query: &OrderQuery,
        wanted: &Wanted,
    ) -> Result<OrderPage, Error> {
        let from = wanted.since.map_or((i64::MIN, 0), first_place);
        let mut until = wanted.until.map_or((i64::MAX, u64::MAX), first_place);
        if let Some(after) = query.after {
            until = until.min(self.place_of(after).await?);
        }
        let limit = query.limit.min(ENTRIES_PER_PAGE.saturating_sub(1));
        let mut places = BTreeSet::new();
        // An order only moves to a later state. If it moves meanwhile, it is found twice rather than not at all.
        for status in OrderStatus::ALL {
            if from >= until || query.status.is_some_and(|wanted| wanted != status) {
                continue;
            }
            let scan = Scan {
                from: keys::order_of_status(status, from),
                until: keys::order_of_status(status, until),
                backwards: true,
                limit: limit.saturating_add(1),
            };
            let read = self.store.scan(scan).await?;
            places.extend(read.entries.iter().filter_map(|(key, _)| place_in(key)));
        }
        let numbers = places.iter().rev().map(|(_, number)| *number);
        let numbers: Vec<u64> = numbers.take(limit).collect();
        let mut orders = self.orders_of(&numbers).await?;
        // The state of an order may have changed since its key was read.
        orders.retain(|order| wanted.takes(order.status, order.document.created_at));
        let is_last = places.len() <= limit;
        Ok(OrderPage {
            orders: orders.into_iter().map(ListedOrder::from).collect(),
            next: numbers.last().copied().filter(|_| !is_last),
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

    /// The orders of these numbers.
    pub(super) async fn orders_of(&self, numbers: &[u64]) -> Result<Vec<Order>, StorageError> {
        let mut orders = Vec::new();
        for numbers in numbers.chunks(ORDERS_PER_READ) {
            let keys: Vec<Key> = numbers.iter().map(|number| keys::order(*number)).collect();
            for (key, entry) in keys.iter().zip(self.store.get(&keys).await?) {
                if let Some(entry) = entry {
                    orders.push(decode(key, &entry)?);
                }
            }
            yield_now().await;
        }
        Ok(orders)
    }

    /// A page of the orders of a customer, of those with certain first digits, or of all.
    async fn orders_by_number(
        &self,
        query: &OrderQuery,
        wanted: &Wanted,
    ) -> Result<OrderPage, Error> {
        let mut work = Work::new(self.settings.scan_entries);
        let mut page = OrderPage::default();
        for numbers in numbers_of(query) {
            let mut next = Some(scan(query, &numbers));
            while let Some(scan) = next {
                let read = self.store.scan(scan).await?;
                let room = query.limit.saturating_sub(page.orders.len());
                let found = self.taken(query, wanted, &read.entries, room).await?;
                if found.len() > room {
                    page.orders.extend(found.into_iter().take(room));
                    page.next = page.orders.last().and_then(number);
                    return Ok(page);
                }
                page.orders.extend(found);
                match work.count(read.entries.len()).await {
                    Err(Error::TooBroad { .. }) if !page.orders.is_empty() => {
                        let last = read.entries.last();
                        page.next = last.and_then(|(key, _)| number_in(query, key));
                        return Ok(page);
                    }
                    counted => counted?,
                }
                next = read.next;
            }
        }
        Ok(page)
    }

    /// The wanted orders among entries; one more than there is room for, if there are as many.
    async fn taken(
        &self,
        query: &OrderQuery,
        wanted: &Wanted,
        entries: &[(Key, Entry)],
        room: usize,
    ) -> Result<Vec<ListedOrder>, StorageError> {
        let mut orders = Vec::new();
        if query.customer.is_some() {
            let mut numbers = Vec::new();
            for (key, entry) in entries {
                let (number, listed) = customer_order(key, entry)?;
                if wanted.takes(listed.status, listed.created_at) && numbers.len() <= room {
                    numbers.push(number);
                }
            }
            orders = self.orders_of(&numbers).await?;
        } else {
            for (key, entry) in entries {
                let order: Order = decode(key, entry)?;
                if wanted.takes(order.status, order.document.created_at) && orders.len() <= room {
                    orders.push(order);
                }
            }
        }
        Ok(orders.into_iter().map(ListedOrder::from).collect())
    }
}

/// The ranges of numbers to read, the highest first.
fn numbers_of(query: &OrderQuery) -> Vec<RangeInclusive<u64>> {
    let most = query
        .after
        .map_or(u64::MAX, |after| after.saturating_sub(1));
    let ranges = query.number.map_or(vec![0..=u64::MAX], FirstDigits::ranges);
    let ranges = ranges
        .into_iter()
        .map(|range| *range.start()..=most.min(*range.end()));
    ranges.filter(|range| !range.is_empty()).collect()
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

/// The number of the order that an entry belongs to.
fn number_in(query: &OrderQuery, key: &Key) -> Option<u64> {
    let mut parts = key.parts();
    if query.customer.is_some() {
        parts.text()?;
    }
    parts.number()
}

fn number(order: &ListedOrder) -> Option<u64> {
    keys::document_number(&order.number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_digits_are_ranges_of_numbers_of_each_length() {
        let digits: FirstDigits = "12".parse().unwrap();
        let ranges = digits.ranges();
        assert_eq!(ranges.last(), Some(&(12..=12)));
        assert!(ranges.contains(&(1_200..=1_299)));
        assert!(ranges.is_sorted_by(|one, other| one.start() > other.end()));
        let longest: FirstDigits = u64::MAX.to_string().parse().unwrap();
        assert_eq!(longest.ranges(), [u64::MAX..=u64::MAX]);
        for text in ["", "0", "01", "1a", "-1", "99999999999999999999"] {
            assert!(text.parse::<FirstDigits>().is_err(), "{text}");
        }
    }
}
