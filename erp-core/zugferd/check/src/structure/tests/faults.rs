//! Each kind of fault in a small document, with its place and its sentences.

use super::first_fault;
use crate::facturx::Profile;
use crate::structure::{STRUCTURE, Schema};
use crate::tests::sample::SAMPLES;
use crate::{CheckLimits, Severity, check};

const HEADER: &str = "/rsm:CrossIndustryInvoice/rsm:ExchangedDocument";
const TRADE: &str = "/rsm:CrossIndustryInvoice/rsm:SupplyChainTradeTransaction";

/// An invoice of MINIMUM.
const MINIMUM: &str = r#"<rsm:CrossIndustryInvoice xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100" xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100" xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100">
<rsm:ExchangedDocumentContext><ram:GuidelineSpecifiedDocumentContextParameter><ram:ID>urn:factur-x.eu:1p0:minimum</ram:ID></ram:GuidelineSpecifiedDocumentContextParameter></rsm:ExchangedDocumentContext>
<rsm:ExchangedDocument><ram:ID>1</ram:ID><ram:TypeCode>380</ram:TypeCode><ram:IssueDateTime><udt:DateTimeString format="102">20260102</udt:DateTimeString></ram:IssueDateTime></rsm:ExchangedDocument>
<rsm:SupplyChainTradeTransaction>
<ram:ApplicableHeaderTradeAgreement><ram:SellerTradeParty><ram:Name>A</ram:Name><ram:PostalTradeAddress><ram:CountryID>DE</ram:CountryID></ram:PostalTradeAddress><ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">DE123456789</ram:ID></ram:SpecifiedTaxRegistration></ram:SellerTradeParty><ram:BuyerTradeParty><ram:Name>B</ram:Name></ram:BuyerTradeParty></ram:ApplicableHeaderTradeAgreement>
<ram:ApplicableHeaderTradeDelivery/>
<ram:ApplicableHeaderTradeSettlement><ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode><ram:SpecifiedTradeSettlementHeaderMonetarySummation><ram:TaxBasisTotalAmount>100.00</ram:TaxBasisTotalAmount><ram:TaxTotalAmount currencyID="EUR">19.00</ram:TaxTotalAmount><ram:GrandTotalAmount>119.00</ram:GrandTotalAmount><ram:DuePayableAmount>119.00</ram:DuePayableAmount></ram:SpecifiedTradeSettlementHeaderMonetarySummation></ram:ApplicableHeaderTradeSettlement>
</rsm:SupplyChainTradeTransaction>
</rsm:CrossIndustryInvoice>"#;

/// Schema, what is replaced by what, and the line, path and kind of the first fault; no kind where it is none.
type Case<'c> = (Schema, &'c str, &'c str, usize, &'c str, &'c str);

const TOTALS: &str =
    "ram:ApplicableHeaderTradeSettlement/ram:SpecifiedTradeSettlementHeaderMonetarySummation";

#[rustfmt::skip]
const CASES: &[Case<'_>] = &[
    // Out of order, too often, in place of one that must come, and unknown.
    (Schema::FacturX(Profile::Minimum), "<ram:ID>1</ram:ID><ram:TypeCode>380</ram:TypeCode>", "<ram:TypeCode>380</ram:TypeCode><ram:ID>1</ram:ID>", 3, "ED/ram:TypeCode", "element-unexpected"),
    (Schema::D16B, "<ram:ID>1</ram:ID><ram:TypeCode>380</ram:TypeCode>", "<ram:TypeCode>380</ram:TypeCode><ram:ID>1</ram:ID>", 3, "ED/ram:TypeCode", "element-unexpected"),
    (Schema::FacturX(Profile::Minimum), "<ram:TypeCode>380</ram:TypeCode>", "<ram:TypeCode>380</ram:TypeCode><ram:TypeCode>380</ram:TypeCode>", 3, "ED/ram:TypeCode[2]", "element-unexpected"),
    (Schema::FacturX(Profile::Minimum), "<ram:TypeCode>380</ram:TypeCode>", "", 3, "ED/ram:IssueDateTime", "element-unexpected"),
    (Schema::D16B, "<ram:TypeCode>380</ram:TypeCode>", "", 0, "", ""),
    (Schema::FacturX(Profile::Minimum), "<ram:ID>1</ram:ID>", "<ram:ID>1</ram:ID><ram:Name/>", 3, "ED/ram:Name", "element-unexpected"),
    (Schema::FacturX(Profile::Minimum), "<ram:ID>1</ram:ID>", "<ram:ID>1</ram:ID><x:A xmlns:x=\"urn:x\"/>", 3, "ED/{urn:x}A", "element-unexpected"),
    (Schema::FacturX(Profile::Minimum), "<ram:ID>1</ram:ID>", "<udt:ID>1</udt:ID>", 3, "ED/udt:ID", "element-unexpected"),
    (Schema::FacturX(Profile::Minimum), "</udt:DateTimeString>", "</udt:DateTimeString><udt:DateTimeString format=\"102\"/>", 3, "ED/ram:IssueDateTime/udt:DateTimeString[2]", "element-unexpected"),
    (Schema::D16B, "<ram:ID>1</ram:ID>", "<ram:ID>1</ram:ID><ram:Name/><ram:Name/>", 0, "", ""),
    // The end comes too early.
    (Schema::FacturX(Profile::Minimum), "<ram:DuePayableAmount>119.00</ram:DuePayableAmount>", "", 7, "T/SUM", "child-missing"),
    (Schema::FacturX(Profile::Minimum), "<ram:Name>B</ram:Name>", "", 5, "T/ram:ApplicableHeaderTradeAgreement/ram:BuyerTradeParty", "child-missing"),
    (Schema::D16B, "<ram:Name>B</ram:Name>", "", 0, "", ""),
    (Schema::D16B, "<udt:DateTimeString format=\"102\">20260102</udt:DateTimeString>", "", 3, "ED/ram:IssueDateTime", "child-missing"),
    // Text between elements.
    (Schema::FacturX(Profile::Minimum), "<ram:ID>1</ram:ID>", "<ram:ID>1</ram:ID>x", 3, "ED", "text-not-allowed"),
    (Schema::D16B, "<ram:ID>1</ram:ID>", "<ram:ID>1</ram:ID>\u{a0}", 3, "ED", "text-not-allowed"),
    (Schema::D16B, "<ram:ID>1</ram:ID>", "<ram:ID>1</ram:ID><![CDATA[x]]>", 3, "ED", "text-not-allowed"),
    (Schema::D16B, "<ram:ID>1</ram:ID>", "<ram:ID>1</ram:ID> \t\r\n<![CDATA[ ]]>&#32;<!--x--><?x y?>", 0, "", ""),
    // What must be empty.
    (Schema::FacturX(Profile::Minimum), "<ram:ApplicableHeaderTradeDelivery/>", "<ram:ApplicableHeaderTradeDelivery> </ram:ApplicableHeaderTradeDelivery>", 6, "T/ram:ApplicableHeaderTradeDelivery", "not-empty"),
    (Schema::FacturX(Profile::Minimum), "<ram:ApplicableHeaderTradeDelivery/>", "<ram:ApplicableHeaderTradeDelivery><ram:A/></ram:ApplicableHeaderTradeDelivery>", 6, "T/ram:ApplicableHeaderTradeDelivery", "not-empty"),
    (Schema::FacturX(Profile::Minimum), "<ram:ApplicableHeaderTradeDelivery/>", "<ram:ApplicableHeaderTradeDelivery><!--x--></ram:ApplicableHeaderTradeDelivery>", 0, "", ""),
    (Schema::D16B, "<ram:ApplicableHeaderTradeDelivery/>", "<ram:ApplicableHeaderTradeDelivery> </ram:ApplicableHeaderTradeDelivery>", 0, "", ""),
    // An element in a text.
    (Schema::D16B, "<ram:ID>1</ram:ID>", "<ram:ID><ram:ID>1</ram:ID></ram:ID>", 3, "ED/ram:ID", "child-in-simple"),
    // Attributes.
    (Schema::FacturX(Profile::Minimum), "<ram:TypeCode>", "<ram:TypeCode listID=\"x\">", 3, "ED/ram:TypeCode", "attribute-unknown"),
    (Schema::FacturX(Profile::Minimum), "<ram:TypeCode>", "<ram:TypeCode xml:lang=\"de\">", 3, "ED/ram:TypeCode", "attribute-unknown"),
    (Schema::FacturX(Profile::Minimum), "<rsm:ExchangedDocument>", "<rsm:ExchangedDocument ram:a=\"\">", 3, "ED", "attribute-unknown"),
    (Schema::FacturX(Profile::Minimum), "<rsm:ExchangedDocument>", "<rsm:ExchangedDocument xsi:schemaLocation=\"a b\" xsi:noNamespaceSchemaLocation=\"a\">", 0, "", ""),
    (Schema::FacturX(Profile::Minimum), " format=\"102\"", "", 3, "ED/ram:IssueDateTime/udt:DateTimeString", "attribute-missing"),
    (Schema::D16B, " format=\"102\"", "", 0, "", ""),
    (Schema::D16B, "<ram:TypeCode>", "<ram:TypeCode listAgencyID=\"7\">", 3, "ED/ram:TypeCode", "attribute-value"),
    (Schema::D16B, "<ram:TypeCode>", "<ram:TypeCode listAgencyID=\" 6 \">", 0, "", ""),
    (Schema::D16B, "<ram:ID>1</ram:ID>", "<ram:ID xsi:nil=\"false\">1</ram:ID>", 3, "ED/ram:ID", "xsi-nil"),
    // Values.
    (Schema::FacturX(Profile::Minimum), ">119.00</ram:Due", ">119,00</ram:Due", 7, "T/SUM/ram:DuePayableAmount", "value"),
    (Schema::D16B, ">119.00</ram:Due", "> +119. <!--x--></ram:Due", 0, "", ""),
    (Schema::D16B, "<ram:TypeCode>380</ram:TypeCode>", "<ram:TypeCode/>", 0, "", ""),
    (Schema::D16B, "<udt:DateTimeString format=\"102\">20260102</udt:DateTimeString>", "<udt:DateTime>2026-01-02</udt:DateTime>", 3, "ED/ram:IssueDateTime/udt:DateTime", "value"),
    (Schema::D16B, "</ram:IssueDateTime>", "</ram:IssueDateTime><ram:CopyIndicator><udt:Indicator>TRUE</udt:Indicator></ram:CopyIndicator>", 3, "ED/ram:CopyIndicator/udt:Indicator", "value"),
    // After a fault the rest of the element around is not judged, but what is outside of it is.
    (Schema::FacturX(Profile::Minimum), "<ram:ID>1</ram:ID>", "<ram:A/><ram:ID>1</ram:ID>x", 3, "ED/ram:A", "element-unexpected"),
];

#[test]
fn each_kind_of_fault_is_found_at_its_place() {
    assert_eq!(
        first_fault(MINIMUM.as_bytes(), Schema::FacturX(Profile::Minimum)),
        None
    );
    assert_eq!(first_fault(MINIMUM.as_bytes(), Schema::D16B), None);
    for (schema, from, to, line, at, kind) in CASES {
        assert!(MINIMUM.contains(from), "{from}");
        let found = first_fault(MINIMUM.replacen(from, to, 1).as_bytes(), *schema);
        let at = at.replace("SUM", TOTALS);
        let at = match at.strip_prefix("ED") {
            Some(rest) => format!("{HEADER}{rest}"),
            None => at.replacen('T', TRADE, 1),
        };
        let expected = (!kind.is_empty()).then_some((*line, at, *kind));
        assert_eq!(found, expected, "{schema:?} {to}");
    }
    let other = MINIMUM.replace("CrossIndustryInvoice:100", "CrossIndustryInvoice:101");
    let found = first_fault(other.as_bytes(), Schema::D16B);
    assert_eq!(found.map(|(.., kind)| kind), Some("root"));
}

#[test]
fn the_samples_have_the_structure_of_the_standard() {
    for sample in SAMPLES {
        assert_eq!(first_fault(sample.xml().as_bytes(), Schema::D16B), None);
    }
}

fn texts(xml: &str) -> Vec<(String, String)> {
    let report = check(xml.as_bytes(), &CheckLimits::DEFAULT);
    let findings = report.findings.into_iter();
    let findings = findings.filter(|finding| finding.rule == STRUCTURE);
    findings.map(|finding| (finding.en, finding.de)).collect()
}

/// What is replaced by what, and the sentences of the fault.
const FAULTS: [(&str, &str, &str, &str); 11] = [
    (
        "<ram:TypeCode>380</ram:TypeCode>",
        "<ram:A/>",
        "There is no `A` in `ExchangedDocument`; expected is `TypeCode`.",
        "In `ExchangedDocument` gibt es kein `A`; erwartet wird `TypeCode`.",
    ),
    (
        "<ram:GrandTotalAmount>119.00</ram:GrandTotalAmount>",
        "",
        "`DuePayableAmount` cannot be at this place of `SpecifiedTradeSettlementHeaderMonetarySummation`; \
             expected is `TaxTotalAmount` or `GrandTotalAmount`.",
        "`DuePayableAmount` kann an dieser Stelle von `SpecifiedTradeSettlementHeaderMonetarySummation` nicht \
             stehen; erwartet wird `TaxTotalAmount` oder `GrandTotalAmount`.",
    ),
    (
        "</ram:CountryID>",
        "</ram:CountryID><ram:CountryID>DE</ram:CountryID>",
        "`CountryID` cannot be at this place of `PostalTradeAddress`; expected is its end.",
        "`CountryID` kann an dieser Stelle von `PostalTradeAddress` nicht stehen; erwartet wird das Ende.",
    ),
    (
        "<ram:DuePayableAmount>119.00</ram:DuePayableAmount>",
        "",
        "`SpecifiedTradeSettlementHeaderMonetarySummation` ends too early; expected is `DuePayableAmount`.",
        "`SpecifiedTradeSettlementHeaderMonetarySummation` endet zu früh; erwartet wird `DuePayableAmount`.",
    ),
    (
        "</ram:TypeCode>",
        "</ram:TypeCode> x ",
        "In `ExchangedDocument` only elements are allowed, not the text `x`.",
        "In `ExchangedDocument` sind nur Elemente erlaubt, nicht der Text `x`.",
    ),
    (
        "Delivery/>",
        "Delivery> </ram:ApplicableHeaderTradeDelivery>",
        "`ApplicableHeaderTradeDelivery` must be empty, without even a blank inside.",
        "`ApplicableHeaderTradeDelivery` muss leer sein, auch ohne Leerzeichen darin.",
    ),
    (
        "380",
        "<x:B xmlns:x='urn:x'/>",
        "In `TypeCode` only text is allowed, not the element `{urn:x}B`.",
        "In `TypeCode` ist nur Text erlaubt, nicht das Element `{urn:x}B`.",
    ),
    (
        "<ram:TypeCode>",
        "<ram:TypeCode xml:lang='de'>",
        "`TypeCode` has no attribute `xml:lang`.",
        "`TypeCode` hat kein Attribut `xml:lang`.",
    ),
    (
        " format=\"102\"",
        "",
        "`DateTimeString` needs the attribute `format`.",
        "`DateTimeString` braucht das Attribut `format`.",
    ),
    (
        "<ram:TypeCode>",
        "<ram:TypeCode xsi:nil='true'>",
        "`TypeCode` cannot have `xsi:nil`.",
        "`TypeCode` kann `xsi:nil` nicht haben.",
    ),
    (
        ">119.00</ram:Due",
        "></ram:Due",
        "`DuePayableAmount` is –, expected is a number such as `-1.50`, without exponent.",
        "`DuePayableAmount` ist –, erwartet wird eine Zahl wie `-1.50`, ohne Exponent.",
    ),
];

#[test]
fn faults_say_what_was_expected() {
    for (from, to, en, de) in FAULTS {
        let found = texts(&MINIMUM.replacen(from, to, 1));
        assert_eq!(found, [(en.to_owned(), de.to_owned())], "{to}");
    }
    let xrechnung = "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0";
    let plain = MINIMUM.replace("urn:factur-x.eu:1p0:minimum", xrechnung);
    let fixed = plain.replace("<ram:TypeCode>", "<ram:TypeCode listAgencyID='7'>");
    let [(en, de)] = &*texts(&fixed) else {
        panic!("one fault")
    };
    assert_eq!(en, "`@listAgencyID` of `TypeCode` is `7`, expected is `6`.");
    assert_eq!(
        de,
        "`@listAgencyID` von `TypeCode` ist `7`, erwartet wird `6`."
    );
}

// rule: D-ZUG-11
#[test]
fn the_report_names_the_schema_and_its_faults_are_fatal() {
    for (guideline, structure) in [
        ("urn:factur-x.eu:1p0:minimum", "Factur-X 1.09 MINIMUM"),
        ("urn:factur-x.eu:1p0:basicwl", "Factur-X 1.09 BASIC WL"),
        (
            "urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic",
            "Factur-X 1.09 BASIC",
        ),
        (
            "urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended",
            "Factur-X 1.09 EXTENDED",
        ),
        ("urn:cen.eu:en16931:2017", "Factur-X 1.09 EN 16931"),
        ("urn:cen.eu:en16931:2017#compliant#urn:other", "CII D16B"),
        (
            "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0",
            "CII D16B",
        ),
        ("urn:other", "CII D16B"),
    ] {
        let xml = MINIMUM.replace("urn:factur-x.eu:1p0:minimum", guideline);
        let report = check(xml.as_bytes(), &CheckLimits::DEFAULT);
        assert_eq!(report.structure, structure);
    }
    let right = check(MINIMUM.as_bytes(), &CheckLimits::DEFAULT);
    assert!(right.valid, "{:#?}", right.findings);
    let wrong = MINIMUM.replace("<ram:ID>1</ram:ID>", "<ram:A/><ram:ID>1</ram:ID>");
    let report = check(wrong.as_bytes(), &CheckLimits::DEFAULT);
    assert!(!report.valid && report.not_checked().is_none());
    let [found] = &*report.findings else {
        panic!("{:#?}", report.findings)
    };
    assert_eq!(
        (found.rule.as_str(), found.source),
        (STRUCTURE, report.structure)
    );
    assert_eq!((found.severity, found.line), (Severity::Fatal, 3));
    assert_eq!(found.path, format!("{HEADER}/ram:A"));
    let missing = MINIMUM.replace("<ram:DuePayableAmount>119.00</ram:DuePayableAmount>", "");
    let report = check(missing.as_bytes(), &CheckLimits::DEFAULT);
    // The rules are judged too, whatever the structure is.
    assert!(report.findings.iter().any(|found| found.rule != STRUCTURE));
    let found = report.findings.iter().find(|found| found.rule == STRUCTURE);
    assert_eq!(found.expect("fault").terms, ["BT-115"]);
}
