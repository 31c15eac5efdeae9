//! `POST /www/zugferd`.

use erp_core::master::Role;
use serde_json::json;

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
        Operation::post("/www/zugferd", "processInvoice", "Embed an invoice in a PDF, take it out of one, check or read it")
            .by(run)
            .of_path(|path| path.timed_by(|app| app.options.zugferd_timeout).only_reads())
            .about("`Combine` returns the hybrid PDF, `Extract` the XML as it was embedded, `Check` a report as JSON: the faults in structure and the rules of EN 16931, XRechnung or Factur-X that the `XML` breaks or, without one, the invoice in the `PDF`. `Report` returns that report as an HTML document to save, in German or English by `Accept-Language`. `Read` tells what that invoice says, as JSON by the numbers of the terms of EN 16931 (not in CII or UBL: 400 `endpoint`, not well-formed `XML`: 422). With `valid` in the setting `zugferd_require` an invoice that breaks rules it must keep is not embedded: 422 `invalid` with the findings in `info.problems`. A PDF that cannot be processed is 400 `endpoint` with the steps in `info.subprocess_output`.")
            .idempotency_key("Checked and not kept: the same request always has the same response")
            .json_body("ZugferdBody", json!({"Operation": "Extract", "PDF": "JVBERi0xLjcK"}))
            .answers(200, "The PDF (`application/pdf`), the XML (`application/xml`), the report (JSON or `text/html`) or the terms", data(named("InvoiceReport")), example(include_str!("examples/invoice_report.json")))
            // No member is required, because `Read` has others.
            .component("InvoiceReport", example(include_str!("schemas/invoice_report.json")))
            .component("InvoiceFinding", example(include_str!("schemas/invoice_finding.json")))
            // First in the document, so that clients made from it return bytes, also where they know one type only.
            .or_file("*/*", bytes())
            .response_headers(&[200], &INVOICE),
        Operation::options("/www/zugferd", "optionsOfInvoices", "The methods of the path")
            .answers_nothing(204, "In `Allow`"),
    ]
}
