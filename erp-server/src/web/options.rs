use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use erp_net::{Listen, network_of};

use super::links::{BaseUrl, Proxy};

#[derive(Clone, Debug)]
pub struct WebOptions {
    pub listen: Listen,
    /// Where the paths of the office are instead.
    pub admin_listen: Option<Listen>,
    /// File of the certificate chain; with `tls_key`.
    pub tls_certificate: Option<PathBuf>,
    pub tls_key: Option<PathBuf>,
    /// Seconds of `Strict-Transport-Security`; 0 sends none.
    pub hsts_seconds: u64,
    /// Base of links; `None` takes scheme and host of the request.
    pub base_url: Option<BaseUrl>,
    /// Proxies whose `X-Forwarded-*` headers are believed.
    pub trusted_proxies: Vec<Proxy>,
    pub cors_origins: Vec<String>,
    pub log_addresses: LogAddresses,
    pub timeouts: Timeouts,
    pub limits: Limits,
    pub rates: RateLimits,
}

#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// A whole request, unless its route says otherwise.
    pub request: Duration,
    /// The head of a request; pauses of a client while it sends a body or takes a response.
    pub client: Duration,
    /// A connection without a request.
    pub idle: Duration,
}

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub json_body_bytes: u64,
    /// All bodies in memory, except those with a budget of their own. At least the longest body.
    pub body_memory_bytes: u64,
    /// Requests in progress, except those that wait for their body.
    pub max_requests: usize,
    pub max_connections: usize,
    pub connections_per_address: usize,
}

#[derive(Clone, Copy, Debug)]
pub struct RateLimits {
    pub enabled: bool,
    pub requests_per_minute: u32,
    /// Requests of one user at once.
    pub requests_burst: u32,
    pub token_requests_per_minute: u32,
}

/// What the log says of the address of a refused login.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogAddresses {
    /// All of it.
    Full,
    /// Its network: the first 24 bits of IPv4, the first 48 of IPv6.
    Network,
    /// Nothing.
    None,
}

impl LogAddresses {
    pub(super) fn of(self, client: IpAddr) -> Option<String> {
        match self {
            Self::Full => Some(client.to_canonical().to_string()),
            Self::Network => {
                let network = network_of(client);
                let bits = if network.is_ipv4() { 24 } else { 48 };
                Some(format!("{network}/{bits}"))
            }
            Self::None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_tells_no_more_of_an_address_than_the_setting_says() {
        for (client, full, network) in [
            ("192.0.2.77", "192.0.2.77", "192.0.2.0/24"),
            ("::ffff:192.0.2.77", "192.0.2.77", "192.0.2.0/24"),
            ("2001:db8:7:8::9", "2001:db8:7:8::9", "2001:db8:7::/48"),
        ] {
            let client = client.parse().unwrap();
            assert_eq!(LogAddresses::Full.of(client).as_deref(), Some(full));
            assert_eq!(LogAddresses::Network.of(client).as_deref(), Some(network));
            assert_eq!(LogAddresses::None.of(client), None);
        }
    }
}
