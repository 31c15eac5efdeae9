//! `POST /admin/media`, `GET /admin/media/{SHA256}`.

use std::sync::Arc;
use std::time::Duration;

use erp_core::media::BodyHash;
use schemars::JsonSchema;
use serde::Serialize;

use super::app::{Editor, Operation, Shared};
use super::media::{begin, blocking};
use super::response::{Data, created};
use crate::media::{Bodies, Incoming, StoredBody};
use crate::openapi::schema::{bytes, text_of};
use crate::web::{ApiError, ApiRequest, ApiResponse, HeaderValue, ResBody, Result};

const OCTETS: HeaderValue = HeaderValue::from_static("application/octet-stream");

const UPLOAD_TIME: Duration = Duration::from_secs(600);

/// Write buffer size for uploads, in bytes.
const WRITTEN: usize = 1024 * 1024;

/// Stores a file that a later import refers to by its hash.
async fn upload(app: Shared, _: Editor, mut request: ApiRequest) -> Result<ApiResponse> {
    match receive(&app, &mut request).await {
        Ok(body) => {
            let sha256 = body.hash.to_string();
            let stored = StoredFile {
                sha256: sha256.clone(),
                bytes: body.length,
            };
            created(&request, ("/admin/media", &sha256), stored)
        }
        Err(error) => Err(request.refuse(error).await),
    }
}

/// A stored file for an export. Shops see files by their records, and not those of a hidden usage.
async fn download(app: Shared, _: Editor, request: ApiRequest) -> Result<ApiResponse> {
    let lost = || ApiError::not_found(sentence!("thing.media_file"));
    let hash = BodyHash::parse(&request.key("SHA256")).map_err(|_| lost())?;
    let opened = blocking(&app.bodies, move |bodies| {
        let Some(body) = bodies.find(hash)? else {
            return Ok(None);
        };
        let file = bodies.open(hash, body.length)?;
        Ok(file.map(|file| (file, body)))
    });
    let (file, body) = opened.await?.ok_or_else(lost)?;
    let reader = begin(file, body, 0..body.length, |reason| {
        lost().with_cause(format!("the body {hash} {reason}"))
    });
    let stream = reader.await?.into_stream();
    Ok(ApiResponse::body(OCTETS, ResBody::stream(stream)))
}

/// How a media row of an import names the file.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct StoredFile {
    /// SHA-256 of the bytes.
    #[serde(rename = "SHA256")]
    #[schemars(length(max = 64), regex(pattern = "^[0-9a-f]{64}$"))]
    sha256: String,
    /// Length.
    #[serde(rename = "Bytes")]
    bytes: u64,
}

async fn receive(app: &Shared, request: &mut ApiRequest) -> Result<StoredBody> {
    let bodies = &app.bodies;
    let mut incoming = blocking(bodies, |bodies| Ok(bodies.begin()?)).await?;
    let mut waiting: Vec<u8> = Vec::new();
    while let Some(piece) = request.next_piece().await? {
        waiting.extend_from_slice(&piece);
        if waiting.len() >= WRITTEN {
            incoming = written(bodies, incoming, std::mem::take(&mut waiting)).await?;
        }
    }
    let incoming = written(bodies, incoming, waiting).await?;
    blocking(bodies, move |bodies| bodies.finish(incoming)).await
}

async fn written(bodies: &Arc<Bodies>, mut incoming: Incoming, bytes: Vec<u8>) -> Result<Incoming> {
    let write = move |_: &Bodies| {
        incoming.write(&bytes)?;
        Ok(incoming)
    };
    blocking(bodies, write).await
}

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post("/admin/media", "storeMedia")
            .by(upload)
            .of_path(|path| path.timed_by(|_| UPLOAD_TIME))
            .body([("application/octet-stream", bytes().min_length(1))])
            .answers_as::<Data<StoredFile>>(201),
        Operation::get("/admin/media/{SHA256}", "readStoredFile")
            .by(download)
            .place("SHA256", text_of(64))
            .answers_file(200, &[("application/octet-stream", bytes())]),
    ]
}
