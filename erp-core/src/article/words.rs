//! Searching articles by words, with typing errors.

use crate::fold::fold;

/// Maximum letters of a word that are compared; further ones are ignored.
const LETTERS: usize = 64;

/// Maximum words of a search; further ones are ignored.
const WORDS: usize = 8;

/// A word of a search, prepared for the comparison with many texts.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    folded: String,
    length: u32,
    /// For each byte, the places of the word that have it.
    places: Box<[u64; 256]>,
}

/// The words of a text that a person typed.
pub(crate) fn words(typed: &str) -> Vec<Word> {
    let folded = fold(typed);
    let words = folded.split_whitespace().take(WORDS);
    words.map(Word::new).collect()
}

impl Word {
    fn new(folded: &str) -> Self {
        let mut places = Box::new([0_u64; 256]);
        let mut length = 0;
        for byte in folded.bytes().take(LETTERS) {
            if let Some(places) = places.get_mut(usize::from(byte)) {
                *places |= 1_u64 << length;
            }
            length += 1;
        }
        Self {
            folded: folded.to_owned(),
            length,
            places,
        }
    }

    /// Whether a folded text contains the word.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        text.contains(&self.folded)
    }

    /// The errors that still count as the same word: none in up to 3 letters, then 1, from 6 letters on 2.
    pub(crate) fn tolerated(&self) -> u32 {
        match self.length {
            0..=3 => 0,
            4..=5 => 1,
            _ => 2,
        }
    }

    /// The least number of letters replaced, left out or added with which the word stands anywhere in a text: the
    /// bit-parallel algorithm of Myers (1999), one step a byte.
    pub(crate) fn errors(&self, text: &str) -> u32 {
        let last = 1_u64 << self.length.saturating_sub(1);
        let (mut more, mut less) = (u64::MAX, 0_u64);
        let mut errors = self.length;
        let mut least = errors;
        for byte in text.bytes() {
            let equal = self.places.get(usize::from(byte)).copied().unwrap_or(0);
            let vertical = equal | less;
            let horizontal = (((equal & more).wrapping_add(more)) ^ more) | equal;
            let mut up = less | !(horizontal | more);
            let mut down = more & horizontal;
            if up & last != 0 {
                errors = errors.saturating_add(1);
            }
            if down & last != 0 {
                errors = errors.saturating_sub(1);
            }
            least = least.min(errors);
            up <<= 1;
            down <<= 1;
            more = down | !(vertical | up);
            less = up & vertical;
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(typed: &str, text: &str) -> u32 {
        let text = fold(text);
        words(typed).iter().map(|word| word.errors(&text)).sum()
    }

    #[test]
    fn a_word_may_stand_anywhere_with_errors() {
        assert_eq!(errors("Kaffee", "KAFFEEBOHNEN mild"), 0);
        assert_eq!(errors("kafee", "Kaffeebohnen"), 1);
        assert_eq!(errors("kaffeee bohnen", "Kaffeebohnen"), 1);
        assert_eq!(errors("olivenol", "Olivenöl nativ"), 0);
        assert_eq!(errors("gsechirr", "Geschirrspülmittel"), 2);
        assert_eq!(errors("xyz", "Ordner"), 3);
    }

    #[test]
    fn long_words_and_empty_texts_are_compared_too() {
        let long = "x".repeat(200);
        assert_eq!(errors(&long, &long), 0);
        assert_eq!(errors(&long, ""), 64);
        assert_eq!(errors("abc", ""), 3);
        assert_eq!(words(&"a ".repeat(100)).len(), WORDS);
        assert!(words(" ").is_empty());
    }

    #[test]
    fn short_words_tolerate_less() {
        let words = words("a4 kafe kaffee");
        let tolerated: Vec<u32> = words.iter().map(Word::tolerated).collect();
        assert_eq!(tolerated, [0, 1, 2]);
    }
}
