//! Secondary keys of customers, orders, offers and invoices: written in the commit of their record, so that both always agree.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::document::{Invoice, ListedOrder, Offer, Order, OrderStatus};
use crate::domain::master::{Customer, CustomerNumber};
use crate::erp::keys;
use crate::erp::keys::search_keys::search_keys;
use crate::storage::record::{Versioned, decode, encode};
use crate::storage::{ChangeSet, Entry, Key, StorageError, StoreResult};

/// The customer that owns an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressOwner {
    /// `KundNr`.
    pub customer: CustomerNumber,
}

/// An order in its customer's list, with all the list shows, so that the order itself need not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CustomerOrderEntry {
    /// `PlanStatus`.
    pub status: OrderStatus,
    /// `AuftErf`.
    pub created_at: Timestamp,
}

// rule: D-NUM-01
/// Updates the secondary keys of a customer: the owner of each address, and the search terms; and notes its change. The number of a removed
/// address keeps its owner, so that no other address gets it; `owned` are such numbers of addresses that return.
pub(crate) fn index_customer(
    changes: &mut ChangeSet,
    before: Option<&Customer>,
    after: &Customer,
    owned: &BTreeSet<i32>,
) -> StoreResult<()> {
    let numbers = |customer: &Customer| {
        customer
            .addresses()
            .map(|address| address.number)
            .collect::<BTreeSet<_>>()
    };
    let old = before.map(numbers).unwrap_or_default();
    let new = numbers(after);
    for number in new
        .difference(&old)
        .filter(|number| !owned.contains(number))
    {
        let owner = AddressOwner {
            customer: after.number.clone(),
        };
        // An import may have used a number that was drawn in the meantime.
        changes.insert(keys::address_owner(*number), encode(&owner)?);
    }
    let old = before.map(search_keys).unwrap_or_default();
    let new = search_keys(after);
    old.difference(&new)
        .for_each(|key| changes.delete(key.clone()));
    new.difference(&old)
        .for_each(|key| changes.mark(key.clone()));
    Ok(())
}

pub(crate) fn replace_customer(
    changes: &mut ChangeSet,
    before: &Versioned<Customer>,
    after: &Customer,
) -> StoreResult<()> {
    let key = keys::customer(&after.number);
    changes.guard(key.clone(), Some(before.revision));
    changes.put(key, encode(after)?);
    index_customer(changes, Some(&before.value), after, &BTreeSet::new())
}

/// Writes the secondary keys of a new order: in the list of its customer, by state, and by its reference.
pub(crate) fn index_order(changes: &mut ChangeSet, number: u64, order: &Order) -> StoreResult<()> {
    list_order(changes, number, order)?;
    put_row(changes, number, order)?;
    changes.add(keys::orders_of_status(order.status, number), 1);
    // If it has a reference; both never change.
    if let Some(key) = reference_key(number, order) {
        changes.mark(key);
    }
    Ok(())
}

pub(crate) fn reference_key(number: u64, order: &Order) -> Option<Key> {
    let reference = order.document.foreign_number.as_ref()?;
    Some(keys::order_of_reference(reference, &order.customer, number))
}

pub(crate) fn list_order(changes: &mut ChangeSet, number: u64, order: &Order) -> StoreResult<()> {
    let entry = CustomerOrderEntry {
        status: order.status,
        created_at: order.document.created_at,
    };
    let key = keys::order_of_customer(&order.customer, number);
    changes.put(key, encode(&entry)?);
    Ok(())
}

/// Where an order is in lists by time: its time in microseconds, then its number.
pub(crate) fn order_place(number: u64, order: &Order) -> (i64, u64) {
    (order.document.created_at.as_microsecond(), number)
}

/// Writes the entry of an order in the list of its state.
pub(crate) fn put_row(changes: &mut ChangeSet, number: u64, order: &Order) -> StoreResult<()> {
    let key = keys::order_of_status(order.status, order_place(number, order));
    changes.put(key, encode(&ListedOrder::from(order))?);
    Ok(())
}

/// Moves an order from the list of a state to that of its own, and counts it there.
pub(crate) fn move_order(
    changes: &mut ChangeSet,
    number: u64,
    order: &Order,
    from: OrderStatus,
) -> StoreResult<()> {
    changes.delete(keys::order_of_status(from, order_place(number, order)));
    changes.add(keys::orders_of_status(from, number), -1);
    changes.add(keys::orders_of_status(order.status, number), 1);
    put_row(changes, number, order)
}

/// Writes the key of an offer by its customer. A template has none until it is given to a customer, whose it stays.
pub(crate) fn index_offer(changes: &mut ChangeSet, number: u64, offer: &Offer) {
    if let Some(customer) = &offer.customer {
        changes.guard(keys::forgotten_customer(customer), None);
        changes.mark(keys::offer_of_customer(customer, number));
    }
}

pub(crate) fn offer_key(number: u64, offer: &Offer) -> Option<Key> {
    let customer = offer.customer.as_ref()?;
    Some(keys::offer_of_customer(customer, number))
}

/// The keys of an invoice: in the list of its customer, and in that of all.
pub(crate) fn invoice_keys(number: u64, invoice: &Invoice) -> [Key; 2] {
    let lists = [invoice.customer.as_str(), ""];
    lists.map(|customer| keys::listed_invoice(customer, invoice.date, number))
}

/// An entry in the list of a customer's orders, with the number of the order.
pub(crate) fn customer_order(key: &Key, entry: &Entry) -> StoreResult<(u64, CustomerOrderEntry)> {
    let mut parts = key.parts();
    let number = parts.text().and_then(|_| parts.number());
    let number = number
        .ok_or_else(|| StorageError::Damaged(format!("key {key:?} holds no order number")))?;
    Ok((number, decode(key, entry)?))
}
