//! Client of a running server for the command line.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::{Arg, ArgMatches, Command};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::{Method, Request, Response, StatusCode, Uri};
use hyper_rustls::{ConfigBuilderExt as _, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::place::entries;
use super::trust::Trusted;
use super::{Failure, refused};

/// Maximum response size read into memory, in bytes.
const ANSWER_BYTES: usize = 16 * 1024 * 1024;

const JSON: &str = "application/json";

type HttpClient = Client<HttpsConnector<HttpConnector>, Full<Bytes>>;

/// Maximum attempts for a request that the server rejects with `Retry-After`.
const TRIES: u32 = 10;

/// Maximum wait before a retry, in seconds.
const LONGEST_WAIT: u64 = 60;

/// Part of server messages that refers to a list which is printed here.
const SEE: &str = ", see `info.problems`";

/// Replaces the path of a problem by a more helpful text, if there is one.
type Place<'a> = dyn Fn(&str) -> Option<String> + Sync + 'a;

/// A running server with an admin session.
pub(super) struct Remote {
    client: HttpClient,
    base: String,
    token: SecretString,
}

/// Adds the flags for a running server.
pub(super) fn with_server(command: Command) -> Command {
    command
        .next_help_heading("Running server")
        .arg(
            Arg::new("server")
                .long("server")
                .value_name("URL")
                .help("Work on the running server at this address instead of on its data folder"),
        )
        .arg(
            Arg::new("login")
                .long("login")
                .value_name("NAME")
                .requires("server")
                .help("Admin to log in as"),
        )
        .arg(
            Arg::new("user-password-file")
                .long("user-password-file")
                .value_name("FILE")
                .requires("server")
                .help("File with the admin's password; without it the password is read from standard input"),
        )
        .arg(
            Arg::new("ca-file")
                .long("ca-file")
                .value_name("FILE")
                .requires("server")
                .help("Certificates (PEM) to trust instead of those of the system: of the authority, or the server's own"),
        )
}

impl Remote {
    /// Logs in at the server given by the flags of [`with_server`]; `None` without these flags.
    pub(super) async fn of(matches: &ArgMatches) -> Result<Option<Self>, Failure> {
        let Some(url) = matches.get_one::<String>("server") else {
            return Ok(None);
        };
        let user = matches
            .get_one::<String>("login")
            .ok_or_else(|| Failure::usage("`--server` needs `--login`"))?;
        let ca_file = matches.get_one::<String>("ca-file").map(Path::new);
        let client = client(ca_file)?;
        if is_clear_text(url) {
            complain!(
                "erp-server: warning: `{url}` is not https: the password and everything else travel in the clear"
            );
        }
        let password = password(matches)?;
        Self::log_in(client, url, user, &password).await.map(Some)
    }

    async fn log_in(
        client: HttpClient,
        url: &str,
        user: &str,
        password: &SecretString,
    ) -> Result<Self, Failure> {
        let mut remote = Self {
            client,
            base: url.trim_end_matches('/').to_owned(),
            token: SecretString::from(String::new()),
        };
        let pair = STANDARD.encode(format!("{user}:{}", password.expose_secret()));
        let answer = remote
            .send(Method::POST, "/www/token", &format!("Basic {pair}"), None)
            .await?;
        let token = answer.get("access_token").and_then(Value::as_str);
        let token = token.ok_or_else(|| Failure::new("the server gave no token"))?;
        remote.token = SecretString::from(token);
        Ok(remote)
    }

    /// Sends a request; returns the JSON body of the response.
    pub(super) async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, Failure> {
        let body = match body {
            Some(body) => Some((JSON, Bytes::from(serde_json::to_vec(body)?))),
            None => None,
        };
        self.send(method, path, &self.bearer(), body).await
    }

    /// Uploads a file; returns the JSON body of the response. If the server is busy or limits requests, the upload is
    /// retried after its `Retry-After`. `place` may replace the path of a problem.
    pub(super) async fn upload(
        &self,
        path: &str,
        media_type: &'static str,
        bytes: Vec<u8>,
        place: &Place<'_>,
    ) -> Result<Value, Failure> {
        let bytes = Bytes::from(bytes);
        let mut tries = 1;
        loop {
            let body = Some((media_type, bytes.clone()));
            let bearer = self.bearer();
            let response = self.request(Method::POST, path, &bearer, body).await?;
            let status = response.status();
            if status.is_success() {
                return Ok(serde_json::from_slice(&collect(response).await?)?);
            }
            let wait = retry_after(&response).filter(|_| tries < TRIES);
            match wait {
                Some(wait) => tokio::time::sleep(wait).await,
                None => return Err(refusal(response, place).await),
            }
            tries += 1;
        }
    }

    /// Sends a request with a large response.
    pub(super) async fn open(&self, path: &str) -> Result<Response<Incoming>, Failure> {
        let response = self
            .request(Method::GET, path, &self.bearer(), None)
            .await?;
        if response.status().is_success() {
            return Ok(response);
        }
        Err(refusal(response, &|_| None).await)
    }

    /// Ends the session.
    pub(super) async fn log_out(self) {
        let bearer = self.bearer();
        let sent = self.send(Method::POST, "/www/token/revoke", &bearer, None);
        // If this fails, the token expires.
        let _ = sent.await;
    }

    fn bearer(&self) -> String {
        format!("Bearer {}", self.token.expose_secret())
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        authorization: &str,
        body: Option<(&'static str, Bytes)>,
    ) -> Result<Value, Failure> {
        let response = self.request(method, path, authorization, body).await?;
        if !response.status().is_success() {
            return Err(refusal(response, &|_| None).await);
        }
        let bytes = collect(response).await?;
        if bytes.is_empty() {
            return Ok(Value::Null);
        }
        Ok(serde_json::from_slice(&bytes)?)
    }

    async fn request(
        &self,
        method: Method,
        path: &str,
        authorization: &str,
        body: Option<(&'static str, Bytes)>,
    ) -> Result<Response<Incoming>, Failure> {
        let uri: Uri = format!("{}{path}", self.base)
            .parse()
            .map_err(|_| Failure::usage(format!("`{}` is no address of a server", self.base)))?;
        let mut request = Request::builder()
            .method(method)
            .uri(uri)
            .header("authorization", authorization);
        let mut bytes = Bytes::new();
        if let Some((media_type, body)) = body {
            request = request.header("content-type", media_type);
            bytes = body;
        }
        let sent = self.client.request(request.body(Full::new(bytes))?).await;
        sent.map_err(|error| {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            let cause = cause.unwrap_or_else(|| error.to_string());
            Failure::new(format!(
                "the server at {} does not answer: {cause}",
                self.base
            ))
        })
    }
}

/// The `Retry-After` of a response.
fn retry_after(response: &Response<Incoming>) -> Option<Duration> {
    let status = response.status();
    let wait = status == StatusCode::TOO_MANY_REQUESTS || status == StatusCode::SERVICE_UNAVAILABLE;
    let header = response.headers().get("retry-after").filter(|_| wait)?;
    let seconds: u64 = header.to_str().ok()?.parse().ok()?;
    (seconds <= LONGEST_WAIT).then(|| Duration::from_secs(seconds))
}

async fn collect(response: Response<Incoming>) -> Result<Bytes, Failure> {
    let limited = http_body_util::Limited::new(response.into_body(), ANSWER_BYTES);
    let collected = limited.collect().await;
    let collected =
        collected.map_err(|error| Failure::new(format!("the answer broke off: {error}")))?;
    Ok(collected.to_bytes())
}

/// The failure for an error response, with the server's message.
async fn refusal(response: Response<Incoming>, place: &Place<'_>) -> Failure {
    let status = response.status();
    let body = collect(response).await.unwrap_or_default();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let words = body.get("error_description").and_then(Value::as_str);
    let words = words.map(|words| format!(": {}", words.trim_end_matches(SEE)));
    let words = words.unwrap_or_default();
    let problems = body
        .pointer("/info/problems")
        .map(entries)
        .unwrap_or_default();
    let reasons: String = problems
        .iter()
        .map(|problem| {
            let [path, message, code] = ["path", "message", "code"]
                .map(|of| problem.get(of).and_then(Value::as_str).unwrap_or_default());
            match place(path) {
                Some(place) => format!("\n  {place}: {message} ({code})"),
                None => refused(path, message, code),
            }
        })
        .collect();
    Failure::new(format!(
        "the server refused with {}{words}{reasons}",
        status.as_u16()
    ))
}

/// Whether a password would be sent unencrypted over a network.
fn is_clear_text(url: &str) -> bool {
    let Some(uri) = url
        .parse::<Uri>()
        .ok()
        .filter(|uri| uri.scheme_str() == Some("http"))
    else {
        return false;
    };
    let host = uri.host().unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    !address.map_or(host == "localhost", |address| address.is_loopback())
}

fn client(ca_file: Option<&Path>) -> Result<HttpClient, Failure> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()?;
    let tls = match ca_file {
        Some(file) => {
            let trusted = Trusted::read(file, provider)?;
            builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(trusted))
        }
        None => match builder.clone().with_native_roots() {
            Ok(trusting) => trusting,
            Err(_) => builder.with_root_certificates(RootCertStore::empty()),
        },
    };
    let mut http = HttpConnector::new();
    http.enforce_http(false);
    let https = HttpsConnectorBuilder::new()
        .with_tls_config(tls.with_no_client_auth())
        .https_or_http()
        .enable_http1()
        .wrap_connector(http);
    Ok(Client::builder(TokioExecutor::new()).build(https))
}

fn password(matches: &ArgMatches) -> Result<SecretString, Failure> {
    let text = match matches.get_one::<String>("user-password-file") {
        Some(path) => std::fs::read_to_string(PathBuf::from(path))
            .map_err(|error| Failure::usage(format!("`{path}` cannot be read: {error}")))?,
        None => std::io::read_to_string(std::io::stdin().lock())?,
    };
    let line = text.lines().next().unwrap_or_default();
    Ok(SecretString::from(line))
}
