//! `GET /admin/imports`: the last imports.

use std::collections::BTreeSet;

use erp_core::erp::ImportReport;
use erp_core::internal::{self, Actor};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::app::{App, Editor, Operation, Shared};
use super::response::{Data, data};
use crate::web::{ApiError, ApiRequest, ApiResponse, Result, StatusCode};

async fn list(app: Shared, user: Editor, _request: ApiRequest) -> Result<ApiResponse> {
    let runs = user.office(&app).import_runs().await?;
    let runs: Vec<ImportRun> = runs.into_iter().map(ImportRun::from).collect();
    data(runs)
}

/// Adds an import to the list: one that is done, or one with problems in its rows. An import that cannot be listed is
/// done all the same, and the audit trail has it.
pub(super) async fn note(app: &App, actor: &Actor, outcome: Result<ImportReport, &ApiError>) {
    let run = match outcome {
        Ok(report) => internal::ImportRun::done(actor, report),
        Err(error) if error.status() == StatusCode::UNPROCESSABLE_ENTITY => {
            internal::ImportRun::refused(actor, failed_lines(error))
        }
        Err(_) => return,
    };
    if let Err(error) = app.erp.office(actor.at).note_import(actor, &run).await {
        tracing::warn!(%error, "an import could not be added to the list of imports");
    }
}

/// How many lines have a problem; the path of each begins with `line 7:`.
fn failed_lines(error: &ApiError) -> usize {
    let problems = error.problems().iter();
    let lines = problems.filter_map(|problem| problem.path.split(':').next());
    lines.collect::<BTreeSet<&str>>().len()
}

/// An import in the list.
#[derive(Serialize, JsonSchema)]
struct ImportRun {
    /// When it was done.
    at: Timestamp,
    /// Who imported.
    user: Option<String>,
    /// Refused because of its rows, or done.
    #[schemars(extend("enum" = ["done", "refused"]))]
    state: &'static str,
    #[serde(flatten)]
    report: ImportReport,
    /// Rows with a problem; at most those that the import has listed.
    failed: usize,
}

impl From<internal::ImportRun> for ImportRun {
    fn from(run: internal::ImportRun) -> Self {
        Self {
            at: run.at,
            user: run.user.map(String::from),
            state: run.state.as_str(),
            report: run.report,
            failed: run.failed,
        }
    }
}

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/admin/imports", "listImports")
            .by(list)
            .answers_as::<Data<Vec<ImportRun>>>(200),
    ]
}
