//! The change set of a batch.

use std::collections::BTreeMap;

use super::batch::{Batch, Working};
use crate::domain::master::{ArticleNumber, Company};
use crate::erp::catalogue::MasterKind;
use crate::erp::engine::changes::{Changed, SeenBefore};
use crate::erp::engine::event::{Event, EventKind, Method};
use crate::erp::keys;
use crate::erp::keys::secondary::index_customer;
use crate::storage::record::{Stored, encode};
use crate::storage::{ChangeSet, Key, StoreResult};
use crate::values::limits::ARTICLES_PER_EVENT;
use jiff::Timestamp;

impl Batch {
    /// Everything that the rows changed, guarded by the revisions that were read.
    pub(super) fn changes(&self) -> StoreResult<ChangeSet> {
        let mut changes = ChangeSet::new();
        let mut settings = write(&mut changes, &self.company, |()| keys::company())?;
        settings |= write(&mut changes, &self.taxes, |id| keys::tax_code(id))?;
        let articles = write(&mut changes, &self.articles, |number| keys::article(number))?;
        let prices = write(&mut changes, &self.prices, |(list, article)| {
            keys::price(list, article)
        })?;
        let stock = write(&mut changes, &self.stock, |article| keys::stock(article))?;
        self.guard_first(&mut changes);
        write(&mut changes, &self.customers, |number| {
            keys::customer(number)
        })?;
        write(&mut changes, &self.forgotten, |number| {
            keys::forgotten_customer(number)
        })?;
        self.guard_forgotten(&mut changes);
        self.index_customers(&mut changes)?;
        write(&mut changes, &self.media, |key| keys::media(*key))?;
        self.index_media(&mut changes)?;
        for (changed, kind) in [
            (settings, MasterKind::Settings),
            (articles, MasterKind::Articles),
            (prices, MasterKind::Prices),
            (stock, MasterKind::Stock),
        ] {
            if changed {
                kind.touch(&mut changes);
            }
        }
        Ok(changes)
    }

    /// The articles of which something changes that a shop can see.
    pub(super) fn changed(&self) -> Changed {
        let mut changed = Changed::new();
        for (number, article) in self.articles.iter().filter(|(_, of)| of.is_changed()) {
            let before = article.before.as_ref().map(|before| &before.value);
            let before = SeenBefore::of(before);
            let is_seen = before != SeenBefore::of(article.now.as_ref());
            changed.insert(number.as_str().into(), is_seen.then_some(before));
        }
        let prices = self.prices.iter().filter(|(_, of)| of.is_changed());
        let stock = self.stock.iter().filter(|(_, of)| of.is_changed());
        let media = self.media.values().filter(|of| of.is_changed());
        let media = media.flat_map(|of| of.before.iter().map(|of| &of.value).chain(&of.now));
        let numbers = prices.map(|((_, article), _)| article);
        let numbers = numbers.chain(stock.map(|(article, _)| article));
        for number in numbers.chain(media.map(|media| &media.article)) {
            changed.entry(number.as_str().into()).or_default();
        }
        changed
    }

    // rule: D-EVT-05
    /// Adds the events of the articles that the rows change or remove.
    pub(super) fn add_events(
        &self,
        changes: &mut ChangeSet,
        changed: &Changed,
        company: &Company,
        (user, at): (&str, Timestamp),
    ) {
        let is_removed = |number: &ArticleNumber| self.articles.get(number).is_some_and(is_gone);
        let numbers = changed
            .keys()
            .filter_map(|number| ArticleNumber::new(number).ok());
        let (removed, changed): (Vec<_>, Vec<_>) = numbers.partition(is_removed);
        for (numbers, method) in [(changed, Method::Put), (removed, Method::Delete)] {
            for numbers in numbers.chunks(ARTICLES_PER_EVENT) {
                let event = Event {
                    kind: EventKind::Article,
                    at,
                    number: String::new(),
                    articles: numbers.to_vec(),
                    method,
                    user: user.to_owned(),
                    status: None,
                };
                event.add_to(changes, company);
            }
        }
    }

    /// If one server adds the first stock or prices of an article while another one removes the article, the second to
    /// commit fails. Where an article has them already, both write them.
    fn guard_first(&self, changes: &mut ChangeSet) {
        let stock = self.stock.iter().filter(|(_, of)| of.before.is_none());
        let stock = stock.map(|(article, of)| (article, keys::stock(article), of.now.is_some()));
        let prices = self.prices.iter().filter(|(_, of)| of.before.is_none());
        let prices = prices
            .map(|((list, article), of)| (article, keys::price(list, article), of.now.is_some()));
        for (article, key, is_new) in stock.chain(prices) {
            if is_new {
                guard_article(changes, self, article);
            } else if self.articles.get(article).is_some_and(is_gone) {
                changes.guard(key, None);
            }
        }
    }

    /// A number is never that of a customer and of a forgotten one, whichever another server adds at the same moment.
    fn guard_forgotten(&self, changes: &mut ChangeSet) {
        for (number, customer) in &self.customers {
            if customer.before.is_none() && customer.now.is_some() {
                changes.guard(keys::forgotten_customer(number), None);
            } else if self.forgotten.get(number).is_some_and(Working::is_changed) {
                changes.guard(keys::customer(number), None);
            }
        }
    }

    /// Writes the secondary keys of changed customers.
    fn index_customers(&self, changes: &mut ChangeSet) -> StoreResult<()> {
        for working in self
            .customers
            .values()
            .filter(|working| working.is_changed())
        {
            let Some(customer) = &working.now else {
                continue;
            };
            let before = working.before.as_ref().map(|before| &before.value);
            index_customer(changes, before, customer, &self.owned_addresses)?;
        }
        Ok(())
    }
}

/// Writes the records that differ, guarded by the revisions that were read. Returns whether any did.
pub(super) fn write<K, T: Stored + PartialEq>(
    changes: &mut ChangeSet,
    records: &BTreeMap<K, Working<T>>,
    key_of: impl Fn(&K) -> Key,
) -> StoreResult<bool> {
    let mut any = false;
    for (key, working) in records {
        if !working.is_changed() {
            continue;
        }
        any = true;
        let before = working.before.as_ref();
        changes.guard(key_of(key), before.map(|before| before.revision));
        match &working.now {
            Some(now) => changes.put(key_of(key), encode(now)?),
            None => changes.delete(key_of(key)),
        }
    }
    Ok(any)
}

pub(super) const fn is_gone<T>(working: &Working<T>) -> bool {
    working.before.is_some() && working.now.is_none()
}

/// Requires that the article is the one the row was checked against. A changed article is guarded already.
pub(super) fn guard_article(changes: &mut ChangeSet, batch: &Batch, article: &ArticleNumber) {
    let working = batch.articles.get(article);
    if let Some(before) = working.and_then(|working| working.before.as_ref())
        && working.is_some_and(|working| !working.is_changed())
    {
        changes.guard(keys::article(article), Some(before.revision));
    }
}
