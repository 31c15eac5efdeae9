//! Currencies: the active codes of ISO 4217 with their minor units, as of 2026.
//!
//! Left out are precious metals, units of account and test codes (`XAU`, `XDR`, `XAD`, `XTS`,
//! `XXX` ...): no order is paid in them.

use super::{CodeError, code_text, in_case, shown};

// rule: R-REQ-16
/// A currency by its ISO 4217 code, for example `CHF`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Currency([u8; 3]);

code_text!(Currency);

impl Currency {
    /// Swiss franc.
    pub const CHF: Self = Self(*b"CHF");
    /// Euro.
    pub const EUR: Self = Self(*b"EUR");

    /// Reads a code; letter case and blanks at the end do not matter.
    ///
    /// ```
    /// use erp_core::codes::Currency;
    /// assert_eq!(Currency::parse("chf "), Ok(Currency::CHF));
    /// ```
    ///
    /// # Errors
    /// When the code is not active.
    pub fn parse(text: &str) -> Result<Self, CodeError> {
        in_case(text, u8::to_ascii_uppercase)
            .filter(|&[a, b, c]| TABLE.binary_search(&[a, b, c, b'\n']).is_ok())
            .map(Self)
            .ok_or_else(|| CodeError::UnknownCurrency(shown(text)))
    }

    /// Every active currency, by its code.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|&[a, b, c, _]| Self([a, b, c]))
    }

    /// How many fraction digits amounts of this currency have: 2 for most, 0 for yen.
    pub fn minor_digits(self) -> u32 {
        match self.as_str() {
            "BIF" | "CLP" | "DJF" | "GNF" | "ISK" | "JPY" | "KMF" | "KRW" | "PYG" | "RWF"
            | "UGX" | "UYI" | "VND" | "VUV" | "XAF" | "XOF" | "XPF" => 0,
            "BHD" | "IQD" | "JOD" | "KWD" | "LYD" | "OMR" | "TND" => 3,
            "CLF" | "UYW" => 4,
            _ => 2,
        }
    }
}

const TABLE: &[[u8; 4]] = include_bytes!("../../../data/currencies.txt").as_chunks().0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole_and_sorted() {
        assert_eq!(TABLE.len(), 164);
        assert!(TABLE.is_sorted_by(|a, b| a < b));
    }

    // rule: R-REQ-16
    #[test]
    fn minor_units_are_those_of_the_standard() {
        for (code, digits) in [
            ("CHF", 2),
            ("EUR", 2),
            ("MGA", 2),
            ("MRU", 2),
            ("JPY", 0),
            ("ISK", 0),
            ("KWD", 3),
            ("TND", 3),
            ("CLF", 4),
            ("UYW", 4),
            ("UYI", 0),
        ] {
            assert_eq!(
                Currency::parse(code).unwrap().minor_digits(),
                digits,
                "{code}"
            );
        }
    }

    // rule: R-REQ-16
    #[test]
    fn only_active_currencies_are_known() {
        for code in ["SLE", "VED", "VES", "ZWG", "XCG", "XAF", "chf", "CHF "] {
            assert!(Currency::parse(code).is_ok(), "{code}");
        }
        for code in [
            "HRK", "BGN", "ANG", "CUC", "SLL", "ZWL", "DEM", "XXX", "XTS", "XAU", "", "CH", " CHF",
        ] {
            assert!(Currency::parse(code).is_err(), "{code}");
        }
    }
}
