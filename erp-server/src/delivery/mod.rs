//! Delivers events from the outbox of the store to webhook targets, following the Standard Webhooks convention
//! (decisions, section 11).
//!
//! Pending events and attempts are in the store, so a restarted server continues where it stopped: an event is
//! delivered at least once, and receivers detect repeats by `webhook-id`. If several servers share a store, the one
//! that holds the lease of a target delivers to it.

mod address;
mod dispatch;
mod message;
mod round;
mod secret;
mod sender;
mod target;

use std::time::Duration;

use erp_core::erp::Schedule;
use jiff::SignedDuration;

pub use address::is_public;
pub use dispatch::{run, run_until};
pub use message::{body, signature};
pub use secret::{Secret, SecretError};
pub use sender::Sender;
pub use target::{TargetError, check_kinds, check_url};

/// Options of the delivery.
#[derive(Clone, Debug)]
pub struct Options {
    /// Number that identifies this server in its leases.
    pub holder: u64,
    /// Deliver to private, loopback and link-local addresses too.
    pub private_targets: bool,
    /// Timing.
    pub pace: Pace,
}

/// Timing of the delivery. Servers use the default; tests use shorter times.
#[derive(Clone, Debug)]
pub struct Pace {
    /// Polling interval of the store.
    pub poll: Duration,
    /// Timeout of one attempt.
    pub attempt: Duration,
    /// Safety margin before a lease expires: allowed clock difference between two servers plus the time to record an
    /// attempt. It prevents two servers from delivering to one target.
    pub margin: Duration,
    /// Time for attempts in progress at shutdown. Aborted attempts are repeated.
    pub ending: Duration,
    /// Pause after a store error, so that a target is not called repeatedly while results cannot be recorded.
    pub after_error: Duration,
    /// Pauses between attempts.
    pub schedule: Schedule,
}

impl Pace {
    /// Duration of a lease. It is renewed when less than half is left, so every attempt starts with enough time for
    /// itself and the margin.
    fn lease(&self) -> SignedDuration {
        let longest = self.attempt.saturating_add(self.margin);
        SignedDuration::try_from(longest.saturating_mul(2)).unwrap_or(SignedDuration::MAX)
    }
}

impl Default for Pace {
    /// 15 s per attempt, 10 s clock difference plus some time for the store, and the schedule of the decisions.
    fn default() -> Self {
        Self {
            poll: Duration::from_millis(250),
            attempt: Duration::from_secs(15),
            margin: Duration::from_secs(15),
            ending: Duration::from_secs(2),
            after_error: Duration::from_secs(5),
            schedule: Schedule::default(),
        }
    }
}
