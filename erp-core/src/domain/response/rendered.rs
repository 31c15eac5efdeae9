//! Articles as JSON, rendered once. Every caller with the same price lists, language and currency gets the same text of an
//! article while its records and reserved quantities are the same.
//!
//! Half of a text would be the links of the article to itself, which depend on the base URL. So a text is kept without
//! them, and they are written into it.

use jiff::civil::Date;

use super::article_links;
use crate::domain::article::{Form, Shown, View};
use crate::domain::master::{Attributes, Caller, PriceListType};
use crate::storage::Key;
use crate::values::codes::{Currency, Language};
use crate::values::json;
use crate::wire::Links;

/// What decides how articles look beside what is stored of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Look {
    pub(crate) form: Form,
    pub(crate) currency: Currency,
    pub(crate) language: Language,
    pub(crate) day: Date,
    pub(crate) chain: Vec<PriceListType>,
}

/// The text of an article, and what it was rendered from.
#[derive(Debug)]
pub(crate) struct RenderedArticle {
    /// What the article has in `RESTWEBSHOP`.
    selection: Box<str>,
    /// The reserved quantities that the text shows.
    pub(crate) reserved: Box<[(Key, i64)]>,
    /// The number as it stands in links.
    number: Box<[u8]>,
    /// The article without its links.
    json: Box<[u8]>,
    /// Where a link belongs, and which of [`LinkTexts`].
    places: Box<[(usize, usize)]>,
}

impl RenderedArticle {
    pub(crate) fn new(
        shown: &Shown,
        reserved: Box<[(Key, i64)]>,
        view: &View<'_>,
        form: Form,
    ) -> serde_json::Result<Self> {
        let links = Links::new("");
        let text = json::to_ascii(&shown.to_wire(view, form, &links))?;
        let own = article_links(&links, &shown.article.number);
        let [itself, media] = own.each_ref().map(json::to_ascii);
        let own_texts = [itself?, media?];
        let (mut json, mut places, mut rest) = (Vec::new(), Vec::new(), &*text);
        // Within a text of the article these quotes would be escaped.
        while let Some(at) = memchr::memmem::find(rest, br#"{"href":""#) {
            let (before, link) = rest.split_at(at);
            let mut both = own_texts.iter().enumerate();
            let Some((which, text)) = both.find(|(_, text)| link.starts_with(text)) else {
                break;
            };
            json.extend_from_slice(before);
            places.push((json.len(), which));
            rest = link.get(text.len()..).unwrap_or_default();
        }
        json.extend_from_slice(rest);
        let [itself, _] = own;
        let number = itself.href.rsplit('/').next().unwrap_or_default();
        let selection = shown.article.attributes.get(Attributes::SELECTION);
        Ok(Self {
            selection: selection.unwrap_or_default().into(),
            reserved,
            number: number.as_bytes().into(),
            json: json.into(),
            places: places.into(),
        })
    }

    pub(crate) fn bytes(&self) -> usize {
        let counters = self.reserved.iter();
        let counters: usize = counters.map(|(key, _)| key.as_bytes().len() + 40).sum();
        let texts = self.json.len() + self.selection.len() + self.number.len();
        size_of::<Self>() + texts + size_of_val(&*self.places) + counters
    }

    pub(crate) fn is_seen_by(&self, caller: &Caller) -> bool {
        caller.sees_selection(&self.selection)
    }

    pub(crate) fn write(&self, links: &LinkTexts, out: &mut Vec<u8>) {
        let mut from = 0;
        for (at, which) in &self.places {
            out.extend_from_slice(self.json.get(from..*at).unwrap_or_default());
            if let Some((before, behind)) = links.0.get(*which) {
                out.extend_from_slice(before);
                out.extend_from_slice(&self.number);
                out.extend_from_slice(behind);
            }
            from = *at;
        }
        out.extend_from_slice(self.json.get(from..).unwrap_or_default());
    }
}

/// The links of an article: what stands before and behind its number, in the order of [`article_links`].
pub(crate) struct LinkTexts([(Vec<u8>, Vec<u8>); 2]);

impl LinkTexts {
    pub(crate) fn new(links: &Links<'_>) -> serde_json::Result<Self> {
        // A number that no link has elsewhere behind its base URL, and that needs no escape.
        const NUMBER: u8 = b'~';
        let [itself, media] = article_links(links, "~").map(|link| {
            let mut before = json::to_ascii(&link)?;
            let at = memchr::memrchr(NUMBER, &before).unwrap_or_default();
            let behind = before.split_off(at).into_iter().skip(1).collect();
            Ok((before, behind))
        });
        Ok(Self([itself?, media?]))
    }
}
