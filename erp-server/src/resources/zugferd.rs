//! `POST /www/zugferd`.

use std::time::Duration;

use erp_core::storage::Storage;
use serde_json::json;

use super::app::{App, Shared, User};
use crate::openapi::headers::INVOICE;
use crate::openapi::operation::Described;
use crate::openapi::schema::bytes;
use crate::web::{Answer, ApiError, Call, Resource, Routes};

/// The path of e-invoices.
pub(super) fn routes<S: Storage + 'static>(routes: Routes<App<S>>) -> Routes<App<S>> {
    routes.at(
        "/www/zugferd",
        Resource::new().post(run).timed_by(time_limit),
    )
}

/// Embeds an invoice in a PDF, extracts it from one, or checks it.
pub(super) async fn run<S: Storage>(
    app: Shared<S>,
    _: User,
    mut call: Call,
) -> Result<Answer, ApiError> {
    // The operation changes nothing, so repeating it is safe: the key is validated but not stored.
    call.idempotency_key()?;
    app.zugferd().run(&mut call).await?.into_answer()
}

/// Time limit of a request, including the upload of its body.
pub(super) fn time_limit<S: Storage>(app: &App<S>) -> Duration {
    app.options().zugferd_timeout
}

/// Their OpenAPI description.
pub(super) fn operations() -> Vec<Described> {
    vec![
        Described::post("/www/zugferd", "processInvoice", "Embed an invoice in a PDF, or take it out of one")
            .about("`Combine` answers the hybrid PDF, `Extract` the XML as it was embedded. A PDF that cannot be processed is 400 `endpoint` with the steps in `info.subprocess_output`. The answer to the same request is the same, so a key is read and nothing is kept.")
            .retry_safe()
            .json_body("ZugferdBody", json!({"Operation": "Extract", "PDF": "JVBERi0xLjcK"}))
            .answers_file(200, "The file", &[("application/pdf", bytes()), ("application/xml", bytes())])
            .tells(&[200], &INVOICE),
        Described::options("/www/zugferd", "optionsOfInvoices", "The methods of the path")
            .answers_nothing(204, "In `Allow`"),
    ]
}
