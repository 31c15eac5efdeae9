//! What every request passes and the handlers share: settings, limits, compression.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use salvo::http::mime::{self, Mime};
use salvo::http::{HeaderValue, ReqBody};
use salvo_compression::{Compression, CompressionLevel};
use tokio::sync::Semaphore;

use super::body::Arriving;
use super::connection_memory::ConnectionMemory;
use super::pace::Patience;
use super::place::{Budget, Place, Share};
use super::security;
use super::throttle::{Rate, Rates, Throttle};
use crate::config::Settings;
use crate::metrics::Metrics;

/// Smaller answers fit one packet either way.
pub(super) const COMPRESSED_FROM_BYTES: usize = 1_024;

/// Failed logins of a user from one address: the first ten at once, then one every six seconds (decisions,
/// section 4).
const FAILED_LOGINS: Rate = Rate {
    per_minute: 10,
    burst: 10,
};

/// Failed logins of a user from all addresses together. Far higher, so that a few addresses cannot lock a
/// user out; still low enough that no password is found by guessing.
const FAILED_LOGINS_OF_USER: Rate = Rate {
    per_minute: 100,
    burst: 1_000,
};

/// The state of the HTTP layer. One per server, shared by all its parts.
pub struct Gate {
    settings: Arc<Settings>,
    throttle: Throttle,
    requests: Arc<Semaphore>,
    bodies: Arc<Budget>,
    connection_memory: Arc<ConnectionMemory>,
    compression: Option<Compression>,
    metrics: Metrics,
    transport: Option<HeaderValue>,
    stopping: AtomicBool,
}

impl Gate {
    /// The state for these settings.
    #[must_use]
    pub fn new(settings: Arc<Settings>) -> Arc<Self> {
        let token_requests = settings.token_requests_per_minute;
        let rates = Rates {
            user: Rate {
                per_minute: settings.requests_per_minute,
                burst: settings.requests_burst,
            },
            token_requests: Rate {
                per_minute: token_requests,
                burst: token_requests,
            },
            failed_logins: FAILED_LOGINS,
            failed_logins_of_user: FAILED_LOGINS_OF_USER,
        };
        Arc::new(Self {
            throttle: Throttle::new(settings.rate_limits, rates),
            requests: Arc::new(Semaphore::new(settings.max_requests)),
            bodies: Budget::new(
                settings
                    .body_memory_bytes
                    .max(settings.json_body_bytes)
                    .max(settings.import_body_bytes),
            ),
            connection_memory: ConnectionMemory::new(
                settings.connection_memory_bytes,
                settings.unsent_response_bytes,
            ),
            transport: security::transport(settings.hsts_seconds),
            stopping: AtomicBool::new(false),
            compression: settings.compression.then(compression),
            metrics: Metrics::new(),
            settings,
        })
    }

    /// The settings of the server.
    #[must_use]
    pub const fn settings(&self) -> &Arc<Settings> {
        &self.settings
    }

    /// The limits of requests and logins.
    #[must_use]
    pub const fn throttle(&self) -> &Throttle {
        &self.throttle
    }

    /// What is counted about requests.
    #[must_use]
    pub const fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// The server is about to end: nobody should be sent to it any more.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// Whether the server is about to end, for who asks if it is ready.
    #[must_use]
    pub fn stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// The body of a request as it arrives.
    pub(super) fn arriving(&self, body: ReqBody, place: Place) -> Arriving {
        let patience = Patience {
            most: Duration::from_secs(self.settings.body_timeout_seconds),
            bytes_per_second: self.settings.least_bytes_per_second,
        };
        Arriving::new(body, place, patience, Share::of(Arc::clone(&self.bodies)))
    }

    /// The value of `Strict-Transport-Security` for encrypted connections.
    pub(super) const fn transport(&self) -> Option<&HeaderValue> {
        self.transport.as_ref()
    }

    /// What open connections hold.
    pub(super) const fn connection_memory(&self) -> &Arc<ConnectionMemory> {
        &self.connection_memory
    }

    pub(super) const fn requests(&self) -> &Arc<Semaphore> {
        &self.requests
    }

    pub(super) const fn compression(&self) -> Option<&Compression> {
        self.compression.as_ref()
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate").finish_non_exhaustive()
    }
}

/// Text, JSON and modules of pages; PDF and pictures are compressed already.
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
