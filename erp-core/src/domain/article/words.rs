//! Searching articles by words, with typing errors.

use crate::values::fold::{fold, without_umlauts};
use erp_derive::Say;

/// Maximum letters of a word that are compared; further ones are ignored.
const LETTERS: usize = 64;

const WORDS: usize = 20;

/// A search has too many words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
#[say("too_many.words", most = WORDS)]
pub struct TooManyWords;

/// A word of a search, prepared for the comparison with many texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchWord {
    typed: String,
    form: String,
    length: u32,
    /// For each ASCII letter, the places of the word that have it.
    ascii: Box<[u64; 128]>,
    /// The places of all other letters.
    others: Vec<(char, u64)>,
}

/// The words of a text that a person typed.
///
/// # Errors
/// More than 20 words.
pub fn search_words(typed: &str) -> Result<Vec<SearchWord>, TooManyWords> {
    let folded = fold(typed);
    let words: Vec<_> = folded.split_whitespace().map(SearchWord::new).collect();
    match words.len() {
        0..=WORDS => Ok(words),
        _ => Err(TooManyWords),
    }
}

impl SearchWord {
    fn new(typed: &str) -> Self {
        let form = without_umlauts(typed);
        let mut ascii = Box::new([0_u64; 128]);
        let mut others = Vec::new();
        let mut length = 0;
        for letter in form.chars().take(LETTERS) {
            let place = 1_u64 << length;
            match ascii.get_mut(letter as usize) {
                Some(places) => *places |= place,
                None => others.push((letter, place)),
            }
            length += 1;
        }
        Self {
            typed: typed.to_owned(),
            form,
            length,
            ascii,
            others,
        }
    }

    /// The word as it was typed, folded.
    pub(crate) fn typed(&self) -> &str {
        &self.typed
    }

    fn places(&self, letter: char) -> u64 {
        if let Some(places) = self.ascii.get(letter as usize) {
            return *places;
        }
        let others = self.others.iter().filter(|(other, _)| *other == letter);
        others.fold(0, |places, (_, place)| places | place)
    }

    /// Where a searched text contains the word: 0 as a word of its own, 1 at the beginning of a word, 2 elsewhere.
    pub(crate) fn found_in(&self, text: &str) -> Option<u32> {
        if !text.contains(&self.form) {
            return None;
        }
        let level = |word: &str| match word.trim_matches(|letter: char| !letter.is_alphanumeric()) {
            word if word == self.form => 0,
            word if word.starts_with(&self.form) => 1,
            _ => 2,
        };
        text.split(' ').map(level).min()
    }

    /// The errors with which the word is in a searched text, if that number still counts as the same word: none in up to 3
    /// letters, then 1, from 8 letters on 2. A word of 4 letters is nearly in the middle of too many, so only beginnings count.
    pub(crate) fn nearly_in(&self, text: &str) -> Option<u32> {
        let tolerated = match self.length {
            0..=3 => 0,
            4..=7 => 1,
            _ => 2,
        };
        let words = text.split(|letter: char| !letter.is_alphanumeric());
        let errors = match self.length {
            4 => words.map(|word| self.errors(word, true)).min()?,
            _ => self.errors(text, false),
        };
        Some(errors).filter(|errors| *errors <= tolerated)
    }

    /// The least number of letters replaced, left out, added or swapped with their neighbour with which the word is
    /// anywhere in a text, or at its beginning: the bit-parallel algorithm of Myers (1999), with swaps as Hyyrö (2003) adds
    /// them, one step a letter.
    fn errors(&self, text: &str, at_start: bool) -> u32 {
        let last = 1_u64 << self.length.saturating_sub(1);
        let (mut more, mut less) = (u64::MAX, 0_u64);
        let (mut same, mut equal_before) = (0_u64, 0_u64);
        let mut errors = self.length;
        let mut least = errors;
        for letter in text.chars() {
            let equal = self.places(letter);
            let swapped = ((!same & equal) << 1) & equal_before;
            same = swapped | (((equal & more).wrapping_add(more)) ^ more) | equal | less;
            let mut up = less | !(same | more);
            let mut down = more & same;
            if up & last != 0 {
                errors += 1;
            }
            if down & last != 0 {
                errors = errors.saturating_sub(1);
            }
            least = least.min(errors);
            up = (up << 1) | u64::from(at_start);
            down <<= 1;
            more = down | !(same | up);
            less = up & same;
            equal_before = equal;
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use strsim::osa_distance;

    use super::*;
    use crate::values::fold::searched_text;

    fn errors(typed: &str, text: &str) -> u32 {
        let text = searched_text(text);
        let words = search_words(typed).unwrap();
        words.iter().map(|word| word.errors(&text, false)).sum()
    }

    #[test]
    fn a_word_may_stand_anywhere_with_errors() {
        assert_eq!(errors("Kaffee", "KAFFEEBOHNEN mild"), 0);
        assert_eq!(errors("kafee", "Kaffeebohnen"), 1);
        assert_eq!(errors("kaffeee bohnen", "Kaffeebohnen"), 1);
        assert_eq!(errors("olivenol", "Olivenöl nativ"), 0);
        assert_eq!(errors("gsechirr", "Geschirrspülmittel"), 1);
        assert_eq!(errors("lmape", "Stehlampe"), 1);
        assert_eq!(errors("xyz", "Ordner"), 3);
    }

    /// The least distance of a word from any part of a text.
    fn least_distance(word: &str, text: &str) -> usize {
        let text: Vec<char> = text.chars().collect();
        let parts = (0..=text.len()).flat_map(|from| (from..=text.len()).map(move |to| from..to));
        let distance = |part| osa_distance(word, &String::from_iter(&text[part]));
        parts.map(distance).min().unwrap()
    }

    #[test]
    fn errors_are_those_of_the_nearest_part_of_the_text() {
        let letters = ['a', 'b', 'c', 'ж'];
        let text = |mut seed: usize, length: usize| -> String {
            let letter = |_| {
                seed = seed.wrapping_mul(1_103_515_245).wrapping_add(12_345) % (1 << 31);
                letters[(seed >> 16) % letters.len()]
            };
            (0..length).map(letter).collect()
        };
        for seed in 0..400 {
            let (word, text) = (text(seed, 1 + seed % 7), text(seed + 1_000, seed % 11));
            let found = errors(&word, &text);
            assert_eq!(
                found as usize,
                least_distance(&word, &text),
                "{word} {text}"
            );
        }
    }

    #[test]
    fn long_words_and_empty_texts_are_compared_too() {
        let long = "x".repeat(200);
        assert_eq!(errors(&long, &long), 0);
        assert_eq!(errors(&long, ""), 64);
        assert_eq!(errors("abc", ""), 3);
        assert_eq!(search_words(" "), Ok(Vec::new()));
    }

    #[test]
    fn words_are_bounded() {
        assert_eq!(search_words(&"a ".repeat(20)).unwrap().len(), 20);
        assert_eq!(search_words(&"a ".repeat(21)), Err(TooManyWords));
    }

    #[test]
    fn short_words_tolerate_less() {
        let nearly = |typed: &str, text: &str| {
            let words = search_words(typed).unwrap();
            words[0].nearly_in(&searched_text(text))
        };
        assert_eq!(nearly("a5", "a4"), None);
        assert_eq!(nearly("kafe", "kaffe"), Some(1));
        assert_eq!(nearly("kfae", "kaffe"), None);
        assert_eq!(nearly("kafeee", "kaffee"), Some(1));
        assert_eq!(nearly("mhel", "Mehl (Type 550)"), Some(1));
        assert_eq!(nearly("tpye", "Mehl (Type 550)"), Some(1));
        assert_eq!(nearly("müll", "Karamell"), None);
        assert_eq!(nearly("harbour", "Arborio"), None);
        assert_eq!(nearly("shraube", "Holzschrauben"), Some(1));
        // Letters count, not bytes.
        assert_eq!(nearly("чой", "чай"), None);
        assert_eq!(nearly("绿菜", "绿茶"), None);
        assert_eq!(nearly("чайнек", "Чайник"), Some(1));
    }

    #[test]
    fn whole_words_and_beginnings_are_told_apart() {
        let found = |typed: &str, text: &str| {
            let words = search_words(typed).unwrap();
            words[0].found_in(&searched_text(text))
        };
        assert_eq!(found("schraube", "Holzschraube (Schraube)"), Some(0));
        assert_eq!(found("schraube", "Holzschraube, Schraubendreher"), Some(1));
        assert_eq!(found("schraube", "Holzschraube"), Some(2));
        assert_eq!(found("schraube", "Gewindestange"), None);
    }

    // rule: D-CTR-15
    #[test]
    fn umlauts_are_found_in_each_spelling() {
        let found = |typed: &str, text: &str| {
            let words = search_words(typed).unwrap();
            words[0].found_in(&searched_text(text))
        };
        for text in ["Müller", "MUELLER", "Muller"] {
            for typed in ["müller", "Mueller", "MULLER"] {
                assert_eq!(found(typed, text), Some(0), "{typed} in {text}");
            }
        }
        assert_eq!(found("Straße", "STRASSE"), Some(0));
        assert_eq!(found("olivenoel", "Olivenöl nativ"), Some(0));
        assert_eq!(found("blaue", "Tasse blau"), Some(0));
        // An `e` behind another vowel is no umlaut where a word begins with it.
        assert_eq!(found("element", "Bauelement"), Some(2));
        assert_eq!(found("bauelement", "Bauelement"), Some(0));
    }
}
