//! Converts import rows of article media.

use crate::domain::media::{BodyHash, Format, MediaPlace, MediaText, Part, extension};
use crate::import::rows::MediaRow;
use crate::import::{BodySource, NewImage, NewMedia, Removal, Row};
use crate::values::problem::Code;
use crate::values::text::Text;
use crate::wire::Scope;

/// The format of a text if the row has none.
const TEXT_FORMAT: &str = "txt";

impl Scope<'_> {
    pub(super) fn media_row(&mut self, mut row: MediaRow) -> Option<Row> {
        let body = self.body_source(&row);
        let file_name = self.file_name(&row, body.as_ref());
        let image = self.image(&row, body, file_name.as_ref());
        let text = self.media_text(&row);
        let place = self.media_place(&mut row, file_name);
        if image.is_none() && text.is_none() && !self.has_problem_of_a_part() {
            let message = sentence!("required.media");
            let _: Option<()> = self.refuse_member("AMDText", Code::Required, message);
        }
        let formats = image
            .as_ref()
            .map(|image| &image.format)
            .zip(text.as_ref().map(|text| &text.format));
        if formats.is_some_and(|(image, text)| image.eq_ignore_ascii_case(text)) {
            let message = sentence!("contradiction.one_format");
            let _: Option<()> = self.refuse_member("AMDTextFormat", Code::Contradiction, message);
        }
        let media = NewMedia {
            key: row.key,
            group: row.group,
            comment: row.comment,
            image,
            text,
            place: place?,
        };
        Some(Row::Media(Box::new(media)))
    }

    pub(super) fn media_removal(&mut self, mut row: MediaRow) -> Option<Row> {
        if let Some(key) = row.key {
            return Some(Row::Remove(Removal::Media(key)));
        }
        let file_name = self.file_name(&row, None);
        let place = self.media_place(&mut row, file_name)?;
        Some(Row::Remove(Removal::MediaAt(place)))
    }

    /// Whether a member of the file or text is there but cannot be read.
    fn has_problem_of_a_part(&self) -> bool {
        let members = [
            "AMDBildFormat",
            "Datei",
            "Base64",
            "SHA256",
            "AMDTextFormat",
            "AMDText",
        ];
        let mut paths = members.iter().map(|name| self.path.member(name));
        paths.any(|path| self.problems.covers(&path))
    }

    fn media_place(
        &mut self,
        row: &mut MediaRow,
        file_name: Option<Text<255>>,
    ) -> Option<MediaPlace> {
        let article = self.required("ArtNr", row.article.take());
        Some(MediaPlace {
            file_name,
            usage: row.usage.take(),
            language: row.language,
            country: row.country,
            article: article?,
        })
    }

    /// Source of the bytes; at most one of three fields may be given.
    fn body_source(&mut self, row: &MediaRow) -> Option<BodySource> {
        let given: Vec<(&str, &str)> = [
            ("Datei", &row.file),
            ("Base64", &row.base64),
            ("SHA256", &row.hash),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.as_ref()?.trim())))
        .collect();
        match given.as_slice() {
            [] => None,
            [("SHA256", text)] => match BodyHash::parse(text) {
                Ok(hash) => Some(BodySource::Hash(hash)),
                Err(error) => self.refuse_member("SHA256", Code::Malformed, error),
            },
            [("Base64", text)] => Some(BodySource::Base64((*text).to_owned())),
            [(_, path)] => Some(BodySource::File((*path).to_owned())),
            [_, (name, _), ..] => self.refuse_member(
                name,
                Code::Contradiction,
                sentence!("contradiction.one_file"),
            ),
        }
    }

    /// `AMDDateiName`, otherwise the last part of `Datei`. A name with folders is rejected: a client that saves the
    /// file would write it to another folder.
    fn file_name(&mut self, row: &MediaRow, body: Option<&BodySource>) -> Option<Text<255>> {
        let path_end = match body {
            Some(BodySource::File(path)) => path.rsplit(['/', '\\']).next(),
            _ => None,
        };
        let name = row.file_name.as_deref().map(str::trim).or(path_end);
        let name = name.filter(|name| !name.is_empty())?;
        let name: Text<255> = self.fitting("AMDDateiName", name)?;
        let foreign = |c: char| c == '/' || c == '\\' || c.is_control();
        if name.contains(foreign) || matches!(name.as_str(), "." | "..") {
            let message = sentence!("malformed.file_name");
            return self.refuse_member("AMDDateiName", Code::Malformed, message);
        }
        Some(name)
    }

    /// The file; present if the row has its bytes or its format.
    fn image(
        &mut self,
        row: &MediaRow,
        body: Option<BodySource>,
        file_name: Option<&Text<255>>,
    ) -> Option<NewImage> {
        let named = row.image_format.as_deref();
        if body.is_none() && named.is_none() {
            return None;
        }
        let told = || file_name.and_then(|name| extension(name));
        let format = named.map(str::to_owned).or_else(told);
        let format = match format {
            Some(format) => self.format("AMDBildFormat", &format, Part::Text),
            None => self.required("AMDBildFormat", None),
        };
        Some(NewImage {
            body: body.unwrap_or(BodySource::Kept),
            format: format?,
        })
    }

    fn media_text(&mut self, row: &MediaRow) -> Option<MediaText> {
        let text = row.text.as_deref();
        let text = text.and_then(|text| self.fitting("AMDText", text));
        let named = row.text_format.as_deref();
        if text.is_none() && named.is_none() {
            return None;
        }
        let format = self.format("AMDTextFormat", named.unwrap_or(TEXT_FORMAT), Part::Image);
        let text = self.required("AMDText", text);
        Some(MediaText {
            format: format?,
            text: text?,
        })
    }

    /// A format; it must not equal the word that selects the other part.
    fn format(&mut self, name: &str, value: &str, other: Part) -> Option<Format> {
        let format: Format = self.fitting(name, value.trim())?;
        if format.eq_ignore_ascii_case(other.as_str()) || format.contains(char::is_control) {
            let message = sentence!("malformed.format", format = value.trim());
            return self.refuse_member(name, Code::Malformed, message);
        }
        Some(format)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::values::codes::Language;

    fn read(members: Value) -> Result<Row, Vec<(String, Code)>> {
        let row = Row::read(&json!({"ArtikelMedia": members}), Language::GERMAN);
        row.map_err(|problems| {
            let list = problems.into_vec().into_iter();
            list.map(|problem| (problem.path, problem.code)).collect()
        })
    }

    fn media(members: Value) -> NewMedia {
        match read(members) {
            Ok(Row::Media(media)) => *media,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_file_brings_its_name_and_format_along() {
        let found = media(json!({"ArtNr": "A-1", "Datei": "bilder/vorn.PNG"}));
        assert_eq!(found.place.file_name.as_deref(), Some("vorn.PNG"));
        let image = found.image.unwrap();
        assert_eq!(image.format, "png");
        assert_eq!(image.body, BodySource::File("bilder/vorn.PNG".to_owned()));
        assert_eq!((found.key, found.text), (None, None));
        let named = media(
            json!({"ArtNr": "A-1", "Datei": "x/1", "AMDDateiName": "a.jpg", "AMDBildFormat": "JPG"}),
        );
        assert_eq!(named.place.file_name.as_deref(), Some("a.jpg"));
        assert_eq!(named.image.unwrap().format, "JPG");
    }

    #[test]
    fn a_record_holds_a_file_or_a_text_or_both() {
        let text =
            media(json!({"ArtNr": "A-1", "IDKey": 7, "AMDText": " so \n", "AdrSprache": "fre"}));
        assert_eq!(text.text.unwrap().text, " so \n");
        assert_eq!(text.place.language, Some(Language::FRENCH));
        let both = media(
            json!({"ArtNr": "A-1", "AMDText": "x", "AMDTextFormat": "html", "AMDBildFormat": "png"}),
        );
        assert_eq!(both.text.unwrap().format, "html");
        assert_eq!(both.image.unwrap().body, BodySource::Kept);
        assert_eq!(
            read(json!({"ArtNr": "A-1", "AMDDateiName": "a.png"})).unwrap_err(),
            [("ArtikelMedia.AMDText".to_owned(), Code::Required)]
        );
    }

    /// Each row is refused for one field alone.
    fn refused<const N: usize>(rows: [(Value, &str, Code); N]) {
        for (members, path, code) in rows {
            let found = read(members.clone()).unwrap_err();
            assert_eq!(found, [(format!("ArtikelMedia.{path}"), code)], "{members}");
        }
    }

    #[test]
    fn a_row_without_article_or_with_an_impossible_key_is_refused() {
        refused([
            (json!({"AMDText": "x"}), "ArtNr", Code::Required),
            (
                json!({"ArtNr": "A", "AMDText": "x", "IDKey": 0}),
                "IDKey",
                Code::OutOfRange,
            ),
            (
                json!({"ArtNr": "A", "AMDText": "x", "IDKey": -7}),
                "IDKey",
                Code::OutOfRange,
            ),
            (json!({"Loeschen": true}), "ArtNr", Code::Required),
        ]);
    }

    #[test]
    fn a_file_is_named_in_one_way_and_has_a_format() {
        let hash = "ab".repeat(32);
        refused([
            (
                json!({"ArtNr": "A", "SHA256": "abc"}),
                "SHA256",
                Code::Malformed,
            ),
            (
                json!({"ArtNr": "A", "SHA256": hash}),
                "AMDBildFormat",
                Code::Required,
            ),
            (
                json!({"ArtNr": "A", "SHA256": hash, "Datei": "a.png"}),
                "SHA256",
                Code::Contradiction,
            ),
            (
                json!({"ArtNr": "A", "Base64": "AA==", "Datei": "a.png"}),
                "Base64",
                Code::Contradiction,
            ),
        ]);
    }

    #[test]
    fn formats_that_a_request_cannot_distinguish_are_refused() {
        refused([
            (
                json!({"ArtNr": "A", "AMDTextFormat": "txt"}),
                "AMDText",
                Code::Required,
            ),
            (
                json!({"ArtNr": "A", "AMDText": "x", "AMDTextFormat": "BILD"}),
                "AMDTextFormat",
                Code::Malformed,
            ),
            (
                json!({"ArtNr": "A", "Datei": "a.text"}),
                "AMDBildFormat",
                Code::Malformed,
            ),
            (
                json!({"ArtNr": "A", "Datei": "a.svg", "AMDText": "x", "AMDTextFormat": "SVG"}),
                "AMDTextFormat",
                Code::Contradiction,
            ),
        ]);
    }

    #[test]
    fn file_names_with_folders_or_control_characters_are_refused() {
        refused([
            (
                json!({"ArtNr": "A", "AMDText": "x", "AMDDateiName": "../a"}),
                "AMDDateiName",
                Code::Malformed,
            ),
            (
                json!({"ArtNr": "A", "AMDText": "x", "AMDDateiName": "a\\b"}),
                "AMDDateiName",
                Code::Malformed,
            ),
            (
                json!({"ArtNr": "A", "AMDText": "x", "AMDDateiName": "a\nb"}),
                "AMDDateiName",
                Code::Malformed,
            ),
            (
                json!({"ArtNr": "A", "AMDText": "x", "AMDDateiName": ".."}),
                "AMDDateiName",
                Code::Malformed,
            ),
        ]);
    }

    #[test]
    fn unknown_codes_and_texts_that_are_too_long_are_refused() {
        refused([
            (
                json!({"ArtNr": "A", "AMDText": "x", "AdrSprache": "deu"}),
                "AdrSprache",
                Code::UnknownLanguage,
            ),
            (
                json!({"ArtNr": "A", "AMDText": "x", "OrtLand": "XX"}),
                "OrtLand",
                Code::UnknownCountry,
            ),
            (
                json!({"ArtNr": "A", "AMDText": "x".repeat(65_536)}),
                "AMDText",
                Code::TooLong,
            ),
        ]);
    }

    #[test]
    fn a_removal_names_the_key_or_the_place() {
        assert_eq!(
            read(json!({"IDKey": 7, "Loeschen": true})),
            Ok(Row::Remove(Removal::Media(7)))
        );
        let by_place = read(json!({"ArtNr": "A", "AMDDateiName": "a.png", "Loeschen": true}));
        let Ok(Row::Remove(Removal::MediaAt(place))) = by_place else {
            panic!("{by_place:?}");
        };
        assert_eq!(place.file_name.as_deref(), Some("a.png"));
    }
}
