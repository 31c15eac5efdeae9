//! Numbers, dates and sentences as language and country write them.

use super::labels::{self, Label};
use super::{Invoice, Language};
use jiff::civil::Date;
use rust_decimal::Decimal;

/// A no-break space.
const FIXED: char = '\u{a0}';

/// How an invoice writes numbers and dates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Writer {
    pub(crate) language: Language,
    /// The seller is in Switzerland or Liechtenstein.
    swiss: bool,
    /// Digits after the point of an amount.
    digits: u32,
}

impl Writer {
    pub(crate) fn new(invoice: &Invoice) -> Self {
        Self {
            language: invoice.language,
            swiss: matches!(invoice.seller.party.country.as_str(), "CH" | "LI"),
            // ISO 4217; other currencies have two digits.
            digits: match invoice.currency.as_str() {
                "CLP" | "ISK" | "JPY" | "KRW" | "PYG" | "UGX" | "VND" | "XAF" | "XOF" | "XPF" => 0,
                "BHD" | "IQD" | "JOD" | "KWD" | "LYD" | "OMR" | "TND" => 3,
                _ => 2,
            },
        }
    }

    pub(crate) fn label(&self, label: Label) -> String {
        let tax = self.language.tax(self.swiss);
        self.language.label(label).replace("{tax}", tax)
    }

    /// A label with its places `{}` filled, one after the other.
    pub(crate) fn fill(&self, label: Label, values: &[&str]) -> String {
        let label = self.label(label);
        let values = values.iter().copied().chain([""]);
        let parts = label.split("{}").zip(values);
        parts.flat_map(|(part, value)| [part, value]).collect()
    }

    /// An amount, with all digits of the currency and more only if it has more.
    pub(crate) fn amount(&self, value: Decimal) -> String {
        self.number(value, self.digits)
    }

    /// A quantity, without zeros at its end.
    pub(crate) fn quantity(&self, value: Decimal) -> String {
        self.number(value, 0)
    }

    pub(crate) fn percent(&self, value: Decimal) -> String {
        let number = self.quantity(value);
        match self.language {
            Language::German | Language::French if !self.swiss => format!("{number}{FIXED}%"),
            _ => format!("{number}%"),
        }
    }

    fn number(&self, value: Decimal, digits: u32) -> String {
        let (group, point) = match self.language {
            _ if self.swiss => ('’', '.'),
            Language::German | Language::Italian => ('.', ','),
            Language::English => (',', '.'),
            Language::French => (FIXED, ','),
        };
        number(value, digits, group, point)
    }

    pub(crate) fn date(&self, date: Date) -> String {
        let (year, month, day) = (date.year(), date.month(), date.day());
        match self.language {
            Language::English => date.strftime("%-d %B %Y").to_string(),
            Language::French | Language::Italian if !self.swiss => {
                format!("{day:02}/{month:02}/{year:04}")
            }
            _ => format!("{day:02}.{month:02}.{year:04}"),
        }
    }

    pub(crate) fn dated(&self, text: &str, date: Option<Date>) -> String {
        match date {
            Some(date) => self.fill(labels::OF_DATE, &[text, &self.date(date)]),
            None => text.to_owned(),
        }
    }
}

/// A number with groups of three digits; at least so many digits after the point, more if it has them.
pub(crate) fn number(value: Decimal, digits: u32, group: char, point: char) -> String {
    let mut value = value.normalize();
    if value.scale() < digits {
        value.rescale(digits);
    }
    let text = value.abs().to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut written = String::new();
    if value.is_sign_negative() && !value.is_zero() {
        written.push('−');
    }
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            written.push(group);
        }
        written.push(digit);
    }
    if !fraction.is_empty() {
        written.push(point);
        written.push_str(fraction);
    }
    written
}
