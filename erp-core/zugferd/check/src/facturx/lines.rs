//! Rules on lines, periods, and the number of elements in allowances and charges.

use std::cmp::Ordering;

use super::values::any_to_zero;
use crate::engine::rule::Holds;
use crate::engine::table::{Functions, functions};
use crate::invoice::document::Document;
use crate::invoice::node::Node;

pub(super) static FUNCTIONS: Functions = functions! {
    Of:
        net_price, gross_price, item_scheme, classification_list;
};

fn net_price(_: &Document<'_>, line: Node<'_>) -> Holds {
    let prices = line.all("SpecifiedLineTradeAgreement/NetPriceProductTradePrice/ChargeAmount");
    any_to_zero(&prices, Ordering::is_ge)
}

fn gross_price(_: &Document<'_>, line: Node<'_>) -> Holds {
    let prices = line.all("SpecifiedLineTradeAgreement/GrossPriceProductTradePrice/ChargeAmount");
    Ok(any_to_zero(&prices, Ordering::is_ge)? || prices.is_empty())
}

fn item_scheme(_: &Document<'_>, line: Node<'_>) -> Holds {
    let ids = line.all("SpecifiedTradeProduct/GlobalID");
    let scheme = |id: &Node<'_>| {
        id.attribute("schemeID")
            .is_some_and(|scheme| !scheme.is_empty())
    };
    Ok(ids.is_empty() || ids.iter().any(scheme))
}

fn classification_list(_: &Document<'_>, line: Node<'_>) -> Holds {
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
