//! The rules that XRechnung adds for Germany.

use crate::engine::{Functions, Holds, Subject, functions};
use crate::invoice::node::Node;
use crate::invoice::values::{any, is_blank, normalize};

pub(super) static FUNCTIONS: Functions = functions! {
    Is:
        has_seller_tax_id, corrected_invoice, different_file_names,
        phone_has_digits, email_is_address, absolute_url, has_delivery_date,
        known_guideline = |subject| {
            let facts = subject.facts;
            Ok(facts.is_standard || facts.is_extension || facts.is_of_vehicles)
        },
        has_contact_name = |subject| {
            Ok(subject.node.has_words("PersonName") || subject.node.has_words("DepartmentName"))
        },
        known_type = |subject| is_of_type(subject.node, &["326", "380", "381", "384", "389", "875", "876", "877"]);
};

/// Whether a code at the path is a VAT category for which the seller needs a tax identifier: any but O and B.
pub(super) fn has_taxed_category(node: Node<'_>, path: &str) -> bool {
    node.find(path, &mut |code| {
        ["S", "Z", "E", "AE", "K", "G", "L", "M"].contains(&&*code.text())
    })
}

/// Taxes of lines count by their type; those of allowances only where the whole tax is the text `VAT`.
fn has_seller_tax_id(subject: &Subject<'_>) -> Holds {
    const LINE: &str = "rsm:SupplyChainTradeTransaction/IncludedSupplyChainTradeLineItem/SpecifiedLineTradeSettlement/ApplicableTradeTax";
    const GROUP: &str = "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/SpecifiedTradeAllowanceCharge/CategoryTradeTax";
    const SELLER: &str = "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement";
    let root = subject.node;
    let has_category = |path: &str| has_taxed_category(root, &format!("{path}/CategoryCode"));
    let taxed = (root.has_text(&format!("{LINE}/TypeCode"), "VAT") && has_category(LINE))
        || (root.has_text(GROUP, "VAT") && has_category(GROUP));
    let is_tax_id = |id: &Node<'_>| {
        let scheme = normalize(id.attribute("schemeID").unwrap_or_default());
        (scheme == "VA" || scheme == "FC") && !is_blank(&id.text())
    };
    let of_seller = |path: &str| root.all(&format!("{SELLER}/{path}"));
    let ids = of_seller("SellerTradeParty/SpecifiedTaxRegistration/ID");
    let has_id = !taxed || ids.iter().any(is_tax_id);
    Ok(has_id || !of_seller("SellerTaxRepresentativeTradeParty").is_empty())
}

/// Whether the type of the document is one of these; UBL has one for invoices and one for credit notes.
fn is_of_type(root: Node<'_>, types: &[&str]) -> Holds {
    any(root.syntax().types, |path| {
        Ok(types.contains(&root.words(path)?.as_str()))
    })
}

fn corrected_invoice(subject: &Subject<'_>) -> Holds {
    let root = subject.node;
    Ok(!is_of_type(root, &["384"])? || root.has(root.syntax().preceding_invoice))
}

/// Among sibling documents; in UBL among those of the document element.
fn different_file_names(subject: &Subject<'_>) -> Holds {
    let mut names = Vec::new();
    let root = subject.node;
    let documents = if root.syntax().is_ubl {
        root.all("cac:AdditionalDocumentReference")
    } else {
        let is_document = |node: &Node<'_>| node.is("AdditionalReferencedDocument");
        root.descendants().filter(is_document).collect()
    };
    for document in documents {
        let parent = document.up().map(|parent| parent.element().index());
        for attachment in document.all(root.syntax().attached_file) {
            let name = attachment.attribute("filename");
            names.push((parent, name, document.element().index()));
        }
    }
    // A document may have the same name several times.
    names.sort_unstable();
    names.dedup();
    let mut pairs = names.array_windows();
    Ok(!pairs.any(|[one, next]| (one.0, one.1) == (next.0, next.1)))
}

fn phone_has_digits(subject: &Subject<'_>) -> Holds {
    let phone = subject.node.words(subject.node.syntax().phone)?;
    Ok(phone.bytes().filter(u8::is_ascii_digit).count() >= 3)
}

/// One `@` with something before it and a domain of at least two labels after it, and no blanks.
fn email_is_address(subject: &Subject<'_>) -> Holds {
    let address = subject.node.words(subject.node.syntax().email)?;
    let (name, domain) = address.split_once('@').unwrap_or_default();
    Ok(!name.is_empty()
        && !address.contains(' ')
        && !domain.contains('@')
        && domain.contains('.')
        && domain.split('.').all(|label| !label.is_empty()))
}

/// Absolute is what starts with a scheme of at least two characters. Only in CII it may be missing.
fn absolute_url(subject: &Subject<'_>) -> Holds {
    let (node, syntax) = (subject.node, subject.node.syntax());
    if !syntax.is_ubl && !node.has(syntax.uri) {
        return Ok(true);
    }
    let url = node.only_text(syntax.uri)?;
    let (scheme, _) = url.split_once(':').unwrap_or_default();
    let is_of_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte);
    Ok(scheme.len() >= 2
        && scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && scheme.bytes().all(is_of_scheme))
}

fn has_delivery_date(subject: &Subject<'_>) -> Holds {
    let transaction = subject.node;
    let mut lines = transaction.children("IncludedSupplyChainTradeLineItem");
    Ok(transaction
        .has("ApplicableHeaderTradeDelivery/ActualDeliverySupplyChainEvent/OccurrenceDateTime")
        || transaction.has("ApplicableHeaderTradeSettlement/BillingSpecifiedPeriod")
        || lines.all(|line| line.has("SpecifiedLineTradeSettlement/BillingSpecifiedPeriod")))
}
