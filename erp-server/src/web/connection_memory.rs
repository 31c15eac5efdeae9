//! Budget for the memory that open connections hold.
//!
//! Unauthenticated clients can consume memory in three ways: open connections, endless request heads, and responses
//! they do not read. Each connection has an account that estimates its memory. When the total exceeds the budget,
//! connections are closed until a part of it is free: first those that hold much memory for long without progress,
//! then those idle for longest. Requests in progress and clients that read their responses are closed last.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::task::yield_now;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Cost of an open connection with its buffers and tasks, measured with plain HTTP.
const CONNECTION_BYTES: u64 = 24 * 1024;

/// Additional cost of TLS state and buffers.
const TLS_BYTES: u64 = 24 * 1024;

/// What an idle connection counts for when connections are closed, besides what it holds.
const IDLE_BYTES: u64 = 1024;

/// This part of the budget is free after connections were closed. The others that are ready wait until all of these
/// have ended, so they may not be many at once.
const FREED: u64 = 64;

/// Closed connections that have not ended yet may hold this part of the budget before requests wait for them. Without
/// it most requests would wait while attackers use all of the budget.
const CLOSING: u64 = 8;

/// Cost of a request until its response is sent, without header fields and body.
pub(super) const REQUEST_BYTES: u64 = 8 * 1024;

// rule: D-NET-11
/// Accounts of all open connections.
#[derive(Debug)]
pub(super) struct ConnectionMemory {
    limit: u64,
    /// Unread response bytes per connection above which its next requests wait.
    response_limit: u64,
    /// Charges of open connections.
    used: AtomicU64,
    /// The same, and charges of closed connections whose tasks have not ended yet.
    held: AtomicU64,
    /// Wakes requests that wait until closed connections have released their memory.
    released: Notify,
    next: AtomicU64,
    accounts: Mutex<HashMap<u64, Arc<Account>>>,
}

impl ConnectionMemory {
    pub(super) fn new(limit: u64, response_limit: u64) -> Arc<Self> {
        Arc::new(Self {
            limit,
            response_limit,
            used: AtomicU64::new(0),
            held: AtomicU64::new(0),
            released: Notify::new(),
            next: AtomicU64::new(0),
            accounts: Mutex::default(),
        })
    }

    /// Opens the account of a new connection; dropping the returned value closes it.
    pub(super) fn open(self: &Arc<Self>, is_secure: bool) -> OpenAccount {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let fixed = CONNECTION_BYTES + if is_secure { TLS_BYTES } else { 0 };
        let account = Arc::new(Account {
            memory: Arc::clone(self),
            fixed,
            state: Mutex::new(State {
                bytes: 0,
                response_bytes: 0,
                in_progress: 0,
                progress: Instant::now(),
                is_closed: false,
            }),
            taken: Notify::new(),
            evicted: CancellationToken::new(),
        });
        self.accounts().insert(id, Arc::clone(&account));
        account.add(fixed, 0);
        OpenAccount { id, account }
    }

    fn accounts(&self) -> MutexGuard<'_, HashMap<u64, Arc<Account>>> {
        // Each change is a single call, so the map stays consistent even after a panic.
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many connections are open.
    pub(super) fn count(&self) -> usize {
        self.accounts().len()
    }

    fn is_over(&self) -> bool {
        self.used.load(Ordering::Relaxed) > self.limit
    }

    /// Charges of open connections.
    #[cfg(test)]
    pub(super) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// The same, and charges of closed connections that have not ended yet.
    #[cfg(test)]
    pub(super) fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    fn release(&self, bytes: u64) {
        let before = self.held.fetch_sub(bytes, Ordering::Relaxed);
        let enough = self.most_held();
        if before > enough && before.saturating_sub(bytes) <= enough {
            self.released.notify_waiters();
        }
    }

    /// The budget, and room for connections that are closed while others go on.
    const fn most_held(&self) -> u64 {
        self.limit.saturating_add(self.limit / CLOSING)
    }

    /// Whether closed connections have released enough. Their tasks end as soon as they run; if requests did not wait
    /// for that, every one that is queued before them would add its response.
    fn has_released(&self) -> bool {
        self.held.load(Ordering::Relaxed) <= self.most_held()
    }

    /// Closes connections until a part of the budget is free.
    fn make_room(&self) {
        let accounts = self.accounts();
        if !self.is_over() {
            return;
        }
        let now = Instant::now();
        let mut candidates: Vec<_> = accounts
            .values()
            .map(|account| (account.weight(now), account))
            .collect();
        candidates.sort_unstable_by_key(|(weight, _)| Reverse(*weight));
        let enough = self.limit - self.limit / FREED;
        let mut count = 0_u32;
        for (_, account) in candidates {
            if self.used.load(Ordering::Relaxed) <= enough {
                break;
            }
            account.close();
            account.evicted.cancel();
            count += 1;
        }
        tracing::info!(
            connections = count,
            limit = self.limit,
            "`connection_memory_bytes` was used up; connections that held the most of it for longest were closed"
        );
    }
}

/// Memory held by one connection.
#[derive(Debug)]
pub(super) struct Account {
    memory: Arc<ConnectionMemory>,
    fixed: u64,
    state: Mutex<State>,
    /// Wakes requests that wait for the client to read earlier responses.
    taken: Notify,
    evicted: CancellationToken,
}

#[derive(Debug)]
struct State {
    bytes: u64,
    /// Part of `bytes` held by responses.
    response_bytes: u64,
    /// Requests being processed. While there are any, the client cannot make progress.
    in_progress: usize,
    /// Last time the client completed a head or read part of a response.
    progress: Instant,
    /// Further charges are ignored.
    is_closed: bool,
}

impl Account {
    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is a few assignments, so the state stays consistent even after a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Completes when the connection must be closed.
    pub(super) async fn evicted(&self) {
        self.evicted.cancelled().await;
    }

    /// Records that the client completed a head or read part of a response.
    pub(super) fn progressed(&self) {
        self.state().progress = Instant::now();
    }

    /// Marks a request as being processed until the returned value is dropped.
    pub(super) fn work(self: &Arc<Self>) -> Working {
        let mut state = self.state();
        state.in_progress = state.in_progress.saturating_add(1);
        drop(state);
        Working(Arc::clone(self))
    }

    /// Charges `bytes` until the returned value is dropped.
    pub(super) fn charge(self: &Arc<Self>, bytes: u64) -> Charge {
        let mut charge = Charge {
            account: Arc::clone(self),
            bytes: 0,
            response_bytes: 0,
        };
        charge.set(bytes);
        charge
    }

    /// Waits until the client has read enough of its earlier responses, and until closed connections have released
    /// their memory. The first response of a connection never waits for its client, whatever its size.
    pub(super) async fn wait_for_room(&self) {
        loop {
            let (taken, released) = (self.taken.notified(), self.memory.released.notified());
            if self.state().response_bytes > self.memory.response_limit {
                taken.await;
            } else if !self.memory.has_released() {
                released.await;
            } else {
                return;
            }
            // Room may be there because the connection has ended. Then the HTTP library ends this request, but it looks
            // only when the request has nothing to do.
            yield_now().await;
        }
    }

    fn add(&self, bytes: u64, response_bytes: u64) {
        self.memory.held.fetch_add(bytes, Ordering::Relaxed);
        let mut state = self.state();
        if state.is_closed {
            return;
        }
        state.bytes += bytes;
        state.response_bytes += response_bytes;
        self.memory.used.fetch_add(bytes, Ordering::Relaxed);
        drop(state);
        if self.memory.is_over() {
            self.memory.make_room();
        }
    }

    fn release(&self, bytes: u64, response_bytes: u64) {
        let mut state = self.state();
        if !state.is_closed {
            state.bytes = state.bytes.saturating_sub(bytes);
            state.response_bytes = state.response_bytes.saturating_sub(response_bytes);
            self.memory.used.fetch_sub(bytes, Ordering::Relaxed);
        }
        drop(state);
        self.memory.release(bytes);
        if response_bytes > 0 {
            self.taken.notify_waiters();
        }
    }

    /// Takes all charges off the budget, and later ones too: the connection is about to end.
    fn close(&self) {
        let mut state = self.state();
        if !state.is_closed {
            self.memory.used.fetch_sub(state.bytes, Ordering::Relaxed);
            state.bytes = 0;
            state.is_closed = true;
        }
    }

    /// Eviction order, largest first: memory beyond the connection's fixed cost multiplied by the time without
    /// progress. A connection that holds nothing else counts too, so that idle ones go before busy ones.
    fn weight(&self, now: Instant) -> u128 {
        let state = self.state();
        if state.is_closed || state.in_progress > 0 {
            return 0;
        }
        let idle = now.saturating_duration_since(state.progress).as_micros();
        let held = state.bytes.saturating_sub(self.fixed) + IDLE_BYTES;
        u128::from(held).saturating_mul(idle)
    }
}

/// Owner of an account; dropping it closes the account.
#[derive(Debug)]
pub(super) struct OpenAccount {
    id: u64,
    pub(super) account: Arc<Account>,
}

impl Drop for OpenAccount {
    fn drop(&mut self) {
        self.account.memory.accounts().remove(&self.id);
        self.account.close();
        // Requests that still run end as well.
        self.account.evicted.cancel();
        self.account.memory.release(self.account.fixed);
    }
}

/// Marks a request as being processed.
#[derive(Debug)]
pub(super) struct Working(Arc<Account>);

impl Drop for Working {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.in_progress = state.in_progress.saturating_sub(1);
        state.progress = Instant::now();
    }
}

/// Bytes charged to an account until this value is dropped.
#[derive(Debug)]
pub(super) struct Charge {
    account: Arc<Account>,
    bytes: u64,
    response_bytes: u64,
}

impl Charge {
    /// Sets the charge to `bytes`.
    pub(super) fn set(&mut self, bytes: u64) {
        self.set_both(bytes, self.response_bytes.min(bytes));
    }

    /// Sets the charge to `bytes`, of which `response_bytes` wait for the client to read them.
    pub(super) fn set_both(&mut self, bytes: u64, response_bytes: u64) {
        let (old, old_response) = (self.bytes, self.response_bytes);
        if (old, old_response) == (bytes, response_bytes) {
            return;
        }
        self.bytes = bytes;
        self.response_bytes = response_bytes;
        self.account.release(
            old.saturating_sub(bytes),
            old_response.saturating_sub(response_bytes),
        );
        if bytes > old || response_bytes > old_response {
            self.account.add(
                bytes.saturating_sub(old),
                response_bytes.saturating_sub(old_response),
            );
        }
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.account.release(self.bytes, self.response_bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::{FutureExt as _, poll};
    use std::time::Duration;

    fn is_evicted(open: &OpenAccount) -> bool {
        open.account.evicted.is_cancelled()
    }

    /// Sets the last progress to `seconds` ago.
    fn rest(open: &OpenAccount, seconds: u64) {
        let mut state = open.account.state();
        state.progress = Instant::now()
            .checked_sub(Duration::from_secs(seconds))
            .unwrap();
    }

    // rule: D-NET-11
    #[test]
    fn who_holds_most_for_longest_is_closed_first() {
        let memory = ConnectionMemory::new(10 * CONNECTION_BYTES, 1_000);
        let open = || memory.open(false);
        let (idle, holder, taker, busy) = (open(), open(), open(), open());
        let _held = holder.account.charge(2 * CONNECTION_BYTES);
        let _work = busy.account.work();
        let _upload = busy.account.charge(2 * CONNECTION_BYTES);
        for one in [&idle, &holder, &busy] {
            rest(one, 10);
        }
        assert!(!memory.is_over());
        // 4 connections use 4 parts of the budget and the two charges another 4; 3 more exceed it.
        let _response = taker.account.charge(3 * CONNECTION_BYTES);
        assert!(is_evicted(&holder));
        assert!(!is_evicted(&idle) && !is_evicted(&taker) && !is_evicted(&busy));
    }

    // rule: D-NET-11
    #[test]
    fn idle_connections_are_closed_when_nothing_else_is_left() {
        let memory = ConnectionMemory::new(8 * CONNECTION_BYTES, 1_000);
        let mut open: Vec<OpenAccount> = (0..8).map(|_| memory.open(false)).collect();
        for (number, one) in (0..).zip(&open) {
            rest(one, 100 - number);
        }
        open.push(memory.open(false));
        let evicted: Vec<bool> = open.iter().map(is_evicted).collect();
        assert_eq!(evicted[..3], [true, true, false]);
        assert!(!evicted[2..].contains(&true));
        drop(open);
        assert_eq!(memory.used.load(Ordering::Relaxed), 0);
        assert!(memory.accounts().is_empty());
    }

    // rule: D-NET-11
    #[test]
    fn idle_connections_are_closed_before_requests_in_progress() {
        let memory = ConnectionMemory::new(8 * CONNECTION_BYTES, 1_000);
        let open = || memory.open(false);
        let (busy, reading) = (open(), open());
        let idle = [open(), open()];
        let _work = busy.account.work();
        let _upload = busy.account.charge(2 * CONNECTION_BYTES);
        let _response = reading.account.charge(2 * CONNECTION_BYTES);
        rest(&busy, 10);
        idle.iter().for_each(|one| rest(one, 10));
        reading.account.progressed();
        assert!(!memory.is_over());
        let _another = open();
        assert!(idle.iter().all(is_evicted));
        assert!(!is_evicted(&busy) && !is_evicted(&reading));
    }

    // rule: D-NET-11
    #[tokio::test]
    async fn charges_come_back_and_requests_wait_for_the_client() {
        let memory = ConnectionMemory::new(1 << 20, 1_000);
        let open = memory.open(true);
        let own = CONNECTION_BYTES + TLS_BYTES;
        let mut charge = open.account.charge(REQUEST_BYTES);
        charge.set_both(REQUEST_BYTES + 5_000, 5_000);
        assert_eq!(
            memory.used.load(Ordering::Relaxed),
            own + REQUEST_BYTES + 5_000
        );
        let waiting = tokio::spawn({
            let account = Arc::clone(&open.account);
            async move { account.wait_for_room().await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(charge);
        waiting.await.unwrap();
        assert_eq!(memory.used.load(Ordering::Relaxed), own);
        open.account.wait_for_room().await;
        drop(open);
        assert_eq!(memory.held.load(Ordering::Relaxed), 0);
    }

    // rule: D-NET-11
    #[tokio::test]
    async fn a_request_that_waited_pauses_once_more_before_it_begins() {
        let memory = ConnectionMemory::new(1 << 20, 1_000);
        let open = memory.open(false);
        let mut charge = open.account.charge(5_000);
        assert!(open.account.wait_for_room().now_or_never().is_some());
        charge.set_both(5_000, 5_000);
        let mut waiting = Box::pin(open.account.wait_for_room());
        assert!(poll!(waiting.as_mut()).is_pending());
        drop(charge);
        // The library of HTTP/2 looks for the end of the connection after each pause.
        assert!(poll!(waiting.as_mut()).is_pending());
        assert!(poll!(waiting.as_mut()).is_ready());
    }

    // rule: D-NET-11
    #[tokio::test]
    async fn a_part_of_the_budget_is_left_for_connections_that_are_closed() {
        let memory = ConnectionMemory::new(16 * CONNECTION_BYTES, 1_000);
        let (holder, other) = (memory.open(false), memory.open(false));
        rest(&holder, 10);
        let _response = holder.account.charge(15 * CONNECTION_BYTES);
        assert!(is_evicted(&holder) && memory.held() > memory.limit);
        assert!(other.account.wait_for_room().now_or_never().is_some());
    }

    // rule: D-NET-11
    #[tokio::test]
    async fn requests_wait_until_closed_connections_have_released_their_memory() {
        let memory = ConnectionMemory::new(10 * CONNECTION_BYTES, 1_000);
        let (holder, other) = (memory.open(false), memory.open(false));
        rest(&holder, 10);
        let response = holder.account.charge(10 * CONNECTION_BYTES);
        assert!(is_evicted(&holder) && !is_evicted(&other) && !memory.is_over());
        let waiting = tokio::spawn({
            let account = Arc::clone(&other.account);
            async move { account.wait_for_room().await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished(), "the response is still there");
        drop(response);
        waiting.await.unwrap();
        // A charge of a connection that is closed already is held as well.
        let late = holder.account.charge(20 * CONNECTION_BYTES);
        assert!(!memory.is_over() && memory.held.load(Ordering::Relaxed) > memory.limit);
        drop((late, holder, other));
        assert_eq!(memory.held.load(Ordering::Relaxed), 0);
    }
}
