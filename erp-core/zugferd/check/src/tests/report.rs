//! The form of a report.

use super::judge;
use super::sample::SAMPLES;

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
