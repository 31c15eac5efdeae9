//! Conditions of syntax restrictions that are more than a count.

use crate::abort::Abort;
use crate::decimal::BLANKS;
use crate::node::Node;
use crate::rule::{Subject, Values, Verdict};
use crate::values::{is_date, normalize};

type Condition = Result<bool, Abort>;

pub(super) fn product_id_has_scheme(subject: &Subject<'_>) -> Condition {
    let product = subject.node;
    Ok(!product.has("GlobalID") || product.has("GlobalID/@schemeID"))
}

/// Counted over all countries of the item.
pub(super) fn origin_is_one_country(subject: &Subject<'_>) -> Condition {
    let product = subject.node;
    let has_none = !product.has("OriginTradeCountry");
    Ok(has_none || product.count("OriginTradeCountry/ID") == 1)
}

/// Indicator false and an amount, or neither; one of several price allowances is enough.
pub(super) fn price_has_only_allowances(subject: &Subject<'_>) -> Condition {
    const CHARGE: &str = "GrossPriceProductTradePrice/AppliedTradeAllowanceCharge";
    let charges = subject.node.all(CHARGE);
    let mut has_allowance = false;
    for charge in &charges {
        if charge.indicates(false)? {
            has_allowance = true;
            break;
        }
    }
    let has = |path: &str| charges.iter().any(|charge| charge.has(path));
    let has_amount = has("ActualAmount");
    Ok((has_allowance && has_amount) || (!has("ChargeIndicator") && !has_amount))
}

fn at_most_one(count: usize) -> Verdict {
    Ok((count > 1).then(|| Values {
        found: count.to_string(),
        ..Values::default()
    }))
}

/// The additional documents with this type code, which must be one in each.
fn documents<'a>(node: Node<'a>, code: &str) -> Result<Vec<Node<'a>>, Abort> {
    let mut documents = Vec::new();
    for document in node.all("AdditionalReferencedDocument") {
        if document.only_text("TypeCode")?.trim_matches(BLANKS) == code {
            documents.push(document);
        }
    }
    Ok(documents)
}

pub(super) fn tender_references(subject: &Subject<'_>) -> Verdict {
    at_most_one(count_exactly(subject.node, "50"))
}

pub(super) fn object_references(subject: &Subject<'_>) -> Verdict {
    at_most_one(count_exactly(subject.node, "130"))
}

/// The additional documents whose type code is exactly this text.
fn count_exactly(agreement: Node<'_>, code: &str) -> usize {
    let documents = agreement.children("AdditionalReferencedDocument");
    documents
        .filter(|document| document.has_text("TypeCode", code))
        .count()
}

pub(super) fn line_object_references(subject: &Subject<'_>) -> Verdict {
    at_most_one(documents(subject.node, "130")?.len())
}

/// Counted over all documents, not in each.
pub(super) fn names_of_attachments(subject: &Subject<'_>) -> Verdict {
    let documents = documents(subject.node, "916")?;
    at_most_one(
        documents
            .iter()
            .map(|document| document.count("Name"))
            .sum(),
    )
}

/// Counted over all documents, not in each.
pub(super) fn attachments(subject: &Subject<'_>) -> Verdict {
    let documents = documents(subject.node, "916")?;
    let files = documents
        .iter()
        .map(|document| document.count("AttachmentBinaryObject"));
    at_most_one(files.sum())
}

/// Taxes of lines count too.
pub(super) fn tax_points_are_equal(subject: &Subject<'_>) -> Condition {
    Ok(!subject.facts.has_different_tax_points)
}

pub(super) fn payment_means_are_equal(subject: &Subject<'_>) -> Condition {
    Ok(are_equal(subject.node, "TypeCode"))
}

pub(super) fn payment_texts_are_equal(subject: &Subject<'_>) -> Condition {
    Ok(are_equal(subject.node, "Information"))
}

/// Whether all payment means have the same normalised text at a child, or none.
fn are_equal(root: Node<'_>, child: &str) -> bool {
    let means = root.descendants();
    let means = means.filter(|node| node.is("SpecifiedTradeSettlementPaymentMeans"));
    let mut texts = means
        .flat_map(|means| means.all(child))
        .map(|node| normalize(&node.text()));
    match texts.next() {
        Some(first) => texts.all(|text| text == first),
        None => true,
    }
}

pub(super) fn payment_references(subject: &Subject<'_>) -> Verdict {
    let settlements = subject.node.descendants();
    let settlements = settlements.filter(|node| node.is("ApplicableHeaderTradeSettlement"));
    at_most_one(
        settlements
            .map(|settlement| settlement.count("PaymentReference"))
            .sum(),
    )
}

/// Payment means 30 and 58 have an account, also where the element of the account is missing. White space around
/// the code does not count here.
pub(super) fn transfers_have_accounts(subject: &Subject<'_>) -> Condition {
    const IBAN: &str = "PayeePartyCreditorFinancialAccount/IBANID";
    const OTHER: &str = "PayeePartyCreditorFinancialAccount/ProprietaryID";
    for means in subject.node.all("SpecifiedTradeSettlementPaymentMeans") {
        let code = means.only_text("TypeCode")?;
        let is_transfer = matches!(code.trim_matches(BLANKS), "30" | "58");
        if is_transfer && !means.has(IBAN) && !means.has(OTHER) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_additional(document: Node<'_>, code: &str) -> bool {
    document.is("AdditionalReferencedDocument") && document.has_text("TypeCode", code)
}

pub(super) fn uri_is_of_attachment(subject: &Subject<'_>) -> Condition {
    Ok(!subject.node.has("URIID") || is_additional(subject.node, "916"))
}

pub(super) fn type_is_allowed(subject: &Subject<'_>) -> Condition {
    let mut codes = ["50", "130", "916"].into_iter();
    let has_type = subject.node.has("TypeCode");
    Ok(!has_type || codes.any(|code| is_additional(subject.node, code)))
}

pub(super) fn name_is_of_attachment(subject: &Subject<'_>) -> Condition {
    Ok(!subject.node.has("Name") || is_additional(subject.node, "916"))
}

pub(super) fn file_is_of_attachment(subject: &Subject<'_>) -> Condition {
    Ok(!subject.node.has("AttachmentBinaryObject") || is_additional(subject.node, "916"))
}

pub(super) fn reference_type_is_of_object(subject: &Subject<'_>) -> Condition {
    Ok(!subject.node.has("ReferenceTypeCode") || is_additional(subject.node, "130"))
}

pub(super) fn date_is_of_preceding_invoice(subject: &Subject<'_>) -> Condition {
    let document = subject.node;
    Ok(!document.has("FormattedIssueDateTime") || document.is("InvoiceReferencedDocument"))
}

/// A unit of any billed quantity allows units everywhere.
pub(super) fn unit_is_of_billed_quantity(subject: &Subject<'_>) -> Condition {
    let has_unit = subject.node.attribute("unitCode").is_some();
    Ok(!has_unit || subject.facts.has_billed_unit)
}

/// Exactly `VAT`, where the business rules take any case.
pub(super) fn tax_is_vat(subject: &Subject<'_>) -> Condition {
    Ok(!subject.node.has("TypeCode") || subject.node.has_text("TypeCode", "VAT"))
}

fn is_of_header(tax: Node<'_>, child: &str) -> bool {
    !tax.has(child) || tax.is_inside("ApplicableHeaderTradeSettlement")
}

pub(super) fn basis_is_of_header(subject: &Subject<'_>) -> Condition {
    Ok(is_of_header(subject.node, "BasisAmount"))
}

pub(super) fn tax_point_is_of_header(subject: &Subject<'_>) -> Condition {
    Ok(is_of_header(subject.node, "TaxPointDate"))
}

pub(super) fn tax_point_code_is_of_header(subject: &Subject<'_>) -> Condition {
    Ok(is_of_header(subject.node, "DueDateTypeCode"))
}

pub(super) fn exemption_code_is_of_tax(subject: &Subject<'_>) -> Condition {
    let tax = subject.node;
    Ok(!tax.has("ExemptionReasonCode") || tax.is("ApplicableTradeTax"))
}

pub(super) fn exemption_is_of_tax(subject: &Subject<'_>) -> Condition {
    let tax = subject.node;
    Ok(!tax.has("ExemptionReason") || tax.is("ApplicableTradeTax"))
}

pub(super) fn date_has_8_digits(subject: &Subject<'_>) -> Condition {
    Ok(is_date(&subject.node.text(), 8))
}
