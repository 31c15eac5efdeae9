//! Edit distance between two names.

use strsim::damerau_levenshtein;

/// A cheap summary of a key: keys with different summaries are different.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sketch {
    letters: u32,
    length: usize,
}

impl Sketch {
    pub(super) fn new(key: &str) -> Self {
        let letters = key
            .bytes()
            .fold(0, |letters, byte| letters | 1_u32 << (byte & 31));
        Self {
            letters,
            length: key.chars().count(),
        }
    }

    /// Whether two keys can be within that many typing errors: each error changes the length by at most one and the
    /// set of letters by at most two.
    fn may_be_within(self, other: Self, limit: usize) -> bool {
        let letters = (self.letters ^ other.letters).count_ones();
        self.length.abs_diff(other.length) <= limit
            && usize::try_from(letters).is_ok_and(|letters| letters <= 2 * limit)
    }
}

/// Number of letters that were replaced, omitted, added or swapped with their neighbour; `None` above the limit.
pub(super) fn within(limit: usize, left: (&str, Sketch), right: (&str, Sketch)) -> Option<usize> {
    if !left.1.may_be_within(right.1, limit) {
        return None;
    }
    Some(damerau_levenshtein(left.0, right.0)).filter(|distance| *distance <= limit)
}

/// Number of typing errors that are tolerated in a name of that many letters.
pub(super) fn tolerated(length: usize) -> usize {
    match length {
        0..=1 => 0,
        2..=3 => 1,
        4..=11 => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(limit: usize, left: &str, right: &str) -> Option<usize> {
        within(
            limit,
            (left, Sketch::new(left)),
            (right, Sketch::new(right)),
        )
    }

    #[test]
    fn each_kind_of_typing_error_counts_one() {
        for typed in ["bxsel", "bsel", "baasel", "absel"] {
            assert_eq!(measured(1, typed, "basel"), Some(1), "{typed}");
        }
        assert_eq!(measured(1, "abesl", "basel"), None);
        assert_eq!(measured(2, "abesl", "basel"), Some(2));
        assert_eq!(measured(9, "zug", "basel"), Some(5));
    }
}
