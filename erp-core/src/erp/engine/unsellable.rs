//! Counts of articles that cannot be sold, which are kept in memory per version of the master data.

use jiff::civil::Date;
use serde::Serialize;

use crate::domain::master::ArticleNumber;

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
