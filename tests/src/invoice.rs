//! Invoices as XML: a valid one, and the same with errors.

/// A valid invoice of the profile EN 16931, with one line and 19 % VAT.
pub const VALID: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100" xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100" xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100">
<rsm:ExchangedDocumentContext><ram:GuidelineSpecifiedDocumentContextParameter><ram:ID>urn:cen.eu:en16931:2017</ram:ID></ram:GuidelineSpecifiedDocumentContextParameter></rsm:ExchangedDocumentContext>
<rsm:ExchangedDocument>
<ram:ID>4711</ram:ID>
<ram:TypeCode>380</ram:TypeCode>
<ram:IssueDateTime><udt:DateTimeString format="102">20260102</udt:DateTimeString></ram:IssueDateTime>
</rsm:ExchangedDocument>
<rsm:SupplyChainTradeTransaction>
<ram:IncludedSupplyChainTradeLineItem><ram:AssociatedDocumentLineDocument><ram:LineID>1</ram:LineID></ram:AssociatedDocumentLineDocument><ram:SpecifiedTradeProduct><ram:Name>Brett, Eiche</ram:Name></ram:SpecifiedTradeProduct><ram:SpecifiedLineTradeAgreement><ram:NetPriceProductTradePrice><ram:ChargeAmount>50.00</ram:ChargeAmount></ram:NetPriceProductTradePrice></ram:SpecifiedLineTradeAgreement><ram:SpecifiedLineTradeDelivery><ram:BilledQuantity unitCode="C62">2</ram:BilledQuantity></ram:SpecifiedLineTradeDelivery><ram:SpecifiedLineTradeSettlement><ram:ApplicableTradeTax><ram:TypeCode>VAT</ram:TypeCode><ram:CategoryCode>S</ram:CategoryCode><ram:RateApplicablePercent>19</ram:RateApplicablePercent></ram:ApplicableTradeTax><ram:SpecifiedTradeSettlementLineMonetarySummation><ram:LineTotalAmount>100.00</ram:LineTotalAmount></ram:SpecifiedTradeSettlementLineMonetarySummation></ram:SpecifiedLineTradeSettlement></ram:IncludedSupplyChainTradeLineItem>
<ram:ApplicableHeaderTradeAgreement><ram:SellerTradeParty><ram:Name>Sägewerk Müller &amp; Söhne</ram:Name><ram:PostalTradeAddress><ram:PostcodeCode>79098</ram:PostcodeCode><ram:LineOne>Am Bach 1</ram:LineOne><ram:CityName>Freiburg</ram:CityName><ram:CountryID>DE</ram:CountryID></ram:PostalTradeAddress><ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">DE123456789</ram:ID></ram:SpecifiedTaxRegistration></ram:SellerTradeParty><ram:BuyerTradeParty><ram:Name>Küchen Beispiel AG</ram:Name><ram:PostalTradeAddress><ram:PostcodeCode>8001</ram:PostcodeCode><ram:LineOne>Ringweg 22</ram:LineOne><ram:CityName>Zürich</ram:CityName><ram:CountryID>CH</ram:CountryID></ram:PostalTradeAddress></ram:BuyerTradeParty></ram:ApplicableHeaderTradeAgreement>
<ram:ApplicableHeaderTradeDelivery><ram:ActualDeliverySupplyChainEvent><ram:OccurrenceDateTime><udt:DateTimeString format="102">20260102</udt:DateTimeString></ram:OccurrenceDateTime></ram:ActualDeliverySupplyChainEvent></ram:ApplicableHeaderTradeDelivery>
<ram:ApplicableHeaderTradeSettlement><ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>
<ram:ApplicableTradeTax><ram:CalculatedAmount>19.00</ram:CalculatedAmount><ram:TypeCode>VAT</ram:TypeCode><ram:BasisAmount>100.00</ram:BasisAmount><ram:CategoryCode>S</ram:CategoryCode><ram:RateApplicablePercent>19</ram:RateApplicablePercent></ram:ApplicableTradeTax>
<ram:SpecifiedTradePaymentTerms><ram:DueDateDateTime><udt:DateTimeString format="102">20260201</udt:DateTimeString></ram:DueDateDateTime></ram:SpecifiedTradePaymentTerms>
<ram:SpecifiedTradeSettlementHeaderMonetarySummation><ram:LineTotalAmount>100.00</ram:LineTotalAmount><ram:TaxBasisTotalAmount>100.00</ram:TaxBasisTotalAmount><ram:TaxTotalAmount currencyID="EUR">19.00</ram:TaxTotalAmount><ram:GrandTotalAmount>119.00</ram:GrandTotalAmount><ram:DuePayableAmount>119.00</ram:DuePayableAmount></ram:SpecifiedTradeSettlementHeaderMonetarySummation></ram:ApplicableHeaderTradeSettlement>
</rsm:SupplyChainTradeTransaction>
</rsm:CrossIndustryInvoice>
"#;

/// The same with an empty element, which is a warning.
#[must_use]
pub fn with_warning() -> String {
    let text = "<ram:ID>4711</ram:ID>";
    VALID.replace(text, &format!("{text}<ram:Name/>"))
}

/// The same without its number, which breaks BR-02, and with a total that does not match the others.
#[must_use]
pub fn broken() -> String {
    let text = VALID.replace("<ram:ID>4711</ram:ID>", "");
    text.replace(
        "119.00</ram:GrandTotalAmount>",
        "120.00</ram:GrandTotalAmount>",
    )
}

/// The same, truncated.
#[must_use]
pub fn cut() -> &'static str {
    let end = VALID.rfind("</rsm:CrossIndustryInvoice>");
    end.map_or("", |end| &VALID[..end])
}

/// A small PDF with thousands of pages, whose check takes minutes.
#[must_use]
pub fn long_work() -> Vec<u8> {
    const PAGES: usize = 4_000;
    let numbers = || (0..PAGES).map(|page| 10 + 2 * page);
    let kids: String = numbers().map(|number| format!("{number} 0 R ")).collect();
    let stream = |text: &str| format!("<</Length {}>>\nstream\n{text}\nendstream", text.len());
    let mut objects = vec![
        (1, "<</Type/Catalog/Pages 2 0 R>>".to_owned()),
        (2, format!("<</Type/Pages/Kids[{kids}]/Count {PAGES}>>")),
        (3, stream(&"q Q ".repeat(1 << 18))),
    ];
    for number in numbers() {
        let own = number + 1;
        let page =
            format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents[3 0 R {own} 0 R]>>");
        objects.extend([(number, page), (own, stream("n"))]);
    }
    let mut pdf = "%PDF-1.7\n".to_owned();
    for (number, object) in objects {
        pdf.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
    }
    pdf.push_str("trailer<</Root 1 0 R>>\n");
    pdf.into_bytes()
}
