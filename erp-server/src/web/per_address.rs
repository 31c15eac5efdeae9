//! Counts the open connections of each client address, limits them, and closes one when another needs its place.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quick_cache::sync::Cache;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::throttle::{KEYS, address_key};

/// An address is that of a user for this time after the last request with a valid token.
const REMEMBERED: Duration = Duration::from_secs(3_600);

/// A connection counts this many times as much as one of a user when one has to give way.
const STRANGER: usize = 8;

/// Open connections per address. IPv6 clients are counted per /64 network.
#[derive(Debug)]
pub(super) struct PerAddress {
    limit: usize,
    open: Mutex<HashMap<IpAddr, Open>>,
    /// Addresses of users, with the time of their last request.
    users: Cache<IpAddr, Instant>,
}

/// Open connections of an address.
#[derive(Debug, Default)]
struct Open {
    /// What closes each of them, in the order in which they came.
    connections: BTreeMap<u64, CancellationToken>,
    next: u64,
    /// Round of the last turn in the queue.
    round: u64,
}

impl PerAddress {
    pub(super) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            open: Mutex::default(),
            users: Cache::new(KEYS),
        })
    }

    /// Whether the address may have one more connection.
    pub(super) fn has_room(&self, address: IpAddr) -> bool {
        let all = self.open();
        let open = all.get(&address_key(address));
        open.is_none_or(|open| open.connections.len() < self.limit)
    }

    /// Counts a new connection until the returned value is dropped.
    pub(super) fn count(self: &Arc<Self>, address: IpAddr) -> Counted {
        let address = address_key(address);
        let mut all = self.open();
        let open = all.entry(address).or_default();
        let (number, closed) = (open.next, CancellationToken::new());
        open.next = number.wrapping_add(1);
        open.connections.insert(number, closed.clone());
        Counted {
            counts: Arc::clone(self),
            address,
            number,
            closed,
        }
    }

    /// Closes the oldest connection of the address that has the most. So a few addresses cannot keep all others out by
    /// holding every place, with or without a token.
    pub(super) fn close_one(&self) {
        let all = self.open();
        let most = all.iter().max_by_key(|(address, open)| {
            let weight = if self.is_of_user(**address) {
                1
            } else {
                STRANGER
            };
            open.connections.len().saturating_mul(weight)
        });
        let oldest = most.and_then(|(_, open)| {
            let mut connections = open.connections.values();
            connections.find(|closed| !closed.is_cancelled())
        });
        if let Some(oldest) = oldest {
            oldest.cancel();
        }
    }

    fn is_of_user(&self, address: IpAddr) -> bool {
        let last = self.users.get(&address);
        last.is_some_and(|last| last.elapsed() < REMEMBERED)
    }

    fn open(&self) -> MutexGuard<'_, HashMap<IpAddr, Open>> {
        // Each change is a few assignments, so the map stays consistent even after a panic.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A counted connection; dropping it decrements the count of its address.
#[derive(Debug)]
pub(super) struct Counted {
    counts: Arc<PerAddress>,
    address: IpAddr,
    number: u64,
    closed: CancellationToken,
}

impl Counted {
    /// Records that a request of this connection had a valid token.
    pub(super) fn set_user(&self) {
        self.counts.users.insert(self.address, Instant::now());
    }

    /// Whether a user sent a request from this address lately.
    pub(super) fn has_user(&self) -> bool {
        self.counts.is_of_user(self.address)
    }

    /// Completes when the connection has to end because another needs its place.
    pub(super) async fn closed(&self) {
        self.closed.cancelled().await;
    }

    /// Round of the address's next turn in a queue that is in round `now`.
    pub(super) fn next_round(&self, now: u64) -> u64 {
        let mut all = self.counts.open();
        let Some(open) = all.get_mut(&self.address) else {
            return now;
        };
        open.round = open.round.wrapping_add(1).max(now);
        open.round
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut all = self.counts.open();
        if let Some(open) = all.get_mut(&self.address) {
            open.connections.remove(&self.number);
            if open.connections.is_empty() {
                all.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_has_its_own_count_and_leaves_no_entry() {
        let counts = PerAddress::new(2);
        let admit = |text: &str| {
            let address = text.parse().unwrap();
            counts.has_room(address).then(|| counts.count(address))
        };
        let (one, two) = (admit("192.0.2.1").unwrap(), admit("::ffff:192.0.2.1"));
        assert!(two.is_some() && admit("192.0.2.1").is_none());
        let other = admit("192.0.2.2").unwrap();
        let network = (admit("2001:db8::1").unwrap(), admit("2001:db8::2").unwrap());
        assert!(admit("2001:db8::3").is_none() && admit("2001:db8:0:1::1").is_some());
        drop(one);
        assert!(admit("192.0.2.1").is_some());
        drop((two, other, network));
        assert!(counts.open().is_empty());
    }

    #[test]
    fn an_address_is_that_of_a_user_after_the_connection_has_ended() {
        let counts = PerAddress::new(10);
        let admit = |text: &str| counts.count(text.parse().unwrap());
        let (one, other) = (admit("192.0.2.1"), admit("192.0.2.2"));
        assert!(!one.has_user());
        one.set_user();
        drop(one);
        assert!(admit("192.0.2.1").has_user() && !other.has_user());
        let long_ago = Instant::now().checked_sub(REMEMBERED).unwrap();
        counts.users.insert(other.address, long_ago);
        assert!(!other.has_user());
    }

    #[test]
    fn the_address_with_the_most_connections_gives_way() {
        let counts = PerAddress::new(100);
        let count = |text: &str| counts.count(text.parse().unwrap());
        let users: Vec<_> = (0..30).map(|_| count("192.0.2.1")).collect();
        users[29].set_user();
        let many: Vec<_> = (0..5).map(|_| count("192.0.2.2")).collect();
        let few: Vec<_> = (0..3).map(|_| count("192.0.2.3")).collect();
        let closed = |all: &[Counted]| all.iter().filter(|one| one.closed.is_cancelled()).count();
        // Connections of users count an eighth.
        counts.close_one();
        assert!(many[0].closed.is_cancelled());
        counts.close_one();
        assert_eq!((closed(&users), closed(&many), closed(&few)), (0, 2, 0));
        drop(many);
        counts.close_one();
        assert_eq!((closed(&users), closed(&few)), (1, 0));
    }
}
