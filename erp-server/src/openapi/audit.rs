//! `/admin/audit`.

use serde_json::json;

use super::events::moment;
use super::object::Components;
use super::operation::Described;
use super::schema::{count, list, list_of, object, or_null, plain, text, text_of, time, whole};

pub(super) fn operations() -> Vec<Described> {
    vec![
        Described::get("/admin/audit", "listAudit", "Who changed which records")
            .admin()
            .query_like(
                "since",
                "Only changes since this time",
                moment(),
                json!("2026-06-01T10:00:00Z"),
            )
            .query_like(
                "until",
                "Only changes before this time",
                moment(),
                json!("2026-07-01T10:00:00Z"),
            )
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
            .query_like(
                "after",
                "Only entries after this one",
                text_of(128).pattern("^((0|[1-9][0-9]{0,15})-(0|[1-9][0-9]{0,7})-[0-9a-zA-Z]*)?$"),
                json!("1780300800000000-17-4f0c"),
            )
            .query_like(
                "limit",
                "How many, default 100",
                count(1_000).minimum(1),
                json!(10),
            )
            .answers(
                200,
                "The entries, the oldest first; `next` is the `after` of the next page",
                object([
                    ("count", whole().into()),
                    ("data", list_of("AuditEntry")),
                    ("next", or_null(text()).into()),
                ])
                .into(),
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
        ("id", text().into()),
        ("at", time().into()),
        ("user", text().into()),
        ("request_id", text().into()),
        ("trace_id", or_null(text()).into()),
        ("operation", text().into()),
        ("changed", list(text())),
        ("removed", list(text())),
        ("revision", whole().into()),
    ]);
    components.add_schema("AuditEntry", entry)
}
