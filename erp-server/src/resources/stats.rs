//! `GET /admin/stats`: the state of the server in numbers.

use std::sync::Arc;

use erp_core::internal::Unsellable;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::app::{App, Clerk, Operation, Shared};
use super::response::{Data, data};
use crate::observe::history::{LastHour, RequestStats};
use crate::observe::process::Process;
use crate::store::bytes_of;
use crate::web::{ApiError, ApiRequest, ApiResponse, Result};

/// Limit for counting deliveries, as for metrics.
const MOST_DELIVERIES: usize = 10_000;

/// Numbers of this server since its start; those of the store and of events are of all servers.
async fn read(app: Shared, user: Clerk, _request: ApiRequest) -> Result<ApiResponse> {
    let state = Arc::clone(&app);
    let system = tokio::task::spawn_blocking(move || (StoreFigures::of(&state), Process::now()));
    let (store, process) = system.await.map_err(ApiError::internal)?;
    let (state, admin) = (Arc::clone(&app), user.clone());
    let counted = app.long_reads.read(user.signature(), async move {
        let events = admin.upkeep(&state).events();
        let backlog = events.backlog(MOST_DELIVERIES).await?;
        let failed = events.count_failed(MOST_DELIVERIES).await?;
        let unsellable = admin.office(&state).unsellable().await?;
        Ok::<_, erp_core::erp::Error>((backlog, failed, unsellable))
    });
    let (backlog, failed, unsellable) = counted.await??;
    let backup = user.upkeep(&app).last_backup().await?;
    let now = Timestamp::now();
    let oldest = backlog.oldest.map(|oldest| now.duration_since(oldest));
    let history = app.http_state.metrics.history.counted();
    data(Stats {
        version: env!("CARGO_PKG_VERSION"),
        started: app.started,
        now,
        store: Some(store),
        last_backup: backup.map(|backup| backup.at),
        requests: history.requests,
        orders: history.orders,
        unsellable: Unsellable::clone(&unsellable),
        events: EventStats {
            waiting: backlog.deliveries,
            failed,
            oldest_waiting_seconds: oldest.map_or(0, |age| age.as_secs().max(0)).unsigned_abs(),
        },
        connections: app.http_state.connections(),
        memory_bytes: process.resident_bytes,
        history: history.hour,
    })
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Stats {
    /// Version of the server.
    version: &'static str,
    /// When the server started.
    started: Timestamp,
    /// The server's time.
    now: Timestamp,
    /// The store.
    store: Option<StoreFigures>,
    /// When a backup was verified for the last time, by any server on the store.
    last_backup: Option<Timestamp>,
    /// Responses since the start.
    requests: RequestStats,
    /// Orders made since the start.
    orders: u64,
    /// Articles that cannot be sold, with the first numbers of each reason; an article may have several.
    unsellable: Unsellable,
    /// Events of the store.
    events: EventStats,
    /// Open connections.
    connections: usize,
    /// Memory of the process.
    memory_bytes: Option<u64>,
    /// The last hour: 60 numbers each, the oldest first; the last one is of the minute that is not over.
    history: LastHour,
}

/// Kind and size of the store.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct StoreFigures {
    /// Where the records are.
    #[schemars(extend("enum" = ["embedded", "database"]))]
    kind: &'static str,
    /// Size on the disk of the embedded store.
    bytes: Option<u64>,
}

impl StoreFigures {
    fn of(app: &App) -> Self {
        let (kind, bytes) = match app.erp.store().is_shared() {
            true => ("database", None),
            false => ("embedded", Some(bytes_of(&app.data_dir).iter().sum())),
        };
        Self { kind, bytes }
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct EventStats {
    /// Deliveries to be made.
    waiting: usize,
    /// Deliveries whose last attempt failed.
    failed: usize,
    /// Age of the oldest event that waits.
    oldest_waiting_seconds: u64,
}

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/admin/stats", "readStats")
            .by(read)
            .answers_as::<Data<Stats>>(200),
    ]
}
