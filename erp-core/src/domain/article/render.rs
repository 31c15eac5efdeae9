//! Converts articles to wire records.

use rust_decimal::Decimal;

use super::{Shown, View};
use crate::domain::master::{
    Article, PackagingUnit, PriceSet, PriceTier, StockEntry, available, first_hit,
};
use crate::wire::{self, Links};

/// The response that an article is rendered for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// An entry of the article list: without declarations.
    List,
    /// A single article: with declarations and weight.
    Single,
}

impl Shown {
    // rule: R-RES-12
    /// The article as the interface shows it.
    #[must_use]
    pub fn to_wire(&self, view: &View<'_>, form: Form, links: &Links<'_>) -> wire::Article {
        let article = self.article.as_ref();
        let has_units = !article.units.is_empty();
        let single = form == Form::Single;
        // All price and stock entries share this link: built once, then reference counted.
        let own = &links.to("GET", "artikel", "artikel", &article.number);
        wire::Article {
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
            links: Some(relations(links, article, own)),
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

// rule: R-RES-13
/// Today's rate of the article's tax code, otherwise of the company's standard code.
pub(super) fn tax_rate(view: &View<'_>, article: &Article) -> Option<Decimal> {
    let code = article
        .tax_code
        .as_ref()
        .or(view.company.tax_code.as_ref())?;
    view.taxes.rate_on(code, view.day).map(|rate| rate.rate)
}

// rule: R-END-62
fn relations(links: &Links<'_>, article: &Article, own: &wire::Link) -> Vec<wire::Link> {
    vec![
        own.clone(),
        links.to("GET", "artikelmedia", "artikelmedia", &article.number),
    ]
}

fn units(view: &View<'_>, shown: &Shown, own: &wire::Link) -> Vec<wire::PackagingUnit> {
    shown
        .article
        .shop_units()
        .into_iter()
        .map(|unit| packaging_unit(view, shown, unit, own))
        .collect()
}

// rule: R-RES-14
fn packaging_unit(
    view: &View<'_>,
    shown: &Shown,
    unit: &PackagingUnit,
    own: &wire::Link,
) -> wire::PackagingUnit {
    wire::PackagingUnit {
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
    }
}

/// The tiers of the first list with a price.
fn prices(
    view: &View<'_>,
    shown: &Shown,
    unit: Option<&str>,
    own: &wire::Link,
) -> Vec<wire::PriceTier> {
    let chain = shown.prices.iter().map(Option::as_deref);
    let hit = first_hit(chain, unit, view.currency);
    let tiers = hit.iter().flat_map(|hit| {
        let tiers = hit.set.tiers.iter();
        tiers.map(|tier| price_tier(own, &shown.article, hit.set, tier))
    });
    tiers.collect()
}

// rule: R-RES-15
fn price_tier(
    own: &wire::Link,
    article: &Article,
    set: &PriceSet,
    tier: &PriceTier,
) -> wire::PriceTier {
    wire::PriceTier {
        article_number: article.number.clone(),
        range: tier.range.clone(),
        from_quantity: Some(tier.from),
        to_quantity: tier.until,
        price: tier.price,
        kind: set.kind,
        packaging_unit: set.unit.clone(),
        modified_at: Some(tier.changed_at.into()),
        links: Some(vec![own.clone()]),
    }
}

/// Released stock in a unit.
fn stock(shown: &Shown, unit: Option<&str>, own: &wire::Link) -> Vec<wire::StockEntry> {
    let released = shown.stock.iter().flat_map(|stored| stored.released());
    released
        .zip(&shown.reserved)
        .filter(|((entry, _), _)| entry.unit.as_deref() == unit)
        .map(|((entry, _), reserved)| stock_entry(own, &shown.article, entry, *reserved))
        .collect()
}

fn stock_entry(
    own: &wire::Link,
    article: &Article,
    entry: &StockEntry,
    reserved: i64,
) -> wire::StockEntry {
    wire::StockEntry {
        article_number: article.number.clone(),
        warehouse: Some(entry.place.clone()),
        location: Some(entry.location),
        available: available(entry, reserved),
        packaging_unit: entry.unit.clone(),
        range: entry.range.clone(),
        links: Some(vec![own.clone()]),
    }
}

// rule: D-CTR-01, R-RES-17
/// Every declaration of origin once: for each `Nr` the text in the requested language, otherwise in the company's,
/// otherwise the first one. So no origin is lost because a translation is missing.
fn declarations(view: &View<'_>, article: &Article, own: &wire::Link) -> Vec<wire::Declaration> {
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
    let shown = chosen.map(|known| wire::Declaration {
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
