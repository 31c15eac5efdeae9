//! Texts in several languages: `Texte` lists one per language, and a member beside it has the one in the company's language.

use std::collections::BTreeMap;

use erp_derive::Record;
use serde::{Serialize, Serializer};

use super::record::{Reader, Record};
use super::table::{Field, Kind, plain};
use super::view::Row;
use super::write::As;
use crate::values::codes::Language;
use crate::values::text::Text;

/// A text in one language (`Texte`).
#[derive(Record)]
#[record(Row = "TextRow")]
struct TextRow {
    /// Language, ISO 639-2/B.
    #[wire("AdrSprache", required)]
    language: Option<Language>,
    /// General text.
    #[wire("Text")]
    text: Option<Text<255>>,
    /// Article description.
    #[wire("ArtBez")]
    article_text: Option<Text<255>>,
    /// Packaging designation.
    #[wire("VPBezeichnung")]
    unit_text: Option<Text<255>>,
}

impl TextRow {
    fn named(&mut self, name: &str) -> &mut Option<Text<255>> {
        match name {
            "ArtBez" => &mut self.article_text,
            "VPBezeichnung" => &mut self.unit_text,
            _ => &mut self.text,
        }
    }
}

pub(crate) const LIST: Field = Field {
    rust: "texts",
    kind: Kind::List(TextRow::SCHEMA),
    ..plain("Texte", "Text per language.")
};

/// The member with the text in the company's language, and the list.
pub(crate) const fn members(name: &'static str) -> [Field; 2] {
    [alone(name), LIST]
}

const fn alone(name: &'static str) -> Field {
    Field {
        rust: "text",
        kind: Kind::Varchar(255),
        ..plain(name, "Text in the company's language.")
    }
}

/// Reads the texts of an object. Of two in one language the last one counts.
pub(crate) fn read<const MAX: usize>(
    reader: &mut Reader<'_>,
    name: &'static str,
) -> BTreeMap<Language, Text<MAX>> {
    let mut texts = BTreeMap::new();
    if let Some(text) = reader.value(&alone(name)) {
        texts.insert(reader.language(), text);
    }
    let rows = reader.entries_at(&LIST, |entry: &mut TextRow, scope| {
        let text = scope.required(name, entry.named(name).take())?;
        let text = scope.fitting(name, &text)?;
        Some((entry.language?, text))
    });
    texts.extend(rows);
    texts
}

/// The texts of an object as a list.
pub(crate) struct List<'a, const MAX: usize>(&'static str, &'a BTreeMap<Language, Text<MAX>>);

impl<'a, const MAX: usize> List<'a, MAX> {
    /// The list; `None` for an empty one.
    pub(crate) fn new(
        name: &'static str,
        texts: &'a BTreeMap<Language, Text<MAX>>,
    ) -> Option<Self> {
        let has_text = texts.values().any(|text| !text.trim().is_empty());
        has_text.then_some(Self(name, texts))
    }
}

impl<const MAX: usize> Serialize for List<'_, MAX> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let texts = self.1.iter().filter(|(_, text)| !text.trim().is_empty());
        serializer.collect_seq(texts.map(|(language, text)| {
            let mut row = TextRow {
                language: Some(*language),
                text: None,
                article_text: None,
                unit_text: None,
            };
            *row.named(self.0) = Text::new(text).ok();
            row
        }))
    }
}

impl Serialize for TextRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        As::<_, Row>::new(self).serialize(serializer)
    }
}
