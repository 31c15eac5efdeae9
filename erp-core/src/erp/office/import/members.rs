//! Which members of records the rows of an import change.

use std::collections::{BTreeMap, BTreeSet};

use super::report::Target;
use crate::domain::master::{ArticlePrices, ArticleStock};
use crate::import::{Price, PriceRow, Row, RowKind, StockRow};
use crate::values::json::{Json, written};
use crate::wire::{As, WriteRecord, view};

/// The members that differ from what was stored, by the kind of rows. A dot leads into an object, and to an attribute.
pub type ChangedMembers = BTreeMap<String, BTreeSet<String>>;

type Members = BTreeMap<String, Json>;

/// Adds the members that differ of a record that was there.
pub(super) fn note(changed: &mut ChangedMembers, row: &Row, before: &Target, after: &Target) {
    let (kind, [before, after]) = match (row, before, after) {
        (Row::Article(..), Target::Article(Some(before)), Target::Article(Some(after))) => {
            (RowKind::Article, [&**before, &**after].map(members))
        }
        (Row::Customer(_), Target::Customer(Some(before)), Target::Customer(Some(after))) => {
            (RowKind::Customer, [&**before, &**after].map(members))
        }
        (Row::Price(row), Target::Tiers(Some(before)), Target::Tiers(Some(after))) => (
            RowKind::Price,
            [before, after].map(|prices| tier(prices, row)),
        ),
        (Row::Stock(row), Target::Stock(Some(before)), Target::Stock(Some(after))) => (
            RowKind::Stock,
            [before, after].map(|stock| place(stock, row)),
        ),
        _ => return,
    };
    if before.is_empty() {
        return;
    }
    let names = before.keys().chain(after.keys());
    let differing = names.filter(|name| before.get(*name) != after.get(*name));
    let known = changed.entry(kind.as_str().to_owned()).or_default();
    known.extend(differing.cloned());
}

fn members<T: WriteRecord<view::Row>>(record: &T) -> Members {
    let mut found = Members::new();
    let Json::Object(object) = written(&As::<_, view::Row>::new(record)) else {
        return found;
    };
    for (name, value) in object {
        match value {
            Json::Object(inner) => {
                let inner = inner.into_iter();
                found.extend(inner.map(|(member, value)| (format!("{name}.{member}"), value)));
            }
            Json::Array(list) if name == "attributes" => {
                let named = list.into_iter().filter_map(|attribute| {
                    let key = attribute.get("PHKey").and_then(Json::as_str)?;
                    Some((format!("{name}.{key}"), attribute))
                });
                found.extend(named);
            }
            value => drop(found.insert(name, value)),
        }
    }
    found
}

fn tier(prices: &ArticlePrices, row: &PriceRow) -> Members {
    let sets = prices.sets().iter();
    let mut tiers = sets.flat_map(|set| set.tiers.iter().map(move |tier| Price::of(set, tier)));
    let same = |price: &Price| {
        price.unit == row.price.unit
            && price.currency == row.price.currency
            && price.from == row.price.from
    };
    let price = tiers.find(same);
    price.map_or_else(Members::new, |price| members(&price))
}

fn place(stock: &ArticleStock, row: &StockRow) -> Members {
    let entry = stock.entries.iter().find(|known| known.is_at(&row.entry));
    entry.map_or_else(Members::new, members)
}
