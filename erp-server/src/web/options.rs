//! Options of the HTTP layer.

use std::path::PathBuf;
use std::time::Duration;

use erp_net::Listen;

use super::links::{BaseUrl, Proxy};

#[derive(Clone, Debug)]
pub struct WebOptions {
    pub listen: Listen,
    /// File of the certificate chain; with `tls_key`.
    pub tls_certificate: Option<PathBuf>,
    pub tls_key: Option<PathBuf>,
    /// Seconds of `Strict-Transport-Security`; 0 sends none.
    pub hsts_seconds: u64,
    /// Base of links; `None` takes scheme and host of the request.
    pub base_url: Option<BaseUrl>,
    /// Proxies whose `X-Forwarded-*` headers are believed.
    pub trusted_proxies: Vec<Proxy>,
    pub cors_origins: Vec<String>,
    pub timeouts: Timeouts,
    pub limits: Limits,
    pub rates: RateLimits,
}

#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// A whole request, unless its route says otherwise.
    pub request: Duration,
    /// The head of a request; pauses of a client while it sends a body or takes a response.
    pub client: Duration,
    /// A connection without a request.
    pub idle: Duration,
}

/// Sizes and counts.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub json_body_bytes: u64,
    /// All bodies in memory, except those with a budget of their own. At least the longest body.
    pub body_memory_bytes: u64,
    /// Requests in progress, except those that wait for their body.
    pub max_requests: usize,
    pub max_connections: usize,
    pub connections_per_address: usize,
}

#[derive(Clone, Copy, Debug)]
pub struct RateLimits {
    pub enabled: bool,
    pub requests_per_minute: u32,
    /// Requests of one user at once.
    pub requests_burst: u32,
    pub token_requests_per_minute: u32,
}
