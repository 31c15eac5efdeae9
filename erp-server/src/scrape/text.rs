//! Text of the Prometheus endpoint: request counters, and values read at scrape time.

use std::fmt;
use std::path::Path;

use erp_core::internal::{Backlog, BackupNote};
use jiff::Timestamp;
use prometheus_client::encoding::text::{encode_eof, encode_registry};

use crate::observe::process::Process;
use crate::resources::App;
use crate::store::{Scrape, Store, bytes_of, free_bytes};

/// Content type of the response (OpenMetrics 1.0).
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Limit for counting pending deliveries: a scrape must not scan millions of keys.
const MOST_DELIVERIES: usize = 10_000;

/// All metrics as text.
/// Errors: when formatting fails, which does not happen.
pub async fn text(app: &App) -> Result<String, fmt::Error> {
    let folder = app.data_dir.clone();
    let values = tokio::task::spawn_blocking(move || SystemValues::read(&folder)).await;
    let upkeep = app.erp.upkeep(Timestamp::now());
    let backlog = upkeep.events().backlog(MOST_DELIVERIES).await;
    let backup = upkeep.last_backup().await;
    let mut read = Scrape::default();
    read.store(app.erp.store());
    // Unreadable values are omitted; a failing store is visible in its own metrics.
    if let Ok(values) = values {
        read.system(&values);
    }
    if let Ok(backlog) = backlog {
        read.backlog(&backlog, Timestamp::now());
    }
    if let Ok(backup) = backup {
        read.backup(backup);
    }
    let mut text = String::new();
    encode_registry(&mut text, &app.http_state.metrics.registry)?;
    encode_registry(&mut text, &read.0)?;
    encode_eof(&mut text)?;
    Ok(text)
}

struct SystemValues {
    process: Process,
    sled_bytes: u64,
    journal_bytes: u64,
    free_bytes: Option<u64>,
}

impl SystemValues {
    fn read(data: &Path) -> Self {
        let [sled_bytes, journal_bytes] = bytes_of(data);
        Self {
            process: Process::now(),
            sled_bytes,
            journal_bytes,
            free_bytes: free_bytes(data).ok(),
        }
    }
}

impl Scrape {
    fn store(&mut self, store: &Store) {
        store.metrics(self);
        self.gauge("erp_store_writable", i64::from(store.status().works));
    }

    fn system(&mut self, values: &SystemValues) {
        let process = values.process;
        let gauges = [
            ("erp_store_sled_bytes", Some(values.sled_bytes)),
            ("erp_store_journal_bytes", Some(values.journal_bytes)),
            ("erp_disk_free_bytes", values.free_bytes),
            ("process_resident_memory_bytes", process.resident_bytes),
            ("process_open_fds", process.open_files),
            ("process_threads", process.threads),
        ];
        for (name, value) in gauges {
            if let Some(value) = value {
                self.gauge(name, value);
            }
        }
    }

    fn backlog(&mut self, backlog: &Backlog, now: Timestamp) {
        self.gauge("erp_event_deliveries_waiting", backlog.deliveries);
        let waits = backlog.oldest.map(|oldest| now.duration_since(oldest));
        let seconds = waits.map_or(0, |waits| waits.as_secs().max(0));
        self.gauge("erp_event_oldest_waiting_seconds", seconds);
    }

    fn backup(&mut self, last: Option<BackupNote>) {
        let seconds = last.map_or(0, |last| last.at.as_second().max(0));
        self.gauge("erp_last_backup_timestamp_seconds", seconds);
    }
}
