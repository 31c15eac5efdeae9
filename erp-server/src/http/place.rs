//! What a request takes from those beside it: a place among those that are worked on, memory for its body.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The place of a request among those that are worked on. It is given up while the client is waited for, so
/// that slow clients do not keep others out.
#[derive(Clone, Debug, Default)]
pub(super) struct Place(Option<Arc<Held>>);

#[derive(Debug)]
struct Held {
    places: Arc<Semaphore>,
    permit: Mutex<Option<OwnedSemaphorePermit>>,
    waiting: AtomicBool,
}

impl Place {
    /// A place, when one is free.
    pub(super) fn take(places: &Arc<Semaphore>) -> Option<Self> {
        let permit = Arc::clone(places).try_acquire_owned().ok()?;
        Some(Self(Some(Arc::new(Held {
            places: Arc::clone(places),
            permit: Mutex::new(Some(permit)),
            waiting: AtomicBool::new(false),
        }))))
    }

    /// Gives the place up until [`Place::enter`].
    pub(super) fn leave(&self) {
        if let Some(held) = &self.0 {
            held.waiting.store(true, Ordering::Relaxed);
            held.put(None);
        }
    }

    /// Takes a place again; whoever has sent a body waits for one instead of being refused.
    pub(super) async fn enter(&self) {
        if let Some(held) = &self.0 {
            let permit = Arc::clone(&held.places).acquire_owned().await;
            held.put(permit.ok());
            held.waiting.store(false, Ordering::Relaxed);
        }
    }

    /// The request is answered.
    pub(super) fn end(&self) {
        if let Some(held) = &self.0 {
            held.put(None);
        }
    }

    /// Whether the client is waited for.
    pub(super) fn is_left(&self) -> bool {
        let held = self.0.as_ref();
        held.is_some_and(|held| held.waiting.load(Ordering::Relaxed))
    }
}

impl Held {
    fn put(&self, permit: Option<OwnedSemaphorePermit>) {
        *self.permit.lock().unwrap_or_else(PoisonError::into_inner) = permit;
    }
}

/// Memory that bodies of requests share.
#[derive(Debug)]
pub(super) struct Budget(AtomicU64);

impl Budget {
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

/// The part of a budget that one body has.
#[derive(Debug, Default)]
pub(super) struct Share {
    budget: Option<Arc<Budget>>,
    bytes: u64,
}

impl Share {
    pub(super) const fn of(budget: Arc<Budget>) -> Self {
        Self {
            budget: Some(budget),
            bytes: 0,
        }
    }

    /// Has at least so many bytes from now on; `false` when they are not there.
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

impl Drop for Share {
    fn drop(&mut self) {
        if let Some(budget) = &self.budget {
            budget.0.fetch_add(self.bytes, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_place_is_free_while_its_client_is_waited_for() {
        let places = Arc::new(Semaphore::new(1));
        let first = Place::take(&places).unwrap();
        assert!(Place::take(&places).is_none());
        first.leave();
        assert!(first.is_left());
        let second = Place::take(&places).unwrap();
        let back = tokio::spawn({
            let first = first.clone();
            async move { first.enter().await }
        });
        tokio::task::yield_now().await;
        assert!(!back.is_finished());
        second.end();
        back.await.unwrap();
        assert!(!first.is_left() && Place::take(&places).is_none());
        drop(first);
        assert!(Place::take(&places).is_some());
    }

    #[test]
    fn a_budget_is_never_overdrawn_and_comes_back() {
        let budget = Budget::new(100);
        let mut one = Share::of(Arc::clone(&budget));
        let mut two = Share::of(Arc::clone(&budget));
        assert!(one.grow_to(40) && one.grow_to(60) && two.grow_to(40));
        assert!(!two.grow_to(41) && two.grow_to(10));
        drop(one);
        assert!(two.grow_to(100));
        drop(two);
        assert_eq!(budget.0.load(Ordering::Relaxed), 100);
    }
}
