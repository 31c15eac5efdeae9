//! Converts media to wire records.

use smol_str::format_smolstr;

use super::{Media, Part};
use crate::wire;
use crate::wire::Links;

impl Media {
    // rule: R-RES-21
    /// The record as the interface shows it.
    #[must_use]
    pub fn to_wire(&self, links: &Links<'_>) -> wire::MediaRecord {
        let (image, text) = (self.image.as_ref(), self.text.as_ref());
        wire::MediaRecord {
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
fn relations(links: &Links<'_>, media: &Media) -> Vec<wire::Link> {
    let parts = [
        media.image.as_ref().map(|_| Part::Image),
        media.text.as_ref().map(|_| Part::Text),
    ];
    let path = format_smolstr!("artikelmediadaten/{}", media.key);
    let mut list: Vec<wire::Link> = parts
        .into_iter()
        .flatten()
        .map(|part| links.query("artikelmediadaten", &path, &[("type", part.as_str())]))
        .collect();
    list.push(links.to("GET", "artikel", "artikel", &media.article));
    list
}

#[cfg(test)]
mod tests {
    use super::super::tests::{image, media, words};
    use super::*;
    use crate::values::text::Text;

    // rule: R-RES-21
    #[test]
    fn every_part_has_its_link() {
        let mut media = media(7);
        media.image = Some(image("png"));
        media.text = Some(words("txt", "Größe"));
        media.group = Some(Text::new("BUERO").unwrap());
        let links = Links::new("https://erp.example.com");
        let hrefs = |record: &wire::MediaRecord| -> Vec<String> {
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
