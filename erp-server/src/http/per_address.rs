//! How many connections each client address has open.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::throttle::address_key;

/// Open connections by address. An IPv6 client counts by its network of 64 bits.
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

    /// One more connection of an address; `None` when it has as many as it may have. It is counted until
    /// the returned value is dropped.
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
        // Each change is one assignment: the map is whole after any panic.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection that counts for its address.
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

    #[test]
    fn each_address_has_its_own_count_and_leaves_nothing_behind() {
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
