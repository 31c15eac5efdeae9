//! The pattern of code lists, and the prefix of VAT identifiers.

use crate::codes;
use crate::engine::rule::{Holds, Subject, Values, Verdict};
use crate::engine::table::{Functions, functions};
use crate::invoice::abort::shorten;

pub(super) static FUNCTIONS: Functions = functions! {
    Is:
        is_party_scheme, is_registration_scheme, mime_code_is_known, vat_id_has_country,
        is_of_allowance = |subject| subject.node.up().map_or(Ok(false), |item| item.indicates(false)),
        is_of_charge = |subject| subject.node.up().map_or(Ok(false), |item| item.indicates(true));
    Judge:
        exemption_is_known;
};

pub(crate) fn is_party_scheme(subject: &Subject<'_>) -> Holds {
    let node = subject.node;
    let elsewhere = ["SpecifiedTradeProduct", "ShipToTradeParty"];
    let is_elsewhere = elsewhere.iter().any(|name| node.is_inside(name));
    Ok(node.attribute("schemeID").is_some() && !is_elsewhere)
}

pub(crate) fn is_registration_scheme(subject: &Subject<'_>) -> Holds {
    let node = subject.node;
    Ok(node.attribute("schemeID").is_some() && !node.is_inside("SpecifiedTaxRegistration"))
}

/// The only code list whose codes may be in lower case.
fn exemption_is_known(subject: &Subject<'_>) -> Verdict {
    let code = subject.node.text();
    let is_known =
        codes::list("exemptions").is_some_and(|list| list.contains(&code.to_ascii_uppercase()));
    Ok((!is_known).then(|| Values::found(shorten(&code))))
}

/// The text must be the code without white space around it.
fn mime_code_is_known(subject: &Subject<'_>) -> Holds {
    let code = subject.node.attribute("mimeCode").unwrap_or_default();
    Ok(codes::has("mime", code))
}

/// The first two characters, as they are; Greece may write `EL`.
fn vat_id_has_country(subject: &Subject<'_>) -> Holds {
    let id = subject.node.text();
    let country: String = id.chars().take(2).collect();
    Ok(country == "EL" || codes::has("countries", &country))
}
