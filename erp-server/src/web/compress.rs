//! Compression of responses for clients that accept it.
//!
//! A compressor holds hundreds of kilobytes, and one that waits for a slow client would hold them for the whole
//! transfer. So bodies that are in memory anyway are compressed completely first, and static bodies only once, which then is worth more time.

use std::sync::Arc;

use http_body_util::BodyExt as _;
use salvo::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use salvo::http::mime::{self, Mime};
use salvo::http::{HeaderValue, Method, ResBody};
use salvo::hyper::body::Bytes;
use salvo::{Depot, FlowCtrl, Handler as _, Request, Response};
use salvo_compression::{Compression, CompressionLevel};

use super::error::{ApiError, Result};
use super::static_body::StaticBody;

/// Minimum size for compression; smaller responses fit in one packet anyway.
pub(super) const COMPRESSED_FROM_BYTES: usize = 1_024;

/// Compresses text, JSON and Wasm; PDF and images are already compressed.
pub(super) fn compression(level: CompressionLevel) -> Compression {
    let named = [mime::APPLICATION_JSON, mime::TEXT_STAR];
    let types: Vec<Mime> = named
        .into_iter()
        .chain("application/wasm".parse())
        .collect();
    Compression::new()
        .disable_all()
        .enable_gzip(level)
        .enable_brotli(level)
        .min_length(COMPRESSED_FROM_BYTES)
        .content_types(&types)
}

// rule: D-ANS-09
/// Compresses the response body if the request accepts it.
pub(super) async fn compress(
    compression: &Compression,
    req: &mut Request,
    depot: &mut Depot,
    res: &mut Response,
) -> Result<()> {
    let is_whole = matches!(res.body, ResBody::Once(_));
    if is_whole && let Some(body) = res.extensions.get::<Arc<StaticBody>>().cloned() {
        return compress_static(compression, &body, req, depot, res).await;
    }
    run(compression, req, depot, res).await;
    if is_whole && res.headers().contains_key(CONTENT_ENCODING) {
        let bytes = collect(res).await?;
        set(res, bytes);
    }
    Ok(())
}

async fn compress_static(
    compression: &Compression,
    body: &StaticBody,
    req: &mut Request,
    depot: &mut Depot,
    res: &mut Response,
) -> Result<()> {
    // Simulate `HEAD`: the library selects a content coding without creating a compressor.
    let plain = std::mem::take(&mut res.body);
    let method = std::mem::replace(req.method_mut(), Method::HEAD);
    run(compression, req, depot, res).await;
    *req.method_mut() = method;
    let headers = res.headers();
    let chosen = headers.get(CONTENT_ENCODING).cloned();
    let kept = chosen.and_then(|coding| Some((body.coded(&coding)?, coding)));
    let (Some((kept, coding)), Some(content_type)) = (kept, headers.get(CONTENT_TYPE).cloned())
    else {
        res.body(plain);
        return Ok(());
    };
    let known = kept.try_read().ok().and_then(|known| known.clone());
    let bytes = if let Some(known) = known {
        known
    } else if let Ok(mut kept) = kept.try_write() {
        let bytes = encode(body, content_type, coding).await?;
        kept.insert(bytes).clone()
    } else {
        // Another request compresses it.
        res.headers_mut().remove(CONTENT_ENCODING);
        body.plain().clone()
    };
    set(res, bytes);
    Ok(())
}

async fn encode(
    body: &StaticBody,
    content_type: HeaderValue,
    coding: HeaderValue,
) -> Result<Bytes> {
    let (mut req, mut res) = (Request::new(), Response::new());
    req.headers_mut().insert(ACCEPT_ENCODING, coding);
    res.headers_mut().insert(CONTENT_TYPE, content_type);
    res.body(ResBody::Once(body.plain().clone()));
    // Done once, so it may take its time; at the highest level, Brotli would take seconds for a Wasm file.
    let small = compression(CompressionLevel::Precise(6));
    run(&small, &mut req, &mut Depot::new(), &mut res).await;
    collect(&mut res).await
}

async fn run(compression: &Compression, req: &mut Request, depot: &mut Depot, res: &mut Response) {
    // Empty handler chain: the handler has already run, only the response is compressed.
    let mut ended = FlowCtrl::new(Vec::new());
    compression.handle(req, depot, res, &mut ended).await;
}

async fn collect(res: &mut Response) -> Result<Bytes> {
    let collected = std::mem::take(&mut res.body).collect().await;
    Ok(collected.map_err(ApiError::internal)?.to_bytes())
}

fn set(res: &mut Response, bytes: Bytes) {
    res.headers_mut()
        .insert(CONTENT_LENGTH, HeaderValue::from(bytes.len()));
    res.body(ResBody::Once(bytes));
}
