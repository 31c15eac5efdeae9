//! The structure of small documents, and of cases with the verdicts of the official schemas.

mod faults;
mod mutations;
mod recorded;

use std::ops::Range;

use super::{Schema, SchemaFault, SchemaFaultKind, judge};
use crate::CheckLimits;
use crate::invoice::node::Node;
use crate::invoice::view::View;
use crate::xml::{Tree, XmlLimits, text::decode};

fn part(text: &str, place: Range<usize>) -> &str {
    text.get(place).expect("place")
}

/// What the verdicts call it.
const fn kind(fault: &SchemaFault<'_>) -> &'static str {
    match fault.kind {
        SchemaFaultKind::Unexpected(_) => "element-unexpected",
        SchemaFaultKind::Missing(_) => "child-missing",
        SchemaFaultKind::Text(_) => "text-not-allowed",
        SchemaFaultKind::NotEmpty => "not-empty",
        SchemaFaultKind::Child(_) => "child-in-simple",
        SchemaFaultKind::AttributeUnknown(_) => "attribute-unknown",
        SchemaFaultKind::AttributeMissing(_) => "attribute-missing",
        SchemaFaultKind::AttributeValue(..) => "attribute-value",
        SchemaFaultKind::Value(..) => "value",
        SchemaFaultKind::Nil => "xsi-nil",
        SchemaFaultKind::Type(_) => "xsi-type",
    }
}

/// The names around an element and its own, with the numbers of elements of one name.
fn path(node: Node<'_>) -> String {
    let Some(around) = node.up() else {
        return format!("/{}", node.name());
    };
    let element = node.element();
    let is_same = |other: &Node<'_>| {
        let other = other.element();
        other.local() == element.local() && other.namespace() == element.namespace()
    };
    let before = around.every_child().filter(is_same);
    let number = before
        .take_while(|other| other.element() != element)
        .count();
    let number = match number {
        0 => String::new(),
        number => format!("[{}]", number + 1),
    };
    let name = if node.is_foreign() {
        format!("{{{}}}{}", element.namespace(), element.local())
    } else {
        node.name()
    };
    format!("{}/{name}{number}", path(around))
}

/// Line, path and kind of the first fault.
fn first_fault(xml: &[u8], schema: Schema) -> Option<(usize, String, &'static str)> {
    let text = decode(xml, &XmlLimits::DEFAULT).expect("text");
    let tree = Tree::parse(&text, &XmlLimits::DEFAULT).expect("XML");
    let view = View::new(&tree, &CheckLimits::DEFAULT);
    let root = Node::new(&view, tree.root());
    // The official tools name the line where the start tag ends.
    let line = |node: Node<'_>| {
        let end = node.element().start_tag().end;
        1 + part(&text, 0..end).matches('\n').count()
    };
    if schema.document(root).is_none() {
        return Some((line(root), path(root), "root"));
    }
    let mut first = None;
    judge(root, schema, &mut |fault| {
        if first.is_none() {
            first = Some((line(fault.node), path(fault.node), kind(&fault)));
        }
    });
    first
}
