//! The faults of a structure in words, in English and German.

use super::{Cursor, SchemaFault, SchemaFaultKind};
use crate::engine::Says;
use crate::invoice::abort::shorten;
use crate::invoice::node::Node;

/// As many elements that may come next are named; a sentence is not a schema.
const NAMED: usize = 6;

pub(super) fn of(fault: &SchemaFault<'_>) -> (String, String) {
    let name = name(fault.node);
    match &fault.kind {
        SchemaFaultKind::Unexpected(cursor) => unexpected(fault.node, cursor),
        SchemaFaultKind::Missing(cursor) => {
            let (en, de) = next(cursor);
            (
                format!("`{name}` ends too early; expected is {en}."),
                format!("`{name}` endet zu früh; erwartet wird {de}."),
            )
        }
        SchemaFaultKind::Text(text) => {
            let text = shorten(text.trim());
            (
                format!("In `{name}` only elements are allowed, not the text `{text}`."),
                format!("In `{name}` sind nur Elemente erlaubt, nicht der Text `{text}`."),
            )
        }
        SchemaFaultKind::NotEmpty => (
            format!("`{name}` must be empty, without even a blank inside."),
            format!("`{name}` muss leer sein, auch ohne Leerzeichen darin."),
        ),
        SchemaFaultKind::Child(child) => {
            let child = self::name(*child);
            (
                format!("In `{name}` only text is allowed, not the element `{child}`."),
                format!("In `{name}` ist nur Text erlaubt, nicht das Element `{child}`."),
            )
        }
        SchemaFaultKind::Value(value, text) => {
            let (text, (en, de)) = (shown(text), value.says());
            (
                format!("`{name}` is {text}, expected is {en}."),
                format!("`{name}` ist {text}, erwartet wird {de}."),
            )
        }
        SchemaFaultKind::AttributeUnknown(attribute) => {
            let prefix = attribute.prefix();
            let colon = if prefix.is_empty() { "" } else { ":" };
            let attribute = shorten(&format!("{prefix}{colon}{}", attribute.local()));
            (
                format!("`{name}` has no attribute `{attribute}`."),
                format!("`{name}` hat kein Attribut `{attribute}`."),
            )
        }
        SchemaFaultKind::AttributeMissing(attribute) => (
            format!("`{name}` needs the attribute `{attribute}`."),
            format!("`{name}` braucht das Attribut `{attribute}`."),
        ),
        SchemaFaultKind::AttributeValue(attribute, facet, kind) => {
            let (attribute, value) = (attribute.local(), shown(attribute.value()));
            let (en, de) = match facet.strip_prefix('=') {
                Some(fixed) => (format!("`{fixed}`"), format!("`{fixed}`")),
                None if facet.is_empty() => (kind.says().0.to_owned(), kind.says().1.to_owned()),
                None => {
                    let facet = facet.replace("..", "–");
                    (format!("{facet} characters"), format!("{facet} Zeichen"))
                }
            };
            (
                format!("`@{attribute}` of `{name}` is {value}, expected is {en}."),
                format!("`@{attribute}` von `{name}` ist {value}, erwartet wird {de}."),
            )
        }
        SchemaFaultKind::Nil => (
            format!("`{name}` cannot have `xsi:nil`."),
            format!("`{name}` kann `xsi:nil` nicht haben."),
        ),
        SchemaFaultKind::Type(kind) => (
            format!("`xsi:type` of `{name}` can only be `{kind}`."),
            format!("`xsi:type` von `{name}` kann nur `{kind}` sein."),
        ),
    }
}

fn unexpected(node: Node<'_>, cursor: &Cursor) -> (String, String) {
    let (name, around) = (name(node), node.up().map_or_else(String::new, name));
    let (en, de) = next(cursor);
    if cursor.kind.has(node, cursor.schema) {
        (
            format!("`{name}` cannot be at this place of `{around}`; expected is {en}."),
            format!(
                "`{name}` kann an dieser Stelle von `{around}` nicht stehen; erwartet wird {de}."
            ),
        )
    } else {
        (
            format!("There is no `{name}` in `{around}`; expected is {en}."),
            format!("In `{around}` gibt es kein `{name}`; erwartet wird {de}."),
        )
    }
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
