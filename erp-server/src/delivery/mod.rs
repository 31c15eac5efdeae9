//! Delivers events from the outbox of the store to webhook targets, following the Standard Webhooks convention.
//!
//! Pending events and attempts are in the store, so a restarted server continues where it stopped: an event is
//! delivered at least once, and receivers detect repeats by `webhook-id`. If several servers share a store, the one
//! that holds the lease of a target delivers to it.

mod address;
mod dispatch;
mod message;
mod options;
mod round;
mod secret;
mod sender;
mod target;
mod tester;

pub use address::is_public;
pub use dispatch::run_until;
pub use message::body;
pub(crate) use message::{EventMessage, sign};
pub use options::{DeliveryOptions, Pace};
pub use secret::{Secret, SecretError};
pub use sender::Sender;
pub(crate) use target::URL_CHARACTERS;
pub use target::{TargetError, check_kinds, check_url};
pub use tester::{TestError, Tester};
