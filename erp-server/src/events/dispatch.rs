//! The task that delivers: fans events out, and works on every target by itself.

use std::collections::HashMap;
use std::future::pending;
use std::pin::pin;
use std::sync::Arc;

use erp_core::erp::Error;
use erp_core::storage::Storage;
use jiff::Timestamp;
use tokio::task::{Id, JoinSet};
use tokio::time::timeout;

use super::round::Courier;
use super::{Pace, Sender};
use crate::app::App;

/// Events handed over by one commit.
const EVENTS_PER_COMMIT: usize = 100;

/// Delivers events for ever. Drop the future to stop as a crash would: whatever was under way is tried
/// again, by another server on the store when the leases of this one end.
pub async fn run<S: Storage + 'static>(app: Arc<App<S>>, pace: Pace) {
    run_until(app, pace, pending::<()>()).await;
}

/// Delivers events until `stop` is ready. Then attempts under way are noted, those that take long are cut
/// off, and the leases are given back, so that another server on the store goes on at once.
///
/// Each target has its own task that sends one event after the other, so one that hangs holds up nobody
/// else; how many send at once is bounded.
pub async fn run_until<S: Storage + 'static>(
    app: Arc<App<S>>,
    pace: Pace,
    stop: impl Future<Output = impl Sized>,
) {
    let sender = match Sender::new(app.settings().event_private_targets, pace.attempt) {
        Ok(sender) => sender,
        Err(error) => {
            tracing::error!(%error, "events are not delivered: TLS cannot be set up");
            return;
        }
    };
    if let Err(error) = app.erp().end_orphaned_deliveries().await {
        tracing::warn!(%error, "deliveries to removed targets could not be ended");
    }
    let mut dispatch = Dispatch {
        courier: Arc::new(Courier::new(app, sender, pace)),
        rounds: JoinSet::new(),
        targets: HashMap::new(),
    };
    let mut stop = pin!(stop);
    loop {
        tokio::select! {
            biased;
            _ = &mut stop => break,
            () = dispatch.go_on() => (),
        }
    }
    dispatch.end().await;
}

struct Dispatch<S> {
    courier: Arc<Courier<S>>,
    rounds: JoinSet<()>,
    /// Which target a round is for.
    targets: HashMap<Id, u64>,
}

impl<S: Storage + 'static> Dispatch<S> {
    async fn go_on(&mut self) {
        if let Err(error) = self.step().await {
            tracing::warn!(%error, "the store gives no events to deliver");
            tokio::time::sleep(self.courier.pace().after_error).await;
        }
        self.rest().await;
    }

    /// Hands new events over and begins a round for every target that has something due and none yet.
    async fn step(&mut self) -> Result<(), Error> {
        let erp = self.courier.erp();
        while erp.fan_out(Timestamp::now(), EVENTS_PER_COMMIT).await? == EVENTS_PER_COMMIT {}
        for target in erp.event_targets().await? {
            let busy = self.targets.values().any(|busy| *busy == target.id);
            let due = erp.due_deliveries(target.id, Timestamp::now(), 1);
            if !busy && !due.await?.is_empty() {
                let courier = Arc::clone(&self.courier);
                let round = self.rounds.spawn(courier.round(target.id));
                self.targets.insert(round.id(), target.id);
            }
        }
        Ok(())
    }

    /// Waits until a round is over, or until it is time to look again.
    async fn rest(&mut self) {
        tokio::select! {
            Some(done) = self.rounds.join_next_with_id() => {
                let id = match done {
                    Ok((id, ())) => id,
                    Err(error) => error.id(),
                };
                self.targets.remove(&id);
            }
            () = tokio::time::sleep(self.courier.pace().poll) => (),
        }
    }

    async fn end(&mut self) {
        self.courier.stop();
        let rounds = &mut self.rounds;
        let ended = async { while rounds.join_next().await.is_some() {} };
        let _ = timeout(self.courier.pace().ending, ended).await;
        self.rounds.shutdown().await;
        self.courier.give_back().await;
    }
}
