//! Converts media records to import rows, for exports.

use smol_str::SmolStr;

use super::rows::MediaRow;
use crate::domain::media::Media;
use crate::values::codes::{Country, Language};
use crate::values::text::Text;

/// A text as an import reads it: trailing blanks are padding, and a blank text counts as absent.
fn text<const MAX: usize>(value: &Text<MAX>) -> Option<SmolStr> {
    let text = value.trim_end_matches(' ');
    (!text.trim().is_empty()).then(|| SmolStr::new(text))
}

fn optional<const MAX: usize>(value: Option<&Text<MAX>>) -> Option<SmolStr> {
    value.and_then(text)
}

impl From<&Media> for MediaRow {
    fn from(media: &Media) -> Self {
        let (image, told) = (media.image.as_ref(), media.text.as_ref());
        Self {
            key: Some(media.key),
            article: text(&media.article),
            image_format: image.and_then(|image| text(&image.format)),
            text_format: told.and_then(|told| text(&told.format)),
            usage: optional(media.usage.as_ref()),
            language: media
                .language
                .map(|language: Language| language.as_str().into()),
            country: media
                .country
                .map(|country: Country| country.as_str().into()),
            group: optional(media.group.as_ref()),
            file_name: optional(media.file_name.as_ref()),
            text: told.map(|told| told.text.clone().into()),
            comment: optional(media.comment.as_ref()),
            hash: image.map(|image| image.hash.to_string().into()),
            ..Self::default()
        }
    }
}
