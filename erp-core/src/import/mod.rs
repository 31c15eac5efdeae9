//! Master data as the back office sends it: one row, one record or a part of one.
//!
//! Rows use the wire names of the interface. In NDJSON a line is an object with exactly one member that
//! names the kind: `{"Artikel": {"ArtNr": "A-100", ...}}`; in CSV every row of a file is of one kind.

mod parse;
mod rows;
mod write;

use serde_json::Value;

use crate::codes::{Currency, Language};
use crate::master::{
    Article, ArticleNumber, Company, Customer, Declaration, PackagingUnit, PriceListType,
    PriceTier, StockEntry, TaxCode, UnitCode,
};
use crate::media::{BodyHash, Format, MediaPlace, MediaText};
use crate::problem::{Code, Path, Problems};
use crate::text::Text;
use crate::totals::PriceKind;
use crate::wire::{Reading, Record as _, Schema};

pub use rows::{
    AddressRow, ArticleRow, ArticleTextRow, CompanyRow, CustomerRow, DeclarationRow, MediaRow,
    PackagingUnitRow, PaymentConditionRow, PriceListRow, PriceRow, PriceTierRow, StockRow,
    TaxCodeRow, TaxRateRow, TextRow,
};

/// One row of an import, checked by itself; what it refers to is checked when it is applied.
#[derive(Clone, Debug, PartialEq)]
pub enum Row {
    /// `Firma`: replaces the company settings.
    Company(Box<Company>),
    /// `Steuer`: replaces a tax code with its rates.
    TaxCode(TaxCode),
    /// `Artikel`: replaces an article. `changed_at` is set when it is applied.
    Article(Box<Article>),
    /// `Verpackung`: adds or replaces one packaging unit.
    PackagingUnit {
        /// The article.
        article: ArticleNumber,
        /// The unit.
        unit: PackagingUnit,
    },
    /// `ArtikelText`: adds or replaces the description in one language.
    ArticleText {
        /// The article.
        article: ArticleNumber,
        /// The language.
        language: Language,
        /// The description.
        text: Text<255>,
    },
    /// `Deklaration`: adds or replaces one declaration.
    Declaration {
        /// The article.
        article: ArticleNumber,
        /// The declaration.
        declaration: Declaration,
    },
    /// `Preisliste`: replaces all prices of an article in a list.
    PriceList {
        /// The list.
        list: PriceListType,
        /// The article.
        article: ArticleNumber,
        /// All its prices.
        prices: Vec<Price>,
    },
    /// `Preis`: adds or replaces one tier.
    Price {
        /// The list.
        list: PriceListType,
        /// The article.
        article: ArticleNumber,
        /// The tier.
        price: Price,
    },
    /// `Bestand`: adds or replaces the stock at one place.
    Stock {
        /// The article.
        article: ArticleNumber,
        /// The stock.
        entry: StockEntry,
    },
    /// `Kunde`: replaces a customer. Addresses keep their numbers by position; new ones are drawn.
    Customer(Box<Customer>),
    /// `ArtikelMedia`: replaces a media record.
    Media(Box<NewMedia>),
    /// A row with `"Loeschen": true`.
    Remove(Removal),
    /// `Auftrag` or `Offerte`: a document of an export, which an import reads over and counts.
    Document,
}

/// The kinds of rows that an export writes and an import reads over: orders and offers.
pub const DOCUMENTS: [&str; 2] = ["Auftrag", "Offerte"];

/// One tier with the set it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Price {
    /// The packaging unit.
    pub unit: Option<UnitCode>,
    /// The currency.
    pub currency: Currency,
    /// Net or gross.
    pub kind: PriceKind,
    /// The tier. `changed_at` is set when it is applied.
    pub tier: PriceTier,
}

/// A media record as a row tells it. `changed_at` is set when it is applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMedia {
    /// The key; without one the place tells which record is meant.
    pub key: Option<i32>,
    /// The article and what tells the record from its others.
    pub place: MediaPlace,
    /// An article group in place of the article's.
    pub group: Option<Text<12>>,
    /// The comment.
    pub comment: Option<Text<255>>,
    /// The file.
    pub image: Option<NewImage>,
    /// The text.
    pub text: Option<MediaText>,
}

/// The file of a media row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewImage {
    /// The format.
    pub format: Format,
    /// Where the bytes are.
    pub body: BodySource,
}

/// Where the bytes of a media row are. Whoever imports stores them first and puts
/// [`BodySource::Stored`] in place of the first three; the core refuses a row where they still stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodySource {
    /// In a file, by a path from the folder of the import file (`Datei`).
    File(String),
    /// In the row (`Base64`).
    Base64(String),
    /// Under a hash that is said to be stored (`SHA256`).
    Hash(BodyHash),
    /// Stored for sure.
    Stored {
        /// The SHA-256 of the bytes.
        hash: BodyHash,
        /// How many they are.
        length: u64,
    },
    /// Where the record has them already.
    Kept,
}

/// What a row with `"Loeschen": true` takes away. Taking away what is not there changes nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum Removal {
    /// An article with its stock and media. Documents keep their copies.
    Article(ArticleNumber),
    /// A packaging unit.
    PackagingUnit(ArticleNumber, UnitCode),
    /// A description.
    ArticleText(ArticleNumber, Language),
    /// A declaration.
    Declaration(ArticleNumber, i32, Language),
    /// One tier.
    Price(
        PriceListType,
        ArticleNumber,
        Option<UnitCode>,
        Currency,
        rust_decimal::Decimal,
    ),
    /// The stock at one place.
    Stock(ArticleNumber, Text<60>, i32, Option<UnitCode>),
    /// A media record by its key.
    Media(i32),
    /// A media record by its place.
    MediaAt(MediaPlace),
}

/// The kinds of rows by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// `Firma`.
    Company,
    /// `Steuer`.
    TaxCode,
    /// `Artikel`.
    Article,
    /// `Verpackung`.
    PackagingUnit,
    /// `ArtikelText`.
    ArticleText,
    /// `Deklaration`.
    Declaration,
    /// `Preisliste`.
    PriceList,
    /// `Preis`.
    Price,
    /// `Bestand`.
    Stock,
    /// `Kunde`.
    Customer,
    /// `ArtikelMedia`.
    Media,
}

impl RowKind {
    /// Every kind.
    pub const ALL: [Self; 11] = [
        Self::Company,
        Self::TaxCode,
        Self::Article,
        Self::PackagingUnit,
        Self::ArticleText,
        Self::Declaration,
        Self::PriceList,
        Self::Price,
        Self::Stock,
        Self::Customer,
        Self::Media,
    ];

    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Company => "Firma",
            Self::TaxCode => "Steuer",
            Self::Article => "Artikel",
            Self::PackagingUnit => "Verpackung",
            Self::ArticleText => "ArtikelText",
            Self::Declaration => "Deklaration",
            Self::PriceList => "Preisliste",
            Self::Price => "Preis",
            Self::Stock => "Bestand",
            Self::Customer => "Kunde",
            Self::Media => "ArtikelMedia",
        }
    }

    /// The table of the kind's rows.
    #[must_use]
    pub const fn schema(self) -> &'static Schema {
        match self {
            Self::Company => CompanyRow::SCHEMA,
            Self::TaxCode => TaxCodeRow::SCHEMA,
            Self::Article => ArticleRow::SCHEMA,
            Self::PackagingUnit => PackagingUnitRow::SCHEMA,
            Self::ArticleText => ArticleTextRow::SCHEMA,
            Self::Declaration => DeclarationRow::SCHEMA,
            Self::PriceList => PriceListRow::SCHEMA,
            Self::Price => PriceRow::SCHEMA,
            Self::Stock => StockRow::SCHEMA,
            Self::Customer => CustomerRow::SCHEMA,
            Self::Media => MediaRow::SCHEMA,
        }
    }

    /// Reads a kind's name, upper and lower case alike.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str().eq_ignore_ascii_case(name))
    }
}

impl Row {
    /// Reads one NDJSON line: an object with one member that names the kind.
    ///
    /// # Errors
    /// Every problem of the row, with its path.
    pub fn read(line: &Value, language: Language) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let names = RowKind::ALL.map(RowKind::as_str).join(", ");
        let single = line
            .as_object()
            .filter(|object| object.len() == 1)
            .and_then(|object| object.iter().next());
        let Some((name, body)) = single else {
            problems.add(
                &Path::ROOT,
                Code::WrongType,
                format!("expected an object with one member out of {names}"),
            );
            return Err(problems);
        };
        if DOCUMENTS.contains(&name.as_str()) {
            return Ok(Self::Document);
        }
        let Some(kind) = RowKind::parse(name) else {
            problems.add(
                &Path::ROOT.member(name),
                Code::UnknownMember,
                format!("there are rows of {names}"),
            );
            return Err(problems);
        };
        Self::read_kind(kind, body, &Path::ROOT.member(kind.as_str()), language)
    }

    /// Reads the body of a row of a kind. `language` is that of texts without one.
    ///
    /// # Errors
    /// Every problem of the row, with its path.
    pub fn read_kind(
        kind: RowKind,
        body: &Value,
        path: &Path<'_>,
        language: Language,
    ) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let how = Reading { strict: true };
        let row = parse::row(kind, body, how, path, language, &mut problems);
        problems.or_else_value(row)
    }
}
