//! `GET /admin/rechnung`: the invoices and credit notes of all customers.

use std::sync::Arc;

use erp_core::erp::{InvoiceQuery, ListedInvoice};
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
    let list = Operation::get("/admin/rechnung", "listInvoices")
        .by(list)
        .query("debinr", plain(8))
        .query("AuftNr", plain(10))
        .query("von", day())
        .query("bis", day())
        .query("offset", count(MAX_INT))
        .limited(paging::MOST)
        .fails(&[422])
        .answers_as::<Page<ListedInvoice>>(200);
    vec![list]
}
