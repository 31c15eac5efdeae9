//! The labels of the pages in each language.

use super::parts::{DocumentKind, Language, TaxCategory};

/// A label by its name in `labels.tsv`, where `{}` is filled with a value, `{tax}` with the name of the tax.
#[derive(Clone, Copy)]
pub(crate) struct Label(&'static str);

macro_rules! labels {
    ($($name:ident)*) => {
        $(pub(crate) const $name: Label = Label(stringify!($name));)*

        #[cfg(test)]
        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

// Those that begin with `QR_` are the words of the standard of the QR-bill.
labels! {
    INVOICE_NUMBER NUMBER DATE CUSTOMER_NUMBER ORDER_NUMBER BUYER_ORDER BUYER_REFERENCE DELIVERY_NOTE CONTRACT
    PROJECT EARLIER_INVOICE DELIVERY_DATE DELIVERY_PERIOD DELIVERY_ADDRESS CONTACT PHONE EMAIL OF_DATE
    POSITION DESCRIPTION ARTICLE_NUMBER QUANTITY UNIT_PRICE DISCOUNT TAX SUM CARRIED_FORWARD SUM_OF_LINES
    NET_TOTAL TAX_TOTAL TAX_INCLUDED GROSS_TOTAL PREPAID ROUNDING PAYABLE CREDITED TAX_RECAP TAX_RATE TAX_BASE
    PAYMENT DUE CASH_DISCOUNT CASH_DISCOUNT_PAYABLE BANK IBAN BIC PAYMENT_REFERENCE REMARKS PAGE BUYER_VAT_ID
    TAX_NUMBER MANAGEMENT
    QR_RECEIPT QR_PAYMENT_PART QR_ACCOUNT QR_REFERENCE QR_ADDITIONAL QR_PAYABLE_BY QR_PAYABLE_BY_BLANK
    QR_CURRENCY QR_AMOUNT QR_ACCEPTANCE QR_SEPARATE
    INVOICE PARTIAL_INVOICE PREPAYMENT_INVOICE CORRECTION CREDIT_NOTE TAXED ZERO EXEMPT REVERSE_CHARGE
    INTRA_COMMUNITY EXPORT OUT_OF_SCOPE
}

/// Names with their labels in German, English, French and Italian.
const LABELS: &str = include_str!("labels.tsv");

impl Language {
    /// One of German, English, French, Italian.
    pub(crate) const fn choose(self, texts: [&'static str; 4]) -> &'static str {
        let [german, english, french, italian] = texts;
        match self {
            Self::German => german,
            Self::English => english,
            Self::French => french,
            Self::Italian => italian,
        }
    }

    pub(crate) fn label(self, Label(name): Label) -> &'static str {
        self.in_table(LABELS, name).unwrap_or(name)
    }

    /// What a table has for a name, which is in its first column.
    pub(crate) fn in_table(self, table: &'static str, name: &str) -> Option<&'static str> {
        let mut rows = table.lines().map(|row| row.split('\t'));
        let mut row = rows.find_map(|mut row| (row.next() == Some(name)).then_some(row))?;
        Some(self.choose([row.next()?, row.next()?, row.next()?, row.next()?]))
    }
    /// Its code in ISO 639-1.
    pub(crate) const fn tag(self) -> &'static str {
        self.choose(["de", "en", "fr", "it"])
    }

    /// The name of the tax; German has two.
    pub(crate) const fn tax(self, swiss: bool) -> &'static str {
        self.choose([if swiss { "MWST" } else { "USt" }, "VAT", "TVA", "IVA"])
    }

    /// The name of the VAT identifier.
    pub(crate) fn tax_id(self, country: &str) -> &'static str {
        let german = match country {
            "CH" | "LI" => "MWST-Nr.",
            "AT" => "UID-Nr.",
            _ => "USt-IdNr.",
        };
        self.choose([german, "VAT no.", "N° TVA", "P. IVA"])
    }
}

pub(crate) fn title(kind: DocumentKind, language: Language) -> &'static str {
    language.label(match kind {
        DocumentKind::Invoice => INVOICE,
        DocumentKind::PartialInvoice => PARTIAL_INVOICE,
        DocumentKind::PrepaymentInvoice => PREPAYMENT_INVOICE,
        DocumentKind::Correction => CORRECTION,
        DocumentKind::CreditNote => CREDIT_NOTE,
    })
}

pub(crate) fn category(category: TaxCategory, language: Language) -> &'static str {
    language.label(match category {
        TaxCategory::Taxed => TAXED,
        TaxCategory::Zero => ZERO,
        TaxCategory::Exempt => EXEMPT,
        TaxCategory::ReverseCharge => REVERSE_CHARGE,
        TaxCategory::IntraCommunity => INTRA_COMMUNITY,
        TaxCategory::Export => EXPORT,
        TaxCategory::OutOfScope => OUT_OF_SCOPE,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_label_has_its_row_with_all_languages() {
        let rows: Vec<Vec<&str>> = LABELS
            .lines()
            .map(|row| row.split('\t').collect())
            .collect();
        let names: Vec<&str> = rows.iter().map(|row| row[0]).collect();
        assert_eq!(names, NAMES);
        assert!(rows.iter().all(|row| row.len() == 5 && !row.contains(&"")));
    }
}
