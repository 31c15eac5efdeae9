//! `GET /admin/audit`: the audit trail. Admins only.

use erp_core::erp::{AuditQuery, Audited};
use serde_json::{Value, json};

use super::app::{Admin, App, Shared};
use crate::openapi::object::Components;
use crate::openapi::operation::Described;
use crate::openapi::schema::{
    self, about, counted_page, object, one_of, or_null, plain, text, text_of, time, whole,
};
use crate::web::{ApiError, ApiRequest, ApiResponse, Query, Resource, Routes};

/// Default number of entries per response.
const USUAL_LIMIT: u64 = 100;

/// Maximum number of entries per response.
const MOST_ENTRIES: u64 = 1_000;

/// Maximum length of a record name: kind, price list and article.
const RECORD_CHARACTERS: usize = 200;

/// The path of the audit trail.
pub(super) fn routes(routes: Routes<App>) -> Routes<App> {
    routes.at("/admin/audit", Resource::new().get(list))
}

/// `GET /admin/audit?since=&until=&user=&record=&newest=&after=&limit=`: oldest entries first, or newest. `next` is the
/// value of `after` for the next page.
pub(super) async fn list(
    app: Shared,
    user: Admin,
    request: ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let query = wanted(&request.query()?)?;
    let page = user.office(&app).audit_trail(&query).await?;
    let entries: Vec<Value> = page.entries.iter().map(entry_json).collect();
    ApiResponse::json(&json!({
        "count": entries.len(),
        "data": entries,
        "next": page.next.map(|id| id.to_string()),
    }))
}

fn wanted(query: &Query) -> Result<AuditQuery, ApiError> {
    let limit = query
        .number("limit", 1, MOST_ENTRIES)?
        .unwrap_or(USUAL_LIMIT);
    let text = |name, most| {
        let given = query.text(name, most)?;
        Ok::<_, ApiError>(given.map(|given| given.trim().to_owned()))
    };
    Ok(AuditQuery {
        since: query.time("since")?,
        until: query.time("until")?,
        user: text("user", 80)?,
        record: text("record", RECORD_CHARACTERS)?,
        newest_first: query.flag("newest")?,
        after: query.parsed("after", 128)?,
        limit: usize::try_from(limit).unwrap_or(usize::MAX),
    })
}

/// JSON form of an entry in the interface and in `erp-server audit --json`.
fn entry_json(audited: &Audited) -> Value {
    let (id, entry) = (&audited.id, &audited.entry);
    json!({
        "id": id.to_string(),
        "at": id.at().to_string(),
        "user": entry.user,
        "request_id": id.request,
        "trace_id": entry.trace,
        "operation": entry.operation,
        "changed": entry.changed,
        "removed": entry.removed,
        "revision": audited.revision,
    })
}

/// Their OpenAPI description.
pub(super) fn operations() -> Vec<Described> {
    vec![
        Described::get("/admin/audit", "listAudit", "Who changed which records")
            .admin()
            .query_time("since", "Only changes since this time")
            .query_time("until", "Only changes before this time")
            .query_like(
                "user",
                "Only changes of this user",
                plain(80),
                json!("shop1"),
            )
            .query_like(
                "record",
                "Only changes of this record: kind and number",
                plain(200),
                json!("Auftrag 100001"),
            )
            .query(
                "newest",
                "The newest entries first",
                one_of(["true", "1", "false", "0", ""]),
            )
            .query_like(
                "after",
                "The `next` of a page: only entries after this one, in the order of the list",
                text_of(128).pattern("^((0|[1-9][0-9]{0,15})-(0|[1-9][0-9]{0,7})-[0-9a-zA-Z]*)?$"),
                json!("1780300800000000-17-4f0c"),
            )
            .query_limit(1_000)
            .answers(
                200,
                "The entries, the oldest first unless `newest` is `true`",
                counted_page("AuditEntry"),
                json!({"count": 1, "data": [{
                    "id": "1780300800000000-17-4f0c",
                    "at": "2026-06-01T08:00:00Z",
                    "user": "shop1",
                    "request_id": "4f0c",
                    "trace_id": null,
                    "operation": "POST /www/auftrag",
                    "changed": ["Auftrag 100001"],
                    "removed": [],
                    "revision": 17,
                }], "next": null}),
            ),
    ]
}

/// Schemas of an audit entry, which the interface document does not define.
pub(super) fn records(components: Components) -> Components {
    let entry = object([
        ("id", about("The entry, for `after`", text())),
        ("at", about("When it was done", time())),
        (
            "user",
            about("Who did it; `cli` is the command line", text()),
        ),
        ("request_id", about("The request (`X-Request-Id`)", text())),
        (
            "trace_id",
            about("The caller's trace (`traceparent`)", or_null(text())),
        ),
        (
            "operation",
            about("Method and path, or the command", text()),
        ),
        (
            "changed",
            about("Records by kind and number", schema::list(text())),
        ),
        (
            "removed",
            about("Removed records by kind and number", schema::list(text())),
        ),
        ("revision", about("The commit", whole())),
    ]);
    components.add_schema("AuditEntry", entry)
}
