//! Rules on the document, its dates, notes and references.

use crate::engine::rule::Holds;
use crate::engine::table::{Functions, functions};
use crate::invoice::abort::Abort;
use crate::invoice::document::Document;
use crate::invoice::node::Node;
use crate::invoice::values::{is_blank, is_date, normalize};

pub(super) static FUNCTIONS: Functions = functions! {
    Of:
        issue_date, german_delivery,
        seller_address = |document, _| address(document, "SellerTradeParty/PostalTradeAddress"),
        seller_country = |document, _| country(document, "SellerTradeParty/PostalTradeAddress/CountryID"),
        buyer_address = |document, _| address(document, "BuyerTradeParty/PostalTradeAddress"),
        buyer_country = |document, _| country(document, "BuyerTradeParty/PostalTradeAddress/CountryID"),
        any_line = |document, _| address(document, LINE),
        seller_endpoint = |_, root| endpoint_scheme(root, "SellerTradeParty"),
        buyer_endpoint = |_, root| endpoint_scheme(root, "BuyerTradeParty"),
        not_empty = |_, element| Ok(element.every_child().next().is_some() || !is_blank(&element.text())),
        date = |_, date| Ok(date.attribute("format") != Some("102") || is_date(&date.text(), 8)),
        date_and_time = |_, date| Ok(date.attribute("format") != Some("205") || is_date(&date.text(), 12));
};

const AGREEMENT: &str = "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement";
const LINE: &str = "IncludedSupplyChainTradeLineItem";

fn issue_date(_: &Document<'_>, root: Node<'_>) -> Holds {
    let dates = root.all("rsm:ExchangedDocument/IssueDateTime/udt:DateTimeString");
    let is_given =
        |date: &Node<'_>| date.attribute("format") == Some("102") && !date.text().is_empty();
    Ok(dates.iter().any(is_given))
}

fn address(document: &Document<'_>, path: &str) -> Holds {
    Ok(document.anywhere(path).next().is_some())
}

fn country(document: &Document<'_>, path: &str) -> Holds {
    let mut countries = document.anywhere(path);
    Ok(countries.any(|country| !country.text().is_empty()))
}

/// The first electronic address of a party needs a scheme.
fn endpoint_scheme(root: Node<'_>, party: &str) -> Holds {
    let parties = root.all(&format!("{AGREEMENT}/{party}"));
    let addresses = parties
        .iter()
        .filter_map(|party| party.first("URIUniversalCommunication"));
    let addresses: Vec<_> = addresses.collect();
    let ids = addresses.iter().flat_map(|address| address.all("URIID"));
    let mut schemes = ids.filter_map(|id| id.attribute("schemeID"));
    match (schemes.next(), schemes.next()) {
        (_, Some(_)) => Err(Abort::several("URIUniversalCommunication/URIID/@schemeID")),
        (scheme, None) => {
            let filled = scheme.is_some_and(|scheme| !is_blank(scheme));
            Ok(filled || addresses.is_empty())
        }
    }
}

/// An invoice between parties in Germany needs a delivery date or period; one for a down payment does not.
fn german_delivery(document: &Document<'_>, transaction: Node<'_>) -> Holds {
    let types = document.root.all("rsm:ExchangedDocument/TypeCode");
    let german = |paths: [&str; 2]| {
        let country = |path| transaction.all(&format!("{path}/PostalTradeAddress/CountryID"));
        let mut countries = paths.into_iter().flat_map(country);
        countries.any(|country| normalize(&country.text()).eq_ignore_ascii_case("DE"))
    };
    let applies = types.iter().any(|code| code.text() != "386")
        && german([
            "ApplicableHeaderTradeAgreement/SellerTradeParty",
            "ApplicableHeaderTradeSettlement/InvoicerTradeParty",
        ])
        && german([
            "ApplicableHeaderTradeAgreement/BuyerTradeParty",
            "ApplicableHeaderTradeSettlement/InvoiceeTradeParty",
        ]);
    if !applies {
        return Ok(true);
    }
    let dated = transaction
        .has("ApplicableHeaderTradeDelivery/ActualDeliverySupplyChainEvent/OccurrenceDateTime");
    let lines = transaction.all(LINE);
    let has_period =
        |line: &Node<'_>| line.has("SpecifiedLineTradeSettlement/BillingSpecifiedPeriod");
    let period = transaction.has("ApplicableHeaderTradeSettlement/BillingSpecifiedPeriod")
        || lines.iter().all(has_period);
    let mut deliveries = transaction.children("ApplicableHeaderTradeDelivery");
    let delivery = deliveries.any(|delivery| !is_blank(&delivery.text()));
    Ok(dated || (period && delivery))
}
