//! The content of a store, read without the server.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use erp_core::Erp;
use erp_core::document::{Invoice, Offer, OfferStatus, Order};
use erp_core::erp::{Event, EventId, EventKind, Method, Settings};
use erp_core::internal::LogQuery;
use erp_core::internal::record::{Stored, decode};
use erp_core::jiff::Timestamp;
use erp_core::master::Customer;
use erp_core::storage::{Key, Scan, Storage};
use erp_server::store::{SledStore, StoreOptions};

use super::acknowledged::{Acknowledged, Unconfirmed};

/// Orders, offers, the customers the clients created, and every event.
#[derive(Debug)]
pub struct Ledger {
    orders: BTreeMap<String, Order>,
    offers: BTreeMap<String, Offer>,
    customers: BTreeSet<String>,
    /// The order of each invoice.
    invoices: BTreeMap<u64, String>,
    events: Vec<Event>,
    /// The order of each reference.
    references: BTreeMap<String, String>,
}

async fn all<T: Stored>(store: &impl Storage) -> Vec<T> {
    let mut found = Vec::new();
    let mut next = Some(Scan::prefix(&Key::of(T::SPACE)));
    while let Some(scan) = next {
        let page = store.scan(scan).await.unwrap();
        let records = page.entries.iter();
        found.extend(records.map(|(key, entry)| decode::<T>(key, entry).unwrap()));
        next = page.next;
    }
    found
}

/// Events in the outbox and events that were handed over for delivery. An event may be on its way between the two.
async fn events<S: Storage>(erp: &Erp<S>) -> Vec<Event> {
    let mut events: BTreeMap<EventId, Event> = BTreeMap::new();
    let mut after = None;
    loop {
        let page = erp
            .upkeep(Timestamp::now())
            .events()
            .outbox(after, 500)
            .await
            .unwrap();
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        events.extend(page.into_iter().map(|entry| (entry.id, entry.event)));
    }
    let query = LogQuery {
        limit: usize::MAX,
        ..LogQuery::default()
    };
    let log = erp
        .upkeep(Timestamp::now())
        .events()
        .logged(&query)
        .await
        .unwrap();
    events.extend(log.into_iter().map(|entry| (entry.id, entry.event)));
    events.into_values().collect()
}

impl Ledger {
    /// Reads the embedded store of a stopped server.
    pub async fn read(data: &Path) -> Self {
        let store = SledStore::open(data, StoreOptions::default()).unwrap();
        let ledger = Self::of(store.clone()).await;
        store.close().unwrap();
        ledger
    }

    /// Reads a store while no one writes to it.
    pub async fn of(store: impl Storage) -> Self {
        let erp = Erp::new(store, Settings::default());
        let orders: Vec<Order> = all(erp.store()).await;
        let offers: Vec<Offer> = all(erp.store()).await;
        let customers: Vec<Customer> = all(erp.store()).await;
        let invoices: Vec<Invoice> = all(erp.store()).await;
        let invoices = invoices.into_iter().map(|invoice| {
            let number = invoice.number.parse().unwrap();
            (number, invoice.order.to_string())
        });
        let created = customers.into_iter().filter(|customer| {
            let comment = customer.details.comment.as_deref();
            comment.is_some_and(|comment| comment.starts_with("Kundin "))
        });
        let events = events(&erp).await;
        let reference = |order: &Order| {
            let reference = order.document.foreign_number.as_deref();
            (reference.unwrap().to_owned(), order.number.to_string())
        };
        Self {
            references: orders.iter().map(reference).collect(),
            orders: by_number(orders, |order| order.number.to_string()),
            offers: by_number(offers, |offer| offer.number.to_string()),
            customers: created
                .map(|customer| customer.number.to_string())
                .collect(),
            invoices: invoices.collect(),
            events,
        }
    }

    /// The order with this reference.
    #[must_use]
    pub fn order_of(&self, reference: &str) -> Option<&str> {
        self.references.get(reference).map(String::as_str)
    }

    /// Checks that the content is consistent: one order for each reference and offer, one event for each order and customer,
    /// and numbers of invoices without gaps, each named by its order.
    pub fn fits_together(&self) {
        assert_eq!(
            self.references.len(),
            self.orders.len(),
            "two orders of one request or offer"
        );
        let mut made = BTreeSet::new();
        for (number, offer) in &self.offers {
            let reference = offer.document.foreign_number.as_deref().unwrap();
            let order = match &offer.status {
                OfferStatus::Ordered(order) => Some(order.as_str()),
                OfferStatus::Offered => None,
            };
            assert_eq!(order, self.order_of(reference), "offer {number}");
            if let Some(order) = order {
                let customer = Some(&self.orders[order].customer);
                assert_eq!(offer.customer.as_ref(), customer, "offer {number}");
                made.insert(order);
            }
        }
        let numbers = 1..=self.invoices.len() as u64;
        assert!(
            self.invoices.keys().copied().eq(numbers),
            "a gap: {:?}",
            self.invoices
        );
        let named = self.orders.values().filter_map(|order| {
            let number = order.invoice.as_ref()?.parse().unwrap();
            Some((number, order.number.to_string()))
        });
        assert_eq!(named.collect::<BTreeMap<_, _>>(), self.invoices);
        let method = |order: &str| match made.contains(order) {
            true => Method::Put,
            false => Method::Post,
        };
        let orders = self.orders.keys();
        self.tells_once(
            EventKind::Order,
            orders.map(|order| (order.clone(), method(order))),
        );
        let customers = self.customers.iter();
        self.tells_once(
            EventKind::Customer,
            customers.map(|customer| (customer.clone(), Method::Post)),
        );
    }

    fn tells_once(&self, kind: EventKind, expected: impl Iterator<Item = (String, Method)>) {
        let events = self.events.iter().filter(|event| event.kind == kind);
        let reported = events.map(|event| (event.number.clone(), event.method.as_str()));
        let mut reported: Vec<_> = reported.collect();
        reported.sort_unstable();
        let expected = expected.map(|(number, method)| (number, method.as_str()));
        let mut expected: Vec<_> = expected.collect();
        expected.sort_unstable();
        assert_eq!(reported, expected, "events {}", kind.as_str());
    }

    /// Checks that the store has everything that was acknowledged, and nothing that no client sent.
    pub fn has(&self, all: &Acknowledged) {
        for (number, _) in &all.customers {
            assert!(self.customers.contains(number), "customer {number} is lost");
        }
        let mut known: BTreeSet<&str> = BTreeSet::new();
        let mut known_offers: BTreeSet<&str> = BTreeSet::new();
        known.extend(all.orders.iter().map(|(number, _)| number.as_str()));
        known.extend(all.conversions.iter().map(|made| made.order.as_str()));
        known_offers.extend(all.offers.iter().map(|offered| offered.number.as_str()));
        for order in &known {
            assert!(self.orders.contains_key(*order), "order {order} is lost");
        }
        for offer in &known_offers {
            assert!(self.offers.contains_key(*offer), "offer {offer} is lost");
        }
        for (order, number) in &all.invoices {
            let stored = self.orders[order].invoice.as_deref();
            assert_eq!(stored, Some(number.as_str()), "invoice {number} is lost");
        }
        self.refusals_were_right(all);
        for unconfirmed in &all.unconfirmed {
            match unconfirmed {
                Unconfirmed::Order { reference, .. } => known.extend(self.order_of(reference)),
                Unconfirmed::Conversion { offer } => {
                    let reference = self.offers[offer].document.foreign_number.as_deref();
                    known.extend(self.order_of(reference.unwrap()));
                }
                Unconfirmed::Offer { reference } => {
                    let mut offers = self.offers.iter();
                    let stored = offers.find(|(_, offer)| {
                        offer.document.foreign_number.as_deref() == Some(reference)
                    });
                    known_offers.extend(stored.map(|(number, _)| number.as_str()));
                }
            }
        }
        let orders: BTreeSet<&str> = self.orders.keys().map(String::as_str).collect();
        let offers: BTreeSet<&str> = self.offers.keys().map(String::as_str).collect();
        assert_eq!(orders, known, "orders without a request");
        assert_eq!(offers, known_offers, "offers without a request");
    }

    /// Checks that a conversion was refused only for a customer other than the offer's.
    fn refusals_were_right(&self, all: &Acknowledged) {
        for (offer, customer) in &all.refused {
            let owner = self.offers[offer].customer.as_deref();
            assert_ne!(owner, Some(customer.as_str()), "offer {offer} was refused");
        }
        for offered in &all.offers {
            let Some(first) = offered.customer() else {
                continue;
            };
            let owner = self.offers[&offered.number].customer.as_deref();
            assert_eq!(owner, Some(first.as_str()), "offer {}", offered.number);
        }
    }
}

fn by_number<T>(records: Vec<T>, number: impl Fn(&T) -> String) -> BTreeMap<String, T> {
    let count = records.len();
    let records = records.into_iter().map(|record| (number(&record), record));
    let records: BTreeMap<String, T> = records.collect();
    assert_eq!(records.len(), count, "a number was assigned twice");
    records
}
