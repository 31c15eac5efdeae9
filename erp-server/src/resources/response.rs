//! What responses to admins have around their records. Members are sent in alphabetical order.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::web::{ApiRequest, ApiResponse, Result, encode};

// Comments of these three would be in the description of every response.

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Data<T> {
    /// What was asked for.
    data: T,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Page<T> {
    /// The entries of this page.
    pub(super) data: Vec<T>,
    /// The `after` of the next page; `null` after the last.
    pub(super) next: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct CountedPage<T> {
    /// How many entries this page has.
    count: usize,
    #[serde(flatten)]
    page: Page<T>,
}

/// 200 with `{"data": ...}`.
pub(super) fn data<T: Serialize>(data: T) -> Result<ApiResponse> {
    ApiResponse::json(&json!(Data { data }))
}

/// 201 with `{"data": ...}` and where it is: the path of a list or kind, and the name in it.
pub(super) fn created<T: Serialize>(
    request: &ApiRequest,
    (path, name): (&str, &str),
    data: T,
) -> Result<ApiResponse> {
    let response = ApiResponse::created(&json!(Data { data }))?;
    Ok(response.located(request, &format!("{path}/{}", encode(name))))
}

/// 200 with a page that says how many entries it has.
pub(super) fn counted_page<T: Serialize>(
    data: Vec<T>,
    next: Option<String>,
) -> Result<ApiResponse> {
    let count = data.len();
    let page = Page { data, next };
    ApiResponse::json(&json!(CountedPage { count, page }))
}
