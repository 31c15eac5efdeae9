//! `GET /admin/audit`: the audit trail. Admins only.

use erp_core::erp::{AuditQuery, Audited};
use erp_core::storage::Storage;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::Shared;
use crate::app::Admin;
use crate::http::{Answer, ApiError, Call, Query};

/// Default number of entries per response.
const USUAL_LIMIT: u64 = 100;

/// Maximum number of entries per response.
const MOST_ENTRIES: u64 = 1_000;

/// Maximum length of a record name: kind, price list and article.
const RECORD_CHARACTERS: usize = 200;

/// `GET /admin/audit?since=&until=&user=&record=&after=&limit=`: oldest entries first. `next` is the value of `after`
/// for the next page.
pub(super) async fn list<S: Storage>(
    app: Shared<S>,
    _: Admin,
    call: Call,
) -> Result<Answer, ApiError> {
    let query = wanted(&call.query()?)?;
    let page = app.erp().audit().list(&query).await?;
    let entries: Vec<Value> = page.entries.iter().map(entry_json).collect();
    Answer::json(&json!({
        "count": entries.len(),
        "data": entries,
        "next": page.next.map(|id| id.to_string()),
    }))
}

fn wanted(query: &Query) -> Result<AuditQuery, ApiError> {
    let limit = query
        .number("limit", 1, MOST_ENTRIES)?
        .unwrap_or(USUAL_LIMIT);
    let after = query.text("after", 128)?;
    let after = after.map(|given| {
        given
            .parse()
            .map_err(|allowed| ApiError::parameter("after", given, allowed))
    });
    let text = |name, most| {
        let given = query.text(name, most)?;
        Ok::<_, ApiError>(given.map(|given| given.trim().to_owned()))
    };
    Ok(AuditQuery {
        since: time(query, "since")?,
        until: time(query, "until")?,
        user: text("user", 80)?,
        record: text("record", RECORD_CHARACTERS)?,
        after: after.transpose()?,
        limit: usize::try_from(limit).unwrap_or(usize::MAX),
    })
}

fn time(query: &Query, name: &str) -> Result<Option<Timestamp>, ApiError> {
    let given = query.text(name, 64)?;
    let read = |given: &str| {
        let allowed = "a time with its zone, like `2026-06-01T10:00:00Z`";
        given
            .parse()
            .map_err(|_| ApiError::parameter(name, given, allowed))
    };
    given.map(read).transpose()
}

/// JSON form of an entry in the interface and in `erp-server audit --json`.
pub(crate) fn entry_json(audited: &Audited) -> Value {
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
