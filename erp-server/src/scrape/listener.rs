//! Prometheus endpoint: `GET /metrics` on a separate address, without authentication.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use salvo::catcher::Catcher;
use salvo::http::header::CONTENT_TYPE as CONTENT_TYPE_HEADER;
use salvo::http::{HeaderValue, StatusCode};
use salvo::{Depot, FlowCtrl, Handler, Request, Response, Router, Service, async_trait};
use thiserror::Error;

use super::text::{CONTENT_TYPE, text};
use crate::resources::App;
use crate::web::{self, HttpState, Listen, ListenError, WebOptions};

/// Open connections. A few scrapers need no more, and each holds a file descriptor. A new one takes the place of one of
/// the address that has the most.
const CONNECTIONS: usize = 16;

/// Time limit for the head of a request, and for a connection without one.
const HEAD: Duration = Duration::from_secs(5);

#[derive(Debug, Error)]
#[error("cannot listen for metrics on {address}: {reason}")]
pub struct WatchError {
    address: SocketAddr,
    reason: ListenError,
}

/// Serves metrics on an address; returns it with the actual port. The other options are those of the server.
/// Errors: when listening on the address fails.
pub async fn listen(
    address: SocketAddr,
    mut options: WebOptions,
    app: Arc<App>,
) -> Result<SocketAddr, WatchError> {
    options.listen = Listen::Tcp(address);
    (options.tls_certificate, options.tls_key) = (None, None);
    options.trusted_proxies.clear();
    options.limits.max_connections = CONNECTIONS;
    // The address of a scraper may hold all of them, and its next one takes the place of another.
    options.limits.connections_per_address = usize::MAX;
    options.timeouts.client = HEAD;
    options.timeouts.idle = HEAD;
    let bound = web::bind(&HttpState::new(options));
    let server = bound.map_err(|reason| WatchError { address, reason })?;
    let chosen = server.address().unwrap_or(address);
    let router = Router::with_path("metrics").get(Exposition(app));
    // Only Prometheus uses this listener: error responses have a status and no body.
    let service = Service::new(router).catcher(Catcher::new(Nothing));
    tokio::spawn(web::serve(server, service));
    tracing::info!(address = %chosen, "serving metrics");
    Ok(chosen)
}

struct Exposition(Arc<App>);

#[async_trait]
impl Handler for Exposition {
    async fn handle(
        &self,
        _req: &mut Request,
        _depot: &mut Depot,
        res: &mut Response,
        _ctrl: &mut FlowCtrl,
    ) {
        match text(&self.0).await {
            Ok(text) => {
                let content_type = HeaderValue::from_static(CONTENT_TYPE);
                res.headers_mut().insert(CONTENT_TYPE_HEADER, content_type);
                res.status_code(StatusCode::OK).body(text);
            }
            Err(_) => {
                res.status_code(StatusCode::INTERNAL_SERVER_ERROR);
            }
        }
    }
}

struct Nothing;

#[async_trait]
impl Handler for Nothing {
    async fn handle(
        &self,
        _req: &mut Request,
        _depot: &mut Depot,
        _res: &mut Response,
        _ctrl: &mut FlowCtrl,
    ) {
    }
}
