//! What was sold: sums of orders by day and by article.
//!
//! There are no stored sums: the orders are read, the newest first, as far as one request may read.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use rust_decimal::Decimal;
use serde::Serialize;

use super::order_list::KEYS_PER_READ;
use super::order_query::{OrderQuery, Wanted};
use super::order_source::ORDERS_PER_READ;
use crate::domain::document::{Order, OrderStatus};
use crate::domain::master::{Article, ArticleNumber, Company};
use crate::erp::engine::work::Work;
use crate::erp::engine::{Erp, Error, keys};
use crate::storage::Storage;
use crate::values::codes::Currency;
use crate::values::number::Number;
use crate::values::text::Text;

/// What was sold in some days. Amounts of different currencies are never added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sales {
    /// How many orders were read.
    pub orders: usize,
    /// Where reading ended early: orders made before this time are missing.
    pub since: Option<Timestamp>,
    /// Sums by day in the company's time zone.
    pub days: BTreeMap<(Date, Currency), SalesSum>,
    /// The articles that brought most, by currency, the best first; at most 20 of each.
    pub best: Vec<ArticleSales>,
}

/// The sum of some orders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline, description = ""))]
pub struct SalesSum {
    /// How many orders.
    pub orders: usize,
    /// Without tax.
    pub net: Number,
    /// With tax.
    pub gross: Number,
}

/// What was sold of an article.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline, description = ""))]
pub struct ArticleSales {
    /// Article number.
    #[serde(rename = "ArtNr")]
    pub number: ArticleNumber,
    /// Its text in the language of the company; empty for an article that is gone.
    #[serde(rename = "ArtBez")]
    pub name: String,
    /// Its base unit.
    #[serde(rename = "Einheit")]
    pub unit: Option<Text<12>>,
    /// Currency, ISO 4217.
    #[serde(rename = "WaehrAbk")]
    pub currency: Currency,
    /// How many base units.
    pub quantity: Number,
    /// Without tax.
    pub net: Number,
}

/// Articles that are listed of a currency.
const BEST: usize = 20;

/// Quantity and net sum of the articles of each currency.
type Articles = BTreeMap<Currency, BTreeMap<ArticleNumber, (Decimal, Decimal)>>;

impl SalesSum {
    /// Adds the sums of other orders.
    pub fn add(&mut self, other: Self) {
        self.orders += other.orders;
        self.net.0 = self.net.0.saturating_add(other.net.0);
        self.gross.0 = self.gross.0.saturating_add(other.gross.0);
    }
}

impl Sales {
    fn add(&mut self, order: &Order, zone: &TimeZone, articles: &mut Articles) {
        let document = &order.document;
        let day = document.created_at.to_zoned(zone.clone()).date();
        let sum = self.days.entry((day, document.currency)).or_default();
        sum.add(SalesSum {
            orders: 1,
            net: Number(document.sums.net),
            gross: Number(document.sums.gross),
        });
        let articles = articles.entry(document.currency).or_default();
        for position in &document.positions {
            let (quantity, net) = articles.entry(position.article.clone()).or_default();
            *quantity = quantity.saturating_add(position.quantity);
            *net = net.saturating_add(position.net);
        }
        self.orders += 1;
    }
}

impl<S: Storage> Erp<S> {
    /// What was sold from one day to another, without canceled orders. Reads the newest orders first, and stops where one
    /// request may read no more.
    pub(crate) async fn sales(&self, from: Date, to: Date) -> Result<Sales, Error> {
        let company = self.company().await?;
        let zone = self.time_zone(&company.time_zone);
        let query = OrderQuery {
            from: Some(from),
            to: Some(to),
            ..OrderQuery::default()
        };
        let mut wanted = Wanted::of(&query, &zone);
        wanted
            .statuses
            .retain(|status| *status != OrderStatus::Canceled);
        let mut source = self.source(&query, &wanted).await?;
        let most = self.settings.scan_entries;
        // A part reads so many keys of each state: the first one stays within the bound.
        let at_once = most.checked_div(wanted.statuses.len());
        let at_once = at_once.unwrap_or(most).clamp(1, KEYS_PER_READ);
        let mut work = Work::new(most);
        let (mut sales, mut articles) = (Sales::default(), Articles::new());
        let mut oldest = None;
        loop {
            let mut part = self.next_part(&mut source, &wanted, at_once).await?;
            if part.entries == 0 {
                break;
            }
            match work.count(part.entries).await {
                Err(Error::TooBroad { .. }) if oldest.is_some() => {
                    sales.since = oldest;
                    break;
                }
                counted => counted?,
            }
            while !part.found.is_empty() {
                let some = part.found.drain(..ORDERS_PER_READ.min(part.found.len()));
                let numbers = some.map(|found| found.number);
                for order in self.orders_of(numbers, &wanted).await? {
                    oldest = Some(order.document.created_at);
                    sales.add(&order, &zone, &mut articles);
                }
            }
        }
        for (currency, articles) in articles {
            sales.best.extend(best(currency, articles));
        }
        self.name(&company, &mut sales.best).await?;
        Ok(sales)
    }

    /// Adds text and unit of the articles.
    async fn name(&self, company: &Company, best: &mut [ArticleSales]) -> Result<(), Error> {
        let keys = best.iter().map(|sold| keys::article(&sold.number));
        let articles = self.load_each::<Article>(keys.collect()).await?;
        for (sold, article) in best.iter_mut().zip(articles) {
            let Some(article) = article else { continue };
            let name = company.translation(&article.texts, company.language);
            sold.name = name.map(ToString::to_string).unwrap_or_default();
            sold.unit = article.value.unit;
        }
        Ok(())
    }
}

/// The articles of a currency that brought most.
fn best(
    currency: Currency,
    articles: BTreeMap<ArticleNumber, (Decimal, Decimal)>,
) -> impl Iterator<Item = ArticleSales> {
    let sold = articles.into_iter();
    let sold = sold.map(move |(number, (quantity, net))| ArticleSales {
        number,
        name: String::new(),
        unit: None,
        currency,
        quantity: Number(quantity),
        net: Number(net),
    });
    let mut sold: Vec<ArticleSales> = sold.collect();
    sold.sort_by_key(|sold| Reverse(sold.net));
    sold.truncate(BEST);
    sold.into_iter()
}
