//! The records that a batch of rows touches.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::row::ImportRow;
use crate::domain::master::{
    Article, ArticleNumber, ArticlePrices, ArticleStock, Company, Customer, CustomerNumber,
    ForgottenCustomer, PriceListType, TaxCode, TaxCodeId,
};
use crate::domain::media::{ArticleMedia, Media};
use crate::erp::engine::{Erp, keys};
use crate::import::{
    ArticleTextRow, DeclarationRow, InvalidRow, PackagingUnitRow, PriceListRow, PriceRow, Removal,
    Row, StockRow,
};
use crate::storage::record::{Stored, Versioned};
use crate::storage::{Key, Storage, StoreResult};
use crate::values::limits::KEYS_PER_GET;

/// A record as stored and as the rows change it.
#[derive(Debug)]
pub(super) struct Working<T> {
    pub(super) before: Option<Versioned<T>>,
    pub(super) now: Option<T>,
}

impl<T> Default for Working<T> {
    fn default() -> Self {
        Self {
            before: None,
            now: None,
        }
    }
}

impl<T: PartialEq> Working<T> {
    pub(super) fn is_changed(&self) -> bool {
        self.now.as_ref() != self.before.as_ref().map(|before| &before.value)
    }
}

#[derive(Debug, Default)]
pub(super) struct Batch {
    /// What changes gets this time.
    pub(super) now: Timestamp,
    pub(super) company: BTreeMap<(), Working<Company>>,
    pub(super) taxes: BTreeMap<TaxCodeId, Working<TaxCode>>,
    pub(super) articles: BTreeMap<ArticleNumber, Working<Article>>,
    pub(super) prices: BTreeMap<(PriceListType, ArticleNumber), Working<ArticlePrices>>,
    pub(super) stock: BTreeMap<ArticleNumber, Working<ArticleStock>>,
    pub(super) customers: BTreeMap<CustomerNumber, Working<Customer>>,
    pub(super) forgotten: BTreeMap<CustomerNumber, Working<ForgottenCustomer>>,
    pub(super) media: BTreeMap<i32, Working<Media>>,
    pub(super) media_of: BTreeMap<ArticleNumber, Working<ArticleMedia>>,
    /// All price lists, where a row removes an article.
    pub(super) lists: BTreeSet<PriceListType>,
    /// Numbers in the rows of addresses that the same customer had before.
    pub(super) owned_addresses: BTreeSet<i32>,
}

impl<S: Storage> Erp<S> {
    pub(super) async fn load_batch(
        &self,
        rows: &[ImportRow],
        now: Timestamp,
    ) -> StoreResult<Batch> {
        let mut batch = Batch {
            now,
            ..Batch::default()
        };
        for row in rows {
            batch.touch(&row.row);
        }
        self.touch_prices_of_removed(&mut batch, rows).await?;
        self.fill(&mut batch.company, |()| keys::company()).await?;
        self.fill(&mut batch.taxes, |id| keys::tax_code(id)).await?;
        self.fill(&mut batch.articles, |number| keys::article(number))
            .await?;
        self.fill(&mut batch.prices, |(list, article)| {
            keys::price(list, article)
        })
        .await?;
        self.fill(&mut batch.stock, |article| keys::stock(article))
            .await?;
        self.fill(&mut batch.customers, |number| keys::customer(number))
            .await?;
        let customers = &batch.customers;
        let is_new =
            |number: &CustomerNumber| customers.get(number).is_none_or(|of| of.before.is_none());
        batch.forgotten.retain(|number, _| is_new(number));
        self.fill(&mut batch.forgotten, |number| {
            keys::forgotten_customer(number)
        })
        .await?;
        self.load_media(&mut batch, rows).await?;
        Ok(batch)
    }

    /// Registers the prices of removed articles in all lists, stored ones and those of the rows.
    async fn touch_prices_of_removed(
        &self,
        batch: &mut Batch,
        rows: &[ImportRow],
    ) -> StoreResult<()> {
        let removed = rows.iter().filter_map(|row| match &row.row {
            Row::Remove(Removal::Article(number)) => Some(number),
            _ => None,
        });
        let removed: BTreeSet<&ArticleNumber> = removed.collect();
        if removed.is_empty() {
            return Ok(());
        }
        batch.lists = batch.prices.keys().map(|(list, _)| list.clone()).collect();
        batch.lists.extend(self.price_lists(usize::MAX).await?);
        for number in removed {
            for list in &batch.lists {
                need(&mut batch.prices, &(list.clone(), number.clone()));
            }
        }
        Ok(())
    }

    pub(super) async fn fill<K: Ord, T: Stored + Clone>(
        &self,
        records: &mut BTreeMap<K, Working<T>>,
        key_of: impl Fn(&K) -> Key,
    ) -> StoreResult<()> {
        let keys: Vec<Key> = records.keys().map(key_of).collect();
        let mut records = records.values_mut();
        for keys in keys.chunks(KEYS_PER_GET) {
            let found = keys.iter().zip(self.store.get(keys).await?);
            for ((key, entry), working) in found.zip(&mut records) {
                let Some(entry) = entry else { continue };
                let before = Versioned::<T>::decode(key, &entry)?;
                working.now = Some(before.value.clone());
                working.before = Some(before);
            }
        }
        Ok(())
    }
}

impl Batch {
    fn touch(&mut self, row: &Row) {
        match row {
            Row::Company(_) => need(&mut self.company, &()),
            Row::TaxCode(code) => need(&mut self.taxes, &code.id),
            Row::Article(article, _) => {
                need(&mut self.articles, &article.number);
                self.need_tax_code(article.tax_code.as_ref());
            }
            Row::PackagingUnit(PackagingUnitRow { article, .. })
            | Row::ArticleText(ArticleTextRow { article, .. })
            | Row::Declaration(DeclarationRow { article, .. }) => need(&mut self.articles, article),
            Row::PriceList(PriceListRow { list, article, .. })
            | Row::Price(PriceRow { list, article, .. }) => {
                need(&mut self.articles, article);
                need(&mut self.prices, &(list.clone(), article.clone()));
            }
            Row::Stock(StockRow { article, .. }) => {
                need(&mut self.articles, article);
                need(&mut self.stock, article);
            }
            Row::Customer(customer) => {
                self.need_customer(&customer.number);
                self.need_tax_code(customer.tax_code.as_ref());
            }
            Row::ForgottenCustomer(customer) => self.need_customer(&customer.number),
            Row::Media(media) => {
                need(&mut self.articles, &media.place.article);
                need(&mut self.media_of, &media.place.article);
                if let Some(key) = &media.key {
                    need(&mut self.media, key);
                }
            }
            Row::Remove(removal) => self.touch_removal(removal),
            Row::Invalid(row) => self.touch_invalid(row),
            Row::Document => (),
        }
    }

    fn need_customer(&mut self, number: &CustomerNumber) {
        need(&mut self.customers, number);
        need(&mut self.forgotten, number);
    }

    fn need_tax_code(&mut self, code: Option<&TaxCodeId>) {
        if let Some(code) = code {
            need(&mut self.taxes, code);
        }
    }

    fn touch_invalid(&mut self, row: &InvalidRow) {
        self.need_tax_code(row.tax_code.as_ref());
        if let Some(article) = &row.article {
            need(&mut self.articles, article);
            if let Some(list) = &row.list {
                need(&mut self.prices, &(list.clone(), article.clone()));
            }
        }
    }

    fn touch_removal(&mut self, removal: &Removal) {
        match removal {
            Removal::Article(number) => {
                need(&mut self.articles, number);
                need(&mut self.stock, number);
                need(&mut self.media_of, number);
            }
            Removal::Media(key) => need(&mut self.media, key),
            Removal::MediaAt(place) => need(&mut self.media_of, &place.article),
            Removal::PackagingUnit(number, _)
            | Removal::ArticleText(number, _)
            | Removal::Declaration(number, ..) => need(&mut self.articles, number),
            Removal::Price(list, number, ..) => {
                need(&mut self.prices, &(list.clone(), number.clone()));
            }
            Removal::Stock(number, ..) => need(&mut self.stock, number),
        }
    }
}

/// Registers a record that a row needs.
fn need<K: Ord + Clone, T>(records: &mut BTreeMap<K, Working<T>>, key: &K) {
    records.entry(key.clone()).or_default();
}

pub(super) fn set<K: Ord, T>(records: &mut BTreeMap<K, Working<T>>, key: &K, record: T) {
    if let Some(working) = records.get_mut(key) {
        working.now = Some(record);
    }
}

pub(super) fn clear<K: Ord, T>(records: &mut BTreeMap<K, Working<T>>, key: &K) {
    if let Some(working) = records.get_mut(key) {
        working.now = None;
    }
}
