//! Whether a value is of a type.

use std::collections::BTreeMap;

use super::rdf::{ArrayKind, Item, Value, XmpField};
use super::{lexical, predefined};

/// Types that use each other may not go deeper: they may be a circle.
const MAX_DEPTH: usize = 16;

/// A structure that an extension schema defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OwnStructure {
    pub(super) namespace: String,
    /// Name and type of each field.
    pub(super) fields: BTreeMap<String, String>,
}

/// The types that a packet may use: those of XMP and those of its extension schemas.
#[derive(Debug, Default)]
pub(super) struct Types {
    own: BTreeMap<String, OwnStructure>,
}

impl Types {
    pub(super) fn define(&mut self, name: &str, structure: OwnStructure) {
        self.own.entry(simplify(name)).or_insert(structure);
    }

    pub(super) fn is_known(&self, kind: &str) -> bool {
        let kind = simplify(kind);
        let item = item_type(&kind);
        kind.starts_with('=')
            || simple_form(item).is_some()
            || item == "lang alt"
            || predefined::structure(item).is_some()
            || self.own.contains_key(item)
    }

    pub(super) fn matches(&self, value: &Value<'_>, kind: &str) -> bool {
        self.matches_within(value, kind, MAX_DEPTH)
    }

    fn matches_within(&self, value: &Value<'_>, kind: &str, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        if let Some(choices) = kind.strip_prefix('=') {
            let text = value.text();
            return text.is_some_and(|text| choices.split('|').any(|choice| choice == text));
        }
        let kind = simplify(kind);
        if kind == "lang alt" {
            return is_language_alternative(value);
        }
        if let Some((array, item)) = split_array(&kind) {
            return matches!(value, Value::Array(found, items)
                if *found == array && items.iter().all(|i| self.matches_within(&i.value, item, depth)));
        }
        if let Some(is_of_form) = simple_form(&kind) {
            return value.text().is_some_and(is_of_form);
        }
        self.is_structure(value, &kind, depth)
    }

    fn is_structure(&self, value: &Value<'_>, kind: &str, depth: usize) -> bool {
        let Value::Structure(fields) = value else {
            return false;
        };
        let is_field = |field: &XmpField<'_>| {
            let wanted = self.field_type(kind, field.name.namespace, field.name.local);
            wanted.is_some_and(|wanted| self.matches_within(&field.value, wanted, depth))
        };
        fields.iter().all(is_field)
    }

    fn field_type(&self, kind: &str, namespace: &str, local: &str) -> Option<&str> {
        if let Some((known, fields)) = predefined::structure(kind) {
            return fields.get(local).copied().filter(|_| *known == namespace);
        }
        let own = self.own.get(kind)?;
        let field = own.fields.get(local).filter(|_| own.namespace == namespace);
        field.map(String::as_str)
    }
}

/// The name of a type without case and without the words for choices.
fn simplify(kind: &str) -> String {
    if kind.starts_with('=') {
        return kind.to_owned();
    }
    let lower = kind.to_ascii_lowercase();
    let words = lower.split_whitespace();
    let mut kept: Vec<&str> = words
        .filter(|word| !matches!(*word, "open" | "closed" | "choice" | "of"))
        .collect();
    let is_array = matches!(kept.as_slice(), [] | [.., "bag" | "seq" | "alt"]);
    if is_array && !kept.ends_with(&["lang", "alt"]) {
        kept.push("text");
    }
    kept.join(" ")
}

fn split_array(kind: &str) -> Option<(ArrayKind, &str)> {
    let (word, item) = kind.split_once(' ')?;
    let array = match word {
        "bag" => ArrayKind::Bag,
        "seq" => ArrayKind::Seq,
        "alt" => ArrayKind::Alt,
        _ => return None,
    };
    Some((array, item))
}

/// The type inside all arrays.
fn item_type(kind: &str) -> &str {
    let mut kind = kind;
    while let Some((_, item)) = split_array(kind) {
        kind = item;
    }
    kind
}

/// The form that a type of texts requires; `None` for other types.
fn simple_form(kind: &str) -> Option<fn(&str) -> bool> {
    Some(match kind {
        "text" | "propername" | "agentname" | "rational" | "renditionclass" => |_| true,
        "boolean" => lexical::is_boolean,
        "integer" => lexical::is_integer,
        "real" => lexical::is_real,
        "mimetype" => lexical::is_mime_type,
        "locale" => lexical::is_locale,
        "date" => lexical::is_date,
        "uri" => lexical::is_uri,
        "url" => lexical::is_url,
        "xpath" => lexical::is_xpath,
        "gpscoordinate" => lexical::is_gps_coordinate,
        _ => return None,
    })
}

fn is_language_alternative(value: &Value<'_>) -> bool {
    let Value::Array(ArrayKind::Alt, items) = value else {
        return false;
    };
    let is_text = |item: &Item<'_>| item.has_language && item.value.text().is_some();
    !items.is_empty() && items.iter().all(is_text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xmp::packet::XmpName;
    use crate::xmp::rdf::Item;

    fn text(text: &str) -> Value<'_> {
        Value::Text(text.into())
    }

    fn array<'v>(kind: ArrayKind, texts: &[&'v str], has_language: bool) -> Value<'v> {
        let items = texts.iter().map(|value| Item {
            value: text(value),
            has_language,
        });
        Value::Array(kind, items.collect())
    }

    fn structure<'v>(namespace: &'v str, local: &'v str, value: Value<'v>) -> Value<'v> {
        let name = XmpName {
            namespace,
            local,
            prefix: "p",
        };
        Value::Structure(vec![XmpField { name, value }])
    }

    #[test]
    fn names_of_types_are_read_as_people_write_them() {
        for (written, simple) in [
            ("Text", "text"),
            ("Choice", "text"),
            ("closed Choice of Integer", "integer"),
            ("Open Choice of Text", "text"),
            ("bag Text", "bag text"),
            ("Seq", "seq text"),
            ("Lang Alt", "lang alt"),
            ("bag lang alt", "bag lang alt"),
            ("Seq of closed choice of Date", "seq date"),
        ] {
            assert_eq!(simplify(written), simple);
        }
    }

    #[test]
    fn arrays_must_be_of_the_right_kind() {
        let types = Types::default();
        assert!(types.matches(&array(ArrayKind::Seq, &["a"], false), "seq text"));
        assert!(types.matches(&array(ArrayKind::Seq, &[], false), "seq text"));
        assert!(!types.matches(&array(ArrayKind::Bag, &["a"], false), "seq text"));
        assert!(!types.matches(&text("a"), "seq text"));
        assert!(!types.matches(&array(ArrayKind::Seq, &["a"], false), "text"));
        assert!(!types.matches(&array(ArrayKind::Bag, &["a"], false), "bag integer"));
        assert!(types.matches(&array(ArrayKind::Alt, &["a"], true), "lang alt"));
        assert!(!types.matches(&array(ArrayKind::Alt, &["a"], false), "lang alt"));
        assert!(!types.matches(&array(ArrayKind::Alt, &[], true), "lang alt"));
    }

    #[test]
    fn structures_have_only_their_own_fields() {
        let mut types = Types::default();
        let dimensions = "http://ns.adobe.com/xap/1.0/sType/Dimensions#";
        assert!(types.matches(&structure(dimensions, "w", text("1.5")), "dimensions"));
        assert!(!types.matches(&structure(dimensions, "w", text("x")), "dimensions"));
        assert!(!types.matches(&structure(dimensions, "x", text("1")), "dimensions"));
        assert!(!types.matches(&structure("urn:a", "w", text("1")), "dimensions"));
        let fields = BTreeMap::from([("f".to_owned(), "Integer".to_owned())]);
        let namespace = "urn:a".to_owned();
        types.define("Mine", OwnStructure { namespace, fields });
        assert!(types.is_known("bag mine"));
        assert!(!types.is_known("yours"));
        assert!(types.matches(&structure("urn:a", "f", text("1")), "Mine"));
        assert!(!types.matches(&structure("urn:a", "f", text("x")), "Mine"));
        assert!(!types.matches(&text("1"), "yours"));
    }

    #[test]
    fn types_that_use_themselves_come_to_an_end() {
        let mut types = Types::default();
        let fields = BTreeMap::from([("f".to_owned(), "Self".to_owned())]);
        let namespace = "urn:a".to_owned();
        types.define("Self", OwnStructure { namespace, fields });
        let mut value = text("x");
        for _ in 0..MAX_DEPTH {
            value = structure("urn:a", "f", value);
        }
        assert!(!types.matches(&value, "Self"));
    }

    #[test]
    fn closed_choices_allow_no_other_text() {
        let types = Types::default();
        assert!(types.matches(&text("B"), "=A|B"));
        assert!(!types.matches(&text("C"), "=A|B"));
        assert!(!types.matches(&text("A|B"), "=A|B"));
    }
}
