//! `POST /admin/import`.

use std::io;
use std::sync::Arc;

use erp_core::erp::{ChangedMembers, ImportReport, ImportRow, Office};
use erp_core::import::{Row, RowKind};
use erp_core::internal::Actor;
use erp_core::internal::master::Right;
use erp_core::limits::COMMIT_TRIES;
use erp_core::sentence::{Locale, Sentence};
use erp_core::storage::StorageError;
use jiff::Timestamp;
use salvo::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::app::{Editor, Operation, Shared, User, allow};
use super::attachment::attachment;
use super::import_runs;
use super::response::{Data, data};
use crate::import::{
    Files, Form, LONGEST_BODY, Source, Unreadable, columns_of, is_invalid, kind_of, lines_of,
    read_rows, store_bodies, try_bodies,
};
use crate::media::Bodies;
use crate::openapi::headers::ATTACHMENT;
use crate::openapi::schema::{bytes, lines_of_rows, one_of, text};
use crate::store::{Store, Trial};
use crate::web::{ApiError, ApiRequest, ApiResponse, Charset, HeaderValue, Result};

const CSV: HeaderValue = HeaderValue::from_static("text/csv; charset=utf-8");

/// Imports a batch of master data, all or nothing.
///
/// The body is NDJSON (`application/x-ndjson`), or CSV (`text/csv`). With `dry_run=true` nothing is written, and the import
/// is not listed.
async fn import(app: Shared, user: Editor, mut request: ApiRequest) -> Result<ApiResponse> {
    let read = reader(&request)?;
    let is_dry_run = request.query()?.flag("dry_run")?;
    let source = read(request.bytes(LONGEST_BODY).await?)?;
    let rows = rows_of(&app, &user, &source).await;
    if is_dry_run {
        let mut tried = try_import(&app, rows?).await?;
        tried.preview = Some(preview(&source).await?);
        tried.warn_of(&source);
        tried.changes = Some(std::mem::take(&mut tried.report.changed_members));
        return told(tried, request.locale());
    }
    let outcome = match rows {
        // Nothing will be stored: all that is left is to find the problems of the other rows.
        Ok(rows) if rows.iter().any(is_invalid) => try_import(&app, rows).await,
        Ok(rows) => imported(&app, rows, || user.actor(&request)).await,
        Err(error) => Err(error),
    };
    let report = outcome.as_ref().map(|imported| imported.report.clone());
    import_runs::note(&app, &user.actor(&request), report).await;
    let mut imported = outcome?;
    imported.report.changed_members.clear();
    imported.warn_of(&source);
    told(imported, request.locale())
}

pub(super) fn told(mut imported: Imported, locale: Locale) -> Result<ApiResponse> {
    let warnings = imported.report.warnings.iter_mut();
    let warnings = warnings.map(|warning| &mut warning.message);
    let sentences = warnings.chain(&mut imported.missing);
    sentences.for_each(|sentence| sentence.translate(locale));
    Ok(data(imported)?.said_in(locale))
}

/// Rows that a dry run shows as they were understood.
const ROWS_SHOWN: usize = 5;

/// The response to an import.
#[derive(Default, Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Imported {
    #[serde(flatten)]
    report: ImportReport,
    /// What is missing to sell anything after the import.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    missing: Vec<Sentence>,
    /// Of a dry run: the first 5 rows as they were understood, each an object with its kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<Vec<Map<String, Value>>>,
    /// Of a dry run: which members would change, of articles, prices, stock and customers that are there.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<ChangedMembers>,
}

impl Imported {
    fn warn_of(&mut self, source: &Source) {
        let of_file = source.warnings(&self.report.changed_members);
        self.report.warnings.splice(0..0, of_file);
    }
}

async fn preview(source: &Source) -> Result<Vec<Map<String, Value>>> {
    let Source { format, bytes, .. } = source.clone();
    let lines = tokio::task::spawn_blocking(move || lines_of(format, &bytes, ROWS_SHOWN));
    let lines = lines.await.map_err(ApiError::internal)?;
    let rows = lines.iter().map(|(_, line)| serde_json::from_slice(line));
    Ok(rows.flatten().collect())
}

/// How a request wants its body to be read. A `kind` must be known even when the body does not need it, so that a misspelt
/// one is reported.
fn reader(request: &ApiRequest) -> Result<impl FnOnce(Vec<u8>) -> Result<Source> + use<>> {
    let content_type = request
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let (media_type, parameters) = content_type.split_once(';').unwrap_or((content_type, ""));
    let charset = Charset::declared(parameters)?;
    let query = request.query()?;
    let kind = |name: &str| kind_of(name).map_err(|all| ApiError::parameter("kind", name, all));
    let kind = query.text("kind", 20)?.map(kind).transpose()?;
    let form = |name| Form::parse(name).ok_or_else(|| ApiError::neither("form", name, Form::NAMES));
    let form = query.text("form", 20)?.map(form).transpose()?;
    let is_csv = match media_type.trim().to_ascii_lowercase().as_str() {
        "text/csv" => true,
        "" | "application/x-ndjson" | "application/ndjson" | "application/json" => false,
        _ => {
            let text = sentence!("body.import_type");
            return Err(ApiError::unsupported_media_type(text));
        }
    };
    Ok(move |mut bytes: Vec<u8>| {
        // Lines of JSON that are not UTF-8 are problems of their rows.
        if let Some(charset) = charset.filter(|charset| is_csv || *charset != Charset::Utf8) {
            bytes = charset.decode(&bytes)?.into_owned().into_bytes();
        }
        if !is_csv {
            return Ok(Source::ndjson(bytes));
        }
        Source::csv(kind, form, bytes).map_err(|why| match why {
            Unreadable::Byte(at) => Charset::Utf8.undecodable(at),
            Unreadable::Kind(why) => ApiError::of_parameter("kind", why),
        })
    })
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
    Imported {
        report,
        missing,
        ..Imported::default()
    }
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
async fn rows_of(app: &Shared, user: &User, source: &Source) -> Result<Vec<ImportRow>> {
    let office = app.erp.office(Timestamp::now());
    let language = office.company().await?.language;
    let Source { format, bytes, .. } = source.clone();
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
    Ok(Imported {
        report,
        missing,
        ..Imported::default()
    })
}

/// `GET /admin/import/template?kind=`
async fn template(_: Shared, _: Editor, request: ApiRequest) -> Result<ApiResponse> {
    let query = request.query()?;
    let name = query.text("kind", 20)?.unwrap_or_default();
    let kind = kind_of(name).map_err(|allowed| ApiError::parameter("kind", name, allowed))?;
    let locale = request.locale();
    let columns = columns_of(kind, locale == Locale::German);
    let line = format!("\u{feff}{}\r\n", columns.join(";"));
    let file = attachment(&format!("{}.csv", kind.as_str()))?;
    let response = ApiResponse::bytes(CSV, line.into_bytes()).said_in(locale);
    Ok(response.header(CONTENT_DISPOSITION, file))
}

pub(super) fn operations() -> Vec<Operation> {
    let kind = || text().enum_values(RowKind::ALL.map(RowKind::as_str));
    vec![
        Operation::post("/admin/import", "importMasterData")
            .by(import)
            .query("kind", kind())
            .query("dry_run", one_of(["true", "1", "false", "0", ""]))
            .query("form", one_of(Form::NAMES))
            .body([
                ("application/x-ndjson", lines_of_rows()),
                ("text/csv", text()),
            ])
            .or_no_body()
            .fails(&[422])
            .answers_as::<Data<Imported>>(200),
        Operation::get("/admin/import/template", "readImportTemplate")
            .by(template)
            .needs("kind", kind())
            .answers_file(200, &[("text/csv", bytes())])
            .response_headers(&[200], &[ATTACHMENT]),
    ]
}
