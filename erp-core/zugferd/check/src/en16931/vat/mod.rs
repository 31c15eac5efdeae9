//! Rules of the VAT categories: the elements that they are for.

pub(crate) mod amounts;
pub(crate) mod breakdowns;
pub(crate) mod invoice;
pub(crate) mod uses;

use crate::engine::rule::{Holds, Subject};
use crate::engine::table::{Functions, functions};
use crate::invoice::node::Node;

pub(crate) static FUNCTIONS: Functions = functions! {
    Is:
        is_code, is_tax_of_category, is_tax_of_allowance, is_tax_of_charge,
        is_code_of_vat = |subject| Ok(is_code(subject)? && subject.node.up().map_or(Ok(false), Node::is_vat)?);
};

fn is_code(subject: &Subject<'_>) -> Holds {
    Ok(subject.node.text() == subject.code())
}

fn is_tax_of_category(subject: &Subject<'_>) -> Holds {
    let tax = subject.node;
    Ok(tax.is_of_category(subject.code())? && tax.is_vat()?)
}

fn is_tax_of_allowance(subject: &Subject<'_>) -> Holds {
    let item = subject.node.up();
    Ok(is_tax_of_category(subject)? && item.map_or(Ok(false), |item| item.indicates(false))?)
}

fn is_tax_of_charge(subject: &Subject<'_>) -> Holds {
    let item = subject.node.up();
    Ok(is_tax_of_category(subject)? && item.map_or(Ok(false), |item| item.indicates(true))?)
}
