//! Prometheus endpoint: `GET /metrics` on a separate address, without authentication.

use std::net::SocketAddr;
use std::time::Duration;

use salvo::catcher::Catcher;
use salvo::conn::{Acceptor as _, Listener as _, TcpListener};
use salvo::fuse::FuseConfig;
use salvo::http::header::CONTENT_TYPE as CONTENT_TYPE_HEADER;
use salvo::http::{HeaderValue, StatusCode};
use salvo::{Depot, FlowCtrl, Handler, Request, Response, Router, Service, async_trait};
use thiserror::Error;

use super::sources::Sources;
use super::text::{CONTENT_TYPE, text};

/// Open connections; more wait. A few scrapers need no more, and each holds a file descriptor.
const CONNECTIONS: usize = 16;

/// Time limit for the head of a request. Scrapers usually wait 10 seconds, so a scrape that waits after connections
/// without a request is still served.
const HEAD: Duration = Duration::from_secs(5);

/// Time after which a connection without progress is closed.
const SILENT: Duration = Duration::from_secs(10);

/// Reports that the metrics address cannot be opened.
#[derive(Debug, Error)]
#[error("cannot listen for metrics on {address}: {reason}")]
pub struct WatchError {
    address: SocketAddr,
    reason: String,
}

/// Serves metrics on an address; returns it with the actual port.
///
/// # Errors
/// When listening on the address fails.
pub async fn listen(address: SocketAddr, sources: Sources) -> Result<SocketAddr, WatchError> {
    let bound = TcpListener::new(address).try_bind().await;
    let acceptor = bound.map_err(|error| WatchError {
        address,
        reason: error.to_string(),
    })?;
    let holding = acceptor.holdings().first();
    let chosen = holding.and_then(|holding| holding.local_addr.clone().into_std());
    let chosen = chosen.unwrap_or(address);
    let router = Router::with_path("metrics").get(Exposition(sources));
    // Only Prometheus uses this listener: error responses have a status and no body.
    let service = Service::new(router).catcher(Catcher::new(Nothing));
    let fuse = FuseConfig::strict()
        .with_http1_header_timeout(HEAD)
        .with_connection_idle_timeout(SILENT)
        .with_write_stall_timeout(SILENT)
        .with_request_body_timeout(SILENT);
    let server = salvo::Server::new(acceptor)
        .max_connections(CONNECTIONS)
        .fuse_config(fuse);
    tokio::spawn(server.try_serve(service));
    tracing::info!(address = %chosen, "serving metrics");
    Ok(chosen)
}

struct Exposition(Sources);

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
