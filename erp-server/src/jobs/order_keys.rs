//! Gives orders of an older version their keys by state, once per store.

use std::sync::Arc;
use std::time::Duration;

use erp_core::Erp;
use erp_core::erp::{Error, Leased};
use jiff::{SignedDuration, Timestamp};

use super::leader::LeaderTask;
use crate::store::Store;

/// Interval of attempts, while another server does the work or servers of the older version may still run.
const TRY_EVERY: Duration = Duration::from_secs(60);

/// Duration of the lease: if its holder crashes, the work pauses this long.
const LEASE: Duration = Duration::from_secs(120);

/// Servers on one database are upgraded one after the other, within this time. The older ones write no keys.
const UPGRADE: SignedDuration = SignedDuration::from_hours(1);

/// Pause between two slices, so that requests go on.
const PAUSE: Duration = Duration::from_millis(5);

/// Slices between two lines in the log: 20,000 orders.
const SLICES_PER_LINE: usize = 200;

/// Writes the keys by state of all orders that lack them. Ends when all have them.
pub(crate) async fn write_order_keys(erp: Arc<Erp<Store>>, holder: u64) {
    let mut task = LeaderTask::new(Leased::OrderKeys, LEASE, holder);
    let wait = match erp.store() {
        Store::Sled(_) => SignedDuration::ZERO,
        Store::Postgres(_) => UPGRADE,
    };
    loop {
        match write_some(&erp, &mut task, wait).await {
            Ok(true) => return,
            Ok(false) => (),
            Err(error) => tracing::warn!(%error, "keys of older orders could not be written"),
        }
        tokio::time::sleep(TRY_EVERY).await;
    }
}

/// Goes on while there is something to write. Returns whether all orders have their keys.
async fn write_some(
    erp: &Erp<Store>,
    task: &mut LeaderTask,
    wait: SignedDuration,
) -> Result<bool, Error> {
    if erp.has_order_keys().await? {
        return Ok(true);
    }
    let mut slices = 0_usize;
    while task.is_ours(erp).await {
        let state = erp.write_order_keys(Timestamp::now(), wait).await?;
        let Some(next) = state.next else {
            if slices > 0 {
                tracing::info!("all orders have their keys by state");
            }
            return Ok(true);
        };
        if Timestamp::now().duration_since(state.since) < wait {
            return Ok(false);
        }
        if slices % SLICES_PER_LINE == 0 {
            tracing::info!(next, "orders of an older version get their keys by state");
        }
        slices = slices.saturating_add(1);
        tokio::time::sleep(PAUSE).await;
    }
    Ok(false)
}
