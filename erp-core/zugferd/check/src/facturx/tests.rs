//! Each check of each profile is broken by one document and kept by another, both made from the table.

use std::collections::BTreeSet;

use super::structure::{Line, StructureCheck, checks, inside, lines};
use super::{Profile, codes, judge};
use crate::findings::Findings;
use crate::invoice::document::Document;
use crate::invoice::facts::Facts;
use crate::invoice::node::Node;
use crate::invoice::view::View;
use crate::limits::CheckLimits;
use crate::report::Finding;
use crate::xml::{Tree, XmlLimits};

const PROFILES: [Profile; 5] = [
    Profile::Minimum,
    Profile::BasicWithoutLines,
    Profile::Basic,
    Profile::En16931,
    Profile::Extended,
];

#[test]
fn every_line_of_the_list_is_a_rule() {
    let contexts = PROFILES
        .into_iter()
        .flat_map(|profile| profile.rules().contexts());
    let read: BTreeSet<_> = contexts
        .flat_map(|context| &context.rules)
        .map(|rule| rule.id)
        .collect();
    let lines = include_str!("rules.txt").lines();
    let written = lines.filter_map(|line| line.strip_prefix(' ')?.split(' ').next());
    assert_eq!(read, written.collect());
}

const NAMESPACES: &str = "\
    xmlns:rsm=\"urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100\" \
    xmlns:ram=\"urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100\" \
    xmlns:qdt=\"urn:un:unece:uncefact:data:standard:QualifiedDataType:100\" \
    xmlns:udt=\"urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100\"";

fn findings(xml: &str, profile: Profile) -> Vec<Finding> {
    let tree = Tree::parse(xml, &XmlLimits::DEFAULT).expect(xml);
    let view = View::new(&tree, &CheckLimits::DEFAULT);
    let root = Node::new(&view, tree.root());
    let facts = Facts::gather(root);
    let mut findings = Findings::new(&view, CheckLimits::DEFAULT.findings);
    let document = Document::new(root, &facts, true);
    judge(&document, profile, &mut findings);
    findings.into_report(None, "", Vec::new()).0.findings
}

/// What an element is written as.
#[derive(Default, Clone)]
struct Written {
    attributes: String,
    content: String,
}

impl Written {
    fn with_attribute(mut self, name: &str, value: &str) -> Self {
        // The kind may have it already.
        if self.attributes.contains(name) {
            return self;
        }
        self.attributes.push_str(&format!(" {name}=\"{value}\""));
        self
    }

    fn with(mut self, content: &str) -> Self {
        self.content.push_str(content);
        self
    }

    fn element(&self, name: &str) -> String {
        let name = qualified(name);
        let Self {
            attributes,
            content,
        } = self;
        format!("<{name}{attributes}>{content}</{name}>")
    }
}

fn qualified(name: &str) -> String {
    if name.contains(':') {
        name.to_owned()
    } else {
        format!("ram:{name}")
    }
}

/// An element of this kind.
fn of_kind(name: &str, kind: Option<&str>) -> Written {
    let none = Written::default();
    match kind {
        Some("-") if name == "ReasonCode" => none.with_attribute("listID", "other"),
        None | Some("-" | "nolist") => none,
        Some(scheme @ ("VA" | "FC")) => {
            none.with(&format!("<ram:ID schemeID=\"{scheme}\">1</ram:ID>"))
        }
        Some(charge @ ("true" | "false")) => none.with(&format!(
            "<ram:ChargeIndicator><udt:Indicator>{charge}</udt:Indicator></ram:ChargeIndicator>"
        )),
        Some(code @ ("916" | "50" | "130")) => {
            none.with(&format!("<ram:TypeCode>{code}</ram:TypeCode>"))
        }
        Some("invoice") => none.with_attribute("currencyID", "EUR"),
        Some("tax") => none.with_attribute("currencyID", "SEK"),
        Some(list) => none.with_attribute("listID", list),
    }
}

/// Elements of a name that may have a kind.
fn elements(name: &str, count: usize) -> String {
    let (name, kind) = match name.split_once('[') {
        Some((name, kind)) => (name, kind.strip_suffix(']')),
        None => (name, None),
    };
    of_kind(name, kind).element(name).repeat(count)
}

/// A code of a list.
fn code(list: &str) -> String {
    let known = codes::some(list);
    known.unwrap_or_else(|| list.split('|').next().unwrap_or_default().to_owned())
}

/// Forms of an element of which one breaks a check and another keeps it.
fn examples(check: StructureCheck, element: &Written) -> Vec<Written> {
    let plain = || element.clone();
    match check {
        StructureCheck::ExactlyOne(name)
        | StructureCheck::AtLeastOne(name)
        | StructureCheck::AtMost(_, name) => {
            let counts = [0, 1, 2, 3].into_iter();
            counts
                .map(|count| plain().with(&elements(name, count)))
                .collect()
        }
        StructureCheck::AttributeRequired(name) | StructureCheck::AttributeNotUsed(name) => {
            vec![plain(), plain().with_attribute(name, "1")]
        }
        StructureCheck::Code(".", list) => vec![plain().with("?"), plain().with(&code(list))],
        StructureCheck::Code(name, list) => {
            let codes = ["?".to_owned(), code(list)];
            codes.map(|code| plain().with_attribute(name, &code)).into()
        }
        StructureCheck::NotUsed => vec![plain()],
    }
}

const CURRENCIES: &str = "<ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>\
    <ram:TaxCurrencyCode>SEK</ram:TaxCurrencyCode>";
const SETTLEMENT: &str = "ApplicableHeaderTradeSettlement";

/// The document with an element inside those of a path. A header settlement names the currencies.
fn document(path: &[&Line], element: &Written) -> String {
    let (last, around) = path.split_last().expect("path");
    let is_in_settlement = path.iter().any(|line| line.name == SETTLEMENT);
    let mut written = element.clone();
    let mut name = last.name;
    for line in around.iter().rev() {
        let inner = written.element(name);
        name = line.name;
        written = of_kind(name, line.kind).with(&inner);
        if name == SETTLEMENT {
            written = written.with(CURRENCIES);
        }
        if name == "rsm:SupplyChainTradeTransaction" && !is_in_settlement {
            let settlement = Written::default().with(CURRENCIES);
            written = written.with(&settlement.element(SETTLEMENT));
        }
    }
    let root = written.element(name);
    root.replacen("Invoice", &format!("Invoice {NAMESPACES}"), 1)
}

/// With currencies that there are, and with others where they count.
fn documents(path: &[&Line], element: &Written) -> Vec<String> {
    let document = document(path, element);
    if document.contains("currencyID") {
        vec![document.replace("EUR", "?").replace("SEK", "??"), document]
    } else {
        vec![document]
    }
}

/// A place without the numbers of elements among those of the same name.
fn without_numbers(path: &str) -> String {
    let mut parts = path.split('[');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |place, part| {
        place + part.split_once(']').map_or(part, |(_, rest)| rest)
    })
}

fn id(check: StructureCheck, number: u32, line: &Line) -> String {
    match check {
        StructureCheck::NotUsed => {
            let variant = if line.kind.is_some() { "variant " } else { "" };
            format!("FX-NOTUSED:{variant}{}", qualified(line.name))
        }
        StructureCheck::AttributeNotUsed(name) => format!("FX-NOTUSED:@{name}"),
        _ => crate::engine::rule::numbered(number),
    }
}

/// Checks both documents of each check of the last line and continues inside it; returns the number of checks.
fn judge_line(number: usize, path: &mut Vec<&'static Line>, profile: Profile) -> usize {
    let line = *path.last().expect("line");
    let place: String = path
        .iter()
        .map(|line| format!("/{}", qualified(line.name)))
        .collect();
    let mut count = 0;
    for (check, rule) in checks(line, profile) {
        let id = id(check, rule, line);
        let forms = examples(check, &of_kind(line.name, line.kind)).into_iter();
        let documents = forms.flat_map(|written| documents(path, &written));
        let broken: Vec<_> = documents
            .map(|xml| {
                let found = findings(&xml, profile);
                let is_it = |finding: &Finding| {
                    finding.rule == id && without_numbers(&finding.path) == place
                };
                found.iter().any(is_it)
            })
            .collect();
        assert!(
            broken.contains(&true),
            "{profile:?} {place}: {id} is broken by none"
        );
        // What is not used is kept by documents without it.
        let is_kept = broken.contains(&false) || matches!(check, StructureCheck::NotUsed);
        assert!(is_kept, "{profile:?} {place}: {id} is kept by none");
        count += 1;
    }
    for (number, line) in inside(number) {
        path.push(line);
        count += judge_line(number, path, profile);
        path.pop();
    }
    count
}

#[test]
fn each_check_of_the_table_is_broken_and_kept() {
    let count = |profile| {
        let first = lines().first().expect("line");
        judge_line(0, &mut vec![first], profile)
    };
    let counts = PROFILES.map(count);
    assert_eq!(counts, [48, 196, 262, 412, 1230]);
}

#[test]
fn what_is_not_used_is_kept_by_a_document_without_it() {
    let found = findings(
        &format!("<rsm:CrossIndustryInvoice {NAMESPACES}/>"),
        Profile::Extended,
    );
    assert!(
        found
            .iter()
            .all(|finding| !finding.rule.starts_with("FX-NOTUSED"))
    );
}
