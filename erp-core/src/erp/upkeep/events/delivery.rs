//! State of one event's delivery to one target, and how each attempt changes it.

use erp_derive::Word;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::EventId;
use crate::erp::keys;
use crate::storage::Key;

/// Wait after each failure; the failure after the last wait ends the delivery.
pub const RETRY_WAITS: [SignedDuration; 7] = [
    SignedDuration::from_secs(5),
    SignedDuration::from_mins(5),
    SignedDuration::from_mins(30),
    SignedDuration::from_hours(2),
    SignedDuration::from_hours(5),
    SignedDuration::from_hours(10),
    SignedDuration::from_hours(10),
];

/// Number of attempts that a delivery lists, newest first kept; replays could otherwise add without end.
pub const ATTEMPTS_KEPT: usize = 20;

/// Wait times between failed attempts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    waits: Vec<SignedDuration>,
}

impl Schedule {
    /// A schedule with these waits after the first, second, ... failure.
    pub const fn new(waits: Vec<SignedDuration>) -> Self {
        Self { waits }
    }

    /// The wait after this many consecutive failures, counted from 1; `None` when no attempt is left.
    pub fn wait_after(&self, failures: u32) -> Option<SignedDuration> {
        let index = usize::try_from(failures).ok()?.checked_sub(1)?;
        self.waits.get(index).copied()
    }
}

impl Default for Schedule {
    /// [`RETRY_WAITS`].
    fn default() -> Self {
        Self::new(RETRY_WAITS.to_vec())
    }
}

/// Outcome of one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AttemptOutcome {
    /// The target responded with this HTTP status.
    Status(u16),
    /// The target's address is not allowed.
    AddressRefused,
    /// No connection: unknown host, nothing listening, or no valid certificate.
    NoConnection,
    /// The connection broke before the response.
    Broken,
    /// No response in time.
    TimedOut,
}

/// Meaning of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The target accepted the event.
    Taken,
    /// The target wants no more events.
    Gone,
    /// The delivery must be tried again.
    Failed,
}

impl AttemptOutcome {
    // rule: R-EVT-06
    /// 2xx is taken, 410 is gone; everything else is a failure, including redirections.
    pub const fn verdict(self) -> Verdict {
        match self {
            Self::Status(200..=299) => Verdict::Taken,
            Self::Status(410) => Verdict::Gone,
            _ => Verdict::Failed,
        }
    }

    /// The HTTP status, if there was a response.
    pub const fn status(self) -> Option<u16> {
        match self {
            Self::Status(status) => Some(status),
            _ => None,
        }
    }

    /// The name for lists and logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Status(_) => "answered",
            Self::AddressRefused => "address_refused",
            Self::NoConnection => "no_connection",
            Self::Broken => "broken",
            Self::TimedOut => "timed_out",
        }
    }
}

/// One delivery attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryAttempt {
    /// Start of the attempt.
    pub at: Timestamp,
    /// How it ended.
    pub outcome: AttemptOutcome,
    /// How long it took, in milliseconds.
    pub duration_ms: u32,
}

impl DeliveryAttempt {
    fn ended_at(&self) -> Timestamp {
        later(
            self.at,
            SignedDuration::from_millis(self.duration_ms.into()),
        )
    }
}

/// Progress of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Word)]
pub enum DeliveryState {
    /// Waiting for its due time.
    Waiting,
    /// The target accepted the event.
    Delivered,
    /// The last attempt failed; only a replay starts it again.
    GivenUp,
    /// The target was disabled or removed before it accepted the event.
    TargetGone,
}

/// Delivery of one event to one target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// The event.
    pub event: EventId,
    /// The number of the target.
    pub target: u64,
    /// The latest attempts, oldest first; at most [`ATTEMPTS_KEPT`].
    pub attempts: Vec<DeliveryAttempt>,
    /// Failed attempts since the delivery started or was replayed.
    pub failures: u32,
    /// Progress of the delivery.
    pub state: DeliveryState,
    /// Time of the next attempt, while it waits.
    pub next_attempt_at: Option<Timestamp>,
}

impl Delivery {
    /// A new delivery, due immediately.
    pub const fn new(event: EventId, target: u64, now: Timestamp) -> Self {
        Self {
            event,
            target,
            attempts: Vec::new(),
            failures: 0,
            state: DeliveryState::Waiting,
            next_attempt_at: Some(now),
        }
    }

    /// Whether its last attempt failed: it is given up, or waits for another attempt.
    pub const fn has_failed(&self) -> bool {
        match self.state {
            DeliveryState::GivenUp => true,
            DeliveryState::Waiting => self.failures > 0,
            DeliveryState::Delivered | DeliveryState::TargetGone => false,
        }
    }

    /// The delivery after an attempt.
    #[must_use]
    pub fn after(self, attempt: DeliveryAttempt, schedule: &Schedule) -> Self {
        let failures = self.failures.saturating_add(1);
        let (state, failures, next_attempt_at) = match attempt.outcome.verdict() {
            Verdict::Taken => (DeliveryState::Delivered, self.failures, None),
            Verdict::Gone => (DeliveryState::TargetGone, failures, None),
            Verdict::Failed => match schedule.wait_after(failures) {
                Some(wait) => {
                    let next = later(attempt.ended_at(), wait);
                    (DeliveryState::Waiting, failures, Some(next))
                }
                None => (DeliveryState::GivenUp, failures, None),
            },
        };
        Self {
            state,
            failures,
            next_attempt_at,
            ..self.noting(attempt)
        }
    }

    /// The same delivery with one more attempt in its list; nothing else changes.
    #[must_use]
    pub fn noting(mut self, attempt: DeliveryAttempt) -> Self {
        self.attempts.push(attempt);
        let surplus = self.attempts.len().saturating_sub(ATTEMPTS_KEPT);
        self.attempts.drain(..surplus);
        self
    }

    /// Restarts the delivery: due immediately, with its attempts still listed.
    #[must_use]
    pub fn again(self, now: Timestamp) -> Self {
        Self {
            failures: 0,
            state: DeliveryState::Waiting,
            next_attempt_at: Some(now),
            ..self
        }
    }

    /// The delivery, ended because its target is gone.
    #[must_use]
    pub fn ended(self) -> Self {
        Self {
            state: DeliveryState::TargetGone,
            next_attempt_at: None,
            ..self
        }
    }

    pub(in crate::erp) fn key(&self) -> Key {
        keys::delivery(self.event, self.target)
    }

    /// Key in the queue of waiting deliveries; `None` when it does not wait.
    pub(in crate::erp) fn due_key(&self) -> Option<Key> {
        self.next_attempt_at
            .map(|at| keys::due(self.target, at, self.event))
    }
}

fn later(at: Timestamp, wait: SignedDuration) -> Timestamp {
    at.checked_add(wait).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENT: EventId = EventId {
        revision: 3,
        index: 0,
    };

    fn attempt(at: Timestamp, outcome: AttemptOutcome) -> DeliveryAttempt {
        DeliveryAttempt {
            at,
            outcome,
            duration_ms: 1_500,
        }
    }

    fn start() -> Timestamp {
        "2026-06-01T10:00:00Z".parse().unwrap()
    }

    // rule: R-EVT-06
    #[test]
    fn the_schedule_is_the_decided_one() {
        let mut delivery = Delivery::new(EVENT, 1, start());
        let mut waits = Vec::new();
        while let Some(at) = delivery.next_attempt_at {
            delivery = delivery.after(
                attempt(at, AttemptOutcome::Status(500)),
                &Schedule::default(),
            );
            let next = delivery.next_attempt_at;
            waits.extend(next.map(|next| next.duration_since(at).as_millis() - 1_500));
        }
        let seconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];
        assert_eq!(waits, seconds.map(|seconds| seconds * 1_000));
        assert_eq!(delivery.state, DeliveryState::GivenUp);
        assert_eq!((delivery.failures, delivery.attempts.len()), (8, 8));
        assert_eq!(delivery.due_key(), None);
    }

    // rule: R-EVT-06
    #[test]
    fn every_outcome_has_its_verdict() {
        for (outcome, verdict) in [
            (AttemptOutcome::Status(200), Verdict::Taken),
            (AttemptOutcome::Status(204), Verdict::Taken),
            (AttemptOutcome::Status(299), Verdict::Taken),
            (AttemptOutcome::Status(199), Verdict::Failed),
            (AttemptOutcome::Status(301), Verdict::Failed),
            (AttemptOutcome::Status(404), Verdict::Failed),
            (AttemptOutcome::Status(410), Verdict::Gone),
            (AttemptOutcome::Status(503), Verdict::Failed),
            (AttemptOutcome::AddressRefused, Verdict::Failed),
            (AttemptOutcome::NoConnection, Verdict::Failed),
            (AttemptOutcome::Broken, Verdict::Failed),
            (AttemptOutcome::TimedOut, Verdict::Failed),
        ] {
            assert_eq!(outcome.verdict(), verdict, "{outcome:?}");
        }
    }

    #[test]
    fn success_gone_and_replay_set_the_state() {
        let schedule = Schedule::default();
        let fresh = Delivery::new(EVENT, 1, start());
        let failed = fresh.after(attempt(start(), AttemptOutcome::TimedOut), &schedule);
        assert_eq!(failed.state, DeliveryState::Waiting);
        assert!(failed.has_failed() && !failed.clone().again(start()).has_failed());
        let taken = failed
            .clone()
            .after(attempt(start(), AttemptOutcome::Status(204)), &schedule);
        assert_eq!(taken.state, DeliveryState::Delivered);
        assert_eq!((taken.failures, taken.next_attempt_at), (1, None));
        let gone = failed.after(attempt(start(), AttemptOutcome::Status(410)), &schedule);
        assert_eq!(gone.state, DeliveryState::TargetGone);
        assert_eq!(gone.next_attempt_at, None);
        let again = taken.again(start());
        assert_eq!((again.failures, again.attempts.len()), (0, 2));
        assert_eq!(again.next_attempt_at, Some(start()));
    }

    // rule: R-EVT-08
    #[test]
    fn the_list_of_attempts_is_bounded() {
        let schedule = Schedule::new(vec![SignedDuration::ZERO; 100]);
        let mut delivery = Delivery::new(EVENT, 1, start());
        for status in 500..530 {
            delivery = delivery.after(attempt(start(), AttemptOutcome::Status(status)), &schedule);
        }
        assert_eq!(delivery.attempts.len(), ATTEMPTS_KEPT);
        assert_eq!(delivery.failures, 30);
        assert_eq!(
            delivery.attempts[0].outcome,
            AttemptOutcome::Status(510),
            "the newest are kept"
        );
    }
}
