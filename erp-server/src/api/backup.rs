//! `GET /admin/backup`, `POST /admin/backup/confirm`.

use std::io;
use std::sync::Arc;

use erp_core::Problems;
use erp_core::problem::{Code, Problem};
use erp_core::storage::Storage;
use erp_core::wire::json::Json;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use salvo::http::header::CONTENT_DISPOSITION;
use serde_json::json;
use tokio::runtime::Handle;

use super::Shared;
use crate::app::Admin;
use crate::backup::Refusal;
use crate::http::{Answer, ApiError, Call, HeaderValue, ResBody};
use crate::media::removal::hold;

const GZIP: HeaderValue = HeaderValue::from_static("application/gzip");

/// Streams a consistent snapshot of the store with its media as a file. Admins only.
pub(super) async fn create<S: Storage + 'static>(
    app: Shared<S>,
    _: Admin,
    _call: Call,
) -> Result<Answer, ApiError> {
    let (asked, handle) = (Arc::clone(&app), Handle::current());
    // Keeps other servers from deleting media of this snapshot until it has been read completely.
    let held = hold(Arc::clone(&app)).await?;
    let named = Box::new(move || {
        let _held = &held;
        let named = handle.block_on(asked.erp().media().named_bodies());
        named.map_err(|error| io::Error::other(error.to_string()))
    });
    let pieces = app.backups().begin(Arc::clone(app.bodies()), named)?;
    let body = ResBody::stream(futures_util::stream::unfold(
        pieces,
        |mut pieces| async move { pieces.recv().await.map(|piece| (piece, pieces)) },
    ));
    let name = format!("attachment; filename=\"{}\"", file_name());
    let name =
        HeaderValue::try_from(name).map_err(|error| ApiError::internal(error.to_string()))?;
    Ok(Answer::body(GZIP, body).header(CONTENT_DISPOSITION, name))
}

/// Default file name of a backup made now.
pub(crate) fn file_name() -> String {
    let now = Timestamp::now().to_zoned(TimeZone::UTC);
    format!("erp-backup-{}.tar.gz", now.strftime("%Y%m%dT%H%M%SZ"))
}

/// Records that a backup was received and verified: `{"sha256": "..."}`. Admins only.
pub(super) async fn confirm<S: Storage>(
    app: Shared<S>,
    _: Admin,
    mut call: Call,
) -> Result<Answer, ApiError> {
    let body = call.json().await?;
    let Some(sha256) = body.get("sha256").and_then(Json::as_str) else {
        let mut problems = Problems::new();
        let message = "expected the SHA-256 of a backup, as a text";
        problems.push(Problem::new("sha256", Code::WrongType, message));
        return Err(problems.into());
    };
    let noted = app.backups().confirm(sha256)?;
    let snapshot =
        noted.map_err(|error| ApiError::unavailable(format!("the note on backups: {error}")))?;
    Answer::json(&json!({"data": {"revision": snapshot.revision}}))
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unable => Self::conflict("this server's store makes its backups elsewhere"),
            Refusal::Running => Self::conflict("another backup is being written"),
            Refusal::Unknown => {
                Self::conflict("no backup with this `sha256` was made since the start")
            }
        }
    }
}
