//! What the rows of an import say of records that one row states alone: a later row that says otherwise is a problem.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::row::{ImportRow, RowError};
use crate::domain::master::{ArticleNumber, Company, PriceListType, TaxCode, TaxCodeId};
use crate::import::{Price, Row};
use crate::values::problem::Code;
use crate::values::sentence::Sentence;

/// What the rows of an import so far have stated. There may be millions of prices, so of each only two hashes are kept.
#[derive(Debug, Default)]
pub struct Stated {
    company: Option<Company>,
    taxes: BTreeMap<TaxCodeId, TaxCode>,
    prices: BTreeMap<u64, u64>,
}

impl Stated {
    /// The rows that say otherwise than a row before them, also one of an earlier call. [`Office::import`] looks for
    /// them in its own rows; a program that imports in parts asks before the first one.
    ///
    /// [`Office::import`]: crate::erp::Office::import
    pub fn contradictions(&mut self, rows: &[ImportRow]) -> Vec<RowError> {
        let mut errors = Vec::new();
        for ImportRow { line, row } in rows {
            let found = match row {
                Row::Company(company) => {
                    let known = self.company.get_or_insert_with(|| (**company).clone());
                    (*known != **company).then(|| ("", sentence!("stated.company")))
                }
                Row::TaxCode(code) => {
                    let known = self.taxes.entry(code.id.clone());
                    let known = known.or_insert_with(|| code.clone());
                    let what = || sentence!("stated.tax_code", code = code.id);
                    (known != code).then(|| ("WUSTCode", what()))
                }
                Row::Price(row) => self.price(&row.list, &row.article, &row.price),
                Row::PriceList(row) => {
                    let mut prices = row.prices.iter();
                    prices.find_map(|price| self.price(&row.list, &row.article, price))
                }
                _ => None,
            };
            errors.extend(found.map(|(member, what)| {
                let message = sentence!("contradiction.earlier", what);
                RowError::new(*line, member, Code::Contradiction, message)
            }));
        }
        errors
    }

    fn price(
        &mut self,
        list: &PriceListType,
        article: &ArticleNumber,
        price: &Price,
    ) -> Option<(&'static str, Sentence)> {
        let unit = price.unit.as_deref();
        let key = hash((&**list, &**article, unit, price.currency, price.from));
        let value = hash(price);
        let known = *self.prices.entry(key).or_insert(value);
        (known != value).then(|| {
            let from = price.from.normalize();
            let what = sentence!("stated.price", article, from, list);
            ("PreisList", what)
        })
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
