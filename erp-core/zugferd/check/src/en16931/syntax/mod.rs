//! The pattern of syntax restrictions (CII-SR) and data types (CII-DT): mostly what an invoice does not use.

mod agreement;
mod conditions;
mod data_types;
mod delivery;
mod groups;
mod header;
mod line_settlement;
mod lines;
mod prices;
mod settlement;
mod totals;

use crate::abort::Abort;
use crate::context::Place::{AnySuffix, Anywhere, Path, Paths, Suffix};
use crate::context::{Context, Pattern};
use crate::rule::Subject;

const INVOICE: &str = "rsm:CrossIndustryInvoice";
const CONTEXT: &str = "rsm:ExchangedDocumentContext";
const DOCUMENT: &str = "rsm:ExchangedDocument";
const TRADE: &str = "rsm:SupplyChainTradeTransaction";
const LINE: &str = "IncludedSupplyChainTradeLineItem";
const SETTLEMENT: &str = "ApplicableHeaderTradeSettlement";
const LINE_SETTLEMENT: &str = "SpecifiedLineTradeSettlement";
const SUMMATION: &str = "SpecifiedTradeSettlementHeaderMonetarySummation";

/// Identifiers without any attribute.
const PLAIN_IDS: &[&[&str]] = &[
    &[
        INVOICE,
        CONTEXT,
        "GuidelineSpecifiedDocumentContextParameter",
        "ID",
    ],
    &[INVOICE, DOCUMENT, "ID"],
    &[
        INVOICE,
        TRADE,
        LINE,
        "AssociatedDocumentLineDocument",
        "LineID",
    ],
    &[
        INVOICE,
        TRADE,
        LINE,
        "SpecifiedTradeProduct",
        "SellerAssignedID",
    ],
];

pub(super) const CONTEXTS: Pattern = &[
    Context::new(
        Anywhere(&["SpecifiedTradeSettlementPaymentMeans"]),
        &[settlement::PAYMENT_MEANS],
    ),
    Context::new(Path(&[INVOICE, CONTEXT]), &[header::CONTEXT]),
    Context::new(Path(&[INVOICE, DOCUMENT]), &[header::DOCUMENT]),
    Context::new(Path(&[INVOICE, DOCUMENT, "IncludedNote"]), &[header::NOTE]),
    Context::new(Path(&[INVOICE, TRADE, LINE]), &[lines::LINE]),
    Context::new(
        Path(&[INVOICE, TRADE, LINE, "AssociatedDocumentLineDocument"]),
        &[lines::LINE_DOCUMENT],
    ),
    Context::new(
        Path(&[INVOICE, TRADE, LINE, "SpecifiedTradeProduct"]),
        &[lines::PRODUCT],
    ),
    Context::new(
        Path(&[
            INVOICE,
            TRADE,
            LINE,
            "SpecifiedTradeProduct",
            "ApplicableProductCharacteristic",
        ]),
        &[lines::CHARACTERISTIC],
    ),
    Context::new(
        Path(&[INVOICE, TRADE, LINE, "SpecifiedLineTradeAgreement"]),
        &[prices::LINE_AGREEMENT],
    ),
    Context::new(
        Anywhere(&["SpecifiedTradeAllowanceCharge"]),
        &[line_settlement::ALLOWANCE_CHARGE],
    ),
    Context::new(
        Anywhere(&["GrossPriceProductTradePrice", "AppliedTradeAllowanceCharge"]),
        &[prices::PRICE_ALLOWANCE],
    ),
    Context::new(
        Path(&[INVOICE, TRADE, LINE, "SpecifiedLineTradeDelivery"]),
        &[lines::LINE_DELIVERY],
    ),
    Context::new(
        Path(&[INVOICE, TRADE, LINE, LINE_SETTLEMENT]),
        &[line_settlement::LINE_SETTLEMENT],
    ),
    Context::new(
        Path(&[INVOICE, TRADE, "ApplicableHeaderTradeAgreement"]),
        &[agreement::AGREEMENT],
    ),
    Context::new(
        Path(&[INVOICE, TRADE, "ApplicableHeaderTradeDelivery"]),
        &[delivery::DELIVERY],
    ),
    Context::new(
        Path(&[INVOICE, TRADE, SETTLEMENT]),
        &[settlement::SETTLEMENT],
    ),
    Context::new(
        Path(&[INVOICE, TRADE, SETTLEMENT, SUMMATION]),
        &[totals::SUMMATION],
    ),
    Context::new(Path(&[INVOICE]), &[header::INVOICE]),
    Context::new(AnySuffix("DocumentContextParameter"), &[header::PARAMETER]),
    Context::new(Paths(PLAIN_IDS), &[data_types::IDENTIFIER]),
    Context::new(Suffix("ID"), &[data_types::ANY_ID]),
    Context::new(Anywhere(&["TypeCode"]), &[data_types::TYPE_CODE]),
    // The context before it takes every element of this one: its rules are never judged.
    Context::new(
        Path(&[INVOICE, DOCUMENT, "TypeCode"]),
        &[data_types::DOCUMENT_TYPE_CODE],
    ),
    Context::new(
        Path(&[
            INVOICE,
            TRADE,
            LINE,
            LINE_SETTLEMENT,
            "ApplicableTradeTax",
            "CategoryCode",
        ]),
        &[data_types::LINE_CATEGORY_CODE],
    ),
    Context::new(
        Suffix("ReferencedDocument"),
        &[data_types::REFERENCED_DOCUMENT],
    ),
    Context::new(Suffix("Amount"), &[data_types::AMOUNT]).when(is_no_tax_total),
    Context::new(Suffix("Quantity"), &[data_types::QUANTITY]),
    Context::new(Suffix("TradeTax"), &[groups::TAX]),
    Context::new(Anywhere(&["BillingSpecifiedPeriod"]), &[groups::PERIOD]),
    Context::new(Anywhere(&["PostalTradeAddress"]), &[groups::ADDRESS]),
    Context::new(Anywhere(&["udt:DateTimeString"]), &[groups::DATE]).when(has_format_102),
];

fn is_no_tax_total(subject: &Subject<'_>) -> Result<bool, Abort> {
    Ok(!subject.node.is("TaxTotalAmount"))
}

fn has_format_102(subject: &Subject<'_>) -> Result<bool, Abort> {
    Ok(subject.node.attribute("format") == Some("102"))
}
