//! Invoices whose report would take much more memory than they are long.

type Make = fn() -> String;

/// Name and maker of each invoice.
pub(crate) const INVOICES: &[(&str, Make)] = &[
    ("a long name around many findings", long_name),
    ("a long reason beside many rates", long_reason),
    ("long codes inside each other", long_codes),
    ("many identifiers", many_identifiers),
];

const GUIDELINE: &str = "<rsm:ExchangedDocumentContext>\
    <GuidelineSpecifiedDocumentContextParameter><ID>urn:factur-x.eu:1p0:basicwl</ID>\
    </GuidelineSpecifiedDocumentContextParameter></rsm:ExchangedDocumentContext>";

fn invoice(content: &str) -> String {
    format!(
        "<rsm:CrossIndustryInvoice \
         xmlns:rsm=\"urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100\" \
         xmlns=\"urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100\">\
         {content}</rsm:CrossIndustryInvoice>"
    )
}

fn long_name() -> String {
    let name = "A".repeat(1_000_000);
    let amounts = "<SomeAmount currencyID=\"EUR\"/>".repeat(1_000);
    invoice(&format!("<{name}>{amounts}</{name}>"))
}

/// The VAT of an allowance is summed by rate and reason of exemption.
fn long_reason() -> String {
    let tax = |inner: &str| format!("<CategoryTradeTax>{inner}</CategoryTradeTax>");
    let rates: String = (0..300)
        .map(|rate| {
            tax(&format!(
                "<CategoryCode>S</CategoryCode><RateApplicablePercent>{rate}</RateApplicablePercent>"
            ))
        })
        .collect();
    let reason = "x".repeat(1_000_000);
    let reason = tax(&format!("<ExemptionReason>{reason}</ExemptionReason>"));
    invoice(&format!(
        "{GUIDELINE}<rsm:SupplyChainTradeTransaction><ApplicableHeaderTradeSettlement>\
         <SpecifiedTradeAllowanceCharge>{reason}{rates}</SpecifiedTradeAllowanceCharge>\
         </ApplicableHeaderTradeSettlement></rsm:SupplyChainTradeTransaction>"
    ))
}

/// UBL keeps what it needs of the category of each tax.
fn long_codes() -> String {
    const DEPTH: usize = 40;
    let code = "x".repeat(1_000_000);
    let (start, end) = ("<cac:TaxCategory><cbc:ID>", "</cbc:ID></cac:TaxCategory>");
    format!(
        "<Invoice xmlns=\"urn:oasis:names:specification:ubl:schema:xsd:Invoice-2\" \
         xmlns:cac=\"urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2\" \
         xmlns:cbc=\"urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2\">\
         {}{code}{}</Invoice>",
        start.repeat(DEPTH),
        end.repeat(DEPTH)
    )
}

/// Each is an entry of its own in what is read.
fn many_identifiers() -> String {
    let ids = "<ID>1</ID>".repeat(99_999);
    invoice(&format!(
        "<rsm:SupplyChainTradeTransaction><ApplicableHeaderTradeAgreement><SellerTradeParty>{ids}</SellerTradeParty>\
         </ApplicableHeaderTradeAgreement></rsm:SupplyChainTradeTransaction>"
    ))
}
