//! The code lists that the rules of EN 16931 enforce (validation artefacts 1.3.16).

mod countries;
mod currencies;
mod document;
mod list;
mod parties;
mod payment;
mod products;
mod taxes;
mod units;

pub(super) use countries::{COUNTRIES, COUNTRIES_IN_UBL};
pub(super) use currencies::CURRENCIES;
pub(super) use document::{
    CREDIT_NOTE_TYPES, DOCUMENT_TYPES, INVOICE_TYPES, MIME_TYPES, REFERENCE_TYPES, SUBJECTS,
    SUBJECTS_IN_UBL,
};
#[cfg(test)]
pub(super) use list::each;
pub(super) use list::{CodeList, is_listed};
pub(super) use parties::{EAS, ISO_6523};
pub(super) use payment::{ALLOWANCE_REASONS, CHARGE_REASONS, PAYMENT_MEANS};
pub(super) use products::CLASSIFICATIONS;
pub(super) use taxes::{CATEGORIES, EXEMPTIONS, TAX_POINTS, TAX_POINTS_IN_UBL};
pub(super) use units::UNITS;

/// The list of a name in lists of rules.
pub(super) fn list(name: &str) -> Option<&'static CodeList> {
    Some(match name {
        "allowance-reasons" => &ALLOWANCE_REASONS,
        "categories" => &CATEGORIES,
        "charge-reasons" => &CHARGE_REASONS,
        "classifications" => &CLASSIFICATIONS,
        "countries" => &COUNTRIES,
        "countries-ubl" => &COUNTRIES_IN_UBL,
        "credit-note-types" => &CREDIT_NOTE_TYPES,
        "currencies" => &CURRENCIES,
        "document-types" => &DOCUMENT_TYPES,
        "eas" => &EAS,
        "exemptions" => &EXEMPTIONS,
        "invoice-types" => &INVOICE_TYPES,
        "icd" => &ISO_6523,
        "mime" => &MIME_TYPES,
        "payment-means" => &PAYMENT_MEANS,
        "reference-types" => &REFERENCE_TYPES,
        "subjects" => &SUBJECTS,
        "tax-points" => &TAX_POINTS,
        "tax-points-ubl" => &TAX_POINTS_IN_UBL,
        "units" => &UNITS,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_found_whole() {
        for (text, is_code) in [
            ("EUR", true),
            (" EUR\n", true),
            ("eur", false),
            ("EU", false),
            ("UR", false),
            ("EUR ERN", false),
            ("ERN EUR", false),
            ("", false),
            (" ", false),
            ("AED", true),
            ("ZWG", true),
        ] {
            assert_eq!(CURRENCIES.contains(text), is_code, "{text:?}");
        }
        for (code, is_code) in [
            ("B30", true),
            ("B35", true),
            ("B36", false),
            ("B3", true),
            ("B3.", false),
            ("B3..", false),
            ("B30..5", false),
            ("30..5", false),
            ("B", false),
        ] {
            assert_eq!(UNITS.contains_exactly(code), is_code, "{code:?}");
        }
        assert!(CATEGORIES.contains("S") && CATEGORIES.contains("L"));
        assert!(!CATEGORIES.contains("A") && !CATEGORIES.contains("."));
        assert!(!MIME_TYPES.contains_exactly("image/png "));
        assert!(DOCUMENT_TYPES.contains("380"));
    }

    #[test]
    fn the_lists_have_as_many_codes_as_the_artefact() {
        for (list, count) in [
            (&COUNTRIES, 251),
            (&COUNTRIES_IN_UBL, 251),
            (&CREDIT_NOTE_TYPES, 13),
            (&INVOICE_TYPES, 50),
            (&SUBJECTS_IN_UBL, 383),
            (&TAX_POINTS_IN_UBL, 3),
            (&CURRENCIES, 178),
            (&DOCUMENT_TYPES, 62),
            (&MIME_TYPES, 6),
            (&REFERENCE_TYPES, 818),
            (&SUBJECTS, 401),
            (&EAS, 104),
            (&ISO_6523, 243),
            (&ALLOWANCE_REASONS, 19),
            (&CHARGE_REASONS, 178),
            (&PAYMENT_MEANS, 84),
            (&CLASSIFICATIONS, 185),
            (&CATEGORIES, 10),
            (&EXEMPTIONS, 88),
            (&TAX_POINTS, 3),
            (&UNITS, 2162),
        ] {
            assert_eq!(each(list.codes).count(), count, "{}", list.name);
            assert!(
                each(list.codes).all(|code| list.contains(&code)),
                "{}",
                list.name
            );
        }
    }
}
