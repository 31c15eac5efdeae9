//! Rules on the use of VAT categories in the whole invoice: what lines, allowances and charges use has a breakdown.

use crate::abort::Abort;
use crate::facts::Uses;
use crate::rule::Subject;
use crate::table::{Table, rules};

type Condition = Result<bool, Abort>;

pub(crate) const INVOICE: Table = rules! {
    fatal "BR-S-01" "BG-23 BT-118 BG-25 BG-20 BG-21 BT-151 BT-95 BT-102",
        Is(|subject| Ok(has_breakdown(subject.facts.uses("S"))))
        => "The category S is used, but has no {BG-23}."
        | "Die Kategorie S wird verwendet, hat aber keine {BG-23}.";
    fatal "BR-Z-01" "BG-23 BT-118 BG-25 BG-20 BG-21 BT-151 BT-95 BT-102",
        Is(|subject| Ok(go_together(subject.facts.uses("Z"))))
        => "Uses of the category Z and exactly one {BG-23} of it go together."
        | "Zur Verwendung der Kategorie Z gehört genau eine {BG-23} und umgekehrt.";
    fatal "BR-E-01" "BG-23 BT-118 BG-25 BG-20 BG-21 BT-151 BT-95 BT-102",
        Is(|subject| Ok(go_together(subject.facts.uses("E"))))
        => "Uses of the category E and exactly one {BG-23} of it go together."
        | "Zur Verwendung der Kategorie E gehört genau eine {BG-23} und umgekehrt.";
    fatal "BR-AE-01" "BG-23 BT-118 BG-25 BG-20 BG-21 BT-151 BT-95 BT-102",
        Is(|subject| Ok(go_together(subject.facts.uses("AE"))))
        => "Uses of the category AE and exactly one {BG-23} of it go together."
        | "Zur Verwendung der Kategorie AE gehört genau eine {BG-23} und umgekehrt.";
    fatal "BR-IC-01" "BG-23 BT-118 BG-25 BG-20 BG-21 BT-151 BT-95 BT-102",
        Is(|subject| Ok(go_together(subject.facts.uses("K"))))
        => "Uses of the category K and exactly one {BG-23} of it go together."
        | "Zur Verwendung der Kategorie K gehört genau eine {BG-23} und umgekehrt.";
    fatal "BR-G-01" "BG-23 BT-118 BG-25 BG-20 BG-21 BT-151 BT-95 BT-102",
        Is(|subject| Ok(go_together(subject.facts.uses("G"))))
        => "Uses of the category G and exactly one {BG-23} of it go together."
        | "Zur Verwendung der Kategorie G gehört genau eine {BG-23} und umgekehrt.";
    fatal "BR-O-01" "BG-23 BT-118 BG-25 BG-20 BG-21 BT-151 BT-95 BT-102",
        Is(|subject| Ok(are_outside(subject.facts.uses("O"))))
        => "The category O has a {BG-23} without a use, or more than one."
        | "Die Kategorie O hat eine {BG-23} ohne Verwendung oder mehr als eine.";
    fatal "BR-AF-01" "BG-23 BT-118 BG-25 BG-20 BG-21 BT-151 BT-95 BT-102",
        Is(|subject| Ok(has_breakdown(subject.facts.uses("L"))))
        => "The category L is used, but has no {BG-23}."
        | "Die Kategorie L wird verwendet, hat aber keine {BG-23}.";
    fatal "BR-AG-01" "BG-23 BT-118 BG-25 BG-20 BG-21 BT-151 BT-95 BT-102",
        Is(|subject| Ok(has_breakdown(subject.facts.uses("M"))))
        => "The category M is used, but has no {BG-23}."
        | "Die Kategorie M wird verwendet, hat aber keine {BG-23}.";
    fatal "BR-B-01" "BT-151 BT-95 BT-102", Is(split_payment_is_italian)
        => "Split payment (category B) is for Italy, but the invoice has another country."
        | "Split Payment (Kategorie B) gilt für Italien, die Rechnung nennt aber ein anderes Land.";
    fatal "BR-B-02" "BG-25 BG-20 BG-21 BT-151 BT-95 BT-102", Is(split_payment_is_alone)
        => "The categories B (split payment) and S (standard rate) are used together."
        | "Die Kategorien B (Split Payment) und S (Normalsatz) werden zusammen verwendet.";
};

/// Counted as the official artefact does: two uses without a breakdown pass.
fn has_breakdown(uses: Uses) -> bool {
    let is_enough = |count: usize| count == 0 || count + uses.breakdowns >= 2;
    is_enough(uses.lines) && is_enough(uses.allowances)
}

/// No use and no breakdown, or uses and exactly one breakdown.
fn go_together(uses: Uses) -> bool {
    match uses.breakdowns {
        0 => uses.lines + uses.allowances == 0,
        1 => uses.lines + uses.allowances > 0,
        _ => false,
    }
}

/// As [`go_together`], but a use without a breakdown passes.
fn are_outside(uses: Uses) -> bool {
    uses.breakdowns == 0 || go_together(uses)
}

/// Every country of the document counts.
fn split_payment_is_italian(subject: &Subject<'_>) -> Condition {
    let facts = subject.facts;
    Ok(!(facts.has_split_payment && facts.has_country_other_than_italy))
}

/// Every category code of the document counts.
fn split_payment_is_alone(subject: &Subject<'_>) -> Condition {
    let facts = subject.facts;
    Ok(!(facts.has_split_payment && facts.has_standard_rate))
}
