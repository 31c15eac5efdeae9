//! Watches the store of a server.

use std::time::Duration;

use erp_core::storage::StorageError;

use crate::store::{SledStore, Store};

/// Polling interval of the check that the store accepts writes.
const LOOK_FOR_FAILURE: Duration = Duration::from_millis(250);

/// Waits until the store accepts no more writes, and returns the reason.
pub(crate) async fn wait_for_failure(store: &SledStore) -> String {
    loop {
        if let Some(reason) = store.writes_refused() {
            return reason;
        }
        tokio::time::sleep(LOOK_FOR_FAILURE).await;
    }
}

/// Reads every record in the background, if the start did not: damage is logged.
pub(crate) fn read_all(store: &SledStore) {
    if store.is_proved() {
        return;
    }
    let store = store.clone();
    tokio::task::spawn_blocking(move || match store.read_all() {
        Ok(records) => tracing::info!(records, "every record was read"),
        Err(StorageError::Closed) => (),
        Err(error) => tracing::error!(%error, "a record is damaged or missing"),
    });
}

/// Warns when a crash of the database or its machine may lose acknowledged commits.
pub(crate) async fn warn_of_risks(store: &Store) {
    let Store::Postgres(store) = store else {
        return;
    };
    match store.risks().await {
        Ok(risks) if risks.is_empty() => (),
        Ok(risks) => tracing::warn!(
            settings = risks.join(", "),
            "the database may lose acknowledged records in a crash: these settings are off"
        ),
        Err(error) => tracing::warn!(%error, "the settings of the database could not be read"),
    }
}
