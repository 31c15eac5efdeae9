//! HTTP client for the object store, built on the same stack as webhooks: hyper with rustls and the certificates of
//! the system.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use async_trait::async_trait;
use http_body_util::BodyExt as _;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector as TcpConnector;
use hyper_util::client::legacy::{Client, Error};
use hyper_util::rt::TokioExecutor;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody,
    HttpResponse, HttpResponseBody, HttpService,
};
use tokio::time::timeout;

use crate::https::system_tls;

const CONNECT: Duration = Duration::from_secs(5);

/// Timeout until the response headers.
const ANSWER: Duration = Duration::from_secs(10);

/// The same for a request with a body: enough for a part of 8 MiB over a slow line. Also for a copy, which services make before
/// they respond.
const ANSWER_TO_BODY: Duration = Duration::from_secs(60);

const IDLE_CONNECTIONS: usize = 32;

const IDLE: Duration = Duration::from_secs(20);

/// Connects to an object store, without proxies and redirects.
#[derive(Debug)]
pub(super) struct Connector {
    pub(super) http_allowed: bool,
}

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        let tls = system_tls().map_err(|error| object_store::Error::Generic {
            store: "S3",
            source: error.into(),
        })?;
        let mut tcp = TcpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT));
        let https = HttpsConnectorBuilder::new().with_tls_config(tls);
        let https = if self.http_allowed {
            https.https_or_http()
        } else {
            https.https_only()
        };
        let client = Client::builder(TokioExecutor::new())
            .pool_max_idle_per_host(IDLE_CONNECTIONS)
            .pool_idle_timeout(IDLE)
            .pool_timer(hyper_util::rt::TokioTimer::new())
            .build(https.enable_http1().wrap_connector(tcp));
        Ok(HttpClient::new(Service(client)))
    }
}

#[derive(Debug)]
struct Service(Client<HttpsConnector<TcpConnector>, HttpRequestBody>);

#[async_trait]
impl HttpService for Service {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let is_copy = request.headers().contains_key("x-amz-copy-source");
        let time = match request.body().content_length() {
            0 if !is_copy => ANSWER,
            _ => ANSWER_TO_BODY,
        };
        let response = match timeout(time, self.0.request(request)).await {
            Ok(response) => response.map_err(failed)?,
            Err(_) => {
                let late = io::Error::new(io::ErrorKind::TimedOut, "no response in time");
                return Err(HttpError::new(HttpErrorKind::Timeout, late));
            }
        };
        let (parts, body) = response.into_parts();
        let body = body.map_err(|error| HttpError::new(HttpErrorKind::Interrupted, error));
        Ok(HttpResponse::from_parts(parts, HttpResponseBody::new(body)))
    }
}

/// Classifies an error, so that the caller knows whether a retry makes sense.
fn failed(error: Error) -> HttpError {
    let kind = if error.is_connect() {
        HttpErrorKind::Connect
    } else {
        // An idle connection may have been closed meanwhile.
        HttpErrorKind::Interrupted
    };
    HttpError::new(kind, io::Error::other(chain(&error)))
}

pub(super) fn chain(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    for cause in std::iter::successors(error.source(), |&cause| cause.source()) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}
