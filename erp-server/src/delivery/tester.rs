//! Test deliveries that an operator asks for.

use erp_core::internal::{AttemptOutcome, EventTarget};
use jiff::Timestamp;
use thiserror::Error;
use tokio::sync::{OnceCell, Semaphore};

use super::{Pace, Sender};

const AT_ONCE: usize = 4;

/// Sends tests with the sender of events, which is set up at the first one. Nothing of a test is stored or tried again,
/// and no response switches a target off.
#[derive(Debug)]
pub struct Tester {
    private_targets: bool,
    sender: OnceCell<Sender>,
    slots: Semaphore,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TestError {
    #[error("too many tests at once")]
    Busy,
    #[error("{0}")]
    Setup(String),
}

impl Tester {
    /// A tester; `private_targets` as for events.
    pub fn new(private_targets: bool) -> Self {
        Self {
            private_targets,
            sender: OnceCell::new(),
            slots: Semaphore::new(AT_ONCE),
        }
    }

    /// Makes one attempt, with the timeout of an attempt to deliver an event.
    pub async fn send(
        &self,
        target: &EventTarget,
        user: &str,
    ) -> Result<AttemptOutcome, TestError> {
        let _slot = self.slots.try_acquire().map_err(|_| TestError::Busy)?;
        let private_targets = self.private_targets;
        let sender = self.sender.get_or_try_init(|| async move {
            // Reads the certificates of the system.
            let make = move || {
                let made = Sender::new(private_targets, Pace::default().attempt);
                made.map_err(|error| TestError::Setup(error.to_string()))
            };
            let made = tokio::task::spawn_blocking(make).await;
            made.map_err(|error| TestError::Setup(error.to_string()))?
        });
        let sender = sender.await?;
        Ok(sender.send_test(target, user, Timestamp::now()).await)
    }
}
