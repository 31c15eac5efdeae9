//! Converts media records to import rows, for exports.

use super::rows::MediaRow;
use crate::domain::media::Media;

impl From<&Media> for MediaRow {
    fn from(media: &Media) -> Self {
        let (image, text) = (media.image.as_ref(), media.text.as_ref());
        Self {
            key: Some(media.key),
            article: Some(media.article.clone()),
            image_format: image.map(|image| image.format.clone().into()),
            text_format: text.map(|text| text.format.clone().into()),
            usage: media.usage.clone(),
            language: media.language,
            country: media.country,
            group: media.group.clone(),
            file_name: media.file_name.clone().map(Into::into),
            text: text.map(|text| text.text.clone().into()),
            comment: media.comment.clone(),
            hash: image.map(|image| image.hash.to_string().into()),
            ..Self::default()
        }
    }
}
