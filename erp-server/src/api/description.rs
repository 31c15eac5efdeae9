//! `GET /openapi.json`, `GET /docs`: API description.

use std::sync::Arc;

use erp_core::storage::Storage;
use salvo::http::HeaderValue;
use salvo::http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};

use super::Shared;
use crate::openapi::{Description, POLICY, description};
use crate::web::{Answer, ApiError, Call, JSON};

/// The OpenAPI document.
pub(super) async fn document<S: Storage + 'static>(
    app: Shared<S>,
    _: Call,
) -> Result<Answer, ApiError> {
    Ok(Answer::shared(JSON, Arc::clone(&of(&app).json)))
}

/// The API description as an HTML page.
pub(super) async fn page<S: Storage + 'static>(
    app: Shared<S>,
    _: Call,
) -> Result<Answer, ApiError> {
    let policy = HeaderValue::try_from(POLICY.as_str())
        .map_err(|error| ApiError::internal(error.to_string()))?;
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    Ok(Answer::shared(html, Arc::clone(&of(&app).page))
        .header(CONTENT_SECURITY_POLICY, policy)
        .header(REFERRER_POLICY, HeaderValue::from_static("no-referrer"))
        .header(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")))
}

fn of<S: Storage>(app: &Shared<S>) -> &'static Description {
    description(app.options().expires_in_as_string)
}
