//! Integrity check: every record can be decoded and every secondary key matches its record.

use std::collections::{BTreeMap, BTreeSet};

use rust_decimal::Decimal;

use super::{BackupNote, Delivery, DeliveryState, EventTarget, LeaseRecord, LoggedEvent};
use crate::domain::document::{Invoice, ListedOrder, Offer, Order, OrderStatus, TaxRecap};
use crate::domain::master::{
    Article, ArticleNumber, ArticlePrices, ArticleStock, Company, Customer, ForgottenCustomer,
    TaxCode, Token, User,
};
use crate::domain::media::{ArticleMedia, Media};
use crate::erp::engine::{
    AuditEntry, Change, ChangeLog, Error, Event, InvoiceNumbers, InvoiceXml, KeptDifferences,
    StoredResponse, Upkeep, keys,
};
use crate::erp::keys::AuditId;
use crate::erp::keys::search_keys::search_keys;
use crate::erp::keys::secondary::{
    AddressOwner, CustomerOrderEntry, invoice_keys, offer_key, order_place, reference_key,
};
use crate::erp::office::ImportRun;
use crate::storage::record::{Stored, decode};
use crate::storage::{Key, Scan, Space, Storage};

/// Result of a check of the whole store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Integrity {
    /// How many records of each kind were read.
    pub records: BTreeMap<&'static str, usize>,
    /// Inconsistencies; empty for a sound store.
    pub findings: Vec<Finding>,
}

/// One inconsistency.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The key of the affected record.
    pub key: Key,
    /// Description in one sentence, in English.
    pub message: String,
}

impl Integrity {
    fn find(&mut self, key: &Key, message: impl Into<String>) {
        self.findings.push(Finding {
            key: key.clone(),
            message: message.into(),
        });
    }
}

impl<S: Storage> Upkeep<'_, S> {
    /// Reads and checks everything. The store must be idle: concurrent writes would be reported as findings.
    ///
    /// # Errors
    /// When the store fails; records that cannot be decoded are findings.
    pub async fn check(self) -> Result<Integrity, Error> {
        let mut found = Integrity::default();
        self.readable::<Company>("company", &mut found).await?;
        self.readable::<TaxCode>("tax codes", &mut found).await?;
        self.readable::<User>("users", &mut found).await?;
        let mut articles = BTreeSet::new();
        self.each::<Article>("articles", &mut found, |_, article, _| {
            articles.insert(article.number);
        })
        .await?;
        self.check_media(&articles, &mut found).await?;
        self.each::<ArticlePrices>("prices", &mut found, |key, prices, found| {
            if let Err(error) = prices.check() {
                found.find(key, error.to_string());
            }
        })
        .await?;
        self.readable::<ArticleStock>("stock", &mut found).await?;
        self.check_customers(&mut found).await?;
        self.check_orders(&mut found).await?;
        self.check_tokens(&mut found).await?;
        self.check_offers(&mut found).await?;
        self.check_invoices(&mut found).await?;
        self.check_events(&mut found).await?;
        self.readable::<StoredResponse>("kept answers", &mut found)
            .await?;
        self.check_audit(&mut found).await?;
        self.check_changes(&mut found).await?;
        self.readable::<ImportRun>("imports", &mut found).await?;
        self.readable::<LeaseRecord>("leases", &mut found).await?;
        self.readable::<BackupNote>("backup notes", &mut found)
            .await?;
        Ok(found)
    }

    async fn check_audit(self, found: &mut Integrity) -> Result<(), Error> {
        let mut expected = BTreeSet::new();
        self.each::<AuditEntry>(
            "audit entries",
            found,
            |key, entry, found| match AuditId::of_key(key) {
                Ok(id) => expected.extend(entry.difference_keys(&id, entry.records())),
                Err(_) => found.find(key, "the key of an audit entry cannot be read"),
            },
        )
        .await?;
        let mut customers = BTreeSet::new();
        self.each::<KeptDifferences>("audit differences", found, |key, _, found| {
            if !expected.contains(key) {
                found.find(key, "the entry of these differences is not there");
            }
            customers.extend(key.parts().text().filter(|number| !number.is_empty()));
        })
        .await?;
        for number in customers {
            let key = keys::customer(&number);
            if self.erp.entry(&key).await?.is_none() {
                let message = "what changed of the customer is kept, who is not there";
                found.find(&key, message);
            }
        }
        Ok(())
    }

    async fn each<T: Stored>(
        self,
        name: &'static str,
        found: &mut Integrity,
        mut check: impl FnMut(&Key, T, &mut Integrity),
    ) -> Result<(), Error> {
        let mut count = 0_usize;
        let mut pages = self.erp.pages(Scan::of(T::SPACE));
        while let Some(entries) = pages.next().await? {
            for (key, entry) in &entries {
                count += 1;
                match decode::<T>(key, entry) {
                    Ok(record) => check(key, record, found),
                    Err(error) => found.find(key, error.to_string()),
                }
            }
        }
        found.records.insert(name, count);
        Ok(())
    }

    /// Reads every record of a type of which nothing else is checked.
    async fn readable<T: Stored>(
        self,
        name: &'static str,
        found: &mut Integrity,
    ) -> Result<(), Error> {
        self.each::<T>(name, found, |_, _, _| ()).await
    }

    async fn check_media(
        self,
        articles: &BTreeSet<ArticleNumber>,
        found: &mut Integrity,
    ) -> Result<(), Error> {
        let mut lists: BTreeMap<ArticleNumber, ArticleMedia> = BTreeMap::new();
        self.each::<Media>("media", found, |key, media, found| {
            if *key != keys::media(media.key) {
                found.find(key, "the media record has another number than its key");
            }
            if !articles.contains(&media.article) {
                found.find(key, "the article of the media record is not there");
            }
            if media.image.is_none() && media.text.is_none() {
                found.find(key, "the media record holds neither a file nor a text");
            }
            let list = lists.entry(media.article).or_default();
            list.keys.insert(media.key);
        })
        .await?;
        let mut expected: BTreeMap<Key, ArticleMedia> = lists
            .into_iter()
            .map(|(article, list)| (keys::media_of_article(&article), list))
            .collect();
        self.each::<ArticleMedia>("articles with media", found, |key, list, found| {
            if expected.remove(key).as_ref() != Some(&list) {
                let message = "the list of an article's media does not agree with them";
                found.find(key, message);
            }
        })
        .await?;
        for key in expected.keys() {
            found.find(key, "an article's media are not listed");
        }
        Ok(())
    }

    async fn check_changes(self, found: &mut Integrity) -> Result<(), Error> {
        self.readable::<Change>("changes", found).await?;
        let key = keys::change_log();
        let log = self.erp.load::<ChangeLog>(&key).await?;
        let log = log.map(|log| log.value).unwrap_or_default();
        let entries = keys::logged_changes(0..u64::MAX);
        let (mut next, mut changes) = (log.first, 0_u64);
        for (key, entry) in self.erp.scan_all(entries).await? {
            if keys::number_of_change(&key) != Some(next) {
                let message = "an entry of the log of changes is missing before this one";
                found.find(&key, message);
            }
            next += 1;
            let change = decode::<Change>(&key, &entry).unwrap_or_default();
            changes += change.records.len() as u64;
        }
        if (next, changes) != (log.next, log.changes) {
            found.find(&key, "the log of changes does not end where it should");
        }
        Ok(())
    }

    async fn check_customers(self, found: &mut Integrity) -> Result<(), Error> {
        let mut forgotten = BTreeSet::new();
        self.each::<ForgottenCustomer>("forgotten customers", found, |key, customer, found| {
            if *key != keys::forgotten_customer(&customer.number) {
                let message = "the forgotten customer has another number than its key";
                found.find(key, message);
            }
            forgotten.insert(customer.number);
        })
        .await?;
        let mut owners = BTreeMap::new();
        let mut terms = BTreeSet::new();
        self.each::<Customer>("customers", found, |key, customer, found| {
            if forgotten.contains(&customer.number) {
                found.find(key, "the customer was forgotten and is there");
            }
            terms.extend(search_keys(&customer));
            if *key != keys::customer(&customer.number) {
                found.find(key, "the customer has another number than its key");
            }
            for address in customer.addresses() {
                if owners
                    .insert(keys::address_owner(address.number), customer.number.clone())
                    .is_some()
                {
                    let message = format!("address number {} is used twice", address.number);
                    found.find(key, message);
                }
            }
        })
        .await?;
        self.each::<AddressOwner>("addresses", found, |key, owner, found| {
            match owners.remove(key) {
                Some(customer) if customer != owner.customer => {
                    found.find(key, "the address belongs to another customer");
                }
                // The number of a removed address stays with its customer.
                _ => (),
            }
        })
        .await?;
        for key in owners.keys() {
            let message = "an address of a customer is not to be found by its number";
            found.find(key, message);
        }
        let said = (
            "an address is found by what it does not hold",
            "an address is not found by what it holds",
        );
        let space = Space::AddressTerm;
        let count = self.check_marks(space, terms, said, found).await?;
        found.records.insert("search keys", count);
        Ok(())
    }

    async fn check_orders(self, found: &mut Integrity) -> Result<(), Error> {
        let mut listed = BTreeMap::new();
        let mut rows = BTreeMap::new();
        let mut counts: BTreeMap<Key, i64> = BTreeMap::new();
        let mut by_reference = BTreeSet::new();
        let mut may_be_invoiced = BTreeSet::new();
        let mut reserved: BTreeMap<Key, i64> = BTreeMap::new();
        self.each::<Order>("orders", found, |key, order, found| {
            let number =
                keys::document_number(&order.number).filter(|number| keys::order(*number) == *key);
            let Some(number) = number else {
                return found.find(key, "the order has another number than its key");
            };
            check_totals(key, &order, found);
            let entry = CustomerOrderEntry {
                status: order.status,
                created_at: order.document.created_at,
            };
            listed.insert(keys::order_of_customer(&order.customer, number), entry);
            let place = order_place(number, &order);
            let row = keys::order_of_status(order.status, place);
            rows.insert(row, ListedOrder::from(&order));
            let counter = keys::orders_of_status(order.status, number);
            *counts.entry(counter).or_default() += 1;
            by_reference.extend(reference_key(number, &order));
            if order.status == OrderStatus::Completed && order.invoice.is_none() {
                may_be_invoiced.insert(keys::order_to_invoice(number));
            }
            for reservation in order
                .reservations
                .iter()
                .filter(|_| order.status.reserves())
            {
                let sum = reserved.entry(reservation.key()).or_default();
                *sum = sum.saturating_add(reservation.millionths().unwrap_or_default());
            }
        })
        .await?;
        self.each::<CustomerOrderEntry>("orders of customers", found, |key, entry, found| {
            if listed.remove(key) != Some(entry) {
                let message = "the list of a customer's orders does not agree with the order";
                found.find(key, message);
            }
        })
        .await?;
        for key in listed.keys() {
            found.find(key, "an order is missing in its customer's list");
        }
        self.each::<ListedOrder>("orders of states", found, |key, row, found| {
            match rows.remove(key) {
                None => found.find(key, "no order has this state, time and number"),
                Some(expected) if expected != row => {
                    let message = "the list of a state's orders does not agree with the order";
                    found.find(key, message);
                }
                Some(_) => {}
            }
        })
        .await?;
        for key in rows.keys() {
            found.find(key, "an order is missing in the list of its state");
        }
        self.check_counters(Space::OrdersOfStatus, "orders of a state", counts, found)
            .await?;
        let said = (
            "no order has this reference, customer and number",
            "an order is not found by its reference",
        );
        self.check_marks(Space::OrderOfReference, by_reference, said, found)
            .await?;
        // Those that were completed before the first invoice have no key.
        for (key, _) in self
            .erp
            .scan_all(Scan::prefix(&keys::orders_to_invoice()))
            .await?
        {
            if !may_be_invoiced.contains(&key) {
                let message = "no order of this number is completed and without an invoice";
                found.find(&key, message);
            }
        }
        let reservations = self
            .check_counters(Space::Reserved, "reserved stock", reserved, found)
            .await?;
        found.records.insert("reservations", reservations);
        Ok(())
    }

    async fn check_offers(self, found: &mut Integrity) -> Result<(), Error> {
        let mut by_customer = BTreeSet::new();
        self.each::<Offer>("offers", found, |key, offer, found| {
            let number =
                keys::document_number(&offer.number).filter(|number| keys::offer(*number) == *key);
            let Some(number) = number else {
                return found.find(key, "the offer has another number than its key");
            };
            by_customer.extend(offer_key(number, &offer));
        })
        .await?;
        let said = (
            "no offer has this customer and number",
            "an offer is missing in its customer's list",
        );
        self.check_marks(Space::OfferOfCustomer, by_customer, said, found)
            .await?;
        Ok(())
    }

    /// Compares keys without content with those that the records should have, and says of one what is wrong: it is too many,
    /// or one is missing. Returns how many there are.
    async fn check_marks(
        self,
        space: Space,
        mut expected: BTreeSet<Key>,
        (too_many, missing): (&str, &str),
        found: &mut Integrity,
    ) -> Result<usize, Error> {
        let listed = self.erp.scan_all(Scan::of(space)).await?;
        for (key, _) in &listed {
            if !expected.remove(key) {
                found.find(key, too_many);
            }
        }
        for key in &expected {
            found.find(key, missing);
        }
        Ok(listed.len())
    }

    /// Compares counters with what they should be; one that is not there is 0. Returns how many there are.
    async fn check_counters(
        &self,
        space: Space,
        what: &str,
        mut expected: BTreeMap<Key, i64>,
        found: &mut Integrity,
    ) -> Result<usize, Error> {
        let listed = self.erp.scan_all(Scan::of(space)).await?;
        for (key, entry) in &listed {
            let sum = expected.remove(key).unwrap_or_default();
            let counted = entry.counter();
            if counted != Some(sum) {
                let message = format!("{what}: {counted:?} is noted, the orders make {sum}");
                found.find(key, message);
            }
        }
        for (key, sum) in expected.iter().filter(|(_, sum)| **sum != 0) {
            let message = format!("{what}: nothing is noted, the orders make {sum}");
            found.find(key, message);
        }
        Ok(listed.len())
    }

    /// Numbers without gaps, each with its order and its XML.
    async fn check_invoices(self, found: &mut Integrity) -> Result<(), Error> {
        let (mut wanted, mut listed) = (BTreeSet::new(), BTreeSet::new());
        let mut last = None;
        self.each::<Invoice>("invoices", found, |key, invoice, found| {
            let number = keys::document_number(&invoice.number)
                .filter(|number| keys::invoice(*number) == *key);
            let Some(number) = number else {
                return found.find(key, "the invoice has another number than its key");
            };
            last = Some(number);
            listed.extend(invoice_keys(number, &invoice));
            wanted.insert(keys::invoice_xml(number));
        })
        .await?;
        self.each::<InvoiceXml>("invoices as XML", found, |key, _, found| {
            if !wanted.remove(key) {
                found.find(key, "the XML belongs to no invoice");
            }
        })
        .await?;
        for key in &wanted {
            found.find(key, "an invoice has no XML");
        }
        let said = (
            "no invoice has this customer, day and number",
            "an invoice is missing in a list",
        );
        self.check_marks(Space::InvoiceOfCustomer, listed, said, found)
            .await?;
        let key = keys::invoice_numbers();
        let noted = self.erp.load::<InvoiceNumbers>(&key).await?;
        if noted.map(|noted| noted.value.last) != last {
            found.find(&key, "the last number of an invoice is another one");
        }
        Ok(())
    }

    async fn check_events(self, found: &mut Integrity) -> Result<(), Error> {
        self.readable::<Event>("events", found).await?;
        self.each::<EventTarget>("event targets", found, |key, target, found| {
            if *key != keys::event_target(target.id) {
                found.find(key, "the event target has another number than its key");
            }
        })
        .await?;
        let mut logged = BTreeSet::new();
        self.each::<LoggedEvent>("logged events", found, |key, _, _| {
            logged.insert(key.clone());
        })
        .await?;
        let mut waiting = BTreeSet::new();
        self.each::<Delivery>("deliveries", found, |key, delivery, found| {
            if *key != delivery.key() {
                let message = "the delivery is of another event or target than its key";
                found.find(key, message);
            }
            if !logged.contains(&keys::logged_event(delivery.event)) {
                found.find(key, "the event of the delivery is not in the log");
            }
            if (delivery.state == DeliveryState::Waiting) != delivery.next_attempt_at.is_some() {
                let message = "a delivery waits without a time, or has one and does not wait";
                found.find(key, message);
            }
            waiting.extend(delivery.due_key());
        })
        .await?;
        let said = (
            "nothing waits for delivery here",
            "a delivery waits that is not found when it is due",
        );
        self.check_marks(Space::DeliveryDue, waiting, said, found)
            .await?;
        Ok(())
    }

    async fn check_tokens(self, found: &mut Integrity) -> Result<(), Error> {
        let mut tokens = 0_usize;
        self.each::<Token>("tokens", found, |_, _, _| tokens = tokens.saturating_add(1))
            .await?;
        for (space, name) in [
            (Space::TokenExpiry, "by expiry"),
            (Space::TokenOfUser, "by user"),
        ] {
            let marks = self.erp.scan_all(Scan::of(space)).await?.len();
            if marks != tokens {
                let message = format!("{marks} tokens {name}, but {tokens} tokens");
                found.find(&Key::of(space), message);
            }
        }
        Ok(())
    }
}

fn check_totals(key: &Key, order: &Order, found: &mut Integrity) {
    let document = &order.document;
    let sum = |of: fn(&TaxRecap) -> Decimal| document.recap.iter().map(of).sum::<Decimal>();
    let (net, tax) = (sum(|entry| entry.net), sum(|entry| entry.tax));
    let gross = net.checked_add(tax);
    if document.sums.net != net || document.sums.tax != tax || Some(document.sums.gross) != gross {
        let number = &order.number;
        let message = format!("the totals of order {number} do not agree with its recap");
        found.find(key, message);
    }
}
