//! Whether an invoice has the structure of its schema: order and number of elements, attributes, and types of values.
//!
//! ```text
//! tables      which types the schemas have, with children and attributes (tables.txt, ubl.txt)
//! mod         one pass over the elements, with a cursor in the type of each open one
//! values      the types of values
//! sentences   the faults in words
//! ```
//!
//! In an element that is out of place, and behind it, nothing is judged until the element around it ends: what follows
//! would only be consequences. Of the attributes of an element only the first fault is reported. Every other element is
//! judged for itself. What is inside an extension of UBL is judged where the schema knows its name, at any depth.

mod sentences;
pub(crate) mod tables;
#[cfg(test)]
mod tests;
mod values;

pub(crate) use tables::Schema;

use tables::{SchemaPart, Type};
use values::Value;

use crate::findings::{Described, terms};
use crate::invoice::decimal::BLANKS;
use crate::invoice::node::Node;
use crate::xml::Attribute;

/// The id of all findings on the structure.
pub(crate) const STRUCTURE: &str = "ERP-STRUCTURE";

const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

pub(crate) struct SchemaFault<'a> {
    pub(crate) node: Node<'a>,
    kind: SchemaFaultKind<'a>,
}

enum SchemaFaultKind<'a> {
    /// The element is not one that may come next; the cursor is that of the element around.
    Unexpected(Cursor),
    /// The element ends, but more must come.
    Missing(Cursor),
    /// There is text between the elements inside.
    Text(&'a str),
    /// Nothing may be inside.
    NotEmpty,
    /// Only text may be inside.
    Child(Node<'a>),
    AttributeUnknown(Attribute<'a>),
    AttributeMissing(&'static str),
    /// The attribute is not what its type or facet says.
    AttributeValue(Attribute<'a>, &'static str, Value),
    Value(Value, String),
    Nil,
    /// `xsi:type` names another type than this.
    Type(String),
}

impl SchemaFault<'_> {
    pub(crate) fn describe(&self) -> Described {
        let child = match &self.kind {
            SchemaFaultKind::Missing(cursor) => cursor.needed().map(|part| part.name),
            _ => None,
        };
        Described {
            id: STRUCTURE.to_owned(),
            terms: terms::of_element(self.node, child),
            texts: sentences::of(self),
        }
    }
}

/// Calls for each fault of the structure.
pub(crate) fn judge<'a>(root: Node<'a>, schema: Schema, take: &mut dyn FnMut(SchemaFault<'a>)) {
    if let Some(kind) = schema.document(root) {
        Walk { schema, take }.visit(root, kind);
    }
}

/// How far the children of an element have come in its type.
struct Cursor {
    kind: &'static Type,
    schema: Schema,
    /// The number of the part that came last.
    place: usize,
    count: u32,
}

impl Cursor {
    /// The parts that are not behind the cursor: how often they came and may come.
    fn rest(&self) -> impl Iterator<Item = (usize, &'static SchemaPart, u32, (u32, u32))> + use<> {
        let (place, count, schema) = (self.place, self.count, self.schema);
        let parts = self.kind.children.iter().enumerate().skip(place);
        parts.filter_map(move |(number, part)| {
            let came = if number == place { count } else { 0 };
            Some((number, part, came, part.often(schema)?))
        })
    }

    /// Moves to a child; its type, unless it does not fit here.
    fn take(&mut self, child: Node<'_>) -> Option<&'static Type> {
        if self.is_done() {
            return None;
        }
        for (number, part, came, (least, most)) in self.rest() {
            if came < most && part.is(child) {
                (self.place, self.count) = (number, came + 1);
                return part.kind(self.schema);
            }
            if came < least && !self.kind.is_choice {
                return None;
            }
        }
        None
    }

    /// Whether the choice was made.
    const fn is_done(&self) -> bool {
        self.kind.is_choice && self.count > 0
    }

    /// The part that must come before the element may end; of a choice, the first.
    fn needed(&self) -> Option<&'static SchemaPart> {
        if self.is_done() {
            return None;
        }
        let mut needed = self.rest().filter(|(_, _, came, (least, _))| came < least);
        needed.next().map(|(_, part, ..)| part)
    }

    /// The parts that may come next, up to the first one that must.
    fn expected(&self) -> Vec<&'static SchemaPart> {
        let mut parts = Vec::new();
        for (_, part, came, (least, most)) in self.rest() {
            if came < most && !self.is_done() {
                parts.push(part);
            }
            if came < least && !self.kind.is_choice {
                break;
            }
        }
        parts
    }
}

struct Walk<'w, 'a> {
    schema: Schema,
    take: &'w mut dyn FnMut(SchemaFault<'a>),
}

impl<'a> Walk<'_, 'a> {
    fn push(&mut self, node: Node<'a>, kind: SchemaFaultKind<'a>) {
        (self.take)(SchemaFault { node, kind });
    }

    /// Elements are inside each other as deep as the limits of the reader allow.
    fn visit(&mut self, node: Node<'a>, kind: &'static Type) {
        if kind.name == "*" {
            return self.extension(node);
        }
        if let Some(fault) = self.attributes(node, kind) {
            self.push(node, fault);
        }
        match kind.text {
            Some(value) => self.value(node, value),
            None if kind.is_empty(self.schema) => self.nothing(node),
            None => self.children(node, kind),
        }
    }

    /// An element in an extension: the schema may know it, or what is inside.
    fn extension(&mut self, node: Node<'a>) {
        let (name, root) = (node.name(), node.root());
        let document = self.schema.document(root).filter(|_| name == root.name());
        match document.or_else(|| Schema::declared(&name)) {
            Some(kind) => self.visit(node, kind),
            None => node.every_child().for_each(|child| self.extension(child)),
        }
    }

    fn attributes(&self, node: Node<'a>, kind: &'static Type) -> Option<SchemaFaultKind<'a>> {
        let fault = |attribute: Attribute<'a>| match (attribute.namespace(), attribute.local()) {
            (INSTANCE, "schemaLocation" | "noNamespaceSchemaLocation") => None,
            (INSTANCE, "nil") => Some(SchemaFaultKind::Nil),
            (INSTANCE, "type") => {
                // A text of UBL has a type of its own name.
                let wanted = match (self.schema, kind.text) {
                    (Schema::Ubl, Some(_)) => format!("{}Type", node.name()),
                    _ => kind.name.to_owned(),
                };
                let is_it = node.usual_name(attribute.value()).as_ref() == Some(&wanted);
                (!is_it).then_some(SchemaFaultKind::Type(wanted))
            }
            ("", local) => match kind.attribute(local, self.schema) {
                None => Some(SchemaFaultKind::AttributeUnknown(attribute)),
                Some(part) => {
                    let kind = part.kind(self.schema).and_then(|kind| kind.text);
                    let (kind, text) = (kind.unwrap_or(Value::Any), attribute.value());
                    let fault = SchemaFaultKind::AttributeValue(attribute, part.facet, kind);
                    Some(fault).filter(|_| !keeps(part.facet, text) || !kind.fits(text))
                }
            },
            _ => Some(SchemaFaultKind::AttributeUnknown(attribute)),
        };
        let missing = || {
            let needed =
                |part: &&SchemaPart| part.often(self.schema).is_some_and(|(least, _)| least > 0);
            let mut needed = kind.attributes.iter().filter(needed);
            let missing = needed.find(|part| node.attribute(part.name).is_none());
            missing.map(|part| SchemaFaultKind::AttributeMissing(part.name))
        };
        node.element().attributes().find_map(fault).or_else(missing)
    }

    fn value(&mut self, node: Node<'a>, value: Value) {
        if let Some(child) = node.every_child().next() {
            return self.push(node, SchemaFaultKind::Child(child));
        }
        if value == Value::Any {
            return;
        }
        let text = node.text();
        if !value.fits(&text) && !node.is_exhausted() {
            self.push(node, SchemaFaultKind::Value(value, text.into_owned()));
        }
    }

    fn nothing(&mut self, node: Node<'a>) {
        let element = node.element();
        let mut pieces = element.own_pieces();
        if node.every_child().next().is_some() || pieces.any(|(_, piece)| !piece.is_empty()) {
            self.push(node, SchemaFaultKind::NotEmpty);
        }
    }

    fn children(&mut self, node: Node<'a>, kind: &'static Type) {
        let mut cursor = Cursor {
            kind,
            schema: self.schema,
            place: 0,
            count: 0,
        };
        let mut pieces = node.element().own_pieces();
        let mut text = pieces.find(|(_, piece)| !piece.trim_matches(BLANKS).is_empty());
        for (number, child) in node.every_child().enumerate() {
            if let Some((_, text)) = text.take_if(|(before, _)| *before <= number) {
                self.push(node, SchemaFaultKind::Text(text));
            }
            let Some(inner) = cursor.take(child) else {
                return self.push(child, SchemaFaultKind::Unexpected(cursor));
            };
            self.visit(child, inner);
        }
        if node.is_exhausted() {
            return;
        }
        if let Some((_, text)) = text {
            return self.push(node, SchemaFaultKind::Text(text));
        }
        if cursor.needed().is_some() {
            self.push(node, SchemaFaultKind::Missing(cursor));
        }
    }
}

/// Whether an attribute is what its facet says. Blanks around it do not count, and those inside count as one.
fn keeps(facet: &str, value: &str) -> bool {
    let words = value.split(BLANKS).filter(|word| !word.is_empty());
    match (facet.strip_prefix('='), facet.split_once("..")) {
        (Some(fixed), _) => words.eq(fixed.split(' ')),
        (None, Some((least, most))) => {
            let length: usize = words.map(|word| word.chars().count() + 1).sum();
            let length = length.saturating_sub(1);
            let limit = |text: &str| text.parse().unwrap_or(length);
            (limit(least)..=limit(most)).contains(&length)
        }
        (None, None) => true,
    }
}
