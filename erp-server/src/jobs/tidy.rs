use std::sync::Arc;
use std::time::{Duration, SystemTime};

use erp_core::Erp;
use erp_core::erp::Error;
use erp_core::internal::Leased;
use jiff::{SignedDuration, Timestamp};

use crate::store::Store;

use super::leader::LeaderTask;
use crate::zugferd::Processor;

/// Interval for removing expired token rows.
const TIDY_EVERY: Duration = Duration::from_secs(60);

/// Duration of the cleanup lease: if its holder crashes, cleanup pauses this long.
const TIDY_LEASE: Duration = Duration::from_secs(3_600);

#[derive(Clone, Copy, Debug)]
pub struct JobOptions {
    /// Days of an event after it was handed to delivery.
    pub event_days: u32,
    /// Days of an entry of the audit trail; 0 keeps all.
    pub audit_days: u32,
}

/// Removes expired rows, forever.
pub(crate) async fn tidy(
    erp: Arc<Erp<Store>>,
    zugferd: Processor,
    options: JobOptions,
    holder: u64,
) {
    let mut task = LeaderTask::new(Leased::Housekeeping, TIDY_LEASE, holder);
    loop {
        tokio::time::sleep(TIDY_EVERY).await;
        if task.is_ours(&erp).await {
            remove_rows(&erp, options).await;
        }
        let zugferd = zugferd.clone();
        let removal = move || zugferd.remove_old_work_files(SystemTime::now());
        if let Ok(Err(error)) = tokio::task::spawn_blocking(removal).await {
            tracing::warn!(%error, "old e-invoice work files could not be removed");
        }
    }
}

async fn remove_rows(erp: &Erp<Store>, options: JobOptions) {
    let upkeep = || erp.upkeep(Timestamp::now());
    let warn = |error: Option<Error>, what: &str| {
        if let Some(error) = error {
            tracing::warn!(%error, "{what}");
        }
    };
    let tokens = upkeep().remove_expired_tokens().await;
    warn(tokens.err(), "expired tokens could not be removed");
    let responses = upkeep().remove_expired_responses().await;
    warn(
        responses.err(),
        "expired stored responses could not be removed",
    );
    let changes = upkeep().log_changes().await;
    warn(
        changes.err(),
        "the log of changed articles could not be written",
    );
    let delivered = days_ago(options.event_days).unwrap_or(Timestamp::MIN);
    let events = upkeep().events().remove_old(delivered).await;
    warn(events.err(), "old events could not be removed");
    if let Some(before) = days_ago(options.audit_days).filter(|_| options.audit_days > 0) {
        let entries = upkeep().remove_old_audit_entries(before).await;
        warn(entries.err(), "old audit entries could not be removed");
    }
}

fn days_ago(days: u32) -> Option<Timestamp> {
    let kept = SignedDuration::from_hours(i64::from(days) * 24);
    Timestamp::now().checked_sub(kept).ok()
}
