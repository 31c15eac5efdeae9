//! The rules that XRechnung adds for Germany.

use super::accounts;
use super::discount::discount_lines;
use super::lines;
use super::{Condition, EXTENSION, GUIDELINE, STANDARD, VEHICLES};
use crate::abort::Abort;
use crate::context::{Context, Pattern, Place};
use crate::node::Node;
use crate::rule::Subject;
use crate::table::{Table, rules};
use crate::values::is_blank;

const ROOT: &str = "rsm:CrossIndustryInvoice";
const TRANSACTION: &str = "rsm:SupplyChainTradeTransaction";
const AGREEMENT: &str = "ApplicableHeaderTradeAgreement";
const SETTLEMENT: &str = "ApplicableHeaderTradeSettlement";
const MEANS: Place = Place::Path(&[
    ROOT,
    TRANSACTION,
    SETTLEMENT,
    "SpecifiedTradeSettlementPaymentMeans",
]);

pub(super) const CONTEXTS: Pattern = &[
    Context::new(
        Place::Path(&[ROOT]),
        &[accounts::DIRECT_DEBIT_GROUP, INVOICE],
    ),
    Context::new(
        Place::Path(&[ROOT, "rsm:ExchangedDocumentContext"]),
        &[PROFILE],
    ),
    Context::new(
        Place::Path(&[ROOT, TRANSACTION, AGREEMENT, "SellerTradeParty"]),
        &[SELLER],
    ),
    Context::new(
        Place::Path(&[
            ROOT,
            TRANSACTION,
            AGREEMENT,
            "SellerTradeParty",
            "PostalTradeAddress",
        ]),
        &[SELLER_ADDRESS],
    ),
    Context::new(
        Place::Path(&[
            ROOT,
            TRANSACTION,
            AGREEMENT,
            "SellerTradeParty",
            "DefinedTradeContact",
        ]),
        &[CONTACT],
    ),
    Context::new(
        Place::Path(&[
            ROOT,
            TRANSACTION,
            AGREEMENT,
            "BuyerTradeParty",
            "PostalTradeAddress",
        ]),
        &[BUYER_ADDRESS],
    ),
    Context::new(
        Place::Path(&[ROOT, TRANSACTION, AGREEMENT, "AdditionalReferencedDocument"]),
        &[SUPPORTING_DOCUMENT],
    )
    .when(is_supporting),
    Context::new(
        Place::Path(&[
            ROOT,
            TRANSACTION,
            "ApplicableHeaderTradeDelivery",
            "ShipToTradeParty",
            "PostalTradeAddress",
        ]),
        &[DELIVERY_ADDRESS],
    ),
    Context::new(MEANS, &[accounts::TRANSFER]).when(accounts::is_transfer),
    Context::new(MEANS, &[accounts::CARD]).when(accounts::is_card),
    Context::new(MEANS, &[accounts::DEBIT]).when(accounts::is_debit),
    Context::new(
        Place::Path(&[ROOT, TRANSACTION, SETTLEMENT, "ApplicableTradeTax"]),
        &[BREAKDOWN],
    ),
    Context::new(Place::Path(&[ROOT, TRANSACTION]), &[DELIVERY_DATE]),
    Context::new(
        Place::Path(&[ROOT, TRANSACTION, "IncludedSupplyChainTradeLineItem"]),
        &[lines::PRICE_BASIS],
    ),
];

const INVOICE: Table = rules! {
    fatal "BR-DE-1" "BG-16", Present("rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/SpecifiedTradeSettlementPaymentMeans");
    fatal "BR-DE-15" "BT-10", Words("rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement/BuyerReference");
    fatal "BR-DE-16" "BT-31 BT-32 BG-11", Is(has_seller_tax_id)
        => "With VAT categories other than O the invoice needs {BT-31}, {BT-32} or {BG-11}."
        | "Mit anderen Umsatzsteuerkategorien als O braucht die Rechnung {BT-31}, {BT-32} oder {BG-11}.";
    warning "BR-DE-17" "BT-3", Is(known_type)
        => "{term} should be 326, 380, 381, 384, 389, 875, 876 or 877."
        | "{term} sollte 326, 380, 381, 384, 389, 875, 876 oder 877 sein.";
    fatal "BR-DE-18" "BT-20", Is(discount_lines)
        => "A line of {term} that starts with # must be a cash discount, as `#SKONTO#TAGE=14#PROZENT=2.00#`, and end with a line break."
        | "Eine mit # beginnende Zeile von {term} muss eine Skontoangabe sein, wie `#SKONTO#TAGE=14#PROZENT=2.00#`, und mit einem Zeilenumbruch enden.";
    fatal "BR-DE-22" "BT-125", Is(different_file_names)
        => "Two attachments have the same file name."
        | "Zwei Anhänge haben denselben Dateinamen.";
    warning "BR-DE-26" "BG-3 BT-3", Is(corrected_invoice)
        => "A corrected invoice (384) should name the invoice it corrects: {BG-3} is missing."
        | "Eine korrigierte Rechnung (384) sollte die korrigierte nennen: {BG-3} fehlt.";
};

const PROFILE: Table = rules! {
    warning "BR-DE-21" "BT-24", Is(known_guideline)
        => "{term} is not that of XRechnung."
        | "{term} ist nicht die der XRechnung.";
};

const SELLER: Table = rules! {
    fatal "BR-DE-2" "BG-6", Present("DefinedTradeContact");
};

const SELLER_ADDRESS: Table = rules! {
    fatal "BR-DE-3" "BT-37", Words("CityName");
    fatal "BR-DE-4" "BT-38", Words("PostcodeCode");
};

const CONTACT: Table = rules! {
    fatal "BR-DE-5" "BT-41", Is(has_contact_name)
        => "{term} is missing or empty."
        | "{term} fehlt oder ist leer.";
    fatal "BR-DE-6" "BT-42", Words(PHONE);
    fatal "BR-DE-7" "BT-43", Words(EMAIL);
    warning "BR-DE-27" "BT-42", Is(phone_has_digits)
        => "{term} should have at least three digits."
        | "{term} sollte mindestens drei Ziffern haben.";
    warning "BR-DE-28" "BT-43", Is(email_is_address)
        => "{term} should be an e-mail address."
        | "{term} sollte eine E-Mail-Adresse sein.";
};

const BUYER_ADDRESS: Table = rules! {
    fatal "BR-DE-8" "BT-52", Words("CityName");
    fatal "BR-DE-9" "BT-53", Words("PostcodeCode");
};

const SUPPORTING_DOCUMENT: Table = rules! {
    warning "BR-TMP-2" "BT-124", Is(absolute_url)
        => "{term} must be an absolute URL."
        | "{term} muss eine absolute URL sein.";
};

const DELIVERY_ADDRESS: Table = rules! {
    fatal "BR-DE-10" "BT-77", Words("CityName");
    fatal "BR-DE-11" "BT-78", Words("PostcodeCode");
};

const BREAKDOWN: Table = rules! {
    fatal "BR-DE-14" "BT-119", Words("RateApplicablePercent");
};

const DELIVERY_DATE: Table = rules! {
    information "BR-DE-TMP-32" "BT-72 BG-14 BG-26", Is(has_delivery_date)
        => "The invoice should say when it was delivered: {BT-72}, {BG-14}, or {BG-26} in every line."
        | "Die Rechnung sollte den Zeitpunkt der Leistung angeben: {BT-72}, {BG-14} oder {BG-26} in jeder Position.";
};

/// Taxes of lines count by their type; those of allowances only where the whole tax is the text `VAT`.
fn has_seller_tax_id(subject: &Subject<'_>) -> Condition {
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
        matches!(crate::values::normalize(scheme).as_str(), "VA" | "FC") && !is_blank(&id.text())
    };
    let ids = root.all(&format!(
        "{SELLER}/SellerTradeParty/SpecifiedTaxRegistration/ID"
    ));
    Ok(!taxed
        || ids.iter().any(is_tax_id)
        || root.has(&format!("{SELLER}/SellerTaxRepresentativeTradeParty")))
}

fn invoice_type(root: Node<'_>) -> Result<String, Abort> {
    root.words("rsm:ExchangedDocument/TypeCode")
}

fn known_type(subject: &Subject<'_>) -> Condition {
    const TYPES: [&str; 8] = ["326", "380", "381", "384", "389", "875", "876", "877"];
    Ok(TYPES.contains(&invoice_type(subject.node)?.as_str()))
}

fn corrected_invoice(subject: &Subject<'_>) -> Condition {
    let reference =
        "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/InvoiceReferencedDocument";
    Ok(invoice_type(subject.node)? != "384" || subject.node.has(reference))
}

/// Among the documents that are beside each other.
fn different_file_names(subject: &Subject<'_>) -> Condition {
    let mut names = Vec::new();
    let documents = subject
        .node
        .descendants()
        .filter(|node| node.is("AdditionalReferencedDocument"));
    for document in documents {
        let parent = document.up().map(|parent| parent.element().index());
        for attachment in document.all("AttachmentBinaryObject/@filename") {
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

fn known_guideline(subject: &Subject<'_>) -> Condition {
    let root = subject.node.root();
    Ok([STANDARD, EXTENSION, VEHICLES]
        .iter()
        .any(|id| root.has_text(GUIDELINE, id)))
}

fn has_contact_name(subject: &Subject<'_>) -> Condition {
    Ok(subject.node.has_words("PersonName") || subject.node.has_words("DepartmentName"))
}

const PHONE: &str = "TelephoneUniversalCommunication/CompleteNumber";
const EMAIL: &str = "EmailURIUniversalCommunication/URIID";

fn phone_has_digits(subject: &Subject<'_>) -> Condition {
    let phone = subject.node.words(PHONE)?;
    Ok(phone.bytes().filter(u8::is_ascii_digit).count() >= 3)
}

/// One `@` with something before it and a domain of at least two labels after it, and no blanks.
fn email_is_address(subject: &Subject<'_>) -> Condition {
    let address = subject.node.words(EMAIL)?;
    Ok(address.split_once('@').is_some_and(|(name, domain)| {
        !name.is_empty()
            && !address.contains(' ')
            && !domain.contains('@')
            && domain.contains('.')
            && domain.split('.').all(|label| !label.is_empty())
    }))
}

fn is_supporting(subject: &Subject<'_>) -> Condition {
    Ok(subject.node.has_text("TypeCode", "916"))
}

/// Absolute is what starts with a scheme of at least two characters.
fn absolute_url(subject: &Subject<'_>) -> Condition {
    if !subject.node.has("URIID") {
        return Ok(true);
    }
    let url = subject.node.only_text("URIID")?;
    Ok(url.split_once(':').is_some_and(|(scheme, _)| {
        let is_of_scheme =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-');
        scheme.len() >= 2
            && scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && scheme.bytes().all(is_of_scheme)
    }))
}

fn has_delivery_date(subject: &Subject<'_>) -> Condition {
    let transaction = subject.node;
    let mut lines = transaction.children("IncludedSupplyChainTradeLineItem");
    Ok(transaction
        .has("ApplicableHeaderTradeDelivery/ActualDeliverySupplyChainEvent/OccurrenceDateTime")
        || transaction.has("ApplicableHeaderTradeSettlement/BillingSpecifiedPeriod")
        || lines.all(|line| line.has("SpecifiedLineTradeSettlement/BillingSpecifiedPeriod")))
}
