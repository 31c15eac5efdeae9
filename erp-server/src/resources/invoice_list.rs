//! `GET /admin/rechnung`: the invoices and credit notes of all customers.

use std::sync::Arc;

use erp_core::erp::{InvoiceQuery, ListedInvoice};
use serde_json::json;
use smol_str::SmolStr;

use super::app::{Clerk, Operation, Shared};
use super::order_list::{Day, day};
use super::paging;
use super::response::Page;
use crate::openapi::schema::{count, plain};
use crate::web::{ApiRequest, ApiResponse, MAX_INT, Result};

/// `GET /admin/rechnung?debinr=&AuftNr=&von=&bis=&limit=&offset=`: newest first.
async fn list(app: Shared, user: Clerk, request: ApiRequest) -> Result<ApiResponse> {
    let query = request.query()?;
    let text = |name, most| -> Result<Option<SmolStr>> {
        let text = query.text(name, most)?.map(str::trim);
        Ok(text.filter(|text| !text.is_empty()).map(Into::into))
    };
    let wanted = InvoiceQuery {
        customer: text("debinr", 8)?,
        order: text("AuftNr", 10)?,
        from: query.parsed::<Day>("von", 10)?.map(|day| day.0),
        to: query.parsed::<Day>("bis", 10)?.map(|day| day.0),
        offset: query.number("offset", 0, MAX_INT)?.unwrap_or_default(),
        limit: paging::limit(&query, paging::MOST)?,
    };
    let next = wanted.offset.saturating_add(wanted.limit);
    let state = Arc::clone(&app);
    let page = app.long_reads.read(user.signature(), async move {
        user.office(&state).invoices(&wanted).await
    });
    let page = page.await??;
    ApiResponse::json(&Page {
        data: page.invoices,
        next: page.has_next.then(|| next.to_string()),
    })
}

pub(super) fn operations() -> Vec<Operation> {
    let list = Operation::get("/admin/rechnung", "listInvoices", "The invoices and credit notes of all customers")
        .by(list)
        .about("The newest day first, and of a day the highest number. `next` is the `offset` of the next page. 422 `too_broad`: too many invoices lie before the page.")
        .query_like("debinr", "Only those of this customer", plain(8), json!("10007"))
        .query_like("AuftNr", "Only those of this order", plain(10), json!("100001"))
        .query_like("von", "Only those of this day or later", day(), json!("2026-06-01"))
        .query_like("bis", "Only those of this day or earlier", day(), json!("2026-06-30"))
        .query_like("offset", "How many to leave out at the beginning; default 0", count(MAX_INT), json!(50));
    let list = paging::limited(list, paging::MOST)
        .fails(&[422])
        .answers_as::<Page<ListedInvoice>>(
            200,
            "The invoices",
            json!({"data": [{
                "RechNr": "3",
                "RechTyp": "380",
                "RechDatum": "2026-06-01",
                "FaelligAm": "2026-07-01",
                "AuftNr": "100001",
                "KundNr": "10007",
                "Name": "Käufer AG",
                "WaehrAbk": "CHF",
                "RechBrutto": 40.05,
                "RechZahlbar": 40.05,
                "GutschriftNr": "4",
            }], "next": "50"}),
        );
    vec![list]
}
