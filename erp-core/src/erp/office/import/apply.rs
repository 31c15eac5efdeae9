//! Applies rows to the records of a batch.

use super::ImportReport;
use super::batch::{Batch, clear, set};
use super::prices::put_price;
use super::row::{ImportRow, RowError};
use crate::domain::master::{Article, ArticleNumber, Declaration, PackagingUnit, StockEntry};
use crate::import::{PackagingUnitRow, Removal, Row, StockRow};
use crate::values::problem::{Code, Problem};

impl Batch {
    /// Applies the rows that have no problem; `keys` are those of their media.
    pub(super) fn apply_all(
        &mut self,
        rows: &[ImportRow],
        keys: &[Option<i32>],
    ) -> (ImportReport, Vec<RowError>) {
        let mut report = ImportReport::default();
        let mut errors = Vec::new();
        for (ImportRow { line, row }, key) in rows.iter().zip(keys) {
            let error = |problem| RowError {
                line: *line,
                problem,
            };
            if let Row::Invalid(row) = row {
                errors.extend(row.problems.iter().cloned().map(error));
            }
            let before = self.target(row, *key);
            match self.apply(row, *key) {
                Ok(()) => {
                    report.count(row, &before, &self.target(row, *key));
                    report.warn_of(*line, row);
                }
                Err(problem) => errors.push(error(problem)),
            }
        }
        for ImportRow { line, row } in rows {
            if let Row::Article(article, _) = row
                && let Some(working) = self.articles.get(&article.number)
                && let Some(article) = &working.now
            {
                report.warn_of_shop_units(*line, article);
            }
        }
        (report, errors)
    }

    /// Applies a row. `media_key` is the key of the media record that it refers to.
    pub(super) fn apply(&mut self, row: &Row, media_key: Option<i32>) -> Result<(), Problem> {
        match row {
            Row::Company(company) => set(&mut self.company, &(), (**company).clone()),
            Row::TaxCode(code) => {
                // It is there for the rows that name it all the same.
                set(&mut self.taxes, &code.id, code.clone());
                code.check_rates()?;
            }
            Row::Article(article, left) => {
                let mut article = (**article).clone();
                let stored = self.articles.get(&article.number);
                if let Some(stored) = stored.and_then(|working| working.now.as_ref()) {
                    left.fill(&mut article, stored);
                }
                self.put_article(article);
            }
            Row::PackagingUnit(PackagingUnitRow { article, unit }) => {
                self.change_article(article, |article| put_unit(article, unit))?;
            }
            Row::ArticleText(row) => {
                self.change_article(&row.article, |article| {
                    drop(article.texts.insert(row.language, row.text.clone()))
                })?;
            }
            Row::Declaration(row) => {
                self.change_article(&row.article, |article| {
                    put_declaration(article, &row.declaration)
                })?;
            }
            Row::PriceList(row) => self.replace_prices(&row.list, &row.article, &row.prices)?,
            Row::Price(row) => {
                self.known_article(&row.article, row.price.unit.as_deref())?;
                let now = self.now;
                let put = |known: &mut _| put_price(known, &row.price, now);
                self.change_prices(&row.list, &row.article, put)?;
            }
            Row::Stock(StockRow { article, entry }) => {
                self.known_article(article, entry.unit.as_deref())?;
                self.put_stock(article, entry);
            }
            Row::Customer(customer) => self.put_customer(customer)?,
            Row::ForgottenCustomer(customer) => self.put_forgotten(customer)?,
            Row::Media(media) => self.put_media(media, media_key)?,
            Row::Remove(Removal::Media(_) | Removal::MediaAt(_)) => {
                if let Some(key) = media_key {
                    self.clear_media(key);
                }
            }
            Row::Remove(removal) => self.remove(removal)?,
            Row::Invalid(row) => self.bring(row)?,
            Row::Document => (),
        }
        Ok(())
    }

    fn put_article(&mut self, mut article: Article) {
        let now = self.now;
        if let Some(working) = self.articles.get_mut(&article.number) {
            let before = working.before.as_ref().map(|before| &before.value);
            article.changed_at = before.map_or(now, |before| before.changed_at);
            if before.is_some_and(|before| *before != article) {
                article.changed_at = now;
            }
            working.now = Some(article);
        }
    }

    pub(super) fn change_article(
        &mut self,
        number: &ArticleNumber,
        change: impl FnOnce(&mut Article),
    ) -> Result<(), Problem> {
        let known = self
            .articles
            .get(number)
            .and_then(|working| working.now.clone());
        let mut article = known.ok_or_else(|| unknown_article(number))?;
        change(&mut article);
        self.put_article(article);
        Ok(())
    }

    pub(super) fn known_article(
        &self,
        number: &ArticleNumber,
        unit: Option<&str>,
    ) -> Result<(), Problem> {
        let article = self
            .articles
            .get(number)
            .and_then(|working| working.now.as_ref());
        let article = article.ok_or_else(|| unknown_article(number))?;
        if article.has_unit(unit) {
            return Ok(());
        }
        let unit = unit.unwrap_or_default();
        let message = sentence!("unknown_packaging_unit", article = number, code = unit);
        let code = Code::UnknownPackagingUnit;
        Err(Problem::new("VPEinheit", code, message))
    }

    fn put_stock(&mut self, article: &ArticleNumber, entry: &StockEntry) {
        let Some(working) = self.stock.get_mut(article) else {
            return;
        };
        let stock = working.now.get_or_insert_default();
        match stock.entries.iter_mut().find(|known| known.is_at(entry)) {
            Some(known) => *known = entry.clone(),
            None => stock.entries.push(entry.clone()),
        }
    }

    fn remove(&mut self, removal: &Removal) -> Result<(), Problem> {
        match removal {
            Removal::Article(number) => {
                clear(&mut self.articles, number);
                clear(&mut self.stock, number);
                for list in &self.lists {
                    clear(&mut self.prices, &(list.clone(), number.clone()));
                }
                self.clear_media_of(number);
            }
            // Only `apply` knows their keys.
            Removal::Media(_) | Removal::MediaAt(_) => (),
            Removal::PackagingUnit(number, code) => {
                self.change_article(number, |article| {
                    article.units.retain(|unit| unit.code != *code)
                })?;
            }
            Removal::ArticleText(number, language) => {
                self.change_article(number, |article| drop(article.texts.remove(language)))?;
            }
            Removal::Declaration(number, which, language) => {
                self.change_article(number, |article| {
                    article
                        .declarations
                        .retain(|known| known.number != *which || known.language != *language);
                })?
            }
            Removal::Price(list, number, unit, currency, from) => {
                self.change_prices(list, number, |prices| {
                    prices.remove(unit.as_deref(), *currency, *from);
                    Ok(())
                })?;
            }
            Removal::Stock(number, place, location, unit) => {
                if let Some(working) = self.stock.get_mut(number) {
                    let mut stock = working.now.take().unwrap_or_default();
                    stock.entries.retain(|known| {
                        known.place != *place || known.location != *location || known.unit != *unit
                    });
                    working.now = (!stock.entries.is_empty()).then_some(stock);
                }
            }
        }
        Ok(())
    }
}

fn put_unit(article: &mut Article, unit: &PackagingUnit) {
    let mut units = article.units.iter_mut();
    match units.find(|known| known.code == unit.code) {
        Some(known) => *known = unit.clone(),
        None => article.units.push(unit.clone()),
    }
}

fn put_declaration(article: &mut Article, declaration: &Declaration) {
    let same = |known: &&mut Declaration| {
        known.number == declaration.number && known.language == declaration.language
    };
    match article.declarations.iter_mut().find(same) {
        Some(known) => *known = declaration.clone(),
        None => article.declarations.push(declaration.clone()),
    }
}

fn unknown_article(number: &ArticleNumber) -> Problem {
    let message = sentence!("unknown_article", number);
    Problem::new("ArtNr", Code::UnknownArticle, message)
}
