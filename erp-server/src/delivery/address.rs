//! Restricts webhook targets to public addresses. Names are checked on each connection, not only when a target is
//! added, because the DNS record may change.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper_util::client::legacy::connect::dns::{GaiResolver, Name};
use thiserror::Error;
use tower_service::Service;

// rule: R-EVT-09
/// Whether an address is on the public internet: not private, loopback, link-local, shared, multicast or otherwise
/// reserved.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    match address.octets() {
        // This network, private, loopback.
        [0 | 10 | 127, ..] => false,
        // Carrier-grade NAT, RFC 6598.
        [100, 64..=127, ..] => false,
        // Link-local; includes the metadata services of cloud providers.
        [169, 254, ..] => false,
        [172, 16..=31, ..] | [192, 168, ..] => false,
        // Protocol assignments, documentation, the old 6to4 relays.
        [192, 0, 0 | 2, _] | [192, 88, 99, _] => false,
        [198, 18 | 19, ..] | [198, 51, 100, _] | [203, 0, 113, _] => false,
        // Multicast, reserved, broadcast.
        [224..=255, ..] => false,
        _ => true,
    }
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    match address.segments() {
        // NAT64 and 6to4 embed an IPv4 address; that one is checked.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
            is_public_v4(((u32::from(high) << 16) | u32::from(low)).into())
        }
        // Teredo, ORCHID, benchmarks and other protocol assignments; documentation.
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        // Global unicast is 2000::/3; mapped, local and multicast addresses are outside of it.
        [first, ..] => (0x2000..=0x3fff).contains(&first),
    }
}

#[derive(Debug, Error)]
pub(super) enum ResolveError {
    /// All its addresses are private.
    #[error("the name leads to private addresses only")]
    Refused,
    /// The name does not exist or DNS fails.
    #[error(transparent)]
    Unresolved(#[from] io::Error),
}

/// Resolves names with the system resolver, and drops addresses that must not be called.
#[derive(Clone, Debug)]
pub(super) struct Resolver {
    pub(super) system: GaiResolver,
    pub(super) private_allowed: bool,
}

impl Service<Name> for Resolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = ResolveError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, ResolveError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), ResolveError>> {
        self.system.poll_ready(context).map_err(ResolveError::from)
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let resolving = self.system.call(name);
        let private_allowed = self.private_allowed;
        Box::pin(async move {
            let allowed: Vec<SocketAddr> = resolving
                .await?
                .filter(|address| private_allowed || is_public(address.ip()))
                .collect();
            if allowed.is_empty() {
                return Err(ResolveError::Refused);
            }
            Ok(allowed.into_iter())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: R-EVT-09
    #[test]
    fn only_the_public_internet_is_public() {
        for address in [
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.167.1.1",
            "223.255.255.255",
            "2a00:1450:4001::1",
            "2600::1",
            "64:ff9b::808:808",
            "2002:808:808::1",
        ] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
        for address in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "127.255.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.168.0.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "fe80::1",
            "fc00::1",
            "fd12:3456::1",
            "ff02::1",
            "2001::1",
            "2001:db8::1",
            "64:ff9b::a00:1",
            "2002:7f00:1::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }

    async fn resolve(private_allowed: bool) -> Result<Vec<SocketAddr>, ResolveError> {
        let system = GaiResolver::new();
        let mut resolver = Resolver {
            system,
            private_allowed,
        };
        let found = resolver.call("localhost".parse().unwrap()).await?;
        Ok(found.collect())
    }

    // rule: R-EVT-09
    #[tokio::test]
    async fn a_name_that_leads_home_is_refused() {
        assert!(matches!(resolve(false).await, Err(ResolveError::Refused)));
        assert!(!resolve(true).await.unwrap().is_empty());
    }
}
