//! Counts the open connections of each client address, limits them, and closes one when another needs its place.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quick_cache::sync::Cache;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// An address is that of a known client for this time after its last request with valid credentials.
const REMEMBERED: Duration = Duration::from_secs(3_600);

/// Addresses of known clients that are remembered.
const KNOWN: usize = 10_000;

/// Connections that a browser opens at once. Whoever has no more than these is not taken for one that takes the places.
const OF_A_BROWSER: usize = 6;

/// Turns by which an address that has had none lately goes before the others: those of a handshake and a first request. Whoever
/// keeps the server busy has none of them.
const AHEAD: u64 = 3;

/// The address that limits count for: an IPv6 client usually has at least a /64 network, so that is one client.
pub fn client_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX))),
        v4 => v4,
    }
}

/// The network that shares of work count for, /24 or /48: guesses at a password come from many addresses of one.
pub fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & (u128::MAX << 80))),
        IpAddr::V4(v4) => IpAddr::V4(Ipv4Addr::from_bits(v4.to_bits() & (u32::MAX << 8))),
    }
}

#[derive(Debug)]
pub(crate) struct Addresses {
    limit: usize,
    open: Mutex<HashMap<IpAddr, Open>>,
    next: AtomicU64,
    /// Addresses of known clients, with the time of their last request.
    known: Cache<IpAddr, Instant>,
}

#[derive(Debug, Default)]
struct Open {
    /// What closes each of them, in the order in which they came.
    connections: BTreeMap<u64, CancellationToken>,
    /// Round of the last turn in the queue.
    round: u64,
}

impl Addresses {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            open: Mutex::default(),
            next: AtomicU64::new(0),
            known: Cache::new(KNOWN),
        })
    }

    /// Whether the address may have one more connection.
    pub(crate) fn has_room(&self, address: IpAddr) -> bool {
        let all = self.open();
        let open = all.get(&client_of(address));
        open.is_none_or(|open| open.connections.len() < self.limit)
    }

    /// Counts a new connection until the returned value is dropped.
    pub(crate) fn count(self: &Arc<Self>, address: IpAddr) -> CountedClient {
        let address = client_of(address);
        let mut all = self.open();
        let open = all.entry(address).or_default();
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let closed = CancellationToken::new();
        open.connections.insert(number, closed.clone());
        CountedClient {
            addresses: Arc::clone(self),
            address,
            number,
            closed,
        }
    }

    /// Closes the oldest connection of the unknown address that has the most, or of all when none has more than a browser; of a
    /// known one only when there is no other. So a few addresses cannot keep all others out by holding every place, and many can
    /// neither take those of a shop nor keep out whoever comes new.
    pub(crate) fn close_one(&self) {
        let all = self.open();
        let open = all.iter().filter_map(|(address, open)| {
            let mut connections = open.connections.iter();
            let (number, oldest) = connections.find(|(_, closed)| !closed.is_cancelled())?;
            let most = open.connections.len().max(OF_A_BROWSER);
            Some(((!self.is_known(*address), most, Reverse(number)), oldest))
        });
        if let Some((_, oldest)) = open.max_by_key(|(place, _)| *place) {
            oldest.cancel();
        }
    }

    fn is_known(&self, address: IpAddr) -> bool {
        let last = self.known.get(&address);
        last.is_some_and(|last| last.elapsed() < REMEMBERED)
    }

    fn open(&self) -> MutexGuard<'_, HashMap<IpAddr, Open>> {
        // Each change is a few assignments, so the map stays consistent even after a panic.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A counted connection; dropping it decrements the count of its address.
#[derive(Debug)]
pub(crate) struct CountedClient {
    addresses: Arc<Addresses>,
    address: IpAddr,
    number: u64,
    closed: CancellationToken,
}

impl CountedClient {
    /// Records that a request of this connection had valid credentials.
    pub(crate) fn set_known(&self) {
        self.addresses.known.insert(self.address, Instant::now());
    }

    /// Whether a request from this address had valid credentials lately.
    pub(crate) fn is_known(&self) -> bool {
        self.addresses.is_known(self.address)
    }

    /// Completes when the connection has to end because another needs its place.
    pub(crate) async fn closed(&self) {
        self.closed.cancelled().await;
    }

    /// Round of the address's next turn in a queue that is in round `now`.
    pub(crate) fn next_round(&self, now: u64) -> u64 {
        let mut all = self.addresses.open();
        let Some(open) = all.get_mut(&self.address) else {
            return now;
        };
        open.round = (open.round + 1).max(now.saturating_sub(AHEAD));
        open.round
    }
}

impl Drop for CountedClient {
    fn drop(&mut self) {
        let mut all = self.addresses.open();
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
    fn an_ipv6_client_is_its_network() {
        let client = |text: &str| client_of(text.parse().unwrap());
        assert_eq!(client("2001:db8::1"), client("2001:db8::ffff:1"));
        assert_ne!(client("2001:db8:0:1::1"), client("2001:db8::1"));
        assert_eq!(client("::ffff:192.0.2.1"), client("192.0.2.1"));
        let network = |text: &str| network_of(text.parse().unwrap()).to_string();
        assert_eq!(network("2001:db8:7:ffff::1"), "2001:db8:7::");
        assert_eq!(network("::ffff:192.0.2.255"), "192.0.2.0");
    }

    #[test]
    fn each_address_has_its_own_count_and_leaves_no_entry() {
        let addresses = Addresses::new(2);
        let admit = |text: &str| {
            let address = text.parse().unwrap();
            addresses
                .has_room(address)
                .then(|| addresses.count(address))
        };
        let (one, two) = (admit("192.0.2.1").unwrap(), admit("::ffff:192.0.2.1"));
        assert!(two.is_some() && admit("192.0.2.1").is_none());
        let other = admit("192.0.2.2").unwrap();
        let network = (admit("2001:db8::1").unwrap(), admit("2001:db8::2").unwrap());
        assert!(admit("2001:db8::3").is_none() && admit("2001:db8:0:1::1").is_some());
        drop(one);
        assert!(admit("192.0.2.1").is_some());
        drop((two, other, network));
        assert!(addresses.open().is_empty());
    }

    #[test]
    fn an_address_is_known_after_the_connection_has_ended() {
        let addresses = Addresses::new(10);
        let admit = |text: &str| addresses.count(text.parse().unwrap());
        let (one, other) = (admit("192.0.2.1"), admit("192.0.2.2"));
        assert!(!one.is_known());
        one.set_known();
        drop(one);
        assert!(admit("192.0.2.1").is_known() && !other.is_known());
        let long_ago = Instant::now().checked_sub(REMEMBERED).unwrap();
        addresses.known.insert(other.address, long_ago);
        assert!(!other.is_known());
    }

    // rule: D-NET-15
    #[test]
    fn the_unknown_address_with_the_most_connections_gives_way() {
        let addresses = Addresses::new(100);
        let count = |text: &str| addresses.count(text.parse().unwrap());
        let closed =
            |all: &[CountedClient]| all.iter().filter(|one| one.closed.is_cancelled()).count();
        let known: Vec<_> = (0..30).map(|_| count("192.0.2.1")).collect();
        known[29].set_known();
        let few: Vec<_> = (0..7).map(|_| count("192.0.2.3")).collect();
        let many: Vec<_> = (0..9).map(|_| count("192.0.2.2")).collect();
        addresses.close_one();
        assert!(many[0].closed.is_cancelled());
        addresses.close_one();
        assert_eq!((closed(&known), closed(&many), closed(&few)), (0, 2, 0));
        drop(many);
        addresses.close_one();
        assert_eq!((closed(&known), closed(&few)), (0, 1));
        drop(few);
        addresses.close_one();
        assert_eq!(closed(&known), 1);
    }

    // rule: D-NET-15
    #[test]
    fn strangers_with_a_connection_each_close_none_of_a_known_address() {
        let addresses = Addresses::new(100);
        let known: Vec<_> = (0..24)
            .map(|_| addresses.count([192, 0, 2, 1].into()))
            .collect();
        known[0].set_known();
        let stranger = |number: u32| addresses.count((0x0a00_0000 + number).to_be_bytes().into());
        let mut strangers: Vec<_> = (0..2_000).map(stranger).collect();
        for number in 2_000..4_000 {
            addresses.close_one();
            strangers.retain(|one| !one.closed.is_cancelled());
            assert_eq!(strangers.len(), 1_999);
            strangers.push(stranger(number));
        }
        assert!(known.iter().all(|one| !one.closed.is_cancelled()));
    }

    // rule: D-NET-15
    #[test]
    fn a_browser_that_comes_new_keeps_its_connections_beside_many_strangers() {
        let addresses = Addresses::new(100);
        let count = |number: u32| addresses.count((0x0a00_0000 + number).to_be_bytes().into());
        let strangers: Vec<_> = (0..2_000).map(count).collect();
        let browser: Vec<_> = (0..6).map(|_| count(5_000)).collect();
        for _ in 0..100 {
            addresses.close_one();
        }
        // The oldest of all, although each has ended only when its task has seen that.
        assert!(strangers[..100].iter().all(|one| one.closed.is_cancelled()));
        assert!(
            !strangers[100..]
                .iter()
                .chain(&browser)
                .any(|one| one.closed.is_cancelled())
        );
    }
}
