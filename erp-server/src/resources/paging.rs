//! Pages of lists: `limit` and `after` of those for admins, `limit` and `offset` with links of those for shops.

use std::ops::Range;

use erp_core::internal::wire::{Envelope, Link};
use serde::Serialize;

use crate::web::{ApiResponse, BaseUrl, MAX_INT, Query, Result};

const USUAL: usize = 50;

/// Maximum length of `href` in ASCII characters (interface, general convention 4).
const LINK_CHARACTERS: usize = 2_048;

pub(super) const MOST: u32 = 200;

pub(super) fn limit(query: &Query, most: u32) -> Result<usize> {
    Ok(query.number("limit", 1, most)?.unwrap_or(USUAL))
}

// rule: R-END-18, R-LIM-06
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) limit: usize,
    pub(super) offset: usize,
}

impl Window {
    pub(super) fn of(query: &Query) -> Result<Self> {
        Ok(Self {
            limit: query.number("limit", 0, MAX_INT)?.unwrap_or_default(),
            offset: query.number("offset", 0, MAX_INT)?.unwrap_or_default(),
        })
    }

    pub(super) fn range(self, count: usize) -> Range<usize> {
        let start = self.offset.min(count);
        let end = if self.limit == 0 {
            count
        } else {
            start.saturating_add(self.limit).min(count)
        };
        start..end
    }
}

pub(super) struct Listed<T> {
    pub(super) data: Vec<T>,
    pub(super) has_next: bool,
    /// How many entries the list has, if it is known.
    pub(super) count: Option<usize>,
}

pub(super) struct PagedList {
    pub(super) path: &'static str,
    /// The parameters that links always repeat.
    pub(super) parameters: &'static [&'static str],
}

impl PagedList {
    // rule: R-END-22
    /// Links: `start` always, `prev` except on the first page, `next` where one follows. Unknown parameters are
    /// repeated while there is room: `href` is a `varchar(2048)`.
    pub(super) fn links(
        &self,
        base: &BaseUrl,
        query: &Query,
        window: Window,
        (has_next, count): (bool, usize),
    ) -> Vec<Link> {
        let href = |query: &Query, offset: usize| {
            let query = query.with(&[
                ("limit", &window.limit.to_string()),
                ("offset", &offset.to_string()),
            ]);
            format!("{base}{}{query}", self.path)
        };
        let at = |relation: &'static str, offset: usize| {
            let mut whole = href(query, offset);
            // Unknown parameters are repeated only if the link stays short enough.
            if whole.len() > LINK_CHARACTERS {
                whole = href(&query.only(self.parameters), offset);
            }
            Link {
                href: whole.into(),
                method: "GET".into(),
                relation: relation.into(),
            }
        };
        let mut links = Vec::new();
        if has_next {
            links.push(at("next", window.offset.saturating_add(window.limit)));
        }
        if window.offset > 0 {
            let back = if window.limit == 0 {
                window.offset
            } else {
                window.limit
            };
            links.push(at("prev", window.offset.min(count).saturating_sub(back)));
        }
        links.push(at("start", 0));
        links
    }

    pub(super) fn page<T: Serialize>(
        &self,
        base: &BaseUrl,
        query: &Query,
        window: Window,
        page: Listed<T>,
    ) -> Result<ApiResponse> {
        let place = (page.has_next, page.count.unwrap_or(usize::MAX));
        let links = self.links(base, query, window, place);
        let response = ApiResponse::json(&Envelope {
            count: page.count.and_then(|count| u64::try_from(count).ok()),
            success: None,
            data: page.data,
            links: Some(links.clone()),
        })?;
        Ok(linked(response, &links))
    }
}

/// Adds links to a response as its header `Link`.
pub(super) fn linked(response: ApiResponse, links: &[Link]) -> ApiResponse {
    let links = links.iter();
    response.links(links.map(|link| (link.relation.as_str(), link.href.as_str())))
}
