//! The address a server listens on, and why it cannot listen there.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use thiserror::Error;

use super::tls::TlsError;

/// Value of the setting `listen`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    /// Address with port.
    Tcp(SocketAddr),
    /// Path of a unix socket.
    Unix(PathBuf),
}

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("unix:").filter(|path| !path.is_empty()) {
            return Ok(Self::Unix(path.into()));
        }
        let wrong = "an address with a port, like `127.0.0.1:8080`, or a unix socket, like \
                     `unix:/run/erp/erp.sock`";
        text.parse().map(Self::Tcp).map_err(|_| wrong.to_owned())
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// Reasons why the server cannot listen.
#[derive(Debug, Error)]
pub enum ListenError {
    /// The address or the folder of the socket cannot be used.
    #[error("cannot listen on {listen}: {source}")]
    Bind {
        /// Configured address.
        listen: Listen,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Another process accepts connections on the socket.
    #[error("cannot listen on {0}: another process listens there")]
    Taken(Listen),
    /// The path of the socket is occupied by another kind of file.
    #[error("cannot listen on {0}: there is a file that is no socket")]
    NoSocket(Listen),
    /// Unix sockets are not supported on this system.
    #[error("cannot listen on {0}: this system has no unix sockets")]
    NotHere(Listen),
    /// Certificate or key cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_or_a_socket_is_read() {
        for text in [
            "127.0.0.1:8080",
            "[::1]:0",
            "unix:/run/erp/erp.sock",
            "unix:erp.sock",
        ] {
            assert_eq!(text.parse::<Listen>().unwrap().to_string(), text);
        }
        for bad in ["", "8080", "localhost:80", "unix:", "/run/erp.sock"] {
            assert!(bad.parse::<Listen>().is_err(), "{bad}");
        }
    }
}
