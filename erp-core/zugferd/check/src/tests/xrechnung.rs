//! Each rule of XRechnung is broken by one document and kept by another.

use std::collections::BTreeSet;

use super::sample::SAMPLES;
use super::{Change, Outcomes, judge};
use crate::xrechnung::RULES;

const STANDARD: &str = "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0";
const EXTENSION: &str = "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0\
    #conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0";
const VEHICLES: &str = "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0\
    #compliant#urn:xeinkauf.de:kosit:xrechnung:cvd_0.9";

const TOWN: &str = "<ram:PostalTradeAddress><ram:PostcodeCode>10115</ram:PostcodeCode><ram:CityName>Berlin</ram:CityName><ram:CountryID>";
const CONTACT: &str = "<ram:PersonName>Ann</ram:PersonName><ram:TelephoneUniversalCommunication><ram:CompleteNumber>030 123</ram:CompleteNumber></ram:TelephoneUniversalCommunication><ram:EmailURIUniversalCommunication><ram:URIID>ann@example.org</ram:URIID></ram:EmailURIUniversalCommunication>";

/// What XRechnung asks for beside the sample.
#[rustfmt::skip]
const ADDED: &[Change] = &[
    ("urn:cen.eu:en16931:2017#compliant#urn:example.org:plain", STANDARD),
    ("<ram:ApplicableHeaderTradeAgreement>", "<ram:ApplicableHeaderTradeAgreement><ram:BuyerReference>04011000-1-06</ram:BuyerReference>"),
    ("<ram:PostalTradeAddress><ram:CountryID>", TOWN),
    ("<ram:PersonName>Ann</ram:PersonName>", CONTACT),
    ("<ram:ApplicableTradeSettlementFinancialCard><ram:ID>123456</ram:ID></ram:ApplicableTradeSettlementFinancialCard>", ""),
    ("<ram:ProprietaryID>1</ram:ProprietaryID>", "<ram:IBANID>DE02120300000000202051</ram:IBANID>"),
    ("20260102", "20251231"),
    ("20260130", "20260228"),
    ("<ram:BasisAmount>200.00</ram:BasisAmount><ram:ActualAmount>10.00", ALLOWANCE),
    ("<ram:BasisAmount>200.00</ram:BasisAmount><ram:ActualAmount>5.00", "<ram:CalculationPercent>2.5</ram:CalculationPercent><ram:BasisAmount>200.00</ram:BasisAmount><ram:ActualAmount>5.00"),
    ("<ram:BasisAmount>10.00</ram:BasisAmount>", "<ram:CalculationPercent>30</ram:CalculationPercent><ram:BasisAmount>10.00</ram:BasisAmount>"),
];

fn invoice(changes: &[Change]) -> String {
    let changes = ADDED.iter().chain(changes);
    changes.fold(SAMPLES[0].xml(), |xml, (from, to)| {
        assert!(xml.contains(from), "{from}");
        xml.replace(from, to)
    })
}

const CARD: &str = "<ram:ApplicableTradeSettlementFinancialCard><ram:ID>1234</ram:ID></ram:ApplicableTradeSettlementFinancialCard>";
const ACCOUNT: &str = "<ram:PayeePartyCreditorFinancialAccount><ram:IBANID>DE02120300000000202051</ram:IBANID></ram:PayeePartyCreditorFinancialAccount>";
const DEBTOR: &str = "<ram:PayerPartyDebtorFinancialAccount><ram:IBANID>DE02120300000000202052</ram:IBANID></ram:PayerPartyDebtorFinancialAccount>";
const CLASS: &str = "<ram:ClassCode listID=\"STI\">56112100</ram:ClassCode>";
const COLOUR: &str = "<ram:Description>Colour</ram:Description><ram:Value>Red</ram:Value>";
const MEANS: &str = "SpecifiedTradeSettlementPaymentMeans>";
const ALLOWANCE: &str = "<ram:CalculationPercent>5</ram:CalculationPercent><ram:BasisAmount>200.00</ram:BasisAmount><ram:ActualAmount>10.00";

#[rustfmt::skip]
const MUTATIONS: &[(&str, &[Change])] = &[
    ("BR-DE-1", &[(MEANS, "Means>")]),
    ("BR-DE-2", &[("DefinedTradeContact>", "Contact>")]),
    ("BR-DE-3", &[("<ram:CityName>Berlin</ram:CityName>", "")]),
    ("BR-DE-4", &[("<ram:PostcodeCode>10115</ram:PostcodeCode>", "")]),
    ("BR-DE-5", &[("<ram:PersonName>Ann</ram:PersonName>", "")]),
    ("BR-DE-6", &[("030 123", "")]),
    ("BR-DE-7", &[("ann@example.org", " ")]),
    ("BR-DE-8", &[("<ram:CityName>Berlin</ram:CityName>", "")]),
    ("BR-DE-9", &[("<ram:PostcodeCode>10115</ram:PostcodeCode>", "")]),
    ("BR-DE-10", &[("<ram:CityName>Berlin</ram:CityName>", "")]),
    ("BR-DE-11", &[("<ram:PostcodeCode>10115</ram:PostcodeCode>", "")]),
    ("BR-DE-14", &[("<ram:RateApplicablePercent>20</ram:RateApplicablePercent>", "")]),
    ("BR-DE-15", &[("04011000-1-06", " ")]),
    ("BR-DE-16", &[("schemeID=\"VA\"", "schemeID=\"XX\""), ("SellerTaxRepresentativeTradeParty>", "Party>")]),
    ("BR-DE-17", &[("<ram:TypeCode>380<", "<ram:TypeCode>383<")]),
    ("BR-DE-18", &[("30 days", "#SKONTO#TAGE=14#PROZENT=2#\n")]),
    ("BR-DE-18", &[("30 days", "#SKONTO#TAGE=14#PROZENT=2.00#")]),
    ("BR-DE-18", &[("30 days", "#SKONTO#TAGE=#PROZENT=2.00#\n")]),
    ("BR-DE-19", &[("DE02120300000000202051", "DE02120300000000202052")]),
    ("BR-DE-20", &[("<ram:TypeCode>58<", "<ram:TypeCode>59<"), (ACCOUNT, DEBTOR)]),
    ("BR-DE-21", &[("xrechnung_3.0<", "xrechnung_3.0.2<")]),
    ("BR-DE-22", &[("<ram:AdditionalReferencedDocument><ram:IssuerAssignedID>T-1</ram:IssuerAssignedID>", "<ram:AdditionalReferencedDocument><ram:AttachmentBinaryObject filename=\"x.pdf\"/>")]),
    ("BR-DE-23-a", &[(ACCOUNT, "")]),
    ("BR-DE-23-b", &[(ACCOUNT, CARD)]),
    ("BR-DE-24-a", &[("<ram:TypeCode>58<", "<ram:TypeCode>48<")]),
    ("BR-DE-24-b", &[("<ram:TypeCode>58<", "<ram:TypeCode>48<")]),
    ("BR-DE-25-a", &[("<ram:TypeCode>58<", "<ram:TypeCode>59<")]),
    ("BR-DE-25-b", &[("<ram:TypeCode>58<", "<ram:TypeCode>59<")]),
    ("BR-DE-26", &[("<ram:TypeCode>380<", "<ram:TypeCode>384<"), ("InvoiceReferencedDocument>", "Document>")]),
    ("BR-DE-27", &[("030 123", "12")]),
    ("BR-DE-28", &[("ann@example.org", "ann@example")]),
    ("BR-DE-30", &[(ACCOUNT, DEBTOR)]),
    ("BR-DE-31", &[("<ram:PaymentReference>", "<ram:CreditorReferenceID>C</ram:CreditorReferenceID><ram:PaymentReference>")]),
    ("BR-DE-TMP-32", &[("OccurrenceDateTime>", "Date>"), ("BillingSpecifiedPeriod>", "Period>")]),
    ("BR-TMP-2", &[("https://example.org/x", "example.org/x")]),
    ("BR-TMP-3", &[("<ram:ChargeAmount>60</ram:ChargeAmount>", "<ram:ChargeAmount>60</ram:ChargeAmount><ram:BasisQuantity unitCode=\"C62\">2</ram:BasisQuantity>")]),
    ("PEPPOL-EN16931-R001", &[("<ram:ID>A1</ram:ID>", "")]),
    ("PEPPOL-EN16931-R005", &[("<ram:TaxCurrencyCode>SEK<", "<ram:TaxCurrencyCode>EUR<")]),
    ("PEPPOL-EN16931-R008", &[("30 days", " ")]),
    ("PEPPOL-EN16931-R010", &[("URIUniversalCommunication>", "Communication>")]),
    ("PEPPOL-EN16931-R020", &[("URIUniversalCommunication>", "Communication>")]),
    ("PEPPOL-EN16931-R040", &[(ALLOWANCE, "<ram:CalculationPercent>7</ram:CalculationPercent><ram:BasisAmount>200.00</ram:BasisAmount><ram:ActualAmount>10.00")]),
    ("PEPPOL-EN16931-R041", &[(ALLOWANCE, "<ram:CalculationPercent>5</ram:CalculationPercent><ram:ActualAmount>10.00")]),
    ("PEPPOL-EN16931-R042", &[("<ram:CalculationPercent>5</ram:CalculationPercent>", "")]),
    ("PEPPOL-EN16931-R043-1", &[("<udt:Indicator>false<", "<udt:Indicator>no<")]),
    ("PEPPOL-EN16931-R043-2", &[("<udt:Indicator>false<", "<udt:Indicator>no<")]),
    ("PEPPOL-EN16931-R044", &[("<udt:Indicator>false<", "<udt:Indicator>true<")]),
    ("PEPPOL-EN16931-R046", &[("<ram:ChargeAmount>60<", "<ram:ChargeAmount>61<")]),
    ("PEPPOL-EN16931-R053", &[("TaxTotalAmount currencyID=\"SEK\"", "TaxTotalAmount currencyID=\"EUR\"")]),
    ("PEPPOL-EN16931-R054", &[("TaxTotalAmount currencyID=\"EUR\"", "TaxTotalAmount currencyID=\"SEK\"")]),
    ("PEPPOL-EN16931-R055", &[(">429.10<", ">-429.10<")]),
    ("PEPPOL-EN16931-R061", &[("<ram:TypeCode>58<", "<ram:TypeCode>59<")]),
    ("PEPPOL-EN16931-R101", &[("<ram:TypeCode>130<", "<ram:TypeCode>50<")]),
    ("PEPPOL-EN16931-R110", &[("20260101", "20251130")]),
    ("PEPPOL-EN16931-R111", &[("20260131", "20260331")]),
    ("PEPPOL-EN16931-R120", &[("<ram:ChargeAmount>50<", "<ram:ChargeAmount>51<")]),
    ("PEPPOL-EN16931-R121", &[("<ram:BasisQuantity unitCode=\"C62\">1<", "<ram:BasisQuantity unitCode=\"C62\">0<")]),
    ("PEPPOL-EN16931-R130", &[("<ram:BasisQuantity unitCode=\"C62\">1<", "<ram:BasisQuantity unitCode=\"KGM\">1<")]),
    ("BR-DEX-01", &[(STANDARD, EXTENSION), ("application/pdf", "text/plain")]),
    ("BR-DEX-04", &[(STANDARD, EXTENSION), ("schemeID=\"0088\"", "schemeID=\"9999\"")]),
    ("BR-DEX-05", &[(STANDARD, EXTENSION), ("schemeID=\"0002\"", "schemeID=\"9999\"")]),
    ("BR-DEX-06", &[(STANDARD, EXTENSION), ("schemeID=\"0160\"", "schemeID=\"9999\"")]),
    ("BR-DEX-07", &[(STANDARD, EXTENSION), ("schemeID=\"EM\"", "schemeID=\"XX\"")]),
    ("BR-DEX-08", &[(STANDARD, EXTENSION), ("schemeID=\"0088\">4012345000016", "schemeID=\"9999\">4012345000016")]),
    ("BR-DEX-15", &[(STANDARD, EXTENSION), ("<ram:LineID>1</ram:LineID>", "<ram:LineID>1</ram:LineID><ram:ParentLineID>2</ram:ParentLineID>")]),
    ("BR-DE-CVD-01", &[(STANDARD, VEHICLES)]),
    ("BR-DE-CVD-02", &[(STANDARD, VEHICLES), ("<ram:TypeCode>50<", "<ram:TypeCode>51<")]),
    ("BR-DE-CVD-03", &[(STANDARD, VEHICLES)]),
    ("BR-DE-CVD-04", &[(STANDARD, VEHICLES), (CLASS, "<ram:ClassCode listID=\"CVD\">X9</ram:ClassCode>")]),
    ("BR-DE-CVD-05", &[(STANDARD, VEHICLES), (COLOUR, "<ram:Description>cva</ram:Description><ram:Value>steam</ram:Value>")]),
    ("BR-DE-CVD-06-a", &[(STANDARD, VEHICLES), (CLASS, "<ram:ClassCode listID=\"CVD\">M1</ram:ClassCode>")]),
    ("BR-DE-CVD-06-b", &[(STANDARD, VEHICLES), (COLOUR, "<ram:Description>cva</ram:Description><ram:Value>clean</ram:Value>")]),
    ("BR-TMP-CVD-01", &[(STANDARD, VEHICLES), ("listID=\"STI\"", "listID=\"??\"")]),
];

/// Invoices that keep rules which the sample is not about.
#[rustfmt::skip]
const OTHERS: &[&[Change]] = &[
    &[("<ram:TypeCode>58<", "<ram:TypeCode>48<"), (ACCOUNT, CARD)],
    &[
        ("<ram:TypeCode>58<", "<ram:TypeCode>59<"),
        (ACCOUNT, "<ram:PayerPartyDebtorFinancialAccount><ram:IBANID>DE02120300000000202051</ram:IBANID></ram:PayerPartyDebtorFinancialAccount>"),
        ("<ram:PaymentReference>", "<ram:CreditorReferenceID>C</ram:CreditorReferenceID><ram:PaymentReference>"),
        ("30 days</ram:Description>", "#SKONTO#TAGE=14#PROZENT=2.00#\n</ram:Description><ram:DirectDebitMandateID>M</ram:DirectDebitMandateID>"),
    ],
    &[(STANDARD, EXTENSION)],
    &[
        (STANDARD, VEHICLES),
        (CLASS, "<ram:ClassCode listID=\"CVD\">M1</ram:ClassCode>"),
        (COLOUR, "<ram:Description>cva</ram:Description><ram:Value>clean</ram:Value>"),
        ("<ram:AdditionalReferencedDocument><ram:IssuerAssignedID>T-1", "<ram:ContractReferencedDocument><ram:IssuerAssignedID>V-1</ram:IssuerAssignedID></ram:ContractReferencedDocument><ram:AdditionalReferencedDocument><ram:IssuerAssignedID>T-1"),
    ],
];

/// Rules that are broken wherever their context is.
const NEVER_KEPT: [&str; 3] = [
    "PEPPOL-EN16931-R008",
    "PEPPOL-EN16931-R041",
    "PEPPOL-EN16931-R042",
];

#[test]
fn the_sample_and_others_keep_every_rule() {
    for changes in std::iter::once(&[][..]).chain(OTHERS.iter().copied()) {
        let mut report = judge(&invoice(changes));
        assert!(report.rules.contains(&RULES.name));
        let findings = &mut report.findings;
        findings.retain(|finding| finding.is_of(RULES.name));
        assert_eq!(*findings, [], "{changes:?}");
    }
}

#[test]
fn each_mutation_breaks_its_rule() {
    for (rule, changes) in MUTATIONS {
        let findings = judge(&invoice(changes)).findings;
        let own: Vec<_> = findings
            .iter()
            .filter(|finding| finding.is_of(RULES.name))
            .collect();
        assert!(
            own.iter().any(|finding| finding.rule == *rule),
            "{rule}: {own:#?}"
        );
        for finding in own {
            for sentence in [&finding.en, &finding.de] {
                let is_whole = sentence.ends_with('.') && !sentence.contains(['{', '}']);
                assert!(is_whole, "{rule}: {sentence}");
            }
            for term in &finding.terms {
                assert!(
                    crate::findings::terms::find(term).is_some(),
                    "{term} has no name"
                );
            }
        }
    }
}

#[test]
fn every_rule_is_broken_once_and_kept_once() {
    let mut outcomes = Outcomes::default();
    outcomes.take(&RULES, &invoice(&[]));
    let mutations = MUTATIONS.iter().map(|(_, changes)| *changes);
    for changes in mutations.chain(OTHERS.iter().copied()) {
        outcomes.take(&RULES, &invoice(changes));
    }
    let rules = RULES.contexts().flat_map(|context| &context.rules);
    let ids: BTreeSet<_> = rules.map(|rule| rule.id).collect();
    for id in &ids {
        assert!(outcomes.broken.contains(*id), "{id} is broken by none");
        let never = NEVER_KEPT.contains(id);
        assert_eq!(outcomes.kept.contains(*id), !never, "{id}");
    }
    assert_eq!(ids.len(), 71);
}

/// The transaction around a line counts, and no other.
#[test]
fn dates_of_lines_are_inside_the_period_of_their_invoice() {
    const OTHER: &str = "</rsm:SupplyChainTradeTransaction><rsm:SupplyChainTradeTransaction>\
        <ram:ApplicableHeaderTradeSettlement><ram:BillingSpecifiedPeriod><ram:StartDateTime>\
        <udt:DateTimeString format=\"102\">20270101</udt:DateTimeString></ram:StartDateTime>\
        </ram:BillingSpecifiedPeriod></ram:ApplicableHeaderTradeSettlement>\
        </rsm:SupplyChainTradeTransaction></rsm:CrossIndustryInvoice>";
    let broken = |changes: &[Change]| {
        let findings = judge(&invoice(changes)).findings.into_iter();
        findings
            .filter(|finding| finding.rule == "PEPPOL-EN16931-R110")
            .count()
    };
    let end = "</rsm:SupplyChainTradeTransaction>\n</rsm:CrossIndustryInvoice>";
    assert_eq!(broken(&[("20260101", "20251231")]), 0);
    assert_eq!(broken(&[("20260101", "20251230")]), 2);
    assert_eq!(broken(&[(end, OTHER)]), 0);
    let dates = "20260401</udt:DateTimeString><udt:DateTimeString format=\"102\">20251231<";
    assert_eq!(broken(&[("20251231<", dates)]), 0);
}

#[test]
fn amounts_in_forint_have_a_larger_tolerance() {
    let amount = "<ram:LineTotalAmount>100.00<";
    let changed = "<ram:LineTotalAmount>100.30<";
    for (currency, is_broken) in [("EUR", true), ("HUF", false)] {
        let code = format!("<ram:InvoiceCurrencyCode>{currency}<");
        let xml = invoice(&[(amount, changed)]).replace("<ram:InvoiceCurrencyCode>EUR<", &code);
        let mut findings = judge(&xml).findings.into_iter();
        let found = findings.any(|finding| finding.rule == "PEPPOL-EN16931-R120");
        assert_eq!(found, is_broken, "{currency}");
    }
}
