//! Order of work for connections without a user.
//!
//! Before a client has shown a valid token it can make the server work by handshakes, long heads and requests on many
//! connections at once. Such connections are polled a few at a time. The others wait here and not in the queue of the
//! runtime, where the tasks of everyone else would wait behind them. Addresses with the fewest connections go first.
//! Connections do not wait while a user is connected from their address.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;

use salvo::hyper::rt::Executor;

use super::connection_memory::Account;
use super::per_address::Counted;

// rule: D-NET-16
/// Connections that wait for their turn.
#[derive(Debug)]
pub(super) struct Turns {
    places: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Connections whose turn it is.
    taken: usize,
    next: u64,
    waiting: BTreeMap<Place, Waker>,
}

/// Place in the queue: lower ones go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    /// Open connections of the address.
    connections: usize,
    number: u64,
}

impl Turns {
    /// So many connections at a time.
    pub(super) fn new(places: usize) -> Arc<Self> {
        Arc::new(Self {
            places,
            state: Mutex::default(),
        })
    }

    /// Half of the processor cores.
    pub(super) fn of_machine() -> Arc<Self> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self::new((cores / 2).max(1))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is complete before the next one, so the state stays consistent even after a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Joins the queue. The turn begins with a later poll, never with this one: by then the connections that are ready
    /// at the same time have joined as well.
    fn join(self: &Arc<Self>, connections: usize, waker: Waker) -> Turn {
        let mut state = self.state();
        let number = state.next;
        state.next = number.wrapping_add(1);
        let place = Place {
            connections,
            number,
        };
        state.waiting.insert(place, waker);
        drop(state);
        self.begin_next();
        Turn {
            turns: Arc::clone(self),
            place,
        }
    }

    /// Begins the turn of the first in the queue if there is room.
    fn begin_next(&self) {
        let mut state = self.state();
        if state.taken >= self.places {
            return;
        }
        let Some((_, waker)) = state.waiting.pop_first() else {
            return;
        };
        state.taken = state.taken.saturating_add(1);
        drop(state);
        waker.wake();
    }
}

/// A connection in the queue, or its turn. Dropping it ends either.
#[derive(Debug)]
struct Turn {
    turns: Arc<Turns>,
    place: Place,
}

impl Turn {
    fn has_begun(&self, cx: &Context<'_>) -> bool {
        match self.turns.state().waiting.get_mut(&self.place) {
            Some(waker) => {
                waker.clone_from(cx.waker());
                false
            }
            None => true,
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut state = self.turns.state();
        if state.waiting.remove(&self.place).is_none() {
            state.taken = state.taken.saturating_sub(1);
        }
        drop(state);
        self.turns.begin_next();
    }
}

/// Polls a future in turns while no user is connected from its address.
pub(super) struct InTurns<F> {
    future: Pin<Box<F>>,
    turns: Arc<Turns>,
    client: Option<Arc<Counted>>,
    turn: Option<Turn>,
}

impl<F: Future> InTurns<F> {
    /// Without a `client` the future is polled at once: a proxy speaks for many clients.
    pub(super) fn new(turns: Arc<Turns>, client: Option<Arc<Counted>>, future: F) -> Self {
        Self {
            future: Box::pin(future),
            turns,
            client,
            turn: None,
        }
    }
}

/// Runs the requests of an HTTP/2 connection in turns like the connection itself.
#[derive(Clone, Debug)]
pub(super) struct TurnExecutor {
    pub(super) turns: Arc<Turns>,
    pub(super) client: Option<Arc<Counted>>,
    pub(super) account: Arc<Account>,
}

impl<F> Executor<F> for TurnExecutor
where
    F: Future<Output: Send> + Send + 'static,
{
    fn execute(&self, future: F) {
        let (turns, client) = (Arc::clone(&self.turns), self.client.clone());
        let account = Arc::clone(&self.account);
        tokio::spawn(async move {
            tokio::select! {
                // What a closed connection holds is released without a turn: the requests of others wait for that.
                biased;
                () = account.evicted() => (),
                _ = InTurns::new(turns, client, future) => (),
            }
        });
    }
}

impl<F: Future> Future for InTurns<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = &mut *self;
        if let Some(client) = this.client.as_ref().filter(|client| !client.has_user()) {
            match &this.turn {
                None => {
                    let turn = this.turns.join(client.connections(), cx.waker().clone());
                    this.turn = Some(turn);
                    return Poll::Pending;
                }
                Some(turn) if !turn.has_begun(cx) => return Poll::Pending,
                Some(_) => (),
            }
        }
        let polled = this.future.as_mut().poll(cx);
        this.turn = None;
        polled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::connection_memory::ConnectionMemory;
    use crate::web::per_address::PerAddress;
    use futures_util::future::{pending, poll_fn};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::task::yield_now;

    /// Clients of one address each.
    fn clients(counts: &Arc<PerAddress>, addresses: &[u8]) -> Vec<Arc<Counted>> {
        let admit = |last: &u8| counts.admit([192, 0, 2, *last].into()).unwrap();
        addresses.iter().map(|last| Arc::new(admit(last))).collect()
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

    // rule: D-NET-16
    #[tokio::test]
    async fn other_tasks_run_between_the_turns_of_connections_that_are_ready_together() {
        let (counts, turns) = (PerAddress::new(1_000), Turns::new(1));
        let polled = Arc::new(AtomicUsize::new(0));
        for client in clients(&counts, &[1; 100]) {
            let polled = Arc::clone(&polled);
            let work = async move {
                polled.fetch_add(1, Ordering::Relaxed);
            };
            tokio::spawn(InTurns::new(Arc::clone(&turns), Some(client), work));
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

    // rule: D-NET-16
    #[tokio::test]
    async fn addresses_with_the_fewest_connections_go_first() {
        let (counts, turns) = (PerAddress::new(1_000), Turns::new(1));
        let order = Arc::new(Mutex::new(Vec::new()));
        let clients = clients(&counts, &[1, 2, 2, 2, 3, 3, 4, 4, 4, 4]);
        for (client, address) in clients.iter().zip([1, 2, 2, 2, 3, 3, 4, 4, 4, 4]).rev() {
            let order = Arc::clone(&order);
            let work = async move { order.lock().unwrap().push(address) };
            tokio::spawn(InTurns::new(
                Arc::clone(&turns),
                Some(Arc::clone(client)),
                work,
            ));
        }
        settle().await;
        // The first that came waits for no other.
        assert_eq!(*order.lock().unwrap(), [4, 1, 3, 3, 2, 2, 2, 4, 4, 4]);
    }

    // rule: D-NET-16
    #[tokio::test]
    async fn users_and_proxies_do_not_wait() {
        let (counts, turns) = (PerAddress::new(1_000), Turns::new(1));
        let clients = clients(&counts, &[1, 1]);
        // A turn that does not end.
        let _taken = turns.join(1, Waker::noop().clone());
        let ready = |client| InTurns::new(Arc::clone(&turns), client, async {});
        let mut waiting = ready(Some(Arc::clone(&clients[1])));
        settle().await;
        assert!(futures_util::poll!(&mut waiting).is_pending());
        assert!(futures_util::poll!(&mut waiting).is_pending());
        // Another connection of the same address.
        clients[0].set_user();
        assert!(futures_util::poll!(&mut waiting).is_ready());
        assert!(futures_util::poll!(ready(None)).is_ready());
    }

    // rule: D-NET-16
    #[tokio::test]
    async fn connections_that_end_leave_the_queue() {
        let (counts, turns) = (PerAddress::new(1_000), Turns::new(1));
        let clients = clients(&counts, &[1, 2, 3]);
        let taken = turns.join(1, Waker::noop().clone());
        let wait = |client: &Arc<Counted>| {
            let waits = InTurns::new(
                Arc::clone(&turns),
                Some(Arc::clone(client)),
                pending::<()>(),
            );
            tokio::spawn(waits)
        };
        let queued: Vec<_> = clients.iter().map(wait).collect();
        settle().await;
        assert_eq!(turns.state().waiting.len(), 3);
        queued.iter().for_each(tokio::task::JoinHandle::abort);
        settle().await;
        assert!(turns.state().waiting.is_empty());
        drop(taken);
        assert_eq!(turns.state().taken, 0);
    }

    // rule: D-NET-11, D-NET-16
    #[tokio::test]
    async fn requests_of_a_closed_connection_end_without_a_turn() {
        let (counts, turns) = (PerAddress::new(1_000), Turns::new(1));
        // A turn that does not end.
        let _taken = turns.join(1, Waker::noop().clone());
        let memory = ConnectionMemory::new(1 << 20, 1_000);
        let open = memory.open(false);
        let executor = TurnExecutor {
            turns: Arc::clone(&turns),
            client: clients(&counts, &[1]).pop(),
            account: Arc::clone(&open.account),
        };
        let response = open.account.charge(5_000);
        let before = memory.held();
        executor.execute(async move {
            pending::<()>().await;
            drop(response);
        });
        settle().await;
        assert_eq!(memory.held(), before);
        drop(open);
        settle().await;
        assert_eq!(memory.held(), 0);
    }
}
