//! Lists of orders, newest first, for shops and for the back office.
//!
//! Where the orders of a query are found is decided in [`order_source`](super::order_source). They are read only as far as
//! the page needs them.

use std::collections::VecDeque;

use jiff::tz::TimeZone;
use smol_str::SmolStr;

use super::order_query::{OrderQuery, Wanted};
use super::order_source::{FoundOrder, ORDERS_PER_READ};
use crate::domain::document::{ListedOrder, Order, OrderNumber, OrderStatus};
use crate::domain::master::CustomerNumber;
use crate::domain::response::{ListedDocument, OrderSummary};
use crate::erp::catalogue::slices::yield_now;
use crate::erp::engine::selection::VisibleCustomers;
use crate::erp::engine::work::Work;
use crate::erp::engine::{Erp, Error, keys};
use crate::storage::record::decode;
use crate::storage::{Scan, Storage, StoreResult};
use crate::wire::Links;

/// Keys read per call where most of their orders may not be listed.
pub(super) const KEYS_PER_READ: usize = 4 * ORDERS_PER_READ;

/// Orders that are counted one by one; of more the number is not known, unless counters have it.
pub(super) const MOST_COUNTED: usize = 1_000;

impl ListedOrder {
    /// The order as the list of a shop shows it.
    #[must_use]
    pub fn to_wire(&self, links: &Links<'_>) -> OrderSummary {
        OrderSummary {
            order_number: self.number.clone(),
            customer_number: self.customer.clone(),
            foreign_number: self.reference.clone(),
            status: SmolStr::new_static(self.status.as_str()),
            document: ListedDocument::new(self.created_at, self.currency, &self.sums),
            links: vec![links.to("GET", "auftrag", "auftrag", &self.number)],
        }
    }
}

/// A page of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OrderPage {
    /// The orders, the newest first; those of a customer, with a reference or with certain first digits by falling number.
    pub orders: Vec<ListedOrder>,
    /// Continue after the order of this number; `None` at the end.
    pub next: Option<u64>,
}

/// A page while it is read.
struct PageReader<'a, S> {
    query: &'a OrderQuery,
    visible: Option<VisibleCustomers<'a, S>>,
    skip: usize,
    page: OrderPage,
    /// Whether all orders that are found are listed: those before the page need not be read.
    is_certain: bool,
}

impl<S: Storage> PageReader<'_, S> {
    /// How many orders to read: those that the page lacks, and one that says whether another page follows.
    fn missing(&self) -> usize {
        let most = self.query.limit.saturating_add(1);
        most.saturating_sub(self.page.orders.len())
    }

    /// Leaves out what is found before the page.
    fn skip(&mut self, found: &mut VecDeque<FoundOrder>) {
        if self.is_certain {
            let skipped = self.skip.min(found.len());
            found.drain(..skipped);
            self.skip = self.skip.saturating_sub(skipped);
        }
    }

    /// Adds orders to the page. Returns whether it is complete.
    async fn add(&mut self, mut orders: Vec<ListedOrder>) -> StoreResult<bool> {
        if let Some(visible) = &mut self.visible {
            orders = visible.among(orders, |order| Some(&order.customer)).await?;
        }
        for order in orders {
            if self.skip > 0 {
                self.skip = self.skip.saturating_sub(1);
            } else if self.page.orders.len() < self.query.limit {
                self.page.orders.push(order);
            } else {
                let last = self.page.orders.last();
                self.page.next = last.and_then(|last| keys::document_number(&last.number));
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl<S: Storage> Erp<S> {
    // rule: D-DOC-30
    /// A page of orders, newest first. When too many orders would have to be read for a whole page, it is a short one.
    /// `visible` leaves out the orders of hidden customers.
    ///
    /// # Errors
    /// [`Error::TooBroad`] when too many orders would have to be read to find one.
    pub(crate) async fn list_orders(
        &self,
        query: &OrderQuery,
        visible: Option<VisibleCustomers<'_, S>>,
    ) -> Result<OrderPage, Error> {
        let wanted = self.wanted(query).await?;
        self.page_of_orders(query, &wanted, visible).await
    }

    async fn wanted<'a>(&self, query: &'a OrderQuery) -> Result<Wanted<'a>, Error> {
        let zone = match (query.from, query.to) {
            (None, None) => TimeZone::UTC,
            _ => self.time_zone(&self.company().await?.time_zone),
        };
        let mut wanted = Wanted::of(query, &zone);
        if let Some(search) = wanted.search.as_mut().filter(|search| search.is_name()) {
            let named = self.customers_named(&search.text).await?;
            search.customers.extend(named);
        }
        Ok(wanted)
    }

    async fn page_of_orders(
        &self,
        query: &OrderQuery,
        wanted: &Wanted<'_>,
        visible: Option<VisibleCustomers<'_, S>>,
    ) -> Result<OrderPage, Error> {
        let mut source = self.source(query, wanted).await?;
        let mut work = Work::new(self.settings.scan_entries);
        let mut reader = PageReader {
            query,
            skip: query.offset,
            page: OrderPage::default(),
            is_certain: wanted.is_in_keys() && visible.is_none(),
            visible,
        };
        loop {
            let mut most = reader.skip.saturating_add(reader.missing());
            if !reader.is_certain {
                most = most.max(KEYS_PER_READ);
            }
            let mut part = self.next_part(&mut source, wanted, most).await?;
            reader.skip(&mut part.found);
            while !part.found.is_empty() {
                let mut most = ORDERS_PER_READ;
                if reader.is_certain {
                    most = most.min(reader.missing());
                }
                let some = part.found.drain(..most.min(part.found.len()));
                let orders = self.listed(some.collect(), wanted).await?;
                if reader.add(orders).await? {
                    return Ok(reader.page);
                }
            }
            if part.entries == 0 {
                return Ok(reader.page);
            }
            match work.count(part.entries).await {
                Err(Error::TooBroad { .. }) if !reader.page.orders.is_empty() => {
                    reader.page.next = part.last;
                    return Ok(reader.page);
                }
                counted => counted?,
            }
        }
    }

    // rule: D-DOC-31
    /// How many orders a query finds. `None` when they would have to be counted one by one and are too many.
    pub(crate) async fn count_listed_orders(
        &self,
        query: &OrderQuery,
    ) -> Result<Option<usize>, Error> {
        let wanted = self.wanted(query).await?;
        if query.is_by_status() {
            let mut count = 0_i64;
            for status in &wanted.statuses {
                count += self.count_of_status(*status).await?;
            }
            return Ok(usize::try_from(count).ok());
        }
        let mut source = self.source(query, &wanted).await?;
        let (mut count, mut read) = (0_usize, 0_usize);
        while read <= MOST_COUNTED {
            let part = self.next_part(&mut source, &wanted, MOST_COUNTED).await?;
            if part.entries == 0 {
                return Ok(Some(count));
            }
            read += part.entries;
            let mut found = part.found;
            while !wanted.is_in_keys() && !found.is_empty() {
                let some = found.drain(..ORDERS_PER_READ.min(found.len()));
                let numbers = some.map(|found| found.number);
                let orders = self.orders_of(numbers, &wanted).await?;
                count += orders.len();
            }
            count += found.len();
        }
        Ok(None)
    }

    /// How many orders are to invoice; of more than 1,000 this number.
    pub(crate) async fn count_to_invoice(&self) -> StoreResult<usize> {
        let listed = Scan::prefix(&keys::orders_to_invoice()).limit(MOST_COUNTED);
        Ok(self.store.scan(listed).await?.entries.len())
    }

    pub(crate) async fn count_of_status(&self, status: OrderStatus) -> StoreResult<i64> {
        let counters = self
            .store
            .get(&keys::all_counters_of_status(status))
            .await?;
        let counters = counters.into_iter().flatten();
        let counts = counters.filter_map(|entry| entry.counter());
        Ok(counts.fold(0, i64::saturating_add))
    }

    /// An order of a customer with this reference that is not canceled.
    ///
    /// # Errors
    /// [`Error::TooBroad`] when too many orders would have to be read.
    pub(crate) async fn order_with_reference(
        &self,
        customer: &CustomerNumber,
        reference: &str,
    ) -> Result<Option<OrderNumber>, Error> {
        let query = OrderQuery {
            customer: Some(customer.as_str().into()),
            reference: Some(reference.into()),
            limit: 1,
            ..OrderQuery::default()
        };
        let mut wanted = Wanted::of(&query, &TimeZone::UTC);
        wanted
            .statuses
            .retain(|status| *status != OrderStatus::Canceled);
        let page = self.page_of_orders(&query, &wanted, None).await?;
        Ok(page.orders.into_iter().next().map(|order| order.number))
    }

    /// What the list shows of orders that were found, without those that do not meet what their keys do not say.
    async fn listed(
        &self,
        found: Vec<FoundOrder>,
        wanted: &Wanted<'_>,
    ) -> StoreResult<Vec<ListedOrder>> {
        let rows = found.iter().map(|found| found.row.as_ref());
        if let Some(rows) = rows.collect::<Option<Vec<_>>>() {
            return rows
                .into_iter()
                .map(|(key, row)| decode(key, row))
                .collect();
        }
        let numbers = found.iter().map(|found| found.number);
        let orders = self.orders_of(numbers, wanted).await?;
        Ok(orders.iter().map(ListedOrder::from).collect())
    }

    /// The orders of these numbers, without those that do not meet what their keys do not say, or no longer do.
    pub(super) async fn orders_of(
        &self,
        numbers: impl Iterator<Item = u64>,
        wanted: &Wanted<'_>,
    ) -> StoreResult<Vec<Order>> {
        let orders = self.load_each(numbers.map(keys::order).collect()).await?;
        yield_now().await;
        let orders = orders.into_iter().flatten().map(|found| found.value);
        Ok(orders.filter(|order| wanted.takes_order(order)).collect())
    }
}
