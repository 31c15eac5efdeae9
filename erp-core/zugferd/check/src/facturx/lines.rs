//! Rules on lines, periods, and the number of elements in allowances and charges.

use std::cmp::Ordering;

use super::document::Document;
use super::rule::Place::Any;
use super::rule::{Group, table};
use super::values::{Verdict, any_to_zero};
use crate::node::Node;

const LINE: &str = "IncludedSupplyChainTradeLineItem";

pub(super) static LINES: &[Group] = table! {
    Any(LINE) {
        "BR-21" Filled("AssociatedDocumentLineDocument/LineID");
        "BR-22" Present("SpecifiedLineTradeDelivery/BilledQuantity");
        "BR-23" Holds(|_, line| Ok(has_unit(line)));
        "BR-24" Present("SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount");
        "BR-25" Filled("SpecifiedTradeProduct/Name");
        "BR-26" Present("SpecifiedLineTradeAgreement/NetPriceProductTradePrice/ChargeAmount");
        "BR-27" Holds(net_price);
        "BR-28" Holds(gross_price);
        "BR-64" Holds(item_scheme);
        "BR-65" Holds(classification_list);
        "BR-CO-04" Holds(|_, line| line.has_vat_category("SpecifiedLineTradeSettlement/ApplicableTradeTax"));
        "BR-DEC-23"
            Decimals("SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount");
    }
    Any("ApplicableProductCharacteristic") {
        "BR-54" Holds(|_, item| Ok(item.has("Description") && item.has("Value")));
    }
    Any("ApplicableHeaderTradeSettlement/BillingSpecifiedPeriod") {
        "BR-29" Holds(period);
        "BR-CO-19" Present("StartDateTime|EndDateTime");
    }
    Any("SpecifiedLineTradeSettlement/BillingSpecifiedPeriod") {
        "BR-30" Holds(period);
        "BR-CO-20" Present("StartDateTime|EndDateTime");
    }
    Any("SpecifiedTradeAllowanceCharge") {
        "CII-SR-463" Present("ChargeIndicator");
        "CII-SR-471" AtMostOne("CategoryTradeTax");
        "CII-SR-472" AtMostOne("RateApplicablePercent");
        "CII-SR-473" AtMostOne("ActualAmount");
    }
};

/// Whether the quantity of a line has a unit.
pub(super) fn has_unit(line: Node<'_>) -> bool {
    let quantities = line.all("SpecifiedLineTradeDelivery/BilledQuantity");
    quantities
        .iter()
        .any(|quantity| quantity.attribute("unitCode").is_some())
}

fn net_price(_: &Document<'_>, line: Node<'_>) -> Verdict {
    let prices = line.all("SpecifiedLineTradeAgreement/NetPriceProductTradePrice/ChargeAmount");
    any_to_zero(&prices, Ordering::is_ge)
}

fn gross_price(_: &Document<'_>, line: Node<'_>) -> Verdict {
    let prices = line.all("SpecifiedLineTradeAgreement/GrossPriceProductTradePrice/ChargeAmount");
    Ok(any_to_zero(&prices, Ordering::is_ge)? || prices.is_empty())
}

fn item_scheme(_: &Document<'_>, line: Node<'_>) -> Verdict {
    let ids = line.all("SpecifiedTradeProduct/GlobalID");
    let scheme = |id: &Node<'_>| {
        id.attribute("schemeID")
            .is_some_and(|scheme| !scheme.is_empty())
    };
    Ok(ids.is_empty() || ids.iter().any(scheme))
}

fn classification_list(_: &Document<'_>, line: Node<'_>) -> Verdict {
    let codes = line.all("SpecifiedTradeProduct/DesignatedProductClassification/ClassCode");
    let list = |code: &Node<'_>| {
        code.attribute("listID")
            .is_some_and(|list| !list.is_empty())
    };
    Ok(
        codes.iter().any(list)
            || !line.has("SpecifiedTradeProduct/DesignatedProductClassification"),
    )
}

fn period(_: &Document<'_>, period: Node<'_>) -> Verdict {
    Ok(period.is_period_in_order())
}
