//! Administration: `POST /admin/import`, `PUT /admin/auftrag/{AuftNr}/status`.

use std::sync::Arc;

use erp_core::Problems;
use erp_core::document::OrderStatus;
use erp_core::problem::{Code, Problem};
use erp_core::storage::Storage;
use erp_core::wire::Envelope;
use jiff::Timestamp;
use salvo::http::header::CONTENT_TYPE;
use serde_json::{Value, json};

use super::Shared;
use crate::app::User;
use crate::http::{Answer, ApiError, Call};
use crate::master_data::{Files, Format, Source, StoreError, read_rows, store_bodies};

/// Imports one batch of master data, all or nothing. Admins only.
///
/// The body is NDJSON (`application/x-ndjson`), or CSV (`text/csv`) with the kind of its rows in the
/// query: `?kind=Artikel`.
pub(super) async fn import<S: Storage>(
    app: Shared<S>,
    user: User,
    mut call: Call,
) -> Result<Answer, ApiError> {
    user.require_admin()?;
    let format = format(&call)?;
    let bytes = call.bytes(app.settings().import_body_bytes).await?;
    let language = app.erp().company().await?.language;
    let mut rows = read_rows(
        &Source {
            name: "body",
            format,
            language,
        },
        &bytes,
    )
    .map_err(ApiError::from)?;
    let bodies = Arc::clone(app.bodies());
    let stored = tokio::task::spawn_blocking(move || {
        store_bodies(&mut rows, &bodies, Files::None).map(|()| rows)
    });
    let rows = stored
        .await
        .map_err(|error| ApiError::internal(error.to_string()))??;
    let report = app.erp().import(&rows, Timestamp::now()).await?;
    Answer::json(&json!({"data": {
        "rows": report.rows,
        "added": report.added,
        "changed": report.changed,
        "removed": report.removed,
        "unchanged": report.unchanged,
    }}))
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Rows(rows) => rows.into(),
            StoreError::Io(error) => Self::unavailable(format!("the media folder: {error}")),
        }
    }
}

fn format(call: &Call) -> Result<Format, ApiError> {
    let content_type = call
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let media_type = content_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    let query = call.query()?;
    let name = query.text("kind", 20)?;
    let csv = |name: &str| {
        Format::csv(name).map_err(|allowed| ApiError::parameter("kind", name, &allowed))
    };
    // NDJSON rows name their kind themselves; one in the query must be one all the same.
    let named = name.map(csv).transpose()?;
    match media_type.as_str() {
        "text/csv" => named.map_or_else(|| csv(""), Ok),
        "" | "application/x-ndjson" | "application/ndjson" | "application/json" => {
            Ok(Format::Ndjson)
        }
        _ => Err(ApiError::unsupported_media_type(
            "an import is `application/x-ndjson` or `text/csv`",
        )),
    }
}

/// Moves an order to another state. The body is `{"AuftStatus": "O"}`. Admins only.
pub(super) async fn set_order_status<S: Storage>(
    app: Shared<S>,
    user: User,
    mut call: Call,
) -> Result<Answer, ApiError> {
    user.require_admin()?;
    let body = call.json().await?;
    let letter = body
        .get("AuftStatus")
        .and_then(Value::as_str)
        .map(str::trim);
    let Some(status) = letter.and_then(OrderStatus::parse) else {
        let mut problems = Problems::new();
        problems.push(Problem::new(
            "AuftStatus",
            Code::UnknownValue,
            "expected O (open) or A (completed)",
        ));
        return Err(problems.into());
    };
    let order = app
        .erp()
        .set_order_status(&call.path("AuftNr"), status)
        .await?;
    Ok(Answer::json(&Envelope::data(order.record))?.etag(order.revision))
}
