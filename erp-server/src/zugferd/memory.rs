//! The memory that the bodies of all e-invoice requests share.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::options::Options;
use crate::web::ApiError;

/// Unit of the budget in bytes.
const PIECE: u64 = 64 * 1024;

/// The budget.
#[derive(Debug)]
pub(super) struct Budget(Arc<Semaphore>);

impl Budget {
    pub(super) fn new(options: &Options) -> Self {
        // One body of maximum length always fits.
        let memory = options.memory_bytes.max(options.body_bytes);
        let pieces = usize::try_from(memory.div_ceil(PIECE)).unwrap_or(usize::MAX);
        Self(Arc::new(Semaphore::new(pieces.min(Semaphore::MAX_PERMITS))))
    }

    /// An empty memory permit for a body.
    pub(super) fn memory(&self) -> Memory {
        Memory {
            pieces: Arc::clone(&self.0),
            held: None,
        }
    }
}

/// Memory permit of one request. It grows with the body; dropping it releases the memory.
#[derive(Debug)]
pub(super) struct Memory {
    pieces: Arc<Semaphore>,
    held: Option<OwnedSemaphorePermit>,
}

impl Memory {
    /// Reserves memory up to this total number of bytes.
    ///
    /// # Errors
    /// 503 when the budget is exhausted.
    pub(super) fn grow_to(&mut self, bytes: usize) -> Result<(), ApiError> {
        let held = self
            .held
            .as_ref()
            .map_or(0, OwnedSemaphorePermit::num_permits);
        let needed = bytes.div_ceil(usize::try_from(PIECE).unwrap_or(usize::MAX));
        let more = u32::try_from(needed.saturating_sub(held)).unwrap_or(u32::MAX);
        if more == 0 {
            return Ok(());
        }
        let taken = Arc::clone(&self.pieces).try_acquire_many_owned(more);
        let taken = taken
            .map_err(|_| ApiError::unavailable("too many bytes of e-invoices are in memory"))?;
        match &mut self.held {
            Some(held) => held.merge(taken),
            None => self.held = Some(taken),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Settings;

    #[test]
    fn memory_is_bounded_and_given_back() {
        let mut settings = Settings::defaults().unwrap();
        for (name, value) in [
            ("zugferd_body_bytes", "131072"),
            ("zugferd_memory_bytes", "1024"),
        ] {
            settings.set(name, value, "a test").unwrap();
        }
        let budget = Budget::new(&settings.zugferd_options());
        let (mut first, mut second) = (budget.memory(), budget.memory());
        first.grow_to(1).unwrap();
        first.grow_to(65_536).unwrap();
        second.grow_to(65_536).unwrap();
        assert_eq!(second.grow_to(65_537).unwrap_err().status().as_u16(), 503);
        drop(first);
        second.grow_to(131_072).unwrap();
        // One body of maximum length fits even if the memory setting is lower.
        assert!(budget.memory().grow_to(1).is_err());
    }
}
