//! The rules of EN 16931 for UBL 2.1, and the conditions that only UBL has.

mod documents;
mod uses;

use std::sync::OnceLock;

use super::{CODES, FUNCTIONS as SHARED, MODEL};
use crate::codes::{self, CodeList};
use crate::engine::{Functions, Holds, RuleSet, Subject, Values, Verdict, functions};
use crate::invoice::abort::shorten;
use crate::invoice::node::Node;
use crate::invoice::values::{any, normalize};

static OWN: Functions = functions! {
    Is:
        is_object_scheme, tax_has_rate, amount_has_cents, transfer_has_account,
        seller_is_known, vat_id_starts_with_country,
        representative_has_vat_id = |subject| has_vat_id(subject.node, "cac:PartyTaxScheme"),
        is_vat = |subject| subject.node.is_vat(),
        is_allowance = |subject| subject.node.indicates(false),
        is_charge = |subject| subject.node.indicates(true),
        has_tax_category = |subject| subject.node.has_vat_category("cac:TaxCategory"),
        line_has_tax_category = |subject| subject.node.has_vat_category("cac:Item/cac:ClassifiedTaxCategory"),
        at_most_two_tax_schemes = |subject| Ok(subject.node.count("cac:PartyTaxScheme") <= 2),
        // The type of an invoice or of a credit note, in either.
        type_is_given = |subject| {
            Ok(subject.node.is_filled("cbc:InvoiceTypeCode")? || subject.node.is_filled("cbc:CreditNoteTypeCode")?)
        };
    Judge:
        subject_is_known, party_scheme_is_known;
};

pub(crate) static RULES: RuleSet = RuleSet::new(
    "EN 16931 UBL 1.3.16",
    &[
        include_str!("model.txt"),
        include_str!("syntax.txt"),
        include_str!("codes.txt"),
    ],
    &FUNCTIONS,
    None,
)
.with_sentences(&[MODEL, CODES]);

static FUNCTIONS: [Functions; 8] = {
    let [a, b, c, d, e] = SHARED;
    [OWN, documents::FUNCTIONS, uses::FUNCTIONS, a, b, c, d, e]
};

/// The identifier of a reference to an invoiced object (type code 130) that has a scheme.
fn is_object_scheme(subject: &Subject<'_>) -> Holds {
    let node = subject.node;
    Ok(node.attribute("schemeID").is_some() && node.has_text("../cbc:DocumentTypeCode", "130"))
}

/// A rate, or the category O, which has none.
fn tax_has_rate(subject: &Subject<'_>) -> Holds {
    any(subject.node.all("cac:TaxCategory"), |tax| {
        Ok(tax.is_vat()? && (tax.has("cbc:Percent") || tax.is_of_category("O")?))
    })
}

/// All amounts but prices and what is in a price with an allowance.
fn amount_has_cents(subject: &Subject<'_>) -> Holds {
    let node = subject.node;
    let mut around = std::iter::successors(node.up(), |element| element.up());
    let in_price = around.any(|it| it.is("cac:Price") && it.has("cac:AllowanceCharge"));
    Ok(!in_price && !node.element().local().ends_with("PriceAmount"))
}

fn transfer_has_account(subject: &Subject<'_>) -> Holds {
    let code = subject.node.words("cbc:PaymentMeansCode")?;
    Ok(!matches!(code.as_str(), "30" | "58")
        || subject.node.has("cac:PayeeFinancialAccount/cbc:ID"))
}

/// A VAT identifier, a legal registration, or an identifier that is not that of a creditor.
fn seller_is_known(subject: &Subject<'_>) -> Holds {
    let node = subject.node;
    let ids = node.all("cac:Party/cac:PartyIdentification/cbc:ID");
    let is_other = |id: &Node<'_>| id.attribute("schemeID") != Some("SEPA");
    Ok(has_vat_id(node, "cac:Party/cac:PartyTaxScheme")?
        || ids.iter().any(is_other)
        || node.has("cac:Party/cac:PartyLegalEntity/cbc:CompanyID"))
}

fn has_vat_id(node: Node<'_>, schemes: &str) -> Holds {
    any(node.all(schemes), |scheme| {
        Ok(scheme.has("cbc:CompanyID") && scheme.is_vat()?)
    })
}

/// The lists of countries and subjects as the artefact has them, made when first needed.
static COUNTRIES: OnceLock<String> = OnceLock::new();
static SUBJECTS: OnceLock<String> = OnceLock::new();

/// Whether the text is anywhere in the list, with its blanks.
fn is_written(written: &OnceLock<String>, list: &str, text: &str) -> bool {
    let write = || codes::list(list).map_or_else(String::new, CodeList::written_out);
    written.get_or_init(write).contains(text)
}

/// The first two characters are anywhere in the list with its blanks: nothing and one letter are too.
fn vat_id_starts_with_country(subject: &Subject<'_>) -> Holds {
    let id = subject.node.only_text("cbc:CompanyID")?;
    let country: String = id.chars().take(2).collect();
    let is_partly = country.contains(' ') || country.chars().count() < 2;
    Ok(country == "EL"
        || codes::has("countries-ubl", &country)
        || (is_partly && is_written(&COUNTRIES, "countries-ubl", &country)))
}

/// A subject is what is between the first two `#`, if that is three characters. They may be from two codes beside each
/// other in the list, with the blank between.
fn subject_is_known(subject: &Subject<'_>) -> Verdict {
    let note = subject.node.text();
    let mut parts = note.splitn(3, '#').skip(1);
    let (Some(code), Some(_)) = (parts.next(), parts.next()) else {
        return Ok(None);
    };
    let is_known = || {
        codes::has("subjects-ubl", code)
            || (code.contains(' ') && is_written(&SUBJECTS, "subjects-ubl", code))
    };
    let fails = code.chars().count() == 3 && !is_known();
    Ok(fails.then(|| Values::found(shorten(code))))
}

/// SEPA is for the identifiers of creditors: sellers and payees.
fn party_scheme_is_known(subject: &Subject<'_>) -> Verdict {
    let node = subject.node;
    let scheme = normalize(node.attribute("schemeID").unwrap_or_default());
    let is_creditor =
        || node.is_inside("cac:AccountingSupplierParty") || node.is_inside("cac:PayeeParty");
    let is_known = codes::has("icd", &scheme) || (scheme == "SEPA" && is_creditor());
    Ok((!is_known).then(|| Values::found(shorten(&scheme))))
}
