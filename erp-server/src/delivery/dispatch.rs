//! The delivery task: assigns events to targets, and delivers to each target independently.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;

use erp_core::Erp;
use erp_core::erp::Error;
use jiff::Timestamp;
use tokio::task::{Id, JoinSet};
use tokio::time::timeout;

use crate::store::Store;

use super::options::DeliveryOptions;
use super::round::Deliverer;
use super::sender::Sender;

const EVENTS_PER_COMMIT: usize = 100;

/// Delivers events until `stop` is ready. Then attempts in progress are recorded, slow ones are aborted, and the leases
/// are released, so that another server on the store continues immediately. To drop the future acts like a crash:
/// attempts in progress are repeated, by another server when the leases of this one expire.
///
/// Each target has its own task that sends one event at a time, so targets that hang do not delay the others.
pub async fn run_until(
    erp: Arc<Erp<Store>>,
    options: DeliveryOptions,
    stop: impl Future<Output = impl Sized>,
) {
    let sender = match Sender::new(options.private_targets, options.pace.attempt) {
        Ok(sender) => sender,
        Err(error) => {
            tracing::error!(%error, "events are not delivered: TLS cannot be set up");
            return;
        }
    };
    if let Err(error) = erp.upkeep(Timestamp::now()).events().end_orphaned().await {
        tracing::warn!(%error, "deliveries to removed targets could not be ended");
    }
    let mut dispatch = Dispatch {
        deliverer: Arc::new(Deliverer::new(erp, sender, options)),
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

struct Dispatch {
    deliverer: Arc<Deliverer>,
    rounds: JoinSet<()>,
    /// The target of each running round.
    targets: HashMap<Id, u64>,
}

impl Dispatch {
    async fn go_on(&mut self) {
        if let Err(error) = self.step().await {
            tracing::warn!(%error, "the store gives no events to deliver");
            tokio::time::sleep(self.deliverer.pace.after_error).await;
        }
        self.rest().await;
    }

    /// Assigns new events and starts a round for every target that has a due event, no running round and no pause.
    async fn step(&mut self) -> Result<(), Error> {
        let events = || self.deliverer.upkeep().events();
        while events().fan_out(EVENTS_PER_COMMIT).await? == EVENTS_PER_COMMIT {}
        for target in events().targets().await? {
            let busy = self.targets.values().any(|busy| *busy == target.id)
                || self.deliverer.is_resting(target.id);
            let due = events().due(target.id, 1);
            if !busy && !due.await?.is_empty() {
                let deliverer = Arc::clone(&self.deliverer);
                let round = self.rounds.spawn(deliverer.round(target.id));
                self.targets.insert(round.id(), target.id);
            }
        }
        Ok(())
    }

    /// Waits until a round ends or the next poll is due.
    async fn rest(&mut self) {
        tokio::select! {
            Some(done) = self.rounds.join_next_with_id() => {
                let id = match done {
                    Ok((id, ())) => id,
                    Err(error) => error.id(),
                };
                self.targets.remove(&id);
            }
            () = tokio::time::sleep(self.deliverer.pace.poll) => (),
        }
    }

    async fn end(&mut self) {
        self.deliverer.stop();
        let rounds = &mut self.rounds;
        let ended = async { while rounds.join_next().await.is_some() {} };
        let _ = timeout(self.deliverer.pace.ending, ended).await;
        self.rounds.shutdown().await;
        self.deliverer.give_back().await;
    }
}
