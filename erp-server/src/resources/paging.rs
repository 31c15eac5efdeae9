//! Pages of the lists for admins.

use serde_json::json;

use super::app::Operation;
use crate::openapi::schema::count;
use crate::web::{ApiError, Query};

/// Default number of entries.
const USUAL: u64 = 50;

/// Maximum number of records.
pub(super) const MOST: u32 = 200;

/// How many entries a request wants.
pub(super) fn limit(query: &Query, most: u32) -> Result<usize, ApiError> {
    let limit = query.number("limit", 1, most.into())?.unwrap_or(USUAL);
    Ok(usize::try_from(limit).unwrap_or(usize::MAX))
}

/// Describes the parameter `limit`.
pub(super) fn limited(operation: Operation, most: u32) -> Operation {
    operation.query_like(
        "limit",
        "How many, default 50",
        count(most).minimum(1),
        json!(10),
    )
}
