//! Media of articles: a picture or another file, a descriptive text, or both under one key.
//!
//! The record refers to the file's body by SHA-256 and length; the embedding program stores the bytes. The server
//! stores them as files.

mod format;
mod selection;

use std::collections::BTreeSet;
use std::fmt;

use erp_derive::{Say, skip_serializing_none};
use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use smol_str::SmolStr;

use crate::domain::master::ArticleNumber;
use crate::values::codes::{Country, Language};
use crate::values::limits::MEDIA_TEXT_CHARACTERS;
use crate::values::text::Text;

pub use format::{FileType, TEXT_TYPE, extension, file_type};
pub use selection::{Part, Usages, part_of};

/// A format name from the back office (`AMDBildFormat`, `AMDTextFormat`), for example `png`.
pub type Format = Text<12>;

/// A media record (interface: "Article media record").
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Media {
    /// Key (`IDKey`), 1 or more.
    pub key: i32,
    /// Article number (`ArtNr`).
    pub article: ArticleNumber,
    /// Usage (`AMDVerwendung`); without one, the record is for every use.
    pub usage: Option<Text<12>>,
    /// Language (`AdrSprache`), when it is for one.
    pub language: Option<Language>,
    /// Country (`OrtLand`), when it is for one.
    pub country: Option<Country>,
    /// Article group (`ArtGruppe`); without one, the article's group is shown.
    pub group: Option<Text<12>>,
    /// File name (`AMDDateiName`), without folders.
    pub file_name: Option<Text<255>>,
    /// Comment (`Kommentar`).
    pub comment: Option<Text<255>>,
    /// The picture or other file; a record has this, a text, or both.
    pub image: Option<Image>,
    /// The text.
    pub text: Option<MediaText>,
    /// Time of the last change of the record (`Modified_UTC`).
    pub changed_at: Timestamp,
}

/// The file of a media record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Format (`AMDBildFormat`).
    pub format: Format,
    /// The SHA-256 of the body.
    pub hash: BodyHash,
    /// Size of the body in bytes.
    pub length: u64,
}

/// The text of a media record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaText {
    /// Format (`AMDTextFormat`).
    pub format: Format,
    /// The text itself (`AMDText`).
    pub text: Text<MEDIA_TEXT_CHARACTERS>,
}

/// The keys of an article's media, in listing order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArticleMedia {
    /// The keys; never empty in a stored record.
    pub keys: BTreeSet<i32>,
}

/// Identifies a media record within its article if the back office sends no `IDKey`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MediaPlace {
    /// Article number (`ArtNr`).
    pub article: ArticleNumber,
    /// File name (`AMDDateiName`).
    pub file_name: Option<Text<255>>,
    /// Usage (`AMDVerwendung`).
    pub usage: Option<Text<12>>,
    /// Language (`AdrSprache`).
    pub language: Option<Language>,
    /// Country (`OrtLand`).
    pub country: Option<Country>,
}

impl Media {
    /// The fields that identify the record within its article.
    pub fn place(&self) -> MediaPlace {
        MediaPlace {
            article: self.article.clone(),
            file_name: self.file_name.clone(),
            usage: self.usage.clone(),
            language: self.language,
            country: self.country,
        }
    }

    /// Suggested file name of a part: `AMDDateiName`, with `.txt` appended for a text that has a file beside it;
    /// otherwise the key with the format as extension.
    pub fn name_of(&self, part: Part) -> SmolStr {
        let ending = |format: &Format| format!("{}.{}", self.key, format.to_lowercase()).into();
        match (part, &self.file_name) {
            (Part::Image, Some(name)) => name.clone().into(),
            (Part::Image, None) => {
                let format = self.image.as_ref().map(|image| &image.format);
                format.map_or_else(SmolStr::default, ending)
            }
            (Part::Text, Some(name)) if self.image.is_none() => name.clone().into(),
            (Part::Text, Some(name)) => {
                let stem = name
                    .rsplit_once('.')
                    .map_or(name.as_str(), |(stem, _)| stem);
                format!("{stem}.txt").into()
            }
            (Part::Text, None) => format!("{}.txt", self.key).into(),
        }
    }
}

/// SHA-256 of a body; displayed as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyHash([u8; 32]);

/// The text is not a SHA-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
#[say("malformed.hash")]
pub struct NoHash;

impl BodyHash {
    /// A hash from its bytes.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub const fn bytes(self) -> [u8; 32] {
        self.0
    }

    /// Parses 64 hexadecimal digits, ignoring case.
    ///
    /// # Errors
    /// When the text is anything else.
    pub fn parse(text: &str) -> Result<Self, NoHash> {
        let mut bytes = [0; 32];
        let (digits, rest) = text.as_bytes().as_chunks::<2>();
        if digits.len() != bytes.len() || !rest.is_empty() {
            return Err(NoHash);
        }
        for (byte, [high, low]) in bytes.iter_mut().zip(digits) {
            let digit = |digit: u8| char::from(digit).to_digit(16).ok_or(NoHash);
            let value = digit(*high)?.wrapping_shl(4) | digit(*low)?;
            *byte = u8::try_from(value).map_err(|_| NoHash)?;
        }
        Ok(Self(bytes))
    }
}

impl fmt::Display for BodyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // In halves: every article response has such a text in its tag, and 32 single bytes take 10 % of its time.
        let (halves, _) = self.0.as_chunks();
        let mut halves = halves.iter().map(|half| u128::from_be_bytes(*half));
        halves.try_for_each(|half| write!(f, "{half:032x}"))
    }
}

impl fmt::Debug for BodyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BodyHash({self})")
    }
}

impl Serialize for BodyHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for BodyHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&SmolStr::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
pub(crate) mod tests;
