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
    let texts: Vec<&str> = match &property.value {
        Value::Text(text) => vec![text],
        Value::Array(_, items) => items
            .iter()
            .map(|item| item.value.text())
            .collect::<Option<_>>()?,
        Value::Structure(_) | Value::Foreign(_) => return None,
    };
    let texts: Vec<&str> = texts
        .into_iter()
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .collect();
    if texts.is_empty() {
        return Some(String::new());
    }
    if lower.ends_with("lang alt") {
        let [text] = texts.as_slice() else {
            return None;
        };
        let text = write::escape(text);
        return (lower == "lang alt")
            .then(|| format!("<rdf:Alt><rdf:li xml:lang=\"x-default\">{text}</rdf:li></rdf:Alt>"));
    }
    let (container, item) = match lower.split_once(' ').unwrap_or((&lower, "text")) {
        ("bag", item) => (Some("Bag"), item),
        ("seq", item) => (Some("Seq"), item),
        ("alt", item) => (Some("Alt"), item),
        _ if matches!(lower.as_str(), "bag" | "seq" | "alt") => return None,
        _ => (None, wanted),
    };
    let texts: Option<Vec<String>> = texts
        .into_iter()
        .map(|text| simple(text, item, types))
        .collect();
    let texts = texts?;
    match (container, texts.as_slice()) {
        (Some(container), texts) => {
            let items = texts
                .iter()
                .map(|text| format!("<rdf:li>{}</rdf:li>", write::escape(text)));
            let items: String = items.collect();
            Some(format!("<rdf:{container}>{items}</rdf:{container}>"))
        }
        (None, [text]) => Some(write::escape(text)),
        (None, _) => None,
    }
}

/// The text as a value of a simple type.
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
    [xmp_date(text, ""), truth]
        .into_iter()
        .flatten()
        .find(is_right)
}
