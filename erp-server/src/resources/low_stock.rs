//! `GET /admin/stock`: articles of which little is available.

use std::sync::Arc;

use erp_core::internal::{LowStock, LowStockQuery};
use erp_core::sentence::Say as _;
use erp_core::text::Text;

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
    let list = Operation::get("/admin/stock", "listLowStock")
        .by(list)
        .query("max", count(MOST_PIECES))
        .query("after", plain(NUMBER_CHARACTERS))
        .limited(paging::MOST)
        .answers_as::<Page<LowStock>>(200);
    vec![list]
}
