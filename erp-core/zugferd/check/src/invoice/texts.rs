//! Sets and maps of texts. All of them are one kind of tree: each kind that the compiler makes costs a browser 3 kB.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// Different texts, with a number in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct Texts<'a> {
    numbers: BTreeMap<Cow<'a, str>, usize>,
}

impl<'a> Texts<'a> {
    /// The number of a text, which is new or known.
    pub(crate) fn insert(&mut self, text: Cow<'a, str>) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(text).or_insert(next)
    }

    /// The number of a text that is known.
    pub(crate) fn number(&self, text: &str) -> Option<usize> {
        self.numbers.get(text).copied()
    }

    pub(crate) fn contains(&self, text: &str) -> bool {
        self.number(text).is_some()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.numbers.keys().map(|text| &**text)
    }

    /// Whether no text is in both.
    pub(crate) fn is_disjoint(&self, other: &Self) -> bool {
        !self.iter().any(|text| other.contains(text))
    }
}

#[derive(Default)]
pub(crate) struct TextMap<'a, T> {
    texts: Texts<'a>,
    values: Vec<T>,
}

impl<'a, T: Default> TextMap<'a, T> {
    /// Changes the value of a text; of a new one it is the default.
    pub(crate) fn change(&mut self, text: Cow<'a, str>, change: impl FnOnce(&mut T)) {
        let number = self.texts.insert(text);
        if number == self.values.len() {
            self.values.push(T::default());
        }
        if let Some(value) = self.values.get_mut(number) {
            change(value);
        }
    }

    pub(crate) const fn len(&self) -> usize {
        self.values.len()
    }

    /// The values in the order in which their texts came.
    pub(crate) fn into_values(self) -> Vec<T> {
        self.values
    }

    pub(crate) fn get(&self, text: &str) -> Option<&T> {
        self.values.get(self.texts.number(text)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_keep_the_number_they_came_with() {
        let mut texts = Texts::default();
        assert_eq!(
            ["b", "a", "b"].map(|text| texts.insert(text.into())),
            [0, 1, 0]
        );
        assert_eq!((texts.number("a"), texts.number("c")), (Some(1), None));
        let mut other = Texts::default();
        other.insert("c".into());
        assert!(texts.is_disjoint(&other));
        other.insert("a".into());
        assert!(!texts.is_disjoint(&other));
    }

    #[test]
    fn values_are_found_by_their_texts() {
        let mut counts: TextMap<'_, u32> = TextMap::default();
        for text in ["b", "a", "b"] {
            counts.change(text.into(), |count| *count += 1);
        }
        let found = ["a", "b", "c"].map(|text| counts.get(text).copied());
        assert_eq!(found, [Some(1), Some(2), None]);
    }
}
