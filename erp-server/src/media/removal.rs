//! Coordinates adding references to bodies and removing bodies across processes.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use erp_core::Erp;
use erp_core::erp::{BodyMarks, Error};
use erp_core::media::BodyHash;
use erp_core::storage::Storage;
use jiff::{SignedDuration, Timestamp};
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};

/// How long a mark for removal blocks new references.
pub(super) const CONDEMNED: SignedDuration = SignedDuration::from_secs(60);

/// Time limit of a removal. The rest of the mark's lifetime allows for clock differences and a slow last request.
pub(super) const REMOVED_WITHIN: Duration = Duration::from_secs(30);

/// Lifetime of a hold whose process ended without releasing it.
const HELD: SignedDuration = SignedDuration::from_hours(24);

/// Polling interval while waiting for a removal.
const LOOK: Duration = Duration::from_millis(50);

/// Returns the current marks once none of `bodies` is marked: after at most the minute for which a crashed collector
/// may have marked it.
///
/// # Errors
/// When the store fails.
pub async fn settled<S: Storage>(
    erp: &Erp<S>,
    bodies: &BTreeSet<BodyHash>,
) -> Result<BodyMarks, Error> {
    loop {
        let marks = erp.media().body_marks().await?;
        let now = Timestamp::now();
        if marks.awaits(bodies, now) {
            sleep(LOOK).await;
        } else if bodies.iter().any(|body| !marks.is_same_for(*body, &marks)) {
            // The marks have expired: no collector removes these bodies any more.
            erp.media().settle_expired(&marks, now).await?;
        } else {
            return Ok(marks);
        }
    }
}

/// Prevents every process from removing bodies until the result is dropped; for backups of a store with several
/// writing processes. Waits for removals in progress.
///
/// # Errors
/// When the store fails.
pub async fn hold<S: Storage + 'static>(erp: Arc<Erp<S>>) -> Result<SharedHold, Error> {
    let until = begin_hold(&erp).await?;
    let held = SharedHold {
        release: Some(Box::new(release(Arc::clone(&erp), until))),
    };
    removals_over(&erp).await?;
    Ok(held)
}

/// The same without a running server that could release the hold later: the caller must call
/// [`erp_core::erp::MediaRecords::release`] with the result.
///
/// # Errors
/// When the store fails.
pub async fn hold_until_released<S: Storage>(erp: &Erp<S>) -> Result<Timestamp, Error> {
    let until = begin_hold(erp).await?;
    removals_over(erp).await?;
    Ok(until)
}

/// Returns the end of the hold, which releases it.
async fn begin_hold<S: Storage>(erp: &Erp<S>) -> Result<Timestamp, Error> {
    let now = Timestamp::now();
    let until = now.checked_add(HELD).unwrap_or(Timestamp::MAX);
    erp.media().hold(now, until).await?;
    Ok(until)
}

/// Waits for removals that started before a hold.
async fn removals_over<S: Storage>(erp: &Erp<S>) -> Result<(), Error> {
    let begun = Instant::now();
    while erp
        .media()
        .body_marks()
        .await?
        .is_removing(Timestamp::now())
    {
        // No new marks are added, so this ends; the limit keeps a wrong clock from blocking backups.
        if begun.elapsed() > Duration::from_secs(120) {
            break;
        }
        sleep(LOOK).await;
    }
    Ok(())
}

/// While it lives, no process removes bodies.
pub struct SharedHold {
    release: Option<Box<dyn FnOnce() + Send>>,
}

impl Drop for SharedHold {
    fn drop(&mut self) {
        if let Some(release) = self.release.take() {
            release();
        }
    }
}

fn release<S: Storage + 'static>(
    erp: Arc<Erp<S>>,
    until: Timestamp,
) -> impl FnOnce() + Send + use<S> {
    let handle = Handle::current();
    move || {
        drop(handle.spawn(async move {
            if let Err(error) = erp.media().release(until).await {
                tracing::warn!(%error, "media files stay for a day: the hold of a backup was not ended");
            }
        }));
    }
}
