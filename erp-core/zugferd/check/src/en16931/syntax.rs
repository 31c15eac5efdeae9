//! Conditions of syntax restrictions that are more than a count.

use crate::engine::{Functions, Holds, Subject, Values, Verdict, functions};
use crate::invoice::abort::Abort;
use crate::invoice::decimal::BLANKS;
use crate::invoice::node::Node;
use crate::invoice::values::{any, is_date, normalize};

pub(crate) static FUNCTIONS: Functions = functions! {
    Is:
        price_has_only_allowances, transfers_have_accounts,
        // Taxes of lines count too.
        tax_points_are_equal = |subject| Ok(!subject.facts.has_different_tax_points),
        file_is_of_attachment = |subject| is_only_in_additional(subject.node, "AttachmentBinaryObject", &["916"]),
        reference_type_is_of_object = |subject| is_only_in_additional(subject.node, "ReferenceTypeCode", &["130"]),
        exemption_code_is_of_tax = |subject| Ok(is_only_in(subject.node, "ExemptionReasonCode", "ApplicableTradeTax")),
        exemption_is_of_tax = |subject| Ok(is_only_in(subject.node, "ExemptionReason", "ApplicableTradeTax")),
        payment_means_are_equal = |subject| Ok(are_equal(subject.node, "TypeCode")),
        payment_texts_are_equal = |subject| Ok(are_equal(subject.node, "Information")),
        uri_is_of_attachment = |subject| is_only_in_additional(subject.node, "URIID", &["916"]),
        name_is_of_attachment = |subject| is_only_in_additional(subject.node, "Name", &["916"]),
        basis_is_of_header = |subject| Ok(is_of_header(subject.node, "BasisAmount")),
        tax_point_is_of_header = |subject| Ok(is_of_header(subject.node, "TaxPointDate")),
        tax_point_code_is_of_header = |subject| Ok(is_of_header(subject.node, "DueDateTypeCode")),
        date_has_8_digits = |subject| Ok(is_date(&subject.node.text(), 8)),
        is_no_tax_total = |subject| Ok(!subject.node.is("TaxTotalAmount")),
        type_is_allowed = |subject| is_only_in_additional(subject.node, "TypeCode", &["50", "130", "916"]),
        date_is_of_preceding_invoice = |subject| {
            Ok(is_only_in(subject.node, "FormattedIssueDateTime", "InvoiceReferencedDocument"))
        },
        // A unit of any billed quantity allows units everywhere.
        unit_is_of_billed_quantity = |subject| {
            Ok(subject.node.attribute("unitCode").is_none() || subject.facts.has_billed_unit)
        },
        // Counted over all countries of the item.
        origin_is_one_country = |subject| {
            Ok(!subject.node.has("OriginTradeCountry") || subject.node.count("OriginTradeCountry/ID") == 1)
        };
    Judge:
        payment_references,
        names_of_attachments = |subject| at_most_one_of_all(&documents(subject.node, "916")?, "Name"),
        tender_references = |subject| at_most_one(count_exactly(subject.node, "50")),
        object_references = |subject| at_most_one(count_exactly(subject.node, "130")),
        line_object_references = |subject| at_most_one(documents(subject.node, "130")?.len()),
        attachments = |subject| at_most_one_of_all(&documents(subject.node, "916")?, "AttachmentBinaryObject");
};

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

fn is_of_header(tax: Node<'_>, child: &str) -> bool {
    !tax.has(child) || tax.is_inside("ApplicableHeaderTradeSettlement")
}

fn is_only_in(node: Node<'_>, child: &str, parent: &str) -> bool {
    !node.has(child) || node.is(parent)
}

/// Whether only additional documents of these types have the child.
fn is_only_in_additional(node: Node<'_>, child: &str, codes: &[&str]) -> Holds {
    let is_of_type = |code: &&str| node.has_text("TypeCode", code);
    let is_additional = || node.is("AdditionalReferencedDocument") && codes.iter().any(is_of_type);
    Ok(!node.has(child) || is_additional())
}
