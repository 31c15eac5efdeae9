//! Resources shared by concurrent requests: concurrency permits and memory for bodies.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::{ApiError, RETRY_SECONDS, Result};
use crate::lock::lock;

/// Concurrency permit of a request. It is released while the server waits for the client, so that slow clients do
/// not block others.
#[derive(Clone, Debug)]
pub(super) struct ConcurrencyPermit(Arc<RequestPlace>);

#[derive(Debug)]
struct RequestPlace {
    places: Arc<Semaphore>,
    permit: Mutex<Option<OwnedSemaphorePermit>>,
}

impl ConcurrencyPermit {
    /// Acquires a permit if one is free.
    pub(super) fn take(places: &Arc<Semaphore>) -> Option<Self> {
        let permit = Arc::clone(places).try_acquire_owned().ok()?;
        Some(Self(Arc::new(RequestPlace {
            places: Arc::clone(places),
            permit: Mutex::new(Some(permit)),
        })))
    }

    /// Releases the permit until [`ConcurrencyPermit::enter`].
    pub(super) fn leave(&self) {
        *lock(&self.0.permit) = None;
    }

    /// Acquires a permit again. Waits instead of failing, because the client has already sent its body.
    pub(super) async fn enter(&self) {
        let permit = Arc::clone(&self.0.places).acquire_owned().await;
        *lock(&self.0.permit) = permit.ok();
    }

    /// Whether the permit is released while waiting for the client.
    pub(super) fn is_left(&self) -> bool {
        lock(&self.0.permit).is_none()
    }
}

const KILOBYTE: usize = 1_024;

/// Memory that many bodies share, a permit per kilobyte.
#[derive(Clone, Debug)]
pub(crate) struct MemoryBudget(Arc<Semaphore>);

impl MemoryBudget {
    pub(crate) fn new(bytes: u64) -> Self {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        let permits = bytes.div_ceil(KILOBYTE).min(Semaphore::MAX_PERMITS);
        Self(Arc::new(Semaphore::new(permits)))
    }

    /// A permit without memory yet.
    pub(crate) fn permit(&self) -> MemoryPermit {
        MemoryPermit {
            budget: Arc::clone(&self.0),
            held: None,
        }
    }
}

/// Part of a budget reserved for one body; returned on drop.
#[derive(Debug)]
pub(crate) struct MemoryPermit {
    budget: Arc<Semaphore>,
    held: Option<OwnedSemaphorePermit>,
}

impl MemoryPermit {
    pub(crate) fn release(&mut self) {
        self.held = None;
    }

    /// Extends the reservation to at least `bytes` in total; `false` when the budget is exhausted.
    pub(crate) fn grow_to(&mut self, bytes: usize) -> bool {
        let held = self.held.as_ref();
        let held = held.map_or(0, OwnedSemaphorePermit::num_permits);
        let more = bytes.div_ceil(KILOBYTE).saturating_sub(held);
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        let Ok(permit) = Arc::clone(&self.budget).try_acquire_many_owned(more) else {
            return false;
        };
        match &mut self.held {
            Some(held) => held.merge(permit),
            None => self.held = Some(permit),
        }
        true
    }
}

/// Bytes of all responses that are not read; beyond them requests are refused. Without a bound, clients with closed windows
/// on many connections could fill the memory.
const UNREAD: u64 = 128 * 1024 * 1024;

/// The share of one caller. A longer response passes when all others of the caller have been read.
const UNREAD_OF_CALLER: u64 = 4 * 1024 * 1024;

// rule: D-LIM-05
/// Bytes of responses that are not sent yet, of all callers and of each. Clients without a token get none that count.
#[derive(Clone, Debug, Default)]
pub(super) struct Unread(Arc<Mutex<UnreadBytes>>);

#[derive(Debug, Default)]
struct UnreadBytes {
    all: u64,
    by_caller: HashMap<String, u64>,
}

impl UnreadBytes {
    fn check(&self, caller: &str, more: u64) -> Result<()> {
        let own = self.by_caller.get(caller).copied().unwrap_or_default();
        if own > 0 && own.saturating_add(more) > UNREAD_OF_CALLER {
            return Err(ApiError::too_many_requests(RETRY_SECONDS));
        }
        if self.all.saturating_add(more) > UNREAD {
            let text = "too many bytes of responses are unread";
            return Err(ApiError::unavailable(text));
        }
        Ok(())
    }
}

impl Unread {
    pub(super) fn check(&self, caller: &str) -> Result<()> {
        lock(&self.0).check(caller, 0)
    }

    /// Counts these bytes until the returned value is dropped. Only the response to a request that can be sent again is
    /// refused.
    pub(super) fn hold(&self, caller: &str, bytes: u64, is_refusable: bool) -> Result<Held> {
        let mut unread = lock(&self.0);
        if is_refusable {
            unread.check(caller, bytes)?;
        }
        unread.all += bytes;
        *unread.by_caller.entry(caller.to_owned()).or_default() += bytes;
        Ok(Held {
            unread: self.clone(),
            caller: caller.to_owned(),
            bytes,
        })
    }
}

/// Bytes of a response that is not sent yet.
#[derive(Debug)]
pub(super) struct Held {
    unread: Unread,
    caller: String,
    bytes: u64,
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut unread = lock(&self.unread.0);
        unread.all -= self.bytes;
        if let Some(own) = unread.by_caller.get_mut(&self.caller) {
            *own -= self.bytes;
            if *own == 0 {
                unread.by_caller.remove(&self.caller);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_place_is_free_while_its_client_is_waited_for() {
        let places = Arc::new(Semaphore::new(1));
        let first = ConcurrencyPermit::take(&places).unwrap();
        assert!(ConcurrencyPermit::take(&places).is_none());
        first.leave();
        assert!(first.is_left());
        let second = ConcurrencyPermit::take(&places).unwrap();
        let back = tokio::spawn({
            let first = first.clone();
            async move { first.enter().await }
        });
        tokio::task::yield_now().await;
        assert!(!back.is_finished());
        drop(second);
        back.await.unwrap();
        assert!(!first.is_left() && ConcurrencyPermit::take(&places).is_none());
        drop(first);
        assert!(ConcurrencyPermit::take(&places).is_some());
    }

    #[test]
    fn a_budget_is_never_overdrawn_and_comes_back() {
        let budget = MemoryBudget::new(102_400);
        let (mut one, mut two) = (budget.permit(), budget.permit());
        let grow =
            |permit: &mut MemoryPermit, kilobytes: usize| permit.grow_to(kilobytes * KILOBYTE);
        assert!(grow(&mut one, 40) && grow(&mut one, 60) && grow(&mut two, 40));
        assert!(!two.grow_to(40 * KILOBYTE + 1) && grow(&mut two, 10));
        drop(one);
        assert!(grow(&mut two, 100));
        drop(two);
        assert_eq!(budget.0.available_permits(), 100);
    }

    // rule: D-LIM-05
    #[test]
    fn unread_bytes_are_bounded_for_each_caller_and_for_all() {
        const MEGABYTE: u64 = 1024 * 1024;
        let unread = Unread::default();
        let status = |refused: ApiError| refused.status().as_u16();
        let hold = |caller: &str, megabytes| unread.hold(caller, megabytes * MEGABYTE, true);
        let four = hold("one", 4).unwrap();
        unread.check("one").unwrap();
        assert_eq!(status(hold("one", 1).unwrap_err()), 429);
        drop(four);
        // A long response passes alone.
        let long = hold("one", 20).unwrap();
        assert_eq!(status(unread.check("one").unwrap_err()), 429);
        drop(long);
        // A write is done; its response is sent.
        let written = unread.hold("one", 5 * MEGABYTE, false).unwrap();
        drop(written);
        assert!(lock(&unread.0).by_caller.is_empty());
        // The customers of a shop are callers of their own, but share one budget.
        let mut customers: Vec<Held> = (0..32)
            .map(|number| hold(&format!("shop1:{number}"), 4).unwrap())
            .collect();
        assert_eq!(status(hold("other", 1).unwrap_err()), 503);
        customers.pop();
        assert!(hold("other", 1).is_ok());
    }
}
