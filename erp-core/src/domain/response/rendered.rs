//! Articles as JSON, rendered once. Every caller with the same price lists, language and currency gets the same text of an
//! article while its records and reserved quantities are the same.
//!
//! Half of a text would be the links of the article to itself. A kept text has a byte in place of each link, so it serves
//! every base URL too.

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
    /// Has the place of a link among [`LinkTexts`] instead of the link.
    json: Box<[u8]>,
}

impl RenderedArticle {
    pub(crate) fn new(
        shown: &Shown,
        reserved: Box<[(Key, i64)]>,
        view: &View<'_>,
        form: Form,
    ) -> serde_json::Result<Self> {
        let links = Links::new("");
        let mut text = json::to_ascii(&shown.to_wire(view, form, &links))?;
        let own = article_links(&links, &shown.article.number);
        for (place, link) in (0_u8..).zip(&own) {
            text = replaced(&text, &json::to_ascii(link)?, place);
        }
        let [itself, _] = own;
        let number = itself.href.rsplit('/').next().unwrap_or_default();
        let selection = shown.article.attributes.get(Attributes::SELECTION);
        Ok(Self {
            selection: selection.unwrap_or_default().into(),
            reserved,
            number: number.as_bytes().into(),
            json: text.into(),
        })
    }

    pub(crate) fn bytes(&self) -> usize {
        let counters = self.reserved.iter();
        let counters = counters.map(|(key, _)| key.as_bytes().len().saturating_add(40));
        let texts = self.json.len().saturating_add(self.selection.len());
        let frame = size_of::<Self>().saturating_add(self.number.len());
        counters.fold(texts.saturating_add(frame), usize::saturating_add)
    }

    pub(crate) fn is_seen_by(&self, caller: &Caller) -> bool {
        caller.sees_selection(&self.selection)
    }

    pub(crate) fn write(&self, links: &LinkTexts, out: &mut Vec<u8>) {
        let mut rest = &*self.json;
        while let Some((text, place, after)) = next_place(rest) {
            out.extend_from_slice(text);
            if let Some((before, behind)) = links.0.get(usize::from(place)) {
                out.extend_from_slice(before);
                out.extend_from_slice(&self.number);
                out.extend_from_slice(behind);
            }
            rest = after;
        }
        out.extend_from_slice(rest);
    }
}

/// The text before the next place of a link, the place, and the text after it.
fn next_place(json: &[u8]) -> Option<(&[u8], u8, &[u8])> {
    let (text, rest) = json.split_at_checked(memchr::memchr2(0, 1, json)?)?;
    let (place, after) = rest.split_first()?;
    Some((text, *place, after))
}

/// A text with a byte in place of each occurrence of another text.
fn replaced(text: &[u8], wanted: &[u8], byte: u8) -> Vec<u8> {
    let mut replaced = Vec::with_capacity(text.len());
    let mut rest = 0;
    for at in memchr::memmem::find_iter(text, wanted) {
        replaced.extend_from_slice(text.get(rest..at).unwrap_or_default());
        replaced.push(byte);
        rest = at.saturating_add(wanted.len());
    }
    replaced.extend_from_slice(text.get(rest..).unwrap_or_default());
    replaced
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
