//! The sentences of business rules: those of EN 16931 where it has the rule, own ones for the others: `sentences.txt`.

use std::sync::OnceLock;

use crate::en16931::RULES;
use crate::engine::{Context, Rule, Subject};
use crate::findings::message;
use crate::invoice::abort::shorten;
use crate::invoice::document::Document;
use crate::invoice::node::Node;
use crate::invoice::texts::TextMap;

/// A line has the name of a rule, its terms and its messages; `*` means the part that all VAT categories have in
/// common. Braces contain paths from the element, whose value is inserted in the message.
static OWN: &str = include_str!("sentences.txt");

type Known = (&'static Rule, &'static Context);

/// The rules of EN 16931 by their ids.
fn standard() -> &'static TextMap<'static, Option<Known>> {
    static RULES_BY_ID: OnceLock<TextMap<'static, Option<Known>>> = OnceLock::new();
    RULES_BY_ID.get_or_init(|| {
        let mut rules = TextMap::default();
        for context in RULES.contexts() {
            for rule in &context.rules {
                let id = rule.id_of(context.category).into();
                rules.change(id, |known| *known = Some((rule, context)));
            }
        }
        rules
    })
}

fn known(name: &str) -> Option<Known> {
    standard().get(name).copied().flatten()
}

pub(super) fn terms(name: &str) -> &'static str {
    match (known(name), own(name)) {
        (Some((rule, _)), _) => rule.terms,
        (None, Some((terms, ..))) => terms,
        (None, None) => "",
    }
}

/// The sentences of a rule that is broken at an element, in English and German.
pub(super) fn of(name: &str, node: Node<'_>, document: &Document<'_>) -> (String, String) {
    if let Some((rule, context)) = known(name) {
        // The profile may look at a total where the standard looks at the document.
        let is_of_document = context.place.is_document();
        let subject = Subject {
            node: if is_of_document { node.root() } else { node },
            facts: document.facts,
            document,
            category: context.category,
        };
        // The rule of the standard knows the values that disagree, unless it is the profile that is stricter.
        if let Ok(Some(values)) = rule.test.judge(&subject) {
            return message::broken(rule, &subject, &values);
        }
    }
    if let Some((_, en, de)) = own(name) {
        return (fill(en, node), fill(de, node));
    }
    (
        format!("The rule {name} of EN 16931 is broken, as this profile reads it."),
        format!("Die Regel {name} der EN 16931 ist verletzt, wie dieses Profil sie liest."),
    )
}

/// Terms and sentences of a rule that EN 16931 does not have, or of the rules of each VAT category that end like it.
fn own(name: &str) -> Option<(&'static str, &'static str, &'static str)> {
    let of = |name: &str| {
        let mut lines = OWN.lines();
        let line = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(" | "))?;
        let (terms, sentences) = line.split_once(" | ")?;
        let (en, de) = sentences.split_once(" | ")?;
        Some((terms, en, de))
    };
    let end = name.rfind('-').and_then(|at| name.get(at..));
    of(name).or_else(|| of(&format!("*{}", end?)))
}

/// Replaces paths in braces by the values there.
fn fill(template: &str, node: Node<'_>) -> String {
    // Some rules are reported at the code of a breakdown.
    let around = node.up().filter(|_| node.is("CategoryCode"));
    let from = around.unwrap_or(node);
    message::fill(template, |path| match path {
        "element" => shorten(node.element().local()),
        "." => shorten(&node.text()),
        path => value(from, path),
    })
}

/// The first value at a path, or a dash if there is none.
fn value(from: Node<'_>, path: &str) -> String {
    let found = from.first(path);
    let text = match path.strip_prefix('@') {
        Some(name) => found.and_then(|node| node.attribute(name)).map(shorten),
        None => found.map(|node| shorten(&node.text())),
    };
    let text = text.filter(|text| !text.is_empty());
    text.unwrap_or_else(|| "–".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_name_the_same_values() {
        let paths = |sentence: &'static str| -> Vec<&'static str> {
            let parts = sentence.split('{').skip(1);
            parts.filter_map(|part| part.split('}').next()).collect()
        };
        for name in OWN.lines().filter_map(|line| line.split(" | ").next()) {
            let (_, en, de) = own(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(paths(en), paths(de), "{name}");
        }
        assert_eq!(own("BR-FXEXT-S-08b"), own("*-08b"));
        assert_eq!(own("BR-0"), None);
    }
}
