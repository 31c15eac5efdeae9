//! `GET /www/artikel`, `GET /www/artikel/{ArtNr}`, `GET /www/tofaktorlogin/{ArtNr}`.

mod description;

use std::ops::Range;
use std::sync::Arc;

use erp_core::article::{SORTABLE, parse_sorts, search_words};
use erp_core::erp::{ArticleFilter, ArticleList, ArticleQuery};
use erp_core::internal::json;
use erp_core::internal::response::Article;
use erp_core::internal::wire::view::Response;
use erp_core::internal::wire::{As, Link, Record as _};
use erp_core::master::ArticleNumber;
use erp_core::sentence::Sentence;
use erp_core::text::Text;

use serde::Serialize;

use super::app::{Shared, User};
use super::changes::{Marks, marks};
use super::error::unknown_debinr;
use super::paging::{PagedList, Window, linked};
use crate::web::{ApiError, ApiRequest, ApiResponse, BaseUrl, JSON, Query, Result};

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

const SEARCH_CHARACTERS: usize = 100;

// rule: R-END-24
async fn single(app: Shared, user: User, request: ApiRequest) -> Result<ApiResponse> {
    let query = article_query(&request.query()?)?;
    let base = request.base()?;
    let (number, links) = (request.key("ArtNr"), base.links());
    let mut body = br#"{"data":"#.to_vec();
    let shop = user.shop(&app);
    let article = shop.article_text(&number, &query, &links, &mut body);
    article.await.map_err(unknown_debinr)?;
    body.push(b'}');
    // The response depends on prices, stock, reservations, date and the caller's view, so its tag is a hash of the
    // bytes.
    Ok(ApiResponse::json_bytes(body).tagged())
}

async fn list(app: Shared, user: User, request: ApiRequest) -> Result<ApiResponse> {
    let query = request.query()?;
    let fields = fields(&query)?;
    let window = Window::of(&query)?;
    let base = request.base()?;
    let refused = ["sorts", "suche", "artgruppe", "gruppen"];
    let (list, mut end) = match marks(&query, &refused)? {
        Some(marks) => changed(&app, &user, &query, &marks).await?,
        None => selected(&app, &user, &query).await?,
    };
    let count = list.count();
    let range = window.range(count);
    let has_next = range.end < count;
    let query = match &end.stand {
        Some(stand) => query.with(&[("stand", stand)]),
        None => query,
    };
    end.links = LIST.links(&base, &query, window, (has_next, count));
    let header = end.links.clone();
    let listing = Listing {
        app,
        user,
        base,
        list,
        fields,
    };
    let mut body = format!(r#"{{"count":{count},"data":["#).into_bytes();
    let end = end.text()?;
    let response = if window.limit == 0 {
        // Read the first page before responding, so that its errors keep their status.
        listing
            .page(page_from(range.start, &range), &mut body)
            .await?;
        stream(listing, range, body, end)
    } else {
        listing.page(range, &mut body).await?;
        body.extend_from_slice(&end);
        ApiResponse::json_bytes(body)
    };
    Ok(linked(response, &header))
}

/// Decides the list that sorting, searching and filtering select.
async fn selected(app: &Shared, user: &User, query: &Query) -> Result<(ArticleList, End)> {
    let sorts = query.text("sorts", LIST_CHARACTERS)?.unwrap_or_default();
    let sorts = parse_sorts(sorts).map_err(|error| refuse(error, "sorts", &SORTABLE.join(", ")))?;
    let with_groups = with_groups(query)?;
    let filter = filter(query)?;
    let articles = article_query(query)?;
    let list = if with_groups || filter != ArticleFilter::default() {
        let (state, user) = (Arc::clone(app), user.clone());
        let search = app.long_reads.read(user.signature(), async move {
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
    marks: &Marks,
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

/// What follows the articles of a page.
#[derive(Default, Serialize)]
struct End {
    links: Vec<Link>,
    #[serde(rename = "gruppen", skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<ArticleGroup>>,
    #[serde(rename = "entfernt", skip_serializing_if = "Option::is_none")]
    removed: Option<Vec<ArticleNumber>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stand: Option<String>,
}

impl End {
    fn text(&self) -> Result<Vec<u8>> {
        let mut text = b"],".to_vec();
        let members = json::to_ascii(self).map_err(ApiError::internal)?;
        // The members of the response go on with these.
        text.extend_from_slice(members.strip_prefix(b"{").unwrap_or(&members));
        Ok(text)
    }
}

#[derive(Serialize)]
struct ArticleGroup {
    #[serde(rename = "ArtGruppe")]
    name: String,
    #[serde(rename = "Anzahl")]
    count: usize,
}

fn groups(list: &ArticleList) -> Vec<ArticleGroup> {
    let group = |(name, count): (&Text<12>, &usize)| ArticleGroup {
        name: name.to_string(),
        count: *count,
    };
    list.groups().iter().map(group).collect()
}

struct Listing {
    app: Shared,
    user: User,
    base: BaseUrl,
    list: ArticleList,
    fields: Option<Vec<&'static str>>,
}

impl Listing {
    async fn page(&self, part: Range<usize>, out: &mut Vec<u8>) -> Result<()> {
        let shop = self.user.shop(&self.app);
        let links = self.base.links();
        let Some(fields) = &self.fields else {
            return Ok(shop.article_texts(&self.list, part, &links, out).await?);
        };
        let articles = shop.article_page(&self.list, part).await?;
        let texts = articles.iter().map(|article| {
            let article = article.to_wire(&links);
            json::to_ascii(&As::<_, Response>::new(&article).only(fields))
        });
        let texts = texts.collect::<std::result::Result<Vec<_>, _>>();
        let texts = texts.map_err(ApiError::internal)?;
        out.extend_from_slice(&texts.join(&b","[..]));
        Ok(())
    }
}

fn page_from(start: usize, range: &Range<usize>) -> Range<usize> {
    start..start.saturating_add(PAGE).min(range.end)
}

/// Streams the list page by page; `begun` has the first one.
fn stream(listing: Listing, range: Range<usize>, begun: Vec<u8>, end: Vec<u8>) -> ApiResponse {
    ApiResponse::stream(JSON, move |mut chunks| async move {
        let mut is_empty = begun.ends_with(b"[");
        chunks.buffer().extend_from_slice(&begun);
        for start in range.clone().step_by(PAGE).skip(1) {
            chunks.send_full().await?;
            let mut page = Vec::new();
            listing.page(page_from(start, &range), &mut page).await?;
            if !page.is_empty() {
                if !std::mem::take(&mut is_empty) {
                    chunks.buffer().push(b',');
                }
                chunks.buffer().extend_from_slice(&page);
            }
        }
        chunks.buffer().extend_from_slice(&end);
        Ok(chunks)
    })
}

fn refuse(why: impl Into<Sentence>, name: &str, known: &str) -> ApiError {
    let why = why.into();
    ApiError::of_parameter(name, sentence!("parameter.known", name, why, known))
}

// rule: R-END-19
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
            let name = super::error::shown(name);
            refuse(
                sentence!("parameter.no_member", name),
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
    let wrong = |why: Sentence| sentence!("parameter.wrong", name = "suche", why);
    let words = search_words(words)
        .map_err(|error| ApiError::of_parameter("suche", wrong(error.into())))?;
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
        other => Err(ApiError::neither("gruppen", other, ["J", "N"])),
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
