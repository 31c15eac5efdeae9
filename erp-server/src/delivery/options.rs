//! Options and timing of the delivery.

use std::time::Duration;

use erp_core::internal::Schedule;
use jiff::SignedDuration;

use crate::observe::counters::Deliveries;

#[derive(Clone, Debug)]
pub struct DeliveryOptions {
    /// Number that identifies this server in its leases.
    pub holder: u64,
    /// Deliver to private, loopback and link-local addresses too.
    pub private_targets: bool,
    pub pace: Pace,
    pub counts: Deliveries,
}

/// Timing of the delivery. Servers use the default; tests use shorter times.
#[derive(Clone, Debug)]
pub struct Pace {
    pub poll: Duration,
    pub attempt: Duration,
    /// Safety margin before a lease expires: allowed clock difference between two servers plus the time to record an
    /// attempt. It prevents two servers from delivering to one target.
    pub margin: Duration,
    /// Time for attempts in progress at shutdown. Aborted attempts are repeated.
    pub ending: Duration,
    /// Pause after a store error, so that a target is not called repeatedly while results cannot be recorded.
    pub after_error: Duration,
    pub schedule: Schedule,
}

impl Pace {
    /// Duration of a lease. It is renewed when less than half is left, so every attempt starts with enough time for
    /// itself and the margin.
    pub(super) fn lease(&self) -> SignedDuration {
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
