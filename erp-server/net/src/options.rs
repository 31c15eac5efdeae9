use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::client::Connection;
use crate::listen::Listen;
use crate::tls::Certificates;

type HeadTooSlow = Box<dyn Fn(&Connection) -> Vec<u8> + Send + Sync>;

/// Address, certificate and limits of a server.
///
/// All memory that clients hold is a product of the limits: at most `max_connections` times `head_bytes` and 16 requests.
pub struct Options {
    /// Address or unix socket.
    pub listen: Listen,
    /// Certificate and key; with them the server speaks TLS.
    pub certificates: Option<Arc<Certificates>>,
    /// Time in which the head of a request must be complete; for the first one it starts with the connection. Also how long all
    /// pauses of a client in a request body, and in taking a response, may be together.
    pub client_timeout: Duration,
    /// How long a connection is kept without a request.
    pub idle_timeout: Duration,
    /// Longest head of a request: address and header fields.
    pub head_bytes: usize,
    /// Open connections. A new one takes the place of the oldest one of the address that has the most.
    pub max_connections: usize,
    /// Open connections of one client address; more are closed at once.
    pub connections_per_address: usize,
    /// Whether an address is that of a proxy, which speaks for many clients: its connections do not count.
    pub is_proxy: Box<dyn Fn(IpAddr) -> bool + Send + Sync>,
    /// The HTTP/1.1 response to a head that was not complete in time. The connection is closed after it.
    pub head_too_slow: HeadTooSlow,
}

impl Options {
    /// Limits for a machine with little memory, without TLS.
    pub fn new(listen: Listen) -> Self {
        Self {
            listen,
            certificates: None,
            client_timeout: Duration::from_secs(20),
            idle_timeout: Duration::from_secs(60),
            head_bytes: 24 * 1_024,
            max_connections: 2_000,
            connections_per_address: 256,
            is_proxy: Box::new(|_| false),
            head_too_slow: Box::new(|_| HEAD_TOO_SLOW.to_vec()),
        }
    }
}

const HEAD_TOO_SLOW: &[u8] =
    b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
