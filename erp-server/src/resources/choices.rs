//! `GET /admin/choices`: what forms can offer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

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
        Operation::get("/admin/choices", "listChoices")
            .by(list)
            .answers_as::<Data<BTreeMap<String, BTreeSet<String>>>>(200),
    ]
}
