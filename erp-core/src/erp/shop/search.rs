//! Finds the one customer that an address belongs to: `GET /www/adressensuche`.
//!
//! A search intersects the secondary keys of its criteria and then compares the addresses themselves.

use std::collections::BTreeSet;

use crate::domain::address::Address;
use crate::domain::master::Customer;
use crate::domain::town::without_prefix;
use crate::erp::engine::intersection::{Intersection, Suffix};
use crate::erp::engine::work::Work;
use crate::erp::engine::{Error, Shop, keys};
use crate::erp::keys::search_keys::{SearchField, TOGETHER, prefix_of_both};
use crate::storage::{Key, Space, Storage};

/// The criteria of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchTerms {
    typed: Terms,
    /// Looked for when nothing is as it was typed.
    respelled: Terms,
}

impl SearchTerms {
    /// Adds a criterion. One without anything to compare (blanks, a telephone number without digits) matches no
    /// address.
    pub fn add(&mut self, field: SearchField, text: &str) {
        self.typed.0.push((field, field.form(text)));
        self.respelled.0.push((field, respelled(field, text)));
    }
}

// rule: D-ADR-10
/// The form under which the same may be stored: a postal code without the prefix of its country, `Rueegg` as `Rüegg`.
fn respelled(field: SearchField, text: &str) -> String {
    match field.name {
        "OrtPLZ" => field.form(&without_prefix(text)),
        _ => field.form(&field.form(text)),
    }
}

/// Criteria and their forms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Terms(Vec<(SearchField, String)>);

impl Terms {
    fn match_address(&self, address: &Address) -> bool {
        self.0
            .iter()
            .all(|(field, form)| !form.is_empty() && field.of(address).as_ref() == Some(form))
    }

    /// The lists that an address must be in. Two criteria with a combined list need only that one.
    fn lists(&self) -> Vec<Key> {
        let form = |number: u64| {
            let found = self.0.iter().find(|(field, _)| field.number == number);
            found.map(|(_, form)| form)
        };
        let mut lists = Vec::new();
        let mut covered = BTreeSet::new();
        for (list, first, second) in TOGETHER {
            if let (Some(first_form), Some(second_form)) = (form(first), form(second)) {
                lists.push(prefix_of_both(list, first_form, second_form));
                covered.extend([first, second]);
            }
        }
        let mut rest: Vec<_> = self.0.iter().collect();
        rest.retain(|(field, _)| !covered.contains(&field.number));
        // The criterion that is usually most selective comes first.
        rest.sort_by_key(|(field, _)| field.number);
        lists.extend(rest.iter().map(|(field, form)| field.prefix(form)));
        lists
    }
}

/// Customers read in the first call (two decide most searches), and the maximum per call.
const CUSTOMERS_FIRST: usize = 2;
const CUSTOMERS_AT_A_TIME: usize = 128;

/// The customer that a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoundCustomer {
    /// No customer meets the criteria.
    None,
    /// Exactly one; of its addresses those that the caller may see.
    One(Box<Customer>),
    /// More than one; how many is not determined.
    Several,
}

impl FoundCustomer {
    /// The customer, if there is exactly one.
    pub fn one(self) -> Option<Customer> {
        match self {
            Self::One(found) => Some(*found),
            Self::None | Self::Several => None,
        }
    }
}

impl<S: Storage> Shop<'_, S> {
    // rule: R-END-74
    /// Finds the one customer with an address that meets all criteria.
    ///
    /// # Errors
    /// [`Error::TooBroad`] when too many addresses match single criteria.
    pub async fn find_customer(self, terms: &SearchTerms) -> Result<FoundCustomer, Error> {
        match self.find_by(&terms.typed).await? {
            FoundCustomer::None if terms.respelled != terms.typed => {
                self.find_by(&terms.respelled).await
            }
            found => Ok(found),
        }
    }

    async fn find_by(self, terms: &Terms) -> Result<FoundCustomer, Error> {
        let loaded = self.erp.loaded(&[]).await?;
        let selection = self.selection(&loaded.master.company);
        let matches = |customer: &Customer| {
            let mut addresses = customer.addresses();
            addresses.any(|address| terms.match_address(&address.address))
        };
        // The work for a caller with a customer of its own must not tell how many others there are.
        if let Some(own) = self.named_or_own(None) {
            let own = self.visible_customer(&loaded, own).await?.filter(matches);
            return Ok(own.map_or(FoundCustomer::None, |own| FoundCustomer::One(Box::new(own))));
        }
        let mut work = Work::new(self.erp.settings.scan_entries);
        let mut lists = terms.lists();
        if lists.is_empty() {
            // Without a criterion, all customers are candidates.
            lists.push(Key::of(Space::Customer));
        }
        let mut candidates = Intersection::new(lists);
        let mut found = FoundCustomer::None;
        let mut at_a_time = CUSTOMERS_FIRST;
        loop {
            let Some(customers) = self
                .candidates(&mut candidates, at_a_time, &mut work)
                .await?
            else {
                return Ok(found);
            };
            let visible = customers
                .into_iter()
                .filter_map(|customer| selection.customer(customer));
            for customer in visible.filter(matches) {
                found = match found {
                    FoundCustomer::None => FoundCustomer::One(Box::new(customer)),
                    FoundCustomer::One(known) if known.number == customer.number => {
                        FoundCustomer::One(known)
                    }
                    _ => return Ok(FoundCustomer::Several),
                };
            }
            at_a_time = at_a_time.saturating_mul(4).min(CUSTOMERS_AT_A_TIME);
        }
    }

    /// The customers of the next common entries, read with one call; `None` after the last one.
    async fn candidates(
        self,
        entries: &mut Intersection,
        at_a_time: usize,
        work: &mut Work,
    ) -> Result<Option<Vec<Customer>>, Error> {
        let mut numbers: Vec<String> = Vec::new();
        while numbers.len() < at_a_time
            && let Some(suffix) = entries.next(self.erp, work).await?
        {
            // Addresses of one customer are adjacent.
            if let Some(number) = customer_of(suffix)
                && numbers.last() != Some(&number)
            {
                numbers.push(number);
            }
        }
        if numbers.is_empty() {
            return Ok(None);
        }
        let keys = numbers.iter().map(|number| keys::customer(number));
        let keys: Vec<Key> = keys.collect();
        work.count(keys.len()).await?;
        let found = self.erp.load_each::<Customer>(keys).await?.into_iter();
        Ok(Some(found.flatten().map(|found| found.value).collect()))
    }
}

/// The customer number at the start of a list entry.
fn customer_of(suffix: Suffix) -> Option<String> {
    let space = vec![Space::AddressTerm as u8];
    Key::from_bytes([space, suffix].concat()).parts().text()
}
