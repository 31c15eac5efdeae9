//! Order of work for connections of unknown clients.
//!
//! Before a client has shown valid credentials it can make the server work by handshakes, long heads and requests on many
//! connections at once. Such connections are polled a few at a time. The others wait here and not in the queue of the
//! runtime, where the tasks of all other clients would wait after them. Addresses take turns, however many connections
//! each has, and whoever comes new goes first. Connections from the address of a known client do not wait.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;

use crate::addresses::CountedClient;
use crate::client::Connection;

/// Connections that wait for their turn.
#[derive(Debug)]
pub(crate) struct FairQueue {
    /// Connections polled at a time.
    slots: usize,
    state: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    /// Connections whose turn it is.
    taken: usize,
    next: u64,
    /// Round of the last turn that began.
    round: u64,
    wakers: BTreeMap<Position, Waker>,
}

/// Position in the queue: lower ones go first. An address has one in each round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Position {
    round: u64,
    number: u64,
}

impl FairQueue {
    pub(crate) fn new(slots: usize) -> Arc<Self> {
        Arc::new(Self {
            slots,
            state: Mutex::default(),
        })
    }

    /// As many slots as half of the processor cores.
    pub(crate) fn of_machine() -> Arc<Self> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self::new((cores / 2).max(1))
    }

    fn state(&self) -> MutexGuard<'_, Waiting> {
        // Each change is complete before the next one, so the state stays consistent even after a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Joins the queue. The turn begins with a later poll, never with this one: by then the connections that are ready
    /// at the same time have joined as well.
    fn join(self: &Arc<Self>, client: &CountedClient, waker: Waker) -> Slot {
        let mut state = self.state();
        let position = Position {
            round: client.next_round(state.round),
            number: state.next,
        };
        state.next = state.next.wrapping_add(1);
        state.wakers.insert(position, waker);
        drop(state);
        self.begin_next();
        Slot {
            queue: Arc::clone(self),
            position,
        }
    }

    /// Begins the turn of the first in the queue if there is room.
    fn begin_next(&self) {
        let mut state = self.state();
        if state.taken >= self.slots {
            return;
        }
        let Some((position, waker)) = state.wakers.pop_first() else {
            return;
        };
        // An address that comes new has a round before this one.
        state.round = state.round.max(position.round);
        state.taken += 1;
        drop(state);
        waker.wake();
    }
}

/// A connection in the queue, or its turn. Dropping it ends either.
#[derive(Debug)]
struct Slot {
    queue: Arc<FairQueue>,
    position: Position,
}

impl Slot {
    fn has_begun(&self, cx: &Context<'_>) -> bool {
        match self.queue.state().wakers.get_mut(&self.position) {
            Some(waker) => {
                waker.clone_from(cx.waker());
                false
            }
            None => true,
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut state = self.queue.state();
        if state.wakers.remove(&self.position).is_none() {
            state.taken = state.taken.saturating_sub(1);
        }
        drop(state);
        self.queue.begin_next();
    }
}

/// Polls a future in turns while its client is unknown.
pub(crate) struct InTurns<F> {
    future: Pin<Box<F>>,
    queue: Arc<FairQueue>,
    client: Arc<Connection>,
    slot: Option<Slot>,
}

impl<F: Future> InTurns<F> {
    /// The future of a connection that does not count is polled at once: a proxy speaks for many clients.
    pub(crate) fn new(queue: Arc<FairQueue>, client: Arc<Connection>, future: F) -> Self {
        Self {
            future: Box::pin(future),
            queue,
            client,
            slot: None,
        }
    }
}

impl<F: Future> Future for InTurns<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = &mut *self;
        if let Some(client) = this.client.unknown() {
            match &this.slot {
                None => {
                    this.slot = Some(this.queue.join(client, cx.waker().clone()));
                    return Poll::Pending;
                }
                Some(slot) if !slot.has_begun(cx) => return Poll::Pending,
                Some(_) => (),
            }
        }
        let polled = this.future.as_mut().poll(cx);
        this.slot = None;
        polled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::addresses::Addresses;
    use futures_util::future::{pending, poll_fn};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::task::yield_now;

    fn client(counted: Option<CountedClient>) -> Arc<Connection> {
        Arc::new(Connection {
            local: None,
            remote: None,
            is_encrypted: false,
            counted,
        })
    }

    /// Clients of one address each.
    fn clients(addresses: &Arc<Addresses>, last: &[u8]) -> Vec<Arc<Connection>> {
        let admit = |last: &u8| addresses.count([192, 0, 2, *last].into());
        last.iter().map(|last| client(Some(admit(last)))).collect()
    }

    /// Joins the queue of the runtime at its end. `yield_now` waits for the clock and for sockets as well.
    async fn run_after_what_is_ready() {
        let mut is_ready = false;
        poll_fn(|cx| {
            if std::mem::replace(&mut is_ready, true) {
                return Poll::Ready(());
            }
            cx.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }

    async fn settle() {
        for _ in 0..100 {
            yield_now().await;
        }
    }

    #[tokio::test]
    async fn other_tasks_run_between_the_turns_of_connections_that_are_ready_together() {
        let (all, queue) = (Addresses::new(1_000), FairQueue::new(1));
        let polled = Arc::new(AtomicUsize::new(0));
        for client in clients(&all, &[1; 100]) {
            let polled = Arc::clone(&polled);
            let work = async move {
                polled.fetch_add(1, Ordering::Relaxed);
            };
            tokio::spawn(InTurns::new(Arc::clone(&queue), client, work));
        }
        let another = tokio::spawn(async move {
            let mut before = 0;
            while before < 100 {
                run_after_what_is_ready().await;
                let now = polled.load(Ordering::Relaxed);
                assert!(now - before <= 2, "{before} to {now}");
                before = now;
            }
        });
        another.await.unwrap();
    }

    #[tokio::test]
    async fn addresses_take_turns_however_many_connections_they_have() {
        let (all, queue) = (Addresses::new(1_000), FairQueue::new(1));
        let order = Arc::new(Mutex::new(Vec::new()));
        let addresses = [4, 4, 4, 4, 2, 2, 2, 1, 3, 3];
        for (client, address) in clients(&all, &addresses).into_iter().zip(addresses) {
            let order = Arc::clone(&order);
            let work = async move { order.lock().unwrap().push(address) };
            tokio::spawn(InTurns::new(Arc::clone(&queue), client, work));
        }
        settle().await;
        assert_eq!(*order.lock().unwrap(), [4, 2, 1, 3, 4, 2, 3, 4, 2, 4]);
    }

    #[tokio::test]
    async fn an_address_that_comes_new_has_its_first_turns_before_the_busy_ones() {
        let (all, queue) = (Addresses::new(1_000), FairQueue::new(1));
        let order = Arc::new(Mutex::new(Vec::new()));
        let clients = clients(&all, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        let polled = |address: usize, turns: usize| {
            let order = Arc::clone(&order);
            let mut left = turns;
            let work = poll_fn(move |cx| {
                order.lock().unwrap().push(address);
                left -= 1;
                if left == 0 {
                    return Poll::Ready(());
                }
                cx.waker().wake_by_ref();
                Poll::Pending
            });
            InTurns::new(Arc::clone(&queue), Arc::clone(&clients[address]), work)
        };
        for busy in 0..9 {
            for _ in 0..3 {
                tokio::spawn(polled(busy, usize::MAX));
            }
        }
        settle().await;
        let before = order.lock().unwrap().len();
        tokio::spawn(polled(9, 5));
        settle().await;
        let order = order.lock().unwrap();
        let turns = order[before..].iter().enumerate();
        let at: Vec<_> = turns
            .filter(|(_, one)| **one == 9)
            .map(|(at, _)| at)
            .collect();
        // One more turn may begin before the new one waits again.
        assert!(at[2] - at[0] <= 6 && at[4] - at[3] > 6, "{at:?}");
    }

    #[tokio::test]
    async fn known_clients_and_proxies_do_not_wait() {
        let (all, queue) = (Addresses::new(1_000), FairQueue::new(1));
        let clients = clients(&all, &[1, 1]);
        // A turn that does not end.
        let _taken = queue.join(clients[0].unknown().unwrap(), Waker::noop().clone());
        let ready = |client| InTurns::new(Arc::clone(&queue), client, async {});
        let mut waiting = ready(Arc::clone(&clients[1]));
        settle().await;
        assert!(futures_util::poll!(&mut waiting).is_pending());
        assert!(futures_util::poll!(&mut waiting).is_pending());
        // Another connection of the same address.
        clients[0].set_known();
        assert!(futures_util::poll!(&mut waiting).is_ready());
        assert!(futures_util::poll!(ready(client(None))).is_ready());
    }

    #[tokio::test]
    async fn connections_that_end_leave_the_queue() {
        let (all, queue) = (Addresses::new(1_000), FairQueue::new(1));
        let clients = clients(&all, &[1, 2, 3]);
        let taken = queue.join(clients[0].unknown().unwrap(), Waker::noop().clone());
        let wait = |client: &Arc<Connection>| {
            let waits = InTurns::new(Arc::clone(&queue), Arc::clone(client), pending::<()>());
            tokio::spawn(waits)
        };
        let queued: Vec<_> = clients.iter().map(wait).collect();
        settle().await;
        assert_eq!(queue.state().wakers.len(), 3);
        queued.iter().for_each(tokio::task::JoinHandle::abort);
        settle().await;
        assert!(queue.state().wakers.is_empty());
        drop(taken);
        assert_eq!(queue.state().taken, 0);
    }
}
