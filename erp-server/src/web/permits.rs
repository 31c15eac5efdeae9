//! Resources shared by concurrent requests: concurrency permits and memory for bodies.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Concurrency permit of a request. It is released while the server waits for the client, so that slow clients do
/// not block others.
#[derive(Clone, Debug, Default)]
pub(super) struct ConcurrencyPermit(Option<Arc<Place>>);

#[derive(Debug)]
struct Place {
    places: Arc<Semaphore>,
    permit: Mutex<Option<OwnedSemaphorePermit>>,
}

impl ConcurrencyPermit {
    /// Acquires a permit if one is free.
    pub(super) fn take(places: &Arc<Semaphore>) -> Option<Self> {
        let permit = Arc::clone(places).try_acquire_owned().ok()?;
        Some(Self(Some(Arc::new(Place {
            places: Arc::clone(places),
            permit: Mutex::new(Some(permit)),
        }))))
    }

    /// Releases the permit until [`ConcurrencyPermit::enter`].
    pub(super) fn leave(&self) {
        if let Some(held) = &self.0 {
            *held.permit() = None;
        }
    }

    /// Acquires a permit again. Waits instead of failing, because the client has already sent its body.
    pub(super) async fn enter(&self) {
        if let Some(held) = &self.0 {
            let permit = Arc::clone(&held.places).acquire_owned().await;
            *held.permit() = permit.ok();
        }
    }

    /// Whether the permit is released while waiting for the client.
    pub(super) fn is_left(&self) -> bool {
        let held = self.0.as_ref();
        held.is_some_and(|held| held.permit().is_none())
    }
}

impl Place {
    fn permit(&self) -> MutexGuard<'_, Option<OwnedSemaphorePermit>> {
        self.permit.lock().unwrap_or_else(PoisonError::into_inner)
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
            budget: Some(Arc::clone(&self.0)),
            held: None,
        }
    }
}

/// Part of a budget reserved for one body; returned on drop.
#[derive(Debug, Default)]
pub(crate) struct MemoryPermit {
    budget: Option<Arc<Semaphore>>,
    held: Option<OwnedSemaphorePermit>,
}

impl MemoryPermit {
    /// Extends the reservation to at least `bytes` in total; `false` when the budget is exhausted.
    pub(crate) fn grow_to(&mut self, bytes: usize) -> bool {
        let Some(budget) = &self.budget else {
            return true;
        };
        let held = self
            .held
            .as_ref()
            .map_or(0, OwnedSemaphorePermit::num_permits);
        let more = bytes.div_ceil(KILOBYTE).saturating_sub(held);
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        let Ok(permit) = Arc::clone(budget).try_acquire_many_owned(more) else {
            return false;
        };
        match &mut self.held {
            Some(held) => held.merge(permit),
            None => self.held = Some(permit),
        }
        true
    }
}

/// Bytes of responses that one user may leave unread before further requests are refused. Without a bound, a user with
/// closed windows on many connections could fill the memory.
const UNSENT_OF_USER: u64 = 32 * 1024 * 1024;

/// Bytes of responses that are not sent yet, of each user. Clients without a token get none that count.
#[derive(Debug, Default)]
pub(super) struct UnsentByUser(Mutex<HashMap<String, Unsent>>);

impl UnsentByUser {
    pub(super) fn of(&self, user: &str) -> Unsent {
        let mut users = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        users.entry(user.to_owned()).or_default().clone()
    }
}

/// Bytes of responses to one user that are not sent yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Unsent(Arc<AtomicU64>);

impl Unsent {
    pub(super) fn is_too_much(&self) -> bool {
        self.0.load(Ordering::Relaxed) > UNSENT_OF_USER
    }

    /// Counts these bytes until the returned value is dropped.
    pub(super) fn hold(self, bytes: u64) -> Held {
        self.0.fetch_add(bytes, Ordering::Relaxed);
        Held {
            unsent: self,
            bytes,
        }
    }
}

/// Bytes of a response that is not sent yet.
#[derive(Debug)]
pub(super) struct Held {
    unsent: Unsent,
    bytes: u64,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.unsent.0.fetch_sub(self.bytes, Ordering::Relaxed);
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

    #[test]
    fn each_user_has_a_bounded_number_of_unread_bytes() {
        let users = UnsentByUser::default();
        let held = users.of("one").hold(UNSENT_OF_USER);
        assert!(!users.of("one").is_too_much());
        let more = users.of("one").hold(1);
        assert!(users.of("one").is_too_much() && !users.of("two").is_too_much());
        drop(held);
        assert!(!users.of("one").is_too_much());
        drop(more);
    }
}
