//! Conditions of syntax restrictions that are more than a count.

use crate::engine::{Functions, Holds, Subject, Values, Verdict, functions};
use crate::invoice::abort::Abort;
use crate::invoice::decimal::BLANKS;
use crate::invoice::node::Node;
use crate::invoice::values::{any, is_date, normalize};

pub(crate) static FUNCTIONS: Functions = functions! {
    Is:
        origin_is_one_country, price_has_only_allowances, transfers_have_accounts,
        type_is_allowed, date_is_of_preceding_invoice, unit_is_of_billed_quantity,
        // Taxes of lines count too.
        tax_points_are_equal = |subject| Ok(!subject.facts.has_different_tax_points),
        file_is_of_attachment = |subject| {
            Ok(!subject.node.has("AttachmentBinaryObject") || is_additional(subject.node, "916"))
        },
        reference_type_is_of_object = |subject| {
            Ok(!subject.node.has("ReferenceTypeCode") || is_additional(subject.node, "130"))
        },
        exemption_code_is_of_tax = |subject| Ok(is_of_tax(subject.node, "ExemptionReasonCode")),
        exemption_is_of_tax = |subject| Ok(is_of_tax(subject.node, "ExemptionReason")),
        payment_means_are_equal = |subject| Ok(are_equal(subject.node, "TypeCode")),
        payment_texts_are_equal = |subject| Ok(are_equal(subject.node, "Information")),
        uri_is_of_attachment = |subject| Ok(!subject.node.has("URIID") || is_additional(subject.node, "916")),
        name_is_of_attachment = |subject| Ok(!subject.node.has("Name") || is_additional(subject.node, "916")),
        basis_is_of_header = |subject| Ok(is_of_header(subject.node, "BasisAmount")),
        tax_point_is_of_header = |subject| Ok(is_of_header(subject.node, "TaxPointDate")),
        tax_point_code_is_of_header = |subject| Ok(is_of_header(subject.node, "DueDateTypeCode")),
        date_has_8_digits = |subject| Ok(is_date(&subject.node.text(), 8)),
        is_no_tax_total = |subject| Ok(!subject.node.is("TaxTotalAmount"));
    Judge:
        attachments, payment_references,
        names_of_attachments = |subject| at_most_one_of_all(&documents(subject.node, "916")?, "Name"),
        tender_references = |subject| at_most_one(count_exactly(subject.node, "50")),
        object_references = |subject| at_most_one(count_exactly(subject.node, "130")),
        line_object_references = |subject| at_most_one(documents(subject.node, "130")?.len());
};

/// Counted over all countries of the item.
fn origin_is_one_country(subject: &Subject<'_>) -> Holds {
    let product = subject.node;
    let has_none = !product.has("OriginTradeCountry");
    Ok(has_none || product.count("OriginTradeCountry/ID") == 1)
}

/// Indicator false and an amount, or neither; one of several price allowances is enough.
fn price_has_only_allowances(subject: &Subject<'_>) -> Holds {
    const CHARGE: &str = "GrossPriceProductTradePrice/AppliedTradeAllowanceCharge";
    let charges = subject.node.all(CHARGE);
    let has_allowance = any(&charges, |charge| charge.indicates(false))?;
    let has = |path: &str| charges.iter().any(|charge| charge.has(path));
    let has_amount = has("ActualAmount");
    Ok((has_allowance && has_amount) || (!has("ChargeIndicator") && !has_amount))
}

fn at_most_one(count: usize) -> Verdict {
    Ok((count > 1).then(|| Values::found(count.to_string())))
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

/// The additional documents whose type code is exactly this text.
fn count_exactly(agreement: Node<'_>, code: &str) -> usize {
    let documents = agreement.children("AdditionalReferencedDocument");
    let of_type = documents.filter(|document| document.has_text("TypeCode", code));
    of_type.count()
}

fn attachments(subject: &Subject<'_>) -> Verdict {
    let documents = documents(subject.node, "916")?;
    at_most_one_of_all(&documents, "AttachmentBinaryObject")
}

/// Counted over all elements, not in each.
fn at_most_one_of_all(nodes: &[Node<'_>], child: &str) -> Verdict {
    at_most_one(nodes.iter().map(|node| node.count(child)).sum())
}

/// Whether all payment means have the same normalised text at a child, or none.
fn are_equal(root: Node<'_>, child: &str) -> bool {
    let means = root.descendants();
    let means = means.filter(|node| node.is("SpecifiedTradeSettlementPaymentMeans"));
    let children = means.flat_map(|means| means.all(child));
    let mut texts = children.map(|node| normalize(&node.text()));
    let first = texts.next();
    first.is_none_or(|first| texts.all(|text| text == first))
}

fn payment_references(subject: &Subject<'_>) -> Verdict {
    let settlements = subject.node.descendants();
    let settlements = settlements.filter(|node| node.is("ApplicableHeaderTradeSettlement"));
    at_most_one_of_all(&settlements.collect::<Vec<_>>(), "PaymentReference")
}

/// Payment means 30 and 58 have an account, also where the element of the account is missing. White space around
/// the code does not count here.
fn transfers_have_accounts(subject: &Subject<'_>) -> Holds {
    const IBAN: &str = "PayeePartyCreditorFinancialAccount/IBANID";
    const OTHER: &str = "PayeePartyCreditorFinancialAccount/ProprietaryID";
    let means = subject.node.all("SpecifiedTradeSettlementPaymentMeans");
    let lacks_account = any(means, |means| {
        let code = means.only_text("TypeCode")?;
        let is_transfer = matches!(code.trim_matches(BLANKS), "30" | "58");
        Ok(is_transfer && !means.has(IBAN) && !means.has(OTHER))
    });
    Ok(!lacks_account?)
}

fn is_additional(document: Node<'_>, code: &str) -> bool {
    document.is("AdditionalReferencedDocument") && document.has_text("TypeCode", code)
}

fn type_is_allowed(subject: &Subject<'_>) -> Holds {
    let mut codes = ["50", "130", "916"].into_iter();
    let has_type = subject.node.has("TypeCode");
    Ok(!has_type || codes.any(|code| is_additional(subject.node, code)))
}

fn date_is_of_preceding_invoice(subject: &Subject<'_>) -> Holds {
    let document = subject.node;
    Ok(!document.has("FormattedIssueDateTime") || document.is("InvoiceReferencedDocument"))
}

/// A unit of any billed quantity allows units everywhere.
fn unit_is_of_billed_quantity(subject: &Subject<'_>) -> Holds {
    let has_unit = subject.node.attribute("unitCode").is_some();
    Ok(!has_unit || subject.facts.has_billed_unit)
}

fn is_of_header(tax: Node<'_>, child: &str) -> bool {
    !tax.has(child) || tax.is_inside("ApplicableHeaderTradeSettlement")
}

fn is_of_tax(tax: Node<'_>, child: &str) -> bool {
    !tax.has(child) || tax.is("ApplicableTradeTax")
}
