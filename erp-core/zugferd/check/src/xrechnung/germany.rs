//! The rules that XRechnung adds for Germany.

use crate::engine::rule::{Holds, Subject};
use crate::engine::table::{Functions, functions};
use crate::invoice::node::Node;
use crate::invoice::values::is_blank;

pub(super) static FUNCTIONS: Functions = functions! {
    Is:
        has_seller_tax_id, known_type, corrected_invoice, different_file_names, known_guideline,
        has_contact_name, phone_has_digits, email_is_address, absolute_url, has_delivery_date;
};

/// Taxes of lines count by their type; those of allowances only where the whole tax is the text `VAT`.
fn has_seller_tax_id(subject: &Subject<'_>) -> Holds {
    const LINE: &str = "rsm:SupplyChainTradeTransaction/IncludedSupplyChainTradeLineItem/SpecifiedLineTradeSettlement/ApplicableTradeTax";
    const GROUP: &str = "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/SpecifiedTradeAllowanceCharge/CategoryTradeTax";
    const SELLER: &str = "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement";
    let root = subject.node;
    let has_category = |path: &str| {
        let codes = root.all(&format!("{path}/CategoryCode"));
        codes.iter().any(|code| {
            matches!(
                &*code.text(),
                "S" | "Z" | "E" | "AE" | "K" | "G" | "L" | "M"
            )
        })
    };
    let taxed = (root.has_text(&format!("{LINE}/TypeCode"), "VAT") && has_category(LINE))
        || (root.has_text(GROUP, "VAT") && has_category(GROUP));
    let is_tax_id = |id: &Node<'_>| {
        let scheme = id.attribute("schemeID").unwrap_or_default();
        matches!(
            crate::invoice::values::normalize(scheme).as_str(),
            "VA" | "FC"
        ) && !is_blank(&id.text())
    };
    let ids = root.all(&format!(
        "{SELLER}/SellerTradeParty/SpecifiedTaxRegistration/ID"
    ));
    Ok(!taxed
        || ids.iter().any(is_tax_id)
        || root.has(&format!("{SELLER}/SellerTaxRepresentativeTradeParty")))
}

/// Whether the type of the document is one of these; UBL has one for invoices and one for credit notes.
fn is_of_type(root: Node<'_>, types: &[&str]) -> Holds {
    for path in root.syntax().types {
        if types.contains(&root.words(path)?.as_str()) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn known_type(subject: &Subject<'_>) -> Holds {
    const TYPES: [&str; 8] = ["326", "380", "381", "384", "389", "875", "876", "877"];
    is_of_type(subject.node, &TYPES)
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
        let all = root.descendants();
        all.filter(|node| node.is("AdditionalReferencedDocument"))
            .collect()
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

fn known_guideline(subject: &Subject<'_>) -> Holds {
    let facts = subject.facts;
    Ok(facts.is_standard || facts.is_extension || facts.is_of_vehicles)
}

fn has_contact_name(subject: &Subject<'_>) -> Holds {
    Ok(subject.node.has_words("PersonName") || subject.node.has_words("DepartmentName"))
}

fn phone_has_digits(subject: &Subject<'_>) -> Holds {
    let phone = subject.node.words(subject.node.syntax().phone)?;
    Ok(phone.bytes().filter(u8::is_ascii_digit).count() >= 3)
}

/// One `@` with something before it and a domain of at least two labels after it, and no blanks.
fn email_is_address(subject: &Subject<'_>) -> Holds {
    let address = subject.node.words(subject.node.syntax().email)?;
    Ok(address.split_once('@').is_some_and(|(name, domain)| {
        !name.is_empty()
            && !address.contains(' ')
            && !domain.contains('@')
            && domain.contains('.')
            && domain.split('.').all(|label| !label.is_empty())
    }))
}

/// Absolute is what starts with a scheme of at least two characters. Only in CII it may be missing.
fn absolute_url(subject: &Subject<'_>) -> Holds {
    let (node, syntax) = (subject.node, subject.node.syntax());
    if !syntax.is_ubl && !node.has(syntax.uri) {
        return Ok(true);
    }
    let url = node.only_text(syntax.uri)?;
    Ok(url.split_once(':').is_some_and(|(scheme, _)| {
        let is_of_scheme =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-');
        scheme.len() >= 2
            && scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && scheme.bytes().all(is_of_scheme)
    }))
}

fn has_delivery_date(subject: &Subject<'_>) -> Holds {
    let transaction = subject.node;
    let mut lines = transaction.children("IncludedSupplyChainTradeLineItem");
    Ok(transaction
        .has("ApplicableHeaderTradeDelivery/ActualDeliverySupplyChainEvent/OccurrenceDateTime")
        || transaction.has("ApplicableHeaderTradeSettlement/BillingSpecifiedPeriod")
        || lines.all(|line| line.has("SpecifiedLineTradeSettlement/BillingSpecifiedPeriod")))
}
