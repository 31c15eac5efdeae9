//! Rules on payment.

use crate::engine::rule::Holds;
use crate::engine::table::{Functions, functions};
use crate::invoice::abort::Abort;
use crate::invoice::document::Document;
use crate::invoice::double;
use crate::invoice::node::Node;

pub(super) static FUNCTIONS: Functions = functions! {
    Of:
        payment_due, account_text, one_account,
        credit_transfer = |_, means| Ok(matches!(&*means.words("TypeCode")?, "30" | "58"));
};

/// A positive amount due needs a due date or payment terms.
fn payment_due(document: &Document<'_>, _: Node<'_>) -> Holds {
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

fn account_text(_: &Document<'_>, account: Node<'_>) -> Holds {
    let is_given = |name| account.words(name).map(|text| !text.is_empty());
    match (is_given("IBANID"), is_given("ProprietaryID")) {
        // One of them is enough, whatever the other is.
        (Ok(true), _) | (_, Ok(true)) => Ok(true),
        (iban, other) => Ok(iban? || other?),
    }
}

fn one_account(_: &Document<'_>, means: Node<'_>) -> Holds {
    let has = |name| means.has(&format!("PayeePartyCreditorFinancialAccount/{name}"));
    Ok(has("IBANID") != has("ProprietaryID"))
}
