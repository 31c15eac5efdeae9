//! Serves the routes with `erp-net`, the server that bounds what clients hold.

use std::net::SocketAddr;
use std::sync::Arc;

use erp_net::{Certificates, Connection, RequestBody, Server};
use http_body_util::BodyExt as _;
use salvo::Service;
use salvo::conn::{ConnCtrl, SocketAddr as Peer};
use salvo::http::uri::Scheme;
use salvo::http::{ReqBody, ResBody};
use salvo::hyper::service::{Service as _, service_fn};
use salvo::hyper::{self, Request, Response};

use super::api_response::OfUser;
use super::error::Cause;
use super::http_state::HttpState;
use super::links;
use super::request_layer::{self, Unsent};
use super::route::Caller;

/// Longest head: path, fields, and room for the overhead that HTTP/2 counts for each field and bytes that follow the head.
/// Heads slightly over the limits still fit and get our own error response.
const HEAD_BYTES: usize = request_layer::URI_BYTES + request_layer::HEADER_BYTES + 8 * 1024;

/// Listens as configured, encrypted if the options contain a certificate; connections are accepted from [`serve`] on. Call it
/// in a tokio runtime.
/// Errors: when binding or loading the certificate fails; the message names the address or file.
pub fn bind(http_state: &Arc<HttpState>) -> Result<Server, erp_net::Error> {
    let options = &http_state.options;
    let (certificate, key) = (&options.tls_certificate, &options.tls_key);
    let (state, trusted) = (Arc::clone(http_state), options.trusted_proxies.clone());
    let server = Server::bind(erp_net::Options {
        listen: options.listen.clone(),
        certificates: Certificates::of(certificate.as_deref(), key.as_deref())?,
        client_timeout: options.timeouts.client,
        idle_timeout: options.timeouts.idle,
        head_bytes: HEAD_BYTES,
        max_connections: options.limits.max_connections,
        connections_per_address: options.limits.connections_per_address,
        is_proxy: Box::new(move |address| links::is_in(&trusted, Some(address))),
        head_too_slow: Box::new(move |client| {
            request_layer::head_too_slow(&state, client.is_encrypted)
        }),
    })?;
    let _ = http_state.server.set(server.handle());
    Ok(server)
}

/// Serves until the server is stopped and the last connection has ended.
pub async fn serve(server: Server, service: Service) {
    let serve = move |connection: Arc<Connection>| {
        let scheme = if connection.is_encrypted {
            Scheme::HTTPS
        } else {
            Scheme::HTTP
        };
        let (local, remote) = (peer(connection.local), peer(connection.remote));
        let handler = service.hyper_handler(local, remote, scheme, None, ConnCtrl::new(), None);
        service_fn(move |request: Request<RequestBody>| {
            let response = handler.call(request.map(boxed));
            let connection = Arc::clone(&connection);
            async move {
                let mut response = response.await?;
                let extensions = response.extensions_mut();
                if extensions.remove::<OfUser>().is_some() {
                    connection.set_known();
                }
                let held = extensions.remove::<Unsent>();
                // The closure keeps what is held until the body is sent or dropped.
                let counted = |body: ResBody| {
                    body.map_err(move |error| {
                        let _ = &held;
                        error
                    })
                };
                Ok::<_, hyper::Error>(response.map(counted))
            }
        })
    };
    server.serve(serve).await;
}

/// Carries out a request of this process as `user`. A request from a network never carries a user: it has a token.
/// Errors: the cause of a server error, which is otherwise written to the log only.
pub async fn run_here<U: Caller + Clone>(
    service: &Service,
    user: U,
    mut request: Request<Vec<u8>>,
) -> Result<Response<ResBody>, String> {
    request.extensions_mut().insert(user);
    let (scheme, connection) = (Scheme::HTTP, ConnCtrl::new());
    let handler =
        service.hyper_handler(Peer::Unknown, Peer::Unknown, scheme, None, connection, None);
    let response = handler.call(request).await;
    let mut response = response.map_err(|error| error.to_string())?;
    match response.extensions_mut().remove() {
        Some(Cause(cause)) if response.status().is_server_error() => Err(cause),
        _ => Ok(response),
    }
}

/// Clients of a unix socket have no address.
fn peer(address: Option<SocketAddr>) -> Peer {
    address.map_or(Peer::Unknown, Into::into)
}

fn boxed(body: RequestBody) -> ReqBody {
    ReqBody::Boxed {
        inner: Box::pin(body.map_err(Into::into)),
        fuse_config: None,
    }
}
