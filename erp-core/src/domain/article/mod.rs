//! How an article is shown: visibility, language, price lists, stock.

mod sorting;
mod words;

use std::sync::Arc;

use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::domain::master::{Article, ArticlePrices, ArticleStock, Company, TaxTable};
use crate::values::codes::{Currency, Language};

pub(crate) use sorting::{BY_NAME, Ranking, Sorter, depends_on_language};
pub use sorting::{SORTABLE, Sort, SortError, parse_sorts};
pub use words::{SearchWord, TooManyWords, search_words};

/// The context an article is shown in.
#[derive(Clone, Debug)]
pub struct View<'a> {
    /// The company.
    pub company: &'a Company,
    /// The tax codes.
    pub taxes: &'a TaxTable,
    /// The day that determines tax rates.
    pub day: Date,
    /// The currency of the prices.
    pub currency: Currency,
    /// The language of the texts.
    pub language: Language,
}

/// An article with its prices and stock.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The article.
    pub article: Arc<Article>,
    /// Its prices, one entry per list of the price list chain.
    pub prices: Vec<Option<Arc<ArticlePrices>>>,
    /// Its stored stock.
    pub stock: Option<Arc<ArticleStock>>,
    /// Reserved quantity of each released entry, in millionths, in the order of the entries.
    pub reserved: Vec<i64>,
}

/// The response that an article is rendered for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// An entry of the article list: without declarations.
    List,
    /// A single article: with declarations and weight.
    Single,
}

// rule: R-RES-13
/// Today's rate of the article's tax code, otherwise of the company's standard code.
pub(crate) fn tax_rate(view: &View<'_>, article: &Article) -> Option<Decimal> {
    let code = article
        .tax_code
        .as_ref()
        .or(view.company.tax_code.as_ref())?;
    view.taxes.rate_on(code, view.day).map(|rate| rate.rate)
}
