//! `DELETE /www/log`.

use erp_core::storage::Storage;

use super::app::{Admin, App, Shared};
use crate::openapi::operation::Described;
use crate::web::{Answer, ApiError, Call, Caller as _, Resource, Routes};

/// The path of the log.
pub(super) fn routes<S: Storage + 'static>(routes: Routes<App<S>>) -> Routes<App<S>> {
    routes.at("/www/log", Resource::new().delete(delete))
}

// rule: R-END-26
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

/// Their OpenAPI description.
pub(super) fn operations() -> Vec<Described> {
    vec![
        Described::delete("/www/log", "deleteLog", "Delete all log files")
            .admin()
            .answers_nothing(204, "Deleted, also when there were none"),
    ]
}
