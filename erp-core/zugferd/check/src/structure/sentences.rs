//! The faults of a structure in words, in English and German.

use super::{Cursor, SchemaFault, SchemaFaultKind};
use crate::engine::Says;
use crate::findings::message;
use crate::invoice::abort::shorten;
use crate::invoice::node::Node;

/// As many elements that may come next are named; a sentence is not a schema.
const NAMED: usize = 6;

pub(super) fn of(fault: &SchemaFault<'_>) -> (String, String) {
    let node = fault.node;
    let none = || (String::new(), String::new());
    let (key, details, (en, de)) = match &fault.kind {
        SchemaFaultKind::Unexpected(cursor) => {
            let is_known = cursor.kind.has(node, cursor.schema);
            let key = if is_known { "misplaced" } else { "unknown" };
            let around = node.up().map_or_else(String::new, name);
            (key, vec![around], next(cursor))
        }
        SchemaFaultKind::Missing(cursor) => ("incomplete", Vec::new(), next(cursor)),
        SchemaFaultKind::Text(text) => ("text", vec![shorten(text.trim())], none()),
        SchemaFaultKind::NotEmpty => ("not_empty", Vec::new(), none()),
        SchemaFaultKind::Child(child) => ("child", vec![name(*child)], none()),
        SchemaFaultKind::Value(value, text) => ("value", vec![shown(text)], value.says()),
        SchemaFaultKind::AttributeUnknown(attribute) => {
            let prefix = attribute.prefix();
            let colon = if prefix.is_empty() { "" } else { ":" };
            let attribute = shorten(&format!("{prefix}{colon}{}", attribute.local()));
            ("attribute_unknown", vec![attribute], none())
        }
        SchemaFaultKind::AttributeMissing(attribute) => {
            ("attribute_missing", vec![(*attribute).to_owned()], none())
        }
        SchemaFaultKind::AttributeValue(attribute, facet, kind) => {
            let expected = match facet.strip_prefix('=') {
                Some(fixed) => (format!("`{fixed}`"), format!("`{fixed}`")),
                None if facet.is_empty() => kind.says(),
                None => {
                    let facet = facet.replace("..", "–");
                    (format!("{facet} characters"), format!("{facet} Zeichen"))
                }
            };
            let details = vec![attribute.local().to_owned(), shown(attribute.value())];
            ("attribute_value", details, expected)
        }
        SchemaFaultKind::Nil => ("nil", Vec::new(), none()),
        SchemaFaultKind::Type(kind) => ("type", vec![kind.clone()], none()),
    };
    let fill = |template, expected: &String| {
        message::fill(template, |part| match part {
            "name" => name(node),
            "expected" => expected.clone(),
            "0" => details.first().cloned().unwrap_or_default(),
            _ => details.last().cloned().unwrap_or_default(),
        })
    };
    let (english, german) = message::says(key);
    (fill(english, &en), fill(german, &de))
}

/// The name of an element; of a foreign one with its namespace.
fn name(node: Node<'_>) -> String {
    let element = node.element();
    let local = shorten(element.local());
    match (node.is_foreign(), element.namespace()) {
        (false, _) | (true, "") => local,
        (true, namespace) => format!("{{{}}}{local}", shorten(namespace)),
    }
}

/// A text, or the word for none.
fn shown(text: &str) -> String {
    match shorten(text.trim()) {
        text if text.is_empty() => "–".to_owned(),
        text => format!("`{text}`"),
    }
}

/// What may come next: the first ones, and the one that must come.
fn next(cursor: &Cursor) -> (String, String) {
    let expected = cursor.expected();
    let names = expected.iter().map(|part| format!("`{}`", part.name));
    let mut names: Vec<_> = names.collect();
    let last = cursor.needed().and_then(|_| names.pop());
    if names.len() > NAMED {
        names.truncate(NAMED);
        names.push("…".to_owned());
    }
    let names = names.join(", ");
    let list = |(or, end): Says| match (names.as_str(), last.as_deref().unwrap_or(end)) {
        ("", last) => last.to_owned(),
        (names, last) => format!("{names} {or} {last}"),
    };
    (list(("or", "its end")), list(("oder", "das Ende")))
}
