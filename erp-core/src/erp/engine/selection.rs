//! Visibility of customers and addresses.
//!
//! Where the company has the attribute `RESTWEBSHOP`, a caller sees only addresses that carry the caller's value. A
//! customer is visible when its contact address is; an order or offer is visible when its customer is. A caller who
//! acts for one customer sees nothing of any other. Only this module decides visibility: operations load records with
//! the functions below, and a hidden record looks exactly like a missing one.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::operation::Loaded;
use super::{Erp, Error, Shop, keys};
use crate::domain::document::{Offer, Order};
use crate::domain::master::{
    Attributes, Caller, Company, Customer, CustomerAddress, CustomerNumber, ForgottenCustomer,
};
use crate::domain::request::or_of_customer;
use crate::storage::record::Versioned;
use crate::storage::{Key, Storage, StoreResult};
use crate::values::codes::Currency;
use crate::values::json::Json;
use crate::values::problem::{Code, Problems};

// rule: D-SEL-07
/// The visibility rule for one caller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selection<'a> {
    /// The caller whose value applies; `None` hides no address.
    caller: Option<&'a Caller>,
    /// The only customer that is visible; `None` hides none.
    only: Option<&'a CustomerNumber>,
}

impl<'a> Selection<'a> {
    fn of(caller: &'a Caller, company: &Company) -> Self {
        let selects = company.attributes.get(Attributes::SELECTION).is_some();
        Self {
            caller: (selects && !caller.sees_all()).then_some(caller),
            only: caller.customer.as_ref(),
        }
    }

    const fn hides(self) -> bool {
        self.caller.is_some() || self.only.is_some()
    }

    fn may_name(self, customer: &str) -> bool {
        self.only.is_none_or(|only| only == customer)
    }

    /// Whether the caller acts for one customer, who may not set what is the shop's to set.
    pub(crate) const fn is_of_customer(self) -> bool {
        self.only.is_some()
    }

    pub(crate) fn sees_customer(self, customer: &Customer) -> bool {
        self.may_name(&customer.number) && self.sees(&customer.contact)
    }

    pub(crate) fn sees_forgotten(self, customer: &ForgottenCustomer) -> bool {
        self.may_name(&customer.number)
            && self
                .caller
                .is_none_or(|caller| caller.sees(&customer.attributes))
    }

    /// Whether the caller may see this address of a customer, which itself may be hidden by its contact address.
    pub(crate) fn sees_address(self, customer: &Customer, address: &CustomerAddress) -> bool {
        self.may_name(&customer.number) && self.sees(address)
    }

    // rule: R-END-65
    /// Whether the caller may see an address of a customer that is visible.
    pub(crate) fn sees(self, address: &CustomerAddress) -> bool {
        self.caller
            .is_none_or(|caller| caller.sees(&address.attributes))
    }

    /// The customer without the delivery and billing addresses that are hidden from the caller; `None` when the
    /// customer itself is hidden. If no address of a kind is left, the contact address replaces it, as for any
    /// customer without one. A customer does not see the shop's comment on it.
    pub(crate) fn customer(self, mut customer: Customer) -> Option<Customer> {
        if !self.sees_customer(&customer) {
            return None;
        }
        if self.is_of_customer() {
            customer.details.comment = None;
        }
        customer.delivery.retain(|address| self.sees(address));
        customer.billing.retain(|address| self.sees(address));
        Some(customer)
    }
}

impl<'a, S: Storage> Shop<'a, S> {
    /// What the caller sees of this company's customers.
    pub(crate) fn selection(self, company: &Company) -> Selection<'a> {
        Selection::of(self.caller, company)
    }

    /// The customer that a request names; when it names none, the one that the caller acts for.
    pub fn named_or_own<'b>(self, named: Option<&'b str>) -> Option<&'b str>
    where
        'a: 'b,
    {
        named.or(self.caller.customer.as_deref())
    }

    pub(crate) fn own_currency(self, customer: Option<&Customer>) -> Option<Currency> {
        let own = customer.filter(|_| self.caller.customer.is_some());
        own.map(|own| own.details.currency)
    }

    /// The request, with the customer that the caller acts for where its body names none.
    pub(crate) fn own(self, request: Cow<'_, Json>) -> Cow<'_, Json> {
        match &self.caller.customer {
            Some(own) => or_of_customer(request, own),
            None => request,
        }
    }

    /// The visible part of a customer, read together with the master data and with other keys.
    pub(crate) async fn load_customer_and(
        self,
        number: &str,
        also: &[Key],
    ) -> StoreResult<(Loaded<'a, S>, Option<Versioned<Customer>>)> {
        let key = keys::customer(number);
        let wanted = [std::slice::from_ref(&key), also].concat();
        let loaded = self.erp.loaded(&wanted).await?;
        let selection = self.selection(&loaded.master.company);
        let found = loaded.customer(&key)?;
        let found = found.and_then(|Versioned { value, revision }| {
            let value = selection.customer(value)?;
            Some(Versioned { value, revision })
        });
        Ok((loaded, found))
    }

    // rule: R-END-06, R-END-07
    /// The visible part of the customer in a body, read with the operation's first call if its number was known then.
    pub(crate) async fn known_customer(
        self,
        loaded: &Loaded<'_, S>,
        number: Option<&str>,
        problems: &mut Problems,
    ) -> StoreResult<Option<Customer>> {
        let Some(number) = self.named_or_own(number) else {
            return Ok(None);
        };
        let found = self.visible_customer(loaded, number).await?;
        if found.is_none() {
            let mut unknown = Problems::new();
            let message = sentence!("unknown_customer", number);
            unknown.add("GrundDaten.KundNr", Code::UnknownCustomer, message);
            problems.merge(unknown);
        }
        Ok(found)
    }

    pub(crate) async fn visible_customer(
        self,
        loaded: &Loaded<'_, S>,
        number: &str,
    ) -> StoreResult<Option<Customer>> {
        let key = keys::customer(number);
        let found: Option<Versioned<Customer>> = if loaded.has_read(&key) {
            loaded.customer(&key)?
        } else {
            self.erp.load(&key).await?
        };
        let selection = self.selection(&loaded.master.company);
        Ok(found.and_then(|found| selection.customer(found.value)))
    }

    // rule: D-SEL-09
    /// The numbers of a visible customer's addresses that are hidden from the caller.
    pub(crate) async fn hidden_addresses(
        self,
        loaded: &Loaded<'_, S>,
        visible: &Customer,
    ) -> Result<BTreeSet<i32>, Error> {
        let selection = self.selection(&loaded.master.company);
        if selection.caller.is_none() {
            return Ok(BTreeSet::new());
        }
        let stored = self.erp.stored_customer(&visible.number).await?.value;
        let hidden = stored
            .addresses()
            .filter(|address| !selection.sees(address));
        Ok(hidden.map(|address| address.number).collect())
    }

    // rule: D-SEL-08
    /// An order, unless its customer is hidden.
    pub(crate) async fn visible_order(self, number: &str) -> Result<Versioned<Order>, Error> {
        let unknown = || Error::not_found("order", number);
        let key = keys::order(keys::document_number(number).ok_or_else(unknown)?);
        let loaded = self.erp.loaded(std::slice::from_ref(&key)).await?;
        let found: Versioned<Order> = loaded.record(&key)?.ok_or_else(unknown)?;
        // Without a selection, the customer need not be read.
        if self.selection(&loaded.master.company).hides() {
            let customer = &found.value.customer;
            let customer = self.visible_customer(&loaded, customer).await?;
            customer.ok_or_else(unknown)?;
        }
        Ok(found)
    }

    /// The customer of a list, named or the caller's own, whom the caller must see. Without one, the customers whose documents
    /// the list may show; `None` when the caller sees all.
    pub(crate) async fn customer_of_list(
        self,
        named: Option<&str>,
    ) -> Result<(Option<SmolStr>, Option<VisibleCustomers<'a, S>>), Error> {
        if let Some(customer) = self.named_or_own(named) {
            self.customer(customer).await?;
            return Ok((Some(customer.into()), None));
        }
        let selection = self.selection(&*self.erp.company().await?);
        let visible = selection.hides().then(|| VisibleCustomers {
            erp: self.erp,
            selection,
            customers: BTreeMap::new(),
        });
        Ok((None, visible))
    }

    /// An offer that was read, with the visible part of its customer, unless the customer is hidden. A template has no
    /// customer and is visible to every caller who acts for no single customer.
    pub(crate) async fn offer_of(
        self,
        loaded: &Loaded<'_, S>,
        number: &str,
    ) -> Result<(Versioned<Offer>, Option<Customer>), Error> {
        let unknown = || Error::not_found("offer", number);
        let key = offer_key(number).ok_or_else(unknown)?;
        let found: Versioned<Offer> = loaded.record(&key)?.ok_or_else(unknown)?;
        let customer = match &found.value.customer {
            None if self.caller.customer.is_some() => return Err(unknown()),
            None => None,
            Some(customer) => {
                self.erp.note_owner(&key, customer);
                let customer = self.visible_customer(loaded, customer).await?;
                Some(customer.ok_or_else(unknown)?)
            }
        };
        Ok((found, customer))
    }
}

/// The customers whose documents a list shows to a caller.
#[derive(Debug)]
pub(crate) struct VisibleCustomers<'a, S> {
    erp: &'a Erp<S>,
    selection: Selection<'a>,
    customers: BTreeMap<CustomerNumber, bool>,
}

impl<S: Storage> VisibleCustomers<'_, S> {
    /// The visible ones among these documents: one without a customer is visible. Each customer is read once.
    pub(crate) async fn among<T>(
        &mut self,
        mut documents: Vec<T>,
        customer: impl Fn(&T) -> Option<&CustomerNumber>,
    ) -> StoreResult<Vec<T>> {
        let unknown = documents.iter().filter_map(&customer);
        let unknown = unknown.filter(|customer| !self.customers.contains_key(*customer));
        let unknown: BTreeSet<CustomerNumber> = unknown.cloned().collect();
        let keys = unknown.iter().map(|number| keys::customer(number));
        let keys: Vec<Key> = keys.collect();
        if !keys.is_empty() {
            let entries = self.erp.store.get(&keys).await?;
            for ((number, key), entry) in unknown.into_iter().zip(&keys).zip(entries) {
                let found = entry.map(|entry| self.erp.catalogue.customer(key, &entry));
                let sees = |found: Versioned<_>| self.selection.sees_customer(&found.value);
                self.customers
                    .insert(number, found.transpose()?.is_some_and(sees));
            }
        }
        let is_visible = |customer: &CustomerNumber| self.customers.get(customer) == Some(&true);
        documents.retain(|document| customer(document).is_none_or(is_visible));
        Ok(documents)
    }
}

/// The key of an offer; `None` for a text that is no number of ours.
pub(crate) fn offer_key(number: &str) -> Option<Key> {
    keys::document_number(number).map(keys::offer)
}
