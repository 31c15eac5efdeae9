//! Text folding for comparison: ignores case, accents and repeated blanks.

use std::sync::LazyLock;

/// Base letters without accents; parsed once.
static LETTERS: LazyLock<Letters> =
    LazyLock::new(|| Letters::read(include_str!("../../data/letters.txt")));

/// Canonical decompositions without marks, and the marks themselves (Unicode Character Database). The table is a tenth
/// of the size of a full normalisation, which matters because every address form downloads it. The test below
/// compares it with a full normalisation for every character.
///
/// Each line is a character followed by its base letters; after an empty line, one line per range of marks, with first
/// and last mark. Both parts are sorted.
struct Letters {
    bases: Vec<(char, &'static str)>,
    marks: Vec<(char, char)>,
}

impl Letters {
    fn read(table: &'static str) -> Self {
        let (bases, marks) = table.split_once("\n\n").unwrap_or((table, ""));
        let pair = |line: &'static str| {
            let mut rest = line.chars();
            Some((rest.next()?, rest.as_str()))
        };
        let range = |line| pair(line).and_then(|(first, last)| Some((first, last.chars().next()?)));
        Self {
            bases: bases.lines().filter_map(pair).collect(),
            marks: marks.lines().filter_map(range).collect(),
        }
    }

    /// The base letters of a character with accents; `None` if it has none.
    fn base(&self, letter: char) -> Option<&'static str> {
        let found = self
            .bases
            .binary_search_by_key(&letter, |(known, _)| *known);
        found
            .ok()
            .and_then(|at| self.bases.get(at))
            .map(|(_, base)| *base)
    }

    fn is_mark(&self, character: char) -> bool {
        let next = self.marks.partition_point(|(first, _)| *first <= character);
        let before = next.checked_sub(1).and_then(|at| self.marks.get(at));
        before.is_some_and(|(_, last)| character <= *last)
    }
}

/// Folds a text for sorting and searching: lower case, no accents, `ß` as `ss`, single blanks.
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        for character in word.chars() {
            if character.is_ascii() {
                folded.push(character.to_ascii_lowercase());
            } else if is_syllable(character) {
                push_syllable(&mut folded, character);
            } else if let Some(base) = LETTERS.base(character) {
                base.chars().for_each(|part| push_folded(&mut folded, part));
            } else if !LETTERS.is_mark(character) {
                push_folded(&mut folded, character);
            }
        }
    }
    folded
}

/// Whether a character is a Hangul syllable; those 11,172 characters are composed by a formula.
fn is_syllable(character: char) -> bool {
    ('\u{ac00}'..='\u{d7a3}').contains(&character)
}

/// Appends the two or three letters of a Hangul syllable (Unicode Standard, section 3.12).
fn push_syllable(folded: &mut String, syllable: char) {
    const VOWELS: u32 = 21;
    const TAILS: u32 = 28;
    let index = u32::from(syllable).saturating_sub(0xac00);
    let (block, tail) = (index / TAILS, index % TAILS);
    let parts = [
        Some(0x1100_u32.saturating_add(block / VOWELS)),
        Some(0x1161_u32.saturating_add(block % VOWELS)),
        (tail > 0).then(|| 0x11a7_u32.saturating_add(tail)),
    ];
    let letters = parts.into_iter().flatten().filter_map(char::from_u32);
    folded.extend(letters);
}

fn push_folded(folded: &mut String, character: char) {
    match character {
        'ß' | 'ẞ' => folded.push_str("ss"),
        'æ' | 'Æ' => folded.push_str("ae"),
        'œ' | 'Œ' => folded.push_str("oe"),
        'ø' | 'Ø' => folded.push('o'),
        'ł' | 'Ł' => folded.push('l'),
        'đ' | 'Đ' => folded.push('d'),
        other => folded.extend(other.to_lowercase()),
    }
}

// rule: D-ADR-06
/// Normalises a text for comparing addresses: [`fold`], and `ae`, `oe`, `ue` count as umlauts, so that `Müller`,
/// `MUELLER` and `Muller` are equal.
pub(crate) fn search_form(text: &str) -> String {
    without_umlauts(&fold(text))
}

/// The search form of a folded text.
pub(crate) fn without_umlauts(folded: &str) -> String {
    let without = folded.replace("ae", "a").replace("oe", "o");
    without.replace("ue", "u")
}

/// A folded text and, where it differs, its search form: in it a word in its search form is found in either spelling,
/// and also behind a letter that would make an umlaut of its `e` (`element` in `Bauelement`).
pub(crate) fn searched_text(text: &str) -> String {
    let folded = fold(text);
    match without_umlauts(&folded) {
        form if form == folded => folded,
        form => format!("{folded} {form}"),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use unicode_normalization::UnicodeNormalization;
    use unicode_normalization::char::is_combining_mark;

    use super::*;

    fn without_marks(letter: char) -> String {
        letter
            .nfd()
            .filter(|part| !is_combining_mark(*part))
            .collect()
    }

    /// The table generated from a full normalisation.
    fn table() -> String {
        let mut table = String::new();
        let letters = ('\0'..=char::MAX).filter(|letter| !is_syllable(*letter));
        for letter in letters.filter(|letter| !is_combining_mark(*letter)) {
            let base = without_marks(letter);
            if !base.chars().eq([letter]) {
                writeln!(table, "{letter}{base}").unwrap();
            }
        }
        let mut marks = ('\0'..=char::MAX).filter(|letter| is_combining_mark(*letter));
        let mut range = marks.next().map(|mark| (mark, mark)).unwrap();
        for mark in marks {
            if u32::from(range.1) + 1 != u32::from(mark) {
                write!(table, "\n{}{}", range.0, range.1).unwrap();
                range.0 = mark;
            }
            range.1 = mark;
        }
        writeln!(table, "\n{}{}", range.0, range.1).unwrap();
        table
    }

    #[test]
    fn the_table_is_that_of_a_full_normalisation() {
        let table = table();
        let kept = include_str!("../../data/letters.txt");
        assert!(table == kept, "the table should be\n{table}");
    }

    #[test]
    fn accents_case_and_doubled_blanks_go() {
        assert_eq!(fold("  Große  Ämter "), "grosse amter");
    }

    #[test]
    fn a_name_is_found_in_either_spelling() {
        assert_eq!(search_form("Müller"), search_form("MUELLER"));
        assert_eq!(search_form("Straße"), search_form("strasse"));
    }

    #[test]
    fn folding_is_normal_form_d_without_marks() {
        const REPLACED: &str = "ßẞæÆœŒøØłŁđĐ";
        let is_kept = |letter: char| !letter.nfd().any(|part| REPLACED.contains(part));
        let letters = ('\0'..=char::MAX).filter(|letter| !letter.is_whitespace());
        for letter in letters.filter(|letter| is_kept(*letter)) {
            let marked = format!("a{letter}\u{323}\u{307}o\u{308}");
            let parts = marked.nfd().filter(|part| !is_combining_mark(*part));
            let expected: String = parts.flat_map(char::to_lowercase).collect();
            assert_eq!(fold(&marked), expected, "{letter:?}");
        }
        for letter in REPLACED.chars() {
            assert!(fold(&letter.to_string()).is_ascii(), "{letter}");
        }
    }
}
