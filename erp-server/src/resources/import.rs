//! `POST /admin/import`.

use std::io;
use std::sync::Arc;

use erp_core::erp::{ImportReport, ImportRow, Office};
use erp_core::import::{Row, RowKind};
use erp_core::internal::Actor;
use erp_core::internal::master::Right;
use erp_core::limits::COMMIT_TRIES;
use erp_core::sentence::{Locale, Sentence};
use erp_core::storage::StorageError;
use jiff::Timestamp;
use salvo::http::header::CONTENT_TYPE;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::app::{Editor, Operation, Shared, User, allow};
use super::import_runs;
use super::response::{Data, data};
use crate::import::{Files, Format, LONGEST_BODY, is_invalid, read_rows, store_bodies, try_bodies};
use crate::media::Bodies;
use crate::openapi::schema::{one_of, text};
use crate::store::{Store, Trial};
use crate::web::{ApiError, ApiRequest, ApiResponse, Charset, Result};

/// Imports a batch of master data, all or nothing.
///
/// The body is NDJSON (`application/x-ndjson`), or CSV (`text/csv`) with the row kind in the query:
/// `?kind=Artikel`. With `dry_run=true` nothing is written, and the import is not listed.
async fn import(app: Shared, user: Editor, mut request: ApiRequest) -> Result<ApiResponse> {
    let (format, charset) = format(&request)?;
    let is_dry_run = request.query()?.flag("dry_run")?;
    let mut bytes = request.bytes(LONGEST_BODY).await?;
    // Rows that are not UTF-8 are problems with their lines.
    if charset != Charset::Utf8 {
        bytes = charset.decode(&bytes)?.into_owned().into_bytes();
    }
    let rows = rows_of(&app, &user, format, bytes).await;
    if is_dry_run {
        return told(try_import(&app, rows?).await?, request.locale());
    }
    let outcome = match rows {
        // Nothing will be stored: all that is left is to find the problems of the other rows.
        Ok(rows) if rows.iter().any(is_invalid) => try_import(&app, rows).await,
        Ok(rows) => imported(&app, rows, || user.actor(&request)).await,
        Err(error) => Err(error),
    };
    let report = outcome.as_ref().map(|imported| imported.report.clone());
    import_runs::note(&app, &user.actor(&request), report).await;
    told(outcome?, request.locale())
}

pub(super) fn told(mut imported: Imported, locale: Locale) -> Result<ApiResponse> {
    let warnings = imported.report.warnings.iter_mut();
    let warnings = warnings.map(|warning| &mut warning.message);
    let sentences = warnings.chain(&mut imported.missing);
    sentences.for_each(|sentence| sentence.translate(locale));
    Ok(data(imported)?.said_in(locale))
}

/// The response to an import.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Imported {
    #[serde(flatten)]
    report: ImportReport,
    /// What is missing to sell anything after the import.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    missing: Vec<Sentence>,
}

async fn imported(
    app: &Shared,
    rows: Vec<ImportRow>,
    actor: impl Fn() -> Actor,
) -> Result<Imported> {
    let rows = with_bodies(app, rows, store_bodies).await?;
    let actor = actor();
    let office = app.erp.office(actor.at).actor(&actor);
    let report = office.import(&rows).await?;
    Ok(done(office, report).await)
}

/// The import is done, even if what is missing cannot be read any more.
async fn done(office: Office<'_, Store>, report: ImportReport) -> Imported {
    let missing = office.missing_to_sell().await.unwrap_or_default();
    Imported { report, missing }
}

/// Puts back what an entry of the audit trail says of a record.
pub(super) async fn restored(
    app: &Shared,
    actor: &Actor,
    (id, record): (&str, &str),
) -> Result<Imported> {
    let office = app.erp.office(actor.at).actor(actor);
    for _ in 0..COMMIT_TRIES {
        let mut restoring = office.restoring(id, record).await?;
        restoring.rows = with_bodies(app, restoring.rows, store_bodies).await?;
        if let Some(report) = office.restore(&restoring).await? {
            return Ok(done(office, report).await);
        }
    }
    Err(StorageError::Busy.into())
}

/// Reads the rows of a body. The company's row sets attributes that decide what shops see, which editors may not.
async fn rows_of(
    app: &Shared,
    user: &User,
    format: Format,
    bytes: Vec<u8>,
) -> Result<Vec<ImportRow>> {
    let office = app.erp.office(Timestamp::now());
    let language = office.company().await?.language;
    // Megabytes of rows take longer than other requests can wait for this thread.
    let rows = tokio::task::spawn_blocking(move || read_rows(format, language, &bytes));
    let rows = rows.await;
    let rows = rows.map_err(ApiError::internal)?;
    if rows.iter().any(|row| matches!(row.row, Row::Company(_))) {
        allow(user, Right::Administration)?;
    }
    Ok(rows)
}

/// Stores the files of the rows, or only reads them for a dry run.
async fn with_bodies(
    app: &Shared,
    mut rows: Vec<ImportRow>,
    place: fn(&mut [ImportRow], &Bodies, &Files<'_>) -> io::Result<()>,
) -> Result<Vec<ImportRow>> {
    if !rows.iter().any(|row| matches!(row.row, Row::Media(_))) {
        return Ok(rows);
    }
    let bodies = Arc::clone(&app.bodies);
    let placed = move || place(&mut rows, &bodies, &|_| None).map(|()| rows);
    let placed = tokio::task::spawn_blocking(placed).await;
    let placed = placed.map_err(ApiError::internal)?;
    placed.map_err(|error| ApiError::unavailable(format!("the media files: {error}")))
}

async fn try_import(app: &Shared, rows: Vec<ImportRow>) -> Result<Imported> {
    let rows = with_bodies(app, rows, try_bodies).await?;
    let trial = Trial::of(&app.erp);
    let office = trial.office(Timestamp::now());
    let report = office.import(&rows).await?;
    let missing = office.missing_to_sell().await?;
    Ok(Imported { report, missing })
}

/// A `kind` must be known even when the body does not need it, so that a misspelt one is reported.
fn format(request: &ApiRequest) -> Result<(Format, Charset)> {
    let content_type = request
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let (media_type, parameters) = content_type.split_once(';').unwrap_or((content_type, ""));
    let charset = Charset::declared(parameters)?;
    let query = request.query()?;
    let name = query.text("kind", 20)?;
    let csv = |name: &str| {
        Format::csv(name).map_err(|allowed| ApiError::parameter("kind", name, allowed))
    };
    // NDJSON rows contain their kind; `kind` in the query must still be valid.
    let named = name.map(csv).transpose()?;
    let format = match media_type.trim().to_ascii_lowercase().as_str() {
        "text/csv" => named.map_or_else(|| csv(""), Ok),
        "" | "application/x-ndjson" | "application/ndjson" | "application/json" => {
            Ok(Format::Ndjson)
        }
        _ => {
            let text = sentence!("body.import_type");
            Err(ApiError::unsupported_media_type(text))
        }
    };
    Ok((format?, charset))
}

pub(super) fn operations() -> Vec<Operation> {
    let row = r#"{"Artikel": {"ArtNr": "A-100", "ArtBez": "Locher", "AnLager": "J"}}"#;
    let kind = text().enum_values(RowKind::ALL.map(RowKind::as_str));
    vec![Operation::post(
        "/admin/import",
        "importMasterData",
        "Import master data, all or nothing",
    )
    .by(import)
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
    .answers_as::<Data<Imported>>(
        200,
        "What became of the rows",
        json!({"data": {"rows": 1, "added": 1, "changed": 0, "removed": 0, "unchanged": 0, "skipped": 0}}),
    )]
}
