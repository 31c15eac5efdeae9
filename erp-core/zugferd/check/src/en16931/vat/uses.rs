//! What a VAT category asks for where it is used, on lines, allowances and charges: identifiers of the parties and
//! a rate.

use crate::abort::Abort;
use crate::rule::Test::{Absent, Is};
use crate::rule::{Rule, Subject, fatal};

type Condition = Result<bool, Abort>;

/// Rules of one kind, for which only id and terms are left to say.
macro_rules! kinds {
    ($($name:ident $test:ident($argument:expr) $en:literal | $de:literal;)*) => {
        $(const fn $name(id: &'static str, terms: &'static str) -> Rule {
            fatal(id, terms, $test($argument)).says($en, $de)
        })*
    };
}

kinds! {
    identified Is(seller_is_identified)
        "The VAT category {category} needs {BT-31}, {BT-32} or {BT-63}."
        | "Die Umsatzsteuerkategorie {category} braucht {BT-31}, {BT-32} oder {BT-63}.";
    identified_both Is(both_are_identified)
        "The VAT category {category} needs a tax identifier of the seller (BT-31, BT-32 or BT-63) and {BT-48} or {BT-47}."
        | "Die Umsatzsteuerkategorie {category} braucht eine Steuerkennung des Verkäufers (BT-31, BT-32 oder BT-63) und {BT-48} oder {BT-47}.";
    identified_for_vat Is(seller_is_identified_for_vat)
        "The VAT category {category} needs {BT-31} or {BT-63}."
        | "Die Umsatzsteuerkategorie {category} braucht {BT-31} oder {BT-63}.";
    identified_both_for_vat Is(both_are_identified_for_vat)
        "The VAT category {category} needs {BT-31} or {BT-63}, and {BT-48}."
        | "Die Umsatzsteuerkategorie {category} braucht {BT-31} oder {BT-63} und {BT-48}.";
    not_identified Is(no_party_is_identified_for_vat)
        "The VAT category {category} goes without VAT identifiers (BT-31, BT-63, BT-48)."
        | "Zur Umsatzsteuerkategorie {category} gehören keine Umsatzsteuer-IDs (BT-31, BT-63, BT-48).";
    rate_above_zero Is(has_rate_above_zero)
        "{term} is missing or not greater than 0, as the category {category} needs."
        | "{term} fehlt oder ist nicht größer als 0, wie es die Kategorie {category} verlangt.";
    rate_of_zero Is(has_rate_of_zero)
        "{term} is missing or not 0, as the category {category} needs."
        | "{term} fehlt oder ist nicht 0, wie es die Kategorie {category} verlangt.";
    rate_not_below_zero Is(has_rate_not_below_zero)
        "{term} is missing or negative; the category {category} needs 0 or more."
        | "{term} fehlt oder ist negativ; die Kategorie {category} verlangt mindestens 0.";
    no_rate Absent(RATE)
        "The category {category} has no rate: {term} must be left out."
        | "Die Kategorie {category} hat keinen Satz: {term} muss entfallen.";
}

/// The tables of a category for lines, allowances and charges.
macro_rules! uses {
    ($($name:ident: $identifiers:ident, $rate:ident;)*) => {
        $(pub(crate) mod $name {
            use super::{$identifiers, $rate};
            use crate::table::{Table, Tables};

            pub(crate) const LINE: Tables = &[Table::Made(&[
                $identifiers("BR-*-02", "BG-25 BT-151 BT-31 BT-32 BT-63 BT-48"),
                $rate("BR-*-05", "BG-25 BT-152 BT-151"),
            ])];
            pub(crate) const ALLOWANCE: Tables = &[Table::Made(&[
                $identifiers("BR-*-03", "BG-20 BT-95 BT-31 BT-32 BT-63 BT-48"),
                $rate("BR-*-06", "BG-20 BT-96 BT-95"),
            ])];
            pub(crate) const CHARGE: Tables = &[Table::Made(&[
                $identifiers("BR-*-04", "BG-21 BT-102 BT-31 BT-32 BT-63 BT-48"),
                $rate("BR-*-07", "BG-21 BT-103 BT-102"),
            ])];
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
    Ok(subject.facts.header_ids.identify_seller())
}

fn both_are_identified(subject: &Subject<'_>) -> Condition {
    let ids = subject.facts.ids;
    Ok(ids.identify_seller() && (ids.buyer_vat || ids.buyer_legal))
}

fn seller_is_identified_for_vat(subject: &Subject<'_>) -> Condition {
    Ok(subject.facts.ids.identify_seller_for_vat())
}

fn both_are_identified_for_vat(subject: &Subject<'_>) -> Condition {
    let ids = subject.facts.ids;
    Ok(ids.identify_seller_for_vat() && ids.buyer_vat)
}

fn no_party_is_identified_for_vat(subject: &Subject<'_>) -> Condition {
    let ids = subject.facts.header_ids;
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
