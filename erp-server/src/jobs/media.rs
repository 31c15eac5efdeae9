//! Collects media files without a record.

use std::sync::Arc;
use std::time::Duration;

use erp_core::Erp;
use erp_core::internal::Leased;

use super::leader::LeaderTask;
use crate::media::{Bodies, GRACE, Unnamed, collect, remove_abandoned};
use crate::store::Store;

/// Interval for collecting media files without a record.
const COLLECT_EVERY: Duration = Duration::from_secs(3_600);

/// Interval for asking the place of the media files for a response.
const ASK_EVERY: Duration = Duration::from_secs(5);

/// Checks again and again whether the place of the media files responds. `found` takes the result and returns the one before.
pub(crate) async fn watch_media(bodies: Arc<Bodies>, found: impl Fn(bool) -> bool) {
    loop {
        let asked = Arc::clone(&bodies);
        let probe = tokio::task::spawn_blocking(move || asked.probe()).await;
        let Ok(probe) = probe else { return };
        match (found(probe.is_ok()), probe) {
            (true, Err(error)) => {
                tracing::error!(%error, "the place of the media files cannot be used");
            }
            (false, Ok(())) => tracing::info!("the place of the media files can be used again"),
            _ => (),
        }
        tokio::time::sleep(ASK_EVERY).await;
    }
}

/// Collects media files that no record refers to, forever.
pub(crate) async fn collect_media(erp: Arc<Erp<Store>>, bodies: Arc<Bodies>, holder: u64) {
    let lease = COLLECT_EVERY.saturating_mul(2);
    let mut task = LeaderTask::new(Leased::MediaCollection, lease, holder);
    loop {
        tokio::time::sleep(COLLECT_EVERY).await;
        if !task.is_ours(&erp).await {
            if let Err(error) = remove_abandoned(&bodies, GRACE).await {
                tracing::warn!(%error, "files that were begun could not be removed");
            }
            continue;
        }
        match collect(&erp, &bodies, GRACE, Unnamed::Remove).await {
            Ok(collected) if collected.unnamed.is_empty() && collected.removed == 0 => (),
            Ok(collected) => {
                let (files, bytes) = (collected.unnamed.len(), collected.bytes());
                let removed = collected.removed;
                tracing::info!(
                    files,
                    bytes,
                    removed,
                    "media files without a record moved aside"
                );
            }
            Err(error) => tracing::warn!(%error, "media files could not be collected"),
        }
    }
}
