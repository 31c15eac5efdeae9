//! Sends one delivery attempt over HTTP.

use std::error::Error as _;
use std::time::Duration;

use erp_core::erp::{Event, EventId};
use erp_core::internal::{AttemptOutcome, EventTarget};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::{Request, Response};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::GaiResolver;
use hyper_util::client::legacy::{Client, Error};
use hyper_util::rt::TokioExecutor;
use jiff::Timestamp;
use tokio::time::timeout;

use super::address::{ResolveError, Resolver};
use super::message::{sign, test_body};
use super::{Secret, TargetError, body, check_url};
use crate::https::system_tls;

/// Maximum bytes read from a response body; they are discarded.
const BODY_BYTES: usize = 64 * 1024;

/// Time limit for reading a body. The status alone decides the result.
const BODY_TIME: Duration = Duration::from_secs(1);

// rule: R-EVT-05
/// Sends events, without redirects and proxies, and to public addresses only unless allowed otherwise.
#[derive(Clone, Debug)]
pub struct Sender {
    client: Client<HttpsConnector<HttpConnector<Resolver>>, Full<Bytes>>,
    private_allowed: bool,
    time: Duration,
}

impl Sender {
    /// A sender with this timeout per attempt.
    pub fn new(private_allowed: bool, time: Duration) -> Result<Self, rustls::Error> {
        let resolver = Resolver {
            system: GaiResolver::new(),
            private_allowed,
        };
        let mut http = HttpConnector::new_with_resolver(resolver);
        http.enforce_http(false);
        http.set_nodelay(true);
        let https = HttpsConnectorBuilder::new()
            .with_tls_config(system_tls()?)
            .https_or_http()
            .enable_http1()
            .wrap_connector(http);
        let mut client = Client::builder(TokioExecutor::new());
        // No connection reuse: the name is resolved and checked for every attempt, and no attempt fails because the
        // receiver has closed an idle connection.
        client
            .pool_max_idle_per_host(0)
            .retry_canceled_requests(false);
        Ok(Self {
            client: client.build(https),
            private_allowed,
            time,
        })
    }

    pub async fn send(
        &self,
        target: &EventTarget,
        id: EventId,
        event: &Event,
        now: Timestamp,
    ) -> AttemptOutcome {
        self.post(target, &id.to_string(), body(event), now).await
    }

    /// Makes one attempt to send a test on behalf of a user. It is an event in no log.
    pub async fn send_test(
        &self,
        target: &EventTarget,
        user: &str,
        now: Timestamp,
    ) -> AttemptOutcome {
        let id = format!("test_{:016x}", rand::random::<u64>());
        self.post(target, &id, test_body(user, now), now).await
    }

    async fn post(
        &self,
        target: &EventTarget,
        id: &str,
        body: serde_json::Result<Vec<u8>>,
        now: Timestamp,
    ) -> AttemptOutcome {
        let request = match self.request(target, id, body, now) {
            Ok(request) => request,
            Err(outcome) => return outcome,
        };
        match timeout(self.time, self.client.request(request)).await {
            Err(_) => AttemptOutcome::TimedOut,
            Ok(Err(error)) => failure(&error),
            Ok(Ok(response)) => {
                let status = response.status().as_u16();
                drain(response).await;
                AttemptOutcome::Status(status)
            }
        }
    }

    fn request(
        &self,
        target: &EventTarget,
        id: &str,
        body: serde_json::Result<Vec<u8>>,
        now: Timestamp,
    ) -> Result<Request<Full<Bytes>>, AttemptOutcome> {
        let body = body.map_err(|_| AttemptOutcome::Broken)?;
        // The setting may have changed since the target was added.
        let uri = check_url(&target.url, self.private_allowed).map_err(|error| match error {
            TargetError::Private => AttemptOutcome::AddressRefused,
            _ => AttemptOutcome::NoConnection,
        })?;
        let secret = Secret::parse(&target.secret).map_err(|_| AttemptOutcome::Broken)?;
        let seconds = now.as_second();
        Request::post(uri)
            .header("content-type", "application/json")
            .header(
                "user-agent",
                concat!("erp-server/", env!("CARGO_PKG_VERSION")),
            )
            .header("webhook-id", id)
            .header("webhook-timestamp", seconds)
            .header("webhook-signature", sign(&secret, id, seconds, &body))
            .body(Full::from(body))
            .map_err(|_| AttemptOutcome::NoConnection)
    }
}

/// Reads a short body to its end, so that the receiver sees no aborted connection.
async fn drain(response: Response<Incoming>) {
    let body = Limited::new(response.into_body(), BODY_BYTES);
    let _ = timeout(BODY_TIME, body.collect()).await;
}

fn failure(error: &Error) -> AttemptOutcome {
    let mut causes = std::iter::successors(error.source(), |&cause| cause.source());
    if causes.any(|cause| matches!(cause.downcast_ref(), Some(ResolveError::Refused))) {
        AttemptOutcome::AddressRefused
    } else if error.is_connect() {
        AttemptOutcome::NoConnection
    } else {
        AttemptOutcome::Broken
    }
}
