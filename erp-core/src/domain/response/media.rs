//! Media of an article (interface: "Article media record").

use erp_derive::Record;
use smol_str::format_smolstr;

use crate::domain::master::ArticleNumber;
use crate::domain::media::{Format, Media, Part};
use crate::values::codes::{Country, Language};
use crate::values::limits::MEDIA_TEXT_CHARACTERS;
use crate::values::text::Text;
use crate::values::time::DocumentTime;
use crate::wire::{Link, Links};

/// An entry of `GET /www/artikelmedia/{ArtNr}`: an image, a text, or both.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
pub struct MediaRecord {
    /// Unique key of the file.
    #[wire("IDKey", required)]
    pub key: i32,
    /// Image format.
    #[wire("AMDBildFormat")]
    pub image_format: Option<Format>,
    /// Text format.
    #[wire("AMDTextFormat")]
    pub text_format: Option<Format>,
    /// Usage, steered by the attribute `VERWENDUNG`.
    #[wire("AMDVerwendung")]
    pub usage: Option<Text<12>>,
    /// Language of the file, ISO 639-2/B.
    #[wire("AdrSprache", char(4))]
    pub language: Option<Language>,
    /// Country assignment, ISO 3166-1 alpha-2.
    #[wire("OrtLand", char(4))]
    pub country: Option<Country>,
    /// Time of the last change.
    #[wire("Modified_UTC", required)]
    pub modified_at: DocumentTime,
    /// Article group.
    #[wire("ArtGruppe")]
    pub article_group: Option<Text<12>>,
    /// Article number.
    #[wire("ArtNr", char(15), required)]
    pub article_number: ArticleNumber,
    /// File name.
    #[wire("AMDDateiName")]
    pub file_name: Option<Text<255>>,
    /// Text output.
    #[wire("AMDText", string)]
    pub text: Option<Text<MEDIA_TEXT_CHARACTERS>>,
    /// Comment on the media file.
    #[wire("Kommentar")]
    pub comment: Option<Text<255>>,
    /// Relations to the media data and to the article.
    #[wire("links", required)]
    pub links: Vec<Link>,
}

impl Media {
    // rule: R-RES-21
    /// The record as the interface shows it.
    pub fn to_wire(&self, links: &Links<'_>) -> MediaRecord {
        let (image, text) = (self.image.as_ref(), self.text.as_ref());
        MediaRecord {
            key: self.key,
            image_format: image.map(|image| image.format.clone()),
            text_format: text.map(|text| text.format.clone()),
            usage: self.usage.clone(),
            language: self.language,
            country: self.country,
            modified_at: self.changed_at.into(),
            article_group: self.group.clone(),
            article_number: self.article.clone(),
            file_name: self.file_name.clone(),
            text: text.map(|text| text.text.clone()),
            comment: self.comment.clone(),
            links: relations(links, self),
        }
    }
}

/// One link per existing part, and one to the article.
fn relations(links: &Links<'_>, media: &Media) -> Vec<Link> {
    let parts = [
        media.image.as_ref().map(|_| Part::Image),
        media.text.as_ref().map(|_| Part::Text),
    ];
    let path = format_smolstr!("artikelmediadaten/{}", media.key);
    let mut list: Vec<Link> = parts
        .into_iter()
        .flatten()
        .map(|part| links.query("artikelmediadaten", &path, &[("type", part.as_str())]))
        .collect();
    list.push(links.to("GET", "artikel", "artikel", &media.article));
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::media::tests::{image, media, words};

    // rule: R-RES-21
    #[test]
    fn every_part_has_its_link() {
        let mut media = media(7);
        media.image = Some(image("png"));
        media.text = Some(words("txt", "Größe"));
        media.group = Some(Text::new("BUERO").unwrap());
        let links = Links::new("https://erp.example.com");
        let hrefs = |record: &MediaRecord| -> Vec<String> {
            let list = record.links.iter();
            list.map(|link| link.href.to_string()).collect()
        };
        let both = media.to_wire(&links);
        assert_eq!(
            hrefs(&both),
            [
                "https://erp.example.com/www/artikelmediadaten/7?type=Bild",
                "https://erp.example.com/www/artikelmediadaten/7?type=Text",
                "https://erp.example.com/www/artikel/A-1",
            ]
        );
        assert_eq!(both.article_group.as_deref(), Some("BUERO"));
        assert_eq!(both.text.as_deref(), Some("Größe"));
        media.image = None;
        media.group = Some(Text::new("EIGEN").unwrap());
        let text = media.to_wire(&links);
        assert_eq!(hrefs(&text).len(), 2);
        assert_eq!(text.article_group.as_deref(), Some("EIGEN"));
        assert_eq!(text.image_format, None);
    }
}
