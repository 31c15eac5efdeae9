//! `GET /health/ready`.

use erp_core::storage::Storage;
use salvo::http::header::RETRY_AFTER;
use serde_json::{Map, Value, json};

use super::Shared;
use crate::observe::readiness::Ready;
use crate::web::{
    Answer, ApiError, Application as _, Call, HeaderValue, RETRY_SECONDS, StatusCode,
};

/// Readiness check. Needs no token, and reports failed checks without reasons.
pub(super) async fn ready<S: Storage + 'static>(
    app: Shared<S>,
    _: Call,
) -> Result<Answer, ApiError> {
    let ready = app.readiness().check(!app.http_state().stopping());
    let checks = checks(ready);
    if ready.all() {
        return Answer::json(&json!({"data": {"status": "ready", "checks": checks}}));
    }
    // No cause: the problem was already logged where it occurred, and probes arrive every few seconds.
    let text = "the server should get no requests now; `info.checks` names why";
    Err(
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "not_ready", text)
            .with_header(RETRY_AFTER, HeaderValue::from(RETRY_SECONDS))
            .with_info("checks", checks),
    )
}

fn checks(ready: Ready) -> Map<String, Value> {
    let word = |holds| if holds { "ok" } else { "failed" };
    let checks = ready.checks().into_iter();
    checks
        .map(|(name, holds)| (name.to_owned(), Value::from(word(holds))))
        .collect()
}
