//! Documents that are made to need much work.

use std::cell::Cell;

use super::judge;
use crate::{CheckLimits, check};

const START: &str = "<rsm:CrossIndustryInvoice \
    xmlns:rsm=\"urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100\" \
    xmlns=\"urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100\">";

fn invoice(content: &str) -> String {
    format!("{START}{content}</rsm:CrossIndustryInvoice>")
}

#[test]
fn what_is_no_invoice_is_not_valid() {
    for (xml, rule) in [
        ("", "ERP-XML"),
        ("no XML", "ERP-XML"),
        ("<a>", "ERP-XML"),
        ("<!DOCTYPE a [<!ENTITY b \"bb\">]><a>&b;</a>", "ERP-XML"),
        ("<a/>", "ERP-CII"),
        ("<CrossIndustryInvoice/>", "ERP-CII"),
    ] {
        let report = judge(xml);
        assert!(
            !report.valid && report.fatal == 1 && report.rules.is_empty(),
            "{xml}"
        );
        assert_eq!(report.findings[0].rule, rule, "{xml}");
    }
}

#[test]
fn findings_are_counted_and_a_bounded_number_is_kept() {
    let limits = CheckLimits {
        findings: 10,
        ..CheckLimits::DEFAULT
    };
    let xml = invoice(&"<DuePayableAmount currencyID=\"EUR\"/>".repeat(1_000));
    let report = check(xml.as_bytes(), &limits);
    assert_eq!(report.findings.len(), 10);
    assert!(report.fatal >= 1_000, "{}", report.fatal);
}

#[test]
fn names_in_findings_are_short() {
    let name = "A".repeat(100_000);
    let amounts = "<SomeAmount currencyID=\"EUR\"/>".repeat(100);
    let report = judge(&invoice(&format!(
        "<{name}>{amounts}<{name}TradeTax><TypeCode/></{name}TradeTax></{name}>"
    )));
    assert!(report.findings.len() > 100);
    for finding in report.findings {
        assert!(finding.path.len() < 1_000 && finding.en.len() < 1_000);
    }
}

#[test]
fn findings_with_long_paths_are_counted_and_some_are_kept() {
    let (start, end): (String, String) = (0..100)
        .map(|number| {
            let name = format!("A{number}{}", "a".repeat(120));
            (format!("<{name}>"), format!("</{name}>"))
        })
        .unzip();
    let end: Vec<_> = end.split_inclusive('>').rev().collect();
    let amounts = "<SomeAmount currencyID=\"EUR\"/>".repeat(3_000);
    let report = judge(&invoice(&format!("{start}{amounts}{}", end.concat())));
    let described = report.findings.iter().map(|finding| finding.path.len());
    let described: usize = described.sum();
    assert!(described < 17 << 20, "{described}");
    assert!(report.findings.len() > 1_000 && report.fatal > report.findings.len());
}

/// Whether the check takes more steps than this.
fn exceeds(steps: u64, content: &str) -> bool {
    let limits = CheckLimits {
        steps,
        ..CheckLimits::DEFAULT
    };
    let report = check(invoice(content).as_bytes(), &limits);
    report
        .findings
        .iter()
        .any(|finding| finding.rule == "ERP-LIMIT")
}

fn transaction(agreement: &str, settlement: &str) -> String {
    format!(
        "<rsm:SupplyChainTradeTransaction>\
         <ApplicableHeaderTradeAgreement>{agreement}</ApplicableHeaderTradeAgreement>\
         <ApplicableHeaderTradeSettlement>{settlement}</ApplicableHeaderTradeSettlement>\
         </rsm:SupplyChainTradeTransaction>"
    )
}

/// A UBL invoice as long as the largest ones takes half of the steps that are allowed.
#[test]
fn a_long_ubl_invoice_is_judged() {
    let xml = super::ubl::invoice(&super::sample::SAMPLES[0]);
    let (before, rest) = xml.split_once("<cac:InvoiceLine>").expect("line");
    let (line, after) = rest.split_once("</cac:InvoiceLine>").expect("line");
    let line = format!("<cac:InvoiceLine>{line}</cac:InvoiceLine>");
    let limits = CheckLimits {
        steps: CheckLimits::DEFAULT.steps / 2,
        ..CheckLimits::DEFAULT
    };
    let long = format!("{before}{}{after}", line.repeat(5_000));
    let report = check(long.as_bytes(), &limits);
    let is_judged = report
        .findings
        .iter()
        .any(|finding| finding.rule == "BR-CO-10");
    assert!(is_judged && report.not_checked().is_none());
}

/// What UBL looks up by name is work, and a code is not kept however long it is.
#[test]
fn work_on_ubl_is_counted() {
    const START: &str = "<ubl:Invoice xmlns:ubl=\"urn:oasis:names:specification:ubl:schema:xsd:Invoice-2\" \
        xmlns=\"urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2\" \
        xmlns:cac=\"urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2\">";
    let invoice = |content: &str| format!("{START}{content}</ubl:Invoice>");
    let steps = |steps: u64, content: &str| {
        let limits = CheckLimits {
            steps,
            ..CheckLimits::DEFAULT
        };
        let report = check(invoice(content).as_bytes(), &limits);
        report.not_checked().is_some()
    };
    assert!(steps(50_000, &"<ID/>".repeat(2_000)));
    assert!(!steps(1_000_000, &"<ID/>".repeat(2_000)));
    let payee = "<cac:PayeeParty><cac:PartyName><Name>a</Name></cac:PartyName></cac:PayeeParty>";
    let seller = "<cac:AccountingSupplierParty><cac:Party><cac:PartyLegalEntity><RegistrationName>a\
        </RegistrationName></cac:PartyLegalEntity></cac:Party></cac:AccountingSupplierParty>";
    assert!(steps(
        1_000_000,
        &format!("{}{}", payee.repeat(500), seller.repeat(500))
    ));
}

/// Elements of a name, each with another text.
fn numbered(name: &str, prefix: &str, count: usize) -> String {
    let elements = (0..count).map(|number| format!("<{name}>{prefix}{number}</{name}>"));
    elements.collect()
}

#[test]
fn work_grows_with_the_document_and_no_faster() {
    let names = |prefix| numbered("Name", prefix, 2_000);
    let payees = transaction(
        &format!("<SellerTradeParty>{}</SellerTradeParty>", names("S")),
        &format!("<PayeeTradeParty>{}</PayeeTradeParty>", names("P")),
    );
    let currencies = format!(
        "{}<InvoiceCurrencyCode>EUR</InvoiceCurrencyCode>\
         <SpecifiedTradeSettlementHeaderMonetarySummation><TaxTotalAmount currencyID=\"C0\"/>\
         </SpecifiedTradeSettlementHeaderMonetarySummation>",
        numbered("TaxCurrencyCode", "C", 2_000)
    );
    let invoice_currencies = "<InvoiceCurrencyCode>EUR</InvoiceCurrencyCode>".repeat(2_000)
        + "<SpecifiedTradeSettlementHeaderMonetarySummation><TaxBasisTotalAmount>1</TaxBasisTotalAmount>\
           <GrandTotalAmount>1</GrandTotalAmount></SpecifiedTradeSettlementHeaderMonetarySummation>";
    let tax = "<ApplicableHeaderTradeSettlement><ApplicableTradeTax><DueDateTypeCode>5\
               </DueDateTypeCode></ApplicableTradeTax></ApplicableHeaderTradeSettlement>";
    let tax_points = format!(
        "<rsm:SupplyChainTradeTransaction>{}</rsm:SupplyChainTradeTransaction>",
        tax.repeat(1_000)
    );
    let cases = [
        ("payees", payees),
        ("currencies", transaction("", &currencies)),
        ("invoice currencies", transaction("", &invoice_currencies)),
        ("tax points", tax_points),
    ];
    let quadratic = cases.iter().filter(|(_, xml)| exceeds(1_000_000, xml));
    let quadratic: Vec<_> = quadratic.map(|(name, _)| *name).collect();
    assert!(quadratic.is_empty(), "{quadratic:?}");
}

#[test]
fn reading_is_work() {
    let text = "x".repeat(100_000);
    let nested = format!(
        "{}{text}{}",
        "<CategoryCode>".repeat(100),
        "</CategoryCode>".repeat(100)
    );
    let empty = format!("<A>{}</A>", "<PostalTradeAddress/>".repeat(1_000));
    let attributes: String = (0..500).map(|number| format!(" a{number}=\"\"")).collect();
    let amounts = format!("<SomeAmount{attributes}/>").repeat(200);
    let cases = [
        ("long texts", 200_000, nested),
        ("elements without children", 10_000, empty),
        ("attributes", 20_000, amounts),
    ];
    let uncounted = cases.iter().filter(|(_, steps, xml)| !exceeds(*steps, xml));
    let uncounted: Vec<_> = uncounted.map(|(name, ..)| *name).collect();
    assert!(uncounted.is_empty(), "{uncounted:?}");
}

#[test]
fn work_is_bounded() {
    let limits = CheckLimits {
        steps: 10_000,
        ..CheckLimits::DEFAULT
    };
    // Each breakdown sums all lines.
    let line = "<IncludedSupplyChainTradeLineItem><SpecifiedLineTradeSettlement><ApplicableTradeTax>\
                <CategoryCode>S</CategoryCode></ApplicableTradeTax></SpecifiedLineTradeSettlement>\
                </IncludedSupplyChainTradeLineItem>";
    let breakdown = "<ApplicableTradeTax><CategoryCode>S</CategoryCode>\
                     <RateApplicablePercent>1</RateApplicablePercent></ApplicableTradeTax>";
    let xml = invoice(&format!(
        "<rsm:SupplyChainTradeTransaction>{}<ApplicableHeaderTradeSettlement>{}\
         </ApplicableHeaderTradeSettlement></rsm:SupplyChainTradeTransaction>",
        line.repeat(200),
        breakdown.repeat(200)
    ));
    let report = check(xml.as_bytes(), &limits);
    assert!(!report.valid);
    assert_eq!(report.findings[0].rule, "ERP-LIMIT");
    assert_eq!(report.not_checked(), report.findings.first());
}

// rule: D-WRK-03
#[test]
fn a_check_ends_when_its_report_is_no_longer_wanted() {
    thread_local! {
        static ASKED: Cell<u32> = const { Cell::new(0) };
        static WANTED: Cell<u32> = const { Cell::new(0) };
    }
    let limits = CheckLimits {
        keep_going: || {
            ASKED.set(ASKED.get() + 1);
            ASKED.get() <= WANTED.get()
        },
        ..CheckLimits::DEFAULT
    };
    let amounts = "<SomeAmount currencyID=\"EUR\"/>".repeat(10_000);
    let xml = invoice(&amounts);
    let asked = |wanted: u32| {
        ASKED.set(0);
        WANTED.set(wanted);
        (check(xml.as_bytes(), &limits), ASKED.get())
    };
    let (whole, times) = asked(u32::MAX);
    assert_eq!(whole, judge(&xml));
    assert!(times > 50, "{times}");
    for wanted in [0, 1, times / 2, times - 1] {
        let (report, asked) = asked(wanted);
        let why = report.not_checked().expect("stopped");
        assert_eq!((why.rule.as_str(), asked), ("ERP-LIMIT", wanted + 1));
        assert!(!report.valid);
    }
}

#[test]
fn a_document_of_one_line_is_as_quick_as_one_of_many() {
    // Each finding looks for its line.
    let amount = "<SomeAmount currencyID=\"EUR\"/>";
    for xml in [amount.repeat(10_000), format!("{amount}\n").repeat(10_000)] {
        let xml = invoice(&xml);
        let report = judge(&xml);
        let last = report.findings.last().expect("finding");
        let lines = xml.matches('\n').count();
        assert!(last.line <= lines + 1 && report.findings.len() == 10_000);
    }
}

#[test]
fn many_siblings_and_deep_trees_are_numbered() {
    let many = invoice(&"<SomeAmount currencyID=\"EUR\"/>".repeat(20_000));
    let report = judge(&many);
    let last = report.findings.last().expect("finding");
    assert!(report.findings.len() == 10_000 && report.fatal > 20_000);
    assert!(last.path.contains("/ram:SomeAmount["), "{}", last.path);
    let depth = 100;
    let deep = "<A>".repeat(depth) + "<SomeAmount currencyID=\"EUR\"/>" + &"</A>".repeat(depth);
    let report = judge(&invoice(&deep));
    let last = report.findings.last().expect("finding");
    assert_eq!(last.path.matches("/ram:A").count(), depth);
}

#[test]
fn numbers_of_any_length_are_judged() {
    let zeros = "0".repeat(70_000);
    for number in [
        format!("0.{zeros}1"),
        format!("1{zeros}"),
        format!("-{}", i128::MAX),
        format!("{}9", i128::MAX),
        "1e999999999".to_owned(),
    ] {
        let xml = super::sample::SAMPLES[0].xml();
        for amount in ["200.00<", "195.00<", "39.00<", "100.00<", "234.00<", "20<"] {
            let report = judge(&xml.replace(&format!(">{amount}"), &format!(">{number}<")));
            assert!(!report.valid, "{amount}");
            assert!(
                report
                    .findings
                    .iter()
                    .all(|finding| finding.en.len() < 1_000)
            );
        }
    }
}
