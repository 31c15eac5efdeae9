use std::net::SocketAddr;

use crate::addresses::CountedClient;

/// An accepted connection.
#[derive(Debug)]
pub struct Connection {
    /// Address of the server; `None` for a unix socket.
    pub local: Option<SocketAddr>,
    /// Address of the client; `None` for a unix socket.
    pub remote: Option<SocketAddr>,
    /// The connection is encrypted.
    pub is_encrypted: bool,
    pub(crate) counted: Option<CountedClient>,
}

impl Connection {
    /// The service calls it after a request with credentials that a stranger cannot get. The server then prefers this
    /// client: its work does not wait for that of unknown clients, and its connections are the last that give way.
    pub fn set_known(&self) {
        if let Some(counted) = &self.counted {
            counted.set_known();
        }
    }

    pub(crate) fn unknown(&self) -> Option<&CountedClient> {
        self.counted.as_ref().filter(|client| !client.is_known())
    }
}
