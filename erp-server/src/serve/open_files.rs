//! The system's limit on open files.

use crate::web::WebOptions;

/// File descriptors besides connections: the store, the log, media, uploads.
#[cfg(unix)]
const OTHER_FILES: u64 = 512;

/// Raises the soft limit on open files as far as possible, and warns when it is too low.
#[cfg(unix)]
pub(super) fn raise_limit(options: &WebOptions) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let wanted = u64::try_from(options.limits.max_connections).unwrap_or(u64::MAX);
    // Those of the office's own address and of the metrics are among the others.
    let wanted = wanted.saturating_add(OTHER_FILES);
    let allowed = limit.maximum.unwrap_or(u64::MAX).min(wanted);
    let current = limit.current.unwrap_or(u64::MAX);
    let raised = Rlimit {
        current: Some(allowed),
        maximum: limit.maximum,
    };
    let files = if current < allowed && setrlimit(Resource::Nofile, raised).is_ok() {
        allowed
    } else {
        current
    };
    if files < wanted {
        let connections = files.saturating_sub(OTHER_FILES);
        tracing::warn!(
            files,
            connections,
            "the system's limit on open files is lower than `max_connections`"
        );
    }
}

#[cfg(not(unix))]
pub(super) const fn raise_limit(_: &WebOptions) {}
