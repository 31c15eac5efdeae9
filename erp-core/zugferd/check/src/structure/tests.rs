//! The recorded verdicts of the official schemas, and the tables that they were made from.
//!
//! They are not part of the project: without them the tests that need them say so and pass.
#![expect(
    clippy::disallowed_methods,
    reason = "the tests read documents; the library does not"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use super::tables::{Part, Type, types};
use super::values::Value;
use super::{Fault, Kind, Schema, judge};
use crate::invoice::node::Node;
use crate::invoice::view::View;
use crate::xml::{Tree, XmlLimits, text::decode};
use crate::{CheckLimits, check};

const DATA: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../../../shared/data/structure"
);

/// The variable `STRUCTURE` may name another folder of the same form.
fn folder() -> PathBuf {
    std::env::var_os("STRUCTURE").map_or_else(|| DATA.into(), PathBuf::from)
}

fn verdicts(folder: &Path) -> Vec<Json> {
    let Ok(lines) = std::fs::read_to_string(folder.join("verdicts.jsonl")) else {
        println!("skipped: the verdicts on structures are not here");
        return Vec::new();
    };
    let lines = lines.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn schema(profile: &Json) -> Option<Schema> {
    Some(match profile.as_str()? {
        "minimum" => Schema::Minimum,
        "basicwl" => Schema::BasicWithoutLines,
        "basic" => Schema::Basic,
        "extended" => Schema::Extended,
        "en16931" => return None,
        other => panic!("{other}"),
    })
}

const fn kind(fault: &Fault<'_>) -> &'static str {
    match fault.kind {
        Kind::Unexpected(_) => "element-unexpected",
        Kind::Missing(_) => "child-missing",
        Kind::Text(_) => "text-not-allowed",
        Kind::NotEmpty => "not-empty",
        Kind::Child(_) => "child-in-simple",
        Kind::AttributeUnknown(_) => "attribute-unknown",
        Kind::AttributeMissing(_) => "attribute-missing",
        Kind::AttributeValue(..) => "attribute-value",
        Kind::Value(..) => "value",
        Kind::Nil => "xsi-nil",
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
    let name = match node.is_foreign() {
        true => format!("{{{}}}{}", element.namespace(), element.local()),
        false => node.name(),
    };
    format!("{}/{name}{number}", path(around))
}

/// Line, path and kind of the first fault.
fn first_fault(xml: &[u8], schema: Schema) -> Option<(usize, String, &'static str)> {
    let text = decode(xml, &XmlLimits::DEFAULT).expect("text");
    let tree = Tree::parse(&text, &XmlLimits::DEFAULT).expect("XML");
    let view = View::new(&tree, u64::MAX);
    let root = Node::new(&view, tree.root());
    if !root.is("rsm:CrossIndustryInvoice") {
        return Some((0, String::new(), "root"));
    }
    let mut first = None;
    judge(root, schema, &mut |fault| {
        if first.is_none() {
            // The official tools name the line where the start tag ends.
            let end = fault.node.element().start_tag().end;
            let line = 1 + text[..end].matches('\n').count();
            first = Some((line, path(fault.node), kind(&fault)));
        }
    });
    first
}

#[test]
fn verdicts_are_those_of_the_official_schemas() {
    let folder = folder();
    let mut wrong = Vec::new();
    for verdict in verdicts(&folder) {
        let file = verdict["file"].as_str().expect("file");
        let xml = std::fs::read(folder.join(file)).expect(file);
        let of_profile = schema(&verdict["profile"]).map(|schema| (schema, &verdict["profile_xsd"]));
        for (schema, official) in [Some((Schema::D16B, &verdict["d16b"])), of_profile]
            .into_iter()
            .flatten()
        {
            let ours = first_fault(&xml, schema);
            let theirs = match official["kind"].as_str() {
                None => None,
                Some("root") => Some((0, String::new(), "root")),
                Some(kind) => Some((
                    usize::try_from(official["line"].as_u64().expect("line")).expect("line"),
                    official["at"].as_str().expect("at").to_owned(),
                    kind,
                )),
            };
            let ours = ours
                .as_ref()
                .map(|(line, path, kind)| (*line, path.clone(), *kind));
            if ours != theirs && official["disputed"].is_null() {
                wrong.push(format!("{file} {schema:?}: {ours:?}, official {theirs:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
