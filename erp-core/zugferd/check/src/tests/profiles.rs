//! Each business rule of the Factur-X profiles is broken by one document and kept by another.

use std::collections::BTreeSet;

use super::sample::SAMPLES;
use super::{Change, judge, mutants, vat};
use crate::Finding;

const NAMES: &str = include_str!("../facturx/names.txt");
const SOURCE: &str = "Factur-X 1.09";
const GUIDELINE: &str = "urn:cen.eu:en16931:2017#compliant#urn:example.org:plain";
const MINIMUM: &str = "urn:factur-x.eu:1p0:minimum";
const BASIC: &str = "urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic";
const BASIC_WL: &str = "urn:factur-x.eu:1p0:basicwl";
const EN_16931: &str = "urn:cen.eu:en16931:2017";
const XRECHNUNG: &str = "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0";
const EXTENDED: &str = "urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended";

/// Rules that cannot be broken: their official condition is always true, and without a guideline (BR-01) there is no
/// profile.
const NEVER_BROKEN: [&str; 4] = ["CII-SR-464", "BR-AF-08", "BR-AG-08", "BR-01"];

/// Rules that only profiles with numbered rules have.
const NUMBERED: [(&str, &str); 3] = [
    ("FX-SCH-A-000132", "BR-CO-27"),
    ("FX-SCH-A-000354", "BR-FX-EN-04"),
    ("FX-SCH-A-000310", "BR-FXEXT-G-08"),
];

fn found(xml: &str, guideline: &str) -> Vec<Finding> {
    let mut report = judge(&xml.replace(GUIDELINE, guideline));
    assert!(report.rules.contains(&SOURCE));
    report.findings.retain(|finding| finding.is_of(SOURCE));
    report.findings
}

/// Changes of the samples, each with the rule that it breaks: guideline, category of the sample, rule, what is
/// replaced by what.
#[rustfmt::skip]
const MUTATIONS: &[(&str, &str, &str, &[Change])] = &[
    (EN_16931, "S", "BR-07", &[("<ram:Name>Buyer</ram:Name>", "")]),
    (EN_16931, "S", "BR-12", &[("<ram:LineTotalAmount>200.00</ram:LineTotalAmount>", "")]),
    (EN_16931, "S", "BR-13", &[("<ram:TaxBasisTotalAmount>195.00</ram:TaxBasisTotalAmount>", "")]),
    (EN_16931, "S", "BR-14", &[("<ram:GrandTotalAmount>234.00</ram:GrandTotalAmount>", "")]),
    (EN_16931, "S", "BR-15", &[("<ram:DuePayableAmount>200.00</ram:DuePayableAmount>", "")]),
    (EN_16931, "S", "BR-17", &[("<ram:Name>Payee</ram:Name>", "")]),
    (EN_16931, "S", "BR-18", &[("<ram:Name>Agent</ram:Name>", "")]),
    (EN_16931, "S", "BR-19", &[("<ram:PostalTradeAddress><ram:CountryID>AT</ram:CountryID></ram:PostalTradeAddress>", "")]),
    (EN_16931, "S", "BR-20", &[("<ram:CountryID>AT</ram:CountryID>", "")]),
    (EN_16931, "S", "BR-21", &[("<ram:LineID>1</ram:LineID>", "")]),
    (EN_16931, "S", "BR-22", &[("<ram:BilledQuantity unitCode=\"C62\">2</ram:BilledQuantity>", "")]),
    (EN_16931, "S", "BR-24", &[("<ram:LineTotalAmount>100.00</ram:LineTotalAmount>", "")]),
    (EN_16931, "S", "BR-25", &[("<ram:Name>Chair</ram:Name>", "")]),
    (EN_16931, "S", "BR-26", &[("<ram:ChargeAmount>50</ram:ChargeAmount>", "")]),
    (EN_16931, "S", "BR-45", &[("<ram:BasisAmount>195.00</ram:BasisAmount>", "")]),
    (EN_16931, "S", "BR-46", &[("<ram:CalculatedAmount>39.00</ram:CalculatedAmount>", "")]),
    (EN_16931, "S", "BR-47", &[("195.00</ram:BasisAmount><ram:CategoryCode>S</ram:CategoryCode>", "195.00</ram:BasisAmount>")]),
    (EN_16931, "S", "BR-48", &[("195.00</ram:BasisAmount><ram:CategoryCode>S</ram:CategoryCode><ram:RateApplicablePercent>20</ram:RateApplicablePercent>", "195.00</ram:BasisAmount><ram:CategoryCode>S</ram:CategoryCode>")]),
    (EN_16931, "S", "BR-49", &[("<ram:TypeCode>58</ram:TypeCode>", "")]),
    (EN_16931, "S", "BR-55", &[("<ram:IssuerAssignedID>R-0</ram:IssuerAssignedID>", "")]),
    (EN_16931, "AE", "BR-AE-08", &[("<ram:BasisAmount>195.00<", "<ram:BasisAmount>197.00<")]),
    (EN_16931, "E", "BR-E-08", &[("<ram:BasisAmount>195.00<", "<ram:BasisAmount>197.00<")]),
    (EN_16931, "G", "BR-G-08", &[("<ram:BasisAmount>195.00<", "<ram:BasisAmount>197.00<")]),
    (EN_16931, "K", "BR-IC-08", &[("<ram:BasisAmount>195.00<", "<ram:BasisAmount>197.00<")]),
    (EXTENDED, "S", "BR-CO-25", &[("<ram:Description>30 days</ram:Description>", "")]),
    (BASIC, "S", "FX-SCH-A-000132", &[("<ram:ProprietaryID>1</ram:ProprietaryID>", "")]),
    (EN_16931, "S", "BR-DEC-09", &[("200.00</ram:LineTotalAmount>", "200.000</ram:LineTotalAmount>")]),
    (EN_16931, "S", "BR-DEC-10", &[("10.00</ram:AllowanceTotalAmount>", "10.000</ram:AllowanceTotalAmount>")]),
    (EN_16931, "S", "BR-DEC-11", &[("5.00</ram:ChargeTotalAmount>", "5.000</ram:ChargeTotalAmount>")]),
    (EN_16931, "S", "BR-DEC-12", &[("195.00</ram:TaxBasisTotalAmount>", "195.000</ram:TaxBasisTotalAmount>")]),
    (EN_16931, "S", "BR-DEC-14", &[("234.00</ram:GrandTotalAmount>", "234.000</ram:GrandTotalAmount>")]),
    (EN_16931, "S", "BR-DEC-16", &[("34.00</ram:TotalPrepaidAmount>", "34.000</ram:TotalPrepaidAmount>")]),
    (EN_16931, "S", "BR-DEC-17", &[("<ram:TotalPrepaidAmount>", "<ram:RoundingAmount>0.000</ram:RoundingAmount><ram:TotalPrepaidAmount>")]),
    (EN_16931, "S", "BR-DEC-18", &[("200.00</ram:DuePayableAmount>", "200.000</ram:DuePayableAmount>")]),
    (EN_16931, "S", "BR-DEC-20", &[("39.00</ram:CalculatedAmount>", "39.000</ram:CalculatedAmount>")]),
    (EN_16931, "S", "BR-DEC-23", &[("100.00</ram:LineTotalAmount>", "100.000</ram:LineTotalAmount>")]),
    (BASIC, "S", "FX-SCH-A-000354", &[("<ram:CountryID>FR<", "<ram:CountryID>DE<"), ("ActualDeliverySupplyChainEvent>", "Event>"), ("BillingSpecifiedPeriod>", "Period>")]),
    (EXTENDED, "S", "BR-FXEXT-01", &[("<ram:Content>Note</ram:Content>", "")]),
    (EXTENDED, "S", "BR-FXEXT-02", &[("<ram:Content>Line note</ram:Content>", "<ram:SubjectCode>AAI</ram:SubjectCode>")]),
    (EXTENDED, "S", "BR-FXEXT-04", &[("<ram:Description>Colour</ram:Description>", "<ram:TypeCode>?</ram:TypeCode>")]),
    (EXTENDED, "S", "BR-FXEXT-06", &[("<ram:LineID>1</ram:LineID>", "<ram:LineID>1</ram:LineID><ram:ParentLineID>2</ram:ParentLineID>")]),
    (EXTENDED, "S", "BR-FXEXT-08", &[("<ram:LineID>1</ram:LineID>", "<ram:LineID>1</ram:LineID><ram:LineStatusReasonCode>GROUP</ram:LineStatusReasonCode>")]),
    (EXTENDED, "S", "BR-FXEXT-11", &[("<ram:LineID>1</ram:LineID>", "<ram:LineID>1</ram:LineID><ram:ParentLineID>9</ram:ParentLineID>")]),
    (EXTENDED, "S", "BR-FXEXT-12", &[
        ("<ram:LineID>1</ram:LineID>", "<ram:LineID>1</ram:LineID><ram:LineStatusReasonCode>GROUP</ram:LineStatusReasonCode>"),
        ("<ram:LineID>2</ram:LineID>", "<ram:LineID>2</ram:LineID><ram:ParentLineID>1</ram:ParentLineID><ram:LineStatusReasonCode>GROUP</ram:LineStatusReasonCode>"),
        ("<ram:LineTotalAmount>100.00</ram:LineTotalAmount>", "<ram:LineTotalAmount>50.00</ram:LineTotalAmount><ram:LineTotalAmount>50.00</ram:LineTotalAmount>"),
    ]),
    (EXTENDED, "L", "BR-FXEXT-AF-08b", &[("<ram:BasisAmount>195.00<", "<ram:BasisAmount>190.00<")]),
    (EXTENDED, "L", "BR-FXEXT-AF-08ini", &[("<ram:BasisAmount>195.00<", "<ram:BasisAmount>190.00<")]),
    (EXTENDED, "M", "BR-FXEXT-AG-08b", &[("<ram:BasisAmount>195.00<", "<ram:BasisAmount>190.00<")]),
    (EXTENDED, "M", "BR-FXEXT-AG-08ini", &[("<ram:BasisAmount>195.00<", "<ram:BasisAmount>190.00<")]),
    (MINIMUM, "G", "FX-SCH-A-000310", &[("<ram:BasisAmount>195.00<", "<ram:BasisAmount>190.00<")]),
    (EXTENDED, "S", "BR-FXEXT-BR-22", &[("<ram:BilledQuantity unitCode=\"C62\">2</ram:BilledQuantity>", "")]),
    (EXTENDED, "S", "BR-FXEXT-BR-24", &[("<ram:LineTotalAmount>100.00</ram:LineTotalAmount>", "")]),
    (EXTENDED, "S", "BR-FXEXT-BR-26", &[("<ram:ChargeAmount>50</ram:ChargeAmount>", "")]),
    (EXTENDED, "S", "BR-FXEXT-BR-54-1", &[("<ram:Description>Colour</ram:Description>", "")]),
    (EXTENDED, "S", "BR-FXEXT-CII-DT-097a", &[("format=\"102\">20260215", "format=\"205\">20260215")]),
    (EN_16931, "S", "CII-SR-463", &[("<ram:ChargeIndicator><udt:Indicator>false</udt:Indicator></ram:ChargeIndicator>", "")]),
    (EN_16931, "S", "CII-SR-471", &[("<ram:Reason>Discount</ram:Reason>", "<ram:Reason>Discount</ram:Reason><ram:CategoryTradeTax/>")]),
    (EN_16931, "S", "CII-SR-472", &[("<ram:Reason>Discount</ram:Reason>", "<ram:RateApplicablePercent>1</ram:RateApplicablePercent><ram:RateApplicablePercent>1</ram:RateApplicablePercent>")]),
    (EN_16931, "S", "CII-SR-473", &[("<ram:ActualAmount>10.00</ram:ActualAmount>", "<ram:ActualAmount>5.00</ram:ActualAmount><ram:ActualAmount>5.00</ram:ActualAmount>")]),
];

fn mutated() -> impl Iterator<Item = (&'static str, &'static str, String)> {
    MUTATIONS
        .iter()
        .map(|(guideline, category, rule, changes)| {
            let xml = changes
                .iter()
                .fold(vat::sample(category), |xml, (from, to)| {
                    assert!(xml.contains(from), "{rule}: {from}");
                    xml.replace(from, to)
                });
            (*guideline, *rule, xml)
        })
}

#[test]
fn the_samples_keep_the_rules_of_profiles() {
    for sample in &SAMPLES {
        assert_eq!(found(&sample.xml(), EN_16931), [], "{}", sample.category);
        let mut findings = found(&sample.xml(), EXTENDED);
        // The lines do not say the reason of exemption that the breakdown has.
        findings.retain(|finding| !finding.rule.ends_with("-08rev") || sample.reason.is_empty());
        assert_eq!(findings, [], "{}", sample.category);
    }
}

#[test]
fn a_breakdown_with_the_reason_of_its_lines_is_kept() {
    for sample in &SAMPLES {
        let reason = format!(
            "<ram:ExemptionReasonCode>{}</ram:ExemptionReasonCode>",
            sample.reason
        );
        let findings = found(&sample.xml().replace(&reason, ""), EXTENDED);
        assert!(
            findings
                .iter()
                .all(|finding| !finding.rule.ends_with("-08rev"))
        );
    }
}

#[test]
fn each_mutation_breaks_its_rule_of_a_profile() {
    for (guideline, rule, xml) in mutated() {
        let findings = found(&xml, guideline);
        let is_broken = findings.iter().any(|finding| finding.rule == rule);
        assert!(is_broken, "{guideline} {rule}: {findings:#?}");
    }
}

#[test]
fn every_business_rule_of_the_profiles_is_broken_once() {
    let mut broken = BTreeSet::new();
    let mut take = |xml: &str, guideline| {
        for finding in found(xml, guideline) {
            for sentence in [&finding.en, &finding.de] {
                let is_whole = sentence.ends_with('.') && !sentence.contains(['{', '}']);
                assert!(is_whole, "{}: {sentence}", finding.rule);
            }
            let name = NUMBERED.iter().find(|(id, _)| finding.rule == *id);
            broken.insert(name.map_or(finding.rule, |(_, name)| (*name).to_owned()));
        }
    };
    let all = mutants().map(|(_, xml)| xml);
    for xml in all.chain(vat::mutants().map(|(_, xml)| xml)) {
        let has_profile = xml.contains(GUIDELINE);
        for guideline in [BASIC_WL, EN_16931, EXTENDED]
            .iter()
            .filter(|_| has_profile)
        {
            take(&xml, guideline);
        }
    }
    mutated().for_each(|(guideline, _, xml)| take(&xml, guideline));
    for name in NAMES.lines().filter_map(|line| line.split(' ').next()) {
        let never = NEVER_BROKEN.contains(&name);
        assert_eq!(broken.contains(name), !never, "{name}");
    }
}

#[test]
fn sentences_name_the_values_of_the_document() {
    let sample = vat::sample("S");
    for (from, to, rule, term, values) in [
        (
            "<ram:GrandTotalAmount>234.00",
            "<ram:GrandTotalAmount>235.00",
            "BR-FXEXT-CO-15",
            "BT-112",
            &["`235.00`", "`195.00`", "`39.00`"][..],
        ),
        (
            "<ram:BasisAmount>195.00",
            "<ram:BasisAmount>150.00",
            "BR-FXEXT-S08b",
            "BT-116",
            &["`150.00`", "`S`", "`20`"],
        ),
        (
            "<ram:CalculatedAmount>39.00",
            "<ram:CalculatedAmount>41.00",
            "BR-FXEXT-S-09b",
            "BT-117",
            &["`41.00`", "`195.00`", "`20`"],
        ),
    ] {
        assert!(sample.contains(from), "{from}");
        let findings = found(&sample.replace(from, to), EXTENDED);
        let finding = findings.iter().find(|finding| finding.rule == rule);
        let finding = finding.unwrap_or_else(|| panic!("{rule}: {findings:#?}"));
        assert_eq!(finding.terms.first(), Some(&term), "{rule}");
        for value in values {
            assert!(finding.en.contains(value), "{}", finding.en);
            assert!(finding.de.contains(value), "{}", finding.de);
        }
    }
}

#[test]
fn the_guideline_selects_the_rules() {
    const CORE: &str = "EN 16931 CII 1.3.16";
    for (guideline, rules) in [
        (MINIMUM, &[SOURCE][..]),
        (BASIC_WL, &[SOURCE]),
        (BASIC, &[CORE, SOURCE]),
        (EN_16931, &[CORE, SOURCE]),
        (EXTENDED, &[SOURCE]),
        (GUIDELINE, &[CORE]),
        (XRECHNUNG, &[CORE, "XRechnung 3.0.2 CII 2.5.0"]),
        (
            "urn:cen.eu:en16931:2017#compliant#urn:xoev-de:kosit:standard:xrechnung_2.3",
            &[CORE],
        ),
    ] {
        let report = judge(&SAMPLES[0].xml().replace(GUIDELINE, guideline));
        assert_eq!(report.rules, rules, "{guideline}");
        assert_eq!(report.profile.as_deref(), Some(guideline));
    }
}

#[test]
fn minus_zero_is_below_zero_when_written_with_a_point() {
    for (tax, breaks) in [("0.00", false), ("-0", false), ("-0.00", true)] {
        let xml = vat::sample("Z").replace(
            "<ram:CalculatedAmount>0.00<",
            &format!("<ram:CalculatedAmount>{tax}<"),
        );
        let is_broken = found(&xml, EN_16931)
            .iter()
            .any(|finding| finding.rule == "BR-Z-09");
        assert_eq!(is_broken, breaks, "{tax}");
    }
}

/// The limit is for more than 5,000 lines, here with periods, allowances and charges; the sample has two.
#[test]
fn an_invoice_of_5000_lines_is_judged() {
    let xml = SAMPLES[0].xml();
    let start = xml
        .find("<ram:IncludedSupplyChainTradeLineItem>")
        .expect("line");
    let end = xml
        .rfind("</ram:IncludedSupplyChainTradeLineItem>")
        .expect("line");
    let (before, rest) = xml.split_at(start);
    let (lines, after) = rest.split_at(end - start);
    let lines = format!("{lines}</ram:IncludedSupplyChainTradeLineItem>");
    let after = after.replacen("</ram:IncludedSupplyChainTradeLineItem>", "", 1);
    let xml = format!("{before}{}{after}", lines.repeat(2_500));
    for guideline in [EN_16931, EXTENDED, XRECHNUNG] {
        let report = judge(&xml.replace(GUIDELINE, guideline));
        let is_limited = report
            .findings
            .iter()
            .any(|finding| finding.rule == "ERP-LIMIT");
        assert!(!is_limited && report.fatal > 0, "{guideline}");
    }
}
