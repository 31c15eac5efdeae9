//! A running server, as the command line sees it.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::{Arg, ArgMatches, Command};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::{Method, Request, Response, Uri};
use hyper_rustls::{ConfigBuilderExt as _, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rustls::ClientConfig;
use rustls::crypto::ring;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::Failure;

/// Longest answer that is read into memory.
const ANSWER_BYTES: usize = 16 * 1024 * 1024;

/// A running server with the session of an admin.
pub(super) struct Remote {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    base: String,
    token: SecretString,
}

/// Adds the flags that lead to a running server.
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
}

impl Remote {
    /// Logs in at the server that the flags of [`with_server`] name; `None` when they name none.
    pub(super) async fn of(matches: &ArgMatches) -> Result<Option<Self>, Failure> {
        let Some(url) = matches.get_one::<String>("server") else {
            return Ok(None);
        };
        let user = matches
            .get_one::<String>("login")
            .ok_or_else(|| Failure::usage("`--server` needs `--login`"))?;
        let password = password(matches)?;
        Self::log_in(url, user, &password).await.map(Some)
    }

    async fn log_in(url: &str, user: &str, password: &SecretString) -> Result<Self, Failure> {
        let mut remote = Self {
            client: client()?,
            base: url.trim_end_matches('/').to_owned(),
            token: SecretString::from(String::new()),
        };
        let pair = STANDARD.encode(format!("{user}:{}", password.expose_secret()));
        let answer = remote
            .send(
                Method::POST,
                "/www/token",
                &format!("Basic {pair}"),
                Vec::new(),
            )
            .await?;
        let token = answer.get("access_token").and_then(Value::as_str);
        let token = token.ok_or_else(|| Failure::new("the server gave no token"))?;
        remote.token = SecretString::from(token);
        Ok(remote)
    }

    /// Asks the server; the answer is its JSON body.
    pub(super) async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, Failure> {
        let body = match body {
            Some(body) => serde_json::to_vec(body)?,
            None => Vec::new(),
        };
        self.send(method, path, &self.bearer(), body).await
    }

    /// Asks the server for something large.
    pub(super) async fn open(&self, path: &str) -> Result<Response<Incoming>, Failure> {
        let response = self
            .request(Method::GET, path, &self.bearer(), Vec::new())
            .await?;
        if response.status().is_success() {
            return Ok(response);
        }
        Err(refusal(response).await)
    }

    /// Ends the session.
    pub(super) async fn log_out(self) {
        let bearer = self.bearer();
        let sent = self.send(Method::POST, "/www/token/revoke", &bearer, Vec::new());
        // The token ends by itself too.
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
        body: Vec<u8>,
    ) -> Result<Value, Failure> {
        let response = self.request(method, path, authorization, body).await?;
        if !response.status().is_success() {
            return Err(refusal(response).await);
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
        body: Vec<u8>,
    ) -> Result<Response<Incoming>, Failure> {
        let uri: Uri = format!("{}{path}", self.base)
            .parse()
            .map_err(|_| Failure::usage(format!("`{}` is no address of a server", self.base)))?;
        let mut request = Request::builder()
            .method(method)
            .uri(uri)
            .header("authorization", authorization);
        if !body.is_empty() {
            request = request.header("content-type", "application/json");
        }
        let sent = self.client.request(request.body(Full::from(body))?).await;
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

async fn collect(response: Response<Incoming>) -> Result<Bytes, Failure> {
    let limited = http_body_util::Limited::new(response.into_body(), ANSWER_BYTES);
    let collected = limited.collect().await;
    let collected =
        collected.map_err(|error| Failure::new(format!("the answer broke off: {error}")))?;
    Ok(collected.to_bytes())
}

/// The server's own words for what it refused.
async fn refusal(response: Response<Incoming>) -> Failure {
    let status = response.status();
    let body = collect(response).await.unwrap_or_default();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let words = body.get("error_description").and_then(Value::as_str);
    Failure::new(match words {
        Some(words) => format!("the server refused with {}: {words}", status.as_u16()),
        None => format!("the server refused with {}", status.as_u16()),
    })
}

fn client() -> Result<Client<HttpsConnector<HttpConnector>, Full<Bytes>>, Failure> {
    let builder =
        ClientConfig::builder_with_provider(std::sync::Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?;
    let tls = match builder.clone().with_native_roots() {
        Ok(trusting) => trusting,
        Err(_) => builder.with_root_certificates(rustls::RootCertStore::empty()),
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
