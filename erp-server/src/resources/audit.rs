//! `GET /admin/audit`: the audit trail. `POST /admin/audit/{id}/restore`: puts back what an entry says of a record.

use erp_core::internal::master::Right;
use erp_core::internal::{self, AuditQuery, Audited};
use erp_core::json::Object;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::app::{Editor, Operation, Shared, allow};
use super::import::{Imported, restored, told};
use super::members::Members;
use super::response::{CountedPage, Data, counted_page};
use crate::openapi::object;
use crate::openapi::schema::{moment, one_of, plain, text_of};
use crate::web::{ApiError, ApiRequest, ApiResponse, Query, Result};

const USUAL_LIMIT: usize = 100;
const MOST_ENTRIES: u32 = 1_000;

/// Maximum length of a user: the name, and the customer of a token as in `shop1:10001`.
const USER_CHARACTERS: usize = 80 + 1 + 8;

/// Maximum length of a record name: kind, price list and article.
const RECORD_CHARACTERS: usize = 200;

/// `GET /admin/audit?since=&until=&user=&record=&newest=&after=&limit=`: oldest entries first, or newest. `next` is the
/// value of `after` for the next page.
async fn list(app: Shared, user: Editor, request: ApiRequest) -> Result<ApiResponse> {
    let query = AuditQuery {
        for_editors: !user.caller.role.may(Right::Administration),
        ..wanted(&request.query()?)?
    };
    let page = user.office(&app).audit_trail(&query).await?;
    let entries = page.entries.into_iter().map(AuditEntry::from).collect();
    counted_page(entries, page.next.map(|id| id.to_string()))
}

fn wanted(query: &Query) -> Result<AuditQuery> {
    let text = |name, most| {
        let given = query.text(name, most)?;
        Ok::<_, ApiError>(given.map(|given| given.trim().to_owned()))
    };
    Ok(AuditQuery {
        since: query.time("since")?,
        until: query.time("until")?,
        user: text("user", USER_CHARACTERS)?,
        record: text("record", RECORD_CHARACTERS)?,
        newest_first: query.flag("newest")?,
        after: query.parsed("after", 128)?,
        limit: query
            .number("limit", 1, MOST_ENTRIES)?
            .unwrap_or(USUAL_LIMIT),
        ..AuditQuery::default()
    })
}

/// Puts a record back by an import of its row as it is now with the old members.
async fn restore(app: Shared, user: Editor, mut request: ApiRequest) -> Result<ApiResponse> {
    let body = request.json().await?;
    let mut members = Members::of(&body);
    let record = members.required("record", RECORD_CHARACTERS);
    let record = members.done(record)?;
    if record == "Firma" {
        allow(&user, Right::Administration)?;
    }
    let id = request.key("id");
    let actor = user.actor(&request);
    let restored = restored(&app, &actor, (&id, record)).await?;
    told(restored, request.locale())
}

/// A change of records.
#[derive(Serialize, JsonSchema)]
struct AuditEntry {
    /// The entry, for `after`.
    id: String,
    /// When it was done.
    at: Timestamp,
    /// Who did it; `cli` is the command line.
    user: Option<String>,
    /// The request (`X-Request-Id`).
    request_id: String,
    /// The caller's trace (`traceparent`).
    trace_id: Option<String>,
    /// Method and path, or the command.
    operation: String,
    /// Records by kind and number.
    changed: Vec<String>,
    /// Removed records by kind and number.
    removed: Vec<String>,
    /// What differs of master data that an import changed; only of `record`, if it is given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differences: Vec<Difference>,
    /// The commit.
    revision: u64,
}

/// The members of a record's import row that differ. Both sides are absent where they were too long to keep.
#[derive(Serialize, JsonSchema)]
struct Difference {
    /// The record, as in `changed` or `removed`.
    record: String,
    /// The kind of its row. `Bestand` has the rows of all places in a list of this name.
    kind: &'static str,
    /// The old members; absent of a record that was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Map<String, Value>>")]
    before: Option<Object>,
    /// The new members; absent of a record that was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Map<String, Value>>")]
    after: Option<Object>,
}

impl From<internal::Difference> for Difference {
    fn from(difference: internal::Difference) -> Self {
        Self {
            record: difference.record,
            kind: difference.kind.as_str(),
            before: difference.before,
            after: difference.after,
        }
    }
}

impl From<Audited> for AuditEntry {
    fn from(audited: Audited) -> Self {
        let (id, entry) = (audited.id, audited.entry);
        let differences = audited.differences.into_iter().map(Difference::from);
        Self {
            at: id.at(),
            user: entry.user.map(String::from),
            trace_id: entry.trace.map(String::from),
            operation: entry.operation.to_string(),
            changed: entry.changed,
            removed: entry.removed,
            differences: differences.collect(),
            revision: audited.revision,
            id: id.to_string(),
            request_id: id.request.to_string(),
        }
    }
}

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/admin/audit", "listAudit")
            .by(list)
            .query("since", moment())
            .query("until", moment())
            .query("user", plain(USER_CHARACTERS))
            .query("record", plain(RECORD_CHARACTERS))
            .query("newest", one_of(["true", "1", "false", "0", ""]))
            .query(
                "after",
                text_of(128)
                    .pattern("^((0|[1-9][0-9]{0,15})-(0|[1-9][0-9]{0,7})-[0-9a-zA-Z._-]{0,64})?$"),
            )
            .limited(1_000)
            .answers_as::<CountedPage<AuditEntry>>(200),
        Operation::post("/admin/audit/{id}/restore", "restoreRecord")
            .by(restore)
            .place("id", text_of(128))
            .json_body_as(
                "RestoreBody",
                object::Object::new().member(
                    "record",
                    "The record as the entry names it",
                    plain(RECORD_CHARACTERS),
                ),
            )
            .fails(&[409])
            .answers_as::<Data<Imported>>(200),
    ]
}
