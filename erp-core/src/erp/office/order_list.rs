//! The orders of all customers for the back office, newest first.
//!
//! No index exists for this list, so that an order costs no further record. Order numbers rise with time: the list
//! reads from the highest number down, and finds the ends of a time range by bisection.

use std::ops::RangeInclusive;
use std::str::FromStr;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use rust_decimal::Decimal;
use smol_str::SmolStr;

use crate::domain::document::{Order, OrderNumber, OrderStatus};
use crate::domain::master::CustomerNumber;
use crate::erp::engine::secondary::customer_order;
use crate::erp::engine::work::Work;
use crate::erp::engine::{Erp, Error, keys};
use crate::storage::record::decode;
use crate::storage::{Entry, Key, Scan, Space, Storage, StorageError};
use crate::values::codes::Currency;

/// Orders read per call: even orders of the maximum size stay small together.
const ORDERS_PER_READ: usize = 64;

/// Two orders whose numbers and times are in different order are closer than this: a request that draws its number
/// late, and clocks of several servers.
const DISORDER: SignedDuration = SignedDuration::from_hours(1);

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
    /// Only orders with a lower number.
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
    /// `AuftNr`.
    pub number: OrderNumber,
    /// `KundNr`.
    pub customer: CustomerNumber,
    /// The company or person of the contact address.
    pub name: String,
    /// `AuftStatus`.
    pub status: OrderStatus,
    /// When it was made.
    pub created_at: Timestamp,
    /// `AuftBrutto`.
    pub gross: Decimal,
    /// `WaehrAbk`.
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
    /// The orders, the highest number first.
    pub orders: Vec<ListedOrder>,
    /// Continue with the orders below this number; `None` at the end.
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

impl<S: Storage> Erp<S> {
    /// A page of the orders of all customers, newest first. When too many orders would have to be read for a whole
    /// page, it is a short one.
    ///
    /// # Errors
    /// [`Error::TooBroad`] when too many orders would have to be read to find one.
    pub(super) async fn list_orders(&self, query: &OrderQuery) -> Result<OrderPage, Error> {
        let zone = self.time_zone(&self.company().await?.time_zone);
        let wanted = Wanted::of(query, &zone);
        let mut work = Work::new(self.settings.scan_entries);
        let numbers = self.numbers_of(query, &wanted, &mut work).await?;
        let mut page = OrderPage::default();
        for numbers in numbers {
            let mut next = scan(query, &numbers);
            while let Some(scan) = next {
                let read = self.store.scan(scan).await?;
                let room = query.limit.saturating_sub(page.orders.len());
                let found = self.taken(query, &wanted, &read.entries, room).await?;
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

    /// The ranges of numbers to read, the highest first.
    async fn numbers_of(
        &self,
        query: &OrderQuery,
        wanted: &Wanted,
        work: &mut Work,
    ) -> Result<Vec<RangeInclusive<u64>>, Error> {
        let mut low = 0;
        let mut high = query
            .after
            .map_or(u64::MAX, |after| after.saturating_sub(1));
        if let Some(until) = wanted
            .until
            .and_then(|until| until.checked_add(DISORDER).ok())
        {
            let first = self.first_order_since(until, work).await?;
            high = high.min(first.saturating_sub(1));
        }
        if let Some(since) = wanted
            .since
            .and_then(|since| since.checked_sub(DISORDER).ok())
        {
            low = self.first_order_since(since, work).await?;
        }
        let ranges = query.number.map_or(vec![0..=u64::MAX], FirstDigits::ranges);
        let cut = |range: RangeInclusive<u64>| low.max(*range.start())..=high.min(*range.end());
        let mut numbers: Vec<_> = ranges.into_iter().map(cut).collect();
        numbers.retain(|range| !range.is_empty());
        Ok(numbers)
    }

    /// A number with only older orders below it and none that is older by more than [`DISORDER`] from it on. Found by
    /// bisection, one order per step.
    async fn first_order_since(&self, at: Timestamp, work: &mut Work) -> Result<u64, Error> {
        let all = Scan::prefix(&Key::of(Space::Order).build());
        let last = self.store.scan(all.backwards().limit(1)).await?;
        work.count(1).await?;
        let last = last
            .entries
            .first()
            .and_then(|(key, _)| key.parts().number());
        let (mut low, mut high) = (0, last.map_or(0, |last| last.saturating_add(1)));
        while low < high {
            let middle = low.midpoint(high);
            let scan = Scan {
                from: keys::order(middle),
                until: keys::order(high),
                backwards: false,
                limit: 1,
            };
            work.count(1).await?;
            let found = self.store.scan(scan).await?.entries.into_iter().next();
            let found =
                found.map(|(key, entry)| decode::<Order>(&key, &entry).map(|order| (key, order)));
            match found.transpose()? {
                Some((key, order)) if order.document.created_at < at => {
                    let number = key.parts().number().unwrap_or(middle);
                    low = number.saturating_add(1);
                }
                _ => high = middle,
            }
        }
        Ok(low)
    }

    /// The wanted orders among entries; one more than there is room for, if there are as many.
    async fn taken(
        &self,
        query: &OrderQuery,
        wanted: &Wanted,
        entries: &[(Key, Entry)],
        room: usize,
    ) -> Result<Vec<ListedOrder>, StorageError> {
        let most = room.saturating_add(1);
        if query.customer.is_none() {
            let orders = entries
                .iter()
                .map(|(key, entry)| decode::<Order>(key, entry));
            let taken = orders.filter(|order| match order {
                Ok(order) => wanted.takes(order.status, order.document.created_at),
                Err(_) => true,
            });
            let listed = taken.map(|order| order.map(ListedOrder::from));
            return listed.take(most).collect();
        }
        let mut orders = Vec::new();
        for (key, entry) in entries {
            let (number, listed) = customer_order(key, entry)?;
            if wanted.takes(listed.status, listed.created_at) && orders.len() < most {
                orders.push(keys::order(number));
            }
        }
        let found = self.store.get(&orders).await?;
        let found = orders.iter().zip(found);
        let orders =
            found.filter_map(|(key, entry)| entry.map(|entry| decode::<Order>(key, &entry)));
        orders.map(|order| order.map(ListedOrder::from)).collect()
    }
}

/// The entries of these orders, backwards; `None` when the range is empty.
fn scan(query: &OrderQuery, numbers: &RangeInclusive<u64>) -> Option<Scan> {
    let key = |number| match &query.customer {
        Some(customer) => keys::order_of_customer(customer, number),
        None => keys::order(number),
    };
    let scan = Scan {
        from: key(*numbers.start()),
        until: key(*numbers.end()).successor(),
        backwards: true,
        limit: ORDERS_PER_READ,
    };
    (!numbers.is_empty()).then_some(scan)
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
