//! What a server asks of its store besides the records.

use erp_core::storage::{Snapshots, StorageError};
use prometheus_client::metrics::histogram::Histogram;

/// A store that a server can run on. No method but [`ServerStore::close`] waits for anything.
pub trait ServerStore: Snapshots {
    /// Whether other servers may use the store at the same time.
    fn is_shared(&self) -> bool;

    /// Whether it works, by what is known of it.
    fn status(&self) -> StoreHealth;

    /// What was damaged when it was opened, and was repaired.
    fn repairs(&self) -> Vec<String> {
        Vec::new()
    }

    /// Begins what checks it in the background, on the runtime of the server.
    fn begin_checks(&self) {}

    /// Its figures for monitoring.
    fn metrics(&self) -> Vec<Metric>;

    /// Completes waiting commits and closes files and connections; from then on every handle returns
    /// [`StorageError::Closed`].
    ///
    /// # Errors
    /// When what was committed cannot be written.
    fn close(&self) -> Result<(), StorageError>;
}

/// The health of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreHealth {
    pub works: bool,
    /// Whether it works and commits go through.
    pub takes_writes: bool,
    /// Why it accepts no write before the server is started again.
    pub failed: Option<String>,
}

/// Name, meaning and value of a figure.
pub type Metric = (&'static str, &'static str, MetricValue);

#[derive(Debug)]
pub enum MetricValue {
    Counter(u64),
    Gauge(u64),
    Histogram(Histogram),
}

impl MetricValue {
    pub fn count(count: usize) -> Self {
        Self::Gauge(u64::try_from(count).unwrap_or(u64::MAX))
    }
}
