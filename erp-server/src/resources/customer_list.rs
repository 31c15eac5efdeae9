//! `GET /admin/customers`: the customers, all or found by a search.

use std::sync::Arc;

use erp_core::erp::{CustomerQuery, ListedCustomer};
use serde_json::json;

use super::app::{Clerk, Operation, Shared};
use super::changes::refuse_marks;
use super::paging;
use super::response::Page;
use crate::openapi::operation::example;
use crate::openapi::schema::{plain, text_of};
use crate::web::{ApiRequest, ApiResponse, Result};

pub(super) const SEARCH_CHARACTERS: usize = 80;

/// Maximum length of a place in the list: its stage, and a key of 1,100 bytes in hex digits.
const PLACE_CHARACTERS: usize = 2_202;

/// `GET /admin/customers?search=&limit=&after=`.
async fn list(app: Shared, user: Clerk, request: ApiRequest) -> Result<ApiResponse> {
    let query = request.query()?;
    refuse_marks(&query)?;
    let search = query.text("search", SEARCH_CHARACTERS)?.map(str::trim);
    let wanted = CustomerQuery {
        search: search.filter(|text| !text.is_empty()).map(str::to_owned),
        after: query.parsed("after", PLACE_CHARACTERS)?,
        limit: paging::limit(&query, paging::MOST)?,
    };
    let state = Arc::clone(&app);
    let page = app.long_reads.read(user.signature(), async move {
        user.office(&state).customers(&wanted).await
    });
    let page = page.await??;
    ApiResponse::json(&Page {
        data: page.customers,
        next: page.next.map(|place| place.to_string()),
    })
}

pub(super) fn operations() -> Vec<Operation> {
    let list = Operation::get("/admin/customers", "listCustomers", "The customers, all or found by a search")
        .by(list)
        .about("A customer is found by the first characters of its number, or when every word of the search begins a word of company, name or town in one of its addresses, without case and accents. Without a search all customers are listed by number. A page may be short and still have a `next`, because a request reads a bounded number of customers; 422 `too_broad` says that none was found among them.")
        .query_like("search", "The beginning of a number, or words", plain(SEARCH_CHARACTERS), json!("sonnen"))
        .query_like("after", "The `next` of a page with the same search", text_of(PLACE_CHARACTERS).pattern("^((0|[1-9])\\.([0-9a-f]{2})*)?$"), json!("1.6d6569"));
    let list = paging::limited(list, paging::MOST)
        .fails(&[422])
        .answers_as::<Page<ListedCustomer>>(
            200,
            "The customers",
            example(include_str!("examples/customer_list.json")),
        );
    vec![list]
}
