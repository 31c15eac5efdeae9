//! Articles of which little is available.

use rust_decimal::Decimal;
use serde::Serialize;

use crate::domain::master::{Article, ArticleNumber, ArticleStock, Company, PackagingUnit};
use crate::erp::catalogue::slices::SLICE;
use crate::erp::engine::work::Work;
use crate::erp::engine::{Error, Office, keys};
use crate::storage::record::decode;
use crate::storage::{Entry, Key, Scan, Space, Storage, StoreResult};
use crate::values::number::Number;
use crate::values::text::Text;

/// Which articles to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LowStockQuery {
    /// Only articles of which so many base units or fewer are available.
    pub most: i64,
    /// Only articles after this number.
    pub after: Option<ArticleNumber>,
    /// Maximum number of articles.
    pub limit: usize,
}

/// An article of which little is available.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LowStock {
    /// Article number.
    #[serde(rename = "ArtNr")]
    pub number: ArticleNumber,
    /// Its text in the language of the company.
    #[serde(rename = "ArtBez")]
    pub name: String,
    /// Its base unit.
    #[serde(rename = "Einheit")]
    pub unit: Option<Text<12>>,
    /// How many base units shops can order; negative when more is ordered than there is.
    pub available: Number,
}

/// A page of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LowStockPage {
    /// The articles by number.
    pub articles: Vec<LowStock>,
    /// Continue after this number; `None` at the end.
    pub next: Option<ArticleNumber>,
}

/// An article with stock, and the counters of what its entries reserve.
type Stocked = (ArticleNumber, ArticleStock, Vec<Option<Key>>);

impl<S: Storage> Office<'_, S> {
    /// The active articles with stock management of which little is available, by number. A page may be short, even empty,
    /// and still have a `next`, because a request reads a bounded number of entries.
    #[cfg(feature = "internal")]
    pub async fn low_stock(self, query: &LowStockQuery) -> Result<LowStockPage, Error> {
        let company = self.erp.company().await?;
        let all = Scan::of(Space::Stock).limit(SLICE);
        let mut next = Some(match &query.after {
            Some(after) => Scan {
                from: keys::stock(after).successor(),
                ..all
            },
            None => all,
        });
        let mut work = Work::new(self.erp.settings.scan_entries);
        let mut page = LowStockPage::default();
        while let Some(scan) = next {
            let read = self.erp.store.scan(scan).await?;
            let stocked = read
                .entries
                .iter()
                .filter_map(|(key, entry)| stocked(key, entry).transpose());
            let stocked: Vec<Stocked> = stocked.collect::<Result<_, _>>()?;
            let last = stocked.last().map(|(number, ..)| number.clone());
            for found in self.low_among(&company, query.most, &stocked).await? {
                if page.articles.len() == query.limit {
                    page.next = page.articles.last().map(|last| last.number.clone());
                    return Ok(page);
                }
                page.articles.push(found);
            }
            let counters = stocked.iter().map(|(.., counters)| counters.len());
            let entries = counters.fold(read.entries.len(), usize::saturating_add);
            next = read.next;
            if let Err(Error::TooBroad { .. }) = work.count(entries).await {
                page.next = last.filter(|_| next.is_some());
                return Ok(page);
            }
        }
        Ok(page)
    }

    /// Those among some articles of which little is available.
    async fn low_among(
        self,
        company: &Company,
        most: i64,
        stocked: &[Stocked],
    ) -> StoreResult<Vec<LowStock>> {
        let articles = stocked.iter().map(|(number, ..)| keys::article(number));
        let articles: Vec<Key> = articles.collect();
        let counters = stocked.iter().flat_map(|(.., counters)| counters).flatten();
        let wanted: Vec<Key> = articles.iter().chain(counters).cloned().collect();
        let mut entries = self.erp.store.get(&wanted).await?.into_iter();
        let articles: Vec<(Key, Option<Entry>)> =
            articles.into_iter().zip(entries.by_ref()).collect();
        let mut found = Vec::new();
        for ((key, article), (_, stock, counters)) in articles.into_iter().zip(stocked) {
            let reserved = counters.iter().map(|counter| {
                let entry = counter.as_ref().and_then(|_| entries.next().flatten());
                entry.and_then(|entry| entry.counter()).unwrap_or_default()
            });
            // Every counter is taken, whatever becomes of its article: the next ones follow.
            let reserved: Vec<i64> = reserved.collect();
            let Some(entry) = article else { continue };
            let article: Article = decode(&key, &entry)?;
            let available = total(&article, stock, &reserved);
            if article.is_sold() && article.stock_managed && available <= Decimal::from(most) {
                let name = company.translation(&article.texts, company.language);
                found.push(LowStock {
                    name: name.map(ToString::to_string).unwrap_or_default(),
                    number: article.number,
                    unit: article.unit,
                    available: Number(available),
                });
            }
        }
        Ok(found)
    }
}

/// An entry of the stock; `None` when its key has no article number.
fn stocked(key: &Key, entry: &Entry) -> StoreResult<Option<Stocked>> {
    let number = key.parts().text();
    let Some(number) = number.and_then(|number| ArticleNumber::new(&number).ok()) else {
        return Ok(None);
    };
    let stock: ArticleStock = decode(key, entry)?;
    let counters = stock.counters(&number);
    Ok(Some((number, stock, counters)))
}

/// How many base units of an article shops can order: in the units of which something is left, else what is missing of all.
/// Loose stock of an article that is sold only in packages of which stock is kept cannot be ordered.
fn total(article: &Article, stock: &ArticleStock, reserved: &[i64]) -> Decimal {
    let sold = article.shop_units();
    let is_kept = |unit: &&PackagingUnit| stock.kept_in(Some(&unit.code)).next().is_some();
    let is_packed = !sold.is_empty() && sold.iter().all(is_kept);
    let packed = sold.iter().map(|unit| (Some(&*unit.code), unit.factor));
    let units = packed.chain((!is_packed).then_some((None, Decimal::ONE)));
    let left = units.map(|(unit, factor)| {
        let counted = stock.released().zip(reserved);
        let of_unit = counted
            .filter(|((entry, carries), _)| *carries && entry.unit.as_deref() == unit)
            .map(|((entry, _), reserved)| (entry.location, *reserved));
        let left = stock.orderable(unit, None, &of_unit.collect());
        left.floor().saturating_mul(factor)
    });
    let (missing, there): (Vec<Decimal>, Vec<Decimal>) = left.partition(Decimal::is_sign_negative);
    let sum = |all: Vec<Decimal>| all.into_iter().fold(Decimal::ZERO, Decimal::saturating_add);
    let there = sum(there);
    if there.is_zero() { sum(missing) } else { there }
}
