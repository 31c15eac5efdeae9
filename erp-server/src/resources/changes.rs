//! Lists of what has changed since a mark: the parameters `seit` and `stand`.

use std::str::FromStr;

use erp_core::erp::{RecordMark, Since};
use serde_json::json;

use super::app::Operation;
use crate::openapi::schema::plain;
use crate::web::{ApiError, Query, Result};

/// Maximum length of a mark.
const MARK_CHARACTERS: usize = 200;

/// The marks of a request: what is known, and that of the first page.
pub(super) struct Marks<M> {
    pub(super) since: Option<M>,
    pub(super) until: Option<M>,
}

impl From<Marks<RecordMark>> for Since {
    fn from(marks: Marks<RecordMark>) -> Self {
        Self {
            mark: marks.since,
            until: marks.until,
        }
    }
}

// rule: D-ANS-16
/// The marks of a request with `seit`, with a value or empty; `None` without `seit`. `refused` are parameters that do not
/// go with it; `place` is the one of a further page.
pub(super) fn marks<M>(query: &Query, refused: &[&str], place: &str) -> Result<Option<Marks<M>>>
where
    M: FromStr<Err = &'static str>,
{
    let until = query.parsed("stand", MARK_CHARACTERS)?;
    if !query.has("seit") {
        return Ok(None);
    }
    for name in refused {
        if query.text(name, usize::MAX)?.is_some() {
            let text = format!("`{name}` does not go with `seit`, which returns every change");
            return Err(ApiError::malformed(text).with_info("parameter", *name));
        }
    }
    let is_first = matches!(query.text(place, usize::MAX)?, None | Some("0"));
    if until.is_none() && !is_first {
        let what = format!("with `seit` and `{place}`, the `stand` of the first page");
        return Err(ApiError::missing_parameter("stand", &what));
    }
    let since = query.parsed("seit", MARK_CHARACTERS)?;
    Ok(Some(Marks { since, until }))
}

/// Describes the parameters.
pub(super) fn described(operation: Operation, since: &str, until: &str) -> Operation {
    operation
        .query_like("seit", since, plain(MARK_CHARACTERS), json!(""))
        .query_like("stand", until, plain(MARK_CHARACTERS), json!(""))
        .fails(&[410])
}
