//! Client of a running server for the command line.

use std::fs::File;
use std::io::{self, Read};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::Args;
use erp_core::Problem;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::{Method, Request, Response, StatusCode, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rustls::ClientConfig;
use rustls::crypto::ring;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize as _;
use serde_json::Value;
use tokio::time::timeout;

use super::failure::Failure;
use super::json::entries;
use super::trust::Trusted;
use crate::https::system_tls;
use crate::lock::lock;

/// Maximum response size read into memory, in bytes: a page of the audit trail has 1,000 entries, and one of an import
/// names 1,000 records.
const RESPONSE_BYTES: usize = 256 * 1024 * 1024;

pub(super) type Body = UnsyncBoxBody<Bytes, Box<dyn std::error::Error + Send + Sync>>;

type HttpClient = Client<HttpsConnector<HttpConnector>, Full<Bytes>>;

/// Bytes that are read of a file with a secret in its first line.
const SECRET_BYTES: u64 = 4_096;

/// Maximum attempts for a request that the server rejects with `Retry-After`.
const TRIES: u32 = 10;

/// Maximum wait before a retry, in seconds.
const LONGEST_WAIT: u64 = 60;

const CONNECT: Duration = Duration::from_secs(30);

/// Time limit until a server begins its response: longer than it works on any request.
const RESPONSE: Duration = Duration::from_mins(15);

const PROBE: Duration = Duration::from_secs(5);

/// Part of server messages that refers to a list which is printed here.
const SEE: &str = ", see `info.problems`";

/// The media type and the bytes of a request's body.
pub(super) type Content = (&'static str, Bytes);

/// A running server with an admin session.
pub(super) struct Remote {
    client: HttpClient,
    base: String,
    /// The header `authorization` of the login.
    basic: SecretString,
    /// That of the session, which may end before a long command does.
    bearer: Mutex<SecretString>,
}

/// The options for a running server.
#[derive(Debug, Args)]
#[command(next_help_heading = "Running server")]
pub(super) struct RemoteArgs {
    /// Work on the running server at this address instead of on its data folder
    #[arg(long, value_name = "URL")]
    pub(super) server: Option<String>,
    /// Admin to log in as
    #[arg(long, value_name = "NAME", requires = "server")]
    login: Option<String>,
    /// File with the admin's password; without it the password is read from standard input
    #[arg(long, value_name = "FILE", requires = "server")]
    user_password_file: Option<PathBuf>,
    /// Certificates (PEM) to trust instead of those of the system: of the authority, or the server's own
    #[arg(long, value_name = "FILE", requires = "server")]
    ca_file: Option<PathBuf>,
}

impl RemoteArgs {
    /// Logs in at the server; `None` without `--server`.
    pub(super) async fn log_in(&self) -> Result<Option<Remote>, Failure> {
        let Some(url) = &self.server else {
            return Ok(None);
        };
        let user = self.login.as_deref();
        let user = user.ok_or_else(|| Failure::usage("`--server` needs `--login`"))?;
        let client = client(self.ca_file.as_deref())?;
        if is_clear_text(url) {
            complain!(
                "erp-server: warning: `{url}` is not https: the password and everything else travel in the clear"
            );
        }
        let pair = format!("{user}:{}", self.password()?.expose_secret());
        let remote = Remote {
            client,
            base: url.trim_end_matches('/').to_owned(),
            basic: format!("Basic {}", STANDARD.encode(pair)).into(),
            bearer: Mutex::default(),
        };
        remote.begin_session().await?;
        Ok(Some(remote))
    }

    pub(super) const fn reads_stdin(&self) -> bool {
        self.server.is_some() && self.user_password_file.is_none()
    }

    fn password(&self) -> Result<SecretString, Failure> {
        match &self.user_password_file {
            Some(file) => first_line(file),
            None => Ok(first_line_of(io::stdin().lock())?),
        }
    }
}

pub(super) fn first_line(file: &Path) -> Result<SecretString, Failure> {
    let read = File::open(file).and_then(first_line_of);
    read.map_err(|error| Failure::usage(format!("`{}` cannot be read: {error}", file.display())))
}

fn first_line_of(input: impl Read) -> io::Result<SecretString> {
    let text = io::read_to_string(input.take(SECRET_BYTES))?;
    Ok(SecretString::from(text.lines().next().unwrap_or_default()))
}

impl Remote {
    async fn begin_session(&self) -> Result<(), Failure> {
        let login = (Method::POST, "/www/token", None);
        let response = self.repeated(login, &self.basic, TRIES).await?;
        let response = &json_of(successful(response).await?).await?;
        let token = response["access_token"].as_str();
        let token = token.ok_or_else(|| Failure::new("the server returned no token"))?;
        *lock(&self.bearer) = format!("Bearer {token}").into();
        Ok(())
    }

    fn bearer(&self) -> SecretString {
        lock(&self.bearer).clone()
    }

    /// Sends a request. One that may be repeated is sent again after its `Retry-After` when the server is busy or limits
    /// requests. When the session has ended, another one begins.
    pub(super) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<Content>,
        may_repeat: bool,
    ) -> Result<Response<Body>, Failure> {
        let tries = if may_repeat { TRIES } else { 1 };
        let request = (method, path, body);
        let response = self
            .repeated(request.clone(), &self.bearer(), tries)
            .await?;
        if response.status() != StatusCode::UNAUTHORIZED {
            return Ok(response);
        }
        self.begin_session().await?;
        self.repeated(request, &self.bearer(), tries).await
    }

    async fn repeated(
        &self,
        request: (Method, &str, Option<Content>),
        authorization: &SecretString,
        mut tries: u32,
    ) -> Result<Response<Body>, Failure> {
        loop {
            tries -= 1;
            let response = self.request(request.clone(), authorization).await?;
            match retry_after(&response).filter(|_| tries > 0) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => return Ok(response),
            }
        }
    }

    pub(super) async fn log_out(self) {
        // If this fails, the token expires.
        let revoke = (Method::POST, "/www/token/revoke", None);
        let _ = self.request(revoke, &self.bearer()).await;
    }

    async fn request(
        &self,
        (method, path, body): (Method, &str, Option<Content>),
        authorization: &SecretString,
    ) -> Result<Response<Body>, Failure> {
        let mut request = Request::builder()
            .method(method)
            .uri(uri(&self.base, path)?)
            .header("authorization", authorization.expose_secret());
        let mut bytes = Bytes::new();
        if let Some((media_type, body)) = body {
            request = request.header("content-type", media_type);
            bytes = body;
        }
        let sent = self.client.request(request.body(Full::new(bytes))?);
        let sent = timeout(RESPONSE, sent)
            .await
            .map_err(|_| late(&self.base))?;
        let response = sent.map_err(|error| silent(&self.base, &error))?;
        Ok(response.map(|body| Body::new(body.map_err(Into::into))))
    }
}

fn uri(base: &str, path: &str) -> Result<Uri, Failure> {
    let uri = format!("{base}{path}").parse();
    uri.map_err(|_| Failure::usage(format!("`{base}` is not the address of a server")))
}

fn silent(base: &str, error: &hyper_util::client::legacy::Error) -> Failure {
    let cause = std::error::Error::source(error).map(ToString::to_string);
    let cause = cause.unwrap_or_else(|| error.to_string());
    Failure::new(format!("the server at {base} does not respond: {cause}"))
}

fn late(base: &str) -> Failure {
    Failure::new(format!("the server at {base} does not respond in time"))
}

/// Asks a server whether it is ready; its reasons are the failure.
pub(super) async fn ready(url: &str, ca_file: Option<&Path>) -> Result<(), Failure> {
    let base = url.trim_end_matches('/');
    let (client, uri) = (client(ca_file)?, uri(base, "/health/ready")?);
    let asked = async {
        let response = client.get(uri).await;
        let response = response.map_err(|error| silent(base, &error))?;
        let response = response.map(|body| Body::new(body.map_err(Into::into)));
        successful(response).await.map(drop)
    };
    timeout(PROBE, asked).await.map_err(|_| late(base))?
}

fn retry_after(response: &Response<Body>) -> Option<Duration> {
    let status = response.status();
    let wait = status == StatusCode::TOO_MANY_REQUESTS || status == StatusCode::SERVICE_UNAVAILABLE;
    let header = response.headers().get("retry-after").filter(|_| wait)?;
    let seconds: u64 = header.to_str().ok()?.parse().ok()?;
    (seconds <= LONGEST_WAIT).then(|| Duration::from_secs(seconds))
}

async fn successful(response: Response<Body>) -> Result<Response<Body>, Failure> {
    if response.status().is_success() {
        Ok(response)
    } else {
        Err(refusal(response).await)
    }
}

/// The JSON body of a response; `null` without one.
pub(super) async fn json_of(response: Response<Body>) -> Result<Value, Failure> {
    let bytes = bytes_of(response).await?;
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    Ok(serde_json::from_slice(&bytes)?)
}

pub(super) async fn bytes_of(response: Response<Body>) -> Result<Bytes, Failure> {
    let limited = http_body_util::Limited::new(response.into_body(), RESPONSE_BYTES);
    let collected = limited.collect().await;
    let cut_off = |error| Failure::new(format!("the response was cut off: {error}"));
    Ok(collected.map_err(cut_off)?.to_bytes())
}

/// The failure for an error response, with the server's message.
pub(super) async fn refusal(response: Response<Body>) -> Failure {
    let status = response.status().as_u16();
    let reason = reason(response).await;
    let colon = if reason.is_empty() { "" } else { ": " };
    Failure::new(format!("the server refused with {status}{colon}{reason}"))
}

/// The message of an error response, with its problems.
pub(super) async fn reason(response: Response<Body>) -> String {
    reason_in(&json_of(response).await.unwrap_or_default())
}

/// The same for the body of an error response.
pub(super) fn reason_in(body: &Value) -> String {
    let words = body["error_description"].as_str();
    let words = words.unwrap_or_default().trim_end_matches(SEE);
    let problems = body.pointer("/info/problems").map(entries);
    let problems = problems.unwrap_or_default().iter();
    let problems = problems.filter_map(|problem| Problem::deserialize(problem).ok());
    let problems = problems.map(|problem| format!("\n  {problem}"));
    let checks = body.pointer("/info/checks").and_then(Value::as_object);
    let failed = checks
        .into_iter()
        .flatten()
        .filter(|(_, outcome)| *outcome != "ok");
    let failed = failed
        .map(|(name, outcome)| format!("\n  {name}: {}", outcome.as_str().unwrap_or_default()));
    format!("{words}{}", problems.chain(failed).collect::<String>())
}

/// Whether a password would be sent unencrypted over a network.
fn is_clear_text(url: &str) -> bool {
    url.parse::<Uri>().is_ok_and(|uri| {
        let host = uri.host().unwrap_or_default();
        let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
        let is_own = address.map_or(host == "localhost", |address| address.is_loopback());
        uri.scheme_str() == Some("http") && !is_own
    })
}

fn client(ca_file: Option<&Path>) -> Result<HttpClient, Failure> {
    let tls = match ca_file {
        Some(file) => {
            let provider = Arc::new(ring::default_provider());
            let trusted = Arc::new(Trusted::read(file, Arc::clone(&provider))?);
            ClientConfig::builder_with_provider(provider)
                .with_safe_default_protocol_versions()?
                .dangerous()
                .with_custom_certificate_verifier(trusted)
                .with_no_client_auth()
        }
        None => system_tls()?,
    };
    let mut http = HttpConnector::new();
    http.enforce_http(false);
    http.set_connect_timeout(Some(CONNECT));
    http.set_keepalive(Some(CONNECT));
    let https = HttpsConnectorBuilder::new()
        .with_tls_config(tls)
        .https_or_http()
        .enable_http1()
        .wrap_connector(http);
    Ok(Client::builder(TokioExecutor::new()).build(https))
}
