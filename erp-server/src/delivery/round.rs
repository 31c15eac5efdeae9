//! A round: a few deliveries to one target, one after the other, under a lease.

use std::collections::HashMap;
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use erp_core::Erp;
use erp_core::erp::{Error, Upkeep};
use erp_core::internal::{
    Delivery, DeliveryAttempt, DeliveryState, Due, EventTarget, Lease, LeaseAfter, LeaseTerms,
    Leased, Verdict,
};
use jiff::Timestamp;
use tokio::time::Instant;

use super::options::{DeliveryOptions, Pace};
use super::sender::Sender;
use crate::lock::lock;
use crate::observe::counters::Deliveries;
use crate::store::Store;

/// Failures in a row after which a target is down: fewer may be due to the events.
const DOWN_AFTER: u32 = 3;

/// Maximum of deliveries per round, so that other servers get their turn.
const DELIVERIES_PER_ROUND: usize = 20;

pub(super) struct Deliverer {
    erp: Arc<Erp<Store>>,
    sender: Sender,
    pub(super) pace: Pace,
    terms: LeaseTerms,
    counts: Deliveries,
    stopping: AtomicBool,
    /// The targets whose last attempt failed.
    failing: Mutex<HashMap<u64, Failing>>,
}

struct Failing {
    in_a_row: u32,
    /// While the target is down: time of the next attempt.
    rests_until: Instant,
}

enum End {
    /// Nothing is left to deliver, and no lease is held.
    Done,
    /// Another server holds the lease of the target.
    Taken,
}

impl Deliverer {
    pub(super) fn new(erp: Arc<Erp<Store>>, sender: Sender, options: DeliveryOptions) -> Self {
        let terms = LeaseTerms {
            holder: options.holder,
            length: options.pace.lease(),
        };
        Self {
            erp,
            sender,
            pace: options.pace,
            terms,
            counts: options.counts,
            stopping: AtomicBool::new(false),
            failing: Mutex::default(),
        }
    }

    pub(super) fn upkeep(&self) -> Upkeep<'_, Store> {
        self.erp.upkeep(Timestamp::now())
    }

    /// Stops all rounds before their next event.
    pub(super) fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// Whether a target is down and was tried a moment ago.
    pub(super) fn is_resting(&self, target: u64) -> bool {
        let failing = lock(&self.failing);
        let failing = failing.get(&target);
        failing.is_some_and(|failing| Instant::now() < failing.rests_until)
    }

    /// Releases all leases of this server.
    pub(super) async fn give_back(&self) {
        let leases = self.upkeep().leases();
        if let Err(error) = leases.release_all_of(self.terms.holder).await {
            tracing::warn!(%error, "leases could not be given back; they end by themselves");
        }
    }

    /// Delivers the due events of a target, one after the other.
    pub(super) async fn round(self: Arc<Self>, target: u64) {
        let mut held = None;
        for left in (0..DELIVERIES_PER_ROUND).rev() {
            match self.next(target, &mut held, left == 0).await {
                Ok(Continue(())) if self.is_resting(target) => break,
                Ok(Continue(())) => (),
                Ok(Break(End::Done)) => return,
                // The target stays busy until the next poll.
                Ok(Break(End::Taken)) => return tokio::time::sleep(self.pace.poll).await,
                Err(error) => {
                    tracing::warn!(event_target = target, %error, "an attempt to deliver could not be noted");
                    // The target stays busy during the pause.
                    tokio::time::sleep(self.pace.after_error).await;
                    break;
                }
            }
        }
        if let Some(lease) = held {
            // If the store fails again, the lease expires.
            let _ = self.upkeep().leases().release(&lease).await;
        }
    }

    /// Delivers the next event. The lease is released after the last event of the round or of the target.
    async fn next(
        &self,
        target: u64,
        held: &mut Option<Lease>,
        last: bool,
    ) -> Result<ControlFlow<End>, Error> {
        let known = self.upkeep().events().target(target).await?;
        let is_stopping = self.stopping.load(Ordering::Relaxed);
        let wanted = known.filter(|target| target.enabled && !is_stopping);
        let Some(wanted) = wanted else {
            return self.done(held).await;
        };
        let Some(lease) = self.lease(target, held.take()).await? else {
            return Ok(Break(End::Taken));
        };
        *held = Some(lease.clone());
        let due = self.upkeep().events().due(target, 2).await?;
        let (first, after) = match due.as_slice() {
            [] => return self.done(held).await,
            [first, _, ..] if !last => (first, LeaseAfter::Kept),
            [first, ..] => (first, LeaseAfter::Released),
        };
        let noted = self.attempt(&wanted, first, &lease, after).await?;
        if noted && after == LeaseAfter::Kept {
            return Ok(Continue(()));
        }
        *held = None;
        Ok(Break(if noted { End::Done } else { End::Taken }))
    }

    async fn lease(&self, target: u64, held: Option<Lease>) -> Result<Option<Lease>, Error> {
        let leases = self.upkeep().leases();
        match held {
            Some(lease) => leases.keep(lease, &self.terms).await,
            None => leases.take(Leased::Deliveries(target), &self.terms).await,
        }
    }

    async fn done(&self, held: &mut Option<Lease>) -> Result<ControlFlow<End>, Error> {
        if let Some(lease) = held.take() {
            self.upkeep().leases().release(&lease).await?;
        }
        Ok(Break(End::Done))
    }

    /// Makes one delivery attempt; returns whether its result was recorded.
    async fn attempt(
        &self,
        target: &EventTarget,
        due: &Due,
        lease: &Lease,
        after: LeaseAfter,
    ) -> Result<bool, Error> {
        let (at, begun) = (Timestamp::now(), Instant::now());
        let id = due.delivery.event;
        let outcome = self.sender.send(target, id, &due.event, at).await;
        let attempt = DeliveryAttempt {
            at,
            outcome,
            duration_ms: u32::try_from(begun.elapsed().as_millis()).unwrap_or(u32::MAX),
        };
        let schedule = &self.pace.schedule;
        let noted = self
            .upkeep()
            .events()
            .record_attempt(due, attempt, schedule, (lease, after))
            .await?;
        match &noted {
            Some(delivery) => {
                self.counts.attempted(log_attempt(&attempt, delivery));
                self.watch(target.id, &attempt);
            }
            // The attempt outlived its lease: this process was suspended, or the clocks differ too much.
            None => tracing::warn!(event = %id, event_target = target.id,
                "another server took over the target during an attempt"),
        }
        Ok(noted.is_some())
    }

    /// Notes whether a target is down: then it gets one attempt per pause until it accepts one.
    fn watch(&self, event_target: u64, attempt: &DeliveryAttempt) {
        let mut failing = lock(&self.failing);
        if attempt.outcome.verdict() != Verdict::Failed {
            let before = failing.remove(&event_target);
            if before.is_some_and(|before| before.in_a_row >= DOWN_AFTER) {
                tracing::info!(event_target, "event target responds again");
            }
            return;
        }
        let now = Instant::now();
        let target = failing.entry(event_target).or_insert(Failing {
            in_a_row: 0,
            rests_until: now,
        });
        target.in_a_row += 1;
        if target.in_a_row == DOWN_AFTER {
            let (outcome, status) = (attempt.outcome.as_str(), attempt.outcome.status());
            tracing::warn!(event_target, outcome, status, "event target is down");
        }
        if target.in_a_row >= DOWN_AFTER {
            let pause = self.pace.schedule.wait_after(1);
            let pause = pause.and_then(|pause| Duration::try_from(pause).ok());
            let until = now.checked_add(pause.unwrap_or_default());
            target.rests_until = until.unwrap_or(now);
        }
    }
}

/// Logs an attempt with numbers and fixed words, never with the address or the secret. Returns what became of it, for the
/// counters: one of [`OUTCOMES`](crate::observe::counters::OUTCOMES).
fn log_attempt(attempt: &DeliveryAttempt, delivery: &Delivery) -> &'static str {
    let (event, event_target) = (delivery.event, delivery.target);
    let (outcome, status) = (attempt.outcome.as_str(), attempt.outcome.status());
    match (attempt.outcome.verdict(), delivery.state) {
        (Verdict::Taken, _) => {
            tracing::debug!(%event, event_target, "event delivered");
            "delivered"
        }
        (Verdict::Gone, _) => {
            tracing::warn!(%event, event_target, "event target is gone, switched off");
            "target_gone"
        }
        (Verdict::Failed, DeliveryState::GivenUp) => {
            tracing::error!(%event, event_target, outcome, status, "event not delivered, given up");
            "given_up"
        }
        (Verdict::Failed, _) => {
            tracing::debug!(%event, event_target, outcome, status, "event not delivered");
            "failed"
        }
    }
}
