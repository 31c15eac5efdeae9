//! Rules on the document, its dates, notes and references, on parties, payment, lines and periods.

use std::cmp::Ordering;

use super::codes;
use super::values::{any_to_zero, is_filled};
use crate::en16931::conditions::payee_differs;
use crate::engine::{Functions, Holds, functions};
use crate::invoice::abort::Abort;
use crate::invoice::document::Document;
use crate::invoice::double;
use crate::invoice::node::Node;
use crate::invoice::values::{is_blank, is_date, normalize};

pub(super) static FUNCTIONS: Functions = functions! {
    Of:
        issue_date, german_delivery,
        vat_prefix, representative_vat, delivery_country,
        payment_due, account_text, one_account,
        net_price, gross_price, item_scheme, classification_list,
        seller_address = |document, _| address(document, "SellerTradeParty/PostalTradeAddress"),
        seller_country = |document, _| country(document, "SellerTradeParty/PostalTradeAddress/CountryID"),
        buyer_address = |document, _| address(document, "BuyerTradeParty/PostalTradeAddress"),
        buyer_country = |document, _| country(document, "BuyerTradeParty/PostalTradeAddress/CountryID"),
        any_line = |document, _| address(document, LINE),
        seller_endpoint = |_, root| endpoint_scheme(root, "SellerTradeParty"),
        buyer_endpoint = |_, root| endpoint_scheme(root, "BuyerTradeParty"),
        not_empty = |_, element| Ok(element.every_child().next().is_some() || !is_blank(&element.text())),
        date = |_, date| Ok(date.attribute("format") != Some("102") || is_date(&date.text(), 8)),
        date_and_time = |_, date| Ok(date.attribute("format") != Some("205") || is_date(&date.text(), 12)),
        credit_transfer = |_, means| Ok(matches!(&*means.words("TypeCode")?, "30" | "58")),
        only_vat = |_, id| Ok(id.attribute("schemeID") == Some("VA") || id.is_inside("SellerTradeParty")),
        // A payee must differ from the seller next to it, if there is one.
        payee = |_, payee| payee_differs(payee, "../SellerTradeParty");
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

fn vat_prefix(_: &Document<'_>, id: Node<'_>) -> Holds {
    let prefix: String = id.text().chars().take(2).collect();
    Ok(id.attribute("schemeID") != Some("VA") || codes::contains("vat-prefixes", &prefix))
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

/// A positive amount due needs a due date or payment terms.
fn payment_due(document: &Document<'_>, _: Node<'_>) -> Holds {
    let mut amounts = document.anywhere("DuePayableAmount");
    let amount = amounts.next();
    if amounts.next().is_some() {
        return Err(Abort::several("DuePayableAmount"));
    }
    let due =
        amount.is_some_and(|amount| double::parse(&amount.text()).is_ok_and(|amount| amount > 0.0));
    let mut terms = document.anywhere("SpecifiedTradePaymentTerms");
    Ok(!due || terms.any(|terms| terms.has("DueDateDateTime") || terms.has("Description")))
}

fn account_text(_: &Document<'_>, account: Node<'_>) -> Holds {
    let is_given = |name| account.words(name).map(|text| !text.is_empty());
    match (is_given("IBANID"), is_given("ProprietaryID")) {
        // One of them is enough, whatever the other is.
        (Ok(true), _) | (_, Ok(true)) => Ok(true),
        (iban, other) => Ok(iban? || other?),
    }
}

fn one_account(_: &Document<'_>, means: Node<'_>) -> Holds {
    let has = |name| means.has(&format!("PayeePartyCreditorFinancialAccount/{name}"));
    Ok(has("IBANID") != has("ProprietaryID"))
}

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
