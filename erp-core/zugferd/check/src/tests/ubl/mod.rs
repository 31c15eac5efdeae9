//! The rules for UBL: every rule is broken by one document and kept by another, of invoices and of credit notes.

mod mutations;

use std::collections::BTreeSet;

use super::sample::{SAMPLES, Sample};
use super::{Outcomes, generated, judge};
use crate::en16931::ubl::RULES;
use crate::engine::rule::Test;
use crate::xrechnung::IN_UBL;

const INVOICE: &str = include_str!("invoice.xml");
pub(super) const STANDARD: &str =
    "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0";

/// Rules whose official condition is always true, or that cannot be told because another one stops there.
const NEVER_BROKEN: [&str; 6] = [
    "BR-CO-05",
    "BR-CO-06",
    "BR-CO-07",
    "BR-CO-08",
    "BR-DEC-13",
    "BR-DEC-15",
];

/// Rules for elements that are wrong as such.
const NEVER_KEPT: [&str; 3] = [
    "PEPPOL-EN16931-R008",
    "PEPPOL-EN16931-R041",
    "PEPPOL-EN16931-R042",
];

fn tax(sample: &Sample, name: &str, reason: &str) -> String {
    let rate = sample
        .rate
        .map(|rate| format!("<cbc:Percent>{rate}</cbc:Percent>"));
    format!(
        "<cac:{name}><cbc:ID>{}</cbc:ID>{}{reason}<cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:{name}>",
        sample.category,
        rate.unwrap_or_default()
    )
}

pub(crate) fn invoice(sample: &Sample) -> String {
    let id = |party: &str| {
        let scheme = "<cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme>";
        format!(
            "<cac:PartyTaxScheme><cbc:CompanyID>{party}</cbc:CompanyID>{scheme}</cac:PartyTaxScheme>"
        )
    };
    let reason = match sample.reason {
        "" => String::new(),
        code => format!("<cbc:TaxExemptionReasonCode>{code}</cbc:TaxExemptionReasonCode>"),
    };
    let representative = format!(
        "<cac:TaxRepresentativeParty><cac:PartyName><cbc:Name>Agent</cbc:Name></cac:PartyName><cac:PostalAddress>\
         <cac:Country><cbc:IdentificationCode>AT</cbc:IdentificationCode></cac:Country></cac:PostalAddress>{}\
         </cac:TaxRepresentativeParty>",
        id("ATU12345678")
    );
    let only_with_ids = |text: String| {
        if sample.has_vat_ids {
            text
        } else {
            String::new()
        }
    };
    INVOICE
        .replace("{seller_id}", &only_with_ids(id("DE123456789")))
        .replace("{buyer_id}", &only_with_ids(id("FR12345678901")))
        .replace("{representative}", &only_with_ids(representative))
        .replace("{line_tax}", &tax(sample, "ClassifiedTaxCategory", ""))
        .replace("{allowance_tax}", &tax(sample, "TaxCategory", ""))
        .replace("{breakdown_tax}", &tax(sample, "TaxCategory", &reason))
        .replace("{tax}", sample.tax)
        .replace("{total}", sample.total)
        .replace("{due}", sample.due)
}

/// The credit note with the same content.
fn credit_note(invoice: &str) -> String {
    invoice
        .replace("xsd:Invoice-2", "xsd:CreditNote-2")
        .replace("<Invoice ", "<CreditNote ")
        .replace("</Invoice>", "</CreditNote>")
        .replace("cac:InvoiceLine", "cac:CreditNoteLine")
        .replace("cbc:InvoicedQuantity", "cbc:CreditedQuantity")
        .replace("InvoiceTypeCode>380<", "CreditNoteTypeCode>381<")
        .replace("InvoiceTypeCode>", "CreditNoteTypeCode>")
}

fn sample(category: &str) -> &'static Sample {
    let mut samples = SAMPLES.iter();
    samples
        .find(|sample| sample.category == category)
        .expect("sample")
}

// rule: R-ZUG-40
#[test]
fn the_samples_keep_every_rule() {
    for sample in &SAMPLES {
        // XRechnung wants a rate, which O has not.
        let guideline = if sample.category == "O" {
            "urn:cen.eu:en16931:2017"
        } else {
            STANDARD
        };
        let invoice = invoice(sample).replace(STANDARD, guideline);
        for xml in [credit_note(&invoice), invoice] {
            let report = judge(&xml);
            assert_eq!(report.findings, [], "{}", sample.category);
            assert!(report.valid && report.structure == "UBL 2.1");
            assert_eq!(report.profile.as_deref(), Some(guideline));
            let names = ["EN 16931 UBL 1.3.16", "XRechnung 3.0.2 UBL 2.5.0"];
            let count = if sample.category == "O" { 1 } else { 2 };
            assert_eq!(report.rules, names[..count]);
        }
    }
}

/// What breaks the rules of each category: of `all`, the category of what is replaced is another one.
fn of_categories() -> impl Iterator<Item = (String, String)> {
    SAMPLES.iter().flat_map(|sample| {
        let xml = invoice(sample);
        let letters = match sample.category {
            "K" => "IC",
            "L" => "AF",
            "M" => "AG",
            category => category,
        };
        let code = format!("<cbc:ID>{}</cbc:ID>", sample.category);
        let rate = sample.rate.map(|rate| format!("<cbc:Percent>{rate}</cbc:Percent>"));
        let rate = rate.unwrap_or_default();
        let line = format!("<cac:ClassifiedTaxCategory>{code}{rate}");
        let item = format!("<cac:TaxCategory>{code}{rate}");
        let other_rate = match sample.category {
            "S" => "<cbc:Percent>0</cbc:Percent>",
            "L" | "M" => "<cbc:Percent>-1</cbc:Percent>",
            _ => "<cbc:Percent>5</cbc:Percent>",
        };
        let ids = match sample.category {
            "O" => xml.replace(
                "<cac:PartyLegalEntity><cbc:RegistrationName>Buyer",
                "<cac:PartyTaxScheme><cbc:CompanyID>FR1</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme><cac:PartyLegalEntity><cbc:RegistrationName>Buyer",
            ),
            _ => xml.replace("<cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>", "<cbc:ID>FC</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>")
                .replace("AccountingSupplierParty", "SellerSupplierParty"),
        };
        let reason = "<cbc:TaxExemptionReason>Reason</cbc:TaxExemptionReason>";
        let exemption = match sample.reason {
            "" => xml.replace(&format!("{item}<cac:TaxScheme>"), &format!("{item}{reason}<cac:TaxScheme>")),
            code => xml.replace(&format!("<cbc:TaxExemptionReasonCode>{code}</cbc:TaxExemptionReasonCode>"), ""),
        };
        let amount = |from: &str, to: &str| {
            let from = format!("<cbc:{from}</cbc:");
            assert!(xml.contains(&from), "{from}");
            xml.replace(&from, &format!("<cbc:{to}</cbc:"))
        };
        let other = if sample.category == "S" { "E" } else { "S" };
        let breakdowns = xml.replace(
            "<cac:TaxSubtotal>",
            &format!("<cac:TaxSubtotal><cac:TaxCategory>{}</cac:TaxCategory></cac:TaxSubtotal><cac:TaxSubtotal>", code.clone() + "<cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme>"),
        );
        let no_breakdown = xml.replace("cac:TaxSubtotal>", "cac:TaxSomething>");
        let mutants = [
            ("01", if ["S", "L", "M"].contains(&sample.category) { no_breakdown } else { breakdowns }),
            ("02", ids.clone()),
            ("03", ids.clone()),
            ("04", ids),
            ("05", xml.replace(&line, &format!("<cac:ClassifiedTaxCategory>{code}{other_rate}"))),
            ("06", xml.replace(&item, &format!("<cac:TaxCategory>{code}{other_rate}"))),
            ("07", xml.replace(&item, &format!("<cac:TaxCategory>{code}{other_rate}"))),
            ("08", amount("TaxableAmount currencyID=\"EUR\">195.00", "TaxableAmount currencyID=\"EUR\">196.00")),
            ("09", xml.replace(&format!("currencyID=\"EUR\">{}<", sample.tax), "currencyID=\"EUR\">41.00<")),
            ("10", exemption),
        ];
        let others = ["11", "12", "13", "14"].map(|number| {
            (number, xml.replace("</cac:TaxSubtotal>", &format!("</cac:TaxSubtotal>{}", tax_elsewhere(other)))
                .replacen(&line, &line.replace(&code, &format!("<cbc:ID>{other}</cbc:ID>")), 1)
                .replace(&item, &item.replace(&code, &format!("<cbc:ID>{other}</cbc:ID>")))
                .replace("<cac:TaxSubtotal><cbc:TaxableAmount", &format!("{}<cac:TaxSubtotal><cbc:TaxableAmount", outside(&code))))
        });
        let others = others.into_iter().filter(|_| sample.category == "O");
        let supply = without_supply(&xml);
        let supply = supply.into_iter().filter(|_| sample.category == "K");
        let all = mutants.into_iter().chain(others).chain(supply);
        all.map(move |(number, xml)| (format!("BR-{letters}-{number}"), xml)).collect::<Vec<_>>()
    })
}

/// Without what an intra-community supply needs, by the numbers of the rules.
#[rustfmt::skip]
fn without_supply(xml: &str) -> [(&'static str, String); 2] {
    [
        ("11", xml.replace("<cbc:ActualDeliveryDate>2026-02-27</cbc:ActualDeliveryDate>", "").replacen("cac:InvoicePeriod>", "cac:SomePeriod>", 2)),
        ("12", xml.replace("cac:DeliveryLocation>", "cac:SomeLocation>")),
    ]
}

/// A breakdown of another category.
fn tax_elsewhere(category: &str) -> String {
    format!(
        "<cac:TaxSubtotal><cac:TaxCategory><cbc:ID>{category}</cbc:ID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:TaxCategory></cac:TaxSubtotal>"
    )
}

fn outside(code: &str) -> String {
    format!(
        "<cac:TaxSubtotal><cac:TaxCategory>{code}<cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:TaxCategory></cac:TaxSubtotal>"
    )
}

fn mutants() -> impl Iterator<Item = (String, String)> {
    let standard = invoice(sample("S"));
    let mutate = move |(rule, changes): &mutations::Mutation| {
        let mut xml = standard.clone();
        for (from, to) in *changes {
            assert!(xml.contains(from), "{rule}: {from}");
            xml = xml.replace(from, to);
        }
        ((*rule).to_owned(), xml)
    };
    mutations::MUTATIONS
        .iter()
        .map(mutate)
        .chain(of_categories())
}

#[test]
fn each_mutation_breaks_its_rule_in_invoices_and_credit_notes() {
    for (rule, invoice) in mutants() {
        let only_invoices = mutations::ONLY_INVOICES.contains(&rule.as_str());
        for xml in [credit_note(&invoice), invoice] {
            let report = judge(&xml);
            let is_told = report.findings.iter().any(|finding| finding.rule == rule);
            let is_meant = !only_invoices || xml.contains("<Invoice ");
            assert!(is_told || !is_meant, "{rule}: {:#?}", report.findings);
        }
    }
}

#[test]
fn every_rule_is_broken_once_and_kept_once() {
    let mut outcomes = Outcomes::default();
    let samples = SAMPLES.iter().map(invoice);
    let documents = samples.chain(mutants().map(|(_, xml)| xml));
    let documents: Vec<_> = documents.chain(generated::documents_in_ubl()).collect();
    for xml in &documents {
        outcomes.take(&RULES, xml);
        outcomes.take(&IN_UBL, xml);
    }
    let mut missing = Vec::new();
    let mut ids = BTreeSet::new();
    for context in RULES.contexts().chain(IN_UBL.contexts()) {
        for rule in &context.rules {
            let id = rule.id_of(context.category);
            if outcomes.broken.contains(&id) == NEVER_BROKEN.contains(&id.as_str()) {
                missing.push(format!("{id} is broken by none, or though it never should"));
            }
            if !outcomes.kept.contains(&id) && !NEVER_KEPT.contains(&id.as_str()) {
                missing.push(format!("{id} is kept by none"));
            }
            ids.insert(id);
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    // 979 of EN 16931, 76 of XRechnung.
    assert_eq!(ids.len(), 979 + 76);
}

#[test]
fn every_rule_has_sentences_without_gaps() {
    let rules = RULES.contexts().chain(IN_UBL.contexts());
    let has_none = |test: &Test| {
        matches!(
            test,
            Test::Any(_) | Test::All(_) | Test::NotBoth(..) | Test::Is(_) | Test::Judge(_)
        )
    };
    let rules = rules.flat_map(|context| &context.rules);
    let mute = rules.filter(|rule| rule.says.is_none() && has_none(&rule.test));
    let mute: Vec<_> = mute.map(|rule| rule.id).collect();
    assert!(mute.is_empty(), "{mute:?}");
    for (_, xml) in mutants() {
        for finding in judge(&xml).findings {
            for sentence in [&finding.en, &finding.de] {
                let is_whole = sentence.ends_with('.') && !sentence.contains(['{', '}']);
                assert!(is_whole && !sentence.contains("``"), "{finding:#?}");
            }
            assert!(finding.line > 0 && finding.path.starts_with("/ubl:Invoice"));
            for term in finding.terms {
                let name = crate::findings::terms::find(term);
                assert!(name.is_some(), "{term} has no name");
            }
        }
    }
}
