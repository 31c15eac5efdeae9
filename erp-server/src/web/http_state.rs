//! State shared by the request layer and all handlers: options, limits, compression, metrics.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use salvo::http::HeaderValue;
use salvo_compression::{Compression, CompressionLevel};
use tokio::sync::Semaphore;

use super::compress::compression;
use super::options::WebOptions;
use super::permits::{MemoryBudget, Unread};
use super::security;
use super::throttle::Throttle;
use crate::observe::counters::Metrics;
use crate::observe::logging::LineLimit;

/// State of the HTTP layer; one instance per server.
pub struct HttpState {
    pub options: WebOptions,
    pub throttle: Throttle,
    pub(super) requests: Arc<Semaphore>,
    pub(super) bodies: MemoryBudget,
    /// The server with this state, whose connections are counted. The first one stays.
    pub(super) server: OnceLock<erp_net::Handle>,
    /// Bytes of responses that are not read.
    pub(super) unread: Unread,
    /// Limits the log lines of requests that no rate limits.
    pub(super) free_lines: LineLimit,
    pub(super) compression: Compression,
    pub metrics: Metrics,
    /// Value of `Strict-Transport-Security`, sent on encrypted connections only.
    pub(super) transport: Option<HeaderValue>,
    stopping: AtomicBool,
}

impl HttpState {
    pub fn new(options: WebOptions) -> Arc<Self> {
        let limits = options.limits;
        Arc::new(Self {
            throttle: Throttle::new(options.rates),
            requests: Arc::new(Semaphore::new(limits.max_requests)),
            bodies: MemoryBudget::new(limits.body_memory_bytes),
            server: OnceLock::new(),
            unread: Unread::default(),
            free_lines: LineLimit::default(),
            transport: security::transport(options.hsts_seconds),
            stopping: AtomicBool::new(false),
            compression: compression(CompressionLevel::Fastest),
            metrics: Metrics::new(),
            options,
        })
    }

    pub fn connections(&self) -> usize {
        self.server.get().map_or(0, erp_net::Handle::connections)
    }

    // rule: D-AUT-16
    /// Logs a refused login, at the limited rate of what strangers cause. `user` is a name only where there is such a user:
    /// people type passwords into the field of the name.
    pub fn login_refused(&self, request_id: &str, user: Option<&str>, client: Option<IpAddr>) {
        if self.free_lines.take() {
            let user = user.unwrap_or("unknown");
            let address = client.and_then(|client| self.options.log_addresses.of(client));
            tracing::warn!(request_id, user, address, "login refused");
        }
    }

    /// Marks the server as shutting down; readiness checks fail from now on.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// Whether the server is shutting down; used by the readiness check.
    pub fn stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }
}
