//! The log of requests, without a store. A process has one log, so there is only one test.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use erp_server::config::Settings;
use erp_server::observe::logging;
use erp_server::web::{
    ApiError, ApiRequest, ApiResponse, Application, Caller, HttpState, Method, Resource, Routes,
    service,
};
use erp_tests::own_process::in_own_process;
use salvo::conn::{ConnCtrl, SocketAddr};
use salvo::http::uri::Scheme;
use salvo::{Request, Service};
use secrecy::SecretString;
use serde_json::Value;

struct Shop(Arc<HttpState>);

struct User;

impl Caller for User {
    fn name(&self) -> Cow<'_, str> {
        "jürg".into()
    }
}

impl Application for Shop {
    type User = User;

    fn http_state(&self) -> &Arc<HttpState> {
        &self.0
    }

    async fn user_of(&self, _: SecretString) -> Result<Option<User>, ApiError> {
        Ok(Some(User))
    }
}

async fn read(_: Arc<Shop>, _: User, request: ApiRequest) -> Result<ApiResponse, ApiError> {
    match request.path("ArtNr").as_str() {
        "panic" => panic!("secret of the house"),
        "broken" => Err(ApiError::internal("page 7 is damaged")),
        number => ApiResponse::json(number),
    }
}

async fn get(service: &Service, path: &str) {
    send(service, Method::GET, path).await;
}

async fn send(service: &Service, method: Method, path: &str) {
    let mut request = Request::new();
    *request.method_mut() = method;
    *request.uri_mut() = format!("http://127.0.0.1{path}").parse().unwrap();
    let headers = request.headers_mut();
    headers.insert("host", "127.0.0.1".parse().unwrap());
    headers.insert("x-request-id", "id-1".parse().unwrap());
    headers.insert("authorization", "Bearer token-geheim".parse().unwrap());
    let peer: std::net::SocketAddr = "127.0.0.1:1".parse().unwrap();
    let peer = SocketAddr::from(peer);
    let _ = service
        .hyper_handler(
            peer.clone(),
            peer,
            Scheme::HTTP,
            None,
            ConnCtrl::new(),
            None,
        )
        .handle(request)
        .await;
}

fn text(folder: &Path) -> String {
    let files = std::fs::read_dir(folder).unwrap();
    files
        .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
        .collect()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Route, status, user, cause and level of a log line.
fn summary(line: &Value) -> String {
    let names = ["route", "status", "user", "cause", "level"];
    names
        .map(|name| line[name].to_string().replace('"', ""))
        .join(" ")
}

#[test]
fn one_line_for_each_request_and_no_secret() {
    in_own_process(
        module_path!(),
        "one_line_for_each_request_and_no_secret",
        || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            runtime.unwrap().block_on(requests_are_logged());
        },
    );
}

async fn requests_are_logged() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = Settings::defaults().unwrap();
    settings.store.data_dir = folder.path().to_owned();
    let logs = logging::start(&settings.logging_options(), false).unwrap();
    let shop = Arc::new(Shop(HttpState::new(settings.web_options())));
    let resource = Resource::default().by(Method::GET, read);
    let service = service(
        &shop,
        Routes::default().at("/www/artikel/{ArtNr}", resource),
    );

    get(&service, "/www/artikel/4711?token=geheim").await;
    get(&service, "/www/artikel/panic").await;
    get(&service, "/www/artikel/broken").await;
    get(&service, "/no/such?x=geheim").await;
    let method = Method::from_bytes(&[b'X'; 30_000]).unwrap();
    send(&service, method, "/no/such").await;
    tracing::info!(target: "erp_server", "with a\nline end");
    tracing::info!(target: "salvo_core", "libraries are quiet");
    tracing::debug!(target: "erp_server", "this level is quiet");
    logs.flush().unwrap();

    let log = folder.path().join("log");
    let written = text(&log);
    let logged = lines(&written);
    let (last, requests) = logged.split_last().unwrap();
    assert_eq!(last["message"], "with a\nline end");
    assert_eq!(
        requests.iter().map(summary).collect::<Vec<_>>(),
        [
            "/www/artikel/{ArtNr} 200 jürg null INFO",
            "/www/artikel/{ArtNr} 500 jürg panic: secret of the house ERROR",
            "/www/artikel/{ArtNr} 500 jürg page 7 is damaged ERROR",
            "/no/such 404 null null INFO",
            "/no/such 404 null null INFO",
        ]
    );
    let methods = ["GET", "GET", "GET", "GET", "other"];
    for (line, method) in requests.iter().zip(methods) {
        assert_eq!(
            (line["request_id"].as_str(), line["method"].as_str()),
            (Some("id-1"), Some(method))
        );
        assert!(line["micros"].is_u64() && line["timestamp"].is_string());
    }
    assert_eq!(requests[0]["bytes"], 6);
    for secret in ["geheim", "127.0.0.1"] {
        assert!(!written.contains(secret), "{written}");
    }

    logs.delete_all("jürg").unwrap();
    get(&service, "/www/artikel/1").await;
    logs.flush().unwrap();
    let messages: Vec<Value> = lines(&text(&log))
        .iter()
        .map(|line| line["message"].clone())
        .collect();
    assert_eq!(messages, ["log files deleted", "request"]);
}
