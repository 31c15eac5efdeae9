//! `DELETE /www/log`.

use erp_core::storage::Storage;

use super::Shared;
use crate::resources::Admin;
use crate::web::{Answer, ApiError, Call, Caller as _};

/// Deletes all log files. Admins only.
pub(super) async fn delete<S: Storage>(
    app: Shared<S>,
    user: Admin,
    _: Call,
) -> Result<Answer, ApiError> {
    if let Some(log) = app.log().cloned() {
        let name = user.name().to_owned();
        let deleted = tokio::task::spawn_blocking(move || log.delete_all(&name)).await;
        deleted
            .map_err(|error| ApiError::internal(error.to_string()))?
            .map_err(|error| {
                ApiError::internal(format!("the log files could not be deleted: {error}"))
            })?;
    }
    Ok(Answer::no_content())
}
