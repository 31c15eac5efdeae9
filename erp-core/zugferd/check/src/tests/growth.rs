//! Twice the document takes at most two and a half times as long: for every element that a rule, a schema or a sample
//! names, and for every part of every text. What is measured is processor time: no counter of ours is believed.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Mutex;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use super::generated::qualified;
use super::sample::SAMPLES;
use super::{CheckLimits, RULES, ubl};
use crate::engine::rule::Test;
use crate::engine::rule_set::RuleSet;
use crate::facturx::Profile;
use crate::html::check_html;
use crate::invoice::facts::{EXTENSION, STANDARD, VEHICLES};
use crate::structure::tables::{Schema, SchemaPart, Type};
use crate::xml::{Element, Tree, XmlLimits};
use crate::{Language, check, en16931, read, xrechnung};

/// Bytes of copies in the smaller of two documents, and copies at most.
const BYTES: usize = 30_000;
const COPIES: usize = 750;

/// The time of twice the document in percent of the time, at most, and how often both are measured: more often where it
/// is more.
const MOST: u128 = 250;
const BEST_OF: usize = 3;
const BEST_OF_MANY: usize = 60;

/// What the guidelines of XRechnung ask for in one document.
const ALL: [&str; 2] = [EXTENSION, VEHICLES];
const EN_16931: &str = "urn:cen.eu:en16931:2017";
const EXTENDED: &str = "urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended";

/// What is measured: the report, or also its page, or what the invoice says.
#[derive(Clone, Copy)]
enum Asked {
    Report,
    Page,
    Terms,
}

/// The processor time that this thread takes.
fn time(xml: &str, asked: Asked) -> Duration {
    let limits = CheckLimits {
        steps: u64::MAX,
        ..CheckLimits::DEFAULT
    };
    let now = || Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).expect("time");
    let start = now();
    let report = match asked {
        Asked::Report => check(xml.as_bytes(), &limits),
        Asked::Page => check_html(xml.as_bytes(), &limits, Language::German, "").0,
        Asked::Terms => {
            let said = read(xml.as_bytes(), &limits).expect("terms");
            let taken = now() - start;
            assert!(said["BG-25"].is_array(), "{said}");
            return taken;
        }
    };
    let taken = now() - start;
    assert!(!report.rules.is_empty(), "{:?}", report.findings.first());
    taken
}

fn text(xml: &str, place: Range<usize>) -> String {
    xml.get(place).expect("place").to_owned()
}

/// What documents have much of, and such a document by how much.
struct Case {
    name: String,
    make: Box<dyn Fn(usize) -> String>,
}

impl Case {
    /// A document in which a place is filled.
    fn at(
        name: String,
        xml: &str,
        place: Range<usize>,
        fill: impl Fn(usize) -> String + 'static,
    ) -> Self {
        let (before, after) = (text(xml, 0..place.start), text(xml, place.end..xml.len()));
        let make = move |many| before.clone() + &fill(many) + &after;
        Self {
            name,
            make: Box::new(make),
        }
    }

    /// The time of twice the document in percent of the time.
    fn percent(&self, asked: Asked) -> u128 {
        let (small, large) = ((self.make)(2), (self.make)(4));
        let mut best = [Duration::MAX; 2];
        let mut percent = 0;
        // What is far below the limit is not measured again; what is above it is: other programs disturb, on a busy machine
        // for much longer than a check takes.
        for round in 1..=BEST_OF_MANY {
            let times = [time(&small, asked), time(&large, asked)];
            best = [best[0].min(times[0]), best[1].min(times[1])];
            percent = best[1].as_nanos() * 100 / best[0].as_nanos();
            if percent < 225 || (round >= BEST_OF && percent <= MOST) {
                break;
            }
        }
        percent
    }
}

fn judge(cases: Vec<Case>, asked: Asked) {
    // The tests of this file do not disturb each other.
    static ALONE: Mutex<()> = Mutex::new(());
    let alone = ALONE.lock();
    let is_slow = |case: &&Case| case.percent(asked) > MOST;
    let slow: Vec<&Case> = cases.iter().filter(is_slow).collect();
    // Once more, some time later: what is slow is slow again, and a machine is not busy for ever.
    let times = slow.iter().map(|case| (case.percent(asked), &case.name));
    let slow: Vec<_> = times.filter(|(percent, _)| *percent > MOST).collect();
    drop(alone);
    assert!(slow.is_empty(), "{slow:#?}");
}

/// The path of an element, its steps with the usual prefixes.
fn path(element: Element<'_>) -> Vec<String> {
    let mut steps = element.parent().map_or_else(Vec::new, path);
    steps.push(match element.prefix() {
        "" => format!("ubl:{}", element.local()),
        _ => element.name().to_owned(),
    });
    steps
}

fn parsed(xml: &str) -> Tree<'_> {
    Tree::parse(xml, &XmlLimits::DEFAULT).expect("XML")
}

/// Each element of a document: copies of it with all that is inside; a text is a number in every other copy.
fn elements(of: &str, xml: &str, is_meant: fn(&str) -> bool) -> Vec<Case> {
    let tree = parsed(xml);
    let mut known = BTreeSet::new();
    let elements = tree.elements().skip(1);
    let elements = elements.filter(|element| is_meant(element.local()));
    let new = elements.filter(|element| known.insert(path(*element)));
    let case = |element: Element<'_>| {
        let name = format!("{of} {}", path(element).join("/"));
        let copy = text(xml, element.span());
        let tags = (element.children().next().is_none()).then(|| {
            let start = text(xml, element.start_tag());
            (start, format!("</{}>", element.name()))
        });
        let end = element.span().end;
        Case::at(name, xml, end..end, move |many| {
            let count = many * (BYTES / 2 / copy.len()).min(COPIES);
            let copies = (0..count).map(|number| match &tags {
                Some((start, end)) if number % 2 == 1 => format!("{start}{number}{end}"),
                _ => copy.clone(),
            });
            copies.collect()
        })
    };
    new.map(case).collect()
}

/// The paths that a test looks at, from the element that it is for.
fn paths(test: &Test) -> Vec<&'static str> {
    match *test {
        Test::Any(all) | Test::All(all) => {
            let each = all.split('|').map(|one| one.trim_start_matches('!'));
            each.map(|one| one.split('=').next().expect("path"))
                .collect()
        }
        Test::NotBoth(one, other) => vec![one, other],
        test => Vec::from_iter(test.path()),
    }
}

/// The elements that rules are for and look at, by the ends of their paths.
fn named(sets: &[&'static RuleSet]) -> BTreeSet<Vec<String>> {
    let mut named = BTreeSet::new();
    for context in sets.iter().flat_map(|set| set.contexts()) {
        for place in context.place.paths() {
            let tests = context.rules.iter().map(|rule| &rule.test);
            for path in tests.chain(&context.when).flat_map(paths).chain(["."]) {
                let (around, path) = match path.strip_prefix("//") {
                    Some(path) => (&[][..], path),
                    None => (place.as_slice(), path),
                };
                let mut steps = around.to_vec();
                for step in path.split('/') {
                    match step {
                        "." => {}
                        ".." => drop(steps.pop()),
                        step if step.starts_with('@') => {}
                        step => steps.push(step),
                    }
                }
                let steps = steps.iter().map(|step| qualified(step));
                let steps = steps.map(|step| step.replace("*Line", "InvoiceLine"));
                named.insert(steps.collect::<Vec<_>>());
            }
        }
    }
    let named = named.into_iter();
    named
        .filter(|steps| steps.first().is_some_and(|root| !root.starts_with("cn:")))
        .collect()
}

/// Elements that the document has not, each where rules look for it; several of one place in one document.
fn absent(of: &str, xml: &str, named: BTreeSet<Vec<String>>) -> Vec<Case> {
    const TOGETHER: usize = 8;
    let tree = parsed(xml);
    let known = tree.elements();
    let known = known.filter_map(|element| Some((path(element), element.content()?.end)));
    let known: Vec<_> = known.collect();
    // By the end of the element around: the steps that are not there.
    let mut missing: BTreeMap<usize, BTreeSet<Vec<String>>> = BTreeMap::new();
    for steps in named {
        let there = (1..=steps.len()).rev().find_map(|length| {
            let (start, rest) = steps.split_at(length);
            let found = known.iter().find(|(path, _)| path.ends_with(start));
            found.map(|(_, end)| (*end, rest.to_vec()))
        });
        let (end, rest) = there.unwrap_or((known[0].1, steps));
        if !rest.is_empty() {
            missing.entry(end).or_default().insert(rest);
        }
    }
    let mut cases = Vec::new();
    for (end, paths) in missing {
        let paths: Vec<_> = paths.into_iter().collect();
        for paths in paths.chunks(TOGETHER) {
            let (name, paths) = (format!("{of} {paths:?}"), paths.to_vec());
            cases.push(Case::at(name, xml, end..end, move |many| {
                let all = paths.iter().map(|path| {
                    let (last, around) = path.split_last().expect("path");
                    let copies = 0..many * COPIES / paths.len() / 2;
                    let copies = copies.map(|number| format!("<{last}>{number}</{last}>"));
                    around.iter().rev().fold(copies.collect(), |inside, step| {
                        format!("<{step}>{inside}</{step}>")
                    })
                });
                all.collect::<String>()
            }));
        }
    }
    cases
}

/// What a text may be taken apart in.
const PARTS: [&str; 4] = [
    "#SKONTO#TAGE=7#PROZENT=2.00#\n",
    "10",
    "a.b@c \t",
    "<!--a-->b<![CDATA[c]]>&amp;\r\n",
];

/// Every text and value of an attribute with many of these parts, and tags with many attributes.
fn texts(of: &str, xml: &str, parts: &[&'static str]) -> Vec<Case> {
    let tree = parsed(xml);
    let mut known = BTreeSet::new();
    let mut cases = Vec::new();
    for element in tree.elements() {
        let mut places = Vec::new();
        if element.children().next().is_none() {
            places.extend(element.content().map(|content| (String::new(), content)));
        }
        for attribute in element.attributes() {
            let end = attribute.span().end - 1;
            let value = end - attribute.value().len()..end;
            places.push((format!("/@{}", attribute.local()), value));
        }
        for (name, place) in places {
            let name = format!("{of} {}{name}", path(element).join("/"));
            if !known.insert(name.clone()) {
                continue;
            }
            let is_value = name.contains('@');
            let parts = parts.iter().copied();
            for part in parts.filter(|part| !is_value || !part.contains('<')) {
                let count = (BYTES / part.len()).min(2 * COPIES);
                let fill = move |many| part.repeat(many * count);
                cases.push(Case::at(
                    format!("{name} {part:?}"),
                    xml,
                    place.clone(),
                    fill,
                ));
            }
            if is_value {
                let fill = |many| (0..many * COPIES).map(|n| format!("\" a{n}=\"")).collect();
                cases.push(Case::at(name + " beside", xml, place, fill));
            }
        }
    }
    cases
}

/// The parts of the tables that may be there any number of times, each with the parts around it.
fn repeatable(schema: Schema) -> Vec<Vec<&'static SchemaPart>> {
    let root = schema.types()[0].children[0].kind(schema).expect("root");
    let mut open: Vec<(&'static Type, Vec<&'static SchemaPart>)> = vec![(root, Vec::new())];
    let mut known: Vec<*const Type> = Vec::new();
    let mut found = Vec::new();
    let mut next = 0;
    while let Some((kind, around)) = open.get(next).cloned() {
        next += 1;
        for part in &kind.children {
            let Some((_, most)) = part.often(schema) else {
                continue;
            };
            let way = [around.as_slice(), &[part]].concat();
            let kind = part.kind(schema).expect("type");
            if most > 2 {
                found.push(way.clone());
            }
            if !known.contains(&std::ptr::from_ref(kind)) {
                known.push(kind);
                open.push((kind, way));
            }
        }
    }
    found
}

/// An element with all that it must have, and on the way the copies.
fn filled(name: &str, kind: &Type, schema: Schema, way: &[&SchemaPart], count: usize) -> String {
    let name = qualified(&name.replace('*', "cbc:Note"));
    let is_needed = |part: &&SchemaPart| part.often(schema).is_some_and(|(least, _)| least > 0);
    let attributes = kind.attributes.iter().filter(is_needed);
    let attributes = attributes.map(|part| format!(" {}=\"102\"", part.name));
    let attributes: String = attributes.collect();
    let mut content = String::new();
    for part in &kind.children {
        let inner = part.kind(schema).expect("type");
        let fill = |way, count| filled(part.name, inner, schema, way, count);
        content += &match way.split_first() {
            Some((first, [])) if std::ptr::eq(*first, part) => fill(&[], 0).repeat(count),
            Some((first, rest)) if std::ptr::eq(*first, part) => fill(rest, count),
            _ if is_needed(&part) => fill(&[], 0),
            _ => String::new(),
        };
    }
    if kind.children.is_empty() {
        content.push('1');
    }
    format!("<{name}{attributes}>{content}</{name}>")
}

/// The least document of a schema, with much of each part of it that may be repeated.
fn tables(schema: Schema, guideline: &'static str) -> Vec<Case> {
    let root = &schema.types()[0].children[0];
    let kind = root.kind(schema).expect("root");
    let namespaces = if schema == Schema::Ubl {
        let named = ubl_invoice(0).replace("<Invoice", "<ubl:Invoice");
        named.replace(" xmlns=", " xmlns:ubl=")
    } else {
        SAMPLES[0].xml()
    };
    let (_, namespaces) = namespaces.split_once(root.name).expect("root");
    let (namespaces, _) = namespaces.split_once('>').expect("tag");
    let ways = repeatable(schema).into_iter();
    let case = |way: Vec<&'static SchemaPart>| {
        let names: Vec<_> = way.iter().map(|part| part.name).collect();
        let start = format!("{}{namespaces}>", root.name);
        let make = move |many| {
            let make = |count| filled(root.name, kind, schema, &way, count);
            let one = make(2).len() - make(1).len();
            let xml = make(many * (BYTES / 2 / one).min(COPIES));
            let xml = xml.replacen(&format!("{}>", root.name), &start, 1);
            let id = "GuidelineSpecifiedDocumentContextParameter><ram:ID>";
            xml.replacen(&format!("{id}1"), &format!("{id}{guideline}"), 1)
        };
        Case {
            name: format!("{} {}", schema.name(), names.join("/")),
            make: Box::new(make),
        }
    };
    ways.map(case).collect()
}

/// A sample of a VAT category in CII for these guidelines, with more than the samples have.
fn cii(category: usize, guidelines: &[&str]) -> String {
    let plain = "urn:cen.eu:en16931:2017#compliant#urn:example.org:plain";
    sample(&SAMPLES[category].xml(), plain, guidelines, &MORE)
}

fn ubl_invoice(category: usize) -> String {
    sample(
        &ubl::invoice(&SAMPLES[category]),
        STANDARD,
        &ALL,
        &MORE_IN_UBL,
    )
}

/// A document for these guidelines, with more behind some of its texts.
fn sample(xml: &str, guideline: &str, guidelines: &[&str], more: &[(&str, &str)]) -> String {
    let tree = parsed(xml);
    let of_guideline = |element: &Element<'_>| {
        let is_around = element
            .parent()
            .is_some_and(|parent| parent.parent().is_some());
        element.text() == guideline && (is_around || element.local() == "CustomizationID")
    };
    let element = tree.elements().find(of_guideline).expect("guideline");
    let parameter = &text(xml, element.span());
    let each = guidelines.iter().map(|id| parameter.replace(guideline, id));
    let xml = xml.replacen(parameter, &each.collect::<String>(), 1);
    more.iter().fold(xml, |xml, (before, more)| {
        assert!(xml.contains(before), "{before}");
        xml.replacen(before, &format!("{before}{more}"), 1)
    })
}

/// What functions look at and the samples have not, and what it comes after.
#[rustfmt::skip]
const MORE: [(&str, &str); 10] = [
    ("<ram:ApplicableHeaderTradeAgreement>", "<ram:BuyerReference>04011000-1-06</ram:BuyerReference>"),
    ("<ram:LineID>1</ram:LineID>", "<ram:ParentLineID>2</ram:ParentLineID><ram:LineStatusReasonCode>GROUP</ram:LineStatusReasonCode>"),
    ("<ram:ApplicableHeaderTradeSettlement>", "<ram:CreditorReferenceID>DE98ZZZ09999999999</ram:CreditorReferenceID>"),
    ("<ram:Value>Red</ram:Value></ram:ApplicableProductCharacteristic>", "<ram:ApplicableProductCharacteristic><ram:TypeCode>AJ</ram:TypeCode><ram:Description>cva</ram:Description><ram:ValueMeasure unitCode=\"KGM\">1</ram:ValueMeasure><ram:Value>clean</ram:Value></ram:ApplicableProductCharacteristic>"),
    ("<ram:DesignatedProductClassification>", "<ram:ClassCode listID=\"CVD\">M1</ram:ClassCode>"),
    ("<ram:Information>Transfer</ram:Information>", "<ram:PayerPartyDebtorFinancialAccount><ram:IBANID>DE02120300000000202051</ram:IBANID></ram:PayerPartyDebtorFinancialAccount>"),
    ("<ram:Reason>Freight</ram:Reason>", "<ram:CalculationPercent>5</ram:CalculationPercent>"),
    ("</ram:BillingSpecifiedPeriod>\n<ram:SpecifiedTradeAllowanceCharge>", "<ram:ReasonCode>95</ram:ReasonCode>"),
    ("</ram:SpecifiedTradeAllowanceCharge>\n<ram:SpecifiedTradePaymentTerms>", "<ram:DueDateDateTime><udt:DateTimeString format=\"102\">20260101</udt:DateTimeString></ram:DueDateDateTime><ram:DirectDebitMandateID>M-1</ram:DirectDebitMandateID>"),
    ("</ram:SpecifiedTradePaymentTerms>", "<ram:SpecifiedLogisticsServiceCharge><ram:AppliedAmount>1.00</ram:AppliedAmount><ram:AppliedTradeTax><ram:CategoryCode>S</ram:CategoryCode><ram:RateApplicablePercent>20</ram:RateApplicablePercent></ram:AppliedTradeTax></ram:SpecifiedLogisticsServiceCharge><ram:SpecifiedFinancialAdjustment><ram:ActualAmount>1.00</ram:ActualAmount></ram:SpecifiedFinancialAdjustment>"),
];

#[rustfmt::skip]
const MORE_IN_UBL: [(&str, &str); 6] = [
    ("<Invoice", " xmlns:ext=\"urn:oasis:names:specification:ubl:schema:xsd:CommonExtensionComponents-2\""),
    ("<cbc:PaymentID>R-1</cbc:PaymentID>", "<cac:CardAccount><cbc:PrimaryAccountNumberID>1234</cbc:PrimaryAccountNumberID></cac:CardAccount>"),
    ("</cac:PayeeFinancialAccount>", "<cac:PaymentMandate><cbc:ID>M-1</cbc:ID><cac:PayerFinancialAccount><cbc:ID>DE02120300000000202051</cbc:ID></cac:PayerFinancialAccount></cac:PaymentMandate>"),
    ("</cac:PaymentTerms>", "<cac:PrepaidPayment><cbc:ID>1</cbc:ID><cbc:PaidAmount currencyID=\"EUR\">1.00</cbc:PaidAmount><cbc:InstructionID>x</cbc:InstructionID></cac:PrepaidPayment>"),
    ("<cbc:LineExtensionAmount currencyID=\"EUR\">100.00</cbc:LineExtensionAmount>", "<cac:SubInvoiceLine><cbc:ID>3</cbc:ID><cbc:LineExtensionAmount currencyID=\"EUR\">100.00</cbc:LineExtensionAmount><cac:Item><cbc:Name>Part</cbc:Name><cac:ClassifiedTaxCategory><cbc:ID>S</cbc:ID></cac:ClassifiedTaxCategory></cac:Item></cac:SubInvoiceLine>"),
    ("<cac:Item><cbc:Name>Chair</cbc:Name>", "<cac:CommodityClassification><cbc:ItemClassificationCode listID=\"CVD\">M1</cbc:ItemClassificationCode></cac:CommodityClassification><cac:AdditionalItemProperty><cbc:Name>cva</cbc:Name><cbc:Value>clean</cbc:Value></cac:AdditionalItemProperty>"),
];

// rule: D-WRK-03
#[test]
fn twice_as_many_elements_of_cii_take_twice_as_long() {
    // Every schema has them once. Their rules look at the whole document, and the counter of steps bounds them.
    const ONCE: [&str; 2] = [
        "ApplicableHeaderTradeSettlement",
        "SpecifiedTradeSettlementHeaderMonetarySummation",
    ];
    let is_meant = |name: &str| !ONCE.contains(&name);
    let of = |name, guidelines: &[_]| elements(name, &cii(0, guidelines), is_meant);
    judge(of("XRechnung", &ALL), Asked::Page);
    judge(of("EN 16931", &[EN_16931]), Asked::Report);
    judge(of("EXTENDED", &[EXTENDED]), Asked::Report);
}

#[test]
fn twice_as_many_elements_of_ubl_take_twice_as_long() {
    judge(elements("UBL", &ubl_invoice(0), |_| true), Asked::Page);
}

/// The categories O, K and Z have rules of their own, which need other taxes.
#[test]
fn twice_as_many_taxes_take_twice_as_long() {
    let is_tax = |name: &str| name.contains("Tax");
    for category in [3, 6, 8] {
        let extended = cii(category, &[EXTENDED]);
        let cases = [
            elements("XRechnung", &cii(category, &ALL), is_tax),
            elements("EXTENDED", &extended, is_tax),
            elements("UBL", &ubl_invoice(category), is_tax),
        ];
        judge(cases.into_iter().flatten().collect(), Asked::Report);
    }
}

#[test]
fn twice_as_many_elements_that_rules_look_for_take_twice_as_long() {
    let profiles = [Profile::En16931.rules(), Profile::Extended.rules()];
    let cii_rules = named(&[&RULES, &xrechnung::RULES, profiles[0], profiles[1]]);
    let ubl_rules = named(&[&en16931::ubl::RULES, &xrechnung::IN_UBL]);
    let cases = [
        absent("XRechnung", &cii(0, &ALL), cii_rules.clone()),
        absent("EXTENDED", &cii(0, &[EXTENDED]), cii_rules),
        absent("UBL", &ubl_invoice(0), ubl_rules),
    ];
    judge(cases.into_iter().flatten().collect(), Asked::Report);
}

#[test]
fn twice_as_many_parts_of_a_schema_take_twice_as_long() {
    judge(tables(Schema::D16B, STANDARD), Asked::Report);
    judge(
        tables(Schema::FacturX(Profile::Extended), EXTENDED),
        Asked::Report,
    );
    judge(tables(Schema::Ubl, ""), Asked::Report);
}

#[test]
fn twice_as_long_texts_take_twice_as_long() {
    judge(texts("XRechnung", &cii(0, &ALL), &PARTS), Asked::Report);
    let extended = cii(0, &[EXTENDED]);
    judge(texts("EXTENDED", &extended, &PARTS[..2]), Asked::Report);
    judge(texts("UBL", &ubl_invoice(0), &PARTS), Asked::Page);
}

#[test]
fn twice_as_much_takes_twice_as_long_to_read() {
    for (name, xml) in [
        ("CII", include_str!("../read/tests/cii.xml")),
        ("UBL", include_str!("../read/tests/ubl.xml")),
    ] {
        judge(elements(name, xml, |_| true), Asked::Terms);
        judge(texts(name, xml, &PARTS), Asked::Terms);
    }
}
