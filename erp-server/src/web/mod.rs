//! The HTTP layer between the sockets and the handlers.
//!
//! [`Routes`] binds handlers to paths and methods; [`service`] wraps them with the steps common to all requests
//! (ids, limits, headers, compression, log). Other modules use only the few types of the HTTP library that are
//! re-exported here.
//!
//! Requests that hyper rejects while parsing get an empty response without our error body, and the connection is
//! closed: invalid HTTP (400), more than 100 header fields or a head far beyond the limits
//! (431), a URI of more than 64 KiB (414). A request head that arrives too slowly gets 408 with our body.

mod api_request;
mod api_response;
mod auth;
mod body;
mod charset;
mod compress;
mod conditional;
mod content;
mod cors;
mod embedded;
mod error;
mod file;
mod http_state;
mod links;
mod options;
mod page;
mod permits;
mod query;
mod request_layer;
mod route;
mod security;
mod server;
mod static_body;
mod stream;
#[cfg(test)]
mod tests;
mod throttle;

use std::sync::Arc;

pub use api_request::ApiRequest;
pub use api_response::ApiResponse;
pub use auth::Basic;
pub use body::not_json;
pub use charset::Charset;
pub use content::{JSON, preferred};
pub use cors::origin;
pub use embedded::embedded;
pub(crate) use embedded::embedded_files;
pub use erp_net::{Certificates, Error as ListenError, Handle, Listen, Server};
pub(crate) use error::shorten;
pub use error::{ApiError, RETRY_SECONDS, Result};
pub use file::{FileHead, WantedPart};
pub use http_state::HttpState;
pub use links::{BaseUrl, Proxy};
pub use options::{Limits, LogAddresses, RateLimits, Timeouts, WebOptions};
pub use page::{PageError, ShopPage};
pub(crate) use permits::MemoryBudget;
pub use query::{MAX_INT, Query, decode, encode, path_number};
pub use route::{Application, Authorized, Caller, Resource, Routes};
pub use salvo::Service;
pub use salvo::http::{HeaderMap, HeaderName, HeaderValue, Method, ResBody, StatusCode};
pub use server::{bind, run_here, serve};
pub use static_body::StaticBody;
pub use stream::{Chunks, StreamError};
pub use throttle::{RateStatus, Throttle};

/// Builds the service: all routes, wrapped by the request layer. The layer gives every error a body, so that salvo adds none.
pub fn service<A: Application>(app: &Arc<A>, routes: Routes<A>) -> Service {
    let http_state = Arc::clone(app.http_state());
    Service::new(routes.into_router(app)).hoop(request_layer::RequestLayer(http_state))
}
