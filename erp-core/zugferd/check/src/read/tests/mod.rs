//! What an invoice says is the same in every syntax, at its number, and bounded.

use std::collections::BTreeSet;

use super::*;

const CII: &str = include_str!("cii.xml");
const IN_UBL: &str = include_str!("ubl.xml");
/// What both say.
const SAID: &str = include_str!("said.json");

fn said(xml: &str) -> Value {
    read(xml.as_bytes(), &CheckLimits::DEFAULT).unwrap()
}

#[test]
fn both_syntaxes_say_the_same() {
    let cii = format!("{:#}\n", said(CII));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/read/tests/said.json");
        #[expect(clippy::disallowed_methods, reason = "writes the golden file")]
        std::fs::write(path, &cii).unwrap();
    }
    assert_eq!(cii, SAID);
    let mut ubl = said(IN_UBL);
    assert_eq!(ubl["syntax"], "UBL");
    ubl["syntax"] = "CII".into();
    assert_eq!(format!("{ubl:#}\n"), SAID);
}

/// The names of all that is said, none of it empty.
fn names(said: &Value) -> BTreeSet<&str> {
    match said {
        Value::Object(group) => {
            assert!(!group.is_empty());
            let inner = group.values().flat_map(names);
            group.keys().map(String::as_str).chain(inner).collect()
        }
        Value::Array(list) => {
            assert!(!list.is_empty());
            list.iter().flat_map(names).collect()
        }
        other => {
            assert_ne!(other.as_str(), Some(""));
            BTreeSet::new()
        }
    }
}

/// Both invoices have each term of the model, and the standard has no others but for the content of files.
#[test]
fn every_term_is_read() {
    let sections = Model::get().sections.iter();
    let fields = sections.flat_map(|section| &section.fields);
    let terms = fields.flat_map(|field| field.terms.split(' '));
    let terms = terms.map(|term| term.trim_end_matches('*'));
    let mut wanted: BTreeSet<&str> = terms.filter(|term| term.starts_with("BT")).collect();
    assert!(wanted.remove("BT-125"));
    for number in 1..=165 {
        // The standard has no term of the first number.
        if ![4, 125].contains(&number) {
            assert!(wanted.contains(&*format!("BT-{number}")), "BT-{number}");
        }
    }
    for xml in [CII, IN_UBL] {
        let said = said(xml);
        let mut read = names(&said);
        read.retain(|name| name.starts_with("BT"));
        assert_eq!(read, wanted);
    }
}

#[test]
fn an_invoice_is_read_as_it_is() {
    let changed = |from: &str, to: &str| {
        assert!(CII.contains(from), "{from}");
        said(&CII.replacen(from, to, 1))
    };
    let amount = "<ram:GrandTotalAmount>234.00";
    let foreign = changed(amount, "<ram:GrandTotalAmount currencyID=\"USD\">-1e3");
    assert_eq!(foreign["BG-22"]["BT-112"], "-1e3 USD");
    let dates = changed(">20260301<", ">202603<");
    assert_eq!(dates["BT-2"], "202603");
    let due = "<ram:DueDateDateTime><udt:DateTimeString format=\"102\">20260430</udt:DateTimeString></ram:DueDateDateTime>";
    let terms = format!("<ram:SpecifiedTradePaymentTerms>{due}</ram:SpecifiedTradePaymentTerms>");
    let end = "<ram:SpecifiedTradeSettlementHeaderMonetarySummation>";
    let twice = changed(end, &(terms + end));
    assert_eq!(twice["BT-9"], "2026-03-31\n2026-04-30");
    let department = changed(
        "<ram:PersonName>Ann</ram:PersonName>",
        "<ram:PersonName>Ann</ram:PersonName><ram:DepartmentName>Sales</ram:DepartmentName>",
    );
    assert_eq!(department["BG-4"]["BT-41"], "Ann\nSales");
    let note = IN_UBL.replacen("#AAI#First", "#12# #AAI#First", 1);
    let note = said(&note);
    assert_eq!(note["BG-1"][0]["BT-22"], "#12# #AAI#First note");
    let terms = IN_UBL.replacen("30 days", "#ABC#30 days", 1);
    assert_eq!(said(&terms)["BT-20"], "#ABC#30 days");
    let credit = IN_UBL.replace("xsd:Invoice-2", "xsd:CreditNote-2");
    let credit = credit
        .replace("<Invoice ", "<CreditNote ")
        .replace("</Invoice>", "</CreditNote>");
    let credit = credit
        .replace("InvoiceLine>", "CreditNoteLine>")
        .replace("InvoicedQ", "CreditedQ");
    let credit = credit.replace("InvoiceTypeCode>", "CreditNoteTypeCode>");
    assert_eq!(said(&credit), said(IN_UBL));
}

#[test]
fn what_is_no_invoice_is_an_error() {
    let error = |xml: &str| read(xml.as_bytes(), &CheckLimits::DEFAULT).unwrap_err();
    assert!(matches!(error("<Invoice>"), ReadError::NotWellFormed(_)));
    assert!(matches!(
        error("<!DOCTYPE a><a/>"),
        ReadError::NotWellFormed(_)
    ));
    let other = |name: &str| ReadError::NotAnInvoice(name.to_owned());
    assert_eq!(error("<order/>"), other("order"));
    // Of another standard, whose root has the same name.
    assert_eq!(
        error("<Invoice xmlns='http://www.ebinterface.at/schema/6p1/'/>"),
        other("Invoice")
    );
    let long = error(&format!("<{}/>", "n".repeat(1 << 20)));
    assert!(long.to_string().len() < 500);
    let nobody_waits = CheckLimits {
        keep_going: || false,
        ..CheckLimits::DEFAULT
    };
    assert_eq!(
        read(CII.as_bytes(), &nobody_waits),
        Err(ReadError::TooLarge)
    );
}

fn many(start: &str, middle: &str, end: &str, xml: &str, before: &str) -> String {
    let copies = middle.repeat(90_000);
    xml.replacen(before, &format!("{start}{copies}{end}{before}"), 1)
}

/// JSON is at most twice as long as its invoice, and much more is refused.
#[test]
fn what_is_read_is_bounded() {
    let seller = "<ram:Name>Seller<";
    let trade = "<ram:ApplicableHeaderTradeAgreement>";
    let dates = "<ram:IssueDateTime>";
    let line = "<ram:IncludedSupplyChainTradeLineItem><ram:AssociatedDocumentLineDocument><ram:LineID>1</ram:LineID>\
        </ram:AssociatedDocumentLineDocument></ram:IncludedSupplyChainTradeLineItem>";
    for (name, xml) in [
        (
            "identifiers",
            many("", "<ram:ID>1</ram:ID>", "", CII, seller),
        ),
        ("lines", many("", line, "", CII, trade)),
        (
            "texts of a note",
            many(
                "<ram:IncludedNote>",
                "<ram:Content>1</ram:Content>",
                "</ram:IncludedNote>",
                CII,
                dates,
            ),
        ),
        (
            "notes",
            many(
                "",
                "<ram:IncludedNote><ram:Content>\"</ram:Content></ram:IncludedNote>",
                "",
                CII,
                dates,
            ),
        ),
        (
            "quotes",
            CII.replacen("First note", &"\"\n".repeat(2 << 20), 1),
        ),
        (
            "notes in UBL",
            many(
                "",
                "<cbc:Note>#AAI#</cbc:Note>",
                "",
                IN_UBL,
                "<cbc:TaxPointDate>",
            ),
        ),
        (
            "means",
            many(
                "",
                "<cac:PaymentMeans><cbc:PaymentMeansCode>1</cbc:PaymentMeansCode></cac:PaymentMeans>",
                "",
                IN_UBL,
                "<cac:PaymentTerms>",
            ),
        ),
    ] {
        assert!(xml.len() > 1 << 20, "{name}: {}", xml.len());
        let said = read(xml.as_bytes(), &CheckLimits::DEFAULT).unwrap();
        let json = serde_json::to_vec(&said).unwrap();
        assert!(json.len() < 2 * xml.len(), "{name}: {}", json.len());
    }
    let too_many = many("", "<ram:ID>1</ram:ID>", "", CII, seller);
    let too_many = many("", "<ram:ID>1</ram:ID>", "", &too_many, seller);
    assert_eq!(
        read(too_many.as_bytes(), &CheckLimits::DEFAULT),
        Err(ReadError::TooLarge)
    );
}
