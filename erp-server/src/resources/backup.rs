//! `GET /admin/backup`, `POST /admin/backup/confirm`.

use std::sync::Arc;

use erp_core::internal::BackupNote;
use jiff::Timestamp;
use salvo::http::header::CONTENT_DISPOSITION;
use schemars::JsonSchema;
use serde::Serialize;

use super::app::{Admin, Operation, Shared};
use super::attachment::{attachment, file_name};
use super::members::Members;
use super::response::{Data, data};
use crate::backup::Refusal;
use crate::openapi::headers::ATTACHMENT;
use crate::openapi::object::Object;
use crate::openapi::schema::{bytes, text_of};
use crate::web::{ApiError, ApiRequest, ApiResponse, HeaderValue, ResBody, Result};

const GZIP: HeaderValue = HeaderValue::from_static("application/gzip");

/// Example of a SHA-256 digest.
pub(super) const SHA256: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

/// Streams a consistent snapshot of the store with its media as a file. Admins only.
async fn create(app: Shared, _: Admin, _request: ApiRequest) -> Result<ApiResponse> {
    let pieces = app.backups.begin(Arc::clone(&app.bodies))?;
    let body = ResBody::stream(futures_util::stream::unfold(
        pieces,
        |mut pieces| async move { pieces.recv().await.map(|piece| (piece, pieces)) },
    ));
    let name = attachment(&backup_file_name())?;
    Ok(ApiResponse::body(GZIP, body).header(CONTENT_DISPOSITION, name))
}

pub(crate) fn backup_file_name() -> String {
    file_name("backup", "tar.gz")
}

/// Records that a backup was received and verified: `{"sha256": "..."}`. Admins only.
async fn confirm(app: Shared, user: Admin, mut request: ApiRequest) -> Result<ApiResponse> {
    let body = request.json().await?;
    let mut members = Members::of(&body);
    let sha256 = members.required("sha256", SHA256.len());
    let sha256 = members.done(sha256)?;
    let noted = app.backups.confirm(sha256)?;
    let snapshot =
        noted.map_err(|error| ApiError::unavailable(format!("the note on backups: {error}")))?;
    let note = BackupNote {
        at: Timestamp::now(),
        revision: snapshot.revision,
    };
    // A store without room for a note has its backup all the same.
    if let Err(error) = user.upkeep(&app).note_backup(note).await {
        tracing::warn!(%error, "the time of the backup could not be noted");
    }
    data(Confirmed {
        revision: snapshot.revision,
    })
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Confirmed {
    /// The last commit in the backup.
    revision: u64,
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Running => Self::conflict(sentence!("wire.backup_running")),
            Refusal::Unknown => Self::conflict(sentence!("wire.backup_unknown")),
        }
    }
}

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/admin/backup", "createBackup")
            .by(create)
            .fails(&[409])
            .answers_file(200, &[("application/gzip", bytes())])
            .response_headers(&[200], &[ATTACHMENT]),
        Operation::post("/admin/backup/confirm", "confirmBackup")
            .by(confirm)
            .fails(&[409])
            .json_body_of(Object::new().member("sha256", "SHA-256 of the file", text_of(64)))
            .answers_as::<Data<Confirmed>>(200),
    ]
}
