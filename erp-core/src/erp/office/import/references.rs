//! Tax codes and price lists that rows name, and what rows with problems bring for the rows after them.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::batch::{Batch, Working, set};
use super::row::{ImportRow, RowError};
use crate::domain::master::{
    Article, ArticleNumber, Company, PackagingUnit, PriceListType, TaxClass, TaxCode, TaxCodeId,
};
use crate::erp::engine::{Erp, Error, Office, keys};
use crate::import::{InvalidRow, Row, RowKind};
use crate::storage::{Key, Scan, Space, Storage, StoreResult};
use crate::values::problem::{Code, Problem};
use crate::values::sentence::Sentence;

/// A name in a row that no row before it brings.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    line: usize,
    name: NamedRecord,
}

#[derive(Clone, Debug)]
enum NamedRecord {
    TaxCode(TaxCodeId),
    PriceList(PriceListType),
}

impl NamedRecord {
    /// The key that begins the keys of what is named.
    fn prefix(&self) -> Key {
        match self {
            Self::TaxCode(code) => Key::of(Space::TaxCode).text(code),
            Self::PriceList(list) => Key::of(Space::Price).text(list),
        }
    }

    fn message(&self) -> Sentence {
        match self {
            Self::TaxCode(code) => sentence!("unknown_tax_code", code),
            Self::PriceList(list) => sentence!("unknown_value.price_list", list),
        }
    }
}

impl From<Reference> for RowError {
    fn from(Reference { line, name }: Reference) -> Self {
        let (member, code) = match name {
            NamedRecord::TaxCode(_) => ("WUSTCode", Code::UnknownTaxCode),
            NamedRecord::PriceList(_) => ("PreisListe", Code::UnknownValue),
        };
        Self::new(line, member, code, name.message())
    }
}

impl Batch {
    /// What the rows name and the batch does not have. A name that the stored record has already is left out: its
    /// record may be gone since, and importing the same rows again changes nothing.
    pub(super) fn references(&self, rows: &[ImportRow]) -> Vec<Reference> {
        let mut unknown = Vec::new();
        for ImportRow { line, row } in rows {
            let (code, list) = match row {
                Row::Article(row, _) => {
                    let before = before(&self.articles, &row.number);
                    let before = before.and_then(|before| before.tax_code.as_ref());
                    (new(&row.tax_code, before), None)
                }
                Row::Customer(row) => {
                    let before = before(&self.customers, &row.number);
                    let code = before.and_then(|before| before.tax_code.as_ref());
                    let list = before.and_then(|before| before.price_list.as_ref());
                    (new(&row.tax_code, code), new(&row.price_list, list))
                }
                Row::Invalid(row) if row.kind == Some(RowKind::Article) => {
                    (row.tax_code.as_ref(), None)
                }
                Row::Invalid(row) if row.kind == Some(RowKind::Customer) => {
                    (row.tax_code.as_ref(), row.list.as_ref())
                }
                _ => continue,
            };
            let code = code.filter(|code| !self.has_tax_code(code)).cloned();
            let list = list.filter(|list| !self.has_prices(list)).cloned();
            let names = [
                code.map(NamedRecord::TaxCode),
                list.map(NamedRecord::PriceList),
            ];
            let names = names.into_iter().flatten();
            unknown.extend(names.map(|name| Reference { line: *line, name }));
        }
        unknown
    }

    fn has_tax_code(&self, code: &TaxCodeId) -> bool {
        let working = self.taxes.get(code);
        working.is_some_and(|working| working.now.is_some())
    }

    fn has_prices(&self, list: &PriceListType) -> bool {
        let first = (list.clone(), ArticleNumber::default());
        let mut prices = self
            .prices
            .range(first..)
            .take_while(|((of, _), _)| of == list);
        prices.any(|(_, working)| working.now.is_some())
    }

    /// Adds what a row with problems would have brought, so that the rows that name it have no problem of their own.
    pub(super) fn bring(&mut self, row: &InvalidRow) -> Result<(), Problem> {
        if row.kind == Some(RowKind::TaxCode)
            && let Some(id) = row.tax_code.as_ref().filter(|id| !self.has_tax_code(id))
        {
            let code = TaxCode::bare(id.clone(), TaxClass::Other);
            set(&mut self.taxes, id, code);
        }
        let Some(number) = &row.article else {
            return Ok(());
        };
        if row.kind == Some(RowKind::Article) && self.known_article(number, None).is_err() {
            let article = Article {
                number: number.clone(),
                ..Article::default()
            };
            set(&mut self.articles, number, article);
        }
        self.known_article(number, None)?;
        if let Some(RowKind::Article | RowKind::PackagingUnit) = row.kind {
            let units = row.units.iter().map(|code| PackagingUnit {
                code: code.clone(),
                ..PackagingUnit::default()
            });
            return self.change_article(number, |article| article.units.extend(units));
        }
        for unit in &row.units {
            self.known_article(number, Some(unit))?;
        }
        if let Some(list) = &row.list
            && let Some(prices) = self.prices.get_mut(&(list.clone(), number.clone()))
        {
            prices.now.get_or_insert_default();
        }
        Ok(())
    }
}

fn before<'a, K: Ord, T>(records: &'a BTreeMap<K, Working<T>>, key: &K) -> Option<&'a T> {
    let before = records.get(key)?.before.as_ref()?;
    Some(&before.value)
}

/// A name that the record did not have before.
fn new<'a, T: PartialEq>(name: &'a Option<T>, before: Option<&T>) -> Option<&'a T> {
    name.as_ref().filter(|name| before != Some(name))
}

impl<S: Storage> Erp<S> {
    /// The references to what is not in the store either.
    pub(super) async fn unknown(
        &self,
        mut references: Vec<Reference>,
    ) -> StoreResult<Vec<Reference>> {
        let mut known = BTreeMap::new();
        for prefix in references.iter().map(|reference| reference.name.prefix()) {
            if let Entry::Vacant(unread) = known.entry(prefix) {
                let is_known = self.begins_a_key(unread.key()).await?;
                unread.insert(is_known);
            }
        }
        references.retain(|reference| known.get(&reference.name.prefix()) != Some(&true));
        Ok(references)
    }

    async fn begins_a_key(&self, prefix: &Key) -> StoreResult<bool> {
        let mut pages = self.pages(Scan::prefix(prefix).limit(1));
        while let Some(entries) = pages.next().await? {
            if !entries.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl<S: Storage> Office<'_, S> {
    /// What the company lacks to sell anything, in sentences, for the report of an import. It is the first row of a new
    /// store, before all that it names, so that this is no problem of the row.
    pub async fn missing_to_sell(self) -> Result<Vec<Sentence>, Error> {
        let Some(company) = self.erp.load::<Company>(&keys::company()).await? else {
            return Ok(vec![sentence!("missing.company")]);
        };
        let company = company.value;
        let mut warnings = Vec::new();
        if company.price_list.is_none() {
            warnings.push(sentence!("missing.price_list"));
        }
        let tax_codes = [company.tax_code, company.delivery_tax_code];
        let names = tax_codes.into_iter().flatten().map(NamedRecord::TaxCode);
        let names = names.chain(company.price_list.map(NamedRecord::PriceList));
        let references = names.map(|name| Reference { line: 0, name });
        for Reference { name, .. } in self.erp.unknown(references.collect()).await? {
            warnings.push(sentence!("missing.named", what = name.message()));
        }
        warnings.dedup();
        Ok(warnings)
    }
}
