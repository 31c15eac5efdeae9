//! The rules of the extension of XRechnung: wider code lists instead of those of EN 16931.

use super::{Condition, is_extension};
use crate::codes::{CodeList, EAS, ISO_6523};
use crate::context::{Context, Pattern, Place};
use crate::en16931::{is_party_scheme, is_registration_scheme};
use crate::node::Node;
use crate::rule::{Rule, Subject, Test, fatal};
use crate::table::{Table, rules};
use crate::values::normalize;

const LINE_DOCUMENT: &[&str] = &[
    "rsm:CrossIndustryInvoice",
    "rsm:SupplyChainTradeTransaction",
    "IncludedSupplyChainTradeLineItem",
    "AssociatedDocumentLineDocument",
];

pub(super) const CONTEXTS: Pattern = &[
    Context::new(Place::Path(LINE_DOCUMENT), &[SUB_LINES]).when(is_extension),
    Context::new(
        Place::Anywhere(&["GlobalID"]),
        &[Table::Made(&[icd("BR-DEX-04", "BT-29-1 BT-46-1 BT-60-1")])],
    )
    .when(is_party_id),
    Context::new(
        Place::Anywhere(&["ID"]),
        &[Table::Made(&[icd("BR-DEX-05", "BT-30-1 BT-47-1 BT-61-1")])],
    )
    .when(is_registration),
    Context::new(
        Place::Anywhere(&["SpecifiedTradeProduct", "GlobalID"]),
        &[Table::Made(&[icd("BR-DEX-06", "BT-157-1")])],
    )
    .when(has_scheme),
    Context::new(
        Place::Anywhere(&["URIUniversalCommunication", "URIID"]),
        &[ADDRESS],
    )
    .when(has_scheme),
    Context::new(
        Place::Anywhere(&[
            "ApplicableHeaderTradeDelivery",
            "ShipToTradeParty",
            "GlobalID",
        ]),
        &[Table::Made(&[icd("BR-DEX-08", "BT-71-1")])],
    )
    .when(has_scheme),
    Context::new(Place::Anywhere(&["AttachmentBinaryObject"]), &[ATTACHMENT]).when(is_extension),
];

const SUB_LINES: Table = rules! {
    warning "BR-DEX-15" "BG-25", Is(no_sub_lines)
        => "The invoice seems to have lines inside lines, which XRechnung does not support in CII."
        | "Die Rechnung hat offenbar Positionen in Positionen, was XRechnung in CII nicht unterstützt.";
};

/// The scheme is in the list ISO 6523 ICD, as far as the extension takes it.
const fn icd(id: &'static str, terms: &'static str) -> Rule {
    fatal(id, terms, Test::Is(scheme_is_known)).says(
        "The scheme is not in the code list ISO 6523 ICD, nor XR01, XR02 or XR03.",
        "Das Schema steht nicht in der Codeliste ISO 6523 ICD und ist nicht XR01, XR02 oder XR03.",
    )
}

const ADDRESS: Table = rules! {
    fatal "BR-DEX-07" "BT-34-1 BT-49-1", Is(address_scheme_is_known)
        => "The scheme is not in the code list CEF EAS, nor XR01, XR02 or XR03."
        | "Das Schema steht nicht in der Codeliste CEF EAS und ist nicht XR01, XR02 oder XR03.";
};

const ATTACHMENT: Table = rules! {
    fatal "BR-DEX-01" "BT-125-1", Is(known_mime_type)
        => "The MIME type of {BT-125} is not allowed."
        | "Der MIME-Typ von {BT-125} ist nicht erlaubt.";
};

fn no_sub_lines(subject: &Subject<'_>) -> Condition {
    Ok(!subject.facts.has_parent_line)
}

fn has_scheme(subject: &Subject<'_>) -> Condition {
    Ok(subject.node.attribute("schemeID").is_some() && is_extension(subject)?)
}

fn is_party_id(subject: &Subject<'_>) -> Condition {
    Ok(is_party_scheme(subject)? && is_extension(subject)?)
}

fn is_registration(subject: &Subject<'_>) -> Condition {
    Ok(is_registration_scheme(subject)? && is_extension(subject)?)
}

/// Whether the scheme is in a list with the codes of the extension and without some newer codes. An empty scheme
/// passes, as in the official artefact.
fn is_in(node: Node<'_>, list: &CodeList, newer: &[&str]) -> bool {
    let scheme = normalize(node.attribute("schemeID").unwrap_or_default());
    let scheme = scheme.as_str();
    matches!(scheme, "" | "XR01" | "XR02" | "XR03")
        || (list.contains_exactly(scheme) && !newer.contains(&scheme))
}

fn scheme_is_known(subject: &Subject<'_>) -> Condition {
    Ok(is_in(
        subject.node,
        &ISO_6523,
        &["0244", "0245", "0246", "0247", "0248"],
    ))
}

fn address_scheme_is_known(subject: &Subject<'_>) -> Condition {
    Ok(is_in(subject.node, &EAS, &["0242", "0245", "0246", "0248"]))
}

fn known_mime_type(subject: &Subject<'_>) -> Condition {
    const TYPES: [&str; 7] = [
        "application/pdf",
        "image/png",
        "image/jpeg",
        "text/csv",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.oasis.opendocument.spreadsheet",
        "application/xml",
    ];
    Ok(subject
        .node
        .attribute("mimeCode")
        .is_some_and(|code| TYPES.contains(&code)))
}
