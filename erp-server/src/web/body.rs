//! Reads request bodies: size limit, declared charset, JSON.

use std::io;
use std::time::Duration;

use erp_core::json::{self, Json};
use erp_core::sentence::AsValue as _;
use futures_util::FutureExt as _;
use http_body_util::BodyExt as _;
use salvo::http::header::{
    ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, EXPECT,
};
use salvo::http::{HeaderMap, HeaderValue, ReqBody};
use salvo::hyper::body::{Bytes, Frame};

use super::charset::{self, Charset};
use super::error::{ApiError, Result, shorten};
use super::permits::{ConcurrencyPermit, MemoryPermit};

/// Maximum bytes of a rejected body to read and discard before the error is sent. If the server closes while the
/// client is still writing, the client sees a broken connection instead of the error; larger bodies get that.
const DISCARDED_BYTES: u64 = 16 * 1024 * 1024;

const DISCARDED_FOR: Duration = Duration::from_secs(5);

/// Memory of a request that waits for its body: its head, and what it is carried out with.
const WAITING_BYTES: usize = 48 * 1024;

/// A request body being received. It releases the request's concurrency permit from the first wait until the body is
/// complete.
#[derive(Debug)]
pub(super) struct Arriving {
    body: ReqBody,
    place: ConcurrencyPermit,
    memory: MemoryPermit,
}

impl Arriving {
    pub(super) const fn new(body: ReqBody, place: ConcurrencyPermit, memory: MemoryPermit) -> Self {
        Self {
            body,
            place,
            memory,
        }
    }

    fn grow_to(&mut self, bytes: usize) -> Result<()> {
        if self.memory.grow_to(bytes) {
            Ok(())
        } else {
            Err(ApiError::unavailable("too much memory is used by bodies"))
        }
    }

    /// Takes the body out, unread or partly read.
    pub(super) const fn take(&mut self) -> ReqBody {
        std::mem::replace(&mut self.body, ReqBody::None)
    }

    async fn next_frame(&mut self) -> Result<Option<io::Result<Frame<Bytes>>>> {
        // Fast path: most bodies arrive together with their heads.
        let frame = match self.body.frame().now_or_never() {
            Some(frame) => frame,
            None => {
                self.grow_to(WAITING_BYTES)?;
                self.place.leave();
                self.body.frame().await
            }
        };
        // A partial body cannot be processed yet, so do not occupy a permit for it.
        if self.place.is_left() && !matches!(frame, Some(Ok(_))) {
            self.place.enter().await;
        }
        match frame {
            Some(Err(error)) if is_too_slow(&error) => Err(ApiError::request_timeout()),
            frame => Ok(frame),
        }
    }
}

/// Whether the client sent its body too slowly, as [`erp_net::RequestBody`] reports it.
fn is_too_slow(error: &io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    inner.is_some_and(|inner: &io::Error| inner.kind() == io::ErrorKind::TimedOut)
}

/// Reads a JSON body of at most `limit` bytes; `None` for an empty one.
/// Errors: 408, 413, 415, 503 when the memory budget for bodies is exhausted, or 400 with the position of the syntax error.
pub(super) async fn json(
    headers: &HeaderMap,
    body: &mut Arriving,
    limit: u64,
) -> Result<Option<Json>> {
    let charset = json_charset(headers, body).await?;
    let bytes = bytes(headers, body, limit).await?;
    let text = charset.decode(&bytes)?;
    if text.trim_ascii().is_empty() {
        return Ok(None);
    }
    json::read(&text)
        .map(Some)
        .map_err(|error| not_json(&error))
}

/// Reads the bytes of a JSON body without parsing them. `reserve` is called with the body length so far; its error
/// stops the reading.
/// Errors: 408, 413, 415, 400 for an empty body, and errors of `reserve`.
pub(super) async fn json_bytes(
    headers: &HeaderMap,
    body: &mut Arriving,
    limit: u64,
    mut reserve: impl FnMut(usize) -> Result<()> + Send,
) -> Result<(Charset, Vec<u8>)> {
    let charset = json_charset(headers, body).await?;
    let bytes = collect(headers, body, limit, |_, length| reserve(length)).await?;
    match bytes.trim_ascii() {
        [] => Err(empty()),
        _ => Ok((charset, bytes)),
    }
}

async fn json_charset(headers: &HeaderMap, body: &mut Arriving) -> Result<Charset> {
    let content_type = headers.get(CONTENT_TYPE).map(|value| value.as_bytes());
    match charset::of_json(content_type) {
        Ok(charset) => Ok(charset),
        Err(error) => Err(refuse(headers, body, error).await),
    }
}

pub(super) fn empty() -> ApiError {
    ApiError::malformed(sentence!("body.empty"))
}

/// Reads a body of at most `limit` bytes, of any type.
/// Errors: 408, 413, 415 for a compressed body, 503 when the memory budget for bodies is exhausted, or 400 when the body is
/// incomplete.
pub(super) async fn bytes(headers: &HeaderMap, body: &mut Arriving, limit: u64) -> Result<Vec<u8>> {
    collect(headers, body, limit, Arriving::grow_to).await
}

async fn collect(
    headers: &HeaderMap,
    body: &mut Arriving,
    limit: u64,
    mut reserve: impl FnMut(&mut Arriving, usize) -> Result<()> + Send,
) -> Result<Vec<u8>> {
    let declared = headers
        .get(CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok());
    let declared: Option<u64> = declared.and_then(|length| length.parse().ok());
    let checked = check_encoding(headers).and_then(|()| match declared {
        Some(length) if length > limit => Err(ApiError::too_large(limit)),
        _ => Ok(()),
    });
    if let Err(error) = checked {
        return Err(refuse(headers, body, error).await);
    }
    // No more at first, because a declared length must not cost memory.
    let capacity = declared.unwrap_or(0).min(64 * 1024);
    let mut collected = Vec::with_capacity(usize::try_from(capacity).unwrap_or(0));
    while let Some(piece) = next_piece(body).await? {
        let length = collected.len().saturating_add(piece.len());
        if u64::try_from(length).unwrap_or(u64::MAX) > limit {
            drop(collected);
            return Err(refuse(headers, body, ApiError::too_large(limit)).await);
        }
        if let Err(error) = reserve(body, length) {
            drop(collected);
            return Err(refuse(headers, body, error).await);
        }
        collected.extend_from_slice(&piece);
    }
    Ok(collected)
}

/// Discards the rest of the body, so that the client can finish writing, unless it waits for `100 Continue` or too many
/// others wait.
pub(super) async fn refuse(headers: &HeaderMap, body: &mut Arriving, error: ApiError) -> ApiError {
    body.memory.release();
    if !headers.contains_key(EXPECT) && body.grow_to(WAITING_BYTES).is_ok() {
        body.place.leave();
        discard(&mut body.body).await;
        body.place.enter().await;
    }
    error
}

pub(super) fn check_encoding(headers: &HeaderMap) -> Result<()> {
    let Some(coding) = headers.get(CONTENT_ENCODING) else {
        return Ok(());
    };
    let coding = String::from_utf8_lossy(coding.as_bytes());
    if coding.trim().is_empty() || coding.trim().eq_ignore_ascii_case("identity") {
        return Ok(());
    }
    let text = sentence!("body.coding", coding = shorten(&coding, 40));
    let identity = HeaderValue::from_static("identity");
    Err(ApiError::unsupported_media_type(text).with_header(ACCEPT_ENCODING, identity))
}

pub(super) async fn next_piece(body: &mut Arriving) -> Result<Option<Bytes>> {
    loop {
        match body.next_frame().await? {
            None => return Ok(None),
            Some(Err(_)) => return Err(ApiError::malformed(sentence!("body.broken"))),
            Some(Ok(frame)) => {
                // Skip trailers; they are not part of the body.
                if let Ok(piece) = frame.into_data() {
                    return Ok(Some(piece));
                }
            }
        }
    }
}

/// Reads and discards the rest of a body, within [`DISCARDED_BYTES`] and [`DISCARDED_FOR`].
pub(super) async fn discard(body: &mut ReqBody) {
    let reading = async {
        let mut left = DISCARDED_BYTES;
        while let Some(Ok(frame)) = body.frame().await {
            let length = frame.data_ref().map_or(0, Bytes::len);
            let length = u64::try_from(length).unwrap_or(u64::MAX);
            match left.checked_sub(length) {
                Some(rest) => left = rest,
                None => break,
            }
        }
    };
    let _ = tokio::time::timeout(DISCARDED_FOR, reading).await;
}

/// 400 with line and column of the syntax error.
pub fn not_json(error: &serde_json::Error) -> ApiError {
    let (line, column) = (error.line(), error.column());
    let full = error.to_string();
    let place = format!(" at line {line} column {column}");
    let what = full.strip_suffix(place.as_str()).unwrap_or(&full);
    let what = match what {
        _ if error.is_eof() => sentence!("body.too_early"),
        "trailing characters" => sentence!("body.trailing"),
        "recursion limit exceeded" => sentence!("body.nested"),
        other => shorten(other, 200).as_value(),
    };
    ApiError::malformed(sentence!("body.not_json", what, line, column))
        .with_info("line", line)
        .with_info("column", column)
}

#[cfg(test)]
mod tests {
    use erp_core::sentence::Locale;
    use std::sync::Arc;

    use futures_util::StreamExt as _;
    use http_body_util::StreamBody;
    use salvo::Response;
    use tokio::sync::Semaphore;

    use super::super::permits::MemoryBudget;
    use super::*;

    fn headers(list: &[(&'static str, &'static str)]) -> HeaderMap {
        list.iter()
            .map(|(name, value)| ((*name).parse().unwrap(), HeaderValue::from_static(value)))
            .collect()
    }

    fn arriving(body: ReqBody, budget: &MemoryBudget) -> Arriving {
        let place = ConcurrencyPermit::take(&Arc::new(Semaphore::new(1))).unwrap();
        Arriving::new(body, place, budget.permit())
    }

    async fn json_of(headers: &HeaderMap, body: Vec<u8>, limit: u64) -> Result<Option<Json>> {
        let mut arriving = arriving(body.into(), &MemoryBudget::new(1 << 20));
        json(headers, &mut arriving, limit).await
    }

    async fn read(list: &[(&'static str, &'static str)], body: &[u8]) -> Result<Json, String> {
        let read = json_of(&headers(list), body.to_vec(), 64).await;
        read.and_then(|body| body.ok_or_else(empty))
            .map_err(|error| {
                format!(
                    "{} {}",
                    error.status().as_u16(),
                    String::from_utf8(error.to_bytes(Locale::English)).unwrap()
                )
            })
    }

    // rule: D-REQ-01
    #[tokio::test]
    async fn a_body_is_read_in_its_charset() {
        let latin = [("content-type", "application/json; charset=ISO-8859-1")];
        assert_eq!(read(&latin, b"\"\xe4\"").await.unwrap(), Json::from("ä"));
        assert_eq!(read(&[], b"\"\xc3\xa4\"").await.unwrap(), Json::from("ä"));
        assert_eq!(
            read(&[], b"\xef\xbb\xbf{}").await.unwrap(),
            Json::from(serde_json::json!({}))
        );
        assert!(read(&[], b"\"\xe4\"").await.unwrap_err().starts_with("400"));
        assert!(
            read(&[("content-type", "text/xml")], b"{}")
                .await
                .unwrap_err()
                .starts_with("415")
        );
        assert!(
            read(&[("content-encoding", "gzip")], b"{}")
                .await
                .unwrap_err()
                .starts_with("415")
        );
        let mut res = Response::new();
        let coded = check_encoding(&headers(&[("content-encoding", "br")]));
        coded.unwrap_err().render_into(&mut res);
        assert_eq!(res.headers()[ACCEPT_ENCODING], "identity");
        assert!(
            read(&[("content-encoding", "Identity")], b"{}")
                .await
                .is_ok()
        );
    }

    #[tokio::test]
    async fn mistakes_are_reported_with_their_position() {
        for (body, sentence) in [
            ("", "a JSON body is needed, but it is empty"),
            (" \n", "a JSON body is needed, but it is empty"),
            (
                "{\"a\":",
                "not valid JSON: it ends too early (line 1, column 5)",
            ),
            (
                "{}\n x",
                "not valid JSON: there is text after its end (line 2, column 2)",
            ),
            (
                "{a:1}",
                "not valid JSON: key must be a string (line 1, column 2)",
            ),
            (
                "{\"a\":1,\"a\":2}",
                "not valid JSON: the member `a` is given twice (line 1, column 10)",
            ),
        ] {
            let refusal = read(&[], body.as_bytes()).await.unwrap_err();
            assert!(
                refusal.starts_with("400 {\"error\":\"malformed\""),
                "{refusal}"
            );
            assert!(refusal.contains(sentence), "{refusal}");
        }
        let deep = "[".repeat(20_000).into_bytes();
        let deep = json_of(&HeaderMap::new(), deep, 1 << 20).await;
        assert_eq!(deep.unwrap_err().status(), 400);
    }

    // rule: D-LIM-05
    #[tokio::test]
    async fn requests_that_wait_for_their_bodies_share_a_limited_memory() {
        let budget = MemoryBudget::new(2 * 48 * 1024);
        let wait = |headers: HeaderMap| {
            let inner = Box::pin(StreamBody::new(futures_util::stream::pending()));
            let fuse_config = None;
            let body = ReqBody::Boxed { inner, fuse_config };
            let mut arriving = arriving(body, &budget);
            async move { json(&headers, &mut arriving, 64).await }
        };
        let refused = || headers(&[("content-length", "65")]);
        let mut first = Box::pin(wait(HeaderMap::new()));
        assert!(futures_util::poll!(&mut first).is_pending());
        let mut second = Box::pin(wait(refused()));
        assert!(futures_util::poll!(&mut second).is_pending());
        let status = async |headers| wait(headers).await.unwrap_err().status().as_u16();
        assert_eq!(status(HeaderMap::new()).await, 503);
        assert_eq!(status(refused()).await, 413);
        drop(first);
        let mut third = Box::pin(wait(HeaderMap::new()));
        assert!(futures_util::poll!(&mut third).is_pending());
    }

    #[tokio::test]
    async fn a_body_that_is_refused_gives_back_its_memory() {
        const PIECE: usize = 64 * 1024;
        let budget = MemoryBudget::new(112 * 1024);
        let piece = || Ok(Frame::data(Bytes::from(vec![b' '; PIECE])));
        let pieces = futures_util::stream::iter([piece(), piece()]);
        let inner = Box::pin(StreamBody::new(
            pieces.chain(futures_util::stream::pending()),
        ));
        let fuse_config = None;
        let body = ReqBody::Boxed { inner, fuse_config };
        let (headers, mut long) = (HeaderMap::new(), arriving(body, &budget));
        let mut refused = Box::pin(json(&headers, &mut long, 100 * 1024));
        assert!(futures_util::poll!(&mut refused).is_pending());
        let mut other = budget.permit();
        assert!(other.grow_to(PIECE));
        assert!(!budget.permit().grow_to(1));
    }

    // rule: R-LIM-01
    #[tokio::test]
    async fn a_byte_too_many_is_refused_whatever_the_length_says() {
        let fits = format!("\"{}\"", "x".repeat(62));
        let long = format!("\"{}\"", "x".repeat(63));
        assert!(read(&[], fits.as_bytes()).await.is_ok());
        for list in [
            &[][..],
            &[("content-length", "3")],
            &[("content-length", "65")],
        ] {
            let refusal = read(list, long.as_bytes()).await.unwrap_err();
            assert_eq!(
                refusal,
                r#"413 {"error":"too_large","error_description":"the body is longer than the 64 bytes allowed here","info":{"limit":64}}"#
            );
        }
    }
}
