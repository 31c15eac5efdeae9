//! Converts articles to wire records.

use rust_decimal::Decimal;
use smol_str::SmolStr;

use super::{Shown, View};
use crate::domain::master::{
    Article, PackagingUnit, PriceSet, PriceTier, StockEntry, available, first_hit,
};
use crate::values::number::Number;
use crate::values::time::format_instant;
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
            article_number: text(&article.number),
            stock_managed: Some(yes_or_no(article.stock_managed)),
            description: view
                .company
                .translation(&article.texts, view.language)
                .map(|text| text.clone().into()),
            status: Some(article.status),
            unit: optional(article.unit.as_ref()),
            colour: optional(article.colour.as_ref()),
            tax_rate: tax_rate(view, article).map(Number),
            modified_at: Some(format_instant(article.changed_at)),
            group: optional(article.group.as_ref()),
            class: optional(article.class.as_ref()),
            currency: Some(view.currency.as_str().into()),
            procurement_type: optional(article.procurement.as_ref()),
            processing_type: optional(article.processing.as_ref()),
            links: Some(relations(links, article, own)),
            attributes: attributes(article),
            has_packaging: Some(yes_or_no(has_units)),
            packaging_units: has_units.then(|| units(view, self, own)),
            prices: if has_units {
                None
            } else {
                prices(view, self, None, own)
            },
            stock: stock(self, None, own),
            declarations: if single {
                declarations(view, article, own)
            } else {
                None
            },
            weight: article.weight.filter(|_| single).map(Number),
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

fn yes_or_no(yes: bool) -> SmolStr {
    SmolStr::new_static(if yes { "J" } else { "N" })
}

fn text<const MAX: usize>(text: &crate::values::text::Text<MAX>) -> Option<SmolStr> {
    Some(text.clone().into())
}

fn optional<const MAX: usize>(value: Option<&crate::values::text::Text<MAX>>) -> Option<SmolStr> {
    value.map(|value| value.clone().into())
}

// rule: R-END-62
fn relations(links: &Links<'_>, article: &Article, own: &wire::Link) -> Vec<wire::Link> {
    vec![
        own.clone(),
        links.to("GET", "artikelmedia", "artikelmedia", &article.number),
    ]
}

fn attributes(article: &Article) -> Option<Vec<wire::Attribute>> {
    let list: Vec<_> = article
        .attributes
        .iter()
        .map(|known| wire::Attribute {
            contents: text(&known.contents),
            key: text(&known.key),
        })
        .collect();
    (!list.is_empty()).then_some(list)
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
        unit: text(&unit.code),
        ean: optional(unit.ean.as_ref()),
        designation: optional(view.company.translation(&unit.names, view.language)),
        weight_factor: unit.weight_factor.map(Number),
        weight: unit.weight.map(Number),
        content_weight: unit.content_weight.map(Number),
        factor: Some(Number(unit.factor)),
        prices: prices(view, shown, Some(&unit.code), own),
        stock: stock(shown, Some(&unit.code), own),
    }
}

/// The tiers of the first list with a price; `None` if no list has one.
fn prices(
    view: &View<'_>,
    shown: &Shown,
    unit: Option<&str>,
    own: &wire::Link,
) -> Option<Vec<wire::PriceTier>> {
    let chain = shown.prices.iter().map(Option::as_deref);
    let set = first_hit(chain, unit, view.currency)?.set;
    Some(
        set.tiers
            .iter()
            .map(|tier| price_tier(own, &shown.article, set, tier))
            .collect(),
    )
}

// rule: R-RES-15
fn price_tier(
    own: &wire::Link,
    article: &Article,
    set: &PriceSet,
    tier: &PriceTier,
) -> wire::PriceTier {
    wire::PriceTier {
        article_number: text(&article.number),
        range: optional(tier.range.as_ref()),
        from_quantity: Some(Number(tier.from)),
        to_quantity: tier.until.map(Number),
        price: Some(Number(tier.price)),
        kind: Some(SmolStr::new_static(set.kind.as_str())),
        packaging_unit: optional(set.unit.as_ref()),
        modified_at: Some(format_instant(tier.changed_at)),
        links: Some(vec![own.clone()]),
    }
}

/// Released stock in a unit; `None` if there is none.
fn stock(shown: &Shown, unit: Option<&str>, own: &wire::Link) -> Option<Vec<wire::StockEntry>> {
    let stored = shown.stock.as_deref()?;
    let entries = stored
        .released()
        .zip(&shown.reserved)
        .filter(|((entry, _), _)| entry.unit.as_deref() == unit);
    let list: Vec<_> = entries
        .map(|((entry, _), reserved)| stock_entry(own, &shown.article, entry, *reserved))
        .collect();
    (!list.is_empty()).then_some(list)
}

fn stock_entry(
    own: &wire::Link,
    article: &Article,
    entry: &StockEntry,
    reserved: i64,
) -> wire::StockEntry {
    wire::StockEntry {
        article_number: text(&article.number),
        warehouse: text(&entry.place),
        location: Some(entry.location),
        available: Some(available(entry, reserved)),
        packaging_unit: optional(entry.unit.as_ref()),
        range: optional(entry.range.as_ref()),
        links: Some(vec![own.clone()]),
    }
}

// rule: D-CTR-01, R-RES-17
/// Every declaration of origin once: for each `Nr` the text in the requested language, otherwise in the company's,
/// otherwise the first one. So no origin is lost because a translation is missing.
fn declarations(
    view: &View<'_>,
    article: &Article,
    own: &wire::Link,
) -> Option<Vec<wire::Declaration>> {
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
    let list: Vec<_> = chosen
        .map(|known| wire::Declaration {
            number: Some(known.number),
            language: Some(known.language.as_str().into()),
            article_number: text(&article.number),
            designation1: optional(known.designation.as_ref()),
            designation2: optional(known.designation_addition.as_ref()),
            short_designation: optional(known.short_designation.as_ref()),
            country: known.country.map(|country| country.as_str().into()),
            links: Some(vec![own.clone()]),
        })
        .collect();
    (!list.is_empty()).then_some(list)
}
