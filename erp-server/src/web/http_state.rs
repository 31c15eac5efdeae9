//! State shared by the request layer and all handlers: options, limits, compression, metrics.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use salvo::http::mime::{self, Mime};
use salvo::http::{HeaderValue, ReqBody};
use salvo_compression::{Compression, CompressionLevel};
use tokio::sync::Semaphore;

use super::body::Arriving;
use super::options::WebOptions;
use super::permits::{ConcurrencyPermit, MemoryBudget, Unread};
use super::security;
use super::throttle::Throttle;
use crate::observe::counters::Metrics;
use crate::observe::logging::LineLimit;

/// Minimum size for compression; smaller responses fit in one packet anyway.
pub(super) const COMPRESSED_FROM_BYTES: usize = 1_024;

/// State of the HTTP layer; one instance per server.
pub struct HttpState {
    options: WebOptions,
    throttle: Throttle,
    requests: Arc<Semaphore>,
    bodies: MemoryBudget,
    /// The server with this state.
    server: OnceLock<erp_net::Handle>,
    unread: Unread,
    free_lines: LineLimit,
    compression: Compression,
    metrics: Metrics,
    transport: Option<HeaderValue>,
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
            compression: compression(),
            metrics: Metrics::new(),
            options,
        })
    }

    pub const fn options(&self) -> &WebOptions {
        &self.options
    }

    pub const fn throttle(&self) -> &Throttle {
        &self.throttle
    }

    /// Prometheus counters.
    pub const fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    pub fn connections(&self) -> usize {
        self.server.get().map_or(0, erp_net::Handle::connections)
    }

    /// Sets the server whose connections are counted. The first one stays.
    pub(super) fn set_server(&self, server: erp_net::Handle) {
        let _ = self.server.set(server);
    }

    /// Marks the server as shutting down; readiness checks fail from now on.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// Whether the server is shutting down; used by the readiness check.
    pub fn stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Wraps a request body with the memory budget.
    pub(super) fn arriving(&self, body: ReqBody, place: ConcurrencyPermit) -> Arriving {
        Arriving::new(body, place, self.bodies.permit())
    }

    /// Value of `Strict-Transport-Security`, sent on encrypted connections only.
    pub(super) const fn transport(&self) -> Option<&HeaderValue> {
        self.transport.as_ref()
    }

    /// Bytes of responses that are not read.
    pub(super) const fn unread(&self) -> &Unread {
        &self.unread
    }

    /// Limits the log lines of requests that no rate limits.
    pub(super) const fn free_lines(&self) -> &LineLimit {
        &self.free_lines
    }

    pub(super) const fn requests(&self) -> &Arc<Semaphore> {
        &self.requests
    }

    pub(super) const fn compression(&self) -> &Compression {
        &self.compression
    }
}

impl fmt::Debug for HttpState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpState").finish_non_exhaustive()
    }
}

/// Compresses text, JSON and Wasm; PDF and images are already compressed.
fn compression() -> Compression {
    let named = [mime::APPLICATION_JSON, mime::TEXT_STAR];
    let types: Vec<Mime> = named
        .into_iter()
        .chain("application/wasm".parse())
        .collect();
    Compression::new()
        .disable_all()
        .enable_gzip(CompressionLevel::Fastest)
        .enable_brotli(CompressionLevel::Fastest)
        .min_length(COMPRESSED_FROM_BYTES)
        .content_types(&types)
}
