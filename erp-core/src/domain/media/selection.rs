//! Selects the media that are shown, and the requested part of a record.

use erp_derive::Word;

use super::Media;
use crate::domain::master::Attributes;

/// A part of a media record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum Part {
    /// The file (`type=Bild`).
    #[word("Bild")]
    Image,
    /// The text (`type=Text`).
    #[word("Text")]
    Text,
}

// rule: R-END-79
/// The part that a query's `type` selects: `Bild`, `Text` or the exact format of a part, ignoring case. `None` if the
/// record has no such part.
pub fn part_of(media: &Media, asked: &str) -> Option<Part> {
    let same = |word: &str| word.to_lowercase() == asked.to_lowercase();
    let (image, text) = (media.image.as_ref(), media.text.as_ref());
    if same(Part::Image.as_str()) {
        return image.map(|_| Part::Image);
    }
    if same(Part::Text.as_str()) {
        return text.map(|_| Part::Text);
    }
    if image.is_some_and(|image| same(&image.format)) {
        return Some(Part::Image);
    }
    text.filter(|text| same(&text.format)).map(|_| Part::Text)
}

// rule: R-RES-22
/// The usages that are shown. They are listed in the attribute `VERWENDUNG` of the article, otherwise of the company;
/// if it is missing, empty or `*`, all usages are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usages(Option<Vec<String>>);

impl Usages {
    /// The usages for an article of a company.
    pub fn of(company: &Attributes, article: &Attributes) -> Self {
        let own = article.list(Attributes::MEDIA_USAGE).next().is_some();
        let attributes = if own { article } else { company };
        let named: Vec<String> = attributes
            .list(Attributes::MEDIA_USAGE)
            .map(str::to_lowercase)
            .collect();
        let all = named.is_empty() || named.iter().any(|usage| usage == "*");
        Self((!all).then_some(named))
    }

    /// Whether a record is shown: its usage is listed, or it has none.
    pub fn show(&self, media: &Media) -> bool {
        match (&self.0, &media.usage) {
            (None, _) | (_, None) => true,
            (Some(named), Some(usage)) => named.contains(&usage.trim().to_lowercase()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{image, media, words};
    use super::*;
    use crate::domain::master::Attribute;
    use crate::values::text::Text;

    fn attributes(contents: Option<&str>) -> Attributes {
        let attribute = contents.map(|contents| Attribute {
            key: Text::new("Verwendung").unwrap(),
            contents: Text::new(contents).unwrap(),
        });
        Attributes::new(attribute.into_iter().collect())
    }

    // rule: R-RES-22
    #[test]
    fn the_attribute_names_the_usages_that_are_output() {
        let shown = |company: Option<&str>, article: Option<&str>, usage: Option<&str>| {
            let mut media = media(1);
            media.usage = usage.map(|usage| Text::new(usage).unwrap());
            Usages::of(&attributes(company), &attributes(article)).show(&media)
        };
        for (company, article, usage, expected) in [
            (None, None, Some("PRINT"), true),
            (Some("WEB"), None, Some("PRINT"), false),
            (Some("WEB"), None, Some("web"), true),
            (Some(" print , WEB"), None, Some("PRINT"), true),
            (Some("WEB"), None, None, true),
            (Some("WEB"), Some("PRINT"), Some("PRINT"), true),
            (Some("WEB"), Some("PRINT"), Some("WEB"), false),
            (Some("WEB"), Some("*"), Some("PRINT"), true),
            (Some("WEB"), Some(" , "), Some("PRINT"), false),
            (Some(""), None, Some("PRINT"), true),
        ] {
            assert_eq!(
                shown(company, article, usage),
                expected,
                "{company:?} {article:?} {usage:?}"
            );
        }
    }

    // rule: R-END-79
    #[test]
    fn a_part_is_named_by_its_word_or_its_format() {
        let mut both = media(1);
        both.image = Some(image("PNG"));
        both.text = Some(words("Ärger", "x"));
        for (asked, part) in [
            ("Bild", Some(Part::Image)),
            ("bild", Some(Part::Image)),
            ("TEXT", Some(Part::Text)),
            ("png", Some(Part::Image)),
            ("ärger", Some(Part::Text)),
            ("jpg", None),
            ("", None),
            ("Bild ", None),
        ] {
            assert_eq!(part_of(&both, asked), part, "{asked}");
        }
        let only_text = Media {
            image: None,
            ..both
        };
        assert_eq!(part_of(&only_text, "Bild"), None);
        assert_eq!(part_of(&only_text, "png"), None);
        assert_eq!(part_of(&only_text, "Text"), Some(Part::Text));
    }
}
