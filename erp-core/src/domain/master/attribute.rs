//! Free attributes of articles, customers, addresses and the company, and visibility based on them.

use std::collections::BTreeSet;

use erp_derive::Record;
use serde::{Deserialize, Serialize};

use crate::values::json::Json;
use crate::values::problem::Code;
use crate::values::text::Text;
use crate::wire::record::read_records;
use crate::wire::view::Row;
use crate::wire::write::List;
use crate::wire::{self, Field, Kind, Record, Scope, Value};

/// One attribute: a unique name and its contents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(Row = "Attribute")]
pub struct Attribute {
    /// The unique name.
    #[wire("PHKey", key, required)]
    pub key: Text<12>,
    /// The contents.
    #[wire("Contents", default)]
    pub contents: Text<200>,
}

/// The attributes of a record, in the order they were given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Attributes(Vec<Attribute>);

impl Attributes {
    /// Selects the articles (and, where the company uses it, addresses) that a shop user sees.
    pub const SELECTION: &'static str = "RESTWEBSHOP";
    /// Lists the packaging units that shops see.
    pub const PACKAGING_UNITS: &'static str = "WEBSHOPVPE";
    /// Lists the media usages that shops see.
    pub const MEDIA_USAGE: &'static str = "VERWENDUNG";

    /// Attributes from a list; the later of two with the same name wins.
    pub fn new(list: Vec<Attribute>) -> Self {
        let mut attributes = Self::default();
        for attribute in list {
            attributes.set(attribute);
        }
        attributes
    }

    /// Stores an attribute, replacing one with the same name.
    pub fn set(&mut self, attribute: Attribute) {
        let mut known = self.0.iter_mut();
        match known.find(|known| known.key.eq_ignore_ascii_case(&attribute.key)) {
            Some(known) => *known = attribute,
            None => self.0.push(attribute),
        }
    }

    /// Makes the record visible to a shop, or to every one (`*`).
    pub(crate) fn select(&mut self, shop: &str) {
        let texts = (Text::new(Self::SELECTION), Text::new(shop));
        if let (Ok(key), Ok(contents)) = texts {
            self.set(Attribute { key, contents });
        }
    }

    /// Removes an attribute (name ignoring case); returns whether there was one.
    pub fn remove(&mut self, key: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|known| !known.key.eq_ignore_ascii_case(key));
        self.0.len() < before
    }

    /// The contents of an attribute, name ignoring case.
    pub fn get(&self, key: &str) -> Option<&str> {
        let mut known = self.0.iter();
        let known = known.find(|known| known.key.eq_ignore_ascii_case(key));
        known.map(|known| known.contents.as_str())
    }

    /// The parts of a comma-separated attribute, trimmed, without empty parts.
    pub fn list(&self, key: &str) -> impl Iterator<Item = &str> {
        parts(self.get(key).unwrap_or_default())
    }

    /// The attributes as responses show them; `None` without any.
    pub(crate) fn shown(&self) -> Option<Vec<wire::Attribute>> {
        let shown = self.0.iter().map(|known| wire::Attribute {
            contents: Some(known.contents.clone().into()),
            key: known.key.clone().into(),
        });
        (!self.0.is_empty()).then(|| shown.collect())
    }

    /// All attributes.
    pub fn iter(&self) -> impl Iterator<Item = &Attribute> {
        self.0.iter()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The parts of a comma-separated text, trimmed, without empty parts.
pub(super) fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
}

/// Whether the contents of `RESTWEBSHOP` name this shop value or `*`.
pub(super) fn selects(selection: &str, shop: &str) -> bool {
    parts(selection).any(|value| value == "*" || value.to_lowercase() == shop.to_lowercase())
}

impl Value for Attributes {
    const KIND: Kind = Kind::List(<wire::Attribute as Record>::SCHEMA);

    fn read_value(value: &Json, field: &Field, scope: &mut Scope<'_>) -> Option<Self> {
        let mut names = BTreeSet::new();
        let list = read_records::<Attribute, Row>(value, field, scope)?;
        for entry in &list {
            let key = &entry.value.key;
            if !names.insert(key.to_ascii_lowercase()) {
                let message = sentence!("contradiction.attribute", key);
                let path = scope.path.index(entry.at);
                let path = path.member("PHKey");
                scope.problems.add(&path, Code::Contradiction, message);
            }
        }
        Some(Self(list.into_iter().map(|entry| entry.value).collect()))
    }

    fn to_wire(&self, _: &Field) -> Option<impl Serialize> {
        List::<_, Row>::new(self.0.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes(contents: &str) -> Attributes {
        let key = Text::new(Attributes::SELECTION).unwrap();
        Attributes::new(vec![Attribute {
            key,
            contents: Text::new(contents).unwrap(),
        }])
    }

    // rule: R-ART-01
    #[test]
    fn selection_is_trimmed_and_ignores_case() {
        for (contents, shop, selected) in [
            ("SHOP1,SHOP2", "SHOP2", true),
            (" shop1 , x", "SHOP1", true),
            ("SHOP10", "SHOP1", false),
            ("*", "anything", true),
            ("ÄPFEL", "äpfel", true),
            ("", "", false),
            (",", "", false),
        ] {
            assert_eq!(selects(contents, shop), selected, "{contents} {shop}");
        }
    }

    #[test]
    fn a_name_is_unique() {
        let mut list = attributes("a");
        list.set(Attribute {
            key: Text::new("restwebshop").unwrap(),
            contents: Text::new("b").unwrap(),
        });
        assert_eq!(
            (list.iter().count(), list.get("RESTWEBSHOP")),
            (1, Some("b"))
        );
        assert!(!list.remove("REST"));
        assert!(list.remove("RestWebShop") && list.is_empty());
    }
}
