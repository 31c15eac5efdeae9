//! `GET /admin/customers`: the customers, all or found by a search.

use std::sync::Arc;

use erp_core::erp::{CustomerQuery, ListedCustomer};

use super::app::{Clerk, Operation, Shared};
use super::changes::refuse_marks;
use super::paging;
use super::response::Page;
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
    let list = Operation::get("/admin/customers", "listCustomers")
        .by(list)
        .query("search", plain(SEARCH_CHARACTERS))
        .query(
            "after",
            text_of(PLACE_CHARACTERS).pattern("^((0|[1-9])\\.([0-9a-f]{2})*)?$"),
        )
        .limited(paging::MOST)
        .fails(&[422])
        .answers_as::<Page<ListedCustomer>>(200);
    vec![list]
}
