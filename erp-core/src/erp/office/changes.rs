//! What has changed of orders and customers since the back office read them: `GET /admin/orders?seit=`,
//! `GET /admin/customers?seit=`. Neither is ever removed or hidden, so their marks are only positions in a log.

use std::fmt;
use std::str::FromStr;

use smol_str::SmolStr;

use super::{CustomerPage, CustomerPlace, CustomerQuery, ListedCustomer};
use crate::domain::master::Customer;
use crate::erp::engine::changes::Topic;
use crate::erp::engine::{Error, Office, keys};
use crate::erp::lists::{ListedOrder, ORDERS_PER_READ, OrderPage, OrderQuery};
use crate::storage::Storage;

/// Up to where the changes of orders or of customers are known. As text it says nothing to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordMark {
    topic: Topic,
    history: u64,
    /// The number of the first change that is not known.
    position: u64,
}

impl fmt::Display for RecordMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            topic,
            history,
            position,
        } = self;
        write!(f, "{}.{history:x}.{position:x}", *topic as u8)
    }
}

impl FromStr for RecordMark {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.split('.');
        let mut read = || {
            let topic = parts.next()?;
            let number = |part: &str| u64::from_str_radix(part, 16).ok();
            Some(Self {
                topic: Topic::ALL
                    .into_iter()
                    .find(|known| (*known as u8).to_string() == topic)?,
                history: number(parts.next()?)?,
                position: number(parts.next()?)?,
            })
        };
        read()
            .filter(|mark| mark.to_string() == text)
            .ok_or("a `stand` of an earlier response")
    }
}

/// From where on changes are read. A further page is that of the same call with `until`, the mark of the first page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Since {
    /// What is known; `None` reads everything.
    pub mark: Option<RecordMark>,
    /// The mark of the first page.
    pub until: Option<RecordMark>,
}

impl<S: Storage> Office<'_, S> {
    /// A page of the orders that have changed, by falling number; or of all of them, newest first. Returns the mark to go
    /// on from when the last page was read.
    ///
    /// # Errors
    /// [`Error::MarkExpired`]: read everything again. When the store fails.
    pub async fn order_changes(
        self,
        since: Since,
        after: Option<u64>,
        limit: usize,
    ) -> Result<(OrderPage, RecordMark), Error> {
        let (changed, mark) = self.changed_records(Topic::Orders, since).await?;
        let Some(changed) = changed else {
            let query = OrderQuery {
                after,
                limit,
                ..OrderQuery::default()
            };
            return Ok((self.orders(&query).await?, mark));
        };
        let numbers = changed.iter();
        let numbers = numbers.filter_map(|number| keys::document_number(number));
        let mut numbers: Vec<u64> = numbers
            .filter(|number| after.is_none_or(|after| *number < after))
            .collect();
        numbers.sort_unstable_by(|one, other| other.cmp(one));
        let is_last = numbers.len() <= limit;
        numbers.truncate(limit);
        let mut orders = Vec::with_capacity(numbers.len());
        for some in numbers.chunks(ORDERS_PER_READ) {
            let read = self.erp.read_orders(some.iter().copied()).await?;
            orders.extend(read.into_iter().map(ListedOrder::from));
        }
        let page = OrderPage {
            orders,
            next: numbers.last().copied().filter(|_| !is_last),
        };
        Ok((page, mark))
    }

    /// A page of the customers that have changed, or of all of them, by number.
    ///
    /// # Errors
    /// As [`Office::order_changes`].
    pub async fn customer_changes(
        self,
        since: Since,
        after: Option<CustomerPlace>,
        limit: usize,
    ) -> Result<(CustomerPage, RecordMark), Error> {
        let (changed, mark) = self.changed_records(Topic::Customers, since).await?;
        let Some(mut changed) = changed else {
            let query = CustomerQuery {
                after,
                limit,
                ..CustomerQuery::default()
            };
            return Ok((self.customers(&query).await?, mark));
        };
        changed.retain(|number| after.as_ref() < Some(&CustomerPlace::of(number)));
        let is_last = changed.len() <= limit;
        changed.truncate(limit);
        let keys = changed.iter().map(|number| keys::customer(number));
        let customers = self.erp.load_each::<Customer>(keys.collect()).await?;
        let customers = customers.iter().flatten();
        let customers = customers.map(|found| ListedCustomer::from(&found.value));
        let customers = customers.collect();
        let last = changed.last().filter(|_| !is_last);
        let next = last.map(|number| CustomerPlace::of(number));
        Ok((CustomerPage { customers, next }, mark))
    }

    /// The numbers of the records that have changed, in their order as texts; `None` when everything is read.
    async fn changed_records(
        self,
        topic: Topic,
        since: Since,
    ) -> Result<(Option<Vec<SmolStr>>, RecordMark), Error> {
        let logged = self.erp.log_changes(topic).await?;
        let current = RecordMark {
            topic,
            history: logged.history,
            position: logged.log.next,
        };
        let mark = since.until.unwrap_or(current);
        for known in since.mark.iter().chain(&since.until) {
            let same = RecordMark {
                position: current.position,
                ..*known
            };
            if same != current || !(logged.log.first..=mark.position).contains(&known.position) {
                return Err(Error::MarkExpired);
            }
        }
        if mark.position > current.position {
            return Err(Error::MarkExpired);
        }
        let Some(known) = since.mark else {
            return Ok((None, mark));
        };
        let changed = self
            .erp
            .logged(topic, known.position..mark.position)
            .await?;
        Ok((Some(changed.into_keys().collect()), mark))
    }
}
