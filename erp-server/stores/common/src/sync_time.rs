//! Metric: how long commits take to become durable.

use std::time::Duration;

use prometheus_client::metrics::histogram::Histogram;

/// Histogram bounds in seconds: from a disk cache that acknowledges early to a disk that is about to fail.
const SYNC_SECONDS: [f64; 12] = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.1, 0.25, 1.0, 5.0,
];

/// Histogram of the time to write and sync a group of commits, in seconds. Clones share the same data.
#[derive(Clone, Debug)]
pub struct SyncTime(Histogram);

impl SyncTime {
    /// Records the duration of one group.
    pub fn observe(&self, took: Duration) {
        self.0.observe(took.as_secs_f64());
    }

    /// The histogram, for registration under a metric name.
    #[must_use]
    pub fn histogram(&self) -> Histogram {
        self.0.clone()
    }
}

impl Default for SyncTime {
    fn default() -> Self {
        Self(Histogram::new(SYNC_SECONDS))
    }
}
