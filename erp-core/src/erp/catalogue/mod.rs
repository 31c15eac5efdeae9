//! In-memory cache of master data, and how its entries are known to be current; article lists from it.
//!
//! Every commit that changes master data increments the counter of its kind ([`MasterKind`]). An operation reads
//! the counters first (one call to the store) and uses only cache entries that were read at the same count. So all
//! servers on one store see a change immediately, and a stock import does not invalidate the articles.

pub(crate) mod article_table;
mod ordering;
mod search;
pub(crate) mod slices;
mod unsellable;

use std::hash::Hash;
use std::ops::Deref;
use std::sync::{Arc, PoisonError, RwLock};

use jiff::tz::TimeZone;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

pub use search::ArticleFilter;
pub use unsellable::{Counted, Unsellable};

use self::article_table::{ArticleTable, ArticleVersion, OrderingKey, Rows};
use self::slices::{Begun, ENTRIES_PER_READ, Pages, SLICE, Unfinished, scan_all, yield_now};
use self::unsellable::UnsellableVersion;
use super::keys;
use crate::domain::document::ArticleState;
use crate::domain::master::{
    Article, ArticleNumber, ArticlePrices, ArticleStock, Company, Customer, PriceListType, TaxTable,
};
use crate::domain::response::rendered::{Look, RenderedArticle};
use crate::storage::record::{Stored, Versioned, decode, decode_all};
use crate::storage::{ChangeSet, Entry, Key, Revision, Scan, Space, Storage, StoreResult};

// rule: D-IMP-05
/// Kinds of master data with separate counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MasterKind {
    /// Company and tax codes.
    Settings,
    Articles,
    Prices,
    Stock,
}

impl MasterKind {
    const ALL: [Self; 4] = [Self::Settings, Self::Articles, Self::Prices, Self::Stock];

    pub(crate) fn key(self) -> Key {
        let name = match self {
            Self::Settings => "settings",
            Self::Articles => "articles",
            Self::Prices => "prices",
            Self::Stock => "stock",
        };
        Key::of(Space::MasterDataVersion).text(name)
    }

    /// Adds to a change set that data of this kind changes.
    pub(crate) fn touch(self, changes: &mut ChangeSet) {
        changes.add(self.key(), 1);
    }
}

/// The counters at the start of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Versions {
    pub(crate) settings: i64,
    articles: i64,
    prices: i64,
    stock: i64,
}

impl Versions {
    /// Whether what was read at these counters is as new as what is read at others.
    pub(crate) const fn is_as_new_as(&self, others: &Self) -> bool {
        self.settings >= others.settings
            && self.articles >= others.articles
            && self.prices >= others.prices
            && self.stock >= others.stock
    }
}

/// A value and the count at which it was read.
type At<T> = (i64, T);

/// A value in a cache that is limited by memory.
#[derive(Clone, Debug)]
pub(crate) struct Kept<T> {
    bytes: u64,
    pub(crate) value: T,
}

impl<T> Kept<T> {
    /// `bytes`: its memory beside a usual key and the management of the cache.
    pub(crate) fn new(bytes: usize, value: T) -> Self {
        const FRAME: u64 = 128;
        Self {
            bytes: FRAME.saturating_add(bytes as u64),
            value,
        }
    }
}

/// Weighs the values of a cache by their memory.
#[derive(Clone, Debug)]
pub(crate) struct ByBytes;

impl<K, T> Weighter<K, Kept<T>> for ByBytes {
    fn weight(&self, _: &K, kept: &Kept<T>) -> u64 {
        kept.bytes
    }
}

pub(crate) type MemoryCache<K, T> = Cache<K, Kept<T>, ByBytes>;

fn memory_cache<K: Eq + Hash, T: Clone>(bytes: usize) -> MemoryCache<K, T> {
    const USUAL: usize = 1024;
    Cache::with_weighter(bytes / USUAL, bytes as u64, ByBytes)
}

/// Articles as JSON, with the versions of the master data that they were rendered from.
type RenderedArticles = MemoryCache<(Arc<Look>, ArticleNumber), (Versions, Arc<RenderedArticle>)>;

type Records<K, T> = MemoryCache<K, At<Option<Arc<T>>>>;

/// Number of cached sort orders. A shop uses a handful.
const ORDERINGS: usize = 32;

/// Number of article versions whose ranks are cached: the current one, and the previous one for requests that
/// started with it.
const TABLES: usize = 2;

/// Number of customers whose records stay decoded.
const CUSTOMERS: usize = 1_000;

/// Maximum size of the record of such a customer in bytes: many times the usual one. Customers with thousands of addresses
/// are decoded for each request, because a thousand of them would take gigabytes.
const CUSTOMER_BYTES: usize = 8 * 1024;

/// Company and tax codes; they are read together.
type CompanySettings = (Arc<Company>, Arc<TaxTable>);

#[derive(Debug)]
pub(crate) struct Catalogue {
    time_zones: fn(&str) -> Option<TimeZone>,
    settings: RwLock<Option<At<CompanySettings>>>,
    articles: Records<ArticleNumber, Article>,
    prices: Records<(PriceListType, ArticleNumber), ArticlePrices>,
    stock: Records<ArticleNumber, ArticleStock>,
    /// The revision of the entry with the customer.
    customers: Cache<Key, (Revision, Arc<Customer>)>,
    pub(crate) tables: Cache<ArticleVersion, Arc<ArticleTable>>,
    unfinished_rows: Unfinished<ArticleVersion, Rows>,
    pub(crate) orderings: Cache<OrderingKey, Arc<[ArticleNumber]>>,
    pub(crate) unsellable: RwLock<Option<(UnsellableVersion, Arc<Unsellable>)>>,
    pub(crate) rendered: RenderedArticles,
}

impl Catalogue {
    /// Half of the memory is for rendered articles, and of the rest half for articles.
    pub(crate) fn new(bytes: usize, time_zones: fn(&str) -> Option<TimeZone>) -> Self {
        Self {
            time_zones,
            settings: RwLock::new(None),
            articles: memory_cache(bytes / 4),
            prices: memory_cache(bytes / 6),
            stock: memory_cache(bytes / 12),
            customers: Cache::new(CUSTOMERS),
            tables: Cache::new(TABLES),
            unfinished_rows: Unfinished::default(),
            orderings: Cache::new(ORDERINGS),
            unsellable: RwLock::new(None),
            rendered: memory_cache(bytes / 2),
        }
    }

    pub(crate) fn time_zone(&self, name: &str) -> TimeZone {
        (self.time_zones)(name).unwrap_or(TimeZone::UTC)
    }

    /// The stock of an article when it was read last; it may have changed.
    pub(crate) fn last_stock(&self, number: &ArticleNumber) -> Option<Arc<ArticleStock>> {
        self.stock.get(number)?.value.1
    }

    /// The customer in an entry that was read. It is decoded once per change: the same key and revision mean the same
    /// bytes.
    pub(crate) fn customer(&self, key: &Key, entry: &Entry) -> StoreResult<Versioned<Customer>> {
        let revision = entry.revision;
        let known = self.customers.get(key).filter(|(at, _)| *at == revision);
        let customer = match known {
            Some((_, customer)) => customer,
            None => {
                let customer = Arc::new(decode::<Customer>(key, entry)?);
                if entry.value.len() <= CUSTOMER_BYTES {
                    let current = (revision, Arc::clone(&customer));
                    self.customers.insert(key.clone(), current);
                }
                customer
            }
        };
        Ok(Versioned {
            value: Arc::unwrap_or_clone(customer),
            revision,
        })
    }

    /// Master data as of a moment that was read before.
    pub(crate) const fn at<'a, S>(&'a self, store: &'a S, moment: Moment) -> MasterData<'a, S> {
        MasterData {
            catalogue: self,
            store,
            moment,
        }
    }

    /// Reads the counters together with other keys that the operation needs first.
    pub(crate) async fn load<'a, S: Storage>(
        &'a self,
        store: &'a S,
        also: &[Key],
    ) -> StoreResult<(MasterData<'a, S>, Vec<Option<Entry>>)> {
        let mut keys = Vec::with_capacity(MasterKind::ALL.len() + also.len());
        keys.extend(MasterKind::ALL.map(MasterKind::key));
        keys.extend_from_slice(also);
        let mut entries = store.get(&keys).await?;
        let rest = entries.split_off(MasterKind::ALL.len().min(entries.len()));
        let mut counts = entries
            .iter()
            .map(|entry| entry.as_ref().and_then(Entry::counter).unwrap_or_default());
        let mut next = || counts.next().unwrap_or_default();
        let versions = Versions {
            settings: next(),
            articles: next(),
            prices: next(),
            stock: next(),
        };
        let (company, taxes) = self.settings_at(store, versions.settings).await?;
        let moment = Moment {
            versions,
            company,
            taxes,
        };
        Ok((self.at(store, moment), rest))
    }

    async fn settings_at(
        &self,
        store: &impl Storage,
        version: i64,
    ) -> StoreResult<CompanySettings> {
        let known = self.settings.read();
        let known = known.unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, settings)) = known.filter(|(at, _)| *at == version) {
            return Ok(settings);
        }
        let company = stored_company(store).await?;
        let codes = scan_all(store, Scan::of(Space::TaxCode)).await?;
        let taxes = TaxTable::new(decode_all(&codes)?);
        let settings = (Arc::new(company), Arc::new(taxes));
        let mut slot = self
            .settings
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *slot = Some((version, settings.clone()));
        Ok(settings)
    }
}

/// The counters, company and tax codes that an operation works with.
#[derive(Clone, Debug)]
pub(crate) struct Moment {
    pub(crate) versions: Versions,
    pub(crate) company: Arc<Company>,
    pub(crate) taxes: Arc<TaxTable>,
}

/// Master data of a store as of a moment.
#[derive(Debug)]
pub(crate) struct MasterData<'a, S> {
    pub(crate) catalogue: &'a Catalogue,
    pub(crate) store: &'a S,
    pub(crate) moment: Moment,
}

impl<S> Deref for MasterData<'_, S> {
    type Target = Moment;

    fn deref(&self) -> &Moment {
        &self.moment
    }
}

/// The company; defaults before the first import.
pub(crate) async fn stored_company(store: &impl Storage) -> StoreResult<Company> {
    let key = keys::company();
    let found = store.get(std::slice::from_ref(&key)).await?;
    let found = found.into_iter().flatten().next();
    Ok(found
        .map(|entry| decode(&key, &entry))
        .transpose()?
        .unwrap_or_default())
}

/// Looks up records in a cache; the others are to be read from the store.
struct Lookup<'a, K, T> {
    cache: &'a Records<K, T>,
    version: i64,
    wanted: &'a [K],
    found: Vec<Option<Option<Arc<T>>>>,
    missing: Vec<Key>,
}

impl<'a, K, T> Lookup<'a, K, T>
where
    K: Clone + Eq + Hash,
    T: Stored,
{
    fn new(
        cache: &'a Records<K, T>,
        version: i64,
        wanted: &'a [K],
        key_of: impl Fn(&K) -> Key,
    ) -> Self {
        let current = |key| {
            let (at, record) = cache.get(key)?.value;
            (at >= version).then_some(record)
        };
        let found: Vec<_> = wanted.iter().map(current).collect();
        let missing = wanted.iter().zip(&found);
        let missing = missing
            .filter(|(_, found)| found.is_none())
            .map(|(key, _)| key_of(key))
            .collect();
        Self {
            cache,
            version,
            wanted,
            found,
            missing,
        }
    }

    /// The records in the order they were wanted; those that were missing come next in `entries`.
    fn complete(
        self,
        entries: &mut impl Iterator<Item = Option<Entry>>,
    ) -> StoreResult<Vec<Option<Arc<T>>>> {
        let mut missing = self.missing.iter();
        let mut records = Vec::with_capacity(self.found.len());
        for (wanted, found) in self.wanted.iter().zip(self.found) {
            let record = match found {
                Some(record) => record,
                None => {
                    let (key, entry) = (missing.next(), entries.next().flatten());
                    let read = key.zip(entry.as_ref());
                    let record = read.map(|(key, entry)| decode::<T>(key, entry));
                    let record = record.transpose()?.map(Arc::new);
                    let kept = kept(entry.as_ref(), (self.version, record.clone()));
                    self.cache.insert(wanted.clone(), kept);
                    record
                }
            };
            records.push(record);
        }
        Ok(records)
    }
}

/// A record that was read, with the memory that it takes decoded.
fn kept<T>(entry: Option<&Entry>, record: At<Option<Arc<T>>>) -> Kept<At<Option<Arc<T>>>> {
    // Texts are decoded to as many bytes, numbers and lists to several times as many.
    let stored = entry.map_or(0, |entry| entry.value.len().saturating_mul(2));
    Kept::new(stored.saturating_add(size_of::<T>()), record)
}

impl<S: Storage> MasterData<'_, S> {
    /// Articles by number, in the order of the arguments.
    pub(crate) async fn articles(
        &self,
        numbers: &[ArticleNumber],
    ) -> StoreResult<Vec<Option<Arc<Article>>>> {
        let articles = self.article_lookup(numbers);
        let mut entries = self.read(&[&articles.missing]).await?;
        articles.complete(&mut entries)
    }

    /// Articles with the prices of each list of a chain and with stock, in the order of the numbers, read with one call
    /// unless they are many.
    pub(crate) async fn priced_articles(
        &self,
        chain: &[PriceListType],
        numbers: &[ArticleNumber],
    ) -> StoreResult<Vec<Option<ArticleState>>> {
        let of_lists: Vec<(PriceListType, ArticleNumber)> = numbers
            .iter()
            .flat_map(|number| chain.iter().map(move |list| (list.clone(), number.clone())))
            .collect();
        let (catalogue, versions) = (self.catalogue, &self.versions);
        let articles = self.article_lookup(numbers);
        let prices = Lookup::new(
            &catalogue.prices,
            versions.prices,
            &of_lists,
            |(list, article)| keys::price(list, article),
        );
        let stock = Lookup::new(&catalogue.stock, versions.stock, numbers, |number| {
            keys::stock(number)
        });
        let missing = [&*articles.missing, &prices.missing, &stock.missing];
        let mut entries = self.read(&missing).await?;
        let articles = articles.complete(&mut entries)?.into_iter();
        let mut prices = prices.complete(&mut entries)?.into_iter();
        let stock = stock.complete(&mut entries)?;
        let states = articles.zip(stock).map(|(article, stock)| {
            let prices = prices.by_ref().take(chain.len()).collect();
            Some(ArticleState {
                article: article?,
                prices,
                stock,
            })
        });
        Ok(states.collect())
    }

    fn article_lookup<'n>(
        &'n self,
        numbers: &'n [ArticleNumber],
    ) -> Lookup<'n, ArticleNumber, Article> {
        let cache = &self.catalogue.articles;
        Lookup::new(cache, self.versions.articles, numbers, |number| {
            keys::article(number)
        })
    }

    /// The entries of several lists of keys, in order; no call for no keys.
    async fn read(&self, lists: &[&[Key]]) -> StoreResult<std::vec::IntoIter<Option<Entry>>> {
        let keys = lists.concat();
        let mut entries = Vec::with_capacity(keys.len());
        for keys in keys.chunks(ENTRIES_PER_READ) {
            if !entries.is_empty() {
                yield_now().await;
            }
            entries.extend(self.store.get(keys).await?);
        }
        Ok(entries.into_iter())
    }

    /// Reads all articles in key order, and caches them while there is room.
    pub(crate) async fn all_articles(&self) -> StoreResult<Rows> {
        let catalogue = self.catalogue;
        let mut begun = Begun::of(&catalogue.unfinished_rows, self.article_version(), 1);
        let mut all = Scan::of(Space::Article).limit(ENTRIES_PER_READ);
        if let Some(last) = begun.read.numbers.last() {
            all.from = keys::article(last).successor();
        }
        let mut pages = Pages::of(self.store, all);
        while let Some(entries) = pages.next().await? {
            for slice in entries.chunks(SLICE) {
                for (key, entry) in slice {
                    let article = Arc::new(decode::<Article>(key, entry)?);
                    begun.read.push(&article);
                    let number = article.number.clone();
                    let at = (self.versions.articles, Some(article));
                    catalogue.articles.insert(number, kept(Some(entry), at));
                }
                yield_now().await;
            }
        }
        Ok(begun.finish())
    }

    pub(crate) fn time_zone(&self) -> TimeZone {
        self.catalogue.time_zone(&self.company.time_zone)
    }

    /// The counters that a sort order of articles depends on.
    pub(crate) fn article_version(&self) -> ArticleVersion {
        (self.versions.articles, self.versions.settings)
    }

    /// The counters that the articles that cannot be sold depend on.
    fn unsellable_version(&self, now: jiff::Timestamp) -> UnsellableVersion {
        let day = self.time_zone().to_datetime(now).date();
        let Versions {
            settings,
            articles,
            prices,
            ..
        } = self.versions;
        (settings, articles, prices, day)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::import::Row;
    use crate::storage::record::encode;
    use crate::values::codes::Language;

    /// The stored entry of a customer with this number of delivery addresses.
    fn stored(addresses: usize) -> Entry {
        let address = json!({"AdrAnrede": 0, "AdrFirma": "Holz AG", "AdrAdresse1": "Weg 1", "AdrSprache": "ger",
            "OrtLand": "CH", "OrtPLZ": "8400", "OrtName": "Winterthur"});
        let row = json!({"Kunde": {"KundNr": "10001", "WaehrAbk": "CHF", "AdrSprache": "ger",
            "KontaktAdr": address, "LiefAdr": vec![address.clone(); addresses]}});
        let Row::Customer(customer) = Row::read(&row, Language::GERMAN).unwrap() else {
            panic!("not a customer: {row}");
        };
        Entry {
            revision: 1,
            value: encode(&*customer).unwrap(),
        }
    }

    #[test]
    fn records_are_kept_by_their_memory() {
        let cache: Records<i32, Article> = memory_cache(1 << 20);
        for number in 0..1_000 {
            let entry = Entry {
                revision: 1,
                value: vec![0; 10_000],
            };
            cache.insert(number, kept(Some(&entry), (0, None)));
        }
        let count = cache.len();
        assert!(
            (30..=52).contains(&count),
            "{count} records of 20 kB in 1 MiB"
        );
    }

    #[test]
    fn a_customer_with_very_many_addresses_does_not_stay_in_memory() {
        let catalogue = Catalogue::new(0, |_| None);
        let key = keys::customer("10001");
        for (addresses, kept) in [(1_000, 0), (5, 1)] {
            let entry = stored(addresses);
            for _ in 0..2 {
                let read = catalogue.customer(&key, &entry).unwrap();
                assert_eq!(read.value.delivery.len(), addresses);
            }
            assert_eq!(catalogue.customers.len(), kept);
        }
    }

    #[test]
    fn a_changed_customer_is_decoded_anew() {
        let catalogue = Catalogue::new(0, |_| None);
        let key = keys::customer("10001");
        for (revision, addresses) in [(1, 1), (2, 2)] {
            let entry = Entry {
                revision,
                ..stored(addresses)
            };
            let read = catalogue.customer(&key, &entry).unwrap();
            assert_eq!(read.value.delivery.len(), addresses);
            assert_eq!(read.revision, revision);
        }
    }
}
