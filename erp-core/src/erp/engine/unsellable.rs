//! Counts of articles that cannot be sold, which are kept in memory per version of the master data.

use jiff::civil::Date;
use serde::Serialize;

use crate::domain::master::{Article, ArticleNumber};

/// Numbers that are listed of the articles with one reason.
const EXAMPLES: usize = 10;

/// Articles that cannot be sold. One article may have several reasons.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Unsellable {
    /// Articles with any reason.
    pub articles: usize,
    /// No price in the currency and the price list of the company.
    pub no_price: Counted,
    /// No tax code, or one without a rate today.
    pub no_tax_rate: Counted,
    /// No shop in `RESTWEBSHOP`.
    pub hidden: Counted,
    /// `ArtikelStatus` is 0.
    pub inactive: Counted,
}

/// How many articles, and the numbers of the first ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// How many.
    pub count: usize,
    /// The first ones, at most 10.
    pub examples: Vec<ArticleNumber>,
}

/// The counters of settings, articles and prices, and the day of the tax rates.
pub(crate) type UnsellableVersion = (i64, i64, i64, Date);

impl Unsellable {
    /// The reasons with what they mean.
    #[must_use]
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
    pub(crate) fn count(&mut self, article: &Article, reasons: [bool; 4]) {
        let any = reasons.contains(&true);
        self.articles = self.articles.saturating_add(usize::from(any));
        let counted = [
            &mut self.no_price,
            &mut self.no_tax_rate,
            &mut self.hidden,
            &mut self.inactive,
        ];
        for (counted, _) in counted.into_iter().zip(reasons).filter(|(_, is)| *is) {
            counted.count = counted.count.saturating_add(1);
            if counted.examples.len() < EXAMPLES {
                counted.examples.push(article.number.clone());
            }
        }
    }
}
