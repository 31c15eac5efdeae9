//! Events on their way out: from the outbox of the store to the targets, by the Standard Webhooks
//! convention (decisions, section 11).
//!
//! What is to be sent and what was tried stands in the store, so a server that dies goes on where it
//! stopped: an event is delivered at least once, and a receiver tells repeats by `webhook-id`. Of several
//! servers on one store the one that has the lease of a target delivers to it.

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

/// The times of delivery. Tests shorten them; a server has the default.
#[derive(Clone, Debug)]
pub struct Pace {
    /// How often the store is asked for something to do.
    pub poll: Duration,
    /// How long one attempt may take.
    pub attempt: Duration,
    /// How far apart the clocks of two servers on one store may be, with the time it takes to note an
    /// attempt, before both could deliver to one target. What begins has this time left beyond its own.
    pub margin: Duration,
    /// How long attempts under way may take at the end of the server. What is cut off is tried again.
    pub ending: Duration,
    /// How long to wait when the store fails, so that a target is not called over and over while its
    /// answers cannot be noted.
    pub after_error: Duration,
    /// The waits between attempts.
    pub schedule: Schedule,
}

impl Pace {
    /// How long a lease lasts. It is renewed when less than half is left, so every attempt begins with time
    /// enough for itself and the margin.
    fn lease(&self) -> SignedDuration {
        let longest = self.attempt.saturating_add(self.margin);
        SignedDuration::try_from(longest.saturating_mul(2)).unwrap_or(SignedDuration::MAX)
    }
}

impl Default for Pace {
    /// 15 s an attempt, clocks that are 10 s apart and some for the store, the schedule of the decisions.
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
