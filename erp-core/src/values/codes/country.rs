//! Countries: the officially assigned codes of ISO 3166-1 alpha-2, and Kosovo.

use super::{CodeError, code_text, in_case, shown};

// rule: R-REQ-15
/// A country by its ISO 3166-1 alpha-2 code, for example `CH`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Country([u8; 2]);

code_text!(Country);

impl Country {
    /// Switzerland.
    pub const CH: Self = Self(*b"CH");
    /// Liechtenstein.
    pub const LI: Self = Self(*b"LI");
    /// Germany.
    pub const DE: Self = Self(*b"DE");
    /// Austria.
    pub const AT: Self = Self(*b"AT");

    /// Reads a code; letter case and blanks at the end do not matter.
    ///
    /// ```
    /// use erp_core::codes::Country;
    /// assert_eq!(Country::parse("ch"), Ok(Country::CH));
    /// assert!(Country::parse("XX").is_err());
    /// ```
    ///
    /// # Errors
    /// When the code is neither officially assigned nor `XK`.
    pub fn parse(text: &str) -> Result<Self, CodeError> {
        in_case(text, u8::to_ascii_uppercase)
            .filter(|&[a, b]| TABLE.binary_search(&[a, b, b'\n']).is_ok())
            .map(Self)
            .ok_or_else(|| CodeError::UnknownCountry(shown(text)))
    }
}

/// The officially assigned codes and `XK`, which post and customs use for Kosovo; sorted.
const TABLE: &[[u8; 3]] = include_bytes!("../../../data/countries.txt").as_chunks().0;

#[cfg(test)]
mod tests {
    use super::*;

    // rule: R-REQ-15
    #[test]
    fn the_table_is_sorted_and_without_doubles() {
        assert_eq!(TABLE.len(), 250);
        assert!(TABLE.is_sorted_by(|a, b| a < b));
    }

    // rule: D-REQ-06, D-REQ-13
    #[test]
    fn codes_are_read_in_any_case_and_with_padding() {
        for text in ["CH", "ch", "cH", "CH  "] {
            assert_eq!(Country::parse(text), Ok(Country::CH), "{text}");
        }
        for (country, text) in [
            (Country::LI, "LI"),
            (Country::DE, "DE"),
            (Country::AT, "AT"),
            (Country(*b"XK"), "xk"),
        ] {
            assert_eq!(Country::parse(text), Ok(country));
        }
    }

    // rule: R-REQ-15
    #[test]
    fn what_is_not_assigned_is_refused() {
        // UK and EU are reserved, XA is user-assigned, AN and YU are withdrawn.
        for text in [
            "UK", "EU", "XA", "AN", "YU", "", "C", "CHE", " CH", "ÄÄ", "756",
        ] {
            assert!(Country::parse(text).is_err(), "{text}");
        }
    }
}
