//! Resources shared by concurrent requests: concurrency permits and memory for bodies.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Concurrency permit of a request. It is released while the server waits for the client, so that slow clients do
/// not block others.
#[derive(Clone, Debug, Default)]
pub(super) struct ConcurrencyPermit(Option<Arc<Place>>);

#[derive(Debug)]
struct Place {
    places: Arc<Semaphore>,
    permit: Mutex<Option<OwnedSemaphorePermit>>,
    waiting: AtomicBool,
}

impl ConcurrencyPermit {
    /// Acquires a permit if one is free.
    pub(super) fn take(places: &Arc<Semaphore>) -> Option<Self> {
        let permit = Arc::clone(places).try_acquire_owned().ok()?;
        Some(Self(Some(Arc::new(Place {
            places: Arc::clone(places),
            permit: Mutex::new(Some(permit)),
            waiting: AtomicBool::new(false),
        }))))
    }

    /// Releases the permit until [`ConcurrencyPermit::enter`].
    pub(super) fn leave(&self) {
        if let Some(held) = &self.0 {
            held.waiting.store(true, Ordering::Relaxed);
            held.put(None);
        }
    }

    /// Acquires a permit again. Waits instead of failing, because the client has already sent its body.
    pub(super) async fn enter(&self) {
        if let Some(held) = &self.0 {
            let permit = Arc::clone(&held.places).acquire_owned().await;
            held.put(permit.ok());
            held.waiting.store(false, Ordering::Relaxed);
        }
    }

    /// Releases the permit after the request has been handled.
    pub(super) fn end(&self) {
        if let Some(held) = &self.0 {
            held.put(None);
        }
    }

    /// Whether the permit is released while waiting for the client.
    pub(super) fn is_left(&self) -> bool {
        let held = self.0.as_ref();
        held.is_some_and(|held| held.waiting.load(Ordering::Relaxed))
    }
}

impl Place {
    fn put(&self, permit: Option<OwnedSemaphorePermit>) {
        *self.permit.lock().unwrap_or_else(PoisonError::into_inner) = permit;
    }
}

/// Memory budget in bytes, shared by all request bodies.
#[derive(Debug)]
pub(super) struct MemoryBudget(AtomicU64);

impl MemoryBudget {
    pub(super) fn new(bytes: u64) -> Arc<Self> {
        Arc::new(Self(AtomicU64::new(bytes)))
    }

    fn take(&self, bytes: u64) -> bool {
        let take = |left: u64| left.checked_sub(bytes);
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
            .is_ok()
    }
}

/// Part of the budget reserved for one body; returned on drop.
#[derive(Debug, Default)]
pub(super) struct MemoryPermit {
    budget: Option<Arc<MemoryBudget>>,
    bytes: u64,
}

impl MemoryPermit {
    pub(super) const fn of(budget: Arc<MemoryBudget>) -> Self {
        Self {
            budget: Some(budget),
            bytes: 0,
        }
    }

    /// Extends the reservation to at least `bytes` in total; `false` when the budget is exhausted.
    pub(super) fn grow_to(&mut self, bytes: usize) -> bool {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let more = bytes.saturating_sub(self.bytes);
        let taken = self.budget.as_ref().is_none_or(|budget| budget.take(more));
        if taken {
            self.bytes = self.bytes.max(bytes);
        }
        taken
    }
}

impl Drop for MemoryPermit {
    fn drop(&mut self) {
        if let Some(budget) = &self.budget {
            budget.0.fetch_add(self.bytes, Ordering::Relaxed);
        }
    }
}

/// Bytes of responses that one user may leave unread before further requests are refused. Without a bound, a user with
/// closed windows on many connections could fill the memory.
const UNSENT_OF_USER: u64 = 64 * 1024 * 1024;

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
        second.end();
        back.await.unwrap();
        assert!(!first.is_left() && ConcurrencyPermit::take(&places).is_none());
        drop(first);
        assert!(ConcurrencyPermit::take(&places).is_some());
    }

    #[test]
    fn a_budget_is_never_overdrawn_and_comes_back() {
        let budget = MemoryBudget::new(100);
        let mut one = MemoryPermit::of(Arc::clone(&budget));
        let mut two = MemoryPermit::of(Arc::clone(&budget));
        assert!(one.grow_to(40) && one.grow_to(60) && two.grow_to(40));
        assert!(!two.grow_to(41) && two.grow_to(10));
        drop(one);
        assert!(two.grow_to(100));
        drop(two);
        assert_eq!(budget.0.load(Ordering::Relaxed), 100);
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
