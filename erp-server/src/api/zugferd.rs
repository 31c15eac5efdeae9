//! `POST /www/zugferd`.

use std::time::Duration;

use erp_core::storage::Storage;

use super::Shared;
use crate::app::User;
use crate::config::Settings;
use crate::http::{Answer, ApiError, Call};

/// Embeds an invoice in a PDF, or takes it out of one.
pub(super) async fn run<S: Storage>(
    app: Shared<S>,
    _: User,
    mut call: Call,
) -> Result<Answer, ApiError> {
    // Nothing is changed, so the same request again does the same again: a key must be one, and that is all.
    call.idempotency_key()?;
    Ok(app.zugferd().run(&mut call).await?.into())
}

/// The time of a request, with sending its body.
pub(super) const fn time_limit(settings: &Settings) -> Duration {
    Duration::from_secs(settings.zugferd_timeout_seconds)
}
