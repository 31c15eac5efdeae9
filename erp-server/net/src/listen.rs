use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    /// Address with port; port 0 takes a free one.
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
                     `unix:/run/server.sock`";
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_or_a_socket_is_read() {
        for text in [
            "127.0.0.1:8080",
            "[::1]:0",
            "unix:/run/server.sock",
            "unix:server.sock",
        ] {
            assert_eq!(text.parse::<Listen>().unwrap().to_string(), text);
        }
        for bad in ["", "8080", "localhost:80", "unix:", "/run/erp.sock"] {
            assert!(bad.parse::<Listen>().is_err(), "{bad}");
        }
    }
}
