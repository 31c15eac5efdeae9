//! Rows that are no record of their own: parts of an article, its prices and stock, what a row removes, and media files.

use erp_derive::Record;
use jiff::Timestamp;
use rust_decimal::Decimal;
use smol_str::SmolStr;

use crate::domain::master::{
    ArticleNumber, Declaration, PackagingUnit, PriceListType, PriceSet, PriceTier, StockEntry,
    UnitCode,
};
use crate::domain::media::Media;
use crate::domain::totals::PriceKind;
use crate::values::codes::{Country, Currency, Language};
use crate::values::text::Text;

/// A packaging unit (`Verpackung`).
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Row = "PackagingUnitRow", removable)]
pub struct PackagingUnitRow {
    /// Article number.
    #[wire("ArtNr", key, char(15), required)]
    pub article: ArticleNumber,
    /// The unit.
    #[wire(group)]
    pub unit: PackagingUnit,
}

/// The description of an article in one language (`ArtikelText`).
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Row = "ArticleTextRow", removable)]
pub struct ArticleTextRow {
    /// Article number.
    #[wire("ArtNr", key, char(15), required)]
    pub article: ArticleNumber,
    /// Language, ISO 639-2/B.
    #[wire("AdrSprache", required)]
    pub language: Language,
    /// Article description.
    #[wire("ArtBez", required)]
    pub text: Text<255>,
}

/// An origin declaration (`Deklaration`).
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Row = "DeclarationRow", removable)]
pub struct DeclarationRow {
    /// Article number.
    #[wire("ArtNr", key, char(15), required)]
    pub article: ArticleNumber,
    /// The declaration.
    #[wire(group)]
    pub declaration: Declaration,
}

/// All prices of an article in a list (`Preisliste`).
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Row = "PriceListRow")]
pub struct PriceListRow {
    /// Price list type.
    #[wire("PreisListe", key, required)]
    pub list: PriceListType,
    /// Article number.
    #[wire("ArtNr", key, char(15), required)]
    pub article: ArticleNumber,
    /// The tiers.
    #[wire("Preis", list)]
    pub prices: Vec<Price>,
}

/// One price tier (`Preis`).
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Row = "PriceRow", removable)]
pub struct PriceRow {
    /// Price list type.
    #[wire("PreisListe", key, required)]
    pub list: PriceListType,
    /// Article number.
    #[wire("ArtNr", key, char(15), required)]
    pub article: ArticleNumber,
    /// The tier.
    #[wire(group)]
    pub price: Price,
}

/// A price tier within `Preisliste`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Record)]
#[record(Row = "PriceTierRow")]
pub struct Price {
    /// Packaging unit id code.
    #[wire("VPEinheit", key)]
    pub unit: Option<UnitCode>,
    /// Currency, ISO 4217.
    #[wire("WaehrAbk", required)]
    pub currency: Currency,
    /// Price range.
    #[wire("Bereich", char(15))]
    pub range: Option<Text<15>>,
    /// Validity from quantity.
    #[wire("AbAnzahl", amount, default)]
    pub from: Decimal,
    /// Validity up to quantity.
    #[wire("BisAnzahl", amount)]
    pub until: Option<Decimal>,
    /// List price.
    #[wire("PreisList", amount, required)]
    pub price: Decimal,
    /// N net, B gross.
    #[wire("Preisart", required)]
    pub kind: PriceKind,
    /// How many units the price is for.
    #[wire("PosPreisBasis", amount)]
    pub basis: Option<Decimal>,
}

impl Price {
    /// A price without tax of one base unit, for any quantity. The amount is in units of the currency: 12 francs.
    #[must_use]
    pub fn net(currency: Currency, price: impl Into<Decimal>) -> Self {
        Self::new(currency, PriceKind::Net, price.into())
    }

    /// A price with its tax; as [`Price::net`].
    #[must_use]
    pub fn gross(currency: Currency, price: impl Into<Decimal>) -> Self {
        Self::new(currency, PriceKind::Gross, price.into())
    }

    const fn new(currency: Currency, kind: PriceKind, price: Decimal) -> Self {
        Self {
            unit: None,
            currency,
            range: None,
            from: Decimal::ZERO,
            until: None,
            price,
            kind,
            basis: None,
        }
    }

    /// The price applies from this quantity on.
    #[must_use]
    pub fn starting_at(mut self, first: impl Into<Decimal>) -> Self {
        self.from = first.into();
        self
    }

    /// The price applies up to this quantity. Tiers may not overlap: 1 to 9, and from 10 on.
    #[must_use]
    pub fn ending_at(mut self, last: impl Into<Decimal>) -> Self {
        self.until = Some(last.into());
        self
    }

    pub(crate) fn of(set: &PriceSet, tier: &PriceTier) -> Self {
        Self {
            unit: set.unit.clone(),
            range: tier.range.clone(),
            from: tier.from,
            until: tier.until,
            basis: tier.basis,
            ..Self::new(set.currency, set.kind, tier.price)
        }
    }

    /// The tier of a set, changed at this time.
    pub(crate) fn tier(&self, changed_at: Timestamp) -> PriceTier {
        PriceTier {
            from: self.from,
            until: self.until,
            price: self.price,
            basis: self.basis,
            range: self.range.clone(),
            changed_at,
        }
    }
}

/// Stock at one place (`Bestand`).
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Row = "StockRow", removable)]
pub struct StockRow {
    /// Article number.
    #[wire("ArtNr", key, char(15), required)]
    pub article: ArticleNumber,
    /// The stock.
    #[wire(group)]
    pub entry: StockEntry,
}

/// What a row with `"Loeschen": true` names of a part of an article. Each kind of row has some of these members.
#[derive(Record)]
#[record(Row = "RemovedPart")]
pub(super) struct RemovedPart {
    /// Price list type.
    #[wire("PreisListe", key)]
    pub(super) list: Option<PriceListType>,
    /// Article number.
    #[wire("ArtNr", key, char(15))]
    pub(super) article: Option<ArticleNumber>,
    /// Packaging unit id code.
    #[wire("VPEinheit", key)]
    pub(super) unit: Option<UnitCode>,
    /// Language, ISO 639-2/B.
    #[wire("AdrSprache")]
    pub(super) language: Option<Language>,
    /// Currency, ISO 4217.
    #[wire("WaehrAbk")]
    pub(super) currency: Option<Currency>,
    /// Validity from quantity.
    #[wire("AbAnzahl", amount, default)]
    pub(super) from: Decimal,
    /// Warehouse place.
    #[wire("LagerOrt")]
    pub(super) place: Option<Text<60>>,
    /// Location number.
    #[wire("StaoNr")]
    pub(super) location: Option<i32>,
}

/// A media record of an article (`ArtikelMedia`).
#[derive(Default, Record)]
#[record(Row = "MediaRow", removable)]
pub(crate) struct MediaRow {
    /// unique key; without one the record of the same article, name, usage, language and country is
    /// meant, or a new one made
    #[wire("IDKey", positive)]
    pub(super) key: Option<i32>,
    /// article number
    #[wire("ArtNr", key, char(15))]
    pub(super) article: Option<ArticleNumber>,
    /// image format; without one the ending of the file's name
    #[wire("AMDBildFormat", varchar(12))]
    pub(super) image_format: Option<SmolStr>,
    /// text format; without one `txt`
    #[wire("AMDTextFormat", varchar(12))]
    pub(super) text_format: Option<SmolStr>,
    /// usage
    #[wire("AMDVerwendung")]
    pub(super) usage: Option<Text<12>>,
    /// language, ISO 639-2/B
    #[wire("AdrSprache")]
    pub(super) language: Option<Language>,
    /// country, ISO 3166-1 alpha-2
    #[wire("OrtLand")]
    pub(super) country: Option<Country>,
    /// article group in place of the article's
    #[wire("ArtGruppe")]
    pub(super) group: Option<Text<12>>,
    /// file name; without one that of `Datei`
    #[wire("AMDDateiName", varchar(255))]
    pub(super) file_name: Option<SmolStr>,
    /// text
    #[wire("AMDText")]
    pub(super) text: Option<SmolStr>,
    /// comment on the media file
    #[wire("Kommentar")]
    pub(super) comment: Option<Text<255>>,
    /// path of the file, from the folder of the import file
    #[wire("Datei", varchar(1000))]
    pub(super) file: Option<SmolStr>,
    /// the file itself in Base64
    #[wire("Base64")]
    pub(super) base64: Option<SmolStr>,
    /// SHA-256 of a file that is stored already
    #[wire("SHA256", char(64))]
    pub(super) hash: Option<SmolStr>,
}

impl From<&Media> for MediaRow {
    fn from(media: &Media) -> Self {
        let (image, text) = (media.image.as_ref(), media.text.as_ref());
        Self {
            key: Some(media.key),
            article: Some(media.article.clone()),
            image_format: image.map(|image| image.format.clone().into()),
            text_format: text.map(|text| text.format.clone().into()),
            usage: media.usage.clone(),
            language: media.language,
            country: media.country,
            group: media.group.clone(),
            file_name: media.file_name.clone().map(Into::into),
            text: text.map(|text| text.text.clone().into()),
            comment: media.comment.clone(),
            hash: image.map(|image| image.hash.to_string().into()),
            ..Self::default()
        }
    }
}
