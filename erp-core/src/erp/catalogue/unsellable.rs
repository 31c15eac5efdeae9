//! Articles that cannot be sold, and why.

use std::sync::{Arc, PoisonError};

use jiff::Timestamp;
use jiff::civil::Date;
use serde::Serialize;

use super::MasterData;
use super::slices::{Pages, SLICE};
use crate::domain::master::{Article, ArticleNumber, ArticlePrices, Attributes};
use crate::erp::keys;
use crate::storage::record::decode;
use crate::storage::{Key, Scan, Space, Storage, StoreResult};

/// Numbers that are listed of the articles with one reason.
const EXAMPLES: usize = 10;

/// Articles that cannot be sold. One article may have several reasons.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline, description = ""))]
pub struct Unsellable {
    /// Articles with at least one reason.
    pub articles: usize,
    /// No price in the currency and price list of the company.
    pub no_price: Counted,
    /// No tax code, or none with a rate today.
    pub no_tax_rate: Counted,
    /// Shown to no shop (`RESTWEBSHOP`).
    pub hidden: Counted,
    /// `ArtikelStatus` is 0.
    pub inactive: Counted,
}

/// How many articles, and the numbers of the first ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline, description = ""))]
pub struct Counted {
    /// How many.
    pub count: usize,
    /// The first article numbers.
    pub examples: Vec<ArticleNumber>,
}

/// The counters of settings, articles and prices, and the day of the tax rates.
pub(crate) type UnsellableVersion = (i64, i64, i64, Date);

impl<S: Storage> MasterData<'_, S> {
    /// Articles that cannot be sold now. They are counted once per change of articles, prices or settings.
    pub(crate) async fn unsellable(&self, now: Timestamp) -> StoreResult<Arc<Unsellable>> {
        let version = self.unsellable_version(now);
        let known = &self.catalogue.unsellable;
        let current = known.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, found)) = current.filter(|(at, _)| *at == version) {
            return Ok(found);
        }
        let (.., day) = version;
        let found = Arc::new(self.count_unsellable(day).await?);
        let mut slot = known.write().unwrap_or_else(PoisonError::into_inner);
        *slot = Some((version, Arc::clone(&found)));
        Ok(found)
    }

    async fn count_unsellable(&self, day: Date) -> StoreResult<Unsellable> {
        let mut found = Unsellable::default();
        let mut pages = Pages::of(self.store, Scan::of(Space::Article).limit(SLICE));
        while let Some(entries) = pages.next().await? {
            let articles: Vec<Article> = entries
                .iter()
                .map(|(key, entry)| decode(key, entry))
                .collect::<Result<_, _>>()?;
            let list = self.company.price_list.as_ref();
            let keys = list.into_iter().flat_map(|list| {
                let price = |article: &Article| keys::price(list, &article.number);
                articles.iter().map(price)
            });
            let keys: Vec<Key> = keys.collect();
            let mut prices = self.store.get(&keys).await?.into_iter().zip(&keys);
            for article in &articles {
                let prices = match prices.next() {
                    Some((Some(entry), key)) => decode(key, &entry)?,
                    _ => ArticlePrices::default(),
                };
                found.count(article, self.reasons(article, &prices, day));
            }
        }
        Ok(found)
    }

    /// Whether each reason applies, in the order of [`Unsellable::reasons`].
    fn reasons(&self, article: &Article, prices: &ArticlePrices, day: Date) -> [bool; 4] {
        let units = article.shop_units();
        let of_shop = |unit: &str| units.iter().any(|known| known.code == *unit);
        let has_price = prices.sets().iter().any(|set| {
            set.currency == self.company.currency && set.unit.as_deref().is_none_or(of_shop)
        });
        let code = article.tax_code.as_ref().or(self.company.tax_code.as_ref());
        let rate = code.and_then(|code| self.taxes.rate_on(code, day));
        let mut shops = article.attributes.list(Attributes::SELECTION);
        let is_shown = shops.next().is_some();
        [!has_price, rate.is_none(), !is_shown, !article.is_sold()]
    }
}

impl Unsellable {
    /// The reasons with what they mean.
    pub const fn reasons(&self) -> [(&'static str, &Counted); 4] {
        [
            (
                "no price in the company's price list and currency",
                &self.no_price,
            ),
            ("no tax rate today", &self.no_tax_rate),
            ("shown to no shop (`RESTWEBSHOP`)", &self.hidden),
            ("not active (`ArtikelStatus` 0)", &self.inactive),
        ]
    }

    /// Counts an article with what keeps it from being sold.
    fn count(&mut self, article: &Article, reasons: [bool; 4]) {
        let any = reasons.contains(&true);
        self.articles += usize::from(any);
        let counted = [
            &mut self.no_price,
            &mut self.no_tax_rate,
            &mut self.hidden,
            &mut self.inactive,
        ];
        for (counted, _) in counted.into_iter().zip(reasons).filter(|(_, is)| *is) {
            counted.count += 1;
            if counted.examples.len() < EXAMPLES {
                counted.examples.push(article.number.clone());
            }
        }
    }
}
