//! Export of all data as lines in the import format, page by page.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::domain::document::{Invoice, Offer, Order, OrderNote, ShownOffer};
use crate::domain::master::{
    Article, ArticleNumber, ArticlePrices, ArticleStock, Customer, ForgottenCustomer, TaxCode,
};
use crate::domain::master::{Company, PriceListType};
use crate::domain::media::{ArticleMedia, BodyHash, Media};
use crate::domain::response;
use crate::erp::catalogue::MasterKind;
use crate::erp::engine::{Error, Upkeep, keys};
use crate::import::{
    DeclarationRow, MediaRow, PackagingUnitRow, Price, PriceListRow, PriceRow, RowKind, StockRow,
};
use crate::storage::record::{Stored, Versioned, decode, decode_all};
use crate::storage::{Entry, Key, Revision, Scan, Space, Storage, StorageError, StoreResult};
use crate::values::json::to_ascii;
use crate::values::limits::POSITIONS_PER_DOCUMENT;
use crate::wire::{As, WriteRecord, view};

/// Records per page; keeps a page small even if every record has its maximum size.
const RECORDS: usize = 64;

/// Maximum number of list entries in one row; further entries are written as additional rows.
const ENTRIES: usize = POSITIONS_PER_DOCUMENT;

/// One line of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExportedRow {
    /// The row kind, which is its only field: `Artikel`.
    pub kind: &'static str,
    /// The JSON object, in ASCII and without line breaks.
    pub json: String,
    /// The SHA-256 of the file that a media row refers to.
    pub file: Option<BodyHash>,
}

/// Position of an export; the default is the start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportPlace {
    stage: usize,
    scan: Option<Scan>,
    /// Revision of the latest change of articles before the export started.
    articles_at: Option<Revision>,
}

/// The records of [`Upkeep::export_of`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportOf<'a> {
    /// The company and its tax codes.
    Company,
    /// An article with its prices, stock and media.
    Article(&'a str),
    /// A customer with its addresses.
    Customer(&'a str),
}

/// A part of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExportPage {
    /// The lines, in the order of the file.
    pub rows: Vec<ExportedRow>,
    /// Number of prices, stock and media records left out because their article or its packaging unit no longer
    /// exists: an import would reject them.
    pub left_out: usize,
    /// Start of the next page; `None` after the last page.
    pub next: Option<ExportPlace>,
}

/// Order of the kinds: a row is written after the rows it refers to.
const STAGES: [Space; 11] = [
    Space::Company,
    Space::TaxCode,
    Space::Article,
    Space::Price,
    Space::Stock,
    Space::Customer,
    Space::ForgottenCustomer,
    Space::Media,
    Space::Order,
    Space::Offer,
    Space::Invoice,
];

/// An order with the fields of its response, and the note of the office.
#[derive(Serialize)]
struct ExportedOrder<'a> {
    #[serde(flatten)]
    order: &'a response::Order,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a OrderNote>,
}

impl ExportPage {
    fn put<T: Serialize>(&mut self, kind: &'static str, row: &T) -> StoreResult<()> {
        let damaged = |error: String| StorageError::Damaged(format!("{kind}: {error}"));
        let bytes =
            to_ascii(&BTreeMap::from([(kind, row)])).map_err(|error| damaged(error.to_string()))?;
        let json = String::from_utf8(bytes).map_err(|error| damaged(error.to_string()))?;
        self.rows.push(ExportedRow {
            kind,
            json,
            file: None,
        });
        Ok(())
    }

    fn put_record<T: WriteRecord<view::Row>>(
        &mut self,
        kind: RowKind,
        record: &T,
    ) -> StoreResult<()> {
        self.put(kind.as_str(), &As::<_, view::Row>::new(record))
    }

    fn put_all<T: Stored + WriteRecord<view::Row>>(
        &mut self,
        kind: RowKind,
        entries: &[(Key, Entry)],
    ) -> StoreResult<()> {
        let records: Vec<T> = decode_all(entries)?;
        records
            .iter()
            .try_for_each(|one| self.put_record(kind, one))
    }

    fn article(&mut self, article: &Article) -> StoreResult<()> {
        let mut whole = article.clone();
        let units = whole.units.split_off(whole.units.len().min(ENTRIES));
        let declarations = whole
            .declarations
            .split_off(whole.declarations.len().min(ENTRIES));
        self.put_record(RowKind::Article, &whole)?;
        for unit in units {
            let article = article.number.clone();
            self.put_record(RowKind::PackagingUnit, &PackagingUnitRow { article, unit })?;
        }
        for declaration in declarations {
            let article = article.number.clone();
            self.put_record(
                RowKind::Declaration,
                &DeclarationRow {
                    article,
                    declaration,
                },
            )?;
        }
        Ok(())
    }

    fn prices(&mut self, list: &str, article: &Article, prices: &ArticlePrices) -> StoreResult<()> {
        let mut tiers = Vec::new();
        for set in prices.sets() {
            if article.has_unit(set.unit.as_deref()) {
                tiers.extend(set.tiers.iter().map(|tier| Price::of(set, tier)));
            } else {
                self.left_out += set.tiers.len();
            }
        }
        let beyond = tiers.split_off(tiers.len().min(ENTRIES));
        if tiers.is_empty() {
            return Ok(());
        }
        let (list, article) = (PriceListType::new(list), article.number.clone());
        let list = list.map_err(|error| StorageError::Damaged(error.to_string()))?;
        let row = PriceListRow {
            list: list.clone(),
            article: article.clone(),
            prices: tiers,
        };
        self.put_record(RowKind::PriceList, &row)?;
        for price in beyond {
            let row = PriceRow {
                list: list.clone(),
                article: article.clone(),
                price,
            };
            self.put_record(RowKind::Price, &row)?;
        }
        Ok(())
    }

    fn stock(&mut self, article: &Article, stock: &ArticleStock) -> StoreResult<()> {
        for entry in &stock.entries {
            if article.has_unit(entry.unit.as_deref()) {
                let (article, entry) = (article.number.clone(), entry.clone());
                self.put_record(RowKind::Stock, &StockRow { article, entry })?;
            } else {
                self.left_out += 1;
            }
        }
        Ok(())
    }

    fn media(&mut self, media: &Media) -> StoreResult<()> {
        self.put_record(RowKind::Media, &MediaRow::from(media))?;
        if let Some(row) = self.rows.last_mut() {
            row.file = media.image.as_ref().map(|image| image.hash);
        }
        Ok(())
    }
}

/// The articles that the records of a page belong to.
type Articles = BTreeMap<ArticleNumber, Versioned<Article>>;

impl<S: Storage> Upkeep<'_, S> {
    /// The next lines of an export: company, tax codes, articles, prices, stock, customers (of forgotten ones that
    /// they are) and media as import rows,
    /// then orders (`Auftrag`, with the office's `note`), offers (`Offerte`) and invoices (`Rechnung`) with the fields of their responses, which an
    /// import skips. Start with the default place and continue with the page's `next`.
    ///
    /// Every row is one record as of some moment of the export. Concurrent changes may be included or not. An article
    /// that is added or changed during the export is written before the rows that refer to it, so that the export
    /// can still be imported.
    ///
    /// # Errors
    /// When the store fails, or a record cannot be decoded.
    pub async fn export(self, place: ExportPlace) -> Result<ExportPage, Error> {
        let mut page = ExportPage::default();
        let Some(space) = STAGES.get(place.stage) else {
            return Ok(page);
        };
        let articles_at = match place.articles_at {
            Some(revision) => revision,
            None => {
                let last = self.erp.entry(&MasterKind::Articles.key()).await?;
                last.map_or(0, |entry| entry.revision)
            }
        };
        let scan = place
            .scan
            .unwrap_or_else(|| Scan::of(*space).limit(RECORDS));
        let read = self.erp.store.scan(scan).await?;
        self.export_entries(*space, &read.entries, articles_at, &mut page)
            .await?;
        let stage = match read.next {
            Some(_) => place.stage,
            None => place.stage.saturating_add(1),
        };
        page.next = (stage < STAGES.len()).then_some(ExportPlace {
            stage,
            scan: read.next,
            articles_at: Some(articles_at),
        });
        Ok(page)
    }

    /// The lines of one record and of what belongs to it.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is no such record.
    pub async fn export_of(self, wanted: ExportOf<'_>) -> Result<Vec<ExportedRow>, Error> {
        let mut page = ExportPage::default();
        match wanted {
            ExportOf::Company => {
                for space in [Space::Company, Space::TaxCode] {
                    let read = self.erp.scan_all(Scan::of(space)).await?;
                    self.export_entries(space, &read, Revision::MAX, &mut page)
                        .await?;
                }
            }
            ExportOf::Customer(number) => {
                let customer = self.erp.stored_customer(number).await?.value;
                page.put_record::<Customer>(RowKind::Customer, &customer)?;
            }
            ExportOf::Article(number) => self.export_article(number, &mut page).await?,
        }
        Ok(page.rows)
    }

    async fn export_article(self, number: &str, page: &mut ExportPage) -> Result<(), Error> {
        let article = self.erp.load::<Article>(&keys::article(number)).await?;
        let article = article.ok_or_else(|| Error::not_found("article", number))?;
        page.article(&article.value)?;
        let number = &article.value.number;
        let lists = self.erp.price_lists(usize::MAX).await?;
        let media = self
            .erp
            .load::<ArticleMedia>(&keys::media_of_article(number))
            .await?;
        let media = media.map(|media| media.value.keys).unwrap_or_default();
        let prices = lists.iter().map(|list| keys::price(list, number));
        for (space, owned) in [
            (Space::Price, prices.collect()),
            (Space::Stock, vec![keys::stock(number)]),
            (
                Space::Media,
                media.into_iter().map(keys::media).collect::<Vec<_>>(),
            ),
        ] {
            let entries = self.erp.store.get(&owned).await?;
            let found = owned.into_iter().zip(entries);
            let found: Vec<_> = found
                .filter_map(|(key, entry)| Some((key, entry?)))
                .collect();
            self.export_entries(space, &found, Revision::MAX, page)
                .await?;
        }
        Ok(())
    }

    async fn export_entries(
        self,
        space: Space,
        entries: &[(Key, Entry)],
        articles_at: Revision,
        page: &mut ExportPage,
    ) -> Result<(), Error> {
        match space {
            Space::Company => page.put_all::<Company>(RowKind::Company, entries)?,
            Space::TaxCode => page.put_all::<TaxCode>(RowKind::TaxCode, entries)?,
            Space::Article => {
                for article in &decode_all(entries)? {
                    page.article(article)?;
                }
            }
            Space::Customer => page.put_all::<Customer>(RowKind::Customer, entries)?,
            Space::ForgottenCustomer => {
                page.put_all::<ForgottenCustomer>(RowKind::Customer, entries)?;
            }
            Space::Order => {
                for order in &decode_all::<Order>(entries)? {
                    let (order, note) = (&order.to_wire(), order.note.as_ref());
                    page.put("Auftrag", &ExportedOrder { order, note })?;
                }
            }
            Space::Invoice => {
                for invoice in &decode_all::<Invoice>(entries)? {
                    page.put("Rechnung", &As::<_, view::Response>::new(invoice))?;
                }
            }
            Space::Offer => self.export_offers(decode_all(entries)?, page).await?,
            _ => {
                let owned = entries.iter().map(|(key, entry)| owner(space, key, entry));
                let owned: Vec<Owned> = owned.collect::<Result<_, _>>()?;
                let articles = self.articles_of(&owned).await?;
                for Owned { article, what } in &owned {
                    let Some(found) = articles.get(article) else {
                        page.left_out += what.count();
                        continue;
                    };
                    // An article that changed during the export is written again before its records.
                    if found.revision > articles_at {
                        page.article(&found.value)?;
                    }
                    match what {
                        What::Prices(list, prices) => page.prices(list, &found.value, prices)?,
                        What::Stock(stock) => page.stock(&found.value, stock)?,
                        What::Media(media) => page.media(media)?,
                    }
                }
            }
        }
        Ok(())
    }

    async fn articles_of(self, owned: &[Owned]) -> StoreResult<Articles> {
        let mut numbers: Vec<&ArticleNumber> = owned.iter().map(|owned| &owned.article).collect();
        numbers.sort();
        numbers.dedup();
        let keys = numbers.iter().map(|number| keys::article(number));
        let found = self.erp.load_each(keys.collect()).await?;
        let found = numbers.into_iter().cloned().zip(found);
        Ok(found
            .filter_map(|(number, article)| Some((number, article?)))
            .collect())
    }

    async fn export_offers(self, offers: Vec<Offer>, page: &mut ExportPage) -> Result<(), Error> {
        if offers.is_empty() {
            return Ok(());
        }
        let company = self.erp.company().await?;
        for offer in offers {
            let customer = match &offer.customer {
                Some(number) => self.erp.load::<Customer>(&keys::customer(number)).await?,
                None => None,
            };
            let customer = customer.as_ref().map(|found| &found.value);
            let offer = ShownOffer::new(&company, offer, customer);
            page.put("Offerte", &offer.to_wire())?;
        }
        Ok(())
    }
}

/// A record that belongs to an article.
struct Owned {
    article: ArticleNumber,
    what: What,
}

enum What {
    Prices(String, ArticlePrices),
    Stock(ArticleStock),
    Media(Box<Media>),
}

impl What {
    fn count(&self) -> usize {
        match self {
            Self::Prices(_, prices) => prices.sets().iter().map(|set| set.tiers.len()).sum(),
            Self::Stock(stock) => stock.entries.len(),
            Self::Media(_) => 1,
        }
    }
}

fn owner(space: Space, key: &Key, entry: &Entry) -> StoreResult<Owned> {
    let damaged = || StorageError::Damaged(format!("key {key:?} holds no article number"));
    let mut parts = key.parts();
    let mut text = || parts.text().ok_or_else(damaged);
    let what = match space {
        Space::Price => What::Prices(text()?, decode(key, entry)?),
        Space::Stock => What::Stock(decode(key, entry)?),
        _ => {
            let media: Media = decode(key, entry)?;
            return Ok(Owned {
                article: media.article.clone(),
                what: What::Media(Box::new(media)),
            });
        }
    };
    let article = ArticleNumber::new(&text()?).map_err(|_| damaged())?;
    Ok(Owned { article, what })
}
