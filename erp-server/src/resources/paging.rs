//! Pages of the lists for admins.

use serde_json::json;

use crate::openapi::operation::Described;
use crate::openapi::schema::count;
use crate::web::{ApiError, Query};

/// Default number of entries.
const USUAL: u64 = 50;

/// Maximum number of entries.
const MOST: u32 = 200;

/// How many entries a request wants.
pub(super) fn limit(query: &Query) -> Result<usize, ApiError> {
    let limit = query.number("limit", 1, MOST.into())?.unwrap_or(USUAL);
    Ok(usize::try_from(limit).unwrap_or(usize::MAX))
}

/// Describes the parameter `limit`.
pub(super) fn limited(described: Described) -> Described {
    described.query_like(
        "limit",
        "How many, default 50",
        count(MOST).minimum(1),
        json!(10),
    )
}
