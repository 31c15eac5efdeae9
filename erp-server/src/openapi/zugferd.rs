//! `/www/zugferd`.

use serde_json::json;

use super::headers::INVOICE;
use super::operation::Described;
use super::schema::bytes;

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
