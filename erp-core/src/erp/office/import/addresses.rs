//! Address numbers of customers within a batch: given by the rows, kept by position, or newly drawn.

use std::collections::{BTreeMap, BTreeSet};

use super::batch::{Batch, set};
use super::row::{ImportRow, RowError};
use crate::domain::master::{Customer, CustomerAddress, CustomerNumber, ForgottenCustomer};
use crate::erp::engine::numbers::short;
use crate::erp::engine::{Erp, Error, keys};
use crate::erp::keys::secondary::AddressOwner;
use crate::import::Row;
use crate::storage::{Sequence, Storage, StoreResult};
use crate::values::limits::KEYS_PER_GET;
use crate::values::problem::{Code, Problem};

impl<S: Storage> Erp<S> {
    /// The address numbers that only rows give, and errors for those that are not allowed. Those that the same customer has
    /// in the store are noted.
    pub(super) async fn claimed_addresses(
        &self,
        batch: &mut Batch,
        rows: &[ImportRow],
    ) -> StoreResult<(BTreeMap<i32, CustomerNumber>, Vec<RowError>)> {
        let (claims, mut errors) = claims(batch, rows);
        let claimed: Vec<_> = claims.iter().collect();
        for claimed in claimed.chunks(KEYS_PER_GET) {
            let keys = claimed
                .iter()
                .map(|(number, _)| keys::address_owner(**number));
            let owners = self.load_each::<AddressOwner>(keys.collect()).await?;
            for ((number, customer), owner) in claimed.iter().zip(owners) {
                let Some(owner) = owner else { continue };
                if owner.customer == **customer {
                    batch.owned_addresses.insert(**number);
                } else {
                    errors.push(taken(rows, customer, **number, &owner.customer));
                }
            }
        }
        Ok((claims, errors))
    }

    /// Assigns new numbers to addresses without one. A row may name the number of an address, so that shops keep it,
    /// unless another address has it.
    pub(super) async fn number_addresses(
        &self,
        batch: &mut Batch,
        claims: &BTreeMap<i32, CustomerNumber>,
    ) -> Result<(), Error> {
        let named = claims.keys().map(|number| u64::from(number.unsigned_abs()));
        let wanted = vec![Sequence::Address; unnumbered(batch).count()];
        let drawn = self.draw(&wanted, Some(&named.collect())).await?;
        for (address, number) in unnumbered(batch).zip(drawn) {
            address.number = short(number);
        }
        Ok(())
    }
}

/// The addresses that need a new number.
fn unnumbered(batch: &mut Batch) -> impl Iterator<Item = &mut CustomerAddress> {
    let customers = batch.customers.values_mut();
    customers
        .filter_map(|working| working.now.as_mut())
        .flat_map(Customer::addresses_mut)
        .filter(|address| address.number == 0)
}

/// Numbers that come only from rows, and errors for numbers that are used twice.
fn claims(batch: &Batch, rows: &[ImportRow]) -> (BTreeMap<i32, CustomerNumber>, Vec<RowError>) {
    let mut claims: BTreeMap<i32, CustomerNumber> = BTreeMap::new();
    let mut errors = Vec::new();
    for (customer, working) in &batch.customers {
        let before = working.before.as_ref().map(|before| &before.value);
        let had: BTreeSet<i32> = before
            .into_iter()
            .flat_map(|before| before.addresses().map(|address| address.number))
            .collect();
        let mut seen = BTreeSet::new();
        for address in working.now.iter().flat_map(Customer::addresses) {
            let number = address.number;
            if number == 0 {
                continue;
            }
            let other = (!seen.insert(number)).then_some(customer);
            let other = other.or_else(|| claims.get(&number).filter(|other| *other != customer));
            if let Some(other) = other.cloned() {
                errors.push(taken(rows, customer, number, &other));
            } else if !had.contains(&number) {
                claims.insert(number, customer.clone());
            }
        }
    }
    (claims, errors)
}

fn taken(
    rows: &[ImportRow],
    customer: &CustomerNumber,
    number: i32,
    owner: &CustomerNumber,
) -> RowError {
    let about =
        |row: &&ImportRow| matches!(&row.row, Row::Customer(known) if known.number == *customer);
    let message = sentence!("contradiction.address", number, owner);
    let line = rows.iter().rfind(about).map_or(0, |row| row.line);
    RowError::new(line, "AdrNr", Code::Contradiction, message)
}

impl Batch {
    /// Stores a customer. Addresses without a number keep the number of the existing address at the same position.
    pub(super) fn put_customer(&mut self, customer: &Customer) -> Result<(), Problem> {
        let number = &customer.number;
        let forgotten = self.forgotten.get(number);
        if forgotten.is_some_and(|forgotten| forgotten.now.is_some()) {
            let message = sentence!("contradiction.forgotten", number);
            return Err(Problem::new("KundNr", Code::Contradiction, message));
        }
        if let Some(working) = self.customers.get_mut(number) {
            let mut customer = customer.clone();
            if let Some(before) = &working.now {
                keep_numbers(&mut customer, before);
            }
            working.now = Some(customer);
        }
        Ok(())
    }

    // rule: D-IMP-10
    /// Keeps the number of a customer that was forgotten in another store. One that is here is not forgotten by a row.
    pub(super) fn put_forgotten(&mut self, customer: &ForgottenCustomer) -> Result<(), Problem> {
        let number = &customer.number;
        let known = self.customers.get(number);
        if known.is_some_and(|known| known.now.is_some()) {
            let message = sentence!("contradiction.not_forgotten", number);
            return Err(Problem::new("Vergessen", Code::Contradiction, message));
        }
        set(&mut self.forgotten, number, customer.clone());
        Ok(())
    }
}

fn keep_numbers(customer: &mut Customer, before: &Customer) {
    let named: BTreeSet<i32> = customer.addresses().map(|address| address.number).collect();
    let keep = |address: &mut CustomerAddress, before: Option<&CustomerAddress>| {
        let before = before.map_or(0, |before| before.number);
        if address.number == 0 && !named.contains(&before) {
            address.number = before;
        }
    };
    keep(&mut customer.contact, Some(&before.contact));
    for (at, address) in customer.delivery.iter_mut().enumerate() {
        keep(address, before.delivery.get(at));
    }
    for (at, address) in customer.billing.iter_mut().enumerate() {
        keep(address, before.billing.get(at));
    }
}
