//! Articles with packaging units, price tiers, stock and declarations (interface: "Article (Artikel), response shape").

use erp_derive::Record;
use rust_decimal::Decimal;

use crate::domain::article::{Form, Shown, View, tax_rate};
use crate::domain::master::{self, ArticleNumber, available, first_hit};
use crate::domain::totals::PriceKind;
use crate::values::codes::{Country, Currency, Language};
use crate::values::text::Text;
use crate::values::time::DocumentTime;
use crate::wire::{Attribute, Link, Links};

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
    /// Status: 1 active; 0 inactive, which is not sold; further values are open.
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
    /// How many units of `VPEinheit`, or base units, the price is for, where it is not 1.
    #[wire("PosPreisBasis")]
    pub price_basis: Option<Decimal>,
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

impl Shown {
    // rule: R-RES-12
    /// The article as the interface shows it.
    pub fn to_wire(&self, view: &View<'_>, form: Form, links: &Links<'_>) -> Article {
        let article = self.article.as_ref();
        let has_units = !article.units.is_empty();
        let single = form == Form::Single;
        // All price and stock entries share this link: built once, then reference counted.
        let relations = article_links(links, &article.number);
        let [own, _] = &relations;
        Article {
            article_number: Some(article.number.clone()),
            stock_managed: Some(article.stock_managed),
            description: view
                .company
                .translation(&article.texts, view.language)
                .cloned(),
            status: Some(article.status),
            unit: article.unit.clone(),
            colour: article.colour.clone(),
            tax_rate: tax_rate(view, article),
            modified_at: Some(article.changed_at.into()),
            group: article.group.clone(),
            class: article.class.clone(),
            currency: Some(view.currency),
            procurement_type: article.procurement.clone(),
            processing_type: article.processing.clone(),
            links: Some(relations.to_vec()),
            attributes: article.attributes.shown(),
            has_packaging: Some(has_units),
            packaging_units: has_units.then(|| units(view, self, own)),
            prices: if has_units {
                Vec::new()
            } else {
                prices(view, self, None, own)
            },
            stock: stock(self, None, own),
            declarations: if single {
                declarations(view, article, own)
            } else {
                Vec::new()
            },
            weight: article.weight.filter(|_| single),
        }
    }
}

// rule: R-END-62
pub(crate) fn article_links(links: &Links<'_>, number: &str) -> [Link; 2] {
    ["artikel", "artikelmedia"].map(|name| links.to("GET", name, name, number))
}

// rule: R-RES-14
fn units(view: &View<'_>, shown: &Shown, own: &Link) -> Vec<PackagingUnit> {
    let units = shown.article.shop_units().into_iter();
    let units = units.map(|unit| PackagingUnit {
        unit: unit.code.clone(),
        ean: unit.ean.clone(),
        designation: view
            .company
            .translation(&unit.names, view.language)
            .cloned(),
        weight_factor: unit.weight_factor,
        weight: unit.weight,
        content_weight: unit.content_weight,
        factor: unit.factor,
        prices: prices(view, shown, Some(&unit.code), own),
        stock: stock(shown, Some(&unit.code), own),
    });
    units.collect()
}

// rule: R-RES-15
/// The tiers of the first list with a price.
fn prices(view: &View<'_>, shown: &Shown, unit: Option<&str>, own: &Link) -> Vec<PriceTier> {
    let chain = shown.prices.iter().map(Option::as_deref);
    let Some(hit) = first_hit(chain, unit, view.currency) else {
        return Vec::new();
    };
    let (article, set) = (&shown.article, hit.set);
    let tiers = set.tiers.iter().map(|tier| PriceTier {
        article_number: article.number.clone(),
        range: tier.range.clone(),
        from_quantity: Some(tier.from),
        to_quantity: tier.until,
        price: tier.price,
        price_basis: Some(article.price_basis_of(set.unit.as_deref(), Some(tier)))
            .filter(|basis| *basis != Decimal::ONE),
        kind: set.kind,
        packaging_unit: set.unit.clone(),
        modified_at: Some(tier.changed_at.into()),
        links: Some(vec![own.clone()]),
    });
    tiers.collect()
}

fn stock(shown: &Shown, unit: Option<&str>, own: &Link) -> Vec<StockEntry> {
    let Some(stored) = shown.stock.as_deref() else {
        return Vec::new();
    };
    let released = stored.released().zip(&shown.reserved);
    released
        .filter(|((entry, _), _)| entry.unit.as_deref() == unit)
        .map(|((entry, _), reserved)| StockEntry {
            article_number: shown.article.number.clone(),
            warehouse: Some(entry.place.clone()),
            location: Some(entry.location),
            available: available(entry, *reserved),
            packaging_unit: entry.unit.clone(),
            range: entry.range.clone(),
            links: Some(vec![own.clone()]),
        })
        .collect()
}

// rule: D-CTR-01, R-RES-17
/// Every declaration of origin once: for each `Nr` the text in the requested language, otherwise in the company's,
/// otherwise the first one. So no origin is lost because a translation is missing.
fn declarations(view: &View<'_>, article: &master::Article, own: &Link) -> Vec<Declaration> {
    let known = &article.declarations;
    let mut numbers: Vec<i32> = Vec::new();
    for declaration in known {
        if !numbers.contains(&declaration.number) {
            numbers.push(declaration.number);
        }
    }
    let chosen = numbers.into_iter().filter_map(|number| {
        let texts = || known.iter().filter(move |text| text.number == number);
        let in_language = |language| texts().find(|text| text.language == language);
        in_language(view.language)
            .or_else(|| in_language(view.company.language))
            .or_else(|| texts().next())
    });
    let shown = chosen.map(|known| Declaration {
        number: known.number,
        language: Some(known.language),
        article_number: article.number.clone(),
        designation1: known.designation.clone(),
        designation2: known.designation_addition.clone(),
        short_designation: known.short_designation.clone(),
        country: known.country,
        links: Some(vec![own.clone()]),
    });
    shown.collect()
}
