//! Converts values of predefined properties to the right type if that loses nothing.

use super::date::xmp_date;
use super::rdf::{Property, Value};
use super::types::Types;
use super::write;

/// The content of a property's element with the right type, converted from a value of another type.
///
/// A text becomes the only item of an array, the only item of an array becomes a text, an array becomes one of another
/// kind, and a date gets the form of XMP. `Some` with an empty text if there is nothing to keep; `None` if something
/// would be lost.
pub(super) fn retyped(property: &Property<'_>, wanted: &str, types: &Types) -> Option<String> {
    let lower = wanted.to_ascii_lowercase();
    let mut texts: Vec<&str> = match &property.value {
        Value::Text(text) => vec![text.trim()],
        Value::Array(_, items) => {
            let texts = items.iter().map(|item| item.value.text().map(str::trim));
            texts.collect::<Option<_>>()?
        }
        Value::Structure(_) | Value::Foreign(_) => return None,
    };
    texts.retain(|text| !text.is_empty());
    if texts.is_empty() {
        return Some(String::new());
    }
    if lower.ends_with("lang alt") {
        let [text] = texts.as_slice() else {
            return None;
        };
        return (lower == "lang alt").then(|| write::alternative(text));
    }
    let (container, item) = match lower.split_once(' ').unwrap_or((&lower, "text")) {
        ("bag", item) => (Some("Bag"), item),
        ("seq", item) => (Some("Seq"), item),
        ("alt", item) => (Some("Alt"), item),
        _ => (None, wanted),
    };
    let texts = texts
        .iter()
        .map(|text| Some(write::escape(&simple(text, item, types)?)));
    let mut texts = texts.collect::<Option<Vec<String>>>()?;
    match container {
        Some(container) => {
            let items = texts.iter().map(|text| format!("<rdf:li>{text}</rdf:li>"));
            let items: String = items.collect();
            Some(format!("<rdf:{container}>{items}</rdf:{container}>"))
        }
        None => texts.pop().filter(|_| texts.is_empty()),
    }
}

fn simple(text: &str, kind: &str, types: &Types) -> Option<String> {
    let is_right = |text: &String| types.matches(&Value::Text(text.into()), kind);
    let written = text.to_owned();
    if is_right(&written) {
        return Some(written);
    }
    let truth = match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" => Some("True".to_owned()),
        "false" | "0" | "no" => Some("False".to_owned()),
        _ => None,
    };
    let date = xmp_date(text, "").filter(is_right);
    date.or_else(|| truth.filter(is_right))
}
