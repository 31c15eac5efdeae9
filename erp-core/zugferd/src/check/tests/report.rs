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
