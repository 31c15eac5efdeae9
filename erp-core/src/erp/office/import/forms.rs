//! Records as the members of their import rows, for what the audit trail keeps of a change.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::batch::{Batch, Working};
use crate::domain::master::{ArticlePrices, ArticleStock};
use crate::domain::media::Media;
use crate::erp::engine::{Differences, Members, PART, keys};
use crate::import::{MediaRow, Price};
use crate::storage::Key;
use crate::values::json::Json;
use crate::wire::{As, WriteRecord, view};

pub(in crate::erp::office) fn whole<T: WriteRecord<view::Row>>(record: &T) -> Members {
    let text = text(record);
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(&text).unwrap_or_default();
    let members = members.into_iter();
    members
        .map(|(name, value)| (name, value.get().to_owned()))
        .collect()
}

fn text<T: WriteRecord<view::Row>>(record: &T) -> String {
    serde_json::to_string(&As::<_, view::Row>::new(record)).unwrap_or_default()
}

pub(super) fn media(record: &Media) -> Members {
    whole(&MediaRow::from(record))
}

pub(super) fn prices(list: &str, article: &str, prices: &ArticlePrices) -> Members {
    let mut members = Members::from([named("PreisListe", list), named("ArtNr", article)]);
    for set in prices.sets() {
        let unit = set.unit.as_deref().unwrap_or_default();
        members.extend(set.tiers.iter().map(|tier| {
            let place = format!("{PART}{} {unit} {:020.6}", set.currency, tier.from);
            (place, text(&Price::of(set, tier)))
        }));
    }
    members
}

pub(super) fn stock(article: &str, stock: &ArticleStock) -> Members {
    let mut members = Members::from([named("ArtNr", article)]);
    members.extend(stock.entries.iter().map(|entry| {
        let unit = entry.unit.as_deref().unwrap_or_default();
        let place = format!("{PART}{}\t{}\t{unit}", entry.place, entry.location);
        (place, text(entry))
    }));
    members
}

fn named(name: &str, number: &str) -> (String, String) {
    (name.to_owned(), Json::from(number).to_string())
}

impl Batch {
    /// What the rows change of each record.
    pub(super) fn differences(&self) -> Differences {
        let mut found = Differences::default();
        found.of(&self.company, |()| keys::company(), |(), of| whole(of));
        found.of(&self.taxes, |id| keys::tax_code(id), |_, of| whole(of));
        found.of(&self.articles, |of| keys::article(of), |_, of| whole(of));
        found.of(
            &self.prices,
            |(list, article)| keys::price(list, article),
            |(list, article), of| prices(list, article, of),
        );
        found.of(&self.stock, |of| keys::stock(of), |id, of| stock(id, of));
        found.of(&self.customers, |of| keys::customer(of), |_, of| whole(of));
        found.of(&self.media, |key| keys::media(*key), |_, of| media(of));
        found
    }
}

impl Differences {
    /// Adds the records that differ, as far as there is room.
    fn of<K, T: PartialEq>(
        &mut self,
        records: &BTreeMap<K, Working<T>>,
        key_of: impl Fn(&K) -> Key,
        form: impl Fn(&K, &T) -> Members,
    ) {
        for (key, working) in records.iter().filter(|(_, working)| working.is_changed()) {
            if self.is_full {
                return;
            }
            let before = working.before.as_ref();
            let before = before.map(|before| form(key, &before.value));
            let now = working.now.as_ref().map(|now| form(key, now));
            self.add(&key_of(key), before, now);
        }
    }
}
