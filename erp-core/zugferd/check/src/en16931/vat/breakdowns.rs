//! What the breakdown of a VAT category has: taxable amount, tax amount, reason of exemption.

use super::amounts::{
    basis_is_exact, basis_is_near, basis_of_rate_is_exact, breakdown_of, tax_is_near, tax_is_zero,
};
use crate::abort::Abort;
use crate::rule::Test::{Always, Is, Judge};
use crate::rule::{Rule, Subject, Test, fatal};
use crate::table::{Table, Tables, rules};

type Condition = Result<bool, Abort>;

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
pub(crate) const UNTAXED: Tables = &[Table::Made(&[
    basis(Judge(basis_is_near)),
    tax_amount(Judge(tax_is_zero)),
    EXEMPTION,
])];

pub(crate) const SUPPLY: Tables = &[
    Table::Made(&[
        basis(Judge(basis_is_near)),
        tax_amount(Judge(tax_is_zero)),
        EXEMPTION,
    ]),
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
pub(crate) const ISLANDS: Tables = &[Table::Made(&[
    basis(Always),
    tax_amount(Always),
    NO_EXEMPTION,
])];

pub(crate) const OUTSIDE: Tables = &[
    Table::Made(&[
        basis(Judge(basis_is_exact)),
        tax_amount(Judge(tax_is_zero)),
        EXEMPTION,
    ]),
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

pub(crate) const STANDARD: Tables = &[Table::Made(&[
    basis(Judge(basis_of_rate_is_exact)),
    tax_amount(Judge(tax_is_near)),
    NO_EXEMPTION,
])];

pub(crate) const ZERO: Tables = &[Table::Made(&[
    basis(Judge(basis_is_near)),
    tax_amount(Judge(tax_is_zero)),
    NO_EXEMPTION,
])];

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
    Ok(!subject.facts.has_other_tax_than_o)
}

fn all_allowances_are_outside(subject: &Subject<'_>) -> Condition {
    Ok(!subject.facts.has_other_allowance_than_o)
}
