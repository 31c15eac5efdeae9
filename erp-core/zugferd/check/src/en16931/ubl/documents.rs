//! Syntax restrictions that look at several elements of the document, and those on the payee.

use crate::engine::{Functions, Holds, Subject, functions};
use crate::invoice::node::Node;
use crate::invoice::values::any;

pub(super) static FUNCTIONS: Functions = functions! {
    Is:
        reference_is_of_object, scheme_is_of_object,
        name_is_of_payment_means, one_creditor, one_object,
        payee_has_one_id,
        object_has_no_file = |subject| Ok(!objects(subject).any(|document| document.has("cac:Attachment"))),
        payment_references_are_equal = |subject| Ok(are_equal(subject, "cbc:PaymentID")),
        payment_codes_are_equal = |subject| Ok(are_equal(subject, "cbc:PaymentMeansCode")),
        seller_has_one_vat_id = |subject| has_one_tax_id(subject.node, "cac:AccountingSupplierParty", true),
        seller_has_one_tax_number = |subject| has_one_tax_id(subject.node, "cac:AccountingSupplierParty", false),
        buyer_has_one_vat_id = |subject| has_one_tax_id(subject.node, "cac:AccountingCustomerParty", true),
        due_date_is_of_credit_note = |subject| {
            Ok(subject.node.is_credit_note() || !subject.node.has("cac:PaymentMeans/cbc:PaymentDueDate"))
        },
        object_has_no_description = |subject| Ok(!objects(subject).any(|it| it.has("cbc:DocumentDescription"))),
        payee_has_one_name = |subject| payee_has_one(subject.node, "cac:PartyName/cbc:Name"),
        payee_has_one_registration = |subject| payee_has_one(subject.node, "cac:PartyLegalEntity/cbc:CompanyID");
};

const TYPE: &str = "cbc:DocumentTypeCode";

/// An invoiced object has the type code 130, a tender of a credit note 50; other references have no type and no scheme.
fn reference_is_of_object(subject: &Subject<'_>) -> Holds {
    let document = subject.node;
    let is_tender = || document.root().is_credit_note() && document.has_text(TYPE, "50");
    let is_plain = || !document.has("cbc:ID/@schemeID") && !document.has(TYPE);
    Ok(document.has_text(TYPE, "130") || is_tender() || is_plain())
}

fn references<'d>(subject: &Subject<'d>) -> impl Iterator<Item = Node<'d>> {
    subject.document.anywhere("cac:AdditionalDocumentReference")
}

fn objects<'d>(subject: &Subject<'d>) -> impl Iterator<Item = Node<'d>> {
    references(subject).filter(|document| document.has_text(TYPE, "130"))
}

fn scheme_is_of_object(subject: &Subject<'_>) -> Holds {
    let is_other = |document: &Node<'_>| {
        !document.has(TYPE) || document.find(TYPE, &mut |code| code.text() != "130")
    };
    let mut others = references(subject).filter(is_other);
    Ok(!others.any(|document| document.has("cbc:ID/@schemeID")))
}

fn name_is_of_payment_means(subject: &Subject<'_>) -> Holds {
    if !subject.document.has("//@name") {
        return Ok(true);
    }
    let mut elements = subject.document.everything();
    let is_other = |it: Node<'_>| it.attribute("name").is_some() && !it.is("cbc:PaymentMeansCode");
    Ok(!elements.any(is_other))
}

fn one_creditor(subject: &Subject<'_>) -> Holds {
    let ids = subject.document.anywhere("cac:PartyIdentification/cbc:ID");
    let schemes = ids.filter_map(|id| id.attribute("schemeID"));
    let creditors = schemes.filter(|scheme| scheme.eq_ignore_ascii_case("SEPA"));
    Ok(creditors.count() <= 1)
}

/// Whether no two elements of this name have different texts, wherever they are.
fn are_equal(subject: &Subject<'_>, name: &str) -> bool {
    let mut texts = subject.document.anywhere(name).map(Node::text);
    let first = texts.next();
    first.is_none_or(|first| texts.all(|text| text == first))
}

fn one_object(subject: &Subject<'_>) -> Holds {
    let mut objects = subject.node.all("cac:AdditionalDocumentReference");
    objects.retain(|document| document.has_text(TYPE, "130"));
    let ids = objects.iter().map(|document| document.count("cbc:ID"));
    Ok(ids.sum::<usize>() <= 1)
}

/// Whether a party has at most one tax identifier of VAT, or of another tax or one without a name. White space around
/// the name counts.
fn has_one_tax_id(root: Node<'_>, party: &str, vat: bool) -> Holds {
    let mut count = 0;
    for scheme in root.all(&format!("{party}/cac:Party/cac:PartyTaxScheme")) {
        let is_meant = any(scheme.all("cac:TaxScheme"), |tax| {
            Ok(tax.only_text("cbc:ID")?.eq_ignore_ascii_case("VAT") == vat)
        });
        if is_meant? {
            count += scheme.count("cbc:CompanyID");
        }
    }
    Ok(count <= 1)
}

/// Whether a name of the payee is not a registered name of the seller; without one of them it is not.
fn differs(payee: Node<'_>) -> bool {
    let names = payee.texts("cac:PartyName/cbc:Name");
    let path = "../cac:AccountingSupplierParty/cac:Party/cac:PartyLegalEntity/cbc:RegistrationName";
    let sellers = payee.texts(path);
    let differs = |name| sellers.iter().any(|seller| seller != name);
    names.iter().any(differs)
}

/// Identifiers of creditors (scheme SEPA) and those without a scheme do not count.
fn payee_has_one_id(subject: &Subject<'_>) -> Holds {
    let payee = subject.node;
    let ids = payee.all("cac:PartyIdentification/cbc:ID/@schemeID");
    let schemes = ids.iter().filter_map(|id| id.attribute("schemeID"));
    let others = schemes.filter(|scheme| !scheme.eq_ignore_ascii_case("SEPA"));
    Ok(others.count() <= 1 && differs(payee))
}

fn payee_has_one(payee: Node<'_>, path: &str) -> Holds {
    Ok(payee.count(path) <= 1 && differs(payee))
}
