//! Administration of events: targets, event log with deliveries, replay. Admins only.

mod description;
mod records;

use std::sync::Arc;
use std::time::Instant;

use erp_core::Code;
use erp_core::erp::{EventId, EventKind};
use erp_core::internal::{LogQuery, LoggedEntry, NewEventTarget};
use erp_core::json::Json;

use super::app::{Admin, Shared};
use super::members::Members;
use super::response::{counted_page, created, data};
use crate::delivery::{Secret, TestError, URL_CHARACTERS, check_kinds, check_url};
use crate::web::{ApiError, ApiRequest, ApiResponse, Caller as _, Query, Result};

use records::{AddedEventTarget, Begun, Event, EventTarget, TestResult};

pub(super) use description::{operations, webhooks};

const USUAL_LIMIT: usize = 100;
const MOST_EVENTS: u32 = 1_000;

/// Maximum length of a target's secret; the longest valid one has 94 characters.
const SECRET_CHARACTERS: usize = 100;

async fn targets(app: Shared, user: Admin, _request: ApiRequest) -> Result<ApiResponse> {
    let targets = user.upkeep(&app).events().targets().await?;
    data(targets.iter().map(EventTarget::from).collect::<Vec<_>>())
}

/// `POST /admin/events/targets` with `{"url", "secret"?, "kinds"?}`. A generated secret is returned only in this
/// response.
async fn add_target(app: Shared, user: Admin, mut request: ApiRequest) -> Result<ApiResponse> {
    let body = request.json().await?;
    let private_allowed = app.options.event_private_targets;
    let (new, made) = new_target(&body, private_allowed)?;
    let actor = user.actor(&request);
    let events = user.upkeep(&app).actor(&actor).events();
    let target = events.add_target(&new).await?;
    let id = target.id.to_string();
    let added = AddedEventTarget {
        target: EventTarget::from(&target),
        secret: made.then_some(target.secret),
    };
    created(&request, ("/admin/events/targets", &id), added)
}

/// Parses a target from a body; the flag is `true` if the secret was generated.
fn new_target(body: &Json, private_allowed: bool) -> Result<(NewEventTarget, bool)> {
    let mut members = Members::of(body);
    let url = members.required("url", URL_CHARACTERS).map(str::trim);
    if url == Some("") {
        members.refuse("url", Code::Required, sentence!("required"));
    }
    let url = url.filter(|url| !url.is_empty());
    let url = members.read("url", Code::Malformed, url, |url| {
        check_url(url, private_allowed).map(|_| url.to_owned())
    });
    let secret = members.text("secret", SECRET_CHARACTERS);
    let secret = members.read("secret", Code::Malformed, secret, Secret::parse);
    let kinds = kinds_of(members.member("kinds"));
    if kinds.is_none() {
        let message = sentence!("unknown_value.kinds");
        members.refuse("kinds", Code::UnknownValue, message);
    }
    let (url, kinds) = members.done(url.zip(kinds))?;
    let (secret, made) = match secret {
        Some(secret) => (secret, false),
        None => (Secret::random().map_err(ApiError::internal)?, true),
    };
    let new = NewEventTarget {
        url,
        secret: secret.to_text(),
        kinds,
    };
    Ok((new, made))
}

/// Parses the kinds of a target; `None` means that they are invalid.
fn kinds_of(given: Option<&Json>) -> Option<Vec<EventKind>> {
    match given {
        None | Some(Json::Null) => Some(Vec::new()),
        Some(Json::Array(names)) => {
            let names: Option<Vec<&str>> = names.iter().map(Json::as_str).collect();
            check_kinds(names?).ok()
        }
        Some(_) => None,
    }
}

/// `PUT /admin/events/targets/{id}` with `{"enabled": true}` or `false`.
async fn switch_target(app: Shared, user: Admin, mut request: ApiRequest) -> Result<ApiResponse> {
    let id = request.path_number("id", sentence!("thing.event_target"))?;
    let body = request.json().await?;
    let mut members = Members::of(&body);
    let enabled = members.flag("enabled");
    let enabled = members.done(enabled)?;
    let actor = user.actor(&request);
    let events = user.upkeep(&app).actor(&actor).events();
    let target = events.switch_target(id.into(), enabled).await?;
    data(EventTarget::from(&target))
}

async fn remove_target(app: Shared, user: Admin, request: ApiRequest) -> Result<ApiResponse> {
    let id = request.path_number("id", sentence!("thing.event_target"))?;
    let actor = user.actor(&request);
    let events = user.upkeep(&app).actor(&actor).events();
    events.remove_target(id.into()).await?;
    Ok(ApiResponse::no_content())
}

/// `GET /admin/events?since=&after=&limit=&state=`: events in order, with deliveries and attempts.
async fn list(app: Shared, user: Admin, request: ApiRequest) -> Result<ApiResponse> {
    let query = request.query()?;
    let wanted = LogQuery {
        since: query.time("since")?,
        after: query.parsed("after", 64)?,
        limit: query
            .number("limit", 1, MOST_EVENTS)?
            .unwrap_or(USUAL_LIMIT),
    };
    if wants_failed(&query)? {
        return failed(app, user, &wanted).await;
    }
    let entries = user.upkeep(&app).events().logged(&wanted).await?;
    // A full page may be the last one; then the next is empty.
    let next = entries.get(wanted.limit.saturating_sub(1));
    page(&entries, next.map(|entry| entry.id))
}

/// Whether only events with a failed delivery are wanted. They have no order by time, so `since` does not apply.
fn wants_failed(query: &Query) -> Result<bool> {
    match query.text("state", 20)? {
        None => Ok(false),
        Some("failed") if query.text("since", 64)?.is_none() => Ok(true),
        Some("failed") => {
            let names = sentence!("list.and", first = "`state`", last = "`since`");
            let text = sentence!("parameter.not_together", names);
            Err(ApiError::malformed(text))
        }
        Some(other) => Err(ApiError::parameter("state", other, "`failed`")),
    }
}

/// Events with a failed delivery, newest first.
async fn failed(app: Shared, user: Admin, wanted: &LogQuery) -> Result<ApiResponse> {
    let (state, before, limit) = (Arc::clone(&app), wanted.after, wanted.limit);
    let page = app.long_reads.read(user.signature(), async move {
        let events = user.upkeep(&state).events();
        events.failed(before, limit).await
    });
    let page = page.await??;
    self::page(&page.entries, page.next)
}

fn page(entries: &[LoggedEntry], next: Option<EventId>) -> Result<ApiResponse> {
    let events = entries.iter().map(Event::from).collect();
    counted_page(events, next.map(|id| id.to_string()))
}

/// `POST /admin/events/targets/{id}/test`: sends a test now, also to a target that is switched off.
async fn test(app: Shared, user: Admin, request: ApiRequest) -> Result<ApiResponse> {
    let id = request.path_number("id", sentence!("thing.event_target"))?;
    let target = user.upkeep(&app).events().target(id.into()).await?;
    let target = target.ok_or_else(|| ApiError::not_found(sentence!("thing.event_target")))?;
    let begun = Instant::now();
    let outcome = app.tester.send(&target, &user.name()).await?;
    let millis = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let status = outcome.status();
    data(TestResult {
        millis,
        status,
        error: status.is_none().then(|| outcome.as_str()),
    })
}

impl From<TestError> for ApiError {
    fn from(error: TestError) -> Self {
        match error {
            TestError::Busy => Self::unavailable("too many test deliveries at once"),
            TestError::Setup(reason) => Self::internal(reason),
        }
    }
}

async fn replay(app: Shared, user: Admin, request: ApiRequest) -> Result<ApiResponse> {
    let Ok(id) = request.path("id").parse() else {
        return Err(ApiError::not_found(sentence!("thing.event")));
    };
    let actor = user.actor(&request);
    let events = user.upkeep(&app).actor(&actor).events();
    let deliveries = events.replay(id).await?;
    data(Begun { deliveries })
}

async fn replay_since(app: Shared, user: Admin, request: ApiRequest) -> Result<ApiResponse> {
    let since = request
        .query()?
        .time("since")?
        .ok_or_else(|| ApiError::malformed(sentence!("parameter.is_missing", name = "since")))?;
    let actor = user.actor(&request);
    let events = user.upkeep(&app).actor(&actor).events();
    let deliveries = events.replay_since(since).await?;
    data(Begun { deliveries })
}
