//! Documents made from the tables: for each rule with a path, one that breaks it and one that keeps it.

use crate::codes::each;
use crate::en16931::{RULES, ubl};
use crate::engine::context::ContextPlace;
use crate::engine::rule::Test;
use crate::engine::rule_set::RuleSet;

const ROOT: &str = "<rsm:CrossIndustryInvoice \
    xmlns:rsm=\"urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100\" \
    xmlns:ram=\"urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100\" \
    xmlns:udt=\"urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100\"";

pub(super) fn qualified(step: &str) -> String {
    if step.contains(':') {
        step.to_owned()
    } else {
        format!("ram:{step}")
    }
}

/// The document element with the namespaces, and its end tag.
struct Root {
    name: &'static str,
    start: &'static str,
    prefix: &'static str,
}

const CII: Root = Root {
    name: "rsm:CrossIndustryInvoice",
    start: ROOT,
    prefix: "ram:",
};

const UBL: Root = Root {
    name: "ubl:Invoice",
    start: "<ubl:Invoice \
        xmlns:ubl=\"urn:oasis:names:specification:ubl:schema:xsd:Invoice-2\" \
        xmlns:cac=\"urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2\" \
        xmlns:cbc=\"urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2\" \
        xmlns:ext=\"urn:oasis:names:specification:ubl:schema:xsd:CommonExtensionComponents-2\"",
    prefix: "cbc:",
};

/// A document with one element at the place, with this attribute and content.
fn document(root: &Root, place: &ContextPlace, attribute: &str, content: &str) -> String {
    let named;
    let path: &[&str] = match place {
        ContextPlace::Anywhere(paths) | ContextPlace::Paths(paths) => paths.first().expect("path"),
        ContextPlace::Suffix(end) | ContextPlace::AnySuffix(end) => {
            named = format!("{}Some{end}", root.prefix);
            &[named.as_str()]
        }
    };
    let below = path.strip_prefix(&[root.name]).unwrap_or(path);
    let Some((last, above)) = below.split_last() else {
        return format!("{} {attribute}>{content}</{}>", root.start, root.name);
    };
    let last = qualified(last);
    let mut xml = format!("<{last} {attribute}>{content}</{last}>");
    for step in above.iter().rev() {
        let step = qualified(step);
        xml = format!("<{step}>{xml}</{step}>");
    }
    format!("{}>{xml}</{}>", root.start, root.name)
}

/// The element or attribute of a path with a text, for inside an element: attribute and content.
fn inside(path: &str, text: &str) -> (String, String) {
    if path == "." {
        return (String::new(), text.to_owned());
    }
    if let Some(name) = path.strip_prefix('@') {
        return (format!("{name}=\"{text}\""), String::new());
    }
    let (step, rest) = path.split_once('/').unwrap_or((path, ""));
    let (attribute, content) = match rest {
        "" => (String::new(), text.to_owned()),
        rest => inside(rest, text),
    };
    let step = qualified(step);
    (
        String::new(),
        format!("<{step} {attribute}>{content}</{step}>"),
    )
}

/// Attributes and contents of the element: what breaks the rule, then what keeps it.
fn contents(test: &Test) -> Vec<(String, String)> {
    let one = |path: &str| inside(path, "1.00");
    let two = |path: &str| {
        let (_, content) = inside(path, "1.00");
        (String::new(), content.repeat(2))
    };
    let none = || (String::new(), String::new());
    match test {
        Test::Absent(path) => vec![one(path), none()],
        Test::Present(path) | Test::NotBlank(path) | Test::Words(path) | Test::Filled(path) => {
            vec![none(), one(path)]
        }
        Test::NotBoth(first, second) => {
            let both = one(first).1 + &one(second).1;
            vec![(String::new(), both), one(first)]
        }
        Test::AtMostOnce(path) => vec![two(path), one(path)],
        Test::Once(path) => vec![none(), one(path)],
        Test::Decimals(path) | Test::FirstDecimals(path) => vec![inside(path, "1.000"), one(path)],
        Test::Code(list) => {
            let code = each(list.codes).next().expect("code");
            vec![(String::new(), "?".to_owned()), (String::new(), code)]
        }
        Test::AttributeCode(name, list) => {
            let code = each(list.codes).next().expect("code");
            vec![
                (format!("{name}=\"?\""), String::new()),
                (format!("{name}=\"{code}\""), String::new()),
            ]
        }
        Test::Nowhere(path) => {
            let path = path.trim_start_matches('/').replace("*Line", "InvoiceLine");
            vec![one(&path), none()]
        }
        Test::Any(_) | Test::All(_) | Test::Is(_) | Test::Of(_) | Test::Judge(_) | Test::Always => {
            Vec::new()
        }
    }
}

pub(super) fn documents() -> impl Iterator<Item = String> {
    of(&RULES, &CII)
}

pub(super) fn documents_in_ubl() -> impl Iterator<Item = String> {
    of(&ubl::RULES, &UBL)
}

fn of(set: &'static RuleSet, root: &'static Root) -> impl Iterator<Item = String> {
    let rules = set.contexts().flat_map(|context| {
        let rules = context.rules.iter();
        rules.map(move |rule| (context, rule))
    });
    rules.flat_map(move |(context, rule)| {
        // Paths through the element around need a whole invoice.
        let contents = match rule.test {
            Test::Present(path) | Test::Decimals(path) | Test::FirstDecimals(path)
                if path.starts_with("..") =>
            {
                Vec::new()
            }
            test => contents(&test),
        };
        let documents = contents.into_iter();
        documents
            .map(move |(attribute, content)| document(root, &context.place, &attribute, &content))
    })
}
