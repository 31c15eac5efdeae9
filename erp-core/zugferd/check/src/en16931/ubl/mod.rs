//! The rules of EN 16931 for UBL 2.1, and the conditions that only UBL has.

mod documents;
mod payee;
mod uses;

use std::sync::OnceLock;

use super::{CODES, FUNCTIONS as SHARED, MODEL};
use crate::codes::{COUNTRIES_IN_UBL, ISO_6523, SUBJECTS_IN_UBL};
use crate::engine::rule::{Holds, Subject, Values, Verdict};
use crate::engine::rule_set::RuleSet;
use crate::engine::table::{Functions, functions};
use crate::invoice::abort::shorten;
use crate::invoice::values::normalize;

static OWN: Functions = functions! {
    Is:
        type_is_given, is_allowance, is_charge, is_vat, is_object_scheme, has_tax_category, line_has_tax_category, tax_has_rate,
        amount_has_cents, transfer_has_account, seller_is_known, representative_has_vat_id, vat_id_starts_with_country,
        at_most_two_tax_schemes;
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

static FUNCTIONS: [Functions; 15] = {
    let [a, b, c, d, e, f, g, h, i, j, k] = SHARED;
    [
        OWN,
        documents::FUNCTIONS,
        payee::FUNCTIONS,
        uses::FUNCTIONS,
        a,
        b,
        c,
        d,
        e,
        f,
        g,
        h,
        i,
        j,
        k,
    ]
};

/// The type of an invoice or of a credit note, in either.
fn type_is_given(subject: &Subject<'_>) -> Holds {
    let root = subject.node;
    Ok(root.is_filled("cbc:InvoiceTypeCode")? || root.is_filled("cbc:CreditNoteTypeCode")?)
}

/// An allowance or charge whose indicator is a boolean that says so.
fn is_allowance(subject: &Subject<'_>) -> Holds {
    subject.node.indicates(false)
}

fn is_charge(subject: &Subject<'_>) -> Holds {
    subject.node.indicates(true)
}

fn is_vat(subject: &Subject<'_>) -> Holds {
    subject.node.is_vat()
}

/// The identifier of a reference to an invoiced object (type code 130) that has a scheme.
fn is_object_scheme(subject: &Subject<'_>) -> Holds {
    let node = subject.node;
    Ok(node.attribute("schemeID").is_some() && node.has_text("../cbc:DocumentTypeCode", "130"))
}

fn has_tax_category(subject: &Subject<'_>) -> Holds {
    subject.node.has_vat_category("cac:TaxCategory")
}

fn line_has_tax_category(subject: &Subject<'_>) -> Holds {
    subject
        .node
        .has_vat_category("cac:Item/cac:ClassifiedTaxCategory")
}

/// A rate, or the category O, which has none.
fn tax_has_rate(subject: &Subject<'_>) -> Holds {
    for tax in subject.node.all("cac:TaxCategory") {
        if tax.is_vat()? && (tax.has("cbc:Percent") || tax.is_of_category("O")?) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// All amounts but prices and what is in a price with an allowance.
fn amount_has_cents(subject: &Subject<'_>) -> Holds {
    let node = subject.node;
    let mut around = node.up();
    while let Some(element) = around {
        if element.is("cac:Price") && element.has("cac:AllowanceCharge") {
            return Ok(false);
        }
        around = element.up();
    }
    Ok(!node.element().local().ends_with("PriceAmount"))
}

fn transfer_has_account(subject: &Subject<'_>) -> Holds {
    let code = subject.node.words("cbc:PaymentMeansCode")?;
    Ok(!matches!(code.as_str(), "30" | "58")
        || subject.node.has("cac:PayeeFinancialAccount/cbc:ID"))
}

/// A VAT identifier, a legal registration, or an identifier that is not that of a creditor.
fn seller_is_known(subject: &Subject<'_>) -> Holds {
    let node = subject.node;
    for scheme in node.all("cac:Party/cac:PartyTaxScheme") {
        if scheme.has("cbc:CompanyID") && scheme.is_vat()? {
            return Ok(true);
        }
    }
    let ids = node.all("cac:Party/cac:PartyIdentification/cbc:ID");
    let is_other = |id: &crate::invoice::node::Node<'_>| id.attribute("schemeID") != Some("SEPA");
    Ok(ids.iter().any(is_other) || node.has("cac:Party/cac:PartyLegalEntity/cbc:CompanyID"))
}

fn representative_has_vat_id(subject: &Subject<'_>) -> Holds {
    for scheme in subject.node.all("cac:PartyTaxScheme") {
        if scheme.has("cbc:CompanyID") && scheme.is_vat()? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The first two characters are anywhere in the list with its blanks: nothing and one letter are too.
fn vat_id_starts_with_country(subject: &Subject<'_>) -> Holds {
    let id = subject.node.only_text("cbc:CompanyID")?;
    let country: String = id.chars().take(2).collect();
    static WRITTEN: OnceLock<String> = OnceLock::new();
    let is_partly = country.contains(' ') || country.chars().count() < 2;
    let written = || WRITTEN.get_or_init(|| COUNTRIES_IN_UBL.written_out());
    Ok(country == "EL"
        || COUNTRIES_IN_UBL.contains_exactly(&country)
        || (is_partly && written().contains(&country)))
}

fn at_most_two_tax_schemes(subject: &Subject<'_>) -> Holds {
    Ok(subject.node.count("cac:PartyTaxScheme") <= 2)
}

/// A subject is what is between the first two `#`, if that is three characters. They may be from two codes beside each
/// other in the list, with the blank between.
fn subject_is_known(subject: &Subject<'_>) -> Verdict {
    let note = subject.node.text();
    let mut parts = note.splitn(3, '#').skip(1);
    let (Some(code), Some(_)) = (parts.next(), parts.next()) else {
        return Ok(None);
    };
    static WRITTEN: OnceLock<String> = OnceLock::new();
    let written = || WRITTEN.get_or_init(|| SUBJECTS_IN_UBL.written_out());
    let is_known = || {
        SUBJECTS_IN_UBL.contains_exactly(code) || (code.contains(' ') && written().contains(code))
    };
    let fails = code.chars().count() == 3 && !is_known();
    Ok(fails.then(|| Values {
        found: shorten(code),
        ..Values::default()
    }))
}

/// SEPA is for the identifiers of creditors: sellers and payees.
fn party_scheme_is_known(subject: &Subject<'_>) -> Verdict {
    let node = subject.node;
    let scheme = normalize(node.attribute("schemeID").unwrap_or_default());
    let is_creditor =
        || node.is_inside("cac:AccountingSupplierParty") || node.is_inside("cac:PayeeParty");
    let is_known = ISO_6523.contains_exactly(&scheme) || (scheme == "SEPA" && is_creditor());
    Ok((!is_known).then(|| Values {
        found: shorten(&scheme),
        ..Values::default()
    }))
}
