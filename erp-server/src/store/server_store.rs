//! What a server asks of its store besides the records.

use erp_core::internal::Snapshots;
use erp_core::storage::StorageError;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::{Metric, Registry};

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

    fn metrics(&self, scrape: &mut Scrape);

    /// Completes waiting commits and closes files and connections; from then on every handle returns
    /// [`StorageError::Closed`].
    /// Errors: when what was committed cannot be written.
    fn close(&self) -> Result<(), StorageError>;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreHealth {
    pub works: bool,
    /// Whether it works and commits go through.
    pub takes_writes: bool,
    /// Why it accepts no write before the server is started again.
    pub failed: Option<String>,
}

/// Adds a metric, with what `metrics.tsv` says about it.
pub(crate) fn register(registry: &mut Registry, name: &str, metric: impl Metric) {
    let mut rows = include_str!("metrics.tsv").lines();
    let help = rows.find_map(|row| row.strip_prefix(name)?.strip_prefix('\t'));
    registry.register(name, help.unwrap_or_default(), metric);
}

/// Figures that are read when they are asked for.
#[derive(Debug, Default)]
pub struct Scrape(pub Registry);

impl Scrape {
    pub fn counter(&mut self, name: &str, value: u64) {
        register(&mut self.0, name, ConstCounter::new(value));
    }

    pub fn gauge(&mut self, name: &str, value: impl TryInto<i64>) {
        let value = value.try_into().unwrap_or(i64::MAX);
        register(&mut self.0, name, ConstGauge::new(value));
    }
}
