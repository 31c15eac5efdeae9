//! Normalises different spellings of a name to one key.

use smol_str::{SmolStr, SmolStrBuilder};

use crate::values::fold::fold;

/// The words of a name in lower case, without accents and punctuation, abbreviations in one spelling.
pub(super) fn words(name: &str) -> Vec<SmolStr> {
    fold(name)
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| SmolStr::new(abbreviated(word)))
        .collect()
}

fn abbreviated(word: &str) -> &str {
    match word {
        "sankt" | "saint" => "st",
        "sainte" => "ste",
        "san" => "s",
        "santa" => "sta",
        "bei" => "b",
        other => other,
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    /// The words joined, because the use of hyphens varies.
    pub(super) plain: SmolStr,
    /// The same without an `e` that may stand for an umlaut: `zuerich` and `zurich` become equal.
    pub(super) merged: SmolStr,
}

impl Key {
    pub(super) fn new(name: &str) -> Self {
        Self::of_words(&words(name))
    }

    pub(super) fn of_words(words: &[SmolStr]) -> Self {
        let plain: SmolStr = words.iter().map(SmolStr::as_str).collect();
        let merged = without_umlaut_e(&plain);
        Self { plain, merged }
    }
}

fn without_umlaut_e(plain: &str) -> SmolStr {
    let mut merged = SmolStrBuilder::new();
    let mut after_umlaut = false;
    for character in plain.chars() {
        if character == 'e' && after_umlaut {
            continue;
        }
        after_umlaut = matches!(character, 'a' | 'o' | 'u');
        merged.push(character);
    }
    merged.finish()
}

/// The digits of a name, in order: `Lausanne 25` and `Lausanne 26` never count as a typing error.
pub(super) fn digits(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(char::is_ascii_digit)
}

/// The canton that a name ends with, and the name before it.
pub(super) fn split_canton(name: &str) -> Option<(&str, &str)> {
    let (before, last) = name.rsplit_once(' ')?;
    let is_canton = last.len() == 2 && last.bytes().all(|byte| byte.is_ascii_uppercase());
    is_canton.then_some((before, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_meanings_have_equal_keys() {
        for (left, right) in [
            ("Zürich", "ZUERICH"),
            ("Zürich", "zurich"),
            ("St. Gallen", "Sankt-Gallen"),
            ("St-Imier", "Saint Imier"),
            ("Wohlen b. Bern", "Wohlen bei Bern"),
            ("La Chaux-de-Fonds", "la chaux de fonds"),
            ("Rüegsau", "Rueegsau"),
            ("Crête-à-l'Oeil", "Crete a l’Œil"),
            ("Sta. Maria Val Müstair", "Santa Maria Val Mustair"),
        ] {
            assert_eq!(
                Key::new(left).merged,
                Key::new(right).merged,
                "{left} {right}"
            );
        }
        assert_ne!(Key::new("Aesch").merged, Key::new("Esch").merged);
    }

    #[test]
    fn only_two_capital_letters_are_a_canton() {
        assert_eq!(split_canton("Buchs AG"), Some(("Buchs", "AG")));
        assert_eq!(split_canton("La Côte"), None);
        assert_eq!(split_canton("Au"), None);
    }
}
