//! The database as a server sees it.

use erp_core::storage::StorageError;
use erp_store_postgres::PostgresStore;

use super::MetricValue::{Counter, Histogram};
use super::{Metric, MetricValue, ServerStore, StoreHealth};

impl ServerStore for PostgresStore {
    fn is_shared(&self) -> bool {
        true
    }

    fn status(&self) -> StoreHealth {
        let status = self.status();
        StoreHealth {
            works: status.reachable,
            takes_writes: status.reachable && !status.commits_stuck,
            failed: None,
        }
    }

    /// Warns when a crash of the database or its machine may lose acknowledged commits.
    fn begin_checks(&self) {
        let store = self.clone();
        tokio::spawn(async move {
            match store.risks().await {
                Ok(risks) if risks.is_empty() => (),
                Ok(risks) => tracing::warn!(
                    settings = risks.join(", "),
                    "the database may lose acknowledged records in a crash: these settings are off"
                ),
                Err(error) => {
                    tracing::warn!(%error, "the settings of the database could not be read")
                }
            }
        });
    }

    fn metrics(&self) -> Vec<Metric> {
        let status = self.status();
        vec![
            (
                "erp_store_commits",
                "Commits written",
                Counter(status.commits),
            ),
            (
                "erp_store_conflicts",
                "Commits that a guard refused",
                Counter(status.conflicts),
            ),
            (
                "erp_store_repeats",
                "Commits tried again because others were at the same records",
                Counter(status.repeats),
            ),
            (
                "erp_database_round_trips",
                "Questions to the database",
                Counter(status.round_trips),
            ),
            (
                "erp_database_connections",
                "Open connections to the database",
                MetricValue::count(status.connections),
            ),
            (
                "erp_store_queue_length",
                "Operations that wait for a connection to the database",
                MetricValue::count(status.waiting),
            ),
            (
                "erp_store_commit_duration_seconds",
                "Time of a commit, with what was tried again",
                Histogram(self.commit_time()),
            ),
        ]
    }

    fn close(&self) -> Result<(), StorageError> {
        Self::close(self);
        Ok(())
    }
}
