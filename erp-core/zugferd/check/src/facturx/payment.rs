//! Rules on payment.

use super::document::Document;
use super::rule::Place::{Any, Root, Some as Those};
use super::rule::{Group, table};
use super::values::Verdict;
use crate::abort::Abort;
use crate::double;
use crate::node::Node;
use crate::values::normalize;

const MEANS: &str = "SpecifiedTradeSettlementPaymentMeans";

pub(super) static PAYMENT: &[Group] = table! {
    Root {
        "BR-CO-25" Holds(payment_due);
        "CII-SR-467" Holds(|document, _| all_equal(document, "SpecifiedTradeSettlementPaymentMeans/TypeCode"));
        "CII-SR-468" Holds(|document, _| all_equal(document, "SpecifiedTradeSettlementPaymentMeans/Information"));
        "CII-SR-469" Holds(one_payment_reference);
    }
    Any(MEANS) {
        "BR-49" Present("TypeCode");
    }
    Those("SpecifiedTradeSettlementPaymentMeans/PayeePartyCreditorFinancialAccount", of_credit_transfer) {
        "BR-50" Holds(account_text);
        "BR-61" Present("IBANID|ProprietaryID");
    }
    Those(MEANS, credit_transfer) {
        "CII-SR-470" Holds(one_account);
        "BR-CO-27" Holds(one_account);
    }
    Any("ApplicableTradeSettlementFinancialCard") {
        "BR-51" Holds(card_number);
    }
};

/// A positive amount due needs a due date or payment terms.
fn payment_due(document: &Document<'_>, _: Node<'_>) -> Verdict {
    let mut amounts = document.anywhere("DuePayableAmount");
    let amount = amounts.next();
    if amounts.next().is_some() {
        return Err(Abort::several("DuePayableAmount"));
    }
    let due =
        amount.is_some_and(|amount| double::parse(&amount.text()).is_ok_and(|amount| amount > 0.0));
    let mut terms = document.anywhere("SpecifiedTradePaymentTerms");
    Ok(!due || terms.any(|terms| terms.has("DueDateDateTime") || terms.has("Description")))
}

fn all_equal(document: &Document<'_>, path: &str) -> Verdict {
    let mut texts = document
        .anywhere(path)
        .map(|element| normalize(&element.text()));
    let first = texts.next();
    Ok(texts.all(|text| Some(&text) == first.as_ref()))
}

fn one_payment_reference(document: &Document<'_>, _: Node<'_>) -> Verdict {
    let path = "ApplicableHeaderTradeSettlement/PaymentReference";
    Ok(document.anywhere(path).count() <= 1)
}

fn of_credit_transfer(_: &Document<'_>, account: Node<'_>) -> Verdict {
    let is_code =
        |means: Node<'_>| means.has_text("TypeCode", "30") || means.has_text("TypeCode", "58");
    Ok(account.up().is_some_and(is_code))
}

fn credit_transfer(_: &Document<'_>, means: Node<'_>) -> Verdict {
    Ok(matches!(&*means.words("TypeCode")?, "30" | "58"))
}

fn account_text(_: &Document<'_>, account: Node<'_>) -> Verdict {
    let is_given = |name| account.words(name).map(|text| !text.is_empty());
    match (is_given("IBANID"), is_given("ProprietaryID")) {
        // The one that is given is enough, whatever the other is.
        (Ok(true), _) | (_, Ok(true)) => Ok(true),
        (iban, other) => Ok(iban? || other?),
    }
}

fn one_account(_: &Document<'_>, means: Node<'_>) -> Verdict {
    let has = |name| means.has(&format!("PayeePartyCreditorFinancialAccount/{name}"));
    Ok(has("IBANID") != has("ProprietaryID"))
}

fn card_number(_: &Document<'_>, card: Node<'_>) -> Verdict {
    Ok(card.words("ID")?.chars().count() <= 10)
}
