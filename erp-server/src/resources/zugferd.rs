//! `POST /www/zugferd`.

use erp_core::master::Role;
use serde_json::{Value, json};

use super::app::{Operation, Shared, ShopUser};
use crate::openapi::headers::INVOICE;
use crate::openapi::object::Object;
use crate::openapi::schema::{
    self, about, bytes, data, flag, list_of, named, object, one_of, or_null, text, whole,
};
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
            .about("`Combine` returns the hybrid PDF, `Extract` the XML as it was embedded, `Check` a report as JSON: the faults in structure and the rules of EN 16931, XRechnung or Factur-X that the `XML` breaks or, without one, the invoice in the `PDF`. `Read` tells what that invoice says, as JSON by the numbers of the terms of EN 16931 (not in CII or UBL: 400 `endpoint`, not well-formed `XML`: 422). With `valid` in the setting `zugferd_require` an invoice that breaks rules it must keep is not embedded: 422 `invalid` with the findings in `info.problems`. A PDF that cannot be processed is 400 `endpoint` with the steps in `info.subprocess_output`.")
            .idempotency_key("Checked and not kept: the same request always has the same response")
            .json_body("ZugferdBody", json!({"Operation": "Extract", "PDF": "JVBERi0xLjcK"}))
            .answers(200, "The PDF (`application/pdf`), the XML (`application/xml`), the report or the terms", data(named("InvoiceReport")), example())
            .component("InvoiceReport", report())
            .component("InvoiceFinding", finding())
            // First in the document, so that clients made from it return bytes, also where they know one type only.
            .or_file("*/*", bytes())
            .response_headers(&[200], &INVOICE),
        Operation::options("/www/zugferd", "optionsOfInvoices", "The methods of the path")
            .answers_nothing(204, "In `Allow`"),
    ]
}

fn example() -> Value {
    json!({"data": {
        "valid": false,
        "structure": "Factur-X 1.09 EN 16931",
        "profile": "urn:cen.eu:en16931:2017",
        "rules": ["EN 16931 CII 1.3.16", "Factur-X 1.09"],
        "fatal": 1,
        "warnings": 0,
        "information": 0,
        "findings": [{
            "rule": "BR-02",
            "source": "EN 16931 CII 1.3.16",
            "also": ["Factur-X 1.09"],
            "severity": "fatal",
            "path": "/rsm:CrossIndustryInvoice",
            "line": 2,
            "terms": ["BT-1"],
            "en": "The Invoice number (BT-1) is missing.",
            "de": "Die Rechnungsnummer (BT-1) fehlt.",
        }],
    }})
}

/// No member is required, because `Read` has others.
fn report() -> Object {
    let of_check = [
        (
            "valid",
            flag().description("Whether nothing fatal was found").into(),
        ),
        (
            "structure",
            text()
                .description(
                    "The schema whose structure was checked, or `not checked` (no invoice)",
                )
                .into(),
        ),
        (
            "profile",
            or_null(text()).description("The guideline (BT-24)").into(),
        ),
        (
            "rules",
            about("The rules that were checked", schema::list(text())),
        ),
        ("fatal", about("How many fatal findings", whole())),
        ("warnings", about("How many warnings", whole())),
        ("information", about("How many hints", whole())),
        ("findings", about("All findings", list_of("InvoiceFinding"))),
    ];
    let of_check = of_check.into_iter();
    of_check.fold(Object::new(), |object, (name, schema)| object.property(name, schema))
        .description("What `Check` found; of `Read` the terms of the invoice instead: `BT-1` is a text, `BG-4` an object, `BG-25` a list of objects")
}

fn finding() -> Object {
    object([
        (
            "rule",
            text()
                .description("The official id; `ERP-STRUCTURE` for a fault of the structure, and `ERP-...` where there is no official verdict")
                .into(),
        ),
        (
            "source",
            text()
                .description("The rules it belongs to, as in `rules`, or the schema, as in `structure`")
                .into(),
        ),
        (
            "also",
            about(
                "Other rules of `rules` that have it too",
                schema::list(text()),
            ),
        ),
        (
            "severity",
            about("How bad it is", one_of(["fatal", "warning", "information"])),
        ),
        ("path", text().description("The element as an XPath").into()),
        ("line", about("The line of the element", whole())),
        (
            "terms",
            about("The business terms (`BT-…`, `BG-…`)", schema::list(text())),
        ),
        ("en", about("What is wrong, in English", text())),
        ("de", about("What is wrong, in German", text())),
    ])
}
