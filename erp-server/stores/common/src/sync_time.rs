//! How long commits take to become durable.

use std::time::Duration;

use prometheus_client::metrics::histogram::Histogram;

/// Upper bounds of sync times in seconds: from a cache that pretends to a disk that is about to fail.
const SYNC_SECONDS: [f64; 12] = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.1, 0.25, 1.0, 5.0,
];

/// A histogram of the time that groups of commits take to be written and synced, in seconds. Clones count
/// into the same one.
#[derive(Clone, Debug)]
pub struct SyncTime(Histogram);

impl SyncTime {
    /// Counts one group.
    pub fn observe(&self, took: Duration) {
        self.0.observe(took.as_secs_f64());
    }

    /// The histogram, to be registered under a name.
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
