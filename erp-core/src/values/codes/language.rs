//! Languages: the bibliographic codes of ISO 639-2 (639-2/B).

use super::{CodeError, code_text, in_case, shown};

// rule: R-REQ-14
/// A language by its ISO 639-2/B code, for example `ger`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language([u8; 3]);

code_text!(Language);

/// German, the language of the interface.
impl Default for Language {
    fn default() -> Self {
        Self::GERMAN
    }
}

impl Language {
    /// German.
    pub const GERMAN: Self = Self(*b"ger");
    /// English.
    pub const ENGLISH: Self = Self(*b"eng");
    /// French.
    pub const FRENCH: Self = Self(*b"fre");
    /// Italian.
    pub const ITALIAN: Self = Self(*b"ita");

    /// Every language, by its code.
    pub fn all() -> impl Iterator<Item = Self> {
        BIBLIOGRAPHIC.iter().map(|&[a, b, c, _]| Self([a, b, c]))
    }

    /// Reads a code; letter case and blanks at the end do not matter.
    ///
    /// ```
    /// use erp_core::codes::Language;
    /// assert_eq!(Language::parse("ger"), Ok(Language::GERMAN));
    /// let error = Language::parse("deu").unwrap_err();
    /// assert_eq!(error.to_string(), "`deu` is the terminology code; the interface wants `ger`");
    /// ```
    ///
    /// # Errors
    /// When it is no bibliographic code; for a terminology or two-letter code the error names the
    /// right one.
    pub fn parse(text: &str) -> Result<Self, CodeError> {
        in_case(text, u8::to_ascii_lowercase)
            .filter(|&[a, b, c]| BIBLIOGRAPHIC.binary_search(&[a, b, c, b'\n']).is_ok())
            .map(Self)
            .ok_or_else(|| Self::error(text))
    }

    /// Why a text is no bibliographic code.
    fn error(text: &str) -> CodeError {
        let trimmed = text.trim_end_matches(' ');
        let code = trimmed.to_ascii_lowercase();
        let found = others().find(|(other, _)| *other == code);
        let Some(wanted) = found.and_then(|(_, wanted)| Self::parse(wanted).ok()) else {
            return CodeError::UnknownLanguage(shown(text));
        };
        let given = shown(trimmed);
        if code.len() == 2 {
            CodeError::TwoLetterCode { given, wanted }
        } else {
            CodeError::TerminologyCode { given, wanted }
        }
    }
}

fn others() -> impl Iterator<Item = (&'static str, &'static str)> {
    OTHER_CODES.lines().filter_map(|row| row.split_once('\t'))
}

/// Every bibliographic code (ISO 639-2/B), sorted.
const BIBLIOGRAPHIC: &[[u8; 4]] = include_bytes!("../../../data/languages.txt").as_chunks().0;

/// Terminology codes (ISO 639-2/T) that differ and two-letter codes (ISO 639-1), each with the bibliographic code of the
/// same language.
const OTHER_CODES: &str = include_str!("../../../data/language_codes.tsv");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_whole_and_point_to_bibliographic_codes() {
        let is_known = |code: &str| Language::parse(code).is_ok();
        assert_eq!(BIBLIOGRAPHIC.len(), 486);
        assert!(BIBLIOGRAPHIC.is_sorted_by(|a, b| a < b));
        assert_eq!(others().filter(|(code, _)| code.len() == 2).count(), 184);
        for (code, wanted) in others() {
            assert!(is_known(wanted) && !is_known(code), "{code}={wanted}");
        }
    }

    // rule: R-REQ-14
    #[test]
    fn all_twenty_languages_with_two_codes_are_named_by_the_bibliographic_one() {
        let pairs = [
            ("sqi", "alb"),
            ("hye", "arm"),
            ("eus", "baq"),
            ("mya", "bur"),
            ("zho", "chi"),
            ("ces", "cze"),
            ("nld", "dut"),
            ("fra", "fre"),
            ("kat", "geo"),
            ("deu", "ger"),
            ("ell", "gre"),
            ("isl", "ice"),
            ("mkd", "mac"),
            ("mri", "mao"),
            ("msa", "may"),
            ("fas", "per"),
            ("ron", "rum"),
            ("slk", "slo"),
            ("bod", "tib"),
            ("cym", "wel"),
        ];
        assert_eq!(pairs.len() + 184, others().count());
        for (terminology, bibliographic) in pairs {
            let language = Language::parse(bibliographic).unwrap();
            let expected = CodeError::TerminologyCode {
                given: terminology.into(),
                wanted: language,
            };
            assert_eq!(Language::parse(terminology), Err(expected));
        }
    }

    // rule: R-REQ-14
    #[test]
    fn a_two_letter_code_is_answered_with_the_right_one() {
        for (two, three) in [("de", "ger"), ("FR", "fre"), ("it", "ita"), ("en", "eng")] {
            let error = Language::parse(two).unwrap_err();
            let expected = format!("`{two}` is the two-letter code; the interface wants `{three}`");
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn codes_are_read_in_any_case_and_others_refused() {
        assert_eq!(Language::parse("GER "), Ok(Language::GERMAN));
        for text in ["", "xxx", "qaa", "xy", "german", " ger", "gër"] {
            assert!(
                matches!(Language::parse(text), Err(CodeError::UnknownLanguage(_))),
                "{text}"
            );
        }
    }
}
