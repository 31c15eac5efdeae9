//! The parameters `seit` and `stand`: what has changed since a mark.

use erp_core::erp::Mark;

use super::app::Operation;
use crate::openapi::schema::plain;
use crate::web::{ApiError, Query, Result};

const MARK_CHARACTERS: usize = 200;

/// The marks of a request: what is known, and that of the first page.
pub(super) struct Marks {
    pub(super) since: Option<Mark>,
    pub(super) until: Option<Mark>,
}

// rule: D-ANS-16
/// The marks of a request with `seit`, with a value or empty; `None` without `seit`. `refused` are parameters that do not
/// go with it.
pub(super) fn marks(query: &Query, refused: &[&str]) -> Result<Option<Marks>> {
    let until = query.parsed("stand", MARK_CHARACTERS)?;
    if !query.has("seit") {
        return Ok(None);
    }
    for name in refused {
        if query.text(name, usize::MAX)?.is_some() {
            let text = sentence!("parameter.with_mark", name);
            return Err(ApiError::of_parameter(name, text));
        }
    }
    let is_first = matches!(query.text("offset", usize::MAX)?, None | Some("0"));
    if until.is_none() && !is_first {
        let what = sentence!("allowed.first_mark");
        return Err(ApiError::missing_parameter("stand", what));
    }
    let since = query.parsed("seit", MARK_CHARACTERS)?;
    Ok(Some(Marks { since, until }))
}

/// Refuses `seit` where a list is always whole: it must not look like one of changes.
pub(super) fn refuse_marks(query: &Query) -> Result<()> {
    if query.has("seit") {
        let text = sentence!("parameter.no_marks");
        return Err(ApiError::of_parameter("seit", text));
    }
    Ok(())
}

pub(super) fn described(operation: Operation) -> Operation {
    operation
        .query("seit", plain(MARK_CHARACTERS))
        .query("stand", plain(MARK_CHARACTERS))
        .fails(&[410])
}
