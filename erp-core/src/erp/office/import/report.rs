//! Counts what the rows of an import did.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ImportRow;
use super::batch::{Batch, Working};
use super::members::{ChangedMembers, note};
use crate::domain::master::{
    Article, ArticleNumber, ArticlePrices, ArticleStock, Attributes, Company, Customer,
    ForgottenCustomer, PriceListType, TaxCode,
};
use crate::domain::media::Media;
use crate::import::{Removal, Row};
use crate::storage::Sequence;
use crate::values::problem::{Code, Problem};

/// Result of a batch, counted in rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline, description = ""))]
#[non_exhaustive]
pub struct ImportReport {
    /// All rows: the sum of the other counts; 0 of a refused import.
    pub rows: usize,
    /// Rows that created a record or a part of one, like a price.
    pub added: usize,
    /// Rows that changed a record or a part of one.
    pub changed: usize,
    /// Rows that removed a record or a part of one.
    pub removed: usize,
    /// Rows that changed nothing.
    pub unchanged: usize,
    /// Rows of orders, offers and invoices, which are skipped.
    pub skipped: usize,
    /// What is stored but has a consequence, by line; at most 100.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Problem>,
    /// The members that rows changed of articles, prices, stock and customers that were there.
    #[serde(default, skip_serializing_if = "ChangedMembers::is_empty")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub changed_members: ChangedMembers,
}

const WARNINGS_LISTED: usize = 100;

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
        other
            .warnings
            .iter()
            .for_each(|warning| self.warn(warning.clone()));
        for (kind, members) in &other.changed_members {
            let known = self.changed_members.entry(kind.clone()).or_default();
            known.extend(members.iter().cloned());
        }
    }

    /// Adds a warning, if there is room.
    pub fn warn(&mut self, warning: Problem) {
        if self.warnings.len() < WARNINGS_LISTED {
            self.warnings.push(warning);
        }
    }

    /// Warns of a customer whose number is beyond the range of the sequence.
    pub(super) fn warn_of(&mut self, line: usize, row: &Row) {
        let Row::Customer(customer) = row else {
            return;
        };
        let digits = Sequence::Customer.last_number().to_string().len();
        if customer.number.len() > digits {
            let path = format!("line {line}: KundNr");
            let message = sentence!("too_long.customer", number = customer.number, digits);
            self.warn(Problem {
                limit: u64::try_from(digits).ok(),
                ..Problem::new(path, Code::TooLong, message)
            });
        }
    }

    /// Warns of packaging units that shops are to show and that the article does not have.
    pub(super) fn warn_of_shop_units(&mut self, line: usize, article: &Article) {
        for unit in article.unknown_shop_units() {
            let message = sentence!("unknown_packaging_unit.shop", code = unit);
            let path = format!("line {line}: attributes");
            self.warn(Problem::new(path, Code::UnknownPackagingUnit, message));
        }
    }

    /// Warns of an article that no shop sees.
    pub(super) fn warn_of_hidden(&mut self, ImportRow { line, row }: &ImportRow) {
        if let Row::Article(article, _) = row
            && article.attributes.get(Attributes::SELECTION).is_none()
        {
            let path = format!("line {line}: attributes");
            let message = sentence!("not_sold.hidden", article = article.number);
            self.warn(Problem::new(path, Code::NotSold, message));
        }
    }

    /// Counts a row by comparing its record before and after it.
    pub(super) fn count(&mut self, row: &Row, before: &Target, after: &Target) {
        let count = match row {
            Row::Document => &mut self.skipped,
            _ if before == after => &mut self.unchanged,
            _ if before.size() < after.size() => &mut self.added,
            _ if before.size() > after.size() => &mut self.removed,
            _ => {
                note(&mut self.changed_members, row, before, after);
                &mut self.changed
            }
        };
        *count += 1;
        self.rows += 1;
    }
}

#[derive(Debug, PartialEq)]
pub(super) enum Target {
    Company(Option<Box<Company>>),
    TaxCode(Option<TaxCode>),
    Article(Option<Box<Article>>),
    /// Texts, packaging units and declarations of an article.
    Parts(Option<Box<Article>>),
    Prices(Option<ArticlePrices>),
    /// Single prices.
    Tiers(Option<ArticlePrices>),
    Stock(Option<ArticleStock>),
    Customer(Option<Box<Customer>>),
    Forgotten(Option<ForgottenCustomer>),
    Media(Option<Box<Media>>),
    None,
}

impl Target {
    /// How much of it there is: of a record whether it exists, of parts how many.
    fn size(&self) -> usize {
        match self {
            Self::Company(record) => record.is_some().into(),
            Self::TaxCode(record) => record.is_some().into(),
            Self::Article(record) => record.is_some().into(),
            Self::Parts(record) => record.as_ref().map_or(0, |article| {
                let texts = article.texts.len() + article.units.len();
                texts.saturating_add(article.declarations.len())
            }),
            Self::Prices(record) => record.is_some().into(),
            Self::Tiers(record) => record.as_ref().map_or(0, |prices| {
                prices.sets().iter().map(|set| set.tiers.len()).sum()
            }),
            Self::Stock(record) => record.as_ref().map_or(0, |stock| stock.entries.len()),
            Self::Customer(record) => record.is_some().into(),
            Self::Forgotten(record) => record.is_some().into(),
            Self::Media(record) => record.is_some().into(),
            Self::None => 0,
        }
    }
}

impl Batch {
    /// The current state of the record that a row refers to. `media_key` as for [`Self::apply`].
    pub(super) fn target(&self, row: &Row, media_key: Option<i32>) -> Target {
        let article = |number| now_of(&self.articles, number).map(Box::new);
        let prices = |list: &PriceListType, number: &ArticleNumber| {
            now_of(&self.prices, &(list.clone(), number.clone()))
        };
        match row {
            Row::Company(_) => Target::Company(now_of(&self.company, &()).map(Box::new)),
            Row::TaxCode(code) => Target::TaxCode(now_of(&self.taxes, &code.id)),
            Row::Article(row, _) => Target::Article(article(&row.number)),
            Row::PackagingUnit(row) => Target::Parts(article(&row.article)),
            Row::ArticleText(row) => Target::Parts(article(&row.article)),
            Row::Declaration(row) => Target::Parts(article(&row.article)),
            Row::PriceList(row) => Target::Prices(prices(&row.list, &row.article)),
            Row::Price(row) => Target::Tiers(prices(&row.list, &row.article)),
            Row::Stock(row) => Target::Stock(now_of(&self.stock, &row.article)),
            Row::Customer(row) => {
                Target::Customer(now_of(&self.customers, &row.number).map(Box::new))
            }
            Row::ForgottenCustomer(row) => Target::Forgotten(now_of(&self.forgotten, &row.number)),
            Row::Media(_) | Row::Remove(Removal::Media(_) | Removal::MediaAt(_)) => {
                let media = media_key.and_then(|key| now_of(&self.media, &key));
                Target::Media(media.map(Box::new))
            }
            Row::Remove(Removal::Article(of)) => Target::Article(article(of)),
            Row::Remove(
                Removal::PackagingUnit(of, _)
                | Removal::ArticleText(of, _)
                | Removal::Declaration(of, ..),
            ) => Target::Parts(article(of)),
            Row::Remove(Removal::Price(list, of, ..)) => Target::Tiers(prices(list, of)),
            Row::Remove(Removal::Stock(of, ..)) => Target::Stock(now_of(&self.stock, of)),
            Row::Document | Row::Invalid(_) => Target::None,
        }
    }
}

fn now_of<K: Ord, T: Clone>(records: &BTreeMap<K, Working<T>>, key: &K) -> Option<T> {
    records.get(key).and_then(|working| working.now.clone())
}
