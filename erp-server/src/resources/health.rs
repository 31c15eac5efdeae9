//! `GET /health`, `GET /health/live`, `GET /health/ready`.

use jiff::Timestamp;
use salvo::http::header::RETRY_AFTER;
use serde_json::{Map, Value, json};

use super::app::{Operation, Shared};
use crate::observe::readiness::Ready;
use crate::web::{
    ApiError, ApiRequest, ApiResponse, HeaderValue, RETRY_SECONDS, Result, StatusCode,
};

/// Liveness check. It checks nothing else, so that a full store does not cause a working server to be restarted.
async fn health(_: Shared, _: ApiRequest) -> Result<ApiResponse> {
    ApiResponse::json(&json!({"data": {"status": "ok"}}))
}

/// Readiness check. Needs no token, and reports failed checks without reasons.
async fn ready(app: Shared, _: ApiRequest) -> Result<ApiResponse> {
    let ready = app.ready();
    let mut checks = checks(ready);
    // One server among others finds out by itself, and without customer numbers it still takes orders.
    let upkeep = app.erp.upkeep(Timestamp::now());
    let has_numbers = upkeep.used_up_sequences().is_empty();
    checks.insert("numbers".to_owned(), word(has_numbers));
    if ready.all() {
        return ApiResponse::json(&json!({"data": {"status": "ready", "checks": checks}}));
    }
    // No cause: the problem was already logged where it occurred, and probes arrive every few seconds.
    let text = sentence!("wire.not_ready");
    Err(
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "not_ready", text)
            .with_header(RETRY_AFTER, HeaderValue::from(RETRY_SECONDS))
            .with_info("checks", checks),
    )
}

fn checks(ready: Ready) -> Map<String, Value> {
    let checks = ready.checks().into_iter();
    checks
        .map(|(name, holds)| (name.to_owned(), word(holds)))
        .collect()
}

fn word(holds: bool) -> Value {
    Value::from(if holds { "ok" } else { "failed" })
}

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/health", "readHealth")
            .open(health)
            .answers_with(200),
        Operation::get("/health/live", "readLiveness")
            .open(health)
            .answers_with(200),
        Operation::get("/health/ready", "readReadiness")
            .open(ready)
            .answers_with(200),
    ]
}
