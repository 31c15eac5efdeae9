//! The two syntaxes of an invoice, CII and UBL: what they call the same things, and where their rules differ.

type Name = &'static str;

/// A structure of names, and what they are in CII and in UBL.
macro_rules! names {
    ($(#[$about:meta])* $struct:ident, $of_cii:ident, $of_ubl:ident;
     $($(#[$meaning:meta])* $name:ident: $type:ty = $cii:expr, $ubl:expr;)*) => {
        $(#[$about])*
        pub(crate) struct $struct { $($(#[$meaning])* pub(crate) $name: $type),* }

        pub(crate) static $of_cii: $struct = $struct { $($name: $cii),* };

        pub(crate) static $of_ubl: $struct = $struct { $($name: $ubl),* };
    };
}

names! {
    /// What a syntax calls things. Paths start at the document element, unless they say otherwise.
    Syntax, CII, UBL;
    /// Whether it is UBL, whose rules compute in decimal and abort on a second amount of a kind.
    is_ubl: bool = false, true;
    guideline: Name = "rsm:ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID", "cbc:CustomizationID";
    invoice_currency: Name = "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/InvoiceCurrencyCode",
        "cbc:DocumentCurrencyCode";
    tax_currency: Name = "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/TaxCurrencyCode",
        "cbc:TaxCurrencyCode";
    /// Of an allowance or charge: whether it is a charge.
    indicator: Name = "ChargeIndicator/udt:Indicator", "cbc:ChargeIndicator";
    /// The totals of VAT, from the element that has the totals.
    tax_totals: Name = "TaxTotalAmount", "cac:TaxTotal/cbc:TaxAmount";
    /// Whether BT-6 must be another currency than BT-5.
    currencies_differ: bool = true, false;
    /// Of a VAT breakdown, or of the tax of a line, allowance or charge.
    category: Name = "CategoryCode", "cbc:ID";
    rate: Name = "RateApplicablePercent", "cbc:Percent";
    exemption: [Name; 2] = ["ExemptionReason", "ExemptionReasonCode"],
        ["cbc:TaxExemptionReason", "cbc:TaxExemptionReasonCode"];
    /// The number of a card, from the element that rules on it are for.
    card_number: Name = "ID", ".";
    /// The seller, from the payee.
    seller_of_payee: Name = "../../ApplicableHeaderTradeAgreement/SellerTradeParty",
        "../cac:AccountingSupplierParty/cac:Party";
    /// What the payee must not have in common with the seller; the first is its name.
    payee: &'static [Name] = &["Name", "ID", "SpecifiedLegalOrganization/ID"],
        &["cac:PartyName/cbc:Name", "cac:PartyIdentification/cbc:ID"];
    net_price: Name = "SpecifiedLineTradeAgreement/NetPriceProductTradePrice/ChargeAmount", "cac:Price/cbc:PriceAmount";
    gross_price: Name = "SpecifiedLineTradeAgreement/GrossPriceProductTradePrice/ChargeAmount",
        "cac:Price/cac:AllowanceCharge/cbc:BaseAmount";
    /// Allowances and charges of the document level.
    allowances: Name = "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/SpecifiedTradeAllowanceCharge",
        "cac:AllowanceCharge";
    /// Of an allowance or charge.
    allowance_amount: Name = "ActualAmount", "cbc:Amount";
    allowance_taxes: Name = "CategoryTradeTax", "cac:TaxCategory";
    /// Why there is an allowance or charge, from the element that rules on it are for.
    reasons: [Name; 2] = ["../Reason", "../ReasonCode"], ["cbc:AllowanceChargeReason", "cbc:AllowanceChargeReasonCode"];
    /// The lines, each with its taxes, and their net amounts.
    line: Name = "rsm:SupplyChainTradeTransaction/IncludedSupplyChainTradeLineItem/SpecifiedLineTradeSettlement",
        "cac:*Line";
    line_taxes: Name = "ApplicableTradeTax", "cac:Item/cac:ClassifiedTaxCategory";
    line_amount: Name = "SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount", "cbc:LineExtensionAmount";
    totals: &'static TotalNames = &CII_TOTALS, &UBL_TOTALS;
    /// Of a VAT breakdown.
    breakdown_basis: Name = "BasisAmount", "cbc:TaxableAmount";
    breakdown_tax: Name = "CalculatedAmount", "cbc:TaxAmount";
    /// The code of payment means, and the accounts of a credit transfer and of a direct debit.
    payment_code: Name = "TypeCode", "cbc:PaymentMeansCode";
    creditor_account: Name = "PayeePartyCreditorFinancialAccount/IBANID", "cac:PayeeFinancialAccount/cbc:ID";
    debtor_account: Name = "PayerPartyDebtorFinancialAccount/IBANID", "cac:PaymentMandate/cac:PayerFinancialAccount/cbc:ID";
    /// The terms of payment, and the text in each.
    payment_terms: Name = "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/SpecifiedTradePaymentTerms",
        "cac:PaymentTerms";
    payment_terms_text: Name = "Description", "cbc:Note";
    types: &'static [Name] = &["rsm:ExchangedDocument/TypeCode"], &["cbc:InvoiceTypeCode", "cbc:CreditNoteTypeCode"];
    preceding_invoice: Name = "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/InvoiceReferencedDocument",
        "cac:BillingReference/cac:InvoiceDocumentReference";
    /// Of a contact.
    phone: Name = "TelephoneUniversalCommunication/CompleteNumber", "cbc:Telephone";
    email: Name = "EmailURIUniversalCommunication/URIID", "cbc:ElectronicMail";
    /// Of a supporting document: where it is, and the file in it.
    uri: Name = "URIID", "cbc:URI";
    attached_file: Name = "AttachmentBinaryObject/@filename", "cac:Attachment/cbc:EmbeddedDocumentBinaryObject/@filename";
    /// Of an allowance or charge.
    percent: Name = "CalculationPercent", "cbc:MultiplierFactorNumeric";
    percent_basis: Name = "BasisAmount", "cbc:BaseAmount";
    /// Of a line: the quantity, the quantities that the net and the gross price are for, and its allowances and charges.
    quantity: Name = "SpecifiedLineTradeDelivery/BilledQuantity", "cbc:InvoicedQuantity";
    price_quantities: &'static [Name] = &[
        "SpecifiedLineTradeAgreement/NetPriceProductTradePrice/BasisQuantity",
        "SpecifiedLineTradeAgreement/GrossPriceProductTradePrice/BasisQuantity",
    ], &["cac:Price/cbc:BaseQuantity"];
    line_allowances: Name = "SpecifiedLineTradeSettlement/SpecifiedTradeAllowanceCharge", "cac:AllowanceCharge";
    line_total: Name = "SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount",
        "cbc:LineExtensionAmount";
    /// Of a price: the quantity that it is for, and the line around it.
    price_quantity: Name = "BasisQuantity", "cac:Price/cbc:BaseQuantity";
    /// Of an item: its classifications, and its attributes with names and values.
    class_code: Name = "DesignatedProductClassification/ClassCode",
        "cac:CommodityClassification/cbc:ItemClassificationCode";
    attributes: Name = "ApplicableProductCharacteristic", "cac:AdditionalItemProperty";
    attribute_name: Name = "Description", "cbc:Name";
    attribute_value: Name = "Value", "cbc:Value";
    /// The items of all lines, from the element that the rules on vehicles are for.
    items: Name = "IncludedSupplyChainTradeLineItem/SpecifiedTradeProduct", "cac:*Line/cac:Item";
}

names! {
    /// The totals, from the element that has them.
    TotalNames, CII_TOTALS, UBL_TOTALS;
    lines: Name = "LineTotalAmount", "cbc:LineExtensionAmount";
    allowances: Name = "AllowanceTotalAmount", "cbc:AllowanceTotalAmount";
    charges: Name = "ChargeTotalAmount", "cbc:ChargeTotalAmount";
    basis: Name = "TaxBasisTotalAmount", "cbc:TaxExclusiveAmount";
    grand: Name = "GrandTotalAmount", "cbc:TaxInclusiveAmount";
    paid: Name = "TotalPrepaidAmount", "cbc:PrepaidAmount";
    rounding: Name = "RoundingAmount", "cbc:PayableRoundingAmount";
    due: Name = "DuePayableAmount", "cbc:PayableAmount";
}
