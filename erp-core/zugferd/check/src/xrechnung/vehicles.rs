//! The rules for vehicles that the public sector buys or hires (Clean Vehicles Directive).

use super::is_of_vehicles;
use crate::codes;
use crate::engine::rule::{Holds, Subject};
use crate::engine::table::{Functions, functions};
use crate::invoice::node::Node;
use crate::invoice::values::{is_blank, normalize};

pub(super) static FUNCTIONS: Functions = functions! {
    Is:
        has_vehicle, known_scheme, known_category, known_drive, has_tender,
        is_drive_of_vehicles = |subject| Ok(is_drive(subject.node) && is_of_vehicles(subject)?),
        drive_has_category = |subject| Ok(drives(subject.node) == 0 || categories(subject.node) == 1),
        category_has_drive = |subject| Ok(categories(subject.node) == 0 || drives(subject.node) == 1);
};

fn categories(item: Node<'_>) -> usize {
    let codes = item.all(item.syntax().class_code);
    codes
        .iter()
        .filter(|code| code.attribute("listID") == Some("CVD"))
        .count()
}

fn is_drive(attribute: Node<'_>) -> bool {
    attribute.has_text(attribute.syntax().attribute_name, "cva")
}

fn drives(item: Node<'_>) -> usize {
    item.children(item.syntax().attributes)
        .filter(|attribute| is_drive(*attribute))
        .count()
}

fn has_vehicle(subject: &Subject<'_>) -> Holds {
    let items = subject.node.all(subject.node.syntax().items);
    Ok(items
        .iter()
        .any(|item| categories(*item) > 0 && drives(*item) > 0))
}

fn scheme(code: Node<'_>) -> String {
    normalize(code.attribute("listID").unwrap_or_default())
}

/// A missing scheme passes, as in the official artefact.
fn known_scheme(subject: &Subject<'_>) -> Holds {
    let scheme = scheme(subject.node);
    Ok(matches!(scheme.as_str(), "" | "CVD") || codes::has("classifications", &scheme))
}

fn known_category(subject: &Subject<'_>) -> Holds {
    let category = normalize(&subject.node.text());
    let is_known = matches!(category.as_str(), "M1" | "M2" | "M3" | "N1" | "N2" | "N3");
    Ok(is_known || scheme(subject.node) != "CVD")
}

fn known_drive(subject: &Subject<'_>) -> Holds {
    Ok(matches!(
        subject
            .node
            .words(subject.node.syntax().attribute_value)?
            .as_str(),
        "clean" | "zero-emission" | "other"
    ))
}

fn has_tender(subject: &Subject<'_>) -> Holds {
    for document in subject.node.all("AdditionalReferencedDocument") {
        if document.words("TypeCode")? == "50"
            && !is_blank(&document.only_text("IssuerAssignedID")?)
        {
            return Ok(true);
        }
    }
    Ok(false)
}
