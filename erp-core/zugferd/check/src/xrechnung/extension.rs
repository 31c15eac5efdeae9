//! The rules of the extension of XRechnung: wider code lists instead of those of EN 16931.

use super::is_extension;
use crate::codes::{CodeList, EAS, ISO_6523};
use crate::en16931::{is_party_scheme, is_registration_scheme};
use crate::engine::rule::{Holds, Subject};
use crate::engine::table::{Functions, functions};
use crate::invoice::node::Node;
use crate::invoice::values::normalize;

pub(super) static FUNCTIONS: Functions = functions! {
    Is:
        no_sub_lines, has_scheme, is_party_id, is_registration, scheme_is_known, address_scheme_is_known,
        known_mime_type;
};

fn no_sub_lines(subject: &Subject<'_>) -> Holds {
    Ok(!subject.facts.has_parent_line)
}

fn has_scheme(subject: &Subject<'_>) -> Holds {
    Ok(subject.node.attribute("schemeID").is_some() && is_extension(subject)?)
}

fn is_party_id(subject: &Subject<'_>) -> Holds {
    Ok(is_party_scheme(subject)? && is_extension(subject)?)
}

fn is_registration(subject: &Subject<'_>) -> Holds {
    Ok(is_registration_scheme(subject)? && is_extension(subject)?)
}

/// Whether the scheme is in a list with the codes of the extension and without some newer codes. An empty scheme
/// passes, as in the official artefact.
pub(super) fn is_in(node: Node<'_>, list: &CodeList, newer: &[&str]) -> bool {
    let scheme = normalize(node.attribute("schemeID").unwrap_or_default());
    let scheme = scheme.as_str();
    matches!(scheme, "" | "XR01" | "XR02" | "XR03")
        || (list.contains_exactly(scheme) && !newer.contains(&scheme))
}

/// Codes of the list that the extension does not know yet.
pub(super) const NEWER_SCHEMES: [&str; 5] = ["0244", "0245", "0246", "0247", "0248"];

fn scheme_is_known(subject: &Subject<'_>) -> Holds {
    Ok(is_in(subject.node, &ISO_6523, &NEWER_SCHEMES))
}

fn address_scheme_is_known(subject: &Subject<'_>) -> Holds {
    Ok(is_in(subject.node, &EAS, &["0242", "0245", "0246", "0248"]))
}

fn known_mime_type(subject: &Subject<'_>) -> Holds {
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
