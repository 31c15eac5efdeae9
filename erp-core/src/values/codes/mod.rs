//! Codes of countries, currencies and languages, checked against the standards' own lists.
//!
//! Letter case and blanks at the end do not matter on input (old systems pad `char(4)` fields); a
//! parsed code is always in the spelling of its standard.

mod country;
mod currency;
mod language;

use erp_derive::Say;
use smol_str::SmolStr;

pub use country::Country;
pub use currency::Currency;
pub use language::Language;

/// Why a text is not a code.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
#[non_exhaustive]
pub enum CodeError {
    /// Not an officially assigned code of ISO 3166-1.
    #[say("unknown_country")]
    UnknownCountry(SmolStr),
    /// Not an active code of ISO 4217.
    #[say("unknown_currency")]
    UnknownCurrency(SmolStr),
    /// Not a code of ISO 639-2/B.
    #[say("unknown_language")]
    UnknownLanguage(SmolStr),
    /// A language by its terminology code (ISO 639-2/T).
    #[say("unknown_language.terminology")]
    TerminologyCode {
        /// The code as sent.
        given: SmolStr,
        /// The bibliographic code of the same language.
        wanted: Language,
    },
    /// A language by its two-letter code (ISO 639-1).
    #[say("unknown_language.two_letters")]
    TwoLetterCode {
        /// The code as sent.
        given: SmolStr,
        /// The bibliographic code of the same language.
        wanted: Language,
    },
}

/// Longest part of a wrong code that an error repeats.
const SHOWN_CHARACTERS: usize = 12;

fn shown(text: &str) -> SmolStr {
    text.chars().take(SHOWN_CHARACTERS).collect()
}

/// The `N` bytes of a code in its letter case; `None` when the text has another length.
fn in_case<const N: usize>(text: &str, case: impl Fn(&u8) -> u8) -> Option<[u8; N]> {
    let bytes: [u8; N] = text.trim_end_matches(' ').as_bytes().try_into().ok()?;
    Some(bytes.map(|byte| case(&byte)))
}

/// What all three kinds of code share: text form, `Display` and serde as a string.
macro_rules! code_text {
    ($name:ident) => {
        impl $name {
            /// The code in the spelling of its standard.
            pub fn as_str(&self) -> &str {
                std::str::from_utf8(&self.0).unwrap_or_default()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = crate::values::codes::CodeError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::parse(text)
            }
        }

        impl From<$name> for smol_str::SmolStr {
            fn from(code: $name) -> Self {
                Self::new(code.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = smol_str::SmolStr::deserialize(deserializer)?;
                Self::parse(&text).map_err(serde::de::Error::custom)
            }
        }
    };
}

use code_text;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_code_reads_back_and_a_wrong_one_does_not() {
        let stored =
            serde_json::to_string(&(Country::CH, Currency::CHF, Language::FRENCH)).unwrap();
        assert_eq!(stored, r#"["CH","CHF","fre"]"#);
        let read: (Country, Currency, Language) = serde_json::from_str(&stored).unwrap();
        assert_eq!(read, (Country::CH, Currency::CHF, Language::FRENCH));
        assert!(serde_json::from_str::<Country>("\"XX\"").is_err());
    }

    #[test]
    fn a_flood_of_text_is_not_repeated_in_the_error() {
        let error = Language::parse(&"x".repeat(100_000)).unwrap_err();
        assert_eq!(error, CodeError::UnknownLanguage("x".repeat(12).into()));
    }
}
