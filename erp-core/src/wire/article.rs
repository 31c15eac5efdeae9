//! Articles with packaging units, price tiers, stock and declarations (interface: "Article (Artikel), response shape").

use erp_derive::Record;
use rust_decimal::Decimal;

use super::{Attribute, Link};
use crate::domain::master::ArticleNumber;
use crate::domain::totals::PriceKind;
use crate::values::codes::{Country, Currency, Language};
use crate::values::text::Text;
use crate::values::time::DocumentTime;

/// An article, alone or as an entry of the article list.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
pub struct Article {
    /// Article number.
    #[wire("ArtNr", char(15))]
    pub article_number: Option<ArticleNumber>,
    /// Stock-managed: J yes, N no.
    #[wire("AnLager", yes_no, char(1))]
    pub stock_managed: Option<bool>,
    /// Article description.
    #[wire("ArtBez")]
    pub description: Option<Text<255>>,
    /// Status: 1 active; further values are open.
    #[wire("ArtikelStatus")]
    pub status: Option<i32>,
    /// Article unit.
    #[wire("Einheit")]
    pub unit: Option<Text<12>>,
    /// Colour marker #rrggbb; not the colour of the article.
    #[wire("Farbe")]
    pub colour: Option<Text<12>>,
    /// Stored tax rate, else the standard rate.
    #[wire("WUSTSatz")]
    pub tax_rate: Option<Decimal>,
    /// Time of the last modification.
    #[wire("GeaendertAmUTC")]
    pub modified_at: Option<DocumentTime>,
    /// Article group.
    #[wire("ArtGruppe", char(12))]
    pub group: Option<Text<12>>,
    /// Article class.
    #[wire("ArtKlasse", char(8))]
    pub class: Option<Text<8>>,
    /// Currency of the prices, ISO 4217.
    #[wire("WaehrAbk")]
    pub currency: Option<Currency>,
    /// Procurement type.
    #[wire("BeschaffungsArt", char(1))]
    pub procurement_type: Option<Text<1>>,
    /// Processing type: C batch-managed, N not batch-managed.
    #[wire("VerarbeitungsArt", char(1))]
    pub processing_type: Option<Text<1>>,
    /// Linked resources.
    #[wire("links")]
    pub links: Option<Vec<Link>>,
    /// Attributes of the article.
    #[wire("attributes")]
    pub attributes: Option<Vec<Attribute>>,
    /// Packaging units: J exist, N do not, then price and stock stand on the article.
    #[wire("HatVPE", yes_no, char(1))]
    pub has_packaging: Option<bool>,
    /// Packaging units, when `HatVPE` is J.
    #[wire("Verpackungen")]
    pub packaging_units: Option<Vec<PackagingUnit>>,
    /// Price tiers of the article, when `HatVPE` is N.
    #[wire("Preis", list)]
    pub prices: Vec<PriceTier>,
    /// Stock entries.
    #[wire("Bestand", list)]
    pub stock: Vec<StockEntry>,
    /// Declarations of origin, only in the response for a single article.
    #[wire("Deklaration", list)]
    pub declarations: Vec<Declaration>,
    /// Weight of the article, only in the response for a single article.
    #[wire("ArtGewicht")]
    pub weight: Option<Decimal>,
}

/// An entry of `Verpackungen`.
#[derive(Clone, Debug, Default, PartialEq, Record)]
#[record(Response)]
pub struct PackagingUnit {
    /// Packaging unit id code.
    #[wire("VPEinheit", required)]
    pub unit: Text<30>,
    /// EAN of the packaging.
    #[wire("VPEEANNr")]
    pub ean: Option<Text<30>>,
    /// Packaging designation.
    #[wire("VPBezeichnung", string)]
    pub designation: Option<Text<255>>,
    /// Conversion factor from article to packaging weight.
    #[wire("Gewicht")]
    pub weight_factor: Option<Decimal>,
    /// Weight of the packaging unit.
    #[wire("VPEGewicht")]
    pub weight: Option<Decimal>,
    /// Weight of the content.
    #[wire("GewichtInhalt")]
    pub content_weight: Option<Decimal>,
    /// Quantity factor to the base unit.
    #[wire("Faktor", required)]
    pub factor: Decimal,
    /// Price tiers of the packaging unit.
    #[wire("Preis", list)]
    pub prices: Vec<PriceTier>,
    /// Stock of the packaging unit.
    #[wire("Bestand", list)]
    pub stock: Vec<StockEntry>,
}

/// An entry of `Preis`.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
pub struct PriceTier {
    /// Article number.
    #[wire("ArtNr", char(15), required)]
    pub article_number: ArticleNumber,
    /// Price range.
    #[wire("Bereich", char(15))]
    pub range: Option<Text<15>>,
    /// Validity from this quantity.
    #[wire("AbAnzahl")]
    pub from_quantity: Option<Decimal>,
    /// Validity up to this quantity; absent in the last tier.
    #[wire("BisAnzahl")]
    pub to_quantity: Option<Decimal>,
    /// List price in `WaehrAbk`.
    #[wire("PreisList", required)]
    pub price: Decimal,
    /// Price kind: N net, B gross.
    #[wire("Preisart", required)]
    pub kind: PriceKind,
    /// Packaging unit id code.
    #[wire("VPEinheit")]
    pub packaging_unit: Option<Text<30>>,
    /// Time of the last modification.
    #[wire("GeaendertAmUTC")]
    pub modified_at: Option<DocumentTime>,
    /// Linked resources.
    #[wire("links")]
    pub links: Option<Vec<Link>>,
}

/// An entry of `Bestand`: stock after subtracting reservations in released warehouses.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
pub struct StockEntry {
    /// Article number.
    #[wire("ArtNr", char(15), required)]
    pub article_number: ArticleNumber,
    /// Warehouse location.
    #[wire("LagerOrt", string)]
    pub warehouse: Option<Text<60>>,
    /// Location number.
    #[wire("StaoNr")]
    pub location: Option<i32>,
    /// Stock after reservation; may be negative.
    #[wire("LagerBestand", required)]
    pub available: i32,
    /// Packaging unit id code.
    #[wire("VPEinheit")]
    pub packaging_unit: Option<Text<30>>,
    /// Stock range.
    #[wire("Bereich", char(15))]
    pub range: Option<Text<15>>,
    /// Linked resources.
    #[wire("links")]
    pub links: Option<Vec<Link>>,
}

/// An entry of `Deklaration`: a declaration of origin.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
pub struct Declaration {
    /// Unique assignment number.
    #[wire("Nr", required)]
    pub number: i32,
    /// Language, ISO 639-2/B.
    #[wire("AdrSprache", char(4))]
    pub language: Option<Language>,
    /// Article number.
    #[wire("ArtNr", char(15), required)]
    pub article_number: ArticleNumber,
    /// First designation.
    #[wire("Bezeichnung1", string)]
    pub designation1: Option<Text<255>>,
    /// Second designation.
    #[wire("Bezeichnung2", string)]
    pub designation2: Option<Text<255>>,
    /// Short designation.
    #[wire("KurzBezeichnung", string)]
    pub short_designation: Option<Text<255>>,
    /// Country of origin, ISO 3166-1 alpha-2.
    #[wire("OrtLand")]
    pub country: Option<Country>,
    /// Linked resources.
    #[wire("links")]
    pub links: Option<Vec<Link>>,
}
