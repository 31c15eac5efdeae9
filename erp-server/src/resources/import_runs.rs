//! `GET /admin/imports`: the last imports. Admins only.

use std::collections::BTreeSet;

use erp_core::erp::{Actor, ImportReport, ImportRun};
use serde::Serialize;
use serde_json::{Value, json};

use super::app::{Admin, App, Shared};
use crate::openapi::object::Components;
use crate::openapi::operation::Described;
use crate::openapi::schema::{about, data, list_of, object, one_of, or_null, text, time, whole};
use crate::web::{ApiError, ApiRequest, ApiResponse, Resource, Routes, StatusCode};

/// The path of the list.
pub(super) fn routes(routes: Routes<App>) -> Routes<App> {
    routes.at("/admin/imports", Resource::new().get(list))
}

/// The last imports, newest first.
pub(super) async fn list(
    app: Shared,
    user: Admin,
    _request: ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let runs = user.office(&app).import_runs().await?;
    let runs: Vec<ListedImport<'_>> = runs.iter().map(ListedImport::of).collect();
    ApiResponse::json(&json!({"data": runs}))
}

/// Adds an import to the list: one that is done, or one with problems in its rows. An import that cannot be listed is
/// done all the same, and the audit trail has it.
pub(super) async fn note(app: &App, actor: &Actor, outcome: Result<ImportReport, &ApiError>) {
    let run = match outcome {
        Ok(report) => ImportRun::done(actor, report),
        Err(error) if error.status() == StatusCode::UNPROCESSABLE_ENTITY => {
            ImportRun::refused(actor, failed_lines(error))
        }
        Err(_) => return,
    };
    if let Err(error) = app.erp.office(actor.at).note_import(actor, &run).await {
        tracing::warn!(%error, "an import could not be added to the list of imports");
    }
}

/// How many lines have a problem; the path of each begins with `line 7:`.
fn failed_lines(error: &ApiError) -> usize {
    let problems = error.info("problems").and_then(Value::as_array);
    let paths = problems.into_iter().flatten();
    let lines = paths.filter_map(|problem| problem.get("path")?.as_str()?.split(':').next());
    lines.collect::<BTreeSet<&str>>().len()
}

/// An import as it is listed.
#[derive(Serialize)]
struct ListedImport<'a> {
    at: String,
    user: Option<&'a str>,
    state: &'static str,
    #[serde(flatten)]
    report: &'a ImportReport,
    failed: usize,
}

impl<'a> ListedImport<'a> {
    fn of(run: &'a ImportRun) -> Self {
        Self {
            at: run.at.to_string(),
            user: run.user.as_deref(),
            state: run.state.as_str(),
            report: &run.report,
            failed: run.failed,
        }
    }
}

/// The schema of the warnings of an import.
pub(super) fn warnings() -> Value {
    let text = "What is stored but has a consequence, by line; at most 100";
    about(text, list_of("ProblemEntry"))
}

/// Their OpenAPI description.
pub(super) fn operations() -> Vec<Described> {
    vec![
        Described::get("/admin/imports", "listImports", "The last 50 imports")
            .about("Imports by `POST /admin/import`, newest first: those that are done, and those that were refused because of their rows. Dry runs are not listed.")
            .admin()
            .answers(
                200,
                "The imports",
                data(list_of("ImportRun")),
                json!({"data": [{
                    "at": "2026-06-01T10:00:00Z",
                    "user": "admin",
                    "state": "done",
                    "rows": 3,
                    "added": 1,
                    "changed": 1,
                    "removed": 0,
                    "unchanged": 1,
                    "skipped": 0,
                    "failed": 0,
                }]}),
            ),
    ]
}

/// The schema of an import.
pub(super) fn records(components: Components) -> Components {
    let failed =
        whole().description("Rows with a problem; at most those that the import has listed");
    let run = object([
        ("at", about("When it was done", time())),
        ("user", about("Who imported", or_null(text()))),
        (
            "state",
            about(
                "Refused because of its rows, or done",
                one_of(["done", "refused"]),
            ),
        ),
        (
            "rows",
            whole()
                .description("All rows; 0 of a refused import")
                .into(),
        ),
        ("added", about("Rows that created a record", whole())),
        ("changed", about("Rows that changed a record", whole())),
        ("removed", about("Rows that removed a record", whole())),
        ("unchanged", about("Rows that changed nothing", whole())),
        (
            "skipped",
            about("Rows of orders and offers, which are skipped", whole()),
        ),
        ("failed", failed.into()),
    ])
    .property("warnings", warnings());
    components.add_schema("ImportRun", run)
}
