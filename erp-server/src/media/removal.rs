//! Naming and removing bodies where several processes do so at the same time.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use erp_core::Erp;
use erp_core::erp::{BodyMarks, Error};
use erp_core::media::BodyHash;
use erp_core::storage::{Revision, Storage};
use jiff::{SignedDuration, Timestamp};
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};

/// How long others keep from naming a body that is to be removed.
pub(super) const CONDEMNED: SignedDuration = SignedDuration::from_secs(60);

/// How long bodies are removed after that began. The rest of the time is for clocks that differ and for
/// a last request that is slow.
pub(super) const REMOVED_WITHIN: Duration = Duration::from_secs(30);

/// How long a hold lasts whose process ended before it did.
const HELD: SignedDuration = SignedDuration::from_hours(24);

/// How often is looked whether a removal is over.
const LOOK: Duration = Duration::from_millis(50);

/// What is on its way out, once none of `bodies` is any more: at most the minute that a process may have
/// left behind when it ended.
///
/// # Errors
/// When the store fails.
pub async fn settled<S: Storage>(
    erp: &Erp<S>,
    bodies: &BTreeSet<BodyHash>,
) -> Result<BodyMarks, Error> {
    loop {
        let marks = erp.body_marks().await?;
        let now = Timestamp::now();
        if marks.awaits(bodies, now) {
            sleep(LOOK).await;
        } else if bodies.iter().any(|body| !marks.is_same_for(*body, &marks)) {
            // Listed, and nobody removes it any more.
            erp.settle_expired_bodies(&marks, now).await?;
        } else {
            return Ok(marks);
        }
    }
}

/// Keeps every process from removing bodies, until the answer is dropped: for backups of a store that
/// several processes write. What is being removed already is waited for.
///
/// # Errors
/// When the store fails.
pub async fn hold<S, E>(erp: E) -> Result<SharedHold, Error>
where
    S: Storage + 'static,
    E: AsErp<S>,
{
    let revision = begin_hold(erp.erp()).await?;
    let erp = Arc::new(erp);
    let held = SharedHold {
        release: Some(Box::new(release(Arc::clone(&erp), revision))),
    };
    removals_over(erp.erp()).await?;
    Ok(held)
}

/// The same where no server runs that could end the hold later: the caller does, with
/// [`Erp::release_bodies`].
///
/// # Errors
/// When the store fails.
pub async fn hold_until_released<S: Storage>(erp: &Erp<S>) -> Result<Revision, Error> {
    let revision = begin_hold(erp).await?;
    removals_over(erp).await?;
    Ok(revision)
}

async fn begin_hold<S: Storage>(erp: &Erp<S>) -> Result<Revision, Error> {
    let until = Timestamp::now().checked_add(HELD).unwrap_or(Timestamp::MAX);
    erp.hold_bodies(until).await
}

/// Waits for removals that began before a hold.
async fn removals_over<S: Storage>(erp: &Erp<S>) -> Result<(), Error> {
    let begun = Instant::now();
    while erp.body_marks().await?.is_removing(Timestamp::now()) {
        // Nothing new is listed, so this ends; a clock that goes wrong must not keep backups away.
        if begun.elapsed() > Duration::from_secs(120) {
            break;
        }
        sleep(LOOK).await;
    }
    Ok(())
}

/// Who has the operations of the core.
pub trait AsErp<S>: Send + Sync + 'static {
    /// The operations.
    fn erp(&self) -> &Erp<S>;
}

/// Nothing is removed by any process while this lives.
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

fn release<S, E>(erp: Arc<E>, revision: Revision) -> impl FnOnce() + Send
where
    S: Storage + 'static,
    E: AsErp<S>,
{
    let handle = Handle::current();
    move || {
        drop(handle.spawn(async move {
            if let Err(error) = erp.erp().release_bodies(revision).await {
                tracing::warn!(%error, "media files stay for a day: the hold of a backup was not ended");
            }
        }));
    }
}
