//! `GET /admin/choices`: what forms can offer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::json;

use super::app::{Editor, Operation, Shared};
use super::response::{Data, data};
use crate::web::{ApiRequest, ApiResponse, Result};

async fn list(app: Shared, user: Editor, _request: ApiRequest) -> Result<ApiResponse> {
    let state = Arc::clone(&app);
    let choices = app.long_reads.read(user.signature(), async move {
        user.office(&state).choices().await
    });
    data(choices.await??.0)
}

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/admin/choices", "listChoices", "Values that forms can offer")
            .by(list)
            .about("The distinct stored values of members that have few, sorted, at most 200 of each. A request reads a bounded number of records, so rare values of a large store may be missing; price lists never are.")
            .answers_as::<Data<BTreeMap<String, BTreeSet<String>>>>(
                200,
                "The values by member",
                json!({"data": {"PreisListe": ["HANDEL", "STANDARD"], "Einheit": ["Stk", "m"], "WUSTCode": ["CH-NORMAL"]}}),
            ),
    ]
}
