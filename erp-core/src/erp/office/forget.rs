//! Forgets a customer: what is known of the person goes, the number and what the law wants to be kept stay.

use crate::domain::document::OrderStatus;
use crate::domain::master::{Attributes, Customer, ForgottenCustomer, Token};
use crate::erp::catalogue::slices::{ENTRIES_PER_READ, yield_now};
use crate::erp::engine::event::{Event, EventKind, Method};
use crate::erp::engine::{Conflict, Error, Office, StoredResponse, Users, keys, retry_on_conflict};
use crate::erp::keys::TokenHash;
use crate::erp::keys::search_keys::search_keys;
use crate::erp::keys::secondary::customer_order;
use crate::storage::record::{Versioned, decode, encode};
use crate::storage::{ChangeSet, Entry, Key, Scan, Sequence, Space, Storage, StorageError};
use crate::values::text::Text;

/// Responses read at a time: one can have a megabyte.
const RESPONSES_PER_READ: usize = 64;

impl<S: Storage> Office<'_, S> {
    // rule: D-CUS-01
    /// Forgets a customer, with its addresses, contact data, offers, tokens and the responses kept for it. Its orders and
    /// invoices stay as they are, and its number is never given again. A customer that was forgotten already stays so; what
    /// an interrupted call left of it goes then.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Conflict`] while one of its orders is new or open; [`Error::PreconditionFailed`].
    pub async fn forget_customer(self, number: &str) -> Result<(), Error> {
        retry_on_conflict!(self.erp, self.actor, (self.forgetting(number).await?, ()));
        self.remove_offers_of(number).await?;
        self.end_tokens_of(number).await?;
        self.blank_responses_of(number).await
    }

    /// The change set that puts the mark in place of the customer; empty when it is there.
    async fn forgetting(self, number: &str) -> Result<ChangeSet, Error> {
        let (key, mark) = (keys::customer(number), keys::forgotten_customer(number));
        let mut changes = ChangeSet::new();
        // Read first: an order that is placed after this and before the orders are read changes one of these.
        let placed = keys::all_counters_of_status(OrderStatus::New);
        let counted = self.erp.store.get(&placed).await?;
        let Some(found) = self.erp.load::<Customer>(&key).await? else {
            let forgotten = self.erp.entry(&mark).await?;
            return match forgotten {
                Some(_) => Ok(changes),
                None => Err(Error::not_found("customer", number)),
            };
        };
        self.check_revision(found.revision)?;
        self.refuse_orders_in_work(&found.value).await?;
        for (counter, entry) in placed.into_iter().zip(counted) {
            changes.guard(counter, entry.map(|entry| entry.revision));
        }
        let forgotten = ForgottenCustomer {
            number: found.value.number.clone(),
            is_forgotten: true,
            attributes: selection_of(&found.value.contact.attributes),
        };
        changes.guard(key.clone(), Some(found.revision));
        changes.delete(key);
        changes.insert(mark, encode(&forgotten)?);
        search_keys(&found.value)
            .into_iter()
            .for_each(|key| changes.delete(key));
        let event = Event {
            kind: EventKind::Customer,
            at: self.now,
            number: number.to_owned(),
            articles: Vec::new(),
            method: Method::Delete,
            user: self.user().to_owned(),
            status: None,
        };
        event.add_to(&mut changes, &*self.erp.company().await?);
        // What an import changes of the customer meanwhile changes the revision that is guarded.
        let differences = keys::differences_of_customer(number);
        for (key, _) in self.erp.scan_all(differences).await? {
            changes.delete(key);
        }
        Ok(changes)
    }

    async fn refuse_orders_in_work(self, customer: &Customer) -> Result<(), Error> {
        let orders = Scan::prefix(&keys::orders_of_customer(&customer.number));
        let mut pages = self.erp.pages(orders);
        while let Some(entries) = pages.next().await? {
            for (key, entry) in &entries {
                let (order, listed) = customer_order(key, entry)?;
                if let status @ (OrderStatus::New | OrderStatus::Open) = listed.status {
                    let order = Text::new(&order.to_string());
                    return Err(Conflict::OrderInWork {
                        customer: customer.number.clone(),
                        order: order.map_err(|_| Sequence::Order.used_up())?,
                        status,
                    }
                    .into());
                }
            }
            yield_now().await;
        }
        Ok(())
    }

    async fn remove_offers_of(self, customer: &str) -> Result<(), Error> {
        let mut pages = self.erp.pages(keys::offers_of_customer(customer));
        while let Some(entries) = pages.next().await? {
            let mut changes = ChangeSet::new();
            for (key, _) in entries {
                let mut parts = key.parts();
                if let Some(number) = parts.text().and_then(|_| parts.number()) {
                    changes.delete(keys::offer(number));
                }
                changes.delete(key);
            }
            // Nothing has a guard: who changes one of these offers meets the mark of its customer.
            self.erp.settle(self.actor, (changes, ())).await?;
        }
        Ok(())
    }

    async fn end_tokens_of(self, customer: &str) -> Result<(), Error> {
        let Self {
            erp, now, actor, ..
        } = self;
        let users = Users { erp, now, actor };
        let of_customer = |key: &Key, entry: &Entry| -> Result<Option<TokenHash>, StorageError> {
            let token: Token = decode(key, entry)?;
            let hash = key.parts().bytes().and_then(|bytes| bytes.try_into().ok());
            let is_its = token.customer.as_deref() == Some(customer);
            Ok(hash.map(TokenHash::new).filter(|_| is_its))
        };
        let mut pages = self
            .erp
            .pages(Scan::of(Space::Token).limit(ENTRIES_PER_READ));
        while let Some(entries) = pages.next().await? {
            let mut changes = ChangeSet::new();
            for (key, entry) in &entries {
                if let Some(hash) = of_customer(key, entry)? {
                    users.end_token(&mut changes, &hash).await?;
                }
            }
            self.erp.settle(self.actor, (changes, ())).await?;
            yield_now().await;
        }
        Ok(())
    }

    /// A response stays without its content, so that a repeated request is not carried out as a new one.
    async fn blank_responses_of(self, customer: &str) -> Result<(), Error> {
        let mut pages = self
            .erp
            .pages(Scan::of(Space::Idempotency).limit(RESPONSES_PER_READ));
        while let Some(entries) = pages.next().await? {
            for (key, entry) in &entries {
                let kept = Versioned::<StoredResponse>::decode(key, entry)?;
                if kept.value.customer.as_deref() != Some(customer) || kept.value.answer.is_empty()
                {
                    continue;
                }
                let mut changes = ChangeSet::new();
                changes.guard(key.clone(), Some(kept.revision));
                let answer = String::new();
                let blank = StoredResponse {
                    answer,
                    ..kept.value
                };
                changes.put(key.clone(), encode(&blank)?);
                // Without an outcome the response has expired and its key is used for another request.
                self.erp.settle(None, (changes, ())).await?;
            }
            yield_now().await;
        }
        Ok(())
    }
}

/// Which shops see a record, and nothing else of its attributes.
fn selection_of(attributes: &Attributes) -> Attributes {
    let mut selection = Attributes::default();
    if let Some(shops) = attributes.get(Attributes::SELECTION) {
        selection.select(shops);
    }
    selection
}
