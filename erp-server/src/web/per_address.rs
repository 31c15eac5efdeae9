//! Limits the number of open connections per client address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::throttle::address_key;

// rule: D-NET-13
/// Open connections per address. IPv6 clients are counted per /64 network.
#[derive(Debug)]
pub(super) struct PerAddress {
    limit: usize,
    open: Mutex<HashMap<IpAddr, usize>>,
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
        if *count >= self.limit {
            return None;
        }
        *count += 1;
        Some(Counted {
            counts: Arc::clone(self),
            address,
        })
    }

    fn open(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        // Each change is one assignment, so the map stays consistent even after a panic.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A counted connection; dropping it decrements the count of its address.
#[derive(Debug)]
pub(super) struct Counted {
    counts: Arc<PerAddress>,
    address: IpAddr,
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut open = self.counts.open();
        if let Some(count) = open.get_mut(&self.address) {
            *count = count.saturating_sub(1);
            if *count == 0 {
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
}
