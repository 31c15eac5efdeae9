//! The database as a server sees it.

use erp_core::storage::StorageError;
use erp_store_postgres::PostgresStore;

use super::{Scrape, ServerStore, StoreHealth};

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

    fn metrics(&self, scrape: &mut Scrape) {
        let status = self.status();
        scrape.counter("erp_store_commits", "Commits written", status.commits);
        let help = "Commits that a guard refused";
        scrape.counter("erp_store_conflicts", help, status.conflicts);
        let help = "Commits tried again because others were at the same records";
        scrape.counter("erp_store_repeats", help, status.repeats);
        let help = "Questions to the database";
        scrape.counter("erp_database_round_trips", help, status.round_trips);
        let help = "Open connections to the database";
        scrape.gauge("erp_database_connections", help, status.connections);
        let help = "Operations that wait for a connection to the database";
        scrape.gauge("erp_store_queue_length", help, status.waiting);
        let (name, help) = (
            "erp_store_commit_duration_seconds",
            "Time of a commit, with what was tried again",
        );
        scrape.0.register(name, help, self.commit_time());
    }

    fn close(&self) -> Result<(), StorageError> {
        Self::close(self);
        Ok(())
    }
}
