//! Finds the one customer that an address belongs to: `GET /www/adressensuche`.
//!
//! Each searchable field of every address has an index entry `(field, folded text, customer, address number)`;
//! folding makes the spelling irrelevant. Name and company are also indexed together with the postal code. A text
//! that is longer than a key is indexed by its beginning ([`LISTED_BYTES`]). A search intersects the lists of its
//! criteria and then compares the addresses themselves.

use std::collections::BTreeSet;

use super::intersection::{Intersection, Suffix};
use super::selection::Selection;
use super::work::Work;
use super::{Context, Erp, Error};
use crate::address::Address;
use crate::fold::search_form;
use crate::limits::LISTED_BYTES;
use crate::links::Links;
use crate::master::{Customer, CustomerAddress};
use crate::record::decode;
use crate::storage::{Key, Space, Storage};
use crate::wire::{AddressSearchResult, Link};

// rule: R-END-72
/// A search criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SearchField {
    /// The query parameter.
    pub name: &'static str,
    /// Maximum length in characters.
    pub length: usize,
    /// Its number in secondary keys. Numbers are stored and must never change.
    number: u64,
}

impl SearchField {
    const fn new(name: &'static str, length: usize, number: u64) -> Self {
        Self {
            name,
            length,
            number,
        }
    }

    /// All criteria, the most selective first.
    pub const ALL: [Self; 15] = [
        Self::new("EmailAdress", 255, 1),
        Self::new("AdrTf1", 28, 2),
        Self::new("AdrTelex", 28, 3),
        Self::new("AdrTf2", 28, 4),
        Self::new("AdrFax", 28, 5),
        Self::new("AdrAdresse1", 60, 6),
        Self::new("AdrFirma", 36, 7),
        Self::new("AdrName", 36, 8),
        Self::new("AdrAdresse2", 60, 9),
        Self::new("AdrFirma2", 36, 10),
        Self::new("AdrVorname", 36, 11),
        Self::new("OrtPLZ", 10, 12),
        Self::new("OrtName", 48, 13),
        Self::new("AdrSprache", 4, 14),
        Self::new("OrtLand", 4, 15),
    ];

    /// Fields that a search by words looks at first: company, name, first name, town, company addition.
    pub(super) const OF_WORDS: [Self; 5] = [
        Self::new("AdrFirma", 36, COMPANY),
        Self::new("AdrName", 36, NAME),
        Self::new("AdrVorname", 36, 11),
        Self::new("OrtName", 48, 13),
        Self::new("AdrFirma2", 36, 10),
    ];

    /// Prefix of the keys of all values that begin with a folded text.
    pub(super) fn beginning(self, form: &str) -> Key {
        Key::of(Space::AddressTerm)
            .number(self.number)
            .beginning(listed(form))
            .build()
    }

    /// The value of an address for this criterion, normalised for comparison.
    fn of(self, address: &Address) -> Option<String> {
        let text = match self.number {
            1 => address.email.as_deref(),
            2 => address.phone.as_deref(),
            3 => address.mobile.as_deref(),
            4 => address.central_phone.as_deref(),
            5 => address.fax.as_deref(),
            6 => Some(address.street.as_str()),
            7 => address.company.as_deref(),
            8 => address.last_name.as_deref(),
            9 => address.street_addition.as_deref(),
            10 => address.company_addition.as_deref(),
            11 => address.first_name.as_deref(),
            12 => Some(address.postal_code.as_str()),
            13 => Some(address.town.as_str()),
            14 => Some(address.language.as_str()),
            _ => Some(address.country.as_str()),
        };
        text.map(|text| self.form(text))
            .filter(|form| !form.is_empty())
    }

    /// Normalises text for comparison: telephone numbers to their digits, everything else folded.
    fn form(self, text: &str) -> String {
        if (2..=5).contains(&self.number) {
            return text.chars().filter(char::is_ascii_digit).collect();
        }
        search_form(text)
    }

    fn key(self, form: &str, customer: &str, address: i32) -> Key {
        self.prefix(form)
            .text(customer)
            .signed(address.into())
            .build()
    }

    fn prefix(self, form: &str) -> crate::storage::KeyBuilder {
        Key::of(Space::AddressTerm)
            .number(self.number)
            .text(listed(form))
    }
}

/// The part of a text that fits into a key, in whole characters.
fn listed(form: &str) -> &str {
    form.get(..form.floor_char_boundary(LISTED_BYTES))
        .unwrap_or(form)
}

/// Name or company combined with the postal code, as most searches use them: in a large store each alone matches
/// hundreds of addresses, both together a few.
const TOGETHER: [(u64, u64, u64); 2] = [(16, NAME, POSTAL_CODE), (17, COMPANY, POSTAL_CODE)];
const COMPANY: u64 = 7;
const NAME: u64 = 8;
const POSTAL_CODE: u64 = 12;

/// Prefix of the keys of a combined list.
fn prefix_of_both(list: u64, first: &str, second: &str) -> crate::storage::KeyBuilder {
    Key::of(Space::AddressTerm)
        .number(list)
        .text(listed(&format!("{first}\u{1}{second}")))
}

/// The normalised values of two fields of an address, for one of the lists of [`TOGETHER`].
fn forms_of_both(address: &Address, first: u64, second: u64) -> Option<(String, String)> {
    let form = |number: u64| {
        SearchField::ALL
            .into_iter()
            .find(|field| field.number == number)?
            .of(address)
    };
    Some((form(first)?, form(second)?))
}

/// The secondary keys of a customer's addresses.
pub(super) fn search_keys(customer: &Customer) -> BTreeSet<Key> {
    let keys_of = |address: &CustomerAddress| {
        let listed = SearchField::ALL.into_iter().filter_map(|field| {
            let form = field.of(&address.address)?;
            Some(field.key(&form, &customer.number, address.number))
        });
        let together = TOGETHER.into_iter().filter_map(|(list, first, second)| {
            let (first, second) = forms_of_both(&address.address, first, second)?;
            let prefix = prefix_of_both(list, &first, &second);
            Some(
                prefix
                    .text(&customer.number)
                    .signed(address.number.into())
                    .build(),
            )
        });
        listed.chain(together).collect::<Vec<_>>()
    };
    customer.addresses().flat_map(keys_of).collect()
}

/// The criteria of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchTerms {
    terms: Vec<(SearchField, String)>,
}

impl SearchTerms {
    /// Adds a criterion. One without anything to compare (blanks, a telephone number without digits) matches no
    /// address.
    pub fn add(&mut self, field: SearchField, text: &str) {
        self.terms.push((field, field.form(text)));
    }

    fn match_address(&self, address: &Address) -> bool {
        self.terms
            .iter()
            .all(|(field, form)| !form.is_empty() && field.of(address).as_ref() == Some(form))
    }

    /// The lists that an address must be in. Two criteria with a combined list need only that one.
    fn lists(&self) -> Vec<Key> {
        let form = |number: u64| {
            let found = self.terms.iter().find(|(field, _)| field.number == number);
            found.map(|(_, form)| form)
        };
        let mut lists = Vec::new();
        let mut covered = BTreeSet::new();
        for (list, first, second) in TOGETHER {
            if let (Some(first_form), Some(second_form)) = (form(first), form(second)) {
                lists.push(prefix_of_both(list, first_form, second_form).build());
                covered.extend([first, second]);
            }
        }
        let mut rest: Vec<_> = self.terms.iter().collect();
        rest.retain(|(field, _)| !covered.contains(&field.number));
        // The criterion that is usually most selective comes first.
        rest.sort_by_key(|(field, _)| field.number);
        lists.extend(rest.iter().map(|(field, form)| field.prefix(form).build()));
        lists
    }
}

/// Customers read in the first call (two decide most searches), and the maximum per call.
const CUSTOMERS_FIRST: usize = 2;
const CUSTOMERS_AT_A_TIME: usize = 128;

/// The customer that a search found.
#[derive(Clone, Debug, PartialEq)]
pub enum FoundCustomer {
    /// No customer meets the criteria.
    None,
    /// Exactly one.
    One(AddressSearchResult),
    /// More than one; how many is not determined.
    Several,
}

impl FoundCustomer {
    /// The customer, if there is exactly one.
    #[must_use]
    pub fn one(self) -> Option<AddressSearchResult> {
        match self {
            Self::One(found) => Some(found),
            Self::None | Self::Several => None,
        }
    }
}

/// Result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Found {
    None,
    /// With the caller's selection applied.
    One(Box<Customer>),
    Several,
}

impl<S: Storage> Erp<S> {
    // rule: R-END-74
    /// Finds the one customer with an address that meets all criteria.
    ///
    /// # Errors
    /// [`Error::TooBroad`] when too many addresses match single criteria; when the store fails.
    pub async fn find_customer(
        &self,
        context: &Context<'_>,
        terms: &SearchTerms,
    ) -> Result<FoundCustomer, Error> {
        let (master, _) = self.begin(&[]).await?;
        let selection = Selection::of(context, &master.company);
        Ok(match self.search(selection, terms).await? {
            Found::None => FoundCustomer::None,
            Found::Several => FoundCustomer::Several,
            Found::One(customer) => {
                FoundCustomer::One(answer(&customer, Links::new(context.base_url)))
            }
        })
    }

    async fn search(&self, selection: Selection<'_>, terms: &SearchTerms) -> Result<Found, Error> {
        let mut work = Work::new(self.settings.scan_entries);
        let mut lists = terms.lists();
        if lists.is_empty() {
            // Without a criterion, all customers are candidates.
            lists.push(Key::of(Space::Customer).build());
        }
        let mut candidates = Intersection::new(lists);
        let mut found = Found::None;
        let mut at_a_time = CUSTOMERS_FIRST;
        loop {
            let Some(customers) = self
                .candidates(&mut candidates, at_a_time, &mut work)
                .await?
            else {
                return Ok(found);
            };
            let matches = |customer: &Customer| {
                let mut addresses = customer.addresses();
                addresses.any(|address| terms.match_address(&address.address))
            };
            let visible = customers
                .into_iter()
                .filter_map(|customer| selection.customer(customer));
            for customer in visible.filter(matches) {
                found = match found {
                    Found::None => Found::One(Box::new(customer)),
                    Found::One(known) if known.number == customer.number => Found::One(known),
                    _ => return Ok(Found::Several),
                };
            }
            at_a_time = at_a_time.saturating_mul(4).min(CUSTOMERS_AT_A_TIME);
        }
    }

    /// The customers of the next common entries, read with one call; `None` after the last one.
    async fn candidates(
        &self,
        entries: &mut Intersection,
        at_a_time: usize,
        work: &mut Work,
    ) -> Result<Option<Vec<Customer>>, Error> {
        let mut numbers: Vec<String> = Vec::new();
        while numbers.len() < at_a_time
            && let Some(suffix) = entries.next(self, work).await?
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
        let keys: Vec<Key> = numbers
            .iter()
            .map(|number| super::keys::customer(number))
            .collect();
        work.count(keys.len()).await?;
        let found = self.store.get(&keys).await?;
        let customers = keys
            .iter()
            .zip(found)
            .filter_map(|(key, entry)| entry.map(|entry| decode(key, &entry)));
        Ok(Some(customers.collect::<Result<_, _>>()?))
    }
}

/// The customer number at the start of a list entry.
fn customer_of(suffix: Suffix) -> Option<String> {
    let space = vec![Space::AddressTerm as u8];
    Key::from_bytes([space, suffix].concat()).parts().text()
}

/// The customer number in a key of the list of one field.
pub(super) fn listed_customer(key: &Key) -> Option<String> {
    let mut parts = key.parts();
    parts.number()?;
    parts.text()?;
    parts.text()
}

// rule: R-END-73, R-END-75
/// The customer's keys with their six links, and the link to the customer.
fn answer(customer: &Customer, links: Links<'_>) -> AddressSearchResult {
    let addresses = [
        ("adressen KundRech", customer.billing_address().number),
        ("adressen KundKontakt", customer.contact.number),
        ("adressen KundLief", customer.delivery_address().number),
    ];
    let of_addresses = addresses.into_iter().flat_map(|(relation, number)| {
        ["GET", "PATCH"].map(|method| links.to(method, relation, "adressen", &number.to_string()))
    });
    let all: Vec<Link> = of_addresses
        .chain([links.to("GET", "kunden", "kunden", &customer.number)])
        .collect();
    AddressSearchResult {
        delivery_address: Some(customer.delivery_address().number),
        billing_address: Some(customer.billing_address().number),
        contact_address: Some(customer.contact.number),
        customer_number: Some(customer.number.clone().into()),
        links: Some(all),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::KEY_BYTES;

    #[test]
    fn a_text_that_fits_a_key_is_listed_whole_and_a_longer_one_by_its_beginning() {
        let whole = "a".repeat(LISTED_BYTES);
        assert_eq!(listed(&whole), whole);
        assert_eq!(listed(&format!("{whole}b")), whole);
        // Never splits a character.
        let emoji = "\u{1f600}".repeat(255);
        assert_eq!(listed(&emoji), "\u{1f600}".repeat(250));
        assert_eq!(listed(""), "");
        // Entries stored by earlier versions have the same key.
        let key = SearchField::ALL[0].key("ab", "1", 2);
        let stored = b"\x0d\0\0\0\0\0\0\0\x01ab\0\x011\0\x01\x80\0\0\0\0\0\0\x02";
        assert_eq!(key.as_bytes(), stored);
    }

    #[test]
    fn the_longest_texts_make_keys_the_store_takes() {
        let customer = "\u{1f600}".repeat(8);
        for letter in ['\u{1f600}', '한', '\u{1fa7}', 'ß'] {
            for field in SearchField::ALL {
                let form = field.form(&letter.to_string().repeat(field.length));
                let key = field.key(&form, &customer, i32::MAX);
                assert!(key.as_bytes().len() <= KEY_BYTES, "{} {letter}", field.name);
                let both = prefix_of_both(16, &form, &form).text(&customer).signed(1);
                assert!(both.build().as_bytes().len() <= KEY_BYTES);
            }
        }
    }
}
