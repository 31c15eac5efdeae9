//! Visibility of customers and addresses.
//!
//! Where the company has the attribute `RESTWEBSHOP`, a caller sees only addresses that carry the caller's value. A
//! customer is visible when its contact address is; an order or offer is visible when its customer is. Only this
//! module decides visibility: operations load records with the functions below, and a hidden record looks exactly
//! like a missing one.

use super::catalogue::MasterData;
use super::{Context, Erp, Error, keys};
use crate::document::{Offer, Order};
use crate::master::{Attributes, Caller, Company, Customer, CustomerAddress, Role};
use crate::problem::{Code, Path, Problems};
use crate::record::{Stored, Versioned, decode};
use crate::storage::{Entry, Key, Storage, StorageError};

/// The visibility rule for one caller.
#[derive(Clone, Copy, Debug)]
pub(super) struct Selection<'a> {
    /// The caller whose value applies; `None` hides nothing.
    caller: Option<&'a Caller>,
}

impl<'a> Selection<'a> {
    pub(super) fn of(context: &Context<'a>, company: &Company) -> Self {
        let selects = company.attributes.get(Attributes::SELECTION).is_some();
        let caller = context.caller;
        let sees_all = caller.role == Role::Admin && caller.shop.is_none();
        Self {
            caller: (selects && !sees_all).then_some(caller),
        }
    }

    /// Whether the caller may see an address.
    pub(super) fn sees(self, address: &CustomerAddress) -> bool {
        self.caller
            .is_none_or(|caller| caller.sees(&address.attributes))
    }

    /// The customer without the delivery and billing addresses that are hidden from the caller; `None` when the
    /// customer itself is hidden. If no address of a kind is left, the contact address replaces it, as for any
    /// customer without one.
    pub(super) fn customer(self, mut customer: Customer) -> Option<Customer> {
        if !self.sees(&customer.contact) {
            return None;
        }
        customer.delivery.retain(|address| self.sees(address));
        customer.billing.retain(|address| self.sees(address));
        Some(customer)
    }
}

impl<S: Storage> Erp<S> {
    /// The visible part of a customer, read together with the master data.
    pub(super) async fn begin_customer(
        &self,
        context: &Context<'_>,
        number: &str,
    ) -> Result<(MasterData<'_, S>, Option<Versioned<Customer>>), StorageError> {
        let (master, found) = self.begin_record(keys::customer(number)).await?;
        let found = found.and_then(|found: Versioned<Customer>| {
            Some(Versioned {
                record: Selection::of(context, &master.company).customer(found.record)?,
                revision: found.revision,
            })
        });
        Ok((master, found))
    }

    /// The visible part of the customer in a body.
    pub(super) async fn known_customer(
        &self,
        master: &MasterData<'_, S>,
        context: &Context<'_>,
        number: &str,
    ) -> Result<Customer, Error> {
        let found = self.visible_customer(master, context, number).await?;
        found.ok_or_else(|| {
            let mut problems = Problems::new();
            let header = Path::ROOT.member("GrundDaten");
            let message = format!("there is no customer `{number}`");
            problems.add(&header.member("KundNr"), Code::UnknownCustomer, message);
            problems.into()
        })
    }

    async fn visible_customer(
        &self,
        master: &MasterData<'_, S>,
        context: &Context<'_>,
        number: &str,
    ) -> Result<Option<Customer>, StorageError> {
        let found = self.load::<Customer>(&keys::customer(number)).await?;
        Ok(found.and_then(|found| Selection::of(context, &master.company).customer(found.record)))
    }

    /// An order, unless its customer is hidden.
    pub(super) async fn visible_order(
        &self,
        context: &Context<'_>,
        number: &str,
    ) -> Result<Versioned<Order>, Error> {
        let unknown = || Error::not_found("order", number);
        let key = keys::order(keys::document_number(number).ok_or_else(unknown)?);
        let (master, found) = self.begin_record::<Order>(key).await?;
        let found = found.ok_or_else(unknown)?;
        // Without a selection, the customer need not be read.
        if Selection::of(context, &master.company).caller.is_some() {
            let customer = &found.record.customer;
            let customer = self.visible_customer(&master, context, customer).await?;
            customer.ok_or_else(unknown)?;
        }
        Ok(found)
    }

    /// An offer with the visible part of its customer, unless the customer is hidden. A template has no customer and
    /// is visible to every caller.
    pub(super) async fn visible_offer(
        &self,
        context: &Context<'_>,
        number: &str,
    ) -> Result<(MasterData<'_, S>, Versioned<Offer>, Option<Customer>), Error> {
        let unknown = || Error::not_found("offer", number);
        let key = keys::offer(keys::document_number(number).ok_or_else(unknown)?);
        let (master, found) = self.begin_record::<Offer>(key).await?;
        let found = found.ok_or_else(unknown)?;
        let customer = match &found.record.customer {
            None => None,
            Some(customer) => {
                let customer = self.visible_customer(&master, context, customer).await?;
                Some(customer.ok_or_else(unknown)?)
            }
        };
        Ok((master, found, customer))
    }

    /// One record, read together with the master data.
    pub(super) async fn begin_record<T: Stored>(
        &self,
        key: Key,
    ) -> Result<(MasterData<'_, S>, Option<Versioned<T>>), StorageError> {
        let (master, entries) = self.begin(std::slice::from_ref(&key)).await?;
        let entry: Option<Entry> = entries.into_iter().flatten().next();
        let found = entry.map(|entry| {
            Ok::<_, StorageError>(Versioned {
                record: decode(&key, &entry)?,
                revision: entry.revision,
            })
        });
        Ok((master, found.transpose()?))
    }
}
