//! Counts the open connections of each client address, and limits them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::throttle::address_key;

// rule: D-NET-13
/// Open connections per address. IPv6 clients are counted per /64 network.
#[derive(Debug)]
pub(super) struct PerAddress {
    limit: usize,
    open: Mutex<HashMap<IpAddr, Open>>,
}

/// Open connections of an address.
#[derive(Clone, Copy, Debug, Default)]
struct Open {
    all: usize,
    /// Those of users.
    of_users: usize,
}

impl PerAddress {
    pub(super) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            open: Mutex::default(),
        })
    }

    /// Counts a new connection until the returned value is dropped; `None` when the address has reached the limit.
    pub(super) fn admit(self: &Arc<Self>, address: IpAddr) -> Option<Counted> {
        let address = address_key(address);
        let mut open = self.open();
        let count = open.entry(address).or_default();
        if count.all >= self.limit {
            return None;
        }
        count.all += 1;
        Some(Counted {
            counts: Arc::clone(self),
            address,
            has_user: AtomicBool::new(false),
        })
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
    has_user: AtomicBool,
}

impl Counted {
    /// Records that a request of this connection had a valid token.
    pub(super) fn set_user(&self) {
        if self.has_user.swap(true, Ordering::Relaxed) {
            return;
        }
        if let Some(count) = self.counts.open().get_mut(&self.address) {
            count.of_users += 1;
        }
    }

    /// Whether a user is connected from this address.
    pub(super) fn has_user(&self) -> bool {
        self.has_user.load(Ordering::Relaxed) || self.of_address().of_users > 0
    }

    /// Open connections of this address.
    pub(super) fn connections(&self) -> usize {
        self.of_address().all
    }

    fn of_address(&self) -> Open {
        let open = self.counts.open();
        open.get(&self.address).copied().unwrap_or_default()
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut open = self.counts.open();
        if let Some(count) = open.get_mut(&self.address) {
            count.all = count.all.saturating_sub(1);
            let of_users = usize::from(self.has_user.load(Ordering::Relaxed));
            count.of_users = count.of_users.saturating_sub(of_users);
            if count.all == 0 {
                open.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: D-NET-13
    #[test]
    fn each_address_has_its_own_count_and_leaves_no_entry() {
        let counts = PerAddress::new(2);
        let admit = |text: &str| counts.admit(text.parse().unwrap());
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

    // rule: D-NET-16
    #[test]
    fn an_address_has_a_user_while_a_connection_of_it_has_one() {
        let counts = PerAddress::new(10);
        let admit = |text: &str| counts.admit(text.parse().unwrap()).unwrap();
        let (one, two, other) = (admit("192.0.2.1"), admit("192.0.2.1"), admit("192.0.2.2"));
        assert!(!one.has_user() && one.connections() == 2);
        two.set_user();
        two.set_user();
        assert!(one.has_user() && !other.has_user());
        drop(two);
        assert!(!one.has_user() && one.connections() == 1);
        drop((one, other));
        assert!(counts.open().is_empty());
    }
}
