//! Secondary keys of customers and orders: written in the commit of their record, so that both always agree.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::search_keys::search_keys;
use super::{Error, keys};
use crate::domain::document::{Order, OrderStatus};
use crate::domain::master::{Customer, CustomerNumber};
use crate::storage::record::{decode, encode, mark};
use crate::storage::{ChangeSet, Entry, Key, Space, StorageError};

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
/// Updates the secondary keys of a customer: the owner of each address, and the search terms. The number of a removed
/// address keeps its owner, so that no other address gets it; `owned` are such numbers of addresses that return.
pub(crate) fn index_customer(
    changes: &mut ChangeSet,
    before: Option<&Customer>,
    after: &Customer,
    owned: &BTreeSet<i32>,
) -> Result<(), StorageError> {
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
        .for_each(|key| changes.put(key.clone(), mark(Space::AddressTerm)));
    Ok(())
}

/// Writes an order's entry in the list of its customer.
pub(crate) fn list_order(changes: &mut ChangeSet, number: u64, order: &Order) -> Result<(), Error> {
    let entry = CustomerOrderEntry {
        status: order.status,
        created_at: order.document.created_at,
    };
    let key = keys::order_of_customer(&order.customer, number);
    changes.put(key, encode(&entry)?);
    Ok(())
}

/// An entry in the list of a customer's orders, with the number of the order.
pub(crate) fn customer_order(
    key: &Key,
    entry: &Entry,
) -> Result<(u64, CustomerOrderEntry), StorageError> {
    let mut parts = key.parts();
    let number = parts.text().and_then(|_| parts.number());
    let number = number
        .ok_or_else(|| StorageError::Damaged(format!("key {key:?} holds no order number")))?;
    Ok((number, decode(key, entry)?))
}
