//! `GET /admin/orders`, `GET /admin/orders/count`: the orders of all customers.

use std::str::FromStr;
use std::sync::Arc;

use erp_core::Number;
use erp_core::erp::{self, OrderQuery};
use erp_core::time::format_instant;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::app::{Clerk, Operation, Shared};
use super::changes::refuse_marks;
use super::customer_list::SEARCH_CHARACTERS;
use super::response::{Data, Page, data};
use super::{customers, paging};
use crate::openapi::object::Object;
use crate::openapi::schema::{one_of, plain, text_of, written};
use crate::web::{ApiRequest, ApiResponse, Query, Result};

/// `GET /admin/orders?status=&customer=&reference=&from=&to=&number=&search=&toInvoice=&limit=&after=`: newest first.
async fn list(app: Shared, user: Clerk, request: ApiRequest) -> Result<ApiResponse> {
    let query = request.query()?;
    refuse_marks(&query)?;
    let wanted = wanted(&query)?;
    let state = Arc::clone(&app);
    let page = app.long_reads.read(user.signature(), async move {
        user.office(&state).orders(&wanted).await
    });
    let page = page.await??;
    ApiResponse::json(&Page {
        data: page.orders.iter().map(ListedOrder::from).collect(),
        next: page.next.map(|next| next.to_string()),
    })
}

fn wanted(query: &Query) -> Result<OrderQuery> {
    let customer = query.text("customer", 8)?.map(str::trim);
    let search = query.text("search", SEARCH_CHARACTERS)?.map(str::trim);
    Ok(OrderQuery {
        status: customers::status(query)?,
        customer: customer.map(Into::into),
        from: query.parsed::<Day>("from", 10)?.map(|day| day.0),
        to: query.parsed::<Day>("to", 10)?.map(|day| day.0),
        reference: query.written("reference", 36)?.map(Into::into),
        number: query.parsed("number", 10)?,
        search: search.filter(|text| !text.is_empty()).map(Into::into),
        to_invoice: query.flag("toInvoice")?,
        after: query
            .parsed::<LastNumber>("after", 20)?
            .map(|place| place.0),
        offset: 0,
        limit: paging::limit(query, paging::MOST)?,
    })
}

pub(super) struct Day(pub(super) Date);

impl FromStr for Day {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let day = Date::strptime("%Y-%m-%d", text).ok();
        day.filter(|day| day.to_string() == text)
            .map(Self)
            .ok_or("a day like `2026-06-01`")
    }
}

struct LastNumber(u64);

impl FromStr for LastNumber {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Only the canonical spelling of a number is accepted.
        let number = text.parse::<u64>().ok().filter(|number| *number > 0);
        number
            .filter(|number| number.to_string() == text)
            .map(Self)
            .ok_or("the `next` of a page")
    }
}

/// An order in the list.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
struct ListedOrder {
    /// Order number.
    auft_nr: String,
    /// Customer number.
    kund_nr: String,
    /// Company or person of the contact address.
    name: String,
    /// Its number in the foreign system.
    #[serde(skip_serializing_if = "Option::is_none")]
    auft_bestell_nr: Option<String>,
    /// N new, O open, A completed, S canceled.
    #[schemars(extend("enum" = ["N", "O", "A", "S"]))]
    auft_status: &'static str,
    /// When it was made.
    #[schemars(extend("format" = "date-time"))]
    auft_erf: String,
    /// Gross amount.
    #[schemars(with = "f64")]
    auft_brutto: Number,
    /// Currency, ISO 4217.
    waehr_abk: String,
    /// How many positions.
    positionen: usize,
    /// Number of its invoice.
    #[serde(skip_serializing_if = "Option::is_none")]
    rech_nr: Option<String>,
}

impl From<&erp::ListedOrder> for ListedOrder {
    fn from(order: &erp::ListedOrder) -> Self {
        Self {
            auft_nr: order.number.to_string(),
            kund_nr: order.customer.to_string(),
            name: order.name.clone(),
            auft_bestell_nr: order.reference.as_ref().map(ToString::to_string),
            rech_nr: order.invoice.as_ref().map(ToString::to_string),
            auft_status: order.status.as_str(),
            auft_erf: format_instant(order.created_at).to_string(),
            auft_brutto: Number(order.sums.gross),
            waehr_abk: order.currency.to_string(),
            positionen: order.positions,
        }
    }
}

/// `GET /admin/orders/count`: reads counters and keys, and no orders.
async fn count(app: Shared, user: Clerk, _request: ApiRequest) -> Result<ApiResponse> {
    let counts = user.office(&app).count_orders().await?;
    let to_invoice = user.office(&app).count_to_invoice().await?;
    let [new, open, completed, canceled] = counts.map(|(_, count)| count.unsigned_abs());
    data(OrderCounts {
        new,
        open,
        completed,
        canceled,
        to_invoice,
    })
}

/// How many orders each state has.
#[derive(Serialize, JsonSchema)]
struct OrderCounts {
    /// New orders.
    #[serde(rename = "N")]
    new: u64,
    /// Open orders.
    #[serde(rename = "O")]
    open: u64,
    /// Completed orders.
    #[serde(rename = "A")]
    completed: u64,
    /// Canceled orders.
    #[serde(rename = "S")]
    canceled: u64,
    /// Completed orders to invoice; of more than 1,000 this number.
    #[serde(rename = "toInvoice")]
    to_invoice: usize,
}

pub(super) fn operations() -> Vec<Operation> {
    let list = Operation::get("/admin/orders", "listOrders")
        .by(list)
        .query("status", one_of(["", "O", "N", "A", "S"]))
        .query("customer", plain(8))
        .query("from", day())
        .query("to", day())
        .query("reference", written(36))
        .query("number", text_of(10).pattern("^([1-9][0-9]*)?$"))
        .query("search", plain(SEARCH_CHARACTERS))
        .query("toInvoice", one_of(["true", "1", "false", "0", ""]))
        .query("after", text_of(20).pattern("^([1-9][0-9]{0,18})?$"))
        .limited(paging::MOST)
        .fails(&[422])
        .answers_as::<Page<ListedOrder>>(200);
    let count = Operation::get("/admin/orders/count", "countOrders")
        .by(count)
        .answers_as::<Data<OrderCounts>>(200);
    vec![list, count]
}

pub(super) fn day() -> Object {
    text_of(10).pattern("^([0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01]))?$")
}
