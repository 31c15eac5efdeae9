//! The embedded store as a server sees it.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use erp_core::storage::StorageError;
use erp_store_sled::SledStore;

use super::{Scrape, ServerStore, StoreHealth, register};

impl ServerStore for SledStore {
    fn is_shared(&self) -> bool {
        false
    }

    fn status(&self) -> StoreHealth {
        let failed = self.writes_refused();
        StoreHealth {
            works: failed.is_none(),
            takes_writes: failed.is_none(),
            failed,
        }
    }

    fn repairs(&self) -> Vec<String> {
        let rewritten = self.rewritten().iter().map(|file| {
            format!(
                "the file `{file}` in the data folder was damaged; it was rewritten from its copy"
            )
        });
        let rebuilt = self.repaired().map(|(fault, recovery)| {
            format!(
                "the store was damaged: {fault}; the records were rebuilt from the journal, which holds every commit; \
                 the damaged files are in `{}` in the data folder",
                recovery.aside
            )
        });
        rewritten.chain(rebuilt).collect()
    }

    /// Reads every record, if the start did not: damage is logged.
    fn begin_checks(&self) {
        if self.dropped_tail() {
            tracing::warn!(
                "the journal ended with a commit that is not whole; it was dropped: a write that was interrupted, or damage to what was acknowledged in the last moment before a crash"
            );
        }
        if self.is_proved() {
            return;
        }
        let store = self.clone();
        tokio::task::spawn_blocking(move || match store.read_all() {
            Ok(records) => tracing::info!(records, "every record was read"),
            Err(StorageError::Closed) => (),
            Err(error) => tracing::error!(%error, "a record is damaged or missing"),
        });
    }

    fn metrics(&self, scrape: &mut Scrape) {
        let status = self.status();
        scrape.counter("erp_store_commit_groups", status.groups);
        scrape.counter("erp_store_commits", status.commits);
        scrape.counter("erp_store_syncs", status.syncs);
        scrape.counter("erp_store_checkpoints", status.checkpoints);
        scrape.gauge("erp_store_queue_length", status.queued);
        scrape.gauge("erp_store_memory_bytes", status.memory_bytes);
        scrape.gauge("erp_store_last_revision", status.last_revision);
        scrape.gauge("erp_store_applied_revision", status.applied_revision);
        let name = "erp_store_sync_duration_seconds";
        register(&mut scrape.0, name, self.sync_time());
        let ended = status.last_checkpoint;
        let ended = ended.and_then(|ended| ended.duration_since(UNIX_EPOCH).ok());
        if let Some(ended) = ended {
            let name = "erp_store_last_checkpoint_timestamp_seconds";
            scrape.gauge(name, ended.as_secs());
        }
    }

    fn close(&self) -> Result<(), StorageError> {
        Self::close(self)
    }
}

/// Sizes on the disk of the records and of the journal, in bytes.
pub(crate) fn bytes_of(data: &Path) -> [u64; 2] {
    ["sled", "journal"].map(|folder| size_of(data.join(folder)))
}

/// Total size in bytes of all files in a folder. Files removed during the scan count as zero.
fn size_of(folder: PathBuf) -> u64 {
    let mut folders = vec![folder];
    let mut bytes = 0_u64;
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries {
            match entry.metadata() {
                Ok(metadata) if metadata.is_dir() => folders.push(entry.path()),
                Ok(metadata) => bytes += metadata.len(),
                Err(_) => {}
            }
        }
    }
    bytes
}
