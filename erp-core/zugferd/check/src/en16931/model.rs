//! The pattern of the business rules: at which elements which tables are judged.

use super::sums;
use crate::engine::rule::{Holds, Subject};
use crate::engine::table::{Functions, functions};

pub(crate) static FUNCTIONS: Functions = functions! {
    Is:
        is_transfer, is_false, is_true, is_in_invoice_currency, is_vat_id;
};

fn is_transfer(subject: &Subject<'_>) -> Holds {
    let means = subject.node.up();
    Ok(means
        .is_some_and(|means| means.has_text("TypeCode", "30") || means.has_text("TypeCode", "58")))
}

/// Exactly this text, where rules of VAT take every form of a boolean.
fn is_false(subject: &Subject<'_>) -> Holds {
    Ok(subject.node.has_text("udt:Indicator", "false"))
}

fn is_true(subject: &Subject<'_>) -> Holds {
    Ok(subject.node.has_text("udt:Indicator", "true"))
}

fn is_in_invoice_currency(subject: &Subject<'_>) -> Holds {
    let currencies = subject.node.root().texts(sums::INVOICE_CURRENCY);
    Ok(subject.node.is_in_currency(&currencies))
}

fn is_vat_id(subject: &Subject<'_>) -> Holds {
    Ok(subject.node.attribute("schemeID") == Some("VA"))
}
