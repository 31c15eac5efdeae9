//! Rules on the use of VAT categories, which UBL judges once for the whole document.

use crate::engine::{Functions, Holds, Subject, functions};
use crate::invoice::abort::Abort;
use crate::invoice::facts::TaxIds;
use crate::invoice::node::Node;
use crate::invoice::taxes::{Tax, TaxPlace};

pub(super) static FUNCTIONS: Functions = functions! {
    Is:
        use_has_breakdown, has_one_breakdown, split_payment_is_in_italy, split_payment_is_without_standard_rate,
        has_date_of_supply, has_country_of_supply,
        no_other_allowance =
            |subject| no_other(subject, |place| matches!(place, TaxPlace::Allowance { charge: false, .. })),
        no_other_charge =
            |subject| no_other(subject, |place| matches!(place, TaxPlace::Allowance { charge: true, .. })),
        no_other_breakdown = |subject| no_other(subject, |place| place == TaxPlace::Breakdown),
        no_other_line = |subject| no_other(subject, |place| place == TaxPlace::Line);
    Is:
        seller_of_lines = |subject| of_lines(subject, TaxIds::identify_seller),
        seller_of_allowances = |subject| of_allowances(subject, false, TaxIds::identify_seller),
        seller_of_charges = |subject| of_allowances(subject, true, TaxIds::identify_seller),
        both_of_lines = |subject| of_lines(subject, TaxIds::identify_both),
        both_of_allowances = |subject| of_allowances(subject, false, TaxIds::identify_both),
        both_of_charges = |subject| of_allowances(subject, true, TaxIds::identify_both),
        seller_for_vat_of_lines = |subject| of_lines(subject, TaxIds::identify_seller_for_vat),
        seller_for_vat_of_allowances = |subject| of_allowances(subject, false, TaxIds::identify_seller_for_vat),
        seller_for_vat_of_charges = |subject| of_allowances(subject, true, TaxIds::identify_seller_for_vat),
        both_for_vat_of_lines = |subject| of_lines(subject, TaxIds::identify_both_for_vat),
        both_for_vat_of_allowances = |subject| of_allowances(subject, false, TaxIds::identify_both_for_vat),
        both_for_vat_of_charges = |subject| of_allowances(subject, true, TaxIds::identify_both_for_vat),
        none_of_lines = |subject| of_lines(subject, TaxIds::identify_none_for_vat),
        none_of_allowances = |subject| of_allowances(subject, false, TaxIds::identify_none_for_vat),
        none_of_charges = |subject| of_allowances(subject, true, TaxIds::identify_none_for_vat);
};

fn count(taxes: &[Tax], is_meant: impl Fn(&Tax) -> bool) -> usize {
    taxes.iter().filter(|tax| is_meant(tax)).count()
}

/// Lines, allowances and charges of S, L or M on the one hand and breakdowns on the other go together. Only for S other
/// taxes than VAT count, and for L in the breakdown of what is used.
fn use_has_breakdown(subject: &Subject<'_>) -> Holds {
    let code = subject.code();
    let taxes = subject.document.taxes().all()?;
    let is_of_code = |tax: &Tax| tax.code == code;
    let is_meant = |tax: &Tax| is_of_code(tax) && (tax.is_vat || code == "S");
    let uses = count(taxes, |tax| {
        is_meant(tax) && matches!(tax.place, TaxPlace::Line | TaxPlace::Allowance { .. })
    });
    let breakdowns = count(taxes, |tax| {
        tax.place == TaxPlace::Breakdown
            && (is_meant(tax) || (is_of_code(tax) && uses > 0 && code == "L"))
            && (uses == 0 || code == "S" || tax.is_exact)
    });
    Ok((uses > 0) == (breakdowns > 0))
}

/// Exactly one breakdown, if the category is anywhere.
fn has_one_breakdown(subject: &Subject<'_>) -> Holds {
    let taxes = subject.document.taxes().all()?;
    let is_meant = |tax: &Tax| tax.code == subject.code() && tax.is_vat;
    let is_breakdown = |tax: &Tax| is_meant(tax) && tax.place == TaxPlace::Breakdown;
    Ok(count(taxes, is_breakdown) == 1 || count(taxes, is_meant) == 0)
}

/// Whether the parties have what a line of the category needs.
fn of_lines(subject: &Subject<'_>, identify: fn(&TaxIds) -> bool) -> Holds {
    let taxes = subject.document.taxes();
    let is_line = |tax: &Tax| tax.place == TaxPlace::Line && tax.code == subject.code();
    let lines = count(taxes.all()?, is_line);
    let lines_of_vat = count(taxes.all()?, |tax| is_line(tax) && tax.is_vat);
    match subject.code() {
        // A line that is not of VAT needs another one that is.
        "S" => Ok(lines == 0 || (lines_of_vat > 0 && identify(&taxes.ids()?))),
        _ => Ok(lines_of_vat == 0 || identify(&taxes.ids()?)),
    }
}

/// Whether the parties have what an allowance or charge of the category needs, wherever it is; for O only in the document.
fn of_allowances(subject: &Subject<'_>, charge: bool, identify: fn(&TaxIds) -> bool) -> Holds {
    let taxes = subject.document.taxes();
    let only_document = subject.code() == "O";
    let is_meant = |tax: &Tax| {
        let is_place = match tax.place {
            TaxPlace::Allowance {
                charge: is,
                of_document,
            } => is == charge && (of_document || !only_document),
            _ => false,
        };
        // Charges of L are compared with their white space.
        let is_exact = tax.is_exact || !charge || tax.code != "L";
        is_place && tax.code == subject.code() && tax.is_vat && is_exact
    };
    let all = taxes.of_allowances(only_document)?;
    Ok(count(all, is_meant) == 0 || identify(&taxes.ids()?))
}

fn has_breakdown(subject: &Subject<'_>) -> Result<bool, Abort> {
    let taxes = subject.document.taxes().all()?;
    let is_meant =
        |tax: &Tax| tax.place == TaxPlace::Breakdown && tax.code == subject.code() && tax.is_vat;
    Ok(count(taxes, is_meant) > 0)
}

/// Every country of the document counts.
fn split_payment_is_in_italy(subject: &Subject<'_>) -> Holds {
    let taxes = subject.document.taxes().all()?;
    let is_used = count(taxes, |tax| tax.code == "B" && tax.is_exact) > 0;
    let mut countries = subject.document.anywhere("cbc:IdentificationCode");
    Ok(!is_used || countries.all(|country| country.text() == "IT"))
}

fn split_payment_is_without_standard_rate(subject: &Subject<'_>) -> Holds {
    let taxes = subject.document.taxes().all()?;
    let has = |code: &str| {
        let is_meant = |tax: &Tax| {
            let is_place = match tax.place {
                TaxPlace::Allowance { of_document, .. } => of_document,
                place => place != TaxPlace::Other,
            };
            is_place && tax.code == code && tax.is_exact
        };
        count(taxes, is_meant) > 0
    };
    Ok(!(has("B") && has("S")))
}

/// A date is longer than one character; of the period any child counts.
fn has_date_of_supply(subject: &Subject<'_>) -> Holds {
    let root = subject.node;
    if !has_breakdown(subject)? {
        return Ok(true);
    }
    let date = root.only_text("cac:Delivery/cbc:ActualDeliveryDate")?;
    let mut periods = root.children("cac:InvoicePeriod");
    let is_filled = |period: Node<'_>| period.every_child().next().is_some();
    Ok(date.chars().count() > 1 || periods.any(is_filled))
}

fn has_country_of_supply(subject: &Subject<'_>) -> Holds {
    let path = "cac:Delivery/cac:DeliveryLocation/cac:Address/cac:Country/cbc:IdentificationCode";
    Ok(!has_breakdown(subject)? || subject.node.only_text(path)?.chars().count() > 1)
}

/// Whether no VAT at such a place has another category, if there is a breakdown.
fn no_other(subject: &Subject<'_>, is_place: fn(TaxPlace) -> bool) -> Holds {
    if !has_breakdown(subject)? {
        return Ok(true);
    }
    let taxes = subject.document.taxes().all()?;
    let is_other = |tax: &Tax| is_place(tax.place) && tax.is_vat && tax.code != subject.code();
    Ok(count(taxes, is_other) == 0)
}
