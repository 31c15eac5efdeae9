//! The form of a report.

use super::sample::SAMPLES;
use super::{judge, ubl};
use crate::html::check_html;
use crate::invoice::facts::{EXTENSION, STANDARD, VEHICLES};
use crate::{CheckLimits, Finding, Language, Severity};

#[test]
fn a_finding_has_place_terms_values_and_sentences() {
    let xml = SAMPLES[0].xml();
    let from = "<ram:GrandTotalAmount>234.00";
    let report = judge(&xml.replace(from, "<ram:GrandTotalAmount>235.00"));
    let json = serde_json::to_value(&report).expect("JSON");
    assert_eq!(json["valid"], false);
    let mut findings = report.findings.iter();
    let finding = findings
        .find(|finding| finding.rule == "BR-CO-15")
        .expect("BR-CO-15");
    assert_eq!(
        serde_json::to_value(finding).expect("JSON"),
        serde_json::json!({
            "source": "EN 16931 CII 1.3.16",
            "also": [],
            "rule": "BR-CO-15",
            "severity": "fatal",
            "path": "/rsm:CrossIndustryInvoice",
            "line": 2,
            "terms": ["BT-112", "BT-109", "BT-110"],
            "en": "Invoice total amount with VAT (BT-112) is 235.00; the total without VAT plus VAT is 234.00.",
            "de": "Rechnungsbetrag mit Umsatzsteuer (BT-112) ist 235.00; Betrag ohne Umsatzsteuer plus Umsatzsteuer ist 234.00.",
        })
    );
}

#[test]
fn findings_are_in_the_order_of_the_document_and_name_their_lines() {
    let xml = SAMPLES[0].xml().replace("<ram:Name>Chair</ram:Name>", "");
    let xml = xml.replace("<ram:Name>Seller</ram:Name>", "");
    let report = judge(&xml);
    let lines: Vec<_> = report.findings.iter().map(|finding| finding.line).collect();
    assert!(lines.is_sorted(), "{lines:?}");
    let second = report
        .findings
        .iter()
        .filter(|finding| finding.rule == "BR-25")
        .nth(1);
    let path = "/rsm:CrossIndustryInvoice/rsm:SupplyChainTradeTransaction/ram:IncludedSupplyChainTradeLineItem[2]";
    assert_eq!(second.expect("second line").path, path);
}

#[test]
fn a_value_that_stops_the_official_tool_is_reported() {
    let xml = SAMPLES[0].xml().replace(
        "<ram:DuePayableAmount>200.00",
        "<ram:DuePayableAmount>1,000.00",
    );
    let report = judge(&xml);
    let mut findings = report.findings.iter();
    let finding = findings
        .find(|finding| finding.rule == "ERP-VALUE")
        .expect("ERP-VALUE");
    assert_eq!(report.not_checked(), None);
    assert_eq!(
        finding.en,
        "The rule BR-CO-16 cannot be judged: `1,000.00` is not a number."
    );
    assert_eq!(
        finding.de,
        "Die Regel BR-CO-16 lässt sich nicht prüfen: `1,000.00` ist keine Zahl."
    );
    assert!(!report.valid);
}

// rule: R-ZUG-40
#[test]
fn a_rule_of_two_rule_sets_is_reported_once_with_both() {
    let xml = SAMPLES[0].xml();
    let xml = xml.replace("#compliant#urn:example.org:plain", "");
    let report = judge(&xml.replace("<ram:Name>Chair</ram:Name>", ""));
    assert_eq!(report.rules, ["EN 16931 CII 1.3.16", "Factur-X 1.09"]);
    let mut told = report.findings.clone();
    told.retain(|finding| finding.rule == "BR-25");
    // One for each of the lines.
    assert_eq!(told.len(), 2);
    for finding in &told {
        let (source, also) = (finding.source, &*finding.also);
        assert_eq!((source, also), (report.rules[0], &report.rules[1..]));
    }
    let counted = report.fatal + report.warnings + report.information;
    assert_eq!(counted, report.findings.len());
}

// rule: R-ZUG-40
#[test]
fn a_finding_names_the_term_of_its_element() {
    let xml = SAMPLES[0].xml();
    let wrong = xml.replacen("<ram:CountryID>DE", "<ram:CountryID>XX", 1);
    let report = judge(&wrong);
    let code = report
        .findings
        .iter()
        .find(|finding| finding.rule == "BR-CL-14");
    let code = code.expect("BR-CL-14");
    assert_eq!(code.terms, ["BT-40"], "{code:#?}");
    assert!(code.en.contains("(BT-40): `XX` is not in"), "{}", code.en);
    let attribute = judge(&xml.replace(
        "<ram:DuePayableAmount>",
        "<ram:DuePayableAmount currencyID=\"EUR\">",
    ));
    let attribute = attribute
        .findings
        .iter()
        .find(|finding| finding.rule == "CII-DT-031");
    assert_eq!(attribute.expect("CII-DT-031").terms, ["BT-115"]);
}

// rule: R-ZUG-40
#[test]
fn what_cannot_be_judged_is_named() {
    let order = judge("<Order xmlns='urn:oasis:names:specification:ubl:schema:xsd:Order-2'/>");
    let [finding] = &*order.findings else {
        panic!("one finding")
    };
    assert_eq!(finding.rule, "ERP-CII");
    let says = "The root element `Order` is neither a Cross Industry Invoice of UN/CEFACT (D16B) nor an invoice or \
                credit note of UBL 2.1.";
    assert_eq!(finding.en, says);
    let declared = judge("<?xml version='1.0'?>\n<!DOCTYPE a><a/>");
    assert_eq!(
        declared.findings[0].en,
        "The XML has a `<!DOCTYPE`: line 2, column 1: a document type declaration is not accepted."
    );
}

/// Guidelines of which all rules are here: in CII, and those that are in UBL too.
const WHOLE: [(&str, bool); 8] = [
    ("urn:factur-x.eu:1p0:minimum", false),
    ("urn:factur-x.eu:1p0:basicwl", false),
    (
        "urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic",
        false,
    ),
    (
        "urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended",
        false,
    ),
    ("urn:cen.eu:en16931:2017", true),
    (STANDARD, true),
    (EXTENSION, true),
    (VEHICLES, true),
];

const OTHERS: [&str; 8] = [
    "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0",
    "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_4.0",
    "urn:cen.eu:en16931:2017#compliant#urn:xoev-de:kosit:standard:xrechnung_2.3",
    "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0#compliant#urn:x",
    "urn:cen.eu:en16931:2017#conformant#urn.cpro.gouv.fr:1p0:extended-ctc-fr",
    "urn:cen.eu:en16931-1:2026",
    "urn:cen.eu:en16931:2017#compliant#urn:zugferd.de:2p0:basic",
    "something else",
];

/// Whether the first finding, and no other, says that the rules of the guideline are not here.
fn is_unknown(xml: &str) -> bool {
    let report = judge(xml);
    let is_it = |found: &Finding| found.rule == "ERP-GUIDELINE";
    let unknown = report.findings.first().is_some_and(is_it);
    assert!(!report.findings.iter().skip(1).any(is_it), "{xml}");
    assert!(report.not_checked().is_none() && !report.rules.is_empty());
    unknown
}

// rule: R-ZUG-40
#[test]
fn a_guideline_whose_rules_are_not_here_is_the_first_finding() {
    let cii = SAMPLES[0].xml();
    let cii = |guideline| {
        cii.replace(
            "urn:cen.eu:en16931:2017#compliant#urn:example.org:plain",
            guideline,
        )
    };
    let ubl = ubl::invoice(&SAMPLES[0]);
    let ubl = |guideline| ubl.replace(STANDARD, guideline);
    for (guideline, is_in_ubl) in WHOLE {
        assert!(!is_unknown(&cii(guideline)), "{guideline}");
        assert_eq!(is_unknown(&ubl(guideline)), !is_in_ubl, "{guideline}");
    }
    for guideline in OTHERS {
        assert!(
            is_unknown(&cii(guideline)) && is_unknown(&ubl(guideline)),
            "{guideline}"
        );
    }
    // Another rule says that it is missing.
    assert!(!is_unknown(&cii(" ")) && !is_unknown(&ubl("")));
    let found = judge(&ubl(OTHERS[1])).findings.remove(0);
    assert_eq!(
        (found.severity, &*found.terms),
        (Severity::Warning, &["BT-24"][..])
    );
    assert_eq!(
        found.en,
        "The rules of the guideline `urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_4.0` are not here: \
         only EN 16931 UBL 1.3.16 judged it."
    );
    assert!(
        found
            .de
            .ends_with("geprüft wurde nur nach EN 16931 UBL 1.3.16."),
        "{}",
        found.de
    );
    let long = judge(&cii(&"x".repeat(9_000))).findings.remove(0);
    assert!(long.en.len() < 300 && long.de.len() < 300, "{}", long.en);
    let shown = ubl(OTHERS[0]).replace("<cbc:ID>VAT", "<cbc:ID>GST");
    let (report, page) = check_html(
        shown.as_bytes(),
        &CheckLimits::DEFAULT,
        Language::English,
        "",
    );
    assert!(!report.valid);
    let (_, listed) = page
        .split_once("<section class=\"findings\">")
        .expect("findings");
    let first = listed.find("<code>ERP-GUIDELINE").expect("it is listed");
    assert!(
        !listed.get(..first).expect("start").contains("</li>"),
        "{listed}"
    );
}

// rule: R-ZUG-40
#[test]
fn what_is_said_several_times_is_listed_once_with_its_lines() {
    let xml = ubl::invoice(&SAMPLES[0]);
    let xml = xml.replace(
        "</cac:TaxScheme></cac:TaxCategory>",
        "</cac:TaxScheme>\n<x/>\n<x/></cac:TaxCategory>",
    );
    let xml = xml.replace(
        "<cbc:ID>VAT</cbc:ID>",
        "<cbc:ID>VAT</cbc:ID>\n<cbc:Name>x</cbc:Name>",
    );
    let report = judge(&xml);
    let count = |rule: &str| {
        report
            .findings
            .iter()
            .filter(|found| found.rule == rule)
            .count()
    };
    let groups = Finding::grouped(report.findings.iter().enumerate());
    let all: usize = groups.iter().map(Vec::len).sum();
    assert_eq!(all, report.findings.len());
    assert!(
        groups.len() < all && count("ERP-STRUCTURE") > 2,
        "{:#?}",
        report.findings
    );
    for (number, found) in groups.iter().flatten() {
        assert_eq!(report.findings[*number], **found);
    }
    for group in &groups {
        let (_, first) = group[0];
        assert!(
            group
                .iter()
                .all(|(_, found)| (&found.rule, &found.en) == (&first.rule, &first.en))
        );
    }
    let page = check_html(xml.as_bytes(), &CheckLimits::DEFAULT, Language::German, "").1;
    assert!(page.contains("-mal, auch in Zeilen <span id=\"f"), "{page}");
    for (number, _) in report.findings.iter().enumerate() {
        assert_eq!(page.matches(&format!(" id=\"f{number}\"")).count(), 1);
    }
}
