//! Addresses of customers: `GET` and `PATCH /www/adressen/{AdrNr}`, `GET /www/adressen?debinr=`.

use std::collections::BTreeSet;

use crate::domain::address::AddressChange;
use crate::domain::master::{Customer, CustomerAddress};
use crate::erp::engine::operation::{Decision, Loaded, operate};
use crate::erp::engine::secondary::AddressOwner;
use crate::erp::engine::secondary::index_customer;
use crate::erp::engine::selection::Selection;
use crate::erp::engine::{Context, Erp, Error, Outcome, keys};
use crate::storage::record::{Versioned, encode};
use crate::storage::{ChangeSet, Storage};
use crate::values::json::{AsJson, Json};
use crate::wire;
use crate::wire::Links;

impl<S: Storage> Erp<S> {
    // rule: R-END-64
    /// An address by its number, with the revision of its customer record.
    ///
    /// # Errors
    /// [`Error::NotFound`] when the address does not exist or the caller may not see it.
    pub async fn address(
        &self,
        context: &Context<'_>,
        number: &str,
    ) -> Result<Versioned<wire::AddressRecord>, Error> {
        let owner = address_number(number).map(keys::address_owner);
        let loaded = self.loaded(&self.with_owner(owner)).await?;
        let (customer, at) = self.owner(&loaded, context, number).await?;
        let address = customer
            .record
            .addresses()
            .nth(at)
            .ok_or_else(|| Error::not_found("address", number))?;
        let record = shown(address, Links::new(context.base_url));
        Ok(Versioned {
            record: wire::AddressRecord {
                address_number: None,
                links: None,
                ..record
            },
            revision: customer.revision,
        })
    }

    // rule: R-END-66
    /// The addresses of a customer by kind.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such customer, or the caller may not see it.
    pub async fn addresses(
        &self,
        context: &Context<'_>,
        customer: &str,
    ) -> Result<wire::AddressesOfCustomer, Error> {
        let (_, found) = self.begin_customer(context, customer).await?;
        let found = found.ok_or_else(|| Error::not_found("customer", customer))?;
        let customer = found.record;
        let links = Links::new(context.base_url);
        let show = |list: &[CustomerAddress]| {
            Some(list.iter().map(|address| shown(address, links)).collect())
        };
        let contact = std::slice::from_ref(&customer.contact);
        Ok(wire::AddressesOfCustomer {
            contact: show(contact),
            delivery: show(if customer.delivery.is_empty() {
                contact
            } else {
                &customer.delivery
            }),
            billing: show(if customer.billing.is_empty() {
                contact
            } else {
                &customer.billing
            }),
        })
    }

    /// Changes an address. Only the fields that were sent change, and the result must be a valid address.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Invalid`]; [`Error::PreconditionFailed`].
    pub async fn change_address(
        &self,
        context: &Context<'_>,
        number: &str,
        body: &impl AsJson,
    ) -> Result<Outcome<()>, Error> {
        let body = &*body.as_json();
        let wanted = self.with_owner(address_number(number).map(keys::address_owner));
        operate!(self, context, &wanted, |loaded| self
            .decide_changed_address(loaded, context, number, body))
    }

    /// Decides what a change of an address writes.
    async fn decide_changed_address(
        &self,
        loaded: Loaded<'_, S>,
        context: &Context<'_>,
        number: &str,
        body: &Json,
    ) -> Result<Decision<()>, Error> {
        let (before, at) = self.owner(&loaded, context, number).await?;
        let (change, mut problems) = AddressChange::read(body, self.settings.reading);
        if problems.is_empty() {
            context.check_revision(before.revision)?;
        }
        let mut customer = before.record.clone();
        let own_designation =
            customer.designation == Customer::designation_of(&customer.contact.address);
        let mut checks = Vec::new();
        if let Some(address) = customer.addresses_mut().nth(at)
            && let Some(mut changed) = change.apply(&address.address, &mut problems)
        {
            checks = self.check_changed(&address.address, &mut changed, &mut problems);
            address.address = changed;
        }
        problems.or_else_value(Some(()))?;
        if own_designation {
            customer.designation = Customer::designation_of(&customer.contact.address);
        }
        let mut changes = ChangeSet::new();
        if customer != before.record {
            changes.guard(keys::customer(&customer.number), Some(before.revision));
            changes.put(keys::customer(&customer.number), encode(&customer)?);
            index_customer(
                &mut changes,
                Some(&before.record),
                &customer,
                &BTreeSet::new(),
            )?;
        }
        let unchanged = changes.is_empty().then_some(before.revision);
        Ok(Decision {
            changes,
            answer: (),
            checks,
            unchanged,
        })
    }

    /// The customer that owns an address, and the address's position in that customer.
    async fn owner(
        &self,
        loaded: &Loaded<'_, S>,
        context: &Context<'_>,
        number: &str,
    ) -> Result<(Versioned<Customer>, usize), Error> {
        let unknown = || Error::not_found("address", number);
        let key = address_number(number).ok_or_else(unknown)?;
        let owner_key = keys::address_owner(key);
        let owner: Option<Versioned<AddressOwner>> = loaded.record(&owner_key)?;
        let owner = owner.ok_or_else(unknown)?.record.customer;
        self.note_owner(&owner_key, &owner);
        let customer_key = keys::customer(&owner);
        let customer = match loaded.has_read(&customer_key) {
            true => loaded.customer(&customer_key)?.ok_or_else(unknown)?,
            false => self.stored_customer(&owner).await?,
        };
        let at = customer
            .record
            .addresses()
            .position(|address| address.number == key);
        let selection = Selection::of(context, &loaded.master.company);
        let seen = |at: &usize| {
            customer
                .record
                .addresses()
                .nth(*at)
                .is_some_and(|address| selection.sees(address))
        };
        let at = at.filter(seen).ok_or_else(unknown)?;
        Ok((customer, at))
    }
}

/// Parses an address number: decimal digits without leading zeros.
fn address_number(text: &str) -> Option<i32> {
    let number: i32 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

// rule: R-END-68
fn shown(address: &CustomerAddress, links: Links<'_>) -> wire::AddressRecord {
    let number = address.number.to_string();
    let link = |method| links.to(method, "adressen", "adressen", &number);
    wire::AddressRecord {
        address_number: Some(address.number),
        links: Some(vec![link("GET"), link("PATCH")]),
        ..wire::AddressRecord::from(&address.address)
    }
}
