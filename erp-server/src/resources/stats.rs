//! `GET /admin/stats`: the state of the server in numbers. Admins only.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::app::{Admin, App, Shared};
use crate::observe::history::{Counted, Point, STEP_SECONDS};
use crate::observe::process::Process;
use crate::openapi::object::Components;
use crate::openapi::operation::Described;
use crate::openapi::schema::{
    about, data, list, named, object, one_of, or_null, text, time, whole,
};
use crate::web::{ApiError, ApiRequest, ApiResponse, Resource, Routes};

/// Limit for counting deliveries, as for metrics.
const MOST_DELIVERIES: usize = 10_000;

/// The path of the numbers.
pub(super) fn routes(routes: Routes<App>) -> Routes<App> {
    routes.at("/admin/stats", Resource::new().get(read))
}

/// Numbers of this server since its start; those of the store and of events are of all servers.
pub(super) async fn read(
    app: Shared,
    user: Admin,
    _request: ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let state = Arc::clone(&app);
    let system = tokio::task::spawn_blocking(move || (state.figures.store(), Process::now()));
    let (store, process) = system
        .await
        .map_err(|error| ApiError::internal(error.to_string()))?;
    let (state, admin) = (Arc::clone(&app), user.clone());
    let counted = app.long_reads.read(async move {
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
    let history = app.http_state.metrics().history().counted();
    ApiResponse::json(&json!({"data": {
        "version": env!("CARGO_PKG_VERSION"),
        "started": app.figures.started().to_string(),
        "now": now.to_string(),
        "store": store.map(|store| json!({"kind": store.kind, "bytes": store.bytes})),
        "lastBackup": backup.map(|backup| backup.at.to_string()),
        "requests": {"2xx": history.successes, "4xx": history.refusals, "5xx": history.failures},
        "orders": history.orders,
        "unsellable": &*unsellable,
        "events": {
            "waiting": backlog.deliveries,
            "failed": failed,
            "oldestWaitingSeconds": oldest.map_or(0, |age| age.as_secs().max(0)),
        },
        "connections": app.http_state.connections(),
        "memoryBytes": process.resident_bytes,
        "history": columns(&history),
    }}))
}

fn columns(counted: &Counted) -> Value {
    let column = |of: fn(&Point) -> u64| counted.hour.iter().map(of).collect::<Value>();
    json!({
        "stepSeconds": STEP_SECONDS,
        "requests": column(|point| point.requests),
        "errors": column(|point| point.errors),
        "p50Micros": column(|point| point.median_micros),
        "orders": column(|point| point.orders),
    })
}

/// Their OpenAPI description.
pub(super) fn operations() -> Vec<Described> {
    vec![
        Described::get("/admin/stats", "readStats", "The state of the server in numbers")
            .about("Requests, orders, connections and the history are of this server since its start, in memory only; events are those of the store, counted among its newest 10,000 deliveries.")
            .admin()
            .answers(200, "The numbers", data(named("Stats")), json!({"data": example()})),
    ]
}

fn example() -> Value {
    json!({
        "version": "0.1.0",
        "started": "2026-06-01T08:00:00Z",
        "now": "2026-06-01T10:00:00Z",
        "store": {"kind": "embedded", "bytes": 16_777_216},
        "lastBackup": "2026-06-01T09:00:00Z",
        "requests": {"2xx": 1200, "4xx": 12, "5xx": 0},
        "orders": 17,
        "unsellable": {
            "articles": 1,
            "noPrice": {"count": 1, "examples": ["A-100"]},
            "noTaxRate": {"count": 0, "examples": []},
            "hidden": {"count": 0, "examples": []},
            "inactive": {"count": 0, "examples": []},
        },
        "events": {"waiting": 1, "failed": 0, "oldestWaitingSeconds": 2},
        "connections": 3,
        "memoryBytes": 52_428_800,
        "history": {"stepSeconds": 60, "requests": [10, 12], "errors": [0, 0], "p50Micros": [320, 352], "orders": [0, 1]},
    })
}

/// The schema of the numbers.
pub(super) fn records(components: Components) -> Components {
    let store = object([
        (
            "kind",
            about("Where the records are", one_of(["embedded", "database"])),
        ),
        (
            "bytes",
            about("Size on the disk of the embedded store", or_null(whole())),
        ),
    ])
    .description("The store");
    let requests = object([
        ("2xx", about("Successes", whole())),
        ("4xx", about("Refused requests", whole())),
        ("5xx", about("Failures of the server", whole())),
    ])
    .description("Responses since the start");
    let events = object([
        ("waiting", about("Deliveries to be made", whole())),
        (
            "failed",
            whole()
                .description("Deliveries whose last attempt failed")
                .into(),
        ),
        (
            "oldestWaitingSeconds",
            about("Age of the oldest event that waits", whole()),
        ),
    ])
    .description("Events of the store");
    let counted = |reason: &str| {
        let examples = about("The first article numbers", list(text()));
        let counted = object([
            ("count", about("How many", whole())),
            ("examples", examples),
        ]);
        counted.description(reason).into()
    };
    let unsellable = object([
        ("articles", about("Articles with at least one reason", whole())),
        (
            "noPrice",
            counted("No price in the currency and price list of the company"),
        ),
        ("noTaxRate", counted("No tax code, or none with a rate today")),
        ("hidden", counted("Shown to no shop (`RESTWEBSHOP`)")),
        ("inactive", counted("`ArtikelStatus` is not 1")),
    ])
    .description("Articles that cannot be sold, with the first numbers of each reason; an article may have several");
    let numbers = |text| about(text, list(whole()));
    let history = object([
        ("stepSeconds", about("Seconds of one number", whole())),
        ("requests", numbers("Requests")),
        ("errors", numbers("Failures of the server")),
        ("p50Micros", numbers("Median duration in microseconds")),
        ("orders", numbers("Orders made")),
    ])
    .description("The last hour: 60 numbers each, the oldest first; the last one is of the minute that is not over");
    let stats = object([
        ("version", about("Version of the server", text())),
        ("started", about("When the server started", time())),
        ("now", about("The server's time", time())),
        ("store", or_null(store).into()),
        (
            "lastBackup",
            or_null(time())
                .description(
                    "When a backup was verified for the last time, by any server on the store",
                )
                .into(),
        ),
        ("requests", requests.into()),
        (
            "orders",
            whole().description("Orders made since the start").into(),
        ),
        ("unsellable", unsellable.into()),
        ("events", events.into()),
        ("connections", about("Open connections", whole())),
        (
            "memoryBytes",
            about("Memory of the process", or_null(whole())),
        ),
        ("history", history.into()),
    ]);
    components.add_schema("Stats", stats)
}
