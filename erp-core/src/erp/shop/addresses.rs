//! Addresses of customers: `GET` and `PATCH /www/adressen/{AdrNr}`.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::domain::address::AddressChange;
use crate::domain::master::{Customer, CustomerAddress, CustomerNumber};
use crate::erp::engine::operation::{Decided, Decision, Loaded, operate};
use crate::erp::engine::retry::OfCustomer;
use crate::erp::engine::{Error, Outcome, Shop, keys};
use crate::erp::keys::secondary::{AddressOwner, replace_customer};
use crate::storage::record::Versioned;
use crate::storage::{ChangeSet, Storage};
use crate::values::json::{AsJson, Json};

impl<S: Storage> Shop<'_, S> {
    // rule: R-END-64
    /// An address by its number, with the revision of its customer.
    ///
    /// # Errors
    /// [`Error::NotFound`] when the address does not exist or the caller may not see it.
    pub async fn address(self, number: &str) -> Result<Versioned<CustomerAddress>, Error> {
        let owner = address_number(number).map(keys::address_owner);
        let loaded = self.erp.loaded(&self.erp.with_owner(owner)).await?;
        let (customer, at) = self.owner(&loaded, number).await?;
        let address = customer.addresses().nth(at).cloned();
        Ok(Versioned {
            value: address.ok_or_else(|| Error::not_found("address", number))?,
            revision: customer.revision,
        })
    }

    /// Changes an address. Only the fields of the body change, and the result must be a valid address.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Invalid`]; [`Error::PreconditionFailed`].
    pub async fn change_address(
        self,
        number: &str,
        body: &impl AsJson,
    ) -> Result<Outcome<CustomerAddress>, Error> {
        self.change_address_with(number, body, CustomerAddress::clone)
            .await
    }

    /// Like [`Shop::change_address`], with the response that `answer` makes of the address, as in
    /// [`Shop::create_order_with`].
    pub async fn change_address_with<A: Serialize + DeserializeOwned>(
        self,
        number: &str,
        body: &impl AsJson,
        answer: impl Fn(&CustomerAddress) -> A,
    ) -> Result<Outcome<A>, Error> {
        let body = &*body.as_json();
        let owner = address_number(number).map(keys::address_owner);
        let wanted = self.erp.with_owner(owner);
        let answer = |(_, address): &OwnedAddress| answer(address);
        operate!(self, &wanted, &answer, |loaded| self
            .decide_changed_address(loaded, number, body))
    }

    async fn decide_changed_address(
        self,
        loaded: Loaded<'_, S>,
        number: &str,
        body: &Json,
    ) -> Decided<OwnedAddress> {
        let (before, at) = self.owner(&loaded, number).await?;
        let (change, mut problems) = AddressChange::read(body, self.erp.settings.reading);
        if problems.is_empty() {
            self.check_revision(before.revision)?;
        }
        let mut customer = before.value.clone();
        let own_designation =
            customer.designation == Customer::designation_of(&customer.contact.address);
        let mut checks = Vec::new();
        if let Some(address) = customer.addresses_mut().nth(at)
            && let Some(mut changed) = change.apply(&address.address, &mut problems)
        {
            checks = self
                .erp
                .check_changed(&address.address, &mut changed, &mut problems);
            address.address = changed;
        }
        let value = problems.or_else_value(customer.addresses().nth(at).cloned())?;
        if own_designation {
            customer.designation = Customer::designation_of(&customer.contact.address);
        }
        let mut changes = ChangeSet::new();
        if customer != before.value {
            replace_customer(&mut changes, &before, &customer)?;
        }
        let unchanged = changes.is_empty().then_some(before.revision);
        Ok(Decision {
            changes,
            value: (customer.number, value),
            checks,
            unchanged,
        })
    }

    /// The customer that owns an address, and the address's position in that customer.
    async fn owner(
        self,
        loaded: &Loaded<'_, S>,
        number: &str,
    ) -> Result<(Versioned<Customer>, usize), Error> {
        let unknown = || Error::not_found("address", number);
        let key = address_number(number).ok_or_else(unknown)?;
        let owner_key = keys::address_owner(key);
        let owner: Option<Versioned<AddressOwner>> = loaded.record(&owner_key)?;
        let owner = owner.ok_or_else(unknown)?.value.customer;
        self.erp.note_owner(&owner_key, &owner);
        let customer_key = keys::customer(&owner);
        let customer = if loaded.has_read(&customer_key) {
            loaded.customer(&customer_key)?.ok_or_else(unknown)?
        } else {
            self.erp.load(&customer_key).await?.ok_or_else(unknown)?
        };
        let selection = self.selection(&loaded.master.company);
        let sees = |address: &_| selection.sees_address(&customer.value, address);
        let wanted = |address: &CustomerAddress| address.number == key && sees(address);
        let at = customer.value.addresses().position(wanted);
        let at = at.ok_or_else(unknown)?;
        Ok((customer, at))
    }
}

type OwnedAddress = (CustomerNumber, CustomerAddress);

impl OfCustomer for OwnedAddress {
    fn customer(&self) -> Option<&CustomerNumber> {
        Some(&self.0)
    }
}

/// Parses an address number: decimal digits without leading zeros.
fn address_number(text: &str) -> Option<i32> {
    let number: i32 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}
