//! The two syntaxes of an invoice, CII and UBL: what they call the same things, and where their rules differ.

use super::abort::Abort;
use super::node::Node;

/// What a syntax calls things. Paths start at the document element, unless they say otherwise.
pub(crate) struct Syntax {
    /// Whether it is UBL, whose rules compute in decimal and abort on a second amount of a kind.
    pub(crate) is_ubl: bool,
    pub(crate) guideline: &'static str,
    pub(crate) invoice_currency: &'static str,
    pub(crate) tax_currency: &'static str,
    /// Of an allowance or charge: whether it is a charge.
    pub(crate) indicator: &'static str,
    /// The totals of VAT, from the element that has the totals.
    pub(crate) tax_totals: &'static str,
    /// Whether BT-6 must be another currency than BT-5.
    pub(crate) currencies_differ: bool,
    /// Of a VAT breakdown, or of the tax of a line, allowance or charge.
    pub(crate) category: &'static str,
    pub(crate) rate: &'static str,
    pub(crate) exemption: [&'static str; 2],
    pub(crate) is_vat: fn(Node<'_>) -> Result<bool, Abort>,
    /// The number of a card, from the element that rules on it are for.
    pub(crate) card_number: &'static str,
    /// The seller, from the payee.
    pub(crate) seller_of_payee: &'static str,
    /// What the payee must not have in common with the seller; the first is its name.
    pub(crate) payee: &'static [&'static str],
    pub(crate) net_price: &'static str,
    pub(crate) gross_price: &'static str,
    /// Allowances and charges of the document level.
    pub(crate) allowances: &'static str,
    /// Of an allowance or charge.
    pub(crate) allowance_amount: &'static str,
    pub(crate) allowance_taxes: &'static str,
    /// Why there is an allowance or charge, from the element that rules on it are for.
    pub(crate) reasons: [&'static str; 2],
    /// The lines, each with its taxes, and their net amounts.
    pub(crate) line: &'static str,
    pub(crate) line_taxes: &'static str,
    pub(crate) line_amount: &'static str,
    pub(crate) totals: Totals,
    /// Of a VAT breakdown.
    pub(crate) breakdown_basis: &'static str,
    pub(crate) breakdown_tax: &'static str,
    pub(crate) breakdown_rate: &'static str,
    /// The code of payment means, and the accounts of a credit transfer and of a direct debit.
    pub(crate) payment_code: &'static str,
    pub(crate) creditor_account: &'static str,
    pub(crate) debtor_account: &'static str,
    /// The terms of payment, and the text in each.
    pub(crate) payment_terms: &'static str,
    pub(crate) payment_terms_text: &'static str,
    pub(crate) types: &'static [&'static str],
    pub(crate) preceding_invoice: &'static str,
    /// Of a contact.
    pub(crate) phone: &'static str,
    pub(crate) email: &'static str,
    /// Of a supporting document: where it is, and the file in it.
    pub(crate) uri: &'static str,
    pub(crate) attached_file: &'static str,
    /// Of an allowance or charge.
    pub(crate) percent: &'static str,
    pub(crate) percent_basis: &'static str,
    /// Of a line: the quantity, the quantities that the net and the gross price are for, and its allowances and charges.
    pub(crate) quantity: &'static str,
    pub(crate) price_quantities: &'static [&'static str],
    pub(crate) line_allowances: &'static str,
    pub(crate) line_total: &'static str,
    /// Of a price: the quantity that it is for, and the line around it.
    pub(crate) price_quantity: &'static str,
    /// Of an item: its classifications, and its attributes with names and values.
    pub(crate) class_code: &'static str,
    pub(crate) attributes: &'static str,
    pub(crate) attribute_name: &'static str,
    pub(crate) attribute_value: &'static str,
    /// The items of all lines, from the element that the rules on vehicles are for.
    pub(crate) items: &'static str,
}

/// The totals, from the element that has them.
pub(crate) struct Totals {
    pub(crate) lines: &'static str,
    pub(crate) allowances: &'static str,
    pub(crate) charges: &'static str,
    pub(crate) basis: &'static str,
    pub(crate) grand: &'static str,
    pub(crate) paid: &'static str,
    pub(crate) rounding: &'static str,
    pub(crate) due: &'static str,
}

pub(crate) static CII: Syntax = Syntax {
    is_ubl: false,
    guideline: "rsm:ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID",
    invoice_currency: "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/InvoiceCurrencyCode",
    tax_currency: "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/TaxCurrencyCode",
    indicator: "ChargeIndicator/udt:Indicator",
    tax_totals: "TaxTotalAmount",
    currencies_differ: true,
    category: "CategoryCode",
    rate: "RateApplicablePercent",
    exemption: ["ExemptionReason", "ExemptionReasonCode"],
    is_vat: |tax| Ok(tax.only_text("TypeCode")?.eq_ignore_ascii_case("VAT")),
    card_number: "ID",
    seller_of_payee: "../../ApplicableHeaderTradeAgreement/SellerTradeParty",
    payee: &["Name", "ID", "SpecifiedLegalOrganization/ID"],
    net_price: "SpecifiedLineTradeAgreement/NetPriceProductTradePrice/ChargeAmount",
    gross_price: "SpecifiedLineTradeAgreement/GrossPriceProductTradePrice/ChargeAmount",
    allowances: "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/SpecifiedTradeAllowanceCharge",
    allowance_amount: "ActualAmount",
    allowance_taxes: "CategoryTradeTax",
    reasons: ["../Reason", "../ReasonCode"],
    line: "rsm:SupplyChainTradeTransaction/IncludedSupplyChainTradeLineItem/SpecifiedLineTradeSettlement",
    line_taxes: "ApplicableTradeTax",
    line_amount: "SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount",
    totals: Totals {
        lines: "LineTotalAmount",
        allowances: "AllowanceTotalAmount",
        charges: "ChargeTotalAmount",
        basis: "TaxBasisTotalAmount",
        grand: "GrandTotalAmount",
        paid: "TotalPrepaidAmount",
        rounding: "RoundingAmount",
        due: "DuePayableAmount",
    },
    breakdown_basis: "BasisAmount",
    breakdown_tax: "CalculatedAmount",
    breakdown_rate: "RateApplicablePercent",
    payment_code: "TypeCode",
    creditor_account: "PayeePartyCreditorFinancialAccount/IBANID",
    debtor_account: "PayerPartyDebtorFinancialAccount/IBANID",
    payment_terms: "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/SpecifiedTradePaymentTerms",
    payment_terms_text: "Description",
    types: &["rsm:ExchangedDocument/TypeCode"],
    preceding_invoice: "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/InvoiceReferencedDocument",
    phone: "TelephoneUniversalCommunication/CompleteNumber",
    email: "EmailURIUniversalCommunication/URIID",
    uri: "URIID",
    attached_file: "AttachmentBinaryObject/@filename",
    percent: "CalculationPercent",
    percent_basis: "BasisAmount",
    quantity: "SpecifiedLineTradeDelivery/BilledQuantity",
    price_quantities: &[
        "SpecifiedLineTradeAgreement/NetPriceProductTradePrice/BasisQuantity",
        "SpecifiedLineTradeAgreement/GrossPriceProductTradePrice/BasisQuantity",
    ],
    line_allowances: "SpecifiedLineTradeSettlement/SpecifiedTradeAllowanceCharge",
    line_total: "SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount",
    price_quantity: "BasisQuantity",
    class_code: "DesignatedProductClassification/ClassCode",
    attributes: "ApplicableProductCharacteristic",
    attribute_name: "Description",
    attribute_value: "Value",
    items: "IncludedSupplyChainTradeLineItem/SpecifiedTradeProduct",
};

pub(crate) static UBL: Syntax = Syntax {
    is_ubl: true,
    guideline: "cbc:CustomizationID",
    invoice_currency: "cbc:DocumentCurrencyCode",
    tax_currency: "cbc:TaxCurrencyCode",
    indicator: "cbc:ChargeIndicator",
    tax_totals: "cac:TaxTotal/cbc:TaxAmount",
    currencies_differ: false,
    category: "cbc:ID",
    rate: "cbc:Percent",
    exemption: ["cbc:TaxExemptionReason", "cbc:TaxExemptionReasonCode"],
    is_vat: |tax| {
        for scheme in tax.all("cac:TaxScheme") {
            if scheme.words("cbc:ID")?.eq_ignore_ascii_case("VAT") {
                return Ok(true);
            }
        }
        Ok(false)
    },
    card_number: ".",
    seller_of_payee: "../cac:AccountingSupplierParty/cac:Party",
    payee: &["cac:PartyName/cbc:Name", "cac:PartyIdentification/cbc:ID"],
    net_price: "cac:Price/cbc:PriceAmount",
    gross_price: "cac:Price/cac:AllowanceCharge/cbc:BaseAmount",
    allowances: "cac:AllowanceCharge",
    allowance_amount: "cbc:Amount",
    allowance_taxes: "cac:TaxCategory",
    reasons: ["cbc:AllowanceChargeReason", "cbc:AllowanceChargeReasonCode"],
    line: "cac:*Line",
    line_taxes: "cac:Item/cac:ClassifiedTaxCategory",
    line_amount: "cbc:LineExtensionAmount",
    totals: Totals {
        lines: "cbc:LineExtensionAmount",
        allowances: "cbc:AllowanceTotalAmount",
        charges: "cbc:ChargeTotalAmount",
        basis: "cbc:TaxExclusiveAmount",
        grand: "cbc:TaxInclusiveAmount",
        paid: "cbc:PrepaidAmount",
        rounding: "cbc:PayableRoundingAmount",
        due: "cbc:PayableAmount",
    },
    breakdown_basis: "cbc:TaxableAmount",
    breakdown_tax: "cbc:TaxAmount",
    breakdown_rate: "cac:TaxCategory/cbc:Percent",
    payment_code: "cbc:PaymentMeansCode",
    creditor_account: "cac:PayeeFinancialAccount/cbc:ID",
    debtor_account: "cac:PaymentMandate/cac:PayerFinancialAccount/cbc:ID",
    payment_terms: "cac:PaymentTerms",
    payment_terms_text: "cbc:Note",
    types: &["cbc:InvoiceTypeCode", "cbc:CreditNoteTypeCode"],
    preceding_invoice: "cac:BillingReference/cac:InvoiceDocumentReference",
    phone: "cbc:Telephone",
    email: "cbc:ElectronicMail",
    uri: "cbc:URI",
    attached_file: "cac:Attachment/cbc:EmbeddedDocumentBinaryObject/@filename",
    percent: "cbc:MultiplierFactorNumeric",
    percent_basis: "cbc:BaseAmount",
    quantity: "cbc:InvoicedQuantity",
    price_quantities: &["cac:Price/cbc:BaseQuantity"],
    line_allowances: "cac:AllowanceCharge",
    line_total: "cbc:LineExtensionAmount",
    price_quantity: "cac:Price/cbc:BaseQuantity",
    class_code: "cac:CommodityClassification/cbc:ItemClassificationCode",
    attributes: "cac:AdditionalItemProperty",
    attribute_name: "cbc:Name",
    attribute_value: "cbc:Value",
    items: "cac:*Line/cac:Item",
};
