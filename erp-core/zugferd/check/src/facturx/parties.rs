//! Rules on the parties.

use super::codes;
use super::document::{Document, has_scheme};
use super::rule::Place::{Any, Path};
use super::rule::{Group, table};
use super::values::{Verdict, is_filled};
use crate::node::Node;

const AGREEMENT: &str = "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement";

pub(super) static PARTIES: &[Group] = table! {
    Any("SellerTradeParty") {
        "BR-CO-26" Holds(identified);
    }
    Any("SpecifiedTaxRegistration/ID") {
        "BR-CO-09" Holds(vat_prefix);
        "BR-FXEXT-03" Holds(only_vat);
    }
    Any("PayeeTradeParty") {
        "BR-17" Holds(payee);
    }
    Any("SellerTaxRepresentativeTradeParty") {
        "BR-18" Visible("Name");
        "BR-19" Present("PostalTradeAddress");
        "BR-20" Visible("PostalTradeAddress/CountryID");
        "BR-56" Holds(representative_vat);
    }
    Path("rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeDelivery") {
        "BR-57" Holds(delivery_country);
    }
    Path(AGREEMENT) {
        "CII-SR-465" Holds(|_, agreement| one_contact(agreement, "SellerTradeParty"));
        "CII-SR-466" Holds(|_, agreement| one_contact(agreement, "BuyerTradeParty"));
    }
};

fn identified(_: &Document<'_>, seller: Node<'_>) -> Verdict {
    Ok(
        (seller.has("ID") || seller.has("GlobalID") || seller.has("SpecifiedLegalOrganization/ID"))
            || has_scheme(seller, "SpecifiedTaxRegistration/ID", "VA"),
    )
}

fn vat_prefix(_: &Document<'_>, id: Node<'_>) -> Verdict {
    let text = id.text();
    let prefix = text
        .char_indices()
        .nth(2)
        .map_or(&*text, |(end, _)| text.get(..end).unwrap_or(""));
    Ok(id.attribute("schemeID") != Some("VA") || codes::contains("vat-prefixes", prefix))
}

fn only_vat(_: &Document<'_>, id: Node<'_>) -> Verdict {
    let mut around = std::iter::successors(id.up(), |element| element.up());
    Ok(id.attribute("schemeID") == Some("VA")
        || around.any(|element| element.is("SellerTradeParty")))
}

/// A payee must differ from the seller that is beside it, if there is one.
fn payee(_: &Document<'_>, payee: Node<'_>) -> Verdict {
    let sellers = payee
        .up()
        .map(|parent| parent.all("SellerTradeParty"))
        .unwrap_or_default();
    let same = |path| {
        let own = payee.texts(path);
        let mut others = sellers.iter().flat_map(|seller| seller.all(path));
        others.any(|other| own.contains(&other.text()))
    };
    Ok(payee.has("Name") && !same("Name") && !same("ID") && !same("SpecifiedLegalOrganization/ID"))
}

fn representative_vat(_: &Document<'_>, party: Node<'_>) -> Verdict {
    let ids = party.all("SpecifiedTaxRegistration/ID");
    Ok(ids
        .iter()
        .any(|id| id.attribute("schemeID") == Some("VA") && !id.text().is_empty()))
}

fn delivery_country(_: &Document<'_>, delivery: Node<'_>) -> Verdict {
    Ok(!delivery.has("ShipToTradeParty/PostalTradeAddress")
        || is_filled(delivery, "ShipToTradeParty/PostalTradeAddress/CountryID"))
}

fn one_contact(agreement: Node<'_>, party: &str) -> Verdict {
    let has = |name| agreement.has(&format!("{party}/DefinedTradeContact/{name}"));
    Ok(!(has("PersonName") && has("DepartmentName")))
}
