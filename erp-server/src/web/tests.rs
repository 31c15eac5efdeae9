//! Tests of the HTTP layer from the client side: bytes and headers of every error path.

use std::borrow::Cow;
use std::io::Read;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use http_body_util::BodyExt as _;
use salvo::conn::{ConnCtrl, SocketAddr};
use salvo::http::header::{
    ACCEPT_ENCODING, ALLOW, AUTHORIZATION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG,
    HOST, LOCATION, RETRY_AFTER, VARY, WWW_AUTHENTICATE,
};
use salvo::http::uri::Scheme;
use salvo::http::{HeaderMap, Method, ReqBody};
use salvo::hyper::http::request::Builder;
use salvo::{Depot, Response, Service};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::*;
use crate::config::Settings;

struct TestShop {
    http_state: Arc<HttpState>,
}

#[derive(Clone)]
struct TestUser(&'static str);

impl Caller for TestUser {
    fn name(&self) -> Cow<'_, str> {
        self.0.into()
    }

    fn is_user(&self) -> bool {
        !self.0.contains(':')
    }
}

impl Application for TestShop {
    type User = TestUser;

    fn http_state(&self) -> &Arc<HttpState> {
        &self.http_state
    }

    async fn user_of(&self, token: SecretString) -> Result<Option<TestUser>, ApiError> {
        Ok(match token.expose_secret() {
            "good" => Some(TestUser("shop1")),
            "page" => Some(TestUser("shop1:10001")),
            _ => None,
        })
    }
}

async fn list(_: Arc<TestShop>, _: TestUser, request: ApiRequest) -> Result<ApiResponse, ApiError> {
    let query = request.query()?;
    let limit = query.number("limit", 0, 1_000)?.unwrap_or(200);
    let next = format!(
        "{}{}{}",
        request.base()?,
        request.uri().path(),
        query.with(&[("limit", "7")])
    );
    let data: Vec<_> = (0..limit)
        .map(|number| serde_json::json!({"ArtNr": number}))
        .collect();
    Ok(ApiResponse::json(&serde_json::json!({"data": data}))?.links([("next", next.as_str())]))
}

async fn create(
    _: Arc<TestShop>,
    _: TestUser,
    mut request: ApiRequest,
) -> Result<ApiResponse, ApiError> {
    ApiResponse::created(&serde_json::json!({"data": request.json().await?}))
}

async fn read(_: Arc<TestShop>, _: TestUser, request: ApiRequest) -> Result<ApiResponse, ApiError> {
    if request
        .if_match()?
        .is_some_and(|revisions| !revisions.contains(&7))
    {
        return Err(ApiError::precondition_failed());
    }
    Ok(ApiResponse::json(&request.path("ArtNr"))?.etag(7))
}

async fn panics(_: Arc<TestShop>, _: TestUser, _: ApiRequest) -> Result<ApiResponse, ApiError> {
    panic!("secret of the house")
}

async fn hangs(_: Arc<TestShop>, _: TestUser, _: ApiRequest) -> Result<ApiResponse, ApiError> {
    std::future::pending().await
}

async fn token(_: Arc<TestShop>, request: ApiRequest) -> Result<ApiResponse, ApiError> {
    request.basic()?;
    Ok(ApiResponse::no_content())
}

async fn health(_: Arc<TestShop>, _: ApiRequest) -> Result<ApiResponse, ApiError> {
    ApiResponse::json(&serde_json::json!({"data": {"status": "ok"}}))
}

async fn fixed(_: Arc<TestShop>, _: ApiRequest) -> Result<ApiResponse, ApiError> {
    static BODY: LazyLock<Arc<StaticBody>> =
        LazyLock::new(|| StaticBody::new(b"[1,2,3]".repeat(1_000)));
    Ok(ApiResponse::shared(JSON, Arc::clone(&BODY)))
}

async fn xml(_: Arc<TestShop>, _: TestUser, _: ApiRequest) -> Result<ApiResponse, ApiError> {
    let xml = HeaderValue::from_static("application/xml");
    Ok(ApiResponse::bytes(xml, b"<a/>".repeat(750)))
}

async fn stream(
    _: Arc<TestShop>,
    _: TestUser,
    request: ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let breaks = request.query()?.text("break", 1)?.is_some();
    Ok(ApiResponse::stream(JSON, move |mut chunks| async move {
        for number in 0..20_000 {
            chunks.buffer().extend(format!("{number},").bytes());
            chunks.send_full().await?;
        }
        if breaks {
            return Err(ApiError::internal("half way").into());
        }
        Ok(chunks)
    }))
}

fn shop(change: impl FnOnce(&mut WebOptions)) -> (Service, WebOptions) {
    let mut options = Settings::defaults().unwrap().web_options();
    options.limits.json_body_bytes = 1_024;
    change(&mut options);
    let http_state = HttpState::new(options.clone());
    let routes = Routes::default()
        .at(
            "/www/artikel",
            Resource::default()
                .by(Method::GET, list)
                .by(Method::POST, create),
        )
        .at(
            "/www/artikel/{ArtNr}",
            Resource::default()
                .by(Method::GET, read)
                .by(Method::PATCH, read),
        )
        .at("/www/token", Resource::default().open(Method::POST, token))
        .at("/health", Resource::default().open(Method::GET, health))
        .at("/static", Resource::default().open(Method::GET, fixed))
        .at("/xml", Resource::default().by(Method::GET, xml))
        .at("/panic", Resource::default().by(Method::GET, panics))
        .at(
            "/hang",
            Resource::default()
                .by(Method::GET, hangs)
                .by(Method::POST, hangs)
                .timed_by(|_| Duration::from_millis(1)),
        )
        .at(
            "/look",
            Resource::default()
                .by(Method::POST, hangs)
                .timed_by(|_| Duration::from_millis(1))
                .only_reads(),
        )
        .at("/stream", Resource::default().by(Method::GET, stream));
    (service(&Arc::new(TestShop { http_state }), routes), options)
}

/// Status, headers and body of a response.
struct Got {
    status: u16,
    headers: HeaderMap,
    body: String,
}

impl Got {
    fn header(&self, name: impl salvo::http::header::AsHeaderName) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }
}

/// A request without a token.
fn plain(method: &str, path: &str) -> Builder {
    salvo::hyper::Request::builder()
        .method(method)
        .uri(format!("http://127.0.0.1{path}"))
        .header(HOST, "shop.example:8080")
}

fn request(method: &str, path: &str) -> Builder {
    plain(method, path).header(AUTHORIZATION, "Bearer good")
}

async fn send(service: &Service, request: Builder) -> Got {
    send_with(service, request, ReqBody::None).await
}

/// Response of the service, before it is written to a socket.
async fn answer_of(service: &Service, request: Builder, body: impl Into<ReqBody>) -> Response {
    let request = request.body(body.into()).unwrap();
    let request = salvo::Request::from_hyper(request, Scheme::HTTP);
    let (here, there) = (SocketAddr::Unknown, SocketAddr::Unknown);
    service
        .hyper_handler(here, there, Scheme::HTTP, None, ConnCtrl::new(), None)
        .handle(request)
        .await
}

async fn send_with(service: &Service, request: Builder, body: impl Into<ReqBody>) -> Got {
    let mut res = answer_of(service, request, body).await;
    let body = res.take_body().collect().await.unwrap().to_bytes();
    let headers = res.headers().clone();
    let coding = headers
        .get(CONTENT_ENCODING)
        .map(|coding| coding.to_str().unwrap());
    Got {
        status: res.status_code.unwrap().as_u16(),
        body: unpacked(coding, &body),
        headers,
    }
}

fn unpacked(coding: Option<&str>, body: &[u8]) -> String {
    let mut reader: Box<dyn Read + '_> = match coding {
        None => Box::new(body),
        Some("gzip") => Box::new(flate2::read::GzDecoder::new(body)),
        Some("br") => Box::new(brotli_decompressor::Decompressor::new(body, 4096)),
        Some(other) => panic!("coding {other}"),
    };
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    text
}

async fn get(path: &str) -> Got {
    send(&shop(|_| {}).0, request("GET", path)).await
}

#[track_caller]
fn assert_error(got: &Got, status: u16, body: &str) {
    assert_eq!((got.status, got.body.as_str()), (status, body));
    assert_eq!(
        got.header(CONTENT_TYPE),
        "application/json; charset=iso-8859-1"
    );
    assert_eq!(got.header("cache-control"), "no-store");
    assert_eq!(got.header("api-version"), "1.0");
    assert_eq!(got.header("x-request-id").len(), 32);
    assert_eq!(got.header(CONTENT_LENGTH), body.len().to_string());
}

// rule: R-CON-02, R-VER-01
#[tokio::test]
async fn an_answer_carries_the_common_headers() {
    let got = get("/www/artikel?limit=1").await;
    assert_error(&got, 200, r#"{"data":[{"ArtNr":0}]}"#);
    assert_eq!(
        got.header("link"),
        r#"<http://127.0.0.1/www/artikel?limit=7>; rel="next""#
    );
    assert_eq!(got.header("ratelimit-policy"), "\"user\";q=600;w=60");
    assert_eq!(got.header("ratelimit"), "\"user\";r=99;t=1");
    let named = request("GET", "/health").header("x-request-id", "my-1");
    assert_eq!(
        send(&shop(|_| {}).0, named).await.header("x-request-id"),
        "my-1"
    );
}

// rule: R-ERR-01
#[tokio::test]
async fn unknown_routes_are_404() {
    let body = r#"{"error":"not_found","error_description":"there is no such path","info":{}}"#;
    for (method, path) in [
        ("GET", "/"),
        ("GET", "/www"),
        ("POST", "/www/artikel/1/2"),
        ("OPTIONS", "/x"),
        ("BREW", "/y"),
    ] {
        let got = send(&shop(|_| {}).0, request(method, path)).await;
        assert_error(&got, 404, body);
    }
    let head = send(&shop(|_| {}).0, request("HEAD", "/x")).await;
    assert_eq!((head.status, head.body.as_str()), (404, ""));
    assert_eq!(head.header(CONTENT_LENGTH), body.len().to_string());
}

// rule: R-ERR-01
#[tokio::test]
async fn wrong_methods_are_405_and_name_the_right_ones() {
    let service = shop(|_| {}).0;
    for method in ["DELETE", "PUT", "PATCH", "TRACE", "BREW"] {
        let got = send(&service, request(method, "/www/artikel")).await;
        assert_error(
            &got,
            405,
            r#"{"error":"method_not_allowed","error_description":"this path only knows GET, HEAD, OPTIONS, POST","info":{}}"#,
        );
        assert_eq!(got.header(ALLOW), "GET, HEAD, OPTIONS, POST");
    }
    let got = send(&service, request("GET", "/www/token")).await;
    assert_eq!((got.status, got.header(ALLOW)), (405, "OPTIONS, POST"));
    let got = send(&service, request("HEAD", "/www/token")).await;
    assert_eq!(
        (got.status, got.header(ALLOW), got.body.as_str()),
        (405, "OPTIONS, POST", "")
    );
}

// rule: D-REQ-16, R-AUT-04
#[tokio::test]
async fn options_need_no_token_and_head_follows_get() {
    let service = shop(|_| {}).0;
    let options = send(&service, plain("OPTIONS", "/www/artikel/4711")).await;
    assert_eq!((options.status, options.body.as_str()), (204, ""));
    assert_eq!(options.header(ALLOW), "GET, HEAD, OPTIONS, PATCH");
    assert_eq!(options.header(CONTENT_TYPE), "");
    let head = send(&service, request("HEAD", "/www/artikel?limit=1")).await;
    assert_eq!(
        (head.status, head.body.as_str(), head.header(CONTENT_LENGTH)),
        (200, "", "22")
    );
    assert_eq!(
        send(&service, request("GET", "/www/artikel/")).await.status,
        200
    );
}

// rule: R-AUT-04, R-AUT-05
#[tokio::test]
async fn tokens_are_asked_for() {
    let service = shop(|_| {}).0;
    let got = send(&service, plain("GET", "/www/artikel")).await;
    assert_error(
        &got,
        401,
        r#"{"error":"invalid_token","error_description":"this endpoint needs a bearer token; get one with `POST /www/token`","info":{}}"#,
    );
    assert_eq!(got.header(WWW_AUTHENTICATE), r#"Bearer realm="erp""#);
    let got = send(
        &service,
        plain("GET", "/www/artikel").header(AUTHORIZATION, "Bearer bad"),
    )
    .await;
    assert_error(
        &got,
        401,
        r#"{"error":"invalid_token","error_description":"the bearer token is unknown or expired; get a new one with `POST /www/token`","info":{}}"#,
    );
    assert_eq!(
        got.header(WWW_AUTHENTICATE),
        r#"Bearer realm="erp", error="invalid_token""#
    );
    let got = send(&service, plain("POST", "/www/token")).await;
    assert_eq!(
        (got.status, got.header(WWW_AUTHENTICATE)),
        (401, r#"Basic realm="erp", charset="UTF-8""#)
    );
    let got = send(
        &service,
        plain("POST", "/www/token").header(AUTHORIZATION, "Basic YTpi"),
    )
    .await;
    assert_eq!(got.status, 204);
}

// rule: D-ERR-08
#[tokio::test]
async fn a_panic_stays_inside() {
    let got = get("/panic").await;
    let body = r#"{"error":"internal","error_description":"the server made a mistake; the request id finds it in the log","info":{}}"#;
    assert_error(&got, 500, body);
}

// rule: D-ERR-09
#[tokio::test]
async fn slow_and_surplus_requests_are_503() {
    let busy = r#"{"error":"unavailable","error_description":"the server is busy; try again in 1 s","info":{}}"#;
    let got = get("/hang").await;
    assert_error(&got, 503, busy);
    let got = send(&shop(|_| {}).0, request("POST", "/look")).await;
    assert_error(&got, 503, busy);
    // When a write exceeds the time limit, its outcome is unknown.
    let got = send(&shop(|_| {}).0, request("POST", "/hang")).await;
    let unknown = r#"{"error":"unavailable","error_description":"the change may have been made or not; send the request again with the same `Idempotency-Key`, or look before you send it again without one","info":{"outcome":"unknown"}}"#;
    assert_error(&got, 503, unknown);
    assert_eq!(got.header(RETRY_AFTER), "1");
    let service = shop(|options| options.limits.max_requests = 0).0;
    let got = send(&service, request("GET", "/health")).await;
    assert_error(&got, 503, busy);
    assert_eq!(got.header(RETRY_AFTER), "1");
}

// rule: R-LIM-04
#[tokio::test]
async fn too_many_requests_of_a_user_are_429() {
    let service = shop(|options| {
        (
            options.rates.requests_burst,
            options.rates.requests_per_minute,
        ) = (1, 1)
    })
    .0;
    assert_eq!(
        send(&service, request("GET", "/www/artikel/1"))
            .await
            .status,
        200
    );
    let got = send(&service, request("GET", "/www/artikel/1")).await;
    assert_eq!(got.status, 429);
    assert!(got.header(RETRY_AFTER).parse::<u64>().unwrap() <= 60);
    assert!(got.body.starts_with(r#"{"error":"too_many_requests","#));
    assert_eq!(send(&service, request("GET", "/health")).await.status, 200);
}

// rule: R-LIM-01
#[tokio::test]
async fn long_addresses_and_headers_are_refused() {
    let got = get(&format!("/www/artikel?x={}", "a".repeat(8_192))).await;
    assert_error(
        &got,
        414,
        r#"{"error":"uri_too_long","error_description":"path and query are longer than the 8192 bytes allowed","info":{"limit":8192}}"#,
    );
    let long = request("GET", "/health").header("x-long", "a".repeat(16_384));
    let got = send(&shop(|_| {}).0, long).await;
    assert_error(
        &got,
        431,
        r#"{"error":"headers_too_large","error_description":"the header fields are longer than the 16384 bytes allowed","info":{"limit":16384}}"#,
    );
}

// rule: D-REQ-05
#[tokio::test]
async fn query_mistakes_are_named() {
    let got = get("/www/artikel?limit=-1").await;
    assert_error(
        &got,
        400,
        r#"{"error":"malformed","error_description":"`limit` must be a whole number from 0 to 1000, not `-1`","info":{"parameter":"limit"}}"#,
    );
}

// rule: D-REQ-03, D-REQ-16
#[tokio::test]
async fn path_places_are_decoded_from_the_raw_path() {
    for (path, text) in [
        ("/www/artikel/a%2Fb", r#""a/b""#),
        ("/www/artikel/%E4", r#""\u00e4""#),
        ("/www/artikel/%C3%A4", r#""\u00e4""#),
        ("//www//artikel//a+b/", r#""a+b""#),
        ("/%77ww/artikel/x%20y", r#""x y""#),
    ] {
        let got = get(path).await;
        assert_eq!((got.status, got.body.as_str()), (200, text), "{path}");
    }
}

// rule: D-RET-02, D-RET-03
#[tokio::test]
async fn entity_tags_guard_changes() {
    let service = shop(|_| {}).0;
    assert_eq!(
        send(&service, request("GET", "/www/artikel/1"))
            .await
            .header(ETAG),
        "\"r7\""
    );
    for (tag, status) in [
        ("\"r7\"", 200),
        ("W/\"r7\"", 200),
        ("\"r6\", \"r7\"", 200),
        ("*", 200),
        ("\"r6\"", 412),
        ("r7", 400),
    ] {
        let request = request("PATCH", "/www/artikel/1").header("if-match", tag);
        assert_eq!(send(&service, request).await.status, status, "{tag}");
    }
}

// rule: R-CON-03
#[tokio::test]
async fn bodies_are_created_digested_and_refused() {
    let service = shop(|_| {}).0;
    let post = |body: &'static [u8], kind: &str| {
        let request = request("POST", "/www/artikel").header(CONTENT_TYPE, kind);
        send_with(&service, request, body)
    };
    let got = post(b"\"\xfc\"", "application/json; charset=ISO-8859-1").await;
    assert_error(&got, 201, r#"{"data":"\u00fc"}"#);
    // printf '%s' '{"data":"\u00fc"}' | openssl md5 -binary | base64
    assert_eq!(got.header("content-md5"), "0s9qXqR6o5BiK9PQJ7LxJg==");
    let got = post(b"{", "application/json").await;
    assert_error(
        &got,
        400,
        r#"{"error":"malformed","error_description":"the body is not valid JSON: it ends too early (line 1, column 1)","info":{"column":1,"line":1}}"#,
    );
    let got = post(b"{}", "text/plain").await;
    assert_error(
        &got,
        415,
        r#"{"error":"unsupported_media_type","error_description":"a JSON body is `application/json`, not `text/plain`","info":{}}"#,
    );
    let got = post(&[b' '; 1_025], "application/json").await;
    assert_error(
        &got,
        413,
        r#"{"error":"too_large","error_description":"the body is longer than the 1024 bytes allowed here","info":{"limit":1024}}"#,
    );
}

// rule: D-ANS-09, R-CON-03
#[tokio::test]
async fn responses_are_compressed_when_it_pays() {
    let service = shop(|_| {}).0;
    let whole = send(&service, request("GET", "/www/artikel")).await;
    assert_eq!(
        (whole.header(CONTENT_ENCODING), whole.header(VARY)),
        ("", "accept-encoding")
    );
    // What is never compressed does not vary.
    let xml = send(&service, request("GET", "/xml")).await;
    assert_eq!((xml.body.len(), xml.header(VARY)), (3_000, ""));
    for coding in ["gzip", "br"] {
        let asked = |method, path| request(method, path).header(ACCEPT_ENCODING, coding);
        let got = send(&service, asked("GET", "/www/artikel")).await;
        assert_eq!(got.header(CONTENT_ENCODING), coding);
        // The body is compressed completely before sending, so its length is known.
        let length: usize = got.header(CONTENT_LENGTH).parse().unwrap();
        assert!(length < whole.body.len(), "{length}");
        assert_eq!(got.header(VARY), "accept-encoding");
        assert_eq!(got.body, whole.body);
        assert_eq!(
            send(&service, asked("GET", "/www/artikel?limit=1"))
                .await
                .header(CONTENT_ENCODING),
            ""
        );
        let streamed = send(&service, asked("GET", "/stream")).await;
        assert_eq!(streamed.header(CONTENT_ENCODING), coding);
        assert!(streamed.body.ends_with("19998,19999,"));
        let large = format!("\"{}\"", "x".repeat(1_000));
        let created = send_with(&service, asked("POST", "/www/artikel"), large).await;
        assert_eq!(
            (created.status, created.header(CONTENT_ENCODING)),
            (201, "")
        );
        assert_eq!(created.header("content-md5").len(), 24);
    }
}

#[tokio::test]
async fn no_header_names_the_library() {
    let got = get("/health").await;
    assert_eq!(got.body, r#"{"data":{"status":"ok"}}"#);
    for name in ["server", "x-powered-by", LOCATION.as_str()] {
        assert_eq!(got.header(name), "");
    }
}

/// Sends raw bytes over a socket and reads until the server closes.
async fn raw(pieces: &[&[u8]]) -> String {
    let (service, options) = shop(|options| options.listen = "127.0.0.1:0".parse().unwrap());
    let server = bind(&HttpState::new(options)).unwrap();
    let address = server.address().unwrap();
    let server = tokio::spawn(serve(server, service));
    let (mut reader, mut writer) = TcpStream::connect(address).await.unwrap().into_split();
    let write = async {
        for piece in pieces {
            // The server may respond and close before it has received all bytes.
            if writer.write_all(piece).await.is_err() {
                break;
            }
        }
    };
    let mut response = Vec::new();
    let read = reader.read_to_end(&mut response);
    let _ = tokio::join!(write, read);
    server.abort();
    String::from_utf8(response).unwrap()
}

const HEAD: &str = "Host: h\r\nAuthorization: Bearer good\r\nConnection: close\r\n";

// rule: R-LIM-01
#[tokio::test]
async fn a_length_that_lies_is_found_out() {
    let post = format!("POST /www/artikel HTTP/1.1\r\n{HEAD}");
    let declared = format!("{post}Content-Length: 20000000\r\n\r\n{{");
    let response = raw(&[declared.as_bytes(), &vec![b' '; 17 * 1024 * 1024]]).await;
    assert!(response.starts_with("HTTP/1.1 413"), "{response}");
    let chunked = format!("{post}Transfer-Encoding: chunked\r\n\r\n");
    let chunk = format!("400\r\n{}\r\n", " ".repeat(0x400));
    let response = raw(&[
        chunked.as_bytes(),
        chunk.repeat(10_000).as_bytes(),
        b"0\r\n\r\n",
    ])
    .await;
    assert!(response.starts_with("HTTP/1.1 413"), "{response}");
    assert!(
        response.ends_with(r#""info":{"limit":1024}}"#),
        "{response}"
    );
    let asks = format!("{post}Content-Length: 20000000\r\nExpect: 100-continue\r\n\r\n");
    let response = raw(&[asks.as_bytes()]).await;
    assert!(response.starts_with("HTTP/1.1 413"), "{response}");
    let short = format!("{post}Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n");
    assert!(raw(&[short.as_bytes()]).await.starts_with("HTTP/1.1 201"));
}

// rule: D-REQ-02
#[tokio::test]
async fn whoever_is_refused_unread_still_gets_the_answer() {
    let body = vec![b' '; 4 * 1024 * 1024];
    let length = format!("Content-Length: {}\r\n\r\n", body.len());
    for (head, status) in [
        (
            "POST /www/artikel HTTP/1.1\r\nHost: h\r\nConnection: close\r\n".to_owned(),
            401,
        ),
        (format!("POST /no/such HTTP/1.1\r\n{HEAD}"), 404),
        (format!("PUT /www/artikel HTTP/1.1\r\n{HEAD}"), 405),
        (
            format!("POST /www/artikel HTTP/1.1\r\n{HEAD}Content-Type: text/plain\r\n"),
            415,
        ),
        (
            format!("POST /www/artikel HTTP/1.1\r\n{HEAD}Content-Encoding: gzip\r\n"),
            415,
        ),
    ] {
        let response = raw(&[head.as_bytes(), length.as_bytes(), &body]).await;
        assert!(
            response.starts_with(&format!("HTTP/1.1 {status}")),
            "{response}"
        );
    }
}

// rule: R-ERR-01
#[tokio::test]
async fn long_heads_on_a_socket() {
    let uri = format!("GET /{} HTTP/1.1\r\n{HEAD}\r\n", "a".repeat(20_000));
    assert!(raw(&[uri.as_bytes()]).await.starts_with("HTTP/1.1 414"));
    let field = format!(
        "GET /health HTTP/1.1\r\n{HEAD}X-Long: {}\r\n\r\n",
        "a".repeat(24_000)
    );
    let response = raw(&[field.as_bytes()]).await;
    assert!(
        response.starts_with("HTTP/1.1 431") && response.ends_with(r#""info":{"limit":16384}}"#),
        "{response}"
    );
    // Invalid HTTP is rejected by hyper itself, without a body.
    let many = format!(
        "GET /health HTTP/1.1\r\n{HEAD}{}\r\n",
        "X: y\r\n".repeat(200)
    );
    assert!(raw(&[many.as_bytes()]).await.starts_with("HTTP/1.1 431"));
    assert!(
        raw(&[b"nonsense\r\n\r\n"])
            .await
            .starts_with("HTTP/1.1 400")
    );
}

#[tokio::test]
async fn hosts_are_checked_before_they_are_repeated() {
    let evil = "GET /www/artikel HTTP/1.1\r\nHost: a<b\r\nAuthorization: Bearer good\r\nConnection: close\r\n\r\n";
    assert!(raw(&[evil.as_bytes()]).await.starts_with("HTTP/1.1 400"));
    let good = format!("GET /www/artikel HTTP/1.1\r\n{HEAD}\r\n");
    let response = raw(&[good.as_bytes()]).await;
    assert!(
        response.contains("link: <http://h/www/artikel?limit=7>; rel=\"next\""),
        "{response}"
    );
    let latin1 = [
        b"GET /www/artikel/\xe4 HTTP/1.1\r\n",
        HEAD.as_bytes(),
        b"\r\n",
    ]
    .concat();
    assert!(raw(&[&latin1]).await.starts_with("HTTP/1.1 400"));
}

// rule: D-ANS-13
#[tokio::test]
async fn a_broken_stream_does_not_look_complete() {
    let whole = format!("GET /stream HTTP/1.1\r\n{HEAD}\r\n");
    assert!(raw(&[whole.as_bytes()]).await.ends_with("\r\n0\r\n\r\n"));
    let broken = format!("GET /stream?break=1 HTTP/1.1\r\n{HEAD}\r\n");
    let response = raw(&[broken.as_bytes()]).await;
    assert!(response.starts_with("HTTP/1.1 200") && !response.ends_with("\r\n0\r\n\r\n"));
}

#[tokio::test]
async fn a_request_of_this_process_brings_its_user() {
    let (service, _) = shop(|options| options.rates.requests_burst = 1);
    let ask = async |path: &str| {
        let request = plain("GET", path).body(Vec::new()).unwrap();
        run_here(&service, TestUser("shop1"), request).await
    };
    for _ in 0..5 {
        let response = ask("/www/artikel?limit=1").await.unwrap();
        assert_eq!(response.status(), 200);
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(body, r#"{"data":[{"ArtNr":0}]}"#);
    }
    assert_eq!(ask("/nowhere").await.unwrap().status(), 404);
    // A client gets another sentence.
    assert_eq!(
        ask("/panic").await.unwrap_err(),
        "panic: secret of the house"
    );
    let other = send(&service, plain("GET", "/www/artikel")).await;
    assert_eq!(other.status, 401);
}

#[tokio::test]
async fn static_bodies_are_never_copied() {
    let (service, _) = shop(|_| {});
    for coding in ["identity", "gzip", "br"] {
        let mut bodies = Vec::new();
        for _ in 0..2 {
            let request = plain("GET", "/static").header(ACCEPT_ENCODING, coding);
            let mut res = answer_of(&service, request, ReqBody::None).await;
            let ResBody::Once(bytes) = res.take_body() else {
                panic!("{coding}: one piece");
            };
            let length = res.headers()[CONTENT_LENGTH].to_str().unwrap();
            assert_eq!(length, bytes.len().to_string());
            bodies.push(bytes);
        }
        assert_eq!(bodies[0].as_ptr(), bodies[1].as_ptr(), "{coding}");
        assert_eq!(bodies[0].len() < 1_000, coding != "identity", "{coding}");
    }
}

// rule: D-ANS-09
#[tokio::test]
async fn no_request_waits_for_a_body_that_another_one_compresses() {
    let (_, options) = shop(|_| {});
    let http_state = HttpState::new(options);
    let compression = &http_state.compression;
    let body = StaticBody::new(b"[1,2,3]".repeat(1_000));
    let gzip = HeaderValue::from_static("gzip");
    let answer = || async {
        let (mut req, mut res) = (salvo::Request::new(), salvo::Response::new());
        req.headers_mut().insert(ACCEPT_ENCODING, gzip.clone());
        ApiResponse::shared(JSON, Arc::clone(&body)).render_into(&mut res);
        let mut depot = Depot::new();
        let compressed = compress::compress(compression, &mut req, &mut depot, &mut res);
        compressed.await.unwrap();
        let coding = res.headers().get(CONTENT_ENCODING).cloned();
        let ResBody::Once(bytes) = res.take_body() else {
            panic!("one piece");
        };
        let length = res.headers()[CONTENT_LENGTH].to_str().unwrap();
        assert_eq!(length, bytes.len().to_string());
        (coding, bytes.len())
    };
    let other = body.coded(&gzip).unwrap().write().await;
    assert_eq!(answer().await, (None, 7_000));
    drop(other);
    for _ in 0..2 {
        let (coding, length) = answer().await;
        assert_eq!(coding.as_ref(), Some(&gzip));
        assert!(length < 1_000, "{length}");
    }
}

// rule: D-LOG-03
#[test]
fn lines_of_refusals_are_limited_and_those_of_faults_are_not() {
    for (status, has_sender, has_cause, is_limited) in [
        (200, true, false, false),
        (200, false, false, true),
        (429, true, false, true),
        (503, true, true, true),
        (500, false, true, false),
    ] {
        let status = salvo::http::StatusCode::from_u16(status).ok();
        let is_free = request_layer::is_free(status, has_sender, has_cause);
        assert_eq!(is_free, is_limited, "{status:?}");
    }
}

// rule: D-LOG-03
#[test]
fn heads_that_come_too_slowly_share_the_lines_of_strangers() {
    let http_state = HttpState::new(Settings::defaults().unwrap().web_options());
    // A second with other lines may begin at any time.
    let is_used_up = || {
        for _ in 0..1_000 {
            let _ = request_layer::head_too_slow(&http_state, false);
        }
        !http_state.free_lines.take()
    };
    assert!((0..10).any(|_| is_used_up()));
}

// rule: D-NET-15
#[tokio::test]
async fn only_credentials_of_a_user_make_an_address_known() {
    let (service, _) = shop(|_| {});
    for (token, is_known) in [("good", true), ("page", false), ("bad", false)] {
        let request = plain("GET", "/www/artikel");
        let request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        let response = answer_of(&service, request, ReqBody::None).await;
        let mark = response.extensions.get::<api_response::OfUser>();
        assert_eq!(mark.is_some(), is_known, "{token}");
    }
}
