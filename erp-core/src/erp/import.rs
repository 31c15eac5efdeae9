//! Master data import: a batch of rows is one commit, all or nothing.

mod addresses;
mod media;

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::bodies::BodyMarks;
use super::catalogue::MasterKind;
use super::customers::index_customer;
use super::{Actor, Attempt, Erp, Error, keys, retry_on_conflict};
use crate::import::{Price, Removal, Row};
use crate::limits::{COMMIT_TRIES, KEYS_PER_GET};
use crate::master::{
    Article, ArticleNumber, ArticlePrices, ArticleStock, Company, Customer, CustomerNumber,
    PriceListType, PriceTier, TaxCode, TaxCodeId,
};
use crate::media::{ArticleMedia, Media};
use crate::problem::{Code, Path, Problem, Problems};
use crate::record::{NumberFloor, Stored, Versioned, decode, encode};
use crate::storage::{ChangeSet, Key, Sequence, Storage, StorageError};

/// A time zone that every time zone database contains; used to detect a missing database.
const KNOWN_EVERYWHERE: &str = "Europe/London";

/// An import row and its line number.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportRow {
    /// The line of the file, counted from 1.
    pub line: usize,
    /// The row.
    pub row: Row,
}

/// An error in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowError {
    /// The line of the file, counted from 1.
    pub line: usize,
    /// The problem.
    pub problem: Problem,
}

/// Result of a batch, counted in rows. Every row is in exactly one of the counts after `rows`, so they add up to
/// `rows`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// All rows.
    pub rows: usize,
    /// Rows that created a record.
    pub added: usize,
    /// Rows that changed a record or a part of one.
    pub changed: usize,
    /// Rows that removed a record.
    pub removed: usize,
    /// Rows that changed nothing.
    pub unchanged: usize,
    /// Rows of exported orders and offers, which an import skips.
    pub skipped: usize,
}

impl ImportReport {
    /// Adds the counts of another batch.
    pub fn add(&mut self, other: &Self) {
        for (sum, more) in [
            (&mut self.rows, other.rows),
            (&mut self.added, other.added),
            (&mut self.changed, other.changed),
            (&mut self.removed, other.removed),
            (&mut self.unchanged, other.unchanged),
            (&mut self.skipped, other.skipped),
        ] {
            *sum = sum.saturating_add(more);
        }
    }

    // rule: R-IMP-07
    /// Counts a row by comparing its record before and after it.
    fn count(&mut self, row: &Row, before: &Target, after: &Target) {
        let count = match row {
            Row::Document => &mut self.skipped,
            _ if before == after => &mut self.unchanged,
            _ if !before.exists() => &mut self.added,
            _ if !after.exists() => &mut self.removed,
            _ => &mut self.changed,
        };
        *count = count.saturating_add(1);
        self.rows = self.rows.saturating_add(1);
    }
}

/// The record that a row refers to.
#[derive(Debug, PartialEq)]
enum Target {
    Company(Option<Box<Company>>),
    TaxCode(Option<TaxCode>),
    Article(Option<Box<Article>>),
    Prices(Option<ArticlePrices>),
    Stock(Option<ArticleStock>),
    Customer(Option<Box<Customer>>),
    Media(Option<Box<Media>>),
    None,
}

impl Target {
    const fn exists(&self) -> bool {
        match self {
            Self::Company(record) => record.is_some(),
            Self::TaxCode(record) => record.is_some(),
            Self::Article(record) => record.is_some(),
            Self::Prices(record) => record.is_some(),
            Self::Stock(record) => record.is_some(),
            Self::Customer(record) => record.is_some(),
            Self::Media(record) => record.is_some(),
            Self::None => false,
        }
    }
}

/// A record as stored and as the rows change it.
#[derive(Debug)]
struct Working<T> {
    before: Option<Versioned<T>>,
    now: Option<T>,
}

impl<T> Default for Working<T> {
    fn default() -> Self {
        Self {
            before: None,
            now: None,
        }
    }
}

/// All records that a batch touches.
#[derive(Debug, Default)]
struct Batch {
    company: BTreeMap<(), Working<Company>>,
    taxes: BTreeMap<TaxCodeId, Working<TaxCode>>,
    articles: BTreeMap<ArticleNumber, Working<Article>>,
    prices: BTreeMap<(PriceListType, ArticleNumber), Working<ArticlePrices>>,
    stock: BTreeMap<ArticleNumber, Working<ArticleStock>>,
    customers: BTreeMap<CustomerNumber, Working<Customer>>,
    media: BTreeMap<i32, Working<Media>>,
    media_of: BTreeMap<ArticleNumber, Working<ArticleMedia>>,
    /// The highest address number in the rows; 0 for none.
    highest_address: i32,
}

impl<S: Storage> Erp<S> {
    // rule: R-IMP-02
    /// Applies a batch of rows in order. It is idempotent: applying the same rows again changes nothing.
    ///
    /// # Errors
    /// [`Error::Invalid`] lists the rows that cannot be applied, with `line N` as first step of the path; then nothing
    /// of the batch is written. When the store fails.
    pub async fn import(
        &self,
        rows: &[ImportRow],
        now: Timestamp,
        actor: Option<&Actor>,
    ) -> Result<ImportReport, Error> {
        for _ in 0..COMMIT_TRIES {
            let marks = match rows.iter().any(|row| matches!(row.row, Row::Media(_))) {
                true => self.media().body_marks().await?,
                false => BodyMarks::default(),
            };
            if let Some(report) = self.import_stored(rows, &marks, now, actor).await? {
                return Ok(report);
            }
        }
        Err(StorageError::Busy.into())
    }

    // rule: R-STO-32
    /// Like [`Erp::import`], for rows whose bodies were stored after `marks` were read, while other processes may
    /// remove bodies. `None`: nothing is written, because a body of the rows may have been removed since. Read the
    /// marks, store the bodies and try again.
    ///
    /// # Errors
    /// As [`Erp::import`].
    pub async fn import_stored(
        &self,
        rows: &[ImportRow],
        marks: &BodyMarks,
        now: Timestamp,
        actor: Option<&Actor>,
    ) -> Result<Option<ImportReport>, Error> {
        let (report, _) = retry_on_conflict!(self, actor, {
            let mut batch = self.load_batch(rows).await?;
            let keys = self.media_keys(&batch, rows).await?;
            let mut errors = Vec::new();
            let mut report = ImportReport::default();
            for (row, media_key) in rows.iter().zip(keys) {
                let before = batch.target(&row.row, media_key);
                match batch.apply(&row.row, media_key, now) {
                    Ok(()) => {
                        report.count(&row.row, &before, &batch.target(&row.row, media_key));
                    }
                    Err(problem) => errors.push(RowError {
                        line: row.line,
                        problem,
                    }),
                }
            }
            errors.extend(batch.check(rows));
            errors.extend(rows.iter().filter_map(|row| self.unknown_time_zone(row)));
            refuse(errors)?;
            refuse(self.number_addresses(&mut batch, rows).await?)?;
            let named = batch.newly_named_bodies();
            if !named.is_empty() {
                let later = self.media().body_marks().await?;
                if !named.iter().all(|body| marks.is_same_for(*body, &later)) {
                    return Ok(None);
                }
            }
            let mut changes = self.changes(&batch).await?;
            marks.guard(&mut changes, &named);
            if changes.is_empty() {
                Attempt::Done(report)
            } else {
                Attempt::Commit(changes, report)
            }
        });
        Ok(Some(report))
    }

    /// The company's settings and attributes; defaults before the first import.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn company(&self) -> Result<Company, Error> {
        Ok(self
            .load(&keys::company())
            .await?
            .map(|found| found.record)
            .unwrap_or_default())
    }

    // rule: R-CTR-11
    /// The error of a company row with an unknown time zone. Its message distinguishes a wrong name from a program
    /// without a time zone database.
    fn unknown_time_zone(&self, row: &ImportRow) -> Option<RowError> {
        let Row::Company(company) = &row.row else {
            return None;
        };
        let name = &company.time_zone;
        if (self.settings.time_zones)(name).is_some() {
            return None;
        }
        let message = if (self.settings.time_zones)(KNOWN_EVERYWHERE).is_some() {
            format!("there is no time zone `{name}`")
        } else {
            format!(
                "the time zone `{name}` cannot be looked up: this program has no time zone database; \
                 it sets `settings.time_zones`, for example to `|name| jiff::tz::TimeZone::get(name).ok()`"
            )
        };
        Some(RowError {
            line: row.line,
            problem: problem("Zeitzone", Code::UnknownValue, message),
        })
    }

    async fn load_batch(&self, rows: &[ImportRow]) -> Result<Batch, StorageError> {
        let mut batch = Batch::default();
        for row in rows {
            batch.touch(&row.row);
        }
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
        self.load_media(&mut batch, rows).await?;
        Ok(batch)
    }

    async fn fill<K: Ord, T: Stored + Clone>(
        &self,
        records: &mut BTreeMap<K, Working<T>>,
        key_of: impl Fn(&K) -> Key,
    ) -> Result<(), StorageError> {
        let keys: Vec<Key> = records.keys().map(key_of).collect();
        let mut records = records.values_mut();
        for keys in keys.chunks(KEYS_PER_GET) {
            for ((key, entry), working) in keys
                .iter()
                .zip(self.store.get(keys).await?)
                .zip(&mut records)
            {
                let Some(entry) = entry else { continue };
                let record: T = decode(key, &entry)?;
                working.now = Some(record.clone());
                working.before = Some(Versioned {
                    record,
                    revision: entry.revision,
                });
            }
        }
        Ok(())
    }

    async fn changes(&self, batch: &Batch) -> Result<ChangeSet, Error> {
        let mut changes = ChangeSet::new();
        let mut settings = write(&mut changes, &batch.company, |()| keys::company())?;
        settings |= write(&mut changes, &batch.taxes, |id| keys::tax_code(id))?;
        let articles = write(&mut changes, &batch.articles, |number| {
            keys::article(number)
        })?;
        let prices = write(&mut changes, &batch.prices, |(list, article)| {
            keys::price(list, article)
        })?;
        let stock = write(&mut changes, &batch.stock, |article| keys::stock(article))?;
        write(&mut changes, &batch.customers, |number| {
            keys::customer(number)
        })?;
        self.index_customers(&mut changes, batch).await?;
        write(&mut changes, &batch.media, |key| keys::media(*key))?;
        self.index_media(&mut changes, batch).await?;
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

    /// Writes the secondary keys of changed customers and the highest used numbers.
    async fn index_customers(
        &self,
        changes: &mut ChangeSet,
        batch: &Batch,
    ) -> Result<(), StorageError> {
        let changed = |working: &&Working<Customer>| {
            working.now.as_ref() != working.before.as_ref().map(|before| &before.record)
        };
        let mut highest = 0_u64;
        for working in batch.customers.values().filter(changed) {
            let Some(customer) = &working.now else {
                continue;
            };
            index_customer(
                changes,
                working.before.as_ref().map(|before| &before.record),
                customer,
            )?;
            highest = highest.max(customer.number.parse().unwrap_or(0));
        }
        self.raise_floor(changes, Sequence::Customer, highest)
            .await?;
        let highest = u64::try_from(batch.highest_address).unwrap_or_default();
        self.raise_floor(changes, Sequence::Address, highest).await
    }

    /// Records the highest number that the rows used of a sequence.
    async fn raise_floor(
        &self,
        changes: &mut ChangeSet,
        sequence: Sequence,
        highest: u64,
    ) -> Result<(), StorageError> {
        let key = keys::number_floor(sequence);
        let floor = self.load::<NumberFloor>(&key).await?;
        if highest > floor.as_ref().map_or(0, |floor| floor.record.number) {
            changes.guard(key.clone(), floor.map(|floor| floor.revision));
            changes.put(key, encode(&NumberFloor { number: highest })?);
        }
        Ok(())
    }
}

/// Writes the records that differ, guarded by the revisions that were read. Returns whether any did.
fn write<K, T: Stored + PartialEq>(
    changes: &mut ChangeSet,
    records: &BTreeMap<K, Working<T>>,
    key_of: impl Fn(&K) -> Key,
) -> Result<bool, StorageError> {
    let mut any = false;
    for (key, working) in records {
        let before = working.before.as_ref();
        if before.map(|before| &before.record) == working.now.as_ref() {
            continue;
        }
        any = true;
        changes.guard(key_of(key), before.map(|before| before.revision));
        match &working.now {
            Some(now) => changes.put(key_of(key), encode(now)?),
            None => changes.delete(key_of(key)),
        }
    }
    Ok(any)
}

fn refuse(errors: Vec<RowError>) -> Result<(), Error> {
    if errors.is_empty() {
        return Ok(());
    }
    let mut problems = Problems::new();
    for RowError { line, problem } in errors {
        let path = format!("line {line}: {}", problem.path);
        problems.push(Problem { path, ..problem });
    }
    Err(problems.into())
}

impl Batch {
    /// Registers the records that a row needs.
    fn touch(&mut self, row: &Row) {
        fn blank<K: Ord, T>(records: &mut BTreeMap<K, Working<T>>, key: K) {
            records.entry(key).or_insert(Working {
                before: None,
                now: None,
            });
        }
        match row {
            Row::Company(_) => blank(&mut self.company, ()),
            Row::TaxCode(code) => blank(&mut self.taxes, code.id.clone()),
            Row::Article(article) => blank(&mut self.articles, article.number.clone()),
            Row::PackagingUnit { article, .. }
            | Row::ArticleText { article, .. }
            | Row::Declaration { article, .. } => blank(&mut self.articles, article.clone()),
            Row::PriceList { list, article, .. } | Row::Price { list, article, .. } => {
                blank(&mut self.articles, article.clone());
                blank(&mut self.prices, (list.clone(), article.clone()));
            }
            Row::Stock { article, .. } => {
                blank(&mut self.articles, article.clone());
                blank(&mut self.stock, article.clone());
            }
            Row::Customer(customer) => blank(&mut self.customers, customer.number.clone()),
            Row::Media(media) => {
                blank(&mut self.articles, media.place.article.clone());
                blank(&mut self.media_of, media.place.article.clone());
                if let Some(key) = media.key {
                    blank(&mut self.media, key);
                }
            }
            Row::Remove(removal) => self.touch_removal(removal),
            Row::Document => (),
        }
    }

    fn touch_removal(&mut self, removal: &Removal) {
        let blank = |number: &ArticleNumber| {
            (
                number.clone(),
                Working {
                    before: None,
                    now: None,
                },
            )
        };
        match removal {
            Removal::Article(number) => {
                let (key, working) = blank(number);
                self.articles.entry(key).or_insert(working);
                self.stock.entry(number.clone()).or_insert(Working {
                    before: None,
                    now: None,
                });
                self.media_of.entry(number.clone()).or_default();
            }
            Removal::Media(key) => drop(self.media.entry(*key).or_default()),
            Removal::MediaAt(place) => {
                self.media_of.entry(place.article.clone()).or_default();
            }
            Removal::PackagingUnit(number, _)
            | Removal::ArticleText(number, _)
            | Removal::Declaration(number, ..) => {
                let (key, working) = blank(number);
                self.articles.entry(key).or_insert(working);
            }
            Removal::Price(list, number, ..) => {
                let key = (list.clone(), number.clone());
                self.prices.entry(key).or_insert(Working {
                    before: None,
                    now: None,
                });
            }
            Removal::Stock(number, ..) => {
                self.stock.entry(number.clone()).or_insert(Working {
                    before: None,
                    now: None,
                });
            }
        }
    }

    /// The current state of the record that a row refers to. `media_key` as for [`Self::apply`].
    fn target(&self, row: &Row, media_key: Option<i32>) -> Target {
        let article = |number| Target::Article(now_of(&self.articles, number).map(Box::new));
        let prices = |list: &PriceListType, number: &ArticleNumber| {
            Target::Prices(now_of(&self.prices, &(list.clone(), number.clone())))
        };
        match row {
            Row::Company(_) => Target::Company(now_of(&self.company, &()).map(Box::new)),
            Row::TaxCode(code) => Target::TaxCode(now_of(&self.taxes, &code.id)),
            Row::Article(row) => article(&row.number),
            Row::PackagingUnit { article: of, .. }
            | Row::ArticleText { article: of, .. }
            | Row::Declaration { article: of, .. } => article(of),
            Row::PriceList { list, article, .. } | Row::Price { list, article, .. } => {
                prices(list, article)
            }
            Row::Stock { article, .. } => Target::Stock(now_of(&self.stock, article)),
            Row::Customer(row) => {
                Target::Customer(now_of(&self.customers, &row.number).map(Box::new))
            }
            Row::Media(_) | Row::Remove(Removal::Media(_) | Removal::MediaAt(_)) => {
                let media = media_key.and_then(|key| now_of(&self.media, &key));
                Target::Media(media.map(Box::new))
            }
            Row::Remove(
                Removal::Article(of)
                | Removal::PackagingUnit(of, _)
                | Removal::ArticleText(of, _)
                | Removal::Declaration(of, ..),
            ) => article(of),
            Row::Remove(Removal::Price(list, of, ..)) => prices(list, of),
            Row::Remove(Removal::Stock(of, ..)) => Target::Stock(now_of(&self.stock, of)),
            Row::Document => Target::None,
        }
    }

    /// Applies a row. `media_key` is the key of the media record that it refers to.
    fn apply(&mut self, row: &Row, media_key: Option<i32>, now: Timestamp) -> Result<(), Problem> {
        match row {
            Row::Company(company) => set(&mut self.company, &(), (**company).clone()),
            Row::TaxCode(code) => set(&mut self.taxes, &code.id, code.clone()),
            Row::Article(article) => self.put_article((**article).clone(), now),
            Row::PackagingUnit { article, unit } => {
                self.change_article(article, now, |article| {
                    match article
                        .units
                        .iter_mut()
                        .find(|known| known.code == unit.code)
                    {
                        Some(known) => *known = unit.clone(),
                        None => article.units.push(unit.clone()),
                    }
                })?
            }
            Row::ArticleText {
                article,
                language,
                text,
            } => {
                self.change_article(article, now, |article| {
                    drop(article.texts.insert(*language, text.clone()))
                })?;
            }
            Row::Declaration {
                article,
                declaration,
            } => self.change_article(article, now, |article| {
                let same = |known: &&mut crate::master::Declaration| {
                    known.number == declaration.number && known.language == declaration.language
                };
                match article.declarations.iter_mut().find(same) {
                    Some(known) => *known = declaration.clone(),
                    None => article.declarations.push(declaration.clone()),
                }
            })?,
            Row::PriceList {
                list,
                article,
                prices,
            } => self.replace_prices(list, article, prices, now)?,
            Row::Price {
                list,
                article,
                price,
            } => {
                self.known_article(article, price.unit.as_deref())?;
                self.change_prices(list, article, |known| put_price(known, price, now))?;
            }
            Row::Stock { article, entry } => {
                self.known_article(article, entry.unit.as_deref())?;
                self.put_stock(article, entry);
            }
            Row::Customer(customer) => self.put_customer(customer),
            Row::Media(media) => self.put_media(media, media_key, now)?,
            Row::Remove(Removal::Media(_) | Removal::MediaAt(_)) => {
                if let Some(key) = media_key {
                    self.clear_media(key);
                }
            }
            Row::Remove(removal) => self.remove(removal, now)?,
            Row::Document => (),
        }
        Ok(())
    }

    fn put_article(&mut self, mut article: Article, now: Timestamp) {
        if let Some(working) = self.articles.get_mut(&article.number) {
            let before = working.before.as_ref().map(|before| &before.record);
            article.changed_at = before.map_or(now, |before| before.changed_at);
            if before.is_some_and(|before| *before != article) {
                article.changed_at = now;
            }
            working.now = Some(article);
        }
    }

    fn change_article(
        &mut self,
        number: &ArticleNumber,
        now: Timestamp,
        change: impl FnOnce(&mut Article),
    ) -> Result<(), Problem> {
        let known = self
            .articles
            .get(number)
            .and_then(|working| working.now.clone());
        let mut article = known.ok_or_else(|| unknown_article(number))?;
        change(&mut article);
        self.put_article(article, now);
        Ok(())
    }

    fn known_article(&self, number: &ArticleNumber, unit: Option<&str>) -> Result<(), Problem> {
        let article = self
            .articles
            .get(number)
            .and_then(|working| working.now.as_ref());
        let article = article.ok_or_else(|| unknown_article(number))?;
        match unit {
            Some(unit)
                if !article
                    .units
                    .iter()
                    .any(|known| known.code.as_str() == unit) =>
            {
                let message = format!("article `{number}` has no packaging unit `{unit}`");
                Err(problem("VPEinheit", Code::UnknownPackagingUnit, message))
            }
            _ => Ok(()),
        }
    }

    fn replace_prices(
        &mut self,
        list: &PriceListType,
        article: &ArticleNumber,
        prices: &[Price],
        now: Timestamp,
    ) -> Result<(), Problem> {
        for price in prices {
            self.known_article(article, price.unit.as_deref())?;
        }
        self.known_article(article, None)?;
        self.change_prices(list, article, |known| {
            let before = std::mem::take(known);
            prices
                .iter()
                .try_for_each(|price| put_price_after(known, &before, price, now))
        })
    }

    fn change_prices(
        &mut self,
        list: &PriceListType,
        article: &ArticleNumber,
        change: impl FnOnce(&mut ArticlePrices) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        if let Some(working) = self.prices.get_mut(&(list.clone(), article.clone())) {
            let mut prices = working.now.clone().unwrap_or_default();
            change(&mut prices)?;
            working.now = (!prices.is_empty()).then_some(prices);
        }
        Ok(())
    }

    fn put_stock(&mut self, article: &ArticleNumber, entry: &crate::master::StockEntry) {
        let Some(working) = self.stock.get_mut(article) else {
            return;
        };
        let stock = working.now.get_or_insert_default();
        let same = |known: &&mut crate::master::StockEntry| {
            known.place == entry.place
                && known.location == entry.location
                && known.unit == entry.unit
        };
        match stock.entries.iter_mut().find(same) {
            Some(known) => *known = entry.clone(),
            None => stock.entries.push(entry.clone()),
        }
    }

    fn remove(&mut self, removal: &Removal, now: Timestamp) -> Result<(), Problem> {
        match removal {
            Removal::Article(number) => {
                clear(&mut self.articles, number);
                clear(&mut self.stock, number);
                self.clear_media_of(number);
            }
            // Only `apply` knows their keys.
            Removal::Media(_) | Removal::MediaAt(_) => (),
            Removal::PackagingUnit(number, code) => {
                self.change_article(number, now, |article| {
                    article.units.retain(|unit| unit.code != *code)
                })?;
            }
            Removal::ArticleText(number, language) => {
                self.change_article(number, now, |article| drop(article.texts.remove(language)))?;
            }
            Removal::Declaration(number, which, language) => {
                self.change_article(number, now, |article| {
                    article
                        .declarations
                        .retain(|known| known.number != *which || known.language != *language);
                })?
            }
            Removal::Price(list, number, unit, currency, from) => {
                self.change_prices(list, number, |prices| {
                    prices.remove(unit.as_deref(), *currency, *from);
                    Ok(())
                })?;
            }
            Removal::Stock(number, place, location, unit) => {
                if let Some(working) = self.stock.get_mut(number) {
                    let mut stock = working.now.take().unwrap_or_default();
                    stock.entries.retain(|known| {
                        known.place != *place || known.location != *location || known.unit != *unit
                    });
                    working.now = (!stock.entries.is_empty()).then_some(stock);
                }
            }
        }
        Ok(())
    }

    /// Checks that need the whole batch: no quantity of a price list has two prices.
    fn check(&self, rows: &[ImportRow]) -> Vec<RowError> {
        let mut errors = Vec::new();
        for ((list, article), working) in &self.prices {
            let Some(Err(error)) = working.now.as_ref().map(ArticlePrices::check) else {
                continue;
            };
            let about = |row: &&ImportRow| match &row.row {
                Row::PriceList {
                    list: of,
                    article: number,
                    ..
                }
                | Row::Price {
                    list: of,
                    article: number,
                    ..
                } => of == list && number == article,
                _ => false,
            };
            let line = rows.iter().rfind(about).map_or(0, |row| row.line);
            let message = format!("prices of article `{article}` in list `{list}`: {error}");
            errors.push(RowError {
                line,
                problem: problem("AbAnzahl", Code::Contradiction, message),
            });
        }
        errors
    }
}

fn now_of<K: Ord, T: Clone>(records: &BTreeMap<K, Working<T>>, key: &K) -> Option<T> {
    records.get(key).and_then(|working| working.now.clone())
}

fn set<K: Ord, T>(records: &mut BTreeMap<K, Working<T>>, key: &K, record: T) {
    if let Some(working) = records.get_mut(key) {
        working.now = Some(record);
    }
}

fn clear<K: Ord, T>(records: &mut BTreeMap<K, Working<T>>, key: &K) {
    if let Some(working) = records.get_mut(key) {
        working.now = None;
    }
}

fn put_price(prices: &mut ArticlePrices, price: &Price, now: Timestamp) -> Result<(), Problem> {
    let before = prices.clone();
    put_price_after(prices, &before, price, now)
}

/// Stores a price tier; an unchanged tier keeps its time of change.
fn put_price_after(
    prices: &mut ArticlePrices,
    before: &ArticlePrices,
    price: &Price,
    now: Timestamp,
) -> Result<(), Problem> {
    let set = before
        .set(price.unit.as_deref(), price.currency)
        .filter(|set| set.kind == price.kind);
    let known = set.and_then(|set| set.tiers.iter().find(|tier| tier.from == price.tier.from));
    let unchanged = known.filter(|known| {
        PriceTier {
            changed_at: known.changed_at,
            ..price.tier.clone()
        } == **known
    });
    let changed_at = unchanged.map_or(now, |known| known.changed_at);
    let tier = PriceTier {
        changed_at,
        ..price.tier.clone()
    };
    prices
        .put(price.unit.clone(), price.currency, price.kind, tier)
        .map_err(|error| problem("Preisart", Code::Contradiction, error.to_string()))
}

fn unknown_article(number: &ArticleNumber) -> Problem {
    problem(
        "ArtNr",
        Code::UnknownArticle,
        format!("there is no article `{number}`"),
    )
}

fn problem(member: &str, code: Code, message: String) -> Problem {
    Problem::new(Path::ROOT.member(member).to_string(), code, message)
}
