//! The payee, who has one name, identifier and registration, and another name than the seller.

use crate::engine::rule::{Holds, Subject};
use crate::engine::table::{Functions, functions};
use crate::invoice::node::Node;

pub(super) static FUNCTIONS: Functions = functions! {
    Is:
        payee_has_one_name, payee_has_one_id, payee_has_one_registration;
};

/// Whether a name of the payee is not a registered name of the seller; without one of them it is not.
fn differs(payee: Node<'_>) -> bool {
    let names = payee.texts("cac:PartyName/cbc:Name");
    let path = "../cac:AccountingSupplierParty/cac:Party/cac:PartyLegalEntity/cbc:RegistrationName";
    let sellers = payee.texts(path);
    let differs = |name| sellers.iter().any(|seller| seller != name);
    names.iter().any(differs)
}

fn payee_has_one_name(subject: &Subject<'_>) -> Holds {
    let payee = subject.node;
    Ok(payee.count("cac:PartyName/cbc:Name") <= 1 && differs(payee))
}

/// Identifiers of creditors (scheme SEPA) and those without a scheme do not count.
fn payee_has_one_id(subject: &Subject<'_>) -> Holds {
    let payee = subject.node;
    let ids = payee.all("cac:PartyIdentification/cbc:ID/@schemeID");
    let schemes = ids.iter().filter_map(|id| id.attribute("schemeID"));
    let others = schemes.filter(|scheme| !scheme.eq_ignore_ascii_case("SEPA"));
    Ok(others.count() <= 1 && differs(payee))
}

fn payee_has_one_registration(subject: &Subject<'_>) -> Holds {
    let payee = subject.node;
    Ok(payee.count("cac:PartyLegalEntity/cbc:CompanyID") <= 1 && differs(payee))
}
