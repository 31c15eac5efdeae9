//! Currencies: the active codes of ISO 4217 with their minor units, as of 2026.
//!
//! Left out are precious metals, units of account and test codes (`XAU`, `XDR`, `XAD`, `XTS`,
//! `XXX` ...): no order is paid in them.

use super::{CodeError, code_text, shown, upper_case};

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
        upper_case(text)
            .filter(|code| TABLE.binary_search(code).is_ok())
            .map(Self)
            .ok_or_else(|| CodeError::UnknownCurrency(shown(text)))
    }

    /// Every active currency, by its code.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.into_iter().map(Self)
    }

    /// How many fraction digits amounts of this currency have: 2 for most, 0 for yen.
    #[must_use]
    pub fn minor_digits(self) -> u32 {
        if WHOLE.contains(&self.0) {
            0
        } else if THOUSANDTHS.contains(&self.0) {
            3
        } else if TEN_THOUSANDTHS.contains(&self.0) {
            4
        } else {
            2
        }
    }
}

const TABLE: [[u8; 3]; 164] = [
    *b"AED", *b"AFN", *b"ALL", *b"AMD", *b"AOA", *b"ARS", *b"AUD", *b"AWG", *b"AZN", *b"BAM",
    *b"BBD", *b"BDT", *b"BHD", *b"BIF", *b"BMD", *b"BND", *b"BOB", *b"BOV", *b"BRL", *b"BSD",
    *b"BTN", *b"BWP", *b"BYN", *b"BZD", *b"CAD", *b"CDF", *b"CHE", *b"CHF", *b"CHW", *b"CLF",
    *b"CLP", *b"CNY", *b"COP", *b"COU", *b"CRC", *b"CUP", *b"CVE", *b"CZK", *b"DJF", *b"DKK",
    *b"DOP", *b"DZD", *b"EGP", *b"ERN", *b"ETB", *b"EUR", *b"FJD", *b"FKP", *b"GBP", *b"GEL",
    *b"GHS", *b"GIP", *b"GMD", *b"GNF", *b"GTQ", *b"GYD", *b"HKD", *b"HNL", *b"HTG", *b"HUF",
    *b"IDR", *b"ILS", *b"INR", *b"IQD", *b"IRR", *b"ISK", *b"JMD", *b"JOD", *b"JPY", *b"KES",
    *b"KGS", *b"KHR", *b"KMF", *b"KPW", *b"KRW", *b"KWD", *b"KYD", *b"KZT", *b"LAK", *b"LBP",
    *b"LKR", *b"LRD", *b"LSL", *b"LYD", *b"MAD", *b"MDL", *b"MGA", *b"MKD", *b"MMK", *b"MNT",
    *b"MOP", *b"MRU", *b"MUR", *b"MVR", *b"MWK", *b"MXN", *b"MXV", *b"MYR", *b"MZN", *b"NAD",
    *b"NGN", *b"NIO", *b"NOK", *b"NPR", *b"NZD", *b"OMR", *b"PAB", *b"PEN", *b"PGK", *b"PHP",
    *b"PKR", *b"PLN", *b"PYG", *b"QAR", *b"RON", *b"RSD", *b"RUB", *b"RWF", *b"SAR", *b"SBD",
    *b"SCR", *b"SDG", *b"SEK", *b"SGD", *b"SHP", *b"SLE", *b"SOS", *b"SRD", *b"SSP", *b"STN",
    *b"SVC", *b"SYP", *b"SZL", *b"THB", *b"TJS", *b"TMT", *b"TND", *b"TOP", *b"TRY", *b"TTD",
    *b"TWD", *b"TZS", *b"UAH", *b"UGX", *b"USD", *b"USN", *b"UYI", *b"UYU", *b"UYW", *b"UZS",
    *b"VED", *b"VES", *b"VND", *b"VUV", *b"WST", *b"XAF", *b"XCD", *b"XCG", *b"XOF", *b"XPF",
    *b"YER", *b"ZAR", *b"ZMW", *b"ZWG",
];

/// Currencies without a minor unit.
const WHOLE: [[u8; 3]; 17] = [
    *b"BIF", *b"CLP", *b"DJF", *b"GNF", *b"ISK", *b"JPY", *b"KMF", *b"KRW", *b"PYG", *b"RWF",
    *b"UGX", *b"UYI", *b"VND", *b"VUV", *b"XAF", *b"XOF", *b"XPF",
];

/// Currencies with three fraction digits.
const THOUSANDTHS: [[u8; 3]; 7] = [
    *b"BHD", *b"IQD", *b"JOD", *b"KWD", *b"LYD", *b"OMR", *b"TND",
];

/// Currencies with four fraction digits.
const TEN_THOUSANDTHS: [[u8; 3]; 2] = [*b"CLF", *b"UYW"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted_and_fit_together() {
        for table in [&TABLE[..], &WHOLE, &THOUSANDTHS, &TEN_THOUSANDTHS] {
            assert!(table.is_sorted_by(|a, b| a < b));
            assert!(table.iter().all(|code| TABLE.contains(code)));
        }
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
