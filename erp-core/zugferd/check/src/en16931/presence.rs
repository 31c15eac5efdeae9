//! Rules on what must be there. `Present` accepts an empty element, `NotBlank` does not.

use super::conditions::{
    accounting_currency, allowance_has_category, breakdown_is_vat, breakdown_rate, buyer_scheme,
    characteristic, classification_scheme, delivery_country, has_breakdown, has_line, has_reason,
    issue_date, item_id_scheme, line_has_category, representative_vat_id, seller_identifier,
    seller_scheme, short_card_number, some_account, tax_points_exclude, transfer_account,
};
use crate::rule::Test::{Always, Is, Present};
use crate::rule::{Rule, fatal};
use crate::table::{Table, rules};

pub(super) const CLASSIFICATION: Table = rules! {
    fatal "BR-65" "BT-158", Is(classification_scheme)
        => "{term} has no scheme (`@listID`)."
        | "{term} hat kein Schema (`@listID`).";
};

pub(super) const SUPPORTING_DOCUMENT: Table = rules! {
    fatal "BR-52" "BG-24 BT-122", NotBlank("IssuerAssignedID");
};

pub(super) const CARD: Table = rules! {
    fatal "BR-51" "BT-87", Is(short_card_number)
        => "{term} shows more than 10 characters."
        | "{term} zeigt mehr als 10 Zeichen.";
};

pub(super) const TRANSFER_ACCOUNT: Table = rules! {
    fatal "BR-50" "BT-84 BG-16", Is(transfer_account)
        => "A credit transfer has neither IBAN nor account number: {term} is missing or empty."
        | "Eine Überweisung hat weder IBAN noch Kontonummer: {term} fehlt oder ist leer.";
    fatal "BR-61" "BT-81 BT-84", Is(some_account)
        => "For the payment means 30 and 58 {BT-84} is needed."
        | "Bei den Zahlungsarten 30 und 58 ist {BT-84} nötig.";
};

pub(super) const DELIVERY: Table = rules! {
    fatal "BR-57" "BG-15 BT-80", Is(delivery_country)
        => "{term} is missing or empty."
        | "{term} fehlt oder ist leer.";
};

/// The allowance or charge has a tax of the type VAT with a category.
const fn category(id: &'static str, terms: &'static str) -> Rule {
    fatal(id, terms, Is(allowance_has_category)).says("{term} is missing.", "{term} fehlt.")
}

/// The allowance or charge has a reason or its code. The standard asks for it twice, in two rules.
const fn reason(id: &'static str, terms: &'static str) -> Rule {
    fatal(id, terms, Is(has_reason)).says(
        "{group} needs a reason, the code of a reason or both.",
        "{group} braucht einen Grund, den Code eines Grundes oder beides.",
    )
}

pub(super) const ALLOWANCE: Table = Table::Made(&[
    fatal("BR-31", "BG-20 BT-92", Present("../ActualAmount")),
    category("BR-32", "BG-20 BT-95"),
    reason("BR-33", "BG-20 BT-97 BT-98"),
    fatal("BR-CO-05", "BT-98 BT-97", Always),
    reason("BR-CO-21", "BG-20 BT-97 BT-98"),
]);

pub(super) const CHARGE: Table = Table::Made(&[
    fatal("BR-36", "BG-21 BT-99", Present("../ActualAmount")),
    category("BR-37", "BG-21 BT-102"),
    reason("BR-38", "BG-21 BT-104 BT-105"),
    fatal("BR-CO-06", "BT-105 BT-104", Always),
    reason("BR-CO-22", "BG-21 BT-104 BT-105"),
]);

pub(super) const LINE_ALLOWANCE: Table = Table::Made(&[
    fatal("BR-41", "BG-27 BT-136", Present("../ActualAmount")),
    reason("BR-42", "BG-27 BT-139 BT-140"),
    fatal("BR-CO-07", "BT-140 BT-139", Always),
    reason("BR-CO-23", "BG-27 BT-139 BT-140"),
]);

pub(super) const LINE_CHARGE: Table = Table::Made(&[
    fatal("BR-43", "BG-28 BT-141", Present("../ActualAmount")),
    reason("BR-44", "BG-28 BT-144 BT-145"),
    fatal("BR-CO-08", "BT-145 BT-144", Always),
    reason("BR-CO-24", "BG-28 BT-144 BT-145"),
]);

pub(super) const SUMMATION: Table = rules! {
    fatal "BR-12" "BT-106", Present("LineTotalAmount");
    fatal "BR-13" "BT-109", Present("TaxBasisTotalAmount");
    fatal "BR-14" "BT-112", Present("GrandTotalAmount");
    fatal "BR-15" "BT-115", Present("DuePayableAmount");
    fatal "BR-53" "BT-6 BT-111", Is(accounting_currency)
        => "With {BT-6}, which must differ from the invoice currency, {BT-111} is needed."
        | "Mit {BT-6}, der sich von der Rechnungswährung unterscheiden muss, ist {BT-111} nötig.";
};

pub(super) const INVOICE: Table = rules! {
    fatal "BR-01" "BT-24",
        NotBlank("rsm:ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID");
    fatal "BR-02" "BT-1", NotBlank("rsm:ExchangedDocument/ID");
    fatal "BR-03" "BT-2", Is(issue_date)
        => "{term} is missing, empty or not in the format 102."
        | "{term} fehlt, ist leer oder nicht im Format 102.";
    fatal "BR-04" "BT-3", NotBlank("rsm:ExchangedDocument/TypeCode");
    fatal "BR-05" "BT-5",
        NotBlank("rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/InvoiceCurrencyCode");
    fatal "BR-06" "BT-27",
        NotBlank("rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement/SellerTradeParty/Name");
    fatal "BR-07" "BT-44",
        NotBlank("rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement/BuyerTradeParty/Name");
    fatal "BR-08" "BG-5",
        Present("rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement/SellerTradeParty/PostalTradeAddress");
    fatal "BR-09" "BT-40 BG-5",
        NotBlank("rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement/SellerTradeParty/PostalTradeAddress/CountryID");
    fatal "BR-10" "BG-8",
        Present("rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement/BuyerTradeParty/PostalTradeAddress");
    fatal "BR-11" "BT-55",
        NotBlank("rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement/BuyerTradeParty/PostalTradeAddress/CountryID");
    fatal "BR-16" "BG-25", Is(has_line)
        => "The invoice has no {term}."
        | "Die Rechnung hat keine {term}.";
    fatal "BR-62" "BT-34", Is(seller_scheme)
        => "{term} has no scheme (`@schemeID`)."
        | "{term} hat kein Schema (`@schemeID`).";
    fatal "BR-63" "BT-49", Is(buyer_scheme)
        => "{term} has no scheme (`@schemeID`)."
        | "{term} hat kein Schema (`@schemeID`).";
};

pub(super) const LINE: Table = rules! {
    fatal "BR-21" "BG-25 BT-126", NotBlank("AssociatedDocumentLineDocument/LineID");
    fatal "BR-22" "BG-25 BT-129", Present("SpecifiedLineTradeDelivery/BilledQuantity");
    fatal "BR-23" "BG-25 BT-130", Present("SpecifiedLineTradeDelivery/BilledQuantity/@unitCode");
    fatal "BR-24" "BG-25 BT-131",
        Present("SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount");
    fatal "BR-25" "BG-25 BT-153", NotBlank("SpecifiedTradeProduct/Name");
    fatal "BR-26" "BG-25 BT-146",
        Present("SpecifiedLineTradeAgreement/NetPriceProductTradePrice/ChargeAmount");
    fatal "BR-64" "BT-157", Is(item_id_scheme)
        => "{term} has no scheme (`@schemeID`)."
        | "{term} hat kein Schema (`@schemeID`).";
    fatal "BR-CO-04" "BG-25 BT-151", Is(line_has_category)
        => "{term} is missing."
        | "{term} fehlt.";
    fatal "BR-CO-18" "BG-23", Is(has_breakdown)
        => "The invoice has no {term}."
        | "Die Rechnung hat keine {term}.";
};

pub(super) const CHARACTERISTIC: Table = rules! {
    fatal "BR-54" "BG-32 BT-160 BT-161", Is(characteristic)
        => "{BG-32} needs a name (BT-160) and a value (BT-161)."
        | "{BG-32} braucht einen Namen (BT-160) und einen Wert (BT-161).";
};

pub(super) const PAYMENT_MEANS: Table = rules! {
    fatal "BR-49" "BG-16 BT-81", Present("TypeCode");
};

pub(super) const PRECEDING_INVOICE: Table = rules! {
    fatal "BR-55" "BG-3 BT-25", NotBlank("IssuerAssignedID");
};

pub(super) const SELLER: Table = rules! {
    fatal "BR-CO-26" "BT-29 BT-30 BT-31", Is(seller_identifier)
        => "The seller has no identifier (BT-29), legal registration (BT-30) or VAT identifier (BT-31)."
        | "Der Verkäufer hat weder Kennung (BT-29) noch Registernummer (BT-30) noch Umsatzsteuer-ID (BT-31).";
};

pub(super) const REPRESENTATIVE: Table = rules! {
    fatal "BR-18" "BT-62 BG-4 BG-11", NotBlank("Name");
    fatal "BR-19" "BG-12 BG-4 BG-11", Present("PostalTradeAddress");
    fatal "BR-20" "BG-12 BT-69 BG-4 BG-11", NotBlank("PostalTradeAddress/CountryID");
    fatal "BR-56" "BG-11 BT-63", Is(representative_vat_id)
        => "{term} is missing or empty."
        | "{term} fehlt oder ist leer.";
};

pub(super) const BREAKDOWN: Table = rules! {
    fatal "BR-45" "BG-23 BT-116", Present("BasisAmount");
    fatal "BR-46" "BG-23 BT-117", Present("CalculatedAmount");
    fatal "BR-47" "BG-23 BT-118", Is(breakdown_is_vat)
        => "{term} of the tax type VAT is missing."
        | "{term} der Steuerart VAT fehlt.";
    fatal "BR-48" "BG-23 BT-119", Is(breakdown_rate)
        => "{term} is missing."
        | "{term} fehlt.";
    fatal "BR-CO-03" "BT-7 BT-8", Is(tax_points_exclude)
        => "{BT-7} and {BT-8} are both given."
        | "{BT-7} und {BT-8} sind beide angegeben.";
};
