//! `GET /www/artikelmedia/{ArtNr}`, `GET /www/artikelmediadaten/{IDKey}?type={type}`.

mod description;

use std::io::{self, ErrorKind};
use std::ops::Range;
use std::sync::Arc;

use erp_core::internal::media::{FileType, TEXT_TYPE};
use erp_core::internal::wire::Envelope;
use erp_core::internal::{MediaContent, MediaPart};
use erp_core::media::BodyHash;
use sha2::{Digest as _, Sha256};

use super::app::{Shared, User};
use crate::media::{Bodies, BodyError, BodyReader, OpenBody, StoredBody, is_unreachable};
use crate::web::{
    ApiError, ApiRequest, ApiResponse, FileHead, Method, ResBody, Result, WantedPart,
};

pub(super) use description::operations;

/// Maximum length of `type`; formats have up to 12 characters.
const TYPE_CHARACTERS: usize = 200;

async fn list(app: Shared, user: User, request: ApiRequest) -> Result<ApiResponse> {
    let base = request.base()?;
    let media = user.shop(&app).media(&request.key("ArtNr")).await?;
    let list = media.iter().map(|media| media.to_wire(&base.links()));
    ApiResponse::json(&Envelope::data(list.collect::<Vec<_>>()))
}

async fn data(app: Shared, user: User, request: ApiRequest) -> Result<ApiResponse> {
    let number = request.path_number("IDKey", sentence!("thing.media_record"))?;
    let key =
        i32::try_from(number).map_err(|_| ApiError::not_found(sentence!("thing.media_record")))?;
    let query = request.query()?;
    let kind = query
        .text("type", TYPE_CHARACTERS)?
        .ok_or_else(|| ApiError::missing_parameter("type", sentence!("allowed.media")))?;
    let part = user.shop(&app).media_part(key, kind).await?;
    match &part.content {
        MediaContent::Text(text) => text_answer(&part, text.as_bytes(), &request),
        MediaContent::Body {
            hash,
            length,
            file_type,
        } => {
            let (hash, length) = (*hash, *length);
            let body = StoredBody { hash, length };
            body_answer(&app, &part, body, *file_type, &request).await
        }
    }
}

fn text_answer(part: &MediaPart, text: &[u8], request: &ApiRequest) -> Result<ApiResponse> {
    let head = FileHead {
        file_type: FileType {
            media_type: TEXT_TYPE,
            inline: true,
            active: false,
        },
        tag: BodyHash::new(Sha256::digest(text).into()).to_string(),
        modified: part.changed_at,
        name: part.file_name.to_string(),
        length: u64::try_from(text.len()).unwrap_or(u64::MAX),
    };
    let wanted = head.wanted(request.method(), request.headers())?;
    let position = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    let bytes = match &wanted {
        WantedPart::Whole => text,
        WantedPart::Part(range) => text
            .get(position(range.start)..position(range.end))
            .unwrap_or_default(),
        WantedPart::Nothing => &[],
    };
    let body = ResBody::Once(bytes.to_vec().into());
    Ok(head.answer(&wanted, request.method(), body))
}

async fn body_answer(
    app: &Shared,
    part: &MediaPart,
    body: StoredBody,
    file_type: FileType,
    request: &ApiRequest,
) -> Result<ApiResponse> {
    let head = FileHead {
        file_type,
        tag: body.hash.to_string(),
        modified: part.changed_at,
        name: part.file_name.to_string(),
        length: body.length,
    };
    // A lost or damaged file is reported as 404; the log names the file to restore.
    let lost = |reason: &str| {
        let cause = format!("media record {}: the body {} {reason}", part.key, body.hash);
        ApiError::not_found(sentence!("thing.media_file")).with_cause(cause)
    };
    let wanted = head.wanted(request.method(), request.headers())?;
    // A whole file is verified against its hash while it is sent. A range or HEAD cannot be verified that way, so the
    // whole file is read and verified first.
    let in_part = request.method() == Method::HEAD || matches!(wanted, WantedPart::Part(_));
    let opened = blocking(&app.bodies, move |bodies| {
        let opened = if in_part {
            bodies.open_proved(body.hash, body.length)
        } else {
            bodies.open(body.hash, body.length)
        };
        match opened {
            Err(error) if error.kind() == ErrorKind::InvalidData => Ok(Err(error)),
            opened => Ok(Ok(opened?)),
        }
    });
    let file = match opened.await? {
        Ok(Some(file)) => file,
        Ok(None) => return Err(lost("is missing or cut")),
        Err(error) => return Err(lost(&format!("cannot be read: {error}"))),
    };
    let range = match &wanted {
        _ if request.method() == Method::HEAD => None,
        WantedPart::Nothing => None,
        WantedPart::Part(range) => Some(range.clone()),
        WantedPart::Whole => Some(0..body.length),
    };
    let content = match range {
        None => ResBody::None,
        Some(range) => ResBody::stream(begin(file, body, range, lost).await?.into_stream()),
    };
    Ok(head.answer(&wanted, request.method(), content))
}

/// Begins to read a file; `lost` is the error for one that is damaged, with the reason.
pub(super) async fn begin(
    file: OpenBody,
    body: StoredBody,
    range: Range<u64>,
    lost: impl Fn(&str) -> ApiError,
) -> Result<BodyReader> {
    let reader = BodyReader::begin(file, body, range).await;
    reader.map_err(|error| {
        if is_unreachable(&error) {
            unavailable(&error)
        } else {
            lost(&format!("cannot be read: {error}"))
        }
    })
}

/// Runs file operations on a blocking thread, so that they do not delay other requests.
pub(super) async fn blocking<T: Send + 'static>(
    bodies: &Arc<Bodies>,
    work: impl FnOnce(&Bodies) -> Result<T, BodyError> + Send + 'static,
) -> Result<T> {
    let bodies = Arc::clone(bodies);
    let done = tokio::task::spawn_blocking(move || work(&bodies)).await;
    match done {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(BodyError::Empty)) => Err(ApiError::malformed(sentence!("body.no_file"))),
        Ok(Err(BodyError::TooLong(limit))) => Err(ApiError::too_large(limit)),
        Ok(Err(BodyError::Io(error))) => Err(unavailable(&error)),
        Err(error) => Err(ApiError::internal(error)),
    }
}

/// 503; the cause is written to the log only.
fn unavailable(error: &io::Error) -> ApiError {
    ApiError::unavailable(format!("the media files: {error}"))
}
