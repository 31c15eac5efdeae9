//! `POST /admin/import`.

use std::sync::Arc;

use erp_core::erp::{Actor, ImportReport, ImportRow};
use erp_core::import::{Row, RowKind};
use erp_core::storage::Storage;
use jiff::Timestamp;
use salvo::http::header::CONTENT_TYPE;
use serde_json::{Value, json};

use super::app::{Admin, App, Shared};
use super::import_runs;
use crate::import::{
    Files, Format, Source, StoreError, bodies_of, read_rows, store_bodies, try_bodies,
};
use crate::media::settled;
use crate::openapi::operation::Described;
use crate::openapi::schema::{data, object, one_of, text, whole};
use crate::store::Trial;
use crate::web::{Answer, ApiError, Call, Resource, Routes};

/// Maximum attempts to store the files of an import while other files are removed concurrently.
const TRIES: usize = 100;

/// The path of the import.
pub(super) fn routes<S: Storage + 'static>(routes: Routes<App<S>>) -> Routes<App<S>> {
    routes.at("/admin/import", Resource::new().post(import))
}

/// Imports a batch of master data, all or nothing. Admins only.
///
/// The body is NDJSON (`application/x-ndjson`), or CSV (`text/csv`) with the row kind in the query:
/// `?kind=Artikel`. With `dry_run=true` nothing is written, and the import is not listed.
pub(super) async fn import<S: Storage>(
    app: Shared<S>,
    user: Admin,
    mut call: Call,
) -> Result<Answer, ApiError> {
    let format = format(&call)?;
    let is_dry_run = is_dry_run(&call)?;
    let bytes = call.bytes(app.options().import_body_bytes).await?;
    let report = match is_dry_run {
        true => try_import(&app, rows_of(&app, format, bytes).await?).await?,
        false => {
            let outcome = match rows_of(&app, format, bytes).await {
                Ok(rows) => store_and_import(&app, rows, || user.actor(&call)).await,
                Err(error) => Err(error),
            };
            import_runs::note(&app, &user.actor(&call), &outcome).await;
            outcome?
        }
    };
    Answer::json(&json!({"data": report}))
}

/// Reads the rows of a body.
async fn rows_of<S: Storage>(
    app: &Shared<S>,
    format: Format,
    bytes: Vec<u8>,
) -> Result<Vec<ImportRow>, ApiError> {
    let language = app.erp().company().await?.language;
    // Megabytes of rows take longer than other requests can wait for this thread.
    let rows = tokio::task::spawn_blocking(move || {
        let source = Source {
            name: "body",
            format,
            language,
        };
        read_rows(&source, &bytes)
    });
    let rows = rows.await;
    Ok(rows.map_err(|error| ApiError::internal(error.to_string()))??)
}

/// Stores the files of the rows and imports them; repeats both when a file is removed concurrently.
async fn store_and_import<S: Storage>(
    app: &Shared<S>,
    mut rows: Vec<ImportRow>,
    actor: impl Fn() -> Actor,
) -> Result<ImportReport, ApiError> {
    if !rows.iter().any(|row| matches!(row.row, Row::Media(_))) {
        return Ok(app
            .erp()
            .import(&rows, Timestamp::now(), Some(&actor()))
            .await?);
    }
    let mut marks = settled(app.erp(), &bodies_of(&rows)).await?;
    for _ in 0..TRIES {
        let bodies = Arc::clone(app.bodies());
        let stored = tokio::task::spawn_blocking(move || {
            store_bodies(&mut rows, &bodies, Files::None).map(|sources| (rows, sources))
        });
        let stored = stored.await;
        let (now_stored, mut sources) =
            stored.map_err(|error| ApiError::internal(error.to_string()))??;
        rows = now_stored;
        let actor = actor();
        let imported = app
            .erp()
            .import_stored(&rows, &marks, actor.at, Some(&actor));
        if let Some(report) = imported.await? {
            return Ok(report);
        }
        marks = settled(app.erp(), &bodies_of(&rows)).await?;
        sources.put_back(&mut rows, 0);
    }
    Err(ApiError::unavailable(
        "media files are removed all the time",
    ))
}

fn is_dry_run(call: &Call) -> Result<bool, ApiError> {
    match call.query()?.text("dry_run", 5)? {
        None | Some("" | "0" | "false") => Ok(false),
        Some("1" | "true") => Ok(true),
        Some(other) => Err(ApiError::parameter("dry_run", other, "`true` or `false`")),
    }
}

// rule: D-IMP-07, D-IMP-08
/// Dry run: reports what the import would change.
async fn try_import<S: Storage>(
    app: &Shared<S>,
    mut rows: Vec<ImportRow>,
) -> Result<ImportReport, ApiError> {
    let bodies = Arc::clone(app.bodies());
    let tried = tokio::task::spawn_blocking(move || {
        try_bodies(&mut rows, &bodies, Files::None).map(|_| rows)
    });
    let rows = tried
        .await
        .map_err(|error| ApiError::internal(error.to_string()))??;
    Ok(Trial::of(app.erp())
        .import(&rows, Timestamp::now(), None)
        .await?)
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Rows(rows) => rows.into(),
            StoreError::Io(error) => Self::unavailable(format!("the media files: {error}")),
        }
    }
}

// rule: D-REQ-24
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
    // NDJSON rows contain their kind; `kind` in the query must still be valid.
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

/// Their OpenAPI description.
pub(super) fn operations() -> Vec<Described> {
    vec![described_import()]
}

fn described_import() -> Described {
    let row = r#"{"Artikel": {"ArtNr": "A-100", "ArtBez": "Locher", "AnLager": "J"}}"#;
    let counted = |about: &str| whole().description(about).into();
    let kind = text().enum_values(RowKind::ALL.map(RowKind::as_str));
    Described::post(
        "/admin/import",
        "importMasterData",
        "Import master data, all or nothing",
    )
    .admin()
    .query_like(
        "kind",
        "The kind of the rows of a CSV body",
        kind,
        json!("Artikel"),
    )
    .query(
        "dry_run",
        "Check the rows and count what would change, without writing anything",
        one_of(["true", "1", "false", "0", ""]),
    )
    .body([
        ("application/x-ndjson", text(), json!(row)),
        (
            "text/csv",
            text(),
            Value::from("ArtNr;ArtBez;AnLager\nA-100;Locher;J\n"),
        ),
    ])
    .or_no_body()
    .fails(&[422])
    .answers(
        200,
        "What became of the rows",
        data(
            object([
                ("rows", counted("All rows: the sum of the other counts")),
                ("added", counted("Rows that created a record")),
                ("changed", counted("Rows that changed a record")),
                ("removed", counted("Rows that removed a record")),
                ("unchanged", counted("Rows that changed nothing")),
                ("skipped", counted("Rows of orders and offers, which are skipped")),
            ])
            .into(),
        ),
        json!({"data": {"rows": 1, "added": 1, "changed": 0, "removed": 0, "unchanged": 0, "skipped": 0}}),
    )
}
