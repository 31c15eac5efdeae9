//! `POST /www/zugferd`.

use erp_core::master::Role;

use super::app::{Operation, Shared, ShopUser};
use crate::openapi::headers::INVOICE;
use crate::openapi::operation::example;
use crate::openapi::schema::{bytes, data, named};
use crate::web::{ApiRequest, ApiResponse, Result};
use crate::zugferd::InvoiceCaller;

// rule: D-ZUG-06
/// Embeds an invoice in a PDF, extracts it from one, checks or reads it.
async fn run(app: Shared, user: ShopUser, mut request: ApiRequest) -> Result<ApiResponse> {
    // The operation changes nothing, so repeating it is safe: the key is validated but not stored.
    request.idempotency_key()?;
    let name = &user.signature();
    let is_admin = user.caller.role == Role::Admin;
    app.zugferd
        .run(InvoiceCaller { name, is_admin }, &mut request)
        .await?
        .into_answer()
}

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post("/www/zugferd", "processInvoice")
            .by(run)
            .of_path(|path| {
                path.timed_by(|app| app.options.zugferd_timeout)
                    .only_reads()
            })
            .retry_safe()
            .json_body("ZugferdBody")
            .answers(200, data(named("InvoiceReport")))
            // No member is required, because `Read` has others.
            .component(
                "InvoiceReport",
                example(include_str!("schemas/invoice_report.json")),
            )
            .component(
                "InvoiceFinding",
                example(include_str!("schemas/invoice_finding.json")),
            )
            // First in the document, so that clients made from it return bytes, also where they know one type only.
            .or_file(200, "*/*", bytes())
            .response_headers(&[200], &INVOICE),
        Operation::options("/www/zugferd", "optionsOfInvoices").answers_nothing(204),
    ]
}
