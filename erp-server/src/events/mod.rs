//! Events on their way out: from the outbox of the store to the targets, by the Standard Webhooks
//! convention (decisions, section 11).
//!
//! What is to be sent and what was tried stands in the store, so a server that dies goes on where it
//! stopped: an event is delivered at least once, and a receiver tells repeats by `webhook-id`.

mod address;
mod dispatch;
mod message;
mod secret;
mod sender;
mod target;

use std::time::Duration;

use erp_core::erp::Schedule;

pub use address::is_public;
pub use dispatch::run;
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
    /// How long to wait when the store fails, so that a target is not called over and over while its
    /// answers cannot be noted.
    pub after_error: Duration,
    /// The waits between attempts.
    pub schedule: Schedule,
}

impl Default for Pace {
    /// 15 s an attempt, and the schedule of the decisions.
    fn default() -> Self {
        Self {
            poll: Duration::from_millis(250),
            attempt: Duration::from_secs(15),
            after_error: Duration::from_secs(5),
            schedule: Schedule::default(),
        }
    }
}
