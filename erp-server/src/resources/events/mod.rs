//! Administration of events: targets, event log with deliveries, replay. Admins only.

mod description;

use erp_core::Problems;
use erp_core::erp::{
    Delivery, DeliveryAttempt, EventId, EventTarget, LogQuery, LoggedEntry, NewEventTarget,
};
use erp_core::problem::{Code, Problem};
use erp_core::storage::Storage;
use erp_core::wire::json::Json;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::app::{Admin, App, Shared};
use crate::delivery::{Secret, check_kinds, check_url};
use crate::web::{Answer, ApiError, Call, Resource, Routes};

pub(super) use description::{WEBHOOKS, operations, records, webhooks};

/// Default number of events per response.
const USUAL_LIMIT: u64 = 100;

/// Maximum number of events per response.
const MOST_EVENTS: u64 = 1_000;

/// The paths of events and their targets.
pub(super) fn routes<S: Storage + 'static>(routes: Routes<App<S>>) -> Routes<App<S>> {
    routes
        .at("/admin/events", Resource::new().get(list))
        .at("/admin/events/replay", Resource::new().post(replay_since))
        .at(
            "/admin/events/targets",
            Resource::new().get(targets).post(add_target),
        )
        .at(
            "/admin/events/targets/{id}",
            Resource::new().put(switch_target).delete(remove_target),
        )
        .at("/admin/events/replay/{id}", Resource::new().post(replay))
}

/// `GET /admin/events/targets`
pub(super) async fn targets<S: Storage>(
    app: Shared<S>,
    _: Admin,
    _call: Call,
) -> Result<Answer, ApiError> {
    let targets = app.erp().events().targets().await?;
    let targets: Vec<Value> = targets.iter().map(target_json).collect();
    Answer::json(&json!({"data": targets}))
}

// rule: R-EVT-10
/// `POST /admin/events/targets` with `{"url", "secret"?, "kinds"?}`. A generated secret is returned only in this
/// response.
pub(super) async fn add_target<S: Storage>(
    app: Shared<S>,
    user: Admin,
    mut call: Call,
) -> Result<Answer, ApiError> {
    let body = call.json().await?;
    let private_allowed = app.options().event_private_targets;
    let (new, made) = new_target(&body, private_allowed)?;
    let target = app
        .erp()
        .events()
        .add_target(&new, Timestamp::now(), Some(&user.actor(&call)))
        .await?;
    let mut data = target_json(&target);
    if let (true, Value::Object(members)) = (made, &mut data) {
        members.insert("secret".to_owned(), Value::from(target.secret));
    }
    Answer::created(&json!({"data": data}))
}

/// Parses a target from a body; the flag is `true` if the secret was generated.
fn new_target(body: &Json, private_allowed: bool) -> Result<(NewEventTarget, bool), ApiError> {
    let mut problems = Problems::new();
    let mut wrong = |member: &'static str, code: Code, message: String| {
        problems.push(Problem::new(member, code, message));
    };
    let url = text(body, "url").unwrap_or_default();
    if url.is_empty() {
        wrong("url", Code::Required, "expected an address".to_owned());
    } else if let Err(error) = check_url(url, private_allowed) {
        wrong("url", Code::Malformed, error.to_string());
    }
    let given = body.get("secret").filter(|secret| !secret.is_null());
    let secret = given.map(|secret| Secret::parse(secret.as_str().unwrap_or_default()));
    if let Some(Err(error)) = &secret {
        wrong("secret", Code::Malformed, error.to_string());
    }
    let kinds = kinds_of(body);
    if kinds.is_none() {
        let message = "expected a list of `REST_Auft` and `REST_Kunde`";
        wrong("kinds", Code::UnknownValue, message.to_owned());
    }
    if !problems.is_empty() {
        return Err(problems.into());
    }
    let secret = match secret {
        Some(Ok(secret)) => secret,
        _ => Secret::random().map_err(|error| ApiError::internal(error.to_string()))?,
    };
    let new = NewEventTarget {
        url: url.to_owned(),
        secret: secret.to_text(),
        kinds: kinds.unwrap_or_default(),
    };
    Ok((new, given.is_none()))
}

fn text<'a>(body: &'a Json, member: &str) -> Option<&'a str> {
    body.get(member).and_then(Json::as_str).map(str::trim)
}

/// Parses the kinds in a body; `None` when they are invalid.
fn kinds_of(body: &Json) -> Option<Vec<erp_core::erp::EventKind>> {
    match body.get("kinds") {
        None | Some(Json::Null) => Some(Vec::new()),
        Some(Json::Array(names)) => {
            let names: Option<Vec<&str>> = names.iter().map(Json::as_str).collect();
            check_kinds(names?).ok()
        }
        Some(_) => None,
    }
}

/// `PUT /admin/events/targets/{id}` with `{"enabled": true}` or `false`.
pub(super) async fn switch_target<S: Storage>(
    app: Shared<S>,
    user: Admin,
    mut call: Call,
) -> Result<Answer, ApiError> {
    let id = call.path_number("id", "event target")?;
    let body = call.json().await?;
    let Some(enabled) = body.get("enabled").and_then(Json::as_bool) else {
        let mut problems = Problems::new();
        problems.push(Problem::new(
            "enabled",
            Code::WrongType,
            "expected true or false",
        ));
        return Err(problems.into());
    };
    let target = app
        .erp()
        .events()
        .switch_target(id.into(), enabled, Some(&user.actor(&call)))
        .await?;
    Answer::json(&json!({"data": target_json(&target)}))
}

/// `DELETE /admin/events/targets/{id}`
pub(super) async fn remove_target<S: Storage>(
    app: Shared<S>,
    user: Admin,
    call: Call,
) -> Result<Answer, ApiError> {
    let id = call.path_number("id", "event target")?;
    app.erp()
        .events()
        .remove_target(id.into(), Some(&user.actor(&call)))
        .await?;
    Ok(Answer::no_content())
}

/// `GET /admin/events?since=&after=&limit=`: events in order, with deliveries and attempts.
pub(super) async fn list<S: Storage>(
    app: Shared<S>,
    _: Admin,
    call: Call,
) -> Result<Answer, ApiError> {
    let query = call.query()?;
    let limit = query
        .number("limit", 1, MOST_EVENTS)?
        .unwrap_or(USUAL_LIMIT);
    let after = query.text("after", 64)?;
    let after = after.map(|given| {
        let id: Result<EventId, _> = given.parse();
        id.map_err(|allowed| ApiError::parameter("after", given, allowed))
    });
    let wanted = LogQuery {
        since: since(&call)?,
        after: after.transpose()?,
        limit: usize::try_from(limit).unwrap_or(usize::MAX),
    };
    let entries = app.erp().events().logged(&wanted).await?;
    let entries: Vec<Value> = entries.iter().map(entry_json).collect();
    Answer::json(&json!({"count": entries.len(), "data": entries}))
}

/// `POST /admin/events/replay/{id}`
pub(super) async fn replay<S: Storage>(
    app: Shared<S>,
    user: Admin,
    call: Call,
) -> Result<Answer, ApiError> {
    let Ok(id) = call.path("id").parse() else {
        return Err(ApiError::not_found("event"));
    };
    begun(
        app.erp()
            .events()
            .replay(id, Timestamp::now(), Some(&user.actor(&call)))
            .await?,
    )
}

// rule: R-EVT-08
/// `POST /admin/events/replay?since=`
pub(super) async fn replay_since<S: Storage>(
    app: Shared<S>,
    user: Admin,
    call: Call,
) -> Result<Answer, ApiError> {
    let since = since(&call)?.ok_or_else(|| ApiError::malformed("`since` is missing"))?;
    begun(
        app.erp()
            .events()
            .replay_since(since, Timestamp::now(), Some(&user.actor(&call)))
            .await?,
    )
}

fn begun(deliveries: usize) -> Result<Answer, ApiError> {
    Answer::json(&json!({"data": {"deliveries": deliveries}}))
}

fn since(call: &Call) -> Result<Option<Timestamp>, ApiError> {
    let query = call.query()?;
    let Some(given) = query.text("since", 64)? else {
        return Ok(None);
    };
    let time = given.parse().map_err(|_| {
        let allowed = "a time with its zone, like `2026-06-01T10:00:00Z`";
        ApiError::parameter("since", given, allowed)
    });
    time.map(Some)
}

/// JSON form of a target, without its secret.
pub(crate) fn target_json(target: &EventTarget) -> Value {
    let kinds: Vec<&str> = target.kinds.iter().map(|kind| kind.as_str()).collect();
    json!({
        "id": target.id,
        "url": target.url,
        "kinds": kinds,
        "enabled": target.enabled,
        "created_at": target.created_at.to_string(),
    })
}

/// JSON form of an event with its deliveries.
pub(crate) fn entry_json(entry: &LoggedEntry) -> Value {
    let event = &entry.event;
    let deliveries: Vec<Value> = entry.deliveries.iter().map(delivery_json).collect();
    json!({
        "id": entry.id.to_string(),
        "type": event.kind.as_str(),
        "timestamp": event.at.to_string(),
        "data": {event.kind.number_name(): event.number, "method": event.method.as_str(), "user": event.user},
        "deliveries": deliveries,
    })
}

fn delivery_json(delivery: &Delivery) -> Value {
    let attempts: Vec<Value> = delivery.attempts.iter().map(attempt_json).collect();
    json!({
        "target": delivery.target,
        "state": delivery.state.as_str(),
        "next_attempt_at": delivery.next_attempt_at.map(|at| at.to_string()),
        "attempts": attempts,
    })
}

fn attempt_json(attempt: &DeliveryAttempt) -> Value {
    json!({
        "at": attempt.at.to_string(),
        "outcome": attempt.outcome.as_str(),
        "status": attempt.outcome.status(),
        "duration_ms": attempt.duration_ms,
    })
}
