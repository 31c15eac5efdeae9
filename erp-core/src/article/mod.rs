//! How an article is shown: selection, language, price fallback, stock.

mod render;
mod sorting;

use std::sync::Arc;

use jiff::civil::Date;

use crate::codes::{Currency, Language};
use crate::links::Links;
use crate::master::{Article, ArticlePrices, ArticleStock, Company, TaxTable};

pub use render::{Form, article_answer};
pub(crate) use sorting::{Ranking, Sorter, depends_on_language};
pub use sorting::{SORTABLE, Sort, SortError, parse_sorts};

/// What an article is shown with.
#[derive(Clone, Debug)]
pub struct View<'a> {
    /// The company.
    pub company: &'a Company,
    /// The tax codes.
    pub taxes: &'a TaxTable,
    /// The day whose tax rates count.
    pub day: Date,
    /// The currency of the prices.
    pub currency: Currency,
    /// The language of the texts.
    pub language: Language,
    /// Where links lead.
    pub links: Links<'a>,
}

/// An article with what is stored about it elsewhere.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The article.
    pub article: Arc<Article>,
    /// Its prices, one entry per list of the chain.
    pub prices: Vec<Option<Arc<ArticlePrices>>>,
    /// Its stored stock.
    pub stock: Option<Arc<ArticleStock>>,
    /// What is reserved of each released entry, in millionths, in the entries' order.
    pub reserved: Vec<i64>,
}
