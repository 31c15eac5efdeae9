//! Import format of master data: each row is one record or a part of one.
//!
//! Rows use the wire names of the interface. In NDJSON, a line is an object with exactly one field that names the
//! kind: `{"Artikel": {"ArtNr": "A-100", ...}}`. In CSV, all rows of a file have the same kind.

mod invalid;
mod parse;
mod rows;

use erp_derive::Word;

use crate::domain::master::{
    Article, ArticleNumber, Company, Customer, ForgottenCustomer, PriceListType, StockEntry,
    TaxCode, UnitCode,
};
use crate::domain::media::{BodyHash, Format, MediaPlace, MediaText};
use crate::values::codes::{Currency, Language};
use crate::values::json::{self, AsJson, Json};
use crate::values::problem::{Code, Path, Problems};
use crate::values::text::{IntoText, Text};
use crate::wire::{As, Reading, Record, Schema, Scope, WriteRecord, view};

pub use invalid::InvalidRow;
pub(crate) use rows::MediaRow;
pub use rows::{
    ArticleTextRow, DeclarationRow, PackagingUnitRow, Price, PriceListRow, PriceRow, StockRow,
};

/// A row that was validated by itself; its references are checked when it is applied.
#[derive(Clone, Debug, PartialEq)]
pub enum Row {
    /// `Firma`: replaces the company settings.
    Company(Box<Company>),
    /// `Steuer`: replaces a tax code with its rates.
    TaxCode(TaxCode),
    /// `Artikel`: replaces an article, except the parts that the row leaves. `changed_at` is set when the row is applied.
    Article(Box<Article>, LeftParts),
    /// `Verpackung`: adds or replaces one packaging unit.
    PackagingUnit(PackagingUnitRow),
    /// `ArtikelText`: adds or replaces the description in one language.
    ArticleText(ArticleTextRow),
    /// `Deklaration`: adds or replaces one declaration.
    Declaration(DeclarationRow),
    /// `Preisliste`: replaces all prices of an article in a list.
    PriceList(PriceListRow),
    /// `Preis`: adds or replaces one tier.
    Price(PriceRow),
    /// `Bestand`: adds or replaces the stock in one warehouse place.
    Stock(StockRow),
    /// `Kunde`: replaces a customer. Addresses keep their numbers by position; new addresses get new numbers.
    Customer(Box<Customer>),
    /// `Kunde` with `"Vergessen": true`: keeps the number of a customer that was forgotten from being given again.
    ForgottenCustomer(ForgottenCustomer),
    /// `ArtikelMedia`: replaces a media record.
    Media(Box<NewMedia>),
    /// A row with `"Loeschen": true`.
    Remove(Removal),
    /// An exported document ([`DOCUMENTS`]), which an import skips and counts.
    Document,
    /// A row with problems.
    Invalid(Box<InvalidRow>),
}

/// Row kinds that an export writes and an import skips: orders, offers and invoices.
pub const DOCUMENTS: [&str; 3] = ["Auftrag", "Offerte", "Rechnung"];

/// The member of the last line of an export that says how many rows are left out; an import skips it.
pub const LEFT_OUT: &str = "Ausgelassen";

impl Row {
    /// Adds or replaces a price of an article in a price list.
    pub fn price(
        list: impl IntoText<12>,
        article: impl IntoText<15>,
        price: Price,
    ) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let row = PriceRow {
            list: problems.text("PreisListe", list),
            article: problems.text("ArtNr", article),
            price,
        };
        problems.and(Ok(Self::Price(row)))
    }

    /// Adds or replaces the stock of an article in one warehouse place.
    pub fn stock(article: impl IntoText<15>, entry: StockEntry) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let article = problems.text("ArtNr", article);
        problems.and(Ok(Self::Stock(StockRow { article, entry })))
    }

    /// The row, if it is one that [`Row::read`] could have made; else one with its problems.
    pub(crate) fn checked(self) -> Self {
        let checked = match &self {
            Self::Company(company) => check(RowKind::Company, &**company),
            Self::TaxCode(code) => check(RowKind::TaxCode, code),
            Self::Article(article, _) => check(RowKind::Article, &**article),
            Self::Customer(customer) => {
                // Rows name no address 0: one that has no number yet has no member for it.
                let mut numbered = customer.clone();
                for address in numbered
                    .addresses_mut()
                    .filter(|address| address.number == 0)
                {
                    address.number = 1;
                }
                check(RowKind::Customer, &*numbered)
            }
            Self::ForgottenCustomer(customer) => check(RowKind::Customer, customer),
            Self::PackagingUnit(row) => check(RowKind::PackagingUnit, row),
            Self::ArticleText(row) => check(RowKind::ArticleText, row),
            Self::Declaration(row) => check(RowKind::Declaration, row),
            Self::PriceList(row) => check(RowKind::PriceList, row),
            Self::Price(row) => check(RowKind::Price, row),
            Self::Stock(row) => check(RowKind::Stock, row),
            Self::Media(_) | Self::Remove(_) | Self::Document | Self::Invalid(_) => None,
        };
        checked.map_or(self, Self::from)
    }

    /// Reads one NDJSON line: an object with one field that names the kind.
    ///
    /// # Errors
    /// Every problem of the row, with its path.
    pub fn read(line: &impl AsJson, language: Language) -> Result<Self, Problems> {
        let line = &*line.as_json();
        let mut problems = Problems::new();
        let names = RowKind::ALL.map(RowKind::as_str).join(", ");
        let single = line
            .as_object()
            .filter(|object| object.len() == 1)
            .and_then(|object| object.iter().next());
        let Some((name, body)) = single else {
            let message = sentence!("wrong_type.row", names);
            problems.add(&Path::ROOT, Code::WrongType, message);
            return Err(problems);
        };
        if DOCUMENTS.contains(&name.as_str()) || name == LEFT_OUT {
            return Ok(Self::Document);
        }
        let Some(kind) = RowKind::parse(name) else {
            let message = sentence!("unknown_member.row", names);
            problems.add(&Path::ROOT.member(name), Code::UnknownMember, message);
            return Err(problems);
        };
        Self::read_kind(kind, body, &Path::ROOT.member(kind.as_str()), language)
    }

    /// Reads the body of a row of this kind. `language` applies to texts without one.
    ///
    /// # Errors
    /// Every problem of the row, with its path.
    pub fn read_kind(
        kind: RowKind,
        body: &impl AsJson,
        path: &Path<'_>,
        language: Language,
    ) -> Result<Self, Problems> {
        let body = &*body.as_json();
        let mut problems = Problems::new();
        let mut scope = Scope {
            language,
            ..Scope::new(Reading { strict: true }, path, &mut problems)
        };
        let row = scope.row(kind, body);
        problems.or_else_value(row)
    }
}

/// The problems that the row of a record has.
fn check<T: WriteRecord<view::Row>>(kind: RowKind, record: &T) -> Option<InvalidRow> {
    let body = json::written(&As::<_, view::Row>::new(record));
    let read = Row::read_kind(kind, &body, &Path::ROOT, Language::GERMAN);
    let problems = read.err()?;
    Some(InvalidRow::of_kind(kind, &body, problems))
}

impl From<Company> for Row {
    fn from(company: Company) -> Self {
        Self::Company(Box::new(company))
    }
}

impl From<TaxCode> for Row {
    fn from(code: TaxCode) -> Self {
        Self::TaxCode(code)
    }
}

/// Replaces the whole article with its texts, packaging units and declarations.
impl From<Article> for Row {
    fn from(article: Article) -> Self {
        Self::Article(Box::new(article), LeftParts::default())
    }
}

impl From<Customer> for Row {
    fn from(customer: Customer) -> Self {
        Self::Customer(Box::new(customer))
    }
}

// rule: D-IMP-06
/// The parts of an article of which its row says nothing: what is stored of them stays, because other rows and files bring
/// them. By default none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftParts {
    /// The descriptions in other languages than those of the row.
    pub texts: bool,
    /// The packaging units.
    pub units: bool,
    /// The declarations.
    pub declarations: bool,
}

impl LeftParts {
    fn of(body: &Json) -> Self {
        let lacks = |name| matches!(body.get(name), None | Some(Json::Null));
        Self {
            texts: lacks("Texte"),
            units: lacks("Verpackungen"),
            declarations: lacks("Deklaration"),
        }
    }

    /// Adds what is stored of these parts.
    pub(crate) fn fill(self, article: &mut Article, stored: &Article) {
        if self.texts {
            for (language, text) in &stored.texts {
                let texts = article.texts.entry(*language);
                texts.or_insert_with(|| text.clone());
            }
        }
        if self.units {
            article.units.clone_from(&stored.units);
        }
        if self.declarations {
            article.declarations.clone_from(&stored.declarations);
        }
    }
}

/// A media record from a row. `changed_at` is set when the row is applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMedia {
    /// The key; without one, the record is identified by its place.
    pub key: Option<i32>,
    /// The fields that identify the record within its article.
    pub place: MediaPlace,
    /// An article group that replaces the article's.
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
    /// Source of the bytes.
    pub body: BodySource,
}

/// Source of the bytes of a media row. The program that imports must store the bytes and replace the first three
/// variants by [`BodySource::Stored`]; the core rejects rows that still have one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodySource {
    /// A file, by its path relative to the folder of the import file (`Datei`).
    File(String),
    /// The row itself (`Base64`).
    Base64(String),
    /// A body with this hash, which the row claims to be stored (`SHA256`).
    Hash(BodyHash),
    /// A body that is known to be stored.
    Stored {
        /// The SHA-256 of the bytes.
        hash: BodyHash,
        /// Size in bytes.
        length: u64,
    },
    /// The existing body of the record.
    Kept,
}

// rule: D-IMP-04
/// What a row with `"Loeschen": true` removes. Removing something that does not exist changes nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum Removal {
    /// An article with its stock and media. Documents keep their copies of its data.
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
    /// The stock in one warehouse place.
    Stock(ArticleNumber, Text<60>, i32, Option<UnitCode>),
    /// A media record by its key.
    Media(i32),
    /// A media record by its identifying fields.
    MediaAt(MediaPlace),
}

/// The kinds of rows, by their names on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
#[word(any_case)]
pub enum RowKind {
    /// The company settings.
    #[word("Firma")]
    Company,
    /// A tax code.
    #[word("Steuer")]
    TaxCode,
    /// An article.
    #[word("Artikel")]
    Article,
    /// A packaging unit of an article.
    #[word("Verpackung")]
    PackagingUnit,
    /// The description of an article in one language.
    #[word("ArtikelText")]
    ArticleText,
    /// A declaration of an article.
    #[word("Deklaration")]
    Declaration,
    /// All prices of an article in a list.
    #[word("Preisliste")]
    PriceList,
    /// One tier of a price list.
    #[word("Preis")]
    Price,
    /// The stock of an article in one place.
    #[word("Bestand")]
    Stock,
    /// A customer.
    #[word("Kunde")]
    Customer,
    /// A media record.
    #[word("ArtikelMedia")]
    Media,
}

impl RowKind {
    /// Field table of the kind's rows.
    #[must_use]
    pub const fn schema(self) -> &'static Schema {
        match self {
            Self::Company => <Company as Record<view::Row>>::SCHEMA,
            Self::TaxCode => <TaxCode as Record<view::Row>>::SCHEMA,
            Self::Article => <Article as Record<view::Row>>::SCHEMA,
            Self::PackagingUnit => PackagingUnitRow::SCHEMA,
            Self::ArticleText => ArticleTextRow::SCHEMA,
            Self::Declaration => DeclarationRow::SCHEMA,
            Self::PriceList => PriceListRow::SCHEMA,
            Self::Price => PriceRow::SCHEMA,
            Self::Stock => StockRow::SCHEMA,
            Self::Customer => <Customer as Record<view::Row>>::SCHEMA,
            Self::Media => MediaRow::SCHEMA,
        }
    }
}
