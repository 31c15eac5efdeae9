//! Rules of the VAT categories: the categories, and the elements that their rules are for. In the ids of the rules
//! `*` stands for the letters of the category.

mod amounts;
pub(super) mod breakdowns;
pub(super) mod invoice;
pub(super) mod uses;

use crate::abort::Abort;
use crate::context::Context;
use crate::context::Place::Anywhere;
use crate::node::Node;
use crate::rule::{Category, Subject};
use crate::table::Tables;

type Condition = Result<bool, Abort>;

macro_rules! categories {
    ($($name:ident $code:literal $letters:literal $en:literal $de:literal;)*) => {
        $(pub(super) static $name: Category = Category {
            code: $code,
            letters: $letters,
            en: $en,
            de: $de,
        };)*
    };
}

categories! {
    S "S" "S" "standard rate" "Normalsatz";
    Z "Z" "Z" "zero rated" "Nullsatz";
    E "E" "E" "exempt from VAT" "steuerbefreit";
    AE "AE" "AE" "reverse charge" "Umkehr der Steuerschuld";
    K "K" "IC" "intra-community supply" "innergemeinschaftliche Lieferung";
    G "G" "G" "export outside the EU" "Ausfuhr aus der EU";
    O "O" "O" "outside the scope of VAT" "nicht steuerbar";
    L "L" "AF" "Canary Islands tax" "Steuer der Kanarischen Inseln";
    M "M" "AG" "tax of Ceuta and Melilla" "Steuer von Ceuta und Melilla";
}

const TRADE: &str = "rsm:SupplyChainTradeTransaction";
const SETTLEMENT: &str = "ApplicableHeaderTradeSettlement";
const TAX: &str = "ApplicableTradeTax";

/// The code in a breakdown of the tax type VAT.
pub(super) const fn breakdown_code(category: &'static Category, rules: Tables) -> Context {
    let place = Anywhere(&[TRADE, SETTLEMENT, TAX, "CategoryCode"]);
    Context::new(place, rules).of(category).when(is_code_of_vat)
}

/// The code in a breakdown of any tax type.
pub(super) const fn breakdown_code_of_any_tax(
    category: &'static Category,
    rules: Tables,
) -> Context {
    let place = Anywhere(&[SETTLEMENT, TAX, "CategoryCode"]);
    Context::new(place, rules).of(category).when(is_code)
}

/// The breakdown itself.
pub(super) const fn breakdown(category: &'static Category, rules: Tables) -> Context {
    let place = Anywhere(&[TRADE, SETTLEMENT, TAX]);
    Context::new(place, rules)
        .of(category)
        .when(is_tax_of_category)
}

pub(super) const fn line(category: &'static Category, rules: Tables) -> Context {
    const LINE: &[&str] = &[
        TRADE,
        "IncludedSupplyChainTradeLineItem",
        "SpecifiedLineTradeSettlement",
        TAX,
    ];
    Context::new(Anywhere(LINE), rules)
        .of(category)
        .when(is_tax_of_category)
}

const CATEGORY_TAX: &[&str] = &["SpecifiedTradeAllowanceCharge", "CategoryTradeTax"];

pub(super) const fn allowance(category: &'static Category, rules: Tables) -> Context {
    Context::new(Anywhere(CATEGORY_TAX), rules)
        .of(category)
        .when(is_tax_of_allowance)
}

pub(super) const fn charge(category: &'static Category, rules: Tables) -> Context {
    Context::new(Anywhere(CATEGORY_TAX), rules)
        .of(category)
        .when(is_tax_of_charge)
}

fn is_code(subject: &Subject<'_>) -> Condition {
    Ok(subject.node.text() == subject.code())
}

fn is_code_of_vat(subject: &Subject<'_>) -> Condition {
    Ok(is_code(subject)? && subject.node.up().map_or(Ok(false), Node::is_vat)?)
}

fn is_tax_of_category(subject: &Subject<'_>) -> Condition {
    let tax = subject.node;
    Ok(tax.has_text("CategoryCode", subject.code()) && tax.is_vat()?)
}

fn is_tax_of_allowance(subject: &Subject<'_>) -> Condition {
    let item = subject.node.up();
    Ok(is_tax_of_category(subject)? && item.map_or(Ok(false), |item| item.indicates(false))?)
}

fn is_tax_of_charge(subject: &Subject<'_>) -> Condition {
    let item = subject.node.up();
    Ok(is_tax_of_category(subject)? && item.map_or(Ok(false), |item| item.indicates(true))?)
}
