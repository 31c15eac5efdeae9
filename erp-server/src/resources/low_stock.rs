//! `GET /admin/stock`: articles of which little is available.

use std::sync::Arc;

use erp_core::internal::{LowStock, LowStockQuery};
use erp_core::sentence::Say as _;
use erp_core::text::Text;
use serde_json::json;

use super::app::{Clerk, Operation, Shared};
use super::paging;
use super::response::Page;
use crate::openapi::schema::{count, plain};
use crate::web::{ApiError, ApiRequest, ApiResponse, Result};

const MOST_PIECES: u32 = 1_000_000;

const NUMBER_CHARACTERS: usize = 15;

/// `GET /admin/stock?max=&after=&limit=`
async fn list(app: Shared, user: Clerk, request: ApiRequest) -> Result<ApiResponse> {
    let query = request.query()?;
    let after = query.text("after", NUMBER_CHARACTERS)?;
    let after = after.filter(|after| !after.is_empty()).map(Text::new);
    let wanted = LowStockQuery {
        most: query
            .number("max", 0, MOST_PIECES)?
            .and_then(|most| i64::try_from(most).ok())
            .unwrap_or_default(),
        after: after.transpose().map_err(|error| {
            let message = error.say();
            ApiError::malformed(sentence!("input.at", place = "after", message))
        })?,
        limit: paging::limit(&query, paging::MOST)?,
    };
    let state = Arc::clone(&app);
    let page = app.long_reads.read(user.signature(), async move {
        user.office(&state).low_stock(&wanted).await
    });
    let page = page.await??;
    ApiResponse::json(&Page {
        data: page.articles,
        next: page.next.map(|next| next.to_string()),
    })
}

pub(super) fn operations() -> Vec<Operation> {
    let list = Operation::get("/admin/stock", "listLowStock", "Articles of which little is available")
        .by(list)
        .about("Active articles with stock management that have an entry in the stock, by number. A page may be short, even empty, and still have a `next`, because a request reads a bounded number of entries.")
        .query_like("max", "Only articles of which so many base units or fewer are available; default 0", count(MOST_PIECES), json!(5))
        .query_like("after", "The `next` of a page: only articles with a higher number", plain(NUMBER_CHARACTERS), json!("BU-1001"));
    vec![
        paging::limited(list, paging::MOST).answers_as::<Page<LowStock>>(
            200,
            "The articles",
            json!({"data": [{"ArtNr": "BU-1001", "ArtBez": "Locher", "Einheit": "Stk", "available": 0}], "next": null}),
        ),
    ]
}
