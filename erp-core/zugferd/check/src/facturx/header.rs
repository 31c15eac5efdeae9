//! Rules on the document, its dates, notes and references.

use super::document::Document;
use super::rule::Place::{Any, Everything, Path, Root};
use super::rule::{Group, table};
use super::values::Verdict;
use crate::abort::Abort;
use crate::node::Node;
use crate::values::{is_blank, is_date, normalize};

const AGREEMENT: &str = "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement";
const LINE: &str = "IncludedSupplyChainTradeLineItem";

pub(super) static DOCUMENT: &[Group] = table! {
    Root {
        "BR-01" Filled("rsm:ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID");
        "BR-02" Filled("rsm:ExchangedDocument/ID");
        "BR-03" Holds(issue_date);
        "BR-04" Filled("rsm:ExchangedDocument/TypeCode");
        "BR-05" Filled("rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/InvoiceCurrencyCode");
        "BR-06" Filled("rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement/SellerTradeParty/Name");
        "BR-07" Filled("rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement/BuyerTradeParty/Name");
        "BR-08" Holds(|document, _| address(document, "SellerTradeParty/PostalTradeAddress"));
        "BR-09" Holds(|document, _| country(document, "SellerTradeParty/PostalTradeAddress/CountryID"));
        "BR-10" Holds(|document, _| address(document, "BuyerTradeParty/PostalTradeAddress"));
        "BR-11" Holds(|document, _| country(document, "BuyerTradeParty/PostalTradeAddress/CountryID"));
        "BR-16" Holds(|document, _| address(document, LINE));
        "BR-62" Holds(|_, root| endpoint_scheme(root, "SellerTradeParty"));
        "BR-63" Holds(|_, root| endpoint_scheme(root, "BuyerTradeParty"));
    }
    Everything {
        "PEPPOL-EN16931-R008" Holds(not_empty);
    }
    Path("rsm:SupplyChainTradeTransaction") {
        "BR-FX-EN-04" Holds(german_delivery);
    }
    Any("udt:DateTimeString") {
        "CII-DT-097" Holds(|_, date| Ok(date.attribute("format") != Some("102") || is_date(&date.text(), 8)));
        "BR-FXEXT-CII-DT-097a"
            Holds(|_, date| Ok(date.attribute("format") != Some("205") || is_date(&date.text(), 12)));
    }
    Path("rsm:ExchangedDocument/IncludedNote") {
        "BR-FXEXT-01" Holds(note);
    }
    Any("AssociatedDocumentLineDocument/IncludedNote") {
        "BR-FXEXT-02" Holds(note);
    }
};

pub(super) static REFERENCES: &[Group] = table! {
    Any("AdditionalReferencedDocument") {
        "BR-52" Filled("IssuerAssignedID");
    }
    Path("rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/InvoiceReferencedDocument") {
        "BR-55" Filled("IssuerAssignedID");
    }
    Path("rsm:SupplyChainTradeTransaction/IncludedSupplyChainTradeLineItem/SpecifiedLineTradeSettlement") {
        "CII-SR-474" Holds(|_, settlement| few_documents(settlement, "130", None));
    }
    Path(AGREEMENT) {
        "CII-SR-475" Holds(|_, agreement| few_documents(agreement, "916", Some("Name")));
        "CII-SR-476" Holds(|_, agreement| few_documents(agreement, "916", Some("AttachmentBinaryObject")));
    }
};

fn issue_date(_: &Document<'_>, root: Node<'_>) -> Verdict {
    let dates = root.all("rsm:ExchangedDocument/IssueDateTime/udt:DateTimeString");
    Ok(dates
        .iter()
        .any(|date| date.attribute("format") == Some("102") && !date.text().is_empty()))
}

fn address(document: &Document<'_>, path: &str) -> Verdict {
    Ok(document.anywhere(path).next().is_some())
}

fn country(document: &Document<'_>, path: &str) -> Verdict {
    Ok(document
        .anywhere(path)
        .any(|country| !country.text().is_empty()))
}

/// The first electronic address of a party needs a scheme.
fn endpoint_scheme(root: Node<'_>, party: &str) -> Verdict {
    let parties = root.all(&format!("{AGREEMENT}/{party}"));
    let addresses: Vec<_> = parties
        .iter()
        .filter_map(|party| party.all("URIUniversalCommunication").first().copied())
        .collect();
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

fn not_empty(_: &Document<'_>, element: Node<'_>) -> Verdict {
    Ok(element.every_child().next().is_some() || !is_blank(&element.text()))
}

/// An invoice between parties in Germany needs a delivery date or period; one for a down payment does not.
fn german_delivery(document: &Document<'_>, transaction: Node<'_>) -> Verdict {
    let types = document.root.all("rsm:ExchangedDocument/TypeCode");
    let german = |paths: [&str; 2]| {
        let mut countries = paths
            .iter()
            .flat_map(|path| transaction.all(&format!("{path}/PostalTradeAddress/CountryID")));
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
    let period = transaction.has("ApplicableHeaderTradeSettlement/BillingSpecifiedPeriod")
        || lines
            .iter()
            .all(|line| line.has("SpecifiedLineTradeSettlement/BillingSpecifiedPeriod"));
    let deliveries = transaction.all("ApplicableHeaderTradeDelivery");
    let delivery = deliveries
        .iter()
        .any(|delivery| !is_blank(&delivery.text()));
    Ok(dated || (period && delivery))
}

fn note(_: &Document<'_>, note: Node<'_>) -> Verdict {
    Ok(!note.has("SubjectCode") || (note.has("ContentCode") || note.has("Content")))
}

/// At most one referenced document of a type, or one element inside them.
fn few_documents(from: Node<'_>, code: &str, inner: Option<&str>) -> Verdict {
    let mut count = 0;
    for document in from.all("AdditionalReferencedDocument") {
        if document.words("TypeCode")? == code {
            count += inner.map_or(1, |name| document.all(name).len());
        }
    }
    Ok(count <= 1)
}
