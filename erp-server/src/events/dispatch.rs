//! The task that delivers: fans events out, and works on every target by itself.

use std::collections::HashMap;
use std::sync::Arc;

use erp_core::erp::{Delivery, DeliveryAttempt, DeliveryState, Due, Error, EventTarget, Verdict};
use erp_core::storage::Storage;
use jiff::Timestamp;
use tokio::sync::Semaphore;
use tokio::task::{Id, JoinSet};
use tokio::time::Instant;

use super::{Pace, Sender};
use crate::app::App;

/// Deliveries under way at once.
const AT_ONCE: usize = 8;

/// Events handed over by one commit.
const EVENTS_PER_COMMIT: usize = 100;

/// Deliveries to a target before the other work is looked at again.
const DELIVERIES_PER_ROUND: usize = 20;

/// Delivers events for ever. Drop the future to stop; whatever was under way is tried again later.
///
/// Each target has its own task that sends one event after the other, so one that hangs holds up nobody
/// else; how many send at once is bounded.
pub async fn run<S: Storage + 'static>(app: Arc<App<S>>, pace: Pace) {
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
        courier: Arc::new(Courier {
            app,
            sender,
            slots: Semaphore::new(AT_ONCE),
            pace,
        }),
        rounds: JoinSet::new(),
        targets: HashMap::new(),
    };
    loop {
        if let Err(error) = dispatch.step().await {
            tracing::warn!(%error, "the store gives no events to deliver");
            tokio::time::sleep(dispatch.courier.pace.after_error).await;
        }
        dispatch.rest().await;
    }
}

struct Dispatch<S> {
    courier: Arc<Courier<S>>,
    rounds: JoinSet<()>,
    /// Which target a round is for.
    targets: HashMap<Id, u64>,
}

impl<S: Storage + 'static> Dispatch<S> {
    /// Hands new events over and begins a round for every target that has something due and none yet.
    async fn step(&mut self) -> Result<(), Error> {
        let erp = self.courier.app.erp();
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
            () = tokio::time::sleep(self.courier.pace.poll) => (),
        }
    }
}

/// What every round shares.
struct Courier<S> {
    app: Arc<App<S>>,
    sender: Sender,
    slots: Semaphore,
    pace: Pace,
}

impl<S: Storage + 'static> Courier<S> {
    /// Sends a target what is due, one event after the other.
    async fn round(self: Arc<Self>, target: u64) {
        for _ in 0..DELIVERIES_PER_ROUND {
            match self.next(target).await {
                Ok(true) => (),
                Ok(false) => return,
                Err(error) => {
                    tracing::warn!(target, %error, "an attempt to deliver could not be noted");
                    // The target counts as busy until then.
                    return tokio::time::sleep(self.pace.after_error).await;
                }
            }
        }
    }

    /// Sends the next event; answers whether there was one.
    async fn next(&self, target: u64) -> Result<bool, Error> {
        // The semaphore is never closed.
        let Ok(_slot) = self.slots.acquire().await else {
            return Ok(false);
        };
        let erp = self.app.erp();
        let Some(target) = erp.event_target(target).await? else {
            return Ok(false);
        };
        let due = erp.due_deliveries(target.id, Timestamp::now(), 1).await?;
        let Some(due) = due.into_iter().next().filter(|_| target.enabled) else {
            return Ok(false);
        };
        self.attempt(&target, &due).await?;
        Ok(true)
    }

    async fn attempt(&self, target: &EventTarget, due: &Due) -> Result<(), Error> {
        let (at, begun) = (Timestamp::now(), Instant::now());
        let id = due.delivery.event;
        let outcome = self.sender.send(target, id, &due.event, at).await;
        let attempt = DeliveryAttempt {
            at,
            outcome,
            duration_ms: u32::try_from(begun.elapsed().as_millis()).unwrap_or(u32::MAX),
        };
        let schedule = &self.pace.schedule;
        let delivery = self
            .app
            .erp()
            .record_attempt(due, attempt, schedule)
            .await?;
        tell(&attempt, &delivery);
        Ok(())
    }
}

/// Notes an attempt in the log: numbers and words, never the address or the secret.
fn tell(attempt: &DeliveryAttempt, delivery: &Delivery) {
    let (event, target) = (delivery.event, delivery.target);
    let (outcome, status) = (attempt.outcome.as_str(), attempt.outcome.status());
    match (attempt.outcome.verdict(), delivery.state) {
        (Verdict::Taken, _) => tracing::debug!(%event, target, "event delivered"),
        (Verdict::Gone, _) => tracing::warn!(%event, target, "event target is gone, switched off"),
        (Verdict::Failed, DeliveryState::GivenUp) => {
            tracing::error!(%event, target, outcome, status, "event not delivered, given up");
        }
        (Verdict::Failed, _) => {
            tracing::warn!(%event, target, outcome, status, "event not delivered");
        }
    }
}
