//! Names of downloaded files.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::web::{ApiError, HeaderValue, Result};

/// File name with the time, for example `erp-backup-20260601T100000Z.tar.gz`.
pub(super) fn file_name(kind: &str, extension: &str) -> String {
    let now = Timestamp::now().to_zoned(TimeZone::UTC);
    format!("erp-{kind}-{}.{extension}", now.strftime("%Y%m%dT%H%M%SZ"))
}

/// Value of `Content-Disposition` for a file that a client stores under this name.
pub(super) fn attachment(name: &str) -> Result<HeaderValue> {
    HeaderValue::try_from(format!("attachment; filename=\"{name}\"")).map_err(ApiError::internal)
}
