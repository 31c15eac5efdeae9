//! Which orders a list has.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use smol_str::SmolStr;

use crate::domain::document::{Order, OrderStatus};
use crate::domain::master::CustomerNumber;
use crate::erp::keys;
use crate::values::sentence::Sentence;

/// Which orders to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrderQuery {
    /// Only orders of this status.
    pub status: Option<OrderStatus>,
    /// Only orders of this customer.
    pub customer: Option<SmolStr>,
    /// Only orders with this number in the foreign system (`AuftBestellNr`).
    pub reference: Option<SmolStr>,
    /// Only orders made on this day or later, in the company's time zone.
    pub from: Option<Date>,
    /// Only orders made on this day or earlier.
    pub to: Option<Date>,
    /// Only orders whose number begins with these digits.
    pub number: Option<FirstDigits>,
    /// Only orders with this number, its first digits, this customer number or number in the foreign system, and those of
    /// customers with these words in their names.
    pub search: Option<String>,
    /// Only orders to invoice: without an invoice, and completed since the first one was made or the company had a number for it.
    pub to_invoice: bool,
    /// Only orders that follow the one of this number.
    pub after: Option<u64>,
    /// How many orders to leave out at the beginning.
    pub offset: usize,
    /// Maximum number of orders; 0 by default.
    pub limit: usize,
}

impl OrderQuery {
    /// The ranges of numbers that it allows, the highest first.
    pub(super) fn numbers(&self) -> Vec<RangeInclusive<u64>> {
        let most = self.after.map_or(u64::MAX, |after| after.saturating_sub(1));
        let ranges = self.number.map_or(vec![0..=u64::MAX], FirstDigits::ranges);
        let ranges = ranges.into_iter();
        let ranges = ranges.map(|range| *range.start()..=most.min(*range.end()));
        ranges.filter(|range| !range.is_empty()).collect()
    }

    /// Whether nothing but a state is asked for, or all orders.
    pub(super) fn is_by_status(&self) -> bool {
        let by_status = Self {
            status: self.status,
            offset: self.offset,
            limit: self.limit,
            ..Self::default()
        };
        *self == by_status
    }
}

/// The first digits of a number: `"12".parse()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstDigits(u64);

impl FromStr for FirstDigits {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = keys::document_number(text).filter(|number| *number > 0);
        number.map(Self).ok_or_else(|| sentence!("allowed.digits"))
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

// rule: D-DOC-40
/// What a search looks for.
pub(super) struct OrderSearch {
    pub(super) text: String,
    digits: Option<FirstDigits>,
    pub(super) customers: BTreeSet<CustomerNumber>,
}

impl OrderSearch {
    /// Without the customers of this name. Digits alone are no name.
    pub(super) fn of(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            digits: text.parse().ok(),
            customers: CustomerNumber::new(text).into_iter().collect(),
        }
    }

    pub(super) fn is_name(&self) -> bool {
        self.digits.is_none()
    }

    /// The numbers in these ranges that begin with the digits, the highest range first.
    pub(super) fn numbers(&self, within: &[RangeInclusive<u64>]) -> Vec<RangeInclusive<u64>> {
        let own = self.digits.map(FirstDigits::ranges).unwrap_or_default();
        let both = within.iter().flat_map(|one| {
            let own = own.iter();
            own.map(|other| *one.start().max(other.start())..=*one.end().min(other.end()))
        });
        both.filter(|range| !range.is_empty()).collect()
    }

    fn takes(&self, order: &Order) -> bool {
        let reference = order.document.foreign_number.as_deref();
        self.customers.contains(&order.customer)
            || reference == Some(&self.text)
            || (self.digits.is_some() && order.number.starts_with(&self.text))
    }
}

/// The times of some days.
pub(super) struct Times {
    pub(super) since: Option<Timestamp>,
    pub(super) until: Option<Timestamp>,
}

impl Times {
    /// From one day to another, both included.
    pub(super) fn of(from: Option<Date>, to: Option<Date>, zone: &TimeZone) -> Self {
        let end = to.and_then(|day| day.tomorrow().ok());
        Self {
            since: from.map(|day| begin_of(day, zone)),
            until: end.map(|day| begin_of(day, zone)),
        }
    }

    pub(super) fn have(&self, at: Timestamp) -> bool {
        self.since.is_none_or(|since| since <= at) && self.until.is_none_or(|until| at < until)
    }
}

pub(super) struct Wanted<'a> {
    pub(super) statuses: Vec<OrderStatus>,
    pub(super) times: Times,
    pub(super) customer: Option<&'a str>,
    pub(super) reference: Option<&'a str>,
    pub(super) search: Option<OrderSearch>,
    to_invoice: bool,
}

impl<'a> Wanted<'a> {
    pub(super) fn of(query: &'a OrderQuery, zone: &TimeZone) -> Self {
        Self {
            statuses: query
                .status
                .map_or(OrderStatus::ALL.to_vec(), |status| vec![status]),
            times: Times::of(query.from, query.to, zone),
            customer: query.customer.as_deref(),
            reference: query.reference.as_deref(),
            search: query.search.as_deref().map(OrderSearch::of),
            to_invoice: query.to_invoice,
        }
    }

    /// Whether keys say all that is wanted of an order.
    pub(super) const fn is_in_keys(&self) -> bool {
        self.reference.is_none() && self.search.is_none() && !self.to_invoice
    }

    pub(super) fn takes(&self, status: OrderStatus, created_at: Timestamp) -> bool {
        self.statuses.contains(&status) && self.times.have(created_at)
    }

    pub(super) fn takes_order(&self, order: &Order) -> bool {
        let reference = order.document.foreign_number.as_deref();
        self.takes(order.status, order.document.created_at)
            && self
                .customer
                .is_none_or(|customer| order.customer == customer)
            && self
                .reference
                .is_none_or(|wanted| reference == Some(wanted))
            && (self.search.as_ref()).is_none_or(|search| search.takes(order))
            && (!self.to_invoice || order.invoice.is_none())
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
