//! The rules for vehicles that the public sector buys or hires (Clean Vehicles Directive).

use super::{Condition, is_of_vehicles};
use crate::codes::CLASSIFICATIONS;
use crate::context::{Context, Pattern, Place};
use crate::node::Node;
use crate::rule::Subject;
use crate::table::{Table, rules};
use crate::values::{is_blank, normalize};

const ROOT: &str = "rsm:CrossIndustryInvoice";
const TRANSACTION: &str = "rsm:SupplyChainTradeTransaction";
const LINE: &str = "IncludedSupplyChainTradeLineItem";
const PRODUCT: &str = "SpecifiedTradeProduct";

pub(super) const CONTEXTS: Pattern = &[
    Context::new(Place::Path(&[ROOT, TRANSACTION]), &[INVOICE]).when(is_of_vehicles),
    Context::new(Place::Path(&[ROOT, TRANSACTION, LINE, PRODUCT]), &[ITEM]).when(is_of_vehicles),
    Context::new(
        Place::Path(&[
            ROOT,
            TRANSACTION,
            LINE,
            PRODUCT,
            "DesignatedProductClassification",
            "ClassCode",
        ]),
        &[CLASSIFICATION],
    )
    .when(is_of_vehicles),
    Context::new(
        Place::Path(&[
            ROOT,
            TRANSACTION,
            LINE,
            PRODUCT,
            "ApplicableProductCharacteristic",
        ]),
        &[ATTRIBUTE],
    )
    .when(is_drive_of_vehicles),
    Context::new(
        Place::Path(&[ROOT, TRANSACTION, "ApplicableHeaderTradeAgreement"]),
        &[REFERENCES],
    )
    .when(is_of_vehicles),
];

const INVOICE: Table = rules! {
    fatal "BR-DE-CVD-03" "BT-158 BT-160", Is(has_vehicle)
        => "No line has a vehicle: {BT-158} with the scheme CVD and {BT-160} `cva`."
        | "Keine Position hat ein Fahrzeug: {BT-158} mit dem Schema CVD und {BT-160} `cva`.";
};

const ITEM: Table = rules! {
    fatal "BR-DE-CVD-06-b" "BT-158 BT-160", Is(drive_has_category)
        => "With {BT-160} `cva` exactly one {BT-158} with the scheme CVD is needed."
        | "Mit {BT-160} `cva` ist genau eine {BT-158} mit dem Schema CVD nötig.";
    fatal "BR-DE-CVD-06-a" "BT-158 BT-160", Is(category_has_drive)
        => "With {BT-158} of the scheme CVD exactly one {BT-160} `cva` is needed."
        | "Mit {BT-158} im Schema CVD ist genau ein {BT-160} `cva` nötig.";
};

const CLASSIFICATION: Table = rules! {
    fatal "BR-TMP-CVD-01" "BT-158-1", Is(known_scheme)
        => "The scheme of {BT-158} is not in the code list UNTDID 7143, nor CVD."
        | "Das Schema von {BT-158} steht nicht in der Codeliste UNTDID 7143 und ist nicht CVD.";
    fatal "BR-DE-CVD-04" "BT-158", Is(known_category)
        => "{term} is not a vehicle category (M1, M2, M3, N1, N2 or N3)."
        | "{term} ist keine Fahrzeugkategorie (M1, M2, M3, N1, N2 oder N3).";
};

const ATTRIBUTE: Table = rules! {
    fatal "BR-DE-CVD-05" "BT-161", Is(known_drive)
        => "{term} must be `clean`, `zero-emission` or `other`."
        | "{term} muss `clean`, `zero-emission` oder `other` sein.";
};

const REFERENCES: Table = rules! {
    fatal "BR-DE-CVD-01" "BT-12", Words("ContractReferencedDocument/IssuerAssignedID");
    fatal "BR-DE-CVD-02" "BT-17", Is(has_tender)
        => "{term} is missing or empty."
        | "{term} fehlt oder ist leer.";
};

fn categories(item: Node<'_>) -> usize {
    let codes = item.all("DesignatedProductClassification/ClassCode");
    codes
        .iter()
        .filter(|code| code.attribute("listID") == Some("CVD"))
        .count()
}

fn is_drive(attribute: Node<'_>) -> bool {
    attribute.has_text("Description", "cva")
}

fn drives(item: Node<'_>) -> usize {
    item.children("ApplicableProductCharacteristic")
        .filter(|attribute| is_drive(*attribute))
        .count()
}

fn is_drive_of_vehicles(subject: &Subject<'_>) -> Condition {
    Ok(is_drive(subject.node) && is_of_vehicles(subject)?)
}

fn has_vehicle(subject: &Subject<'_>) -> Condition {
    let items = subject
        .node
        .all("IncludedSupplyChainTradeLineItem/SpecifiedTradeProduct");
    Ok(items
        .iter()
        .any(|item| categories(*item) > 0 && drives(*item) > 0))
}

fn drive_has_category(subject: &Subject<'_>) -> Condition {
    Ok(drives(subject.node) == 0 || categories(subject.node) == 1)
}

fn category_has_drive(subject: &Subject<'_>) -> Condition {
    Ok(categories(subject.node) == 0 || drives(subject.node) == 1)
}

fn scheme(code: Node<'_>) -> String {
    normalize(code.attribute("listID").unwrap_or_default())
}

/// A missing scheme passes, as in the official artefact.
fn known_scheme(subject: &Subject<'_>) -> Condition {
    let scheme = scheme(subject.node);
    Ok(matches!(scheme.as_str(), "" | "CVD") || CLASSIFICATIONS.contains_exactly(&scheme))
}

fn known_category(subject: &Subject<'_>) -> Condition {
    let category = normalize(&subject.node.text());
    let is_known = matches!(category.as_str(), "M1" | "M2" | "M3" | "N1" | "N2" | "N3");
    Ok(is_known || scheme(subject.node) != "CVD")
}

fn known_drive(subject: &Subject<'_>) -> Condition {
    Ok(matches!(
        subject.node.words("Value")?.as_str(),
        "clean" | "zero-emission" | "other"
    ))
}

fn has_tender(subject: &Subject<'_>) -> Condition {
    for document in subject.node.all("AdditionalReferencedDocument") {
        if document.words("TypeCode")? == "50"
            && !is_blank(&document.only_text("IssuerAssignedID")?)
        {
            return Ok(true);
        }
    }
    Ok(false)
}
