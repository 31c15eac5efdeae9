//! The pattern of the business rules: at which elements which tables are judged.

use super::{amounts, codes, conditions, decimals, grand_total, presence, sums, vat};
use crate::abort::Abort;
use crate::context::Place::{Anywhere, Path};
use crate::context::{Context, Pattern};
use crate::rule::Subject;

const INVOICE: &str = "rsm:CrossIndustryInvoice";
const TRADE: &str = "rsm:SupplyChainTradeTransaction";
const SETTLEMENT: &str = "ApplicableHeaderTradeSettlement";
const LINE_SETTLEMENT: &str = "SpecifiedLineTradeSettlement";
const ALLOWANCE_CHARGE: &str = "SpecifiedTradeAllowanceCharge";
const PAYMENT_MEANS: &str = "SpecifiedTradeSettlementPaymentMeans";
const SUMMATION: &str = "SpecifiedTradeSettlementHeaderMonetarySummation";

const HEADER_INDICATOR: &[&str] = &[SETTLEMENT, ALLOWANCE_CHARGE, "ChargeIndicator"];
const LINE_INDICATOR: &[&str] = &[LINE_SETTLEMENT, ALLOWANCE_CHARGE, "ChargeIndicator"];

pub(super) const CONTEXTS: Pattern = &[
    Context::new(
        Anywhere(&["DesignatedProductClassification"]),
        &[presence::CLASSIFICATION],
    ),
    Context::new(
        Anywhere(&["AdditionalReferencedDocument"]),
        &[presence::SUPPORTING_DOCUMENT],
    ),
    Context::new(
        Anywhere(&["ApplicableTradeSettlementFinancialCard"]),
        &[presence::CARD],
    ),
    Context::new(
        Anywhere(&[PAYMENT_MEANS, "PayeePartyCreditorFinancialAccount"]),
        &[presence::TRANSFER_ACCOUNT],
    )
    .when(is_transfer),
    Context::new(
        Path(&[INVOICE, TRADE, "ApplicableHeaderTradeDelivery"]),
        &[presence::DELIVERY],
    ),
    Context::new(
        Anywhere(HEADER_INDICATOR),
        &[presence::ALLOWANCE, decimals::ALLOWANCE],
    )
    .when(is_false),
    Context::new(
        Anywhere(HEADER_INDICATOR),
        &[presence::CHARGE, decimals::CHARGE],
    )
    .when(is_true),
    Context::new(
        Anywhere(&[SUMMATION]),
        &[presence::SUMMATION, sums::SUMMATION, decimals::SUMMATION],
    ),
    Context::new(
        Path(&[INVOICE]),
        &[
            presence::INVOICE,
            grand_total::INVOICE,
            vat::invoice::INVOICE,
        ],
    ),
    Context::new(
        Anywhere(&["IncludedSupplyChainTradeLineItem"]),
        &[presence::LINE, amounts::LINE, decimals::LINE],
    ),
    Context::new(
        Anywhere(LINE_INDICATOR),
        &[presence::LINE_ALLOWANCE, decimals::LINE_ALLOWANCE],
    )
    .when(is_false),
    Context::new(
        Anywhere(LINE_INDICATOR),
        &[presence::LINE_CHARGE, decimals::LINE_CHARGE],
    )
    .when(is_true),
    Context::new(
        Anywhere(&[LINE_SETTLEMENT, "BillingSpecifiedPeriod"]),
        &[conditions::LINE_PERIOD],
    ),
    Context::new(
        Anywhere(&[SETTLEMENT, "BillingSpecifiedPeriod"]),
        &[conditions::PERIOD],
    ),
    Context::new(
        Anywhere(&["ApplicableProductCharacteristic"]),
        &[presence::CHARACTERISTIC],
    ),
    Context::new(Anywhere(&["PayeeTradeParty"]), &[conditions::PAYEE]),
    Context::new(Anywhere(&[PAYMENT_MEANS]), &[presence::PAYMENT_MEANS]),
    Context::new(
        Path(&[INVOICE, TRADE, SETTLEMENT, "InvoiceReferencedDocument"]),
        &[presence::PRECEDING_INVOICE],
    ),
    Context::new(Anywhere(&["SellerTradeParty"]), &[presence::SELLER]),
    Context::new(
        Anywhere(&["SellerTaxRepresentativeTradeParty"]),
        &[presence::REPRESENTATIVE],
    ),
    Context::new(Anywhere(&[SUMMATION, "TaxTotalAmount"]), &[sums::TAX_TOTAL])
        .when(is_in_invoice_currency),
    Context::new(
        Anywhere(&["SpecifiedTaxRegistration", "ID"]),
        &[codes::VAT_ID],
    )
    .when(is_vat_id),
    vat::breakdown_code(&vat::AE, vat::breakdowns::UNTAXED),
    vat::allowance(&vat::AE, vat::uses::reverse::ALLOWANCE),
    vat::charge(&vat::AE, vat::uses::reverse::CHARGE),
    vat::line(&vat::AE, vat::uses::reverse::LINE),
    vat::breakdown(&vat::L, vat::breakdowns::ISLANDS),
    vat::line(&vat::L, vat::uses::standard::LINE),
    vat::allowance(&vat::L, vat::uses::standard::ALLOWANCE),
    vat::charge(&vat::L, vat::uses::standard::CHARGE),
    vat::breakdown(&vat::M, vat::breakdowns::ISLANDS),
    vat::line(&vat::M, vat::uses::ipsi::LINE),
    vat::allowance(&vat::M, vat::uses::ipsi::ALLOWANCE),
    vat::charge(&vat::M, vat::uses::ipsi::CHARGE),
    vat::breakdown_code(&vat::E, vat::breakdowns::UNTAXED),
    vat::allowance(&vat::E, vat::uses::zero::ALLOWANCE),
    vat::charge(&vat::E, vat::uses::zero::CHARGE),
    vat::line(&vat::E, vat::uses::zero::LINE),
    vat::breakdown_code(&vat::G, vat::breakdowns::UNTAXED),
    vat::allowance(&vat::G, vat::uses::export::ALLOWANCE),
    vat::charge(&vat::G, vat::uses::export::CHARGE),
    vat::line(&vat::G, vat::uses::export::LINE),
    vat::breakdown_code(&vat::K, vat::breakdowns::SUPPLY),
    vat::allowance(&vat::K, vat::uses::supply::ALLOWANCE),
    vat::charge(&vat::K, vat::uses::supply::CHARGE),
    vat::line(&vat::K, vat::uses::supply::LINE),
    vat::breakdown(&vat::O, vat::breakdowns::OUTSIDE),
    vat::allowance(&vat::O, vat::uses::outside::ALLOWANCE),
    vat::charge(&vat::O, vat::uses::outside::CHARGE),
    vat::line(&vat::O, vat::uses::outside::LINE),
    vat::breakdown_code_of_any_tax(&vat::S, vat::breakdowns::STANDARD),
    vat::line(&vat::S, vat::uses::standard::LINE),
    vat::allowance(&vat::S, vat::uses::standard::ALLOWANCE),
    vat::charge(&vat::S, vat::uses::standard::CHARGE),
    vat::breakdown_code_of_any_tax(&vat::Z, vat::breakdowns::ZERO),
    vat::allowance(&vat::Z, vat::uses::zero::ALLOWANCE),
    vat::charge(&vat::Z, vat::uses::zero::CHARGE),
    vat::line(&vat::Z, vat::uses::zero::LINE),
    // Breakdowns of the categories L, M and O were taken above: these rules are not judged on them.
    Context::new(
        Anywhere(&[SETTLEMENT, "ApplicableTradeTax"]),
        &[presence::BREAKDOWN, sums::BREAKDOWN, decimals::BREAKDOWN],
    ),
];

fn is_transfer(subject: &Subject<'_>) -> Result<bool, Abort> {
    let means = subject.node.up();
    Ok(means
        .is_some_and(|means| means.has_text("TypeCode", "30") || means.has_text("TypeCode", "58")))
}

/// Exactly this text, where rules of VAT take every form of a boolean.
fn is_false(subject: &Subject<'_>) -> Result<bool, Abort> {
    Ok(subject.node.has_text("udt:Indicator", "false"))
}

fn is_true(subject: &Subject<'_>) -> Result<bool, Abort> {
    Ok(subject.node.has_text("udt:Indicator", "true"))
}

fn is_in_invoice_currency(subject: &Subject<'_>) -> Result<bool, Abort> {
    let currencies = subject.node.root().texts(sums::INVOICE_CURRENCY);
    Ok(subject.node.is_in_currency(&currencies))
}

fn is_vat_id(subject: &Subject<'_>) -> Result<bool, Abort> {
    Ok(subject.node.attribute("schemeID") == Some("VA"))
}
