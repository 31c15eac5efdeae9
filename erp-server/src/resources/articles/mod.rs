//! `GET /www/artikel`, `GET /www/artikel/{ArtNr}`, `GET /www/tofaktorlogin/{ArtNr}`.

mod description;

use std::fmt::Display;
use std::ops::Range;
use std::sync::Arc;

use erp_core::article::{SORTABLE, parse_sorts, search_words};
use erp_core::erp::{ArticleFilter, ArticleList, ArticleQuery, Mark};
use erp_core::json;
use erp_core::master::ArticleNumber;
use erp_core::response::Article;
use erp_core::text::Text;
use erp_core::wire::view::Response;
use erp_core::wire::{As, Envelope, Link, Record as _};

use serde::Serialize;

use super::app::{Shared, User};
use super::changes::{Marks, marks};
use super::error::unknown_debinr;
use super::paging::{PagedList, Window, linked};
use crate::web::{ApiError, ApiRequest, ApiResponse, BaseUrl, Query, Result, StreamError};

pub(super) use description::operations;

/// Articles read per page while a list is streamed.
const PAGE: usize = 100;

/// Maximum length of a list parameter: all column names fit twice, and a link with two such parameters stays within
/// 2,048 characters.
const LIST_CHARACTERS: usize = 512;

/// The list; its links always repeat these parameters.
const LIST: PagedList = PagedList {
    path: "/www/artikel",
    parameters: &[
        "waehrabk",
        "debinr",
        "limit",
        "offset",
        "fields",
        "sorts",
        "adrsprache",
        "suche",
        "artgruppe",
        "gruppen",
        "seit",
        "stand",
    ],
};

/// Maximum length of `suche`.
const SEARCH_CHARACTERS: usize = 100;

// rule: R-END-24
/// Returns one article with its declarations.
async fn single(app: Shared, user: User, request: ApiRequest) -> Result<ApiResponse> {
    let query = article_query(&request.query()?)?;
    let base = request.base()?;
    let article = user
        .shop(&app)
        .article(&request.key("ArtNr"), &query, &base.links())
        .await
        .map_err(unknown_debinr)?;
    // The response depends on prices, stock, reservations, date and the caller's view, so its tag is a hash of the
    // bytes.
    ApiResponse::json_tagged(&Envelope::data(article))
}

/// Returns the article list.
async fn list(app: Shared, user: User, request: ApiRequest) -> Result<ApiResponse> {
    let query = request.query()?;
    let fields = fields(&query)?;
    let window = Window::of(&query)?;
    let base = request.base()?;
    let refused = ["sorts", "suche", "artgruppe", "gruppen"];
    let (list, mut end) = match marks(&query, &refused, "offset")? {
        Some(marks) => changed(&app, &user, &query, &marks).await?,
        None => selected(&app, &user, &query).await?,
    };
    let count = list.count();
    let range = window.range(count);
    let has_next = range.end < count;
    let query = end
        .stand
        .as_deref()
        .map_or_else(|| query.clone(), |stand| query.with_value("stand", stand));
    end.links = LIST.links(&base, &query, window, (has_next, count));
    let header = end.links.clone();
    let listing = Listing {
        app,
        user,
        base,
        list,
        fields,
    };
    let response = if window.limit == 0 {
        // Read the first page before responding, so that its errors keep their status.
        let first = listing.page(part(&range, 0)).await?;
        stream(listing, range, first, end)
    } else {
        let page = listing.page(range).await?;
        ApiResponse::json(&Listed {
            count,
            data: page.iter().map(|article| listing.shown(article)).collect(),
            end,
        })?
    };
    Ok(linked(response, &header))
}

/// Decides the list that sorting, searching and filtering select.
async fn selected(app: &Shared, user: &User, query: &Query) -> Result<(ArticleList, End)> {
    let sorts = query.text("sorts", LIST_CHARACTERS)?.unwrap_or_default();
    let sorts =
        parse_sorts(sorts).map_err(|error| refuse(&error, "sorts", &SORTABLE.join(", ")))?;
    let with_groups = with_groups(query)?;
    let filter = filter(query)?;
    let articles = article_query(query)?;
    let list = if with_groups || filter != ArticleFilter::default() {
        let (state, user) = (Arc::clone(app), user.clone());
        let search = app.long_reads.read(async move {
            let shop = user.shop(&state);
            shop.article_search(&articles, &sorts, &filter).await
        });
        search.await?
    } else {
        user.shop(app).article_list(&articles, &sorts).await
    };
    let list = list.map_err(unknown_debinr)?;
    let end = End {
        groups: with_groups.then(|| groups(&list)),
        ..End::default()
    };
    Ok((list, end))
}

/// Decides the list of what has changed, or of everything with a mark for the next time.
async fn changed(
    app: &Shared,
    user: &User,
    query: &Query,
    marks: &Marks<Mark>,
) -> Result<(ArticleList, End)> {
    let articles = article_query(query)?;
    let changes = user
        .shop(app)
        .article_changes(&articles, marks.since.as_ref(), marks.until.as_ref())
        .await
        .map_err(unknown_debinr)?;
    let end = End {
        removed: Some(changes.removed.unwrap_or_default()),
        stand: Some(changes.mark.to_string()),
        ..End::default()
    };
    Ok((changes.list, end))
}

/// A page of the list.
#[derive(Serialize)]
struct Listed<'a> {
    count: usize,
    data: Vec<As<'a, Article, Response>>,
    #[serde(flatten)]
    end: End,
}

/// What follows the articles of a page.
#[derive(Default, Serialize)]
struct End {
    links: Vec<Link>,
    #[serde(rename = "gruppen", skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<Group>>,
    #[serde(rename = "entfernt", skip_serializing_if = "Option::is_none")]
    removed: Option<Vec<ArticleNumber>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stand: Option<String>,
}

/// A group of articles and how many of the list it has.
#[derive(Serialize)]
struct Group {
    #[serde(rename = "ArtGruppe")]
    name: String,
    #[serde(rename = "Anzahl")]
    count: usize,
}

fn groups(list: &ArticleList) -> Vec<Group> {
    let group = |(name, count): (&Text<12>, &usize)| Group {
        name: name.to_string(),
        count: *count,
    };
    list.groups().iter().map(group).collect()
}

/// Data needed to build any page of the list.
struct Listing {
    app: Shared,
    user: User,
    base: BaseUrl,
    list: ArticleList,
    fields: Option<Vec<&'static str>>,
}

impl Listing {
    async fn page(&self, part: Range<usize>) -> Result<Vec<Article>> {
        let shop = self.user.shop(&self.app);
        let links = self.base.links();
        Ok(shop.article_page(&self.list, part, &links).await?)
    }

    /// The article with the fields that were asked for.
    fn shown<'a>(&'a self, article: &'a Article) -> As<'a, Article, Response> {
        As::new(article).only(self.fields.as_deref())
    }
}

fn part(range: &Range<usize>, at: usize) -> Range<usize> {
    let start = range
        .start
        .saturating_add(at.saturating_mul(PAGE))
        .min(range.end);
    start..start.saturating_add(PAGE).min(range.end)
}

/// Streams the list page by page.
fn stream(listing: Listing, range: Range<usize>, first: Vec<Article>, end: End) -> ApiResponse {
    ApiResponse::json_stream(move |mut chunks| async move {
        let failed =
            |error: serde_json::Error| StreamError::from(ApiError::internal(error.to_string()));
        chunks.buffer().extend_from_slice(
            format!("{{\"count\":{},\"data\":[", listing.list.count()).as_bytes(),
        );
        let mut page = first;
        let mut at = 0_usize;
        let mut separator = "";
        while !page.is_empty() || !part(&range, at).is_empty() {
            for article in &page {
                chunks.buffer().extend_from_slice(separator.as_bytes());
                let article = listing.shown(article);
                json::write_ascii(&mut *chunks.buffer(), &article).map_err(failed)?;
                separator = ",";
            }
            chunks.send_full().await?;
            at = at.saturating_add(1);
            page = listing.page(part(&range, at)).await?;
        }
        let mut rest = Vec::new();
        json::write_ascii(&mut rest, &end).map_err(failed)?;
        // The members of the object go on with those of `end`.
        chunks.buffer().extend_from_slice(b"],");
        let members = rest.strip_prefix(b"{").unwrap_or(&rest);
        chunks.buffer().extend_from_slice(members);
        Ok(chunks)
    })
}

fn refuse(error: &impl Display, name: &str, known: &str) -> ApiError {
    ApiError::malformed(format!("parameter `{name}`: {error}; known are {known}"))
        .with_info("parameter", name)
}

// rule: R-END-19
/// Article fields selected by the parameter `fields`.
fn fields(query: &Query) -> Result<Option<Vec<&'static str>>> {
    let Some(text) = query.text("fields", LIST_CHARACTERS)? else {
        return Ok(None);
    };
    let schema = Article::SCHEMA;
    let names = text
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty());
    let known = names.map(|name| {
        schema.field(name).map(|field| field.wire).ok_or_else(|| {
            let all: Vec<_> = schema.fields.iter().map(|field| field.wire).collect();
            refuse(
                &format!("`{}` is no member of an article", super::error::shown(name)),
                "fields",
                &all.join(", "),
            )
        })
    });
    let known: Vec<&'static str> = known.collect::<Result<_, _>>()?;
    Ok((!known.is_empty()).then_some(known))
}

/// The parameters `suche` and `artgruppe`.
fn filter(query: &Query) -> Result<ArticleFilter> {
    let group = query.text("artgruppe", 12)?.map(str::trim);
    let words = query.text("suche", SEARCH_CHARACTERS)?.unwrap_or_default();
    let words = search_words(words).map_err(|error| {
        ApiError::malformed(format!("parameter `suche`: {error}")).with_info("parameter", "suche")
    })?;
    Ok(ArticleFilter {
        group: group.filter(|group| !group.is_empty()).map(str::to_owned),
        words,
    })
}

/// The parameter `gruppen`.
fn with_groups(query: &Query) -> Result<bool> {
    match query.text("gruppen", 1)?.unwrap_or_default() {
        "J" => Ok(true),
        "" | "N" => Ok(false),
        other => Err(ApiError::parameter("gruppen", other, "J or N")),
    }
}

// rule: R-END-16, R-END-63
/// Parses `waehrabk`, `debinr` and `adrsprache`.
fn article_query(query: &Query) -> Result<ArticleQuery> {
    let customer = query
        .text("debinr", 6)?
        .map(|text| text.trim_end().to_owned());
    Ok(ArticleQuery {
        currency: query.code("waehrabk", 4)?,
        customer,
        language: query.code("adrsprache", 4)?,
    })
}
