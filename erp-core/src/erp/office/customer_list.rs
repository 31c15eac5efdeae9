//! The customers for the back office: all by number, or those that a search finds.
//!
//! A search reads in two stages: customers whose number begins with the text, then those with a word that begins with the
//! longest one of the text. A customer that is found several times is listed once, at its first place, so no page depends on
//! an earlier one.

use std::str::FromStr;
use std::{fmt, iter};

use jiff::Timestamp;
use serde::Serialize;
use smol_str::SmolStr;

use crate::domain::master::{Customer, CustomerNumber};
use crate::erp::engine::work::Work;
use crate::erp::engine::{Erp, Error, keys};
use crate::erp::keys::CustomerOrderEntry;
use crate::erp::keys::search_keys::{
    beginning_of_word, listed_customer, search_keys, words, words_of,
};
use crate::storage::record::{decode, decode_all};
use crate::storage::{Entry, Key, Scan, Space, Storage, StoreResult};
use crate::values::codes::{Country, Currency};
use crate::values::sentence::Sentence;
use crate::values::text::Text;

/// Customers read per call: even those of the maximum size stay small together.
const CUSTOMERS_PER_READ: usize = 64;

/// Bytes of the longest key after the prefix of a stage.
const PLACE_BYTES: usize = crate::values::limits::KEY_BYTES;

/// Customers whose orders are searched at a time.
const MOST_NAMED: usize = 100;

/// Which customers to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CustomerQuery {
    /// Only customers with these words; `None` lists all.
    pub search: Option<String>,
    /// Only customers after this place.
    pub after: Option<CustomerPlace>,
    /// Maximum number of customers.
    pub limit: usize,
}

/// A customer in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ListedCustomer {
    /// Customer number.
    #[serde(rename = "KundNr")]
    pub number: CustomerNumber,
    /// Company or person of the contact address.
    #[serde(rename = "Name")]
    pub name: String,
    /// Country of the contact address, ISO 3166 alpha-2.
    #[serde(rename = "OrtLand")]
    pub country: Country,
    /// Town of the contact address.
    #[serde(rename = "OrtName")]
    pub town: Text<48>,
    /// Currency, ISO 4217.
    #[serde(rename = "WaehrAbk")]
    pub currency: Currency,
    /// When its newest order was placed; absent without an order.
    #[serde(rename = "LetzterAuftrag", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub last_order: Option<Timestamp>,
}

impl From<&Customer> for ListedCustomer {
    fn from(customer: &Customer) -> Self {
        let contact = &customer.contact.address;
        Self {
            number: customer.number.clone(),
            name: contact.addressee(),
            town: contact.town.clone(),
            country: contact.country,
            currency: customer.details.currency,
            last_order: None,
        }
    }
}

/// A page of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CustomerPage {
    /// The customers.
    pub customers: Vec<ListedCustomer>,
    /// Continue after this place; `None` at the end.
    pub next: Option<CustomerPlace>,
}

/// A place in the list: the stage, and the key without the prefix of the stage. Written `1.6d656900`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CustomerPlace {
    stage: usize,
    rest: Vec<u8>,
}

impl fmt::Display for CustomerPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.", self.stage)?;
        self.rest
            .iter()
            .try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for CustomerPlace {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let read = || {
            let (stage, rest) = text.split_once('.')?;
            let pairs = rest.as_bytes().chunks(2).map(|pair| {
                let pair = std::str::from_utf8(pair).ok()?;
                u8::from_str_radix(pair, 16).ok()
            });
            let rest = pairs.collect::<Option<Vec<u8>>>()?;
            let stage = stage.parse().ok()?;
            Some(Self { stage, rest })
        };
        read()
            .filter(|place| place.rest.len() <= PLACE_BYTES && place.to_string() == text)
            .ok_or_else(|| sentence!("allowed.next"))
    }
}

/// A range of keys in which customers are looked for.
#[derive(Debug)]
struct Stage {
    prefix: Key,
    /// Whether its entries are customers; otherwise they are of the index of addresses.
    of_customers: bool,
}

#[derive(Debug)]
struct Search {
    /// The text as a beginning of a number.
    number: Option<SmolStr>,
    words: Vec<String>,
    stages: Vec<Stage>,
}

impl Search {
    fn of(text: Option<&str>) -> Self {
        let words: Vec<String> = text.into_iter().flat_map(words).collect();
        let customers = Stage {
            prefix: Key::of(Space::Customer).beginning(text.unwrap_or_default()),
            of_customers: true,
        };
        let longest = words.iter().max_by_key(|word| word.len());
        Self {
            number: text.map(Into::into),
            stages: iter::once(customers)
                .chain(longest.map(|word| Stage::of_word(word)))
                .collect(),
            words,
        }
    }

    /// A search for names alone.
    fn of_name(text: &str) -> Self {
        let mut search = Self::of(Some(text));
        search.stages.remove(0);
        Self {
            number: None,
            ..search
        }
    }

    /// Whether every word begins a word of the customer's addresses, or the text its number.
    fn finds(&self, customer: &Customer) -> bool {
        let number = self.number.as_deref();
        if number.is_some_and(|number| customer.number.starts_with(number)) {
            return true;
        }
        let known: Vec<String> = customer
            .addresses()
            .flat_map(|address| words_of(&address.address))
            .collect();
        let begins = |word: &String| known.iter().any(|known| known.starts_with(word.as_str()));
        (number.is_none() || !self.words.is_empty()) && self.words.iter().all(begins)
    }

    /// The first place at which the stages come across a customer.
    fn first_place(&self, customer: &Customer) -> Option<CustomerPlace> {
        let own = keys::customer(&customer.number);
        let listed = search_keys(customer);
        self.stages.iter().enumerate().find_map(|(at, stage)| {
            let mut keys = listed.iter().chain([&own]);
            let rest = keys.find_map(|key| stage.rest_of(key))?;
            Some(CustomerPlace { stage: at, rest })
        })
    }
}

impl Stage {
    fn of_word(word: &str) -> Self {
        Self {
            prefix: beginning_of_word(word),
            of_customers: false,
        }
    }

    /// A key without the prefix; `None` when the stage does not have it.
    fn rest_of(&self, key: &Key) -> Option<Vec<u8>> {
        let rest = key.as_bytes().strip_prefix(self.prefix.as_bytes())?;
        Some(rest.to_vec())
    }

    fn scan(&self, after: Option<&CustomerPlace>) -> Scan {
        let mut scan = Scan::prefix(&self.prefix).limit(CUSTOMERS_PER_READ);
        if let Some(after) = after {
            let last = Key::from_bytes([self.prefix.as_bytes(), &after.rest].concat());
            scan.from = last.successor();
        }
        scan
    }
}

impl<S: Storage> Erp<S> {
    /// A page of the customers. When too many entries would have to be read for a whole page, it is a short one.
    ///
    /// # Errors
    /// [`Error::TooBroad`] when too many entries would have to be read to find one customer.
    pub(super) async fn list_customers(
        &self,
        query: &CustomerQuery,
    ) -> Result<CustomerPage, Error> {
        let search = Search::of(query.search.as_deref());
        let mut page = self.find_customers(&search, query).await?;
        for customer in &mut page.customers {
            let orders = Scan::prefix(&keys::orders_of_customer(&customer.number));
            let newest = self.store.scan(orders.backwards().limit(1)).await?;
            let newest: Vec<CustomerOrderEntry> = decode_all(&newest.entries)?;
            customer.last_order = newest.first().map(|order| order.created_at);
        }
        Ok(page)
    }

    /// The numbers of the customers with these words in their names.
    ///
    /// # Errors
    /// [`Error::ManyCustomers`].
    pub(crate) async fn customers_named(
        &self,
        words: &str,
    ) -> Result<impl Iterator<Item = CustomerNumber>, Error> {
        let query = CustomerQuery {
            limit: MOST_NAMED,
            ..CustomerQuery::default()
        };
        let page = self.find_customers(&Search::of_name(words), &query).await?;
        match page.next {
            Some(_) => Err(Error::ManyCustomers { limit: MOST_NAMED }),
            None => Ok(page.customers.into_iter().map(|customer| customer.number)),
        }
    }

    async fn find_customers(
        &self,
        search: &Search,
        query: &CustomerQuery,
    ) -> Result<CustomerPage, Error> {
        let mut work = Work::new(self.settings.scan_entries);
        let mut page = CustomerPage::default();
        let mut last = None;
        let begin = query.after.as_ref().map_or(0, |after| after.stage);
        for (at, stage) in search.stages.iter().enumerate().skip(begin) {
            let after = query.after.as_ref().filter(|after| after.stage == at);
            let mut pages = self.pages(stage.scan(after));
            while let Some(listed) = pages.next().await? {
                let customers = self.customers_in(stage, &listed).await?;
                let entries = listed.len() + customers.len();
                for (key, customer) in &customers {
                    let place = stage
                        .rest_of(key)
                        .map(|rest| CustomerPlace { stage: at, rest });
                    if !search.finds(customer) || search.first_place(customer) != place {
                        continue;
                    }
                    if page.customers.len() >= query.limit {
                        page.next = last;
                        return Ok(page);
                    }
                    page.customers.push(ListedCustomer::from(customer));
                    last = place;
                }
                match work.count(entries).await {
                    Err(Error::TooBroad { .. }) if !page.customers.is_empty() => {
                        let end = listed.last().and_then(|(key, _)| stage.rest_of(key));
                        page.next = end.map(|rest| CustomerPlace { stage: at, rest });
                        return Ok(page);
                    }
                    counted => counted?,
                }
            }
        }
        Ok(page)
    }

    /// The customers of a page of a stage, each with the key under which the stage has it.
    async fn customers_in(
        &self,
        stage: &Stage,
        listed: &[(Key, Entry)],
    ) -> StoreResult<Vec<(Key, Customer)>> {
        let listed = listed.iter();
        if stage.of_customers {
            return listed
                .map(|(key, entry)| Ok((key.clone(), decode(key, entry)?)))
                .collect();
        }
        let owners =
            listed.filter_map(|(key, _)| Some((key, keys::customer(&listed_customer(key)?))));
        let (listed, owners): (Vec<&Key>, Vec<Key>) = owners.unzip();
        let found = listed.into_iter().zip(self.load_each(owners).await?);
        let found = found.filter_map(|(key, found)| Some((key.clone(), found?.value)));
        Ok(found.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_one_spelling() {
        let place = CustomerPlace {
            stage: 3,
            rest: b"mei\0\x01".to_vec(),
        };
        assert_eq!(place.to_string(), "3.6d65690001");
        assert_eq!("3.6d65690001".parse(), Ok(place));
        assert!("0.".parse::<CustomerPlace>().is_ok());
        for text in ["", "3", "03.6d", "3.6D", "3.6", "3.+6", "x.6d", "3.zz"] {
            assert!(text.parse::<CustomerPlace>().is_err(), "{text}");
        }
    }
}
