//! Media of an article (interface: "Article media record").

use super::Link;
use super::record::wire_record;

wire_record! {
    /// An entry of `GET /www/artikelmedia/{ArtNr}`: an image, a text, or both.
    pub struct MediaRecord {
        /// Unique key of the file.
        key "IDKey": int required,
        /// Image format.
        image_format "AMDBildFormat": varchar(12),
        /// Text format.
        text_format "AMDTextFormat": varchar(12),
        /// Usage, steered by the attribute `VERWENDUNG`.
        usage "AMDVerwendung": varchar(12),
        /// Language of the file, ISO 639-2/B.
        language "AdrSprache": char(4),
        /// Country assignment, ISO 3166-1 alpha-2.
        country "OrtLand": char(4),
        /// Time of the last change.
        modified_at "Modified_UTC": date_time required,
        /// Article group.
        article_group "ArtGruppe": varchar(12),
        /// Article number.
        article_number "ArtNr": char(15) required,
        /// File name.
        file_name "AMDDateiName": varchar(255),
        /// Text output.
        text "AMDText": text,
        /// Comment on the media file.
        comment "Kommentar": varchar(255),
        /// Relations to the media data and to the article.
        links: list(Link) required,
    }
}
