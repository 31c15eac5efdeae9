//! Media of an article (interface: "Article media record").

use erp_derive::Record;

use super::Link;
use crate::domain::master::ArticleNumber;
use crate::domain::media::Format;
use crate::values::codes::{Country, Language};
use crate::values::limits::MEDIA_TEXT_CHARACTERS;
use crate::values::text::Text;
use crate::values::time::DocumentTime;

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
