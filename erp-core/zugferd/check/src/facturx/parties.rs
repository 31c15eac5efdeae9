//! Rules on the parties.

use super::codes;
use super::values::is_filled;
use crate::engine::rule::Holds;
use crate::engine::table::{Functions, functions};
use crate::invoice::document::Document;
use crate::invoice::node::Node;

pub(super) static FUNCTIONS: Functions = functions! {
    Of:
        vat_prefix, only_vat, payee, representative_vat, delivery_country;
};

fn vat_prefix(_: &Document<'_>, id: Node<'_>) -> Holds {
    let prefix: String = id.text().chars().take(2).collect();
    Ok(id.attribute("schemeID") != Some("VA") || codes::contains("vat-prefixes", &prefix))
}

fn only_vat(_: &Document<'_>, id: Node<'_>) -> Holds {
    let mut around = std::iter::successors(id.up(), |element| element.up());
    Ok(id.attribute("schemeID") == Some("VA")
        || around.any(|element| element.is("SellerTradeParty")))
}

/// A payee must differ from the seller next to it, if there is one.
fn payee(_: &Document<'_>, payee: Node<'_>) -> Holds {
    let sellers = payee.all("../SellerTradeParty");
    let same = |path| {
        let own = payee.texts(path);
        let mut others = sellers.iter().flat_map(|seller| seller.all(path));
        others.any(|other| own.contains(&other.text()))
    };
    Ok(payee.has("Name") && !same("Name") && !same("ID") && !same("SpecifiedLegalOrganization/ID"))
}

fn representative_vat(_: &Document<'_>, party: Node<'_>) -> Holds {
    let ids = party.all("SpecifiedTaxRegistration/ID");
    let is_given = |id: &Node<'_>| id.attribute("schemeID") == Some("VA") && !id.text().is_empty();
    Ok(ids.iter().any(is_given))
}

fn delivery_country(_: &Document<'_>, delivery: Node<'_>) -> Holds {
    Ok(!delivery.has("ShipToTradeParty/PostalTradeAddress")
        || is_filled(delivery, "ShipToTradeParty/PostalTradeAddress/CountryID"))
}
