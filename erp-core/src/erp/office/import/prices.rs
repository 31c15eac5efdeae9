//! Rows of prices within a batch.

use jiff::Timestamp;

use super::batch::Batch;
use super::row::{ImportRow, RowError};
use crate::domain::master::{ArticleNumber, ArticlePrices, PriceListType};
use crate::erp::engine::Erp;
use crate::import::{Price, Row};
use crate::storage::{Key, Scan, Space, Storage, StoreResult};
use crate::values::problem::{Code, Problem};
use crate::values::sentence::Say as _;

impl<S: Storage> Erp<S> {
    /// The names of the first price lists. A call to the store for each; there are few.
    pub(crate) async fn price_lists(&self, most: usize) -> StoreResult<Vec<PriceListType>> {
        let mut lists = Vec::new();
        let mut rest = Scan::of(Space::Price).limit(1);
        while lists.len() < most {
            let page = self.store.scan(rest.clone()).await?;
            let first = page.entries.first().and_then(|(key, _)| key.parts().text());
            let Some(list) = first.and_then(|list| PriceListType::new(&list).ok()) else {
                return Ok(lists);
            };
            rest.from = Key::of(Space::Price).text(&list).after_prefix();
            lists.push(list);
        }
        Ok(lists)
    }
}

impl Batch {
    pub(super) fn replace_prices(
        &mut self,
        list: &PriceListType,
        article: &ArticleNumber,
        prices: &[Price],
    ) -> Result<(), Problem> {
        let now = self.now;
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

    pub(super) fn change_prices(
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

    /// Checks that need the whole batch: no quantity of a price list has two prices.
    pub(super) fn check(&self, rows: &[ImportRow]) -> Vec<RowError> {
        let mut errors = Vec::new();
        for ((list, article), working) in &self.prices {
            let Some(Err(error)) = working.now.as_ref().map(ArticlePrices::check) else {
                continue;
            };
            let about = |row: &&ImportRow| match &row.row {
                Row::PriceList(row) => row.list == *list && row.article == *article,
                Row::Price(row) => row.list == *list && row.article == *article,
                _ => false,
            };
            let line = rows.iter().rfind(about).map_or(0, |row| row.line);
            let message = sentence!("contradiction.prices", article, list, why = error.say());
            let code = Code::Contradiction;
            errors.push(RowError::new(line, "AbAnzahl", code, message));
        }
        errors
    }
}

pub(super) fn put_price(
    prices: &mut ArticlePrices,
    price: &Price,
    now: Timestamp,
) -> Result<(), Problem> {
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
    let known = set.and_then(|set| set.tiers.iter().find(|tier| tier.from == price.from));
    let unchanged = known.filter(|known| price.tier(known.changed_at) == **known);
    let tier = price.tier(unchanged.map_or(now, |known| known.changed_at));
    prices
        .put(price.unit.clone(), price.currency, price.kind, tier)
        .map_err(|error| Problem::new("Preisart", Code::Contradiction, error))
}
