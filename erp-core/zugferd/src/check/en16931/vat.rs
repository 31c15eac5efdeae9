//! Rules of the VAT categories: which identifiers and which rate a category asks for, on lines, allowances and
//! charges, and what its breakdown has. In the ids `*` stands for the letters of the category.

use super::vat_sums::{
    basis_is_exact, basis_is_near, basis_of_rate_is_exact, tax_is_near, tax_is_zero,
};
use crate::check::abort::Abort;
use crate::check::rule::Place::Anywhere;
use crate::check::rule::Test::{Always, Is, Judge};
use crate::check::rule::{Category, Context, Rule, Subject, Test, fatal, rules};
use crate::check::view::Node;

type Condition = Result<bool, Abort>;
type Tables = &'static [&'static [Rule]];

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

/// The code of the category; no XML has the empty one.
fn code(subject: &Subject<'_>) -> &'static str {
    subject.category.map_or("", |category| category.code)
}

fn is_code(subject: &Subject<'_>) -> Condition {
    Ok(subject.node.text() == code(subject))
}

fn is_code_of_vat(subject: &Subject<'_>) -> Condition {
    Ok(is_code(subject)? && subject.node.up().map_or(Ok(false), Node::is_vat)?)
}

fn is_tax_of_category(subject: &Subject<'_>) -> Condition {
    let tax = subject.node;
    Ok(tax.has_text("CategoryCode", code(subject)) && tax.is_vat()?)
}

fn is_tax_of_allowance(subject: &Subject<'_>) -> Condition {
    let item = subject.node.up();
    Ok(is_tax_of_category(subject)? && item.map_or(Ok(false), |item| item.indicates(false))?)
}

fn is_tax_of_charge(subject: &Subject<'_>) -> Condition {
    let item = subject.node.up();
    Ok(is_tax_of_category(subject)? && item.map_or(Ok(false), |item| item.indicates(true))?)
}

// The rules on the use of a category: identifiers of the parties, then the rate.

const fn identified(id: &'static str, terms: &'static str) -> Rule {
    fatal(id, terms, Is(seller_is_identified)).says(
        "The VAT category {category} needs {BT-31}, {BT-32} or {BT-63}.",
        "Die Umsatzsteuerkategorie {category} braucht {BT-31}, {BT-32} oder {BT-63}.",
    )
}

const fn identified_both(id: &'static str, terms: &'static str) -> Rule {
    fatal(id, terms, Is(both_are_identified)).says(
        "The VAT category {category} needs a tax identifier of the seller (BT-31, BT-32 or BT-63) and {BT-48} or {BT-47}.",
        "Die Umsatzsteuerkategorie {category} braucht eine Steuerkennung des Verkäufers (BT-31, BT-32 oder BT-63) und {BT-48} oder {BT-47}.",
    )
}

const fn identified_for_vat(id: &'static str, terms: &'static str) -> Rule {
    fatal(id, terms, Is(seller_is_identified_for_vat)).says(
        "The VAT category {category} needs {BT-31} or {BT-63}.",
        "Die Umsatzsteuerkategorie {category} braucht {BT-31} oder {BT-63}.",
    )
}

const fn identified_both_for_vat(id: &'static str, terms: &'static str) -> Rule {
    fatal(id, terms, Is(both_are_identified_for_vat)).says(
        "The VAT category {category} needs {BT-31} or {BT-63}, and {BT-48}.",
        "Die Umsatzsteuerkategorie {category} braucht {BT-31} oder {BT-63} und {BT-48}.",
    )
}

const fn not_identified(id: &'static str, terms: &'static str) -> Rule {
    fatal(id, terms, Is(no_party_is_identified_for_vat)).says(
        "The VAT category {category} goes without VAT identifiers (BT-31, BT-63, BT-48).",
        "Zur Umsatzsteuerkategorie {category} gehören keine Umsatzsteuer-IDs (BT-31, BT-63, BT-48).",
    )
}

const fn rate_above_zero(id: &'static str, terms: &'static str) -> Rule {
    fatal(id, terms, Is(has_rate_above_zero)).says(
        "{term} is missing or not greater than 0, as the category {category} needs.",
        "{term} fehlt oder ist nicht größer als 0, wie es die Kategorie {category} verlangt.",
    )
}

const fn rate_of_zero(id: &'static str, terms: &'static str) -> Rule {
    fatal(id, terms, Is(has_rate_of_zero)).says(
        "{term} is missing or not 0, as the category {category} needs.",
        "{term} fehlt oder ist nicht 0, wie es die Kategorie {category} verlangt.",
    )
}

const fn rate_not_below_zero(id: &'static str, terms: &'static str) -> Rule {
    fatal(id, terms, Is(has_rate_not_below_zero)).says(
        "{term} is missing or negative; the category {category} needs 0 or more.",
        "{term} fehlt oder ist negativ; die Kategorie {category} verlangt mindestens 0.",
    )
}

const fn no_rate(id: &'static str, terms: &'static str) -> Rule {
    fatal(id, terms, NO_RATE).says(
        "The category {category} has no rate: {term} must be left out.",
        "Die Kategorie {category} hat keinen Satz: {term} muss entfallen.",
    )
}

const NO_RATE: Test = Test::Absent("RateApplicablePercent");

/// The tables of a category for lines, allowances and charges.
macro_rules! uses {
    ($($name:ident: $identifiers:ident, $rate:ident;)*) => {
        $(pub(super) mod $name {
            use super::{$identifiers, $rate, Tables};

            pub(in super::super) const LINE: Tables = &[&[
                $identifiers("BR-*-02", "BG-25 BT-151 BT-31 BT-32 BT-63 BT-48"),
                $rate("BR-*-05", "BG-25 BT-152 BT-151"),
            ]];
            pub(in super::super) const ALLOWANCE: Tables = &[&[
                $identifiers("BR-*-03", "BG-20 BT-95 BT-31 BT-32 BT-63 BT-48"),
                $rate("BR-*-06", "BG-20 BT-96 BT-95"),
            ]];
            pub(in super::super) const CHARGE: Tables = &[&[
                $identifiers("BR-*-04", "BG-21 BT-102 BT-31 BT-32 BT-63 BT-48"),
                $rate("BR-*-07", "BG-21 BT-103 BT-102"),
            ]];
        })*
    };
}

uses! {
    standard: identified, rate_above_zero;
    zero: identified, rate_of_zero;
    reverse: identified_both, rate_of_zero;
    export: identified_for_vat, rate_of_zero;
    supply: identified_both_for_vat, rate_of_zero;
    ipsi: identified, rate_not_below_zero;
    outside: not_identified, no_rate;
}

fn seller_is_identified(subject: &Subject<'_>) -> Condition {
    Ok(subject.node.facts().header_ids.identify_seller())
}

fn both_are_identified(subject: &Subject<'_>) -> Condition {
    let ids = subject.node.facts().ids;
    Ok(ids.identify_seller() && (ids.buyer_vat || ids.buyer_legal))
}

fn seller_is_identified_for_vat(subject: &Subject<'_>) -> Condition {
    Ok(subject.node.facts().ids.identify_seller_for_vat())
}

fn both_are_identified_for_vat(subject: &Subject<'_>) -> Condition {
    let ids = subject.node.facts().ids;
    Ok(ids.identify_seller_for_vat() && ids.buyer_vat)
}

fn no_party_is_identified_for_vat(subject: &Subject<'_>) -> Condition {
    let ids = subject.node.facts().header_ids;
    Ok(!ids.identify_seller_for_vat() && !ids.buyer_vat)
}

const RATE: &str = "RateApplicablePercent";

fn has_rate_above_zero(subject: &Subject<'_>) -> Condition {
    subject.node.any_double(RATE, |rate| rate > 0.0)
}

fn has_rate_of_zero(subject: &Subject<'_>) -> Condition {
    subject.node.any_double(RATE, |rate| rate == 0.0)
}

fn has_rate_not_below_zero(subject: &Subject<'_>) -> Condition {
    subject.node.any_double(RATE, |rate| rate >= 0.0)
}

// The rules on a breakdown: taxable amount, tax amount, exemption reason.

const fn basis(test: Test) -> Rule {
    fatal("BR-*-08", "BT-116 BG-23 BT-118 BT-131 BT-92 BT-99 BT-151 BT-95 BT-102", test).says(
        "{BT-116} of the category {category} is {found}; its lines plus charges minus allowances are {expected}.",
        "{BT-116} zu {category} ist {found}; Positionen plus Zuschläge minus Nachlässe sind {expected}.",
    )
}

const fn tax_amount(test: Test) -> Rule {
    fatal("BR-*-09", "BT-117 BG-23 BT-118", test).says(
        "{BT-117} of the category {category} is {found} instead of {expected}.",
        "{BT-117} zu {category} ist {found} statt {expected}.",
    )
}

const EXEMPTION: Rule = fatal("BR-*-10", "BG-23 BT-118 BT-121 BT-120", Is(has_exemption)).says(
    "The category {category} needs a reason of exemption (BT-120) or its code (BT-121).",
    "Die Kategorie {category} braucht einen Befreiungsgrund (BT-120) oder dessen Code (BT-121).",
);

const NO_EXEMPTION: Rule = fatal(
    "BR-*-10",
    "BG-23 BT-118 BT-121 BT-120",
    Is(has_no_exemption),
)
.says(
    "The category {category} has no reason of exemption (BT-120, BT-121).",
    "Die Kategorie {category} hat keinen Befreiungsgrund (BT-120, BT-121).",
);

/// Reverse charge, exempt and export.
pub(super) const UNTAXED: Tables = &[&[
    basis(Judge(basis_is_near)),
    tax_amount(Judge(tax_is_zero)),
    EXEMPTION,
]];

pub(super) const SUPPLY: Tables = &[
    &[
        basis(Judge(basis_is_near)),
        tax_amount(Judge(tax_is_zero)),
        EXEMPTION,
    ],
    rules! {
        fatal "BR-IC-11" "BG-23 BT-118 BT-72 BG-14", Is(supply_has_date)
            => "An intra-community supply needs {BT-72} or {BG-14}."
            | "Eine innergemeinschaftliche Lieferung braucht {BT-72} oder {BG-14}.";
        fatal "BR-IC-12" "BG-23 BT-118 BT-80", Is(supply_has_country)
            => "An intra-community supply needs {BT-80}."
            | "Eine innergemeinschaftliche Lieferung braucht {BT-80}.";
    },
];

/// The amounts are not judged: the official conditions are always true.
pub(super) const ISLANDS: Tables = &[&[basis(Always), tax_amount(Always), NO_EXEMPTION]];

pub(super) const OUTSIDE: Tables = &[
    &[
        basis(Judge(basis_is_exact)),
        tax_amount(Judge(tax_is_zero)),
        EXEMPTION,
    ],
    rules! {
        fatal "BR-O-11" "BG-23 BT-118", Is(all_taxes_are_outside)
            => "Besides the category {category}, breakdowns or lines have another one."
            | "Neben der Kategorie {category} haben Aufschlüsselungen oder Positionen eine andere.";
        fatal "BR-O-12" "BG-23 BT-118 BG-25 BT-151", Is(all_taxes_are_outside)
            => "Besides the category {category}, lines or breakdowns have another one."
            | "Neben der Kategorie {category} haben Positionen oder Aufschlüsselungen eine andere.";
        fatal "BR-O-13" "BG-23 BT-118 BG-20 BT-95", Is(all_allowances_are_outside)
            => "Besides the category {category}, allowances or charges have another one."
            | "Neben der Kategorie {category} haben Nachlässe oder Zuschläge eine andere.";
        fatal "BR-O-14" "BG-23 BT-118 BG-21 BT-102", Is(all_allowances_are_outside)
            => "Besides the category {category}, charges or allowances have another one."
            | "Neben der Kategorie {category} haben Zuschläge oder Nachlässe eine andere.";
    },
];

pub(super) const STANDARD: Tables = &[&[
    basis(Judge(basis_of_rate_is_exact)),
    tax_amount(Judge(tax_is_near)),
    NO_EXEMPTION,
]];

pub(super) const ZERO: Tables = &[&[
    basis(Judge(basis_is_near)),
    tax_amount(Judge(tax_is_zero)),
    NO_EXEMPTION,
]];

/// The breakdown: the subject or, where that is the code, the element around it.
pub(super) fn breakdown_of<'a>(subject: &Subject<'a>) -> Node<'a> {
    match subject.node.up() {
        Some(tax) if subject.node.is("CategoryCode") => tax,
        _ => subject.node,
    }
}

fn has_exemption(subject: &Subject<'_>) -> Condition {
    let tax = breakdown_of(subject);
    Ok(tax.has("ExemptionReason") || tax.has("ExemptionReasonCode"))
}

fn has_no_exemption(subject: &Subject<'_>) -> Condition {
    has_exemption(subject).map(|has| !has)
}

fn supply_has_date(subject: &Subject<'_>) -> Condition {
    const DELIVERY: &str = "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeDelivery/\
                            ActualDeliverySupplyChainEvent/OccurrenceDateTime/udt:DateTimeString";
    let tax = breakdown_of(subject);
    Ok(tax.root().has(DELIVERY)
        || tax.has("../BillingSpecifiedPeriod/StartDateTime")
        || tax.has("../BillingSpecifiedPeriod/EndDateTime"))
}

fn supply_has_country(subject: &Subject<'_>) -> Condition {
    Ok(subject.node.root().has(
        "rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeDelivery/ShipToTradeParty/\
         PostalTradeAddress/CountryID",
    ))
}

fn all_taxes_are_outside(subject: &Subject<'_>) -> Condition {
    Ok(!subject.node.facts().has_other_tax_than_o)
}

fn all_allowances_are_outside(subject: &Subject<'_>) -> Condition {
    Ok(!subject.node.facts().has_other_allowance_than_o)
}
