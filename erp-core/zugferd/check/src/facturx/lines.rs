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
    Ok(ids.is_empty() || ids.iter().any(|id| id.has_value("schemeID")))
}

fn classification_list(_: &Document<'_>, line: Node<'_>) -> Holds {
    let codes = line.all("SpecifiedTradeProduct/DesignatedProductClassification/ClassCode");
    let has_list = codes.iter().any(|code| code.has_value("listID"));
    Ok(has_list || !line.has("SpecifiedTradeProduct/DesignatedProductClassification"))
}
