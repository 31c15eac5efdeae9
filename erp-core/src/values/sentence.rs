//! Sentences for people, with their values, in the language of who reads them.

use std::fmt::Display;

use erp_derive::Word;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The languages of sentences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Word)]
#[word(any_case)]
pub enum Locale {
    /// English.
    #[default]
    #[word("en")]
    English,
    /// German.
    #[word("de")]
    German,
    /// French.
    #[word("fr")]
    French,
    /// Italian.
    #[word("it")]
    Italian,
}

impl Locale {
    /// The language of a tag like `de-CH`; `None` for another language.
    pub fn of_tag(tag: &str) -> Option<Self> {
        Self::parse(tag.trim().split(['-', '_']).next()?)
    }
}

/// A sentence, lower case and without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sentence {
    /// A text that is the same in every language.
    Text(String),
    /// A sentence in English and German; who reads French or Italian gets the English one.
    Pair(String, String),
    /// A sentence in each of the languages.
    Each(Box<[String; 4]>),
    /// What `sentence!` makes: texts with a tabulator between them, and the values of their numbered places.
    Row(&'static str, Vec<Self>),
}

impl Sentence {
    /// The sentence in a language.
    pub fn text(&self, locale: Locale) -> String {
        let mut text = String::new();
        self.write(locale, &mut text);
        text
    }

    /// The sentence in English.
    pub fn english(&self) -> String {
        self.text(Locale::English)
    }

    /// The sentence in each language, as it can be stored.
    pub fn in_each(&self) -> [String; 4] {
        Locale::ALL.map(|locale| self.text(locale))
    }

    /// Keeps only the text in a language.
    pub fn translate(&mut self, locale: Locale) {
        *self = Self::Text(self.text(locale));
    }

    fn write(&self, locale: Locale, out: &mut String) {
        let (texts, values) = match self {
            Self::Pair(_, german) if locale == Locale::German => return out.push_str(german),
            Self::Text(text) | Self::Pair(text, _) => return out.push_str(text),
            Self::Each(texts) => {
                return texts
                    .get(locale as usize)
                    .into_iter()
                    .for_each(|text| out.push_str(text));
            }
            Self::Row(texts, values) => (texts, values),
        };
        let mut parts = texts
            .split('\t')
            .nth(locale as usize)
            .unwrap_or(texts)
            .split('{');
        out.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let (place, after) = part.split_once('}').unwrap_or_default();
            let value = place.parse().ok().and_then(|at: usize| values.get(at));
            value.into_iter().for_each(|value| value.write(locale, out));
            out.push_str(after);
        }
    }
}

/// Something that says a sentence, like an error.
pub trait Say {
    /// The sentence.
    fn say(&self) -> Sentence;
}

impl<T: Say> From<T> for Sentence {
    fn from(says: T) -> Self {
        says.say()
    }
}

/// What can stand in a place of a sentence: what is shown, the same in every language, or another sentence.
pub trait AsValue {
    /// The value.
    fn as_value(&self) -> Sentence;
}

impl<T: Display + ?Sized> AsValue for T {
    fn as_value(&self) -> Sentence {
        Sentence::Text(self.to_string())
    }
}

impl AsValue for Sentence {
    fn as_value(&self) -> Sentence {
        self.clone()
    }
}

/// In English.
impl Serialize for Sentence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.english())
    }
}

impl<'de> Deserialize<'de> for Sentence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_said_in_each_language_with_its_values() {
        let said = sentence!(
            "wrong_type",
            wanted = sentence!("type.list"),
            found = "{0}\t"
        );
        let texts = Locale::ALL.map(|locale| said.text(locale));
        let expected = [
            "expected a list, found {0}\t",
            "erwartet wird eine Liste, nicht {0}\t",
            "un tableau est attendu, et non {0}\t",
            "è atteso un elenco, non {0}\t",
        ];
        assert_eq!(texts, expected);
        let pair = Sentence::Pair("red".to_owned(), "rot".to_owned());
        let texts = Locale::ALL.map(|locale| pair.text(locale));
        assert_eq!(texts, ["red", "rot", "red", "red"]);
    }

    #[test]
    fn a_tag_names_its_language() {
        for (tag, locale) in [
            ("de", Some(Locale::German)),
            ("de-CH", Some(Locale::German)),
            ("FR_ch", Some(Locale::French)),
            ("it-IT-x-y", Some(Locale::Italian)),
            ("en-GB", Some(Locale::English)),
            ("deu", None),
            ("rm", None),
            ("", None),
        ] {
            assert_eq!(Locale::of_tag(tag), locale, "{tag}");
        }
    }
}
