//! `POST /www/zugferd`.

use std::time::Duration;

use erp_core::storage::Storage;

use super::Shared;
use crate::resources::{App, User};
use crate::web::{Answer, ApiError, Call};

/// Embeds an invoice in a PDF or extracts it from one.
pub(super) async fn run<S: Storage>(
    app: Shared<S>,
    _: User,
    mut call: Call,
) -> Result<Answer, ApiError> {
    // The operation changes nothing, so repeating it is safe: the key is validated but not stored.
    call.idempotency_key()?;
    Ok(app.zugferd().run(&mut call).await?.into())
}

/// Time limit of a request, including the upload of its body.
pub(super) fn time_limit<S: Storage>(app: &App<S>) -> Duration {
    app.options().zugferd_timeout
}
