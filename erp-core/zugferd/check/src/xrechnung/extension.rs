//! The rules of the extension of XRechnung: wider code lists instead of those of EN 16931.

use crate::codes;
use crate::en16931::{is_party_scheme, is_registration_scheme};
use crate::engine::{Functions, Holds, Subject, functions};
use crate::invoice::node::Node;
use crate::invoice::values::normalize;

pub(super) static FUNCTIONS: Functions = functions! {
    Is:
        known_mime_type,
        no_sub_lines = |subject| Ok(!subject.facts.has_parent_line),
        has_scheme = |subject| Ok(subject.node.attribute("schemeID").is_some() && subject.facts.is_extension),
        is_party_id = |subject| Ok(is_party_scheme(subject)? && subject.facts.is_extension),
        is_registration = |subject| Ok(is_registration_scheme(subject)? && subject.facts.is_extension),
        scheme_is_known = |subject| Ok(is_in(subject.node, "icd", &NEWER_SCHEMES)),
        address_scheme_is_known = |subject| Ok(is_in(subject.node, "eas", &["0242", "0245", "0246", "0248"]));
};

/// Whether the scheme is in a list with the codes of the extension and without some newer codes. An empty scheme
/// passes, as in the official artefact.
pub(super) fn is_in(node: Node<'_>, list: &str, newer: &[&str]) -> bool {
    let scheme = normalize(node.attribute("schemeID").unwrap_or_default());
    let scheme = scheme.as_str();
    matches!(scheme, "" | "XR01" | "XR02" | "XR03")
        || (codes::has(list, scheme) && !newer.contains(&scheme))
}

/// Codes of the list that the extension does not know yet.
pub(super) const NEWER_SCHEMES: [&str; 5] = ["0244", "0245", "0246", "0247", "0248"];

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
    let code = subject.node.attribute("mimeCode");
    Ok(code.is_some_and(|code| TYPES.contains(&code)))
}
