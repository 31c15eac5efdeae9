//! `GET /www/auftrag`: the orders that a shop may see.

use std::sync::Arc;

use erp_core::erp::{ListedOrder, OrderQuery};
use erp_core::wire::Envelope;
use serde_json::{Value, json};

use super::app::{Operation, Shared, User};
use super::customers;
use super::error::unknown_debinr;
use super::order_list::{Day, day};
use super::paging::{self, PagedList, Window, linked};
use crate::openapi::headers::LINK;
use crate::openapi::operation::example;
use crate::openapi::schema::{about, count, list_of, object, one_of, plain, whole};
use crate::web::{ApiError, ApiRequest, ApiResponse, MAX_INT, Query};

/// The list; its links always repeat these parameters.
const LIST: PagedList = PagedList {
    path: "/www/auftrag",
    parameters: &[
        "AuftBestellNr",
        "debinr",
        "status",
        "von",
        "bis",
        "limit",
        "offset",
    ],
};

async fn list(app: Shared, user: User, request: ApiRequest) -> Result<ApiResponse, ApiError> {
    let query = request.query()?;
    let base = request.base()?;
    let (wanted, window) = wanted(&query)?;
    let state = Arc::clone(&app);
    let orders = app
        .long_reads
        .read(async move { user.shop(&state).orders(&wanted).await });
    let (page, count) = orders.await?.map_err(unknown_debinr)?;
    let has_next = page.next.is_some();
    let links = LIST.links(
        &base,
        &query,
        window,
        (has_next, count.unwrap_or(usize::MAX)),
    );
    let shown = |order: &ListedOrder| order.to_wire(&base.links());
    let response = ApiResponse::json(&Envelope {
        count: count.and_then(|count| u64::try_from(count).ok()),
        success: None,
        data: page.orders.iter().map(shown).collect::<Vec<_>>(),
        links: Some(links.clone()),
    })?;
    Ok(linked(response, &links))
}

fn wanted(query: &Query) -> Result<(OrderQuery, Window), ApiError> {
    let offset = query.number("offset", 0, MAX_INT.into())?;
    let window = Window {
        limit: paging::limit(query, paging::MOST)?,
        offset: usize::try_from(offset.unwrap_or_default()).unwrap_or(usize::MAX),
    };
    let trimmed = |name, most| -> Result<_, ApiError> {
        let text = query.text(name, most)?.map(str::trim);
        Ok(text.filter(|text| !text.is_empty()).map(Into::into))
    };
    let wanted = OrderQuery {
        status: customers::status(query)?,
        customer: trimmed("debinr", 8)?,
        reference: trimmed("AuftBestellNr", 36)?,
        from: query.parsed::<Day>("von", 10)?.map(|day| day.0),
        to: query.parsed::<Day>("bis", 10)?.map(|day| day.0),
        offset: window.offset,
        limit: window.limit,
        ..OrderQuery::default()
    };
    Ok((wanted, window))
}

/// The operations of this resource.
pub(super) fn operations() -> Vec<Operation> {
    let list = Operation::get("/www/auftrag", "listOwnOrders", "The orders that the user may see")
        .by(list)
        .about("Newest first. `count` is their number before `limit` and `offset`; the last page always has it. The others lack it where the company selects customers by `RESTWEBSHOP` and `debinr` names none, and where more than 1,000 orders would have to be counted one by one; the orders of all customers, or of a `status`, have counters. 422 `too_broad`: too many orders lie before the page or between its orders.")
        .query_like("AuftBestellNr", "Only orders with this number in the foreign system", plain(36), json!("WEB-4711"))
        .query_like("debinr", "Only orders of this customer", plain(8), json!("10007"))
        .query("status", "Only orders with this status", one_of(["", "O", "N", "A", "S"]))
        .query_like("von", "Only orders made on this day or later, in the company's time zone", day(), json!("2026-06-01"))
        .query_like("bis", "Only orders made on this day or earlier", day(), json!("2026-06-30"))
        .query_like("offset", "Orders to leave out at the beginning; default 0", count(MAX_INT), json!(2));
    let list = paging::limited(list, paging::MOST)
        .fails(&[422])
        .answers(
            200,
            "The orders",
            object([
                (
                    "data",
                    about("The orders of this page", list_of("OrderSummary")),
                ),
                (
                    "links",
                    about("`start`, `prev` and `next`", list_of("Link")),
                ),
            ])
            .property(
                "count",
                whole().description("Number of all orders of the list"),
            )
            .into(),
            page(),
        )
        .response_headers(&[200], &[LINK]);
    vec![list]
}

fn page() -> Value {
    example(include_str!("examples/order_list.json"))
}
