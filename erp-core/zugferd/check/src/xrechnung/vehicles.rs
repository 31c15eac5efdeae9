//! The rules for vehicles that the public sector buys or hires (Clean Vehicles Directive).

use crate::codes;
use crate::engine::{Functions, Holds, Subject, functions};
use crate::invoice::node::Node;
use crate::invoice::values::{any, normalize};

pub(super) static FUNCTIONS: Functions = functions! {
    Is:
        has_vehicle, known_scheme, known_category, known_drive, has_tender,
        is_drive_of_vehicles = |subject| Ok(is_drive(subject.node) && subject.facts.is_of_vehicles),
        drive_has_category = |subject| Ok(drives(subject.node) == 0 || categories(subject.node) == 1),
        category_has_drive = |subject| Ok(categories(subject.node) == 0 || drives(subject.node) == 1);
};

fn categories(item: Node<'_>) -> usize {
    let mut codes = item.all(item.syntax().class_code);
    codes.retain(|code| code.attribute("listID") == Some("CVD"));
    codes.len()
}

fn is_drive(attribute: Node<'_>) -> bool {
    attribute.has_text(attribute.syntax().attribute_name, "cva")
}

fn drives(item: Node<'_>) -> usize {
    let attributes = item.children(item.syntax().attributes);
    attributes.filter(|it| is_drive(*it)).count()
}

fn has_vehicle(subject: &Subject<'_>) -> Holds {
    let path = subject.node.syntax().items;
    let is_vehicle = |item: Node<'_>| categories(item) > 0 && drives(item) > 0;
    Ok(subject.node.all(path).into_iter().any(is_vehicle))
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
    let drive = subject.node.words(subject.node.syntax().attribute_value)?;
    Ok(["clean", "zero-emission", "other"].contains(&drive.as_str()))
}

fn has_tender(subject: &Subject<'_>) -> Holds {
    any(subject.node.all("AdditionalReferencedDocument"), |it| {
        Ok(it.words("TypeCode")? == "50" && it.is_filled("IssuerAssignedID")?)
    })
}
