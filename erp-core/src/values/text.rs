//! Texts with a maximum length and restricted characters.

use std::convert::Infallible;
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use erp_derive::Say;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

/// Why a text is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
#[non_exhaustive]
pub enum TextError {
    /// More characters than the field's length.
    #[say("too_long")]
    TooLong {
        /// How many characters the text has.
        length: usize,
        /// How many are allowed.
        limit: usize,
    },
    /// A control character other than tab, line feed and carriage return.
    #[say("control_character", character = format!("{field_0:04X}"))]
    ControlCharacter(u32),
    /// An invisible character in a name or code.
    #[say("control_character.invisible", character = format!("{field_0:04X}"))]
    InvisibleCharacter(u32),
}

// rule: D-REQ-14
/// The first character that could make a name look like another one: it changes the writing direction (Unicode
/// Standard Annex 9) or has no width. Joiners are allowed: Persian and Sinhala names, and many emoji, need them.
pub(crate) fn invisible_in_name(name: &str) -> Option<char> {
    let is_invisible = |c: &char| {
        matches!(c, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2060}' | '\u{feff}'
            | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    name.chars().find(is_invisible)
}

/// Like [`invisible_in_name`] for a code, where joiners are not allowed either.
pub(crate) fn invisible_in_code(code: &str) -> Option<char> {
    let joiner = || code.chars().find(|c| matches!(c, '\u{200c}' | '\u{200d}'));
    invisible_in_name(code).or_else(joiner)
}

// rule: R-REQ-09
/// A text of at most `MAX` Unicode characters without control characters other than tab, line feed
/// and carriage return. Cloning is cheap.
///
/// ```
/// use erp_core::text::Text;
/// assert!(Text::<6>::new("Zürich").is_ok_and(|town| town == "Zürich"));
/// assert!(Text::<5>::new("Zürich").is_err());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "SmolStr")]
pub struct Text<const MAX: usize>(SmolStr);

impl<const MAX: usize> Text<MAX> {
    /// Validates a text.
    ///
    /// # Errors
    /// When it is too long or contains a forbidden control character; a text is never cut.
    pub fn new(text: &str) -> Result<Self, TextError> {
        check(text, Some(MAX))?;
        Ok(Self(SmolStr::new(text)))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What constructors take for a text of at most `MAX` characters: a [`Text`] or a `&str`. One that does not fit is among the
/// [`Problems`](crate::Problems) that they return.
pub trait IntoText<const MAX: usize>: TryInto<Text<MAX>, Error: Into<TextError>> {}

impl<T: TryInto<Text<MAX>, Error: Into<TextError>>, const MAX: usize> IntoText<MAX> for T {}

/// Checks the characters of a text and, with a `limit`, their number.
pub(crate) fn check(text: &str, limit: Option<usize>) -> Result<(), TextError> {
    let is_control = |c: &char| c.is_control() && !matches!(c, '\t' | '\n' | '\r');
    // Most texts are printable ASCII, which the bytes show.
    let is_printable = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if !is_printable && let Some(control) = text.chars().find(is_control) {
        return Err(TextError::ControlCharacter(u32::from(control)));
    }
    // A character has at least one byte, so a text of few bytes needs no counting.
    match limit.filter(|limit| text.len() > *limit) {
        Some(limit) => match text.chars().count() {
            length if length > limit => Err(TextError::TooLong { length, limit }),
            _ => Ok(()),
        },
        None => Ok(()),
    }
}

impl<const MAX: usize> Deref for Text<MAX> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize> AsRef<str> for Text<MAX> {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize> fmt::Display for Text<MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl<const MAX: usize> FromStr for Text<MAX> {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        Self::new(text)
    }
}

impl<const MAX: usize> TryFrom<&str> for Text<MAX> {
    type Error = TextError;

    fn try_from(text: &str) -> Result<Self, TextError> {
        Self::new(text)
    }
}

impl From<Infallible> for TextError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

impl<const MAX: usize> TryFrom<SmolStr> for Text<MAX> {
    type Error = TextError;

    fn try_from(text: SmolStr) -> Result<Self, TextError> {
        check(&text, Some(MAX))?;
        Ok(Self(text))
    }
}

impl<const MAX: usize> From<Text<MAX>> for SmolStr {
    fn from(text: Text<MAX>) -> Self {
        text.0
    }
}

impl<const MAX: usize> PartialEq<str> for Text<MAX> {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl<const MAX: usize> PartialEq<&str> for Text<MAX> {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: R-REQ-09
    #[test]
    fn length_is_counted_in_characters() {
        assert!(Text::<3>::new("äö€").is_ok());
        let error = Text::<3>::new("äö€😀").unwrap_err();
        assert_eq!(
            error,
            TextError::TooLong {
                length: 4,
                limit: 3
            }
        );
        assert_eq!(error.to_string(), "4 characters, at most 3 are allowed");
        assert!(Text::<0>::new("").is_ok());
    }

    // rule: R-REQ-09
    #[test]
    fn control_characters_are_refused_except_white_space() {
        assert!(Text::<9>::new("a\tb\r\nc").is_ok());
        for control in ["\0", "\u{1b}", "\u{7f}", "\u{85}"] {
            assert!(Text::<9>::new(control).is_err(), "{control:?}");
        }
    }

    // rule: D-REQ-14
    #[test]
    fn characters_without_a_look_are_found_in_names_and_codes() {
        let turning = "\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}\u{200e}\u{200f}\u{61c}";
        for hidden in turning.chars().chain("\u{200b}\u{2060}\u{feff}".chars()) {
            let text = format!("a{hidden}b");
            assert_eq!(invisible_in_name(&text), Some(hidden));
            assert_eq!(invisible_in_code(&text), Some(hidden));
            assert!(
                Text::<9>::new(&text).is_ok(),
                "what is stored already still opens"
            );
        }
        for joined in ["علی\u{200c}رضا", "👩\u{200d}💻"] {
            assert_eq!(invisible_in_name(joined), None);
            assert!(invisible_in_code(joined).is_some());
        }
        assert_eq!(invisible_in_code("Zürich 東京 AB-1"), None);
    }

    #[test]
    fn reading_a_stored_text_checks_it_again() {
        let text: Text<4> = serde_json::from_str("\"Ötzi\"").unwrap();
        assert_eq!(serde_json::to_string(&text).unwrap(), "\"Ötzi\"");
        assert!(serde_json::from_str::<Text<3>>("\"Ötzi\"").is_err());
        assert!(serde_json::from_str::<Text<3>>("\"\\u0000\"").is_err());
    }
}
