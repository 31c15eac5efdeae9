//! Where the server listens: an address with a port or a unix socket.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::str::FromStr;
use std::sync::Arc;
use std::task::{Context, Poll};

use salvo::conn::SocketAddr as Peer;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};
use tokio_rustls::TlsAcceptor;

use super::gate::Gate;
use super::tls::{Certificates, TlsError};

/// The setting `listen`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    /// An address and a port.
    Tcp(SocketAddr),
    /// The file of a unix socket.
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

/// Why the server cannot listen.
#[derive(Debug, Error)]
pub enum ListenError {
    /// The address or the folder of the socket cannot be used.
    #[error("cannot listen on {listen}: {source}")]
    Bind {
        /// Where.
        listen: Listen,
        /// What the system says.
        source: io::Error,
    },
    /// Another process answers on the socket.
    #[error("cannot listen on {0}: another process answers there")]
    Taken(Listen),
    /// Something that is no socket stands where the socket is to be.
    #[error("cannot listen on {0}: there is a file that is no socket")]
    NoSocket(Listen),
    /// Unix sockets are wanted where there are none.
    #[error("cannot listen on {0}: this system has no unix sockets")]
    NotHere(Listen),
    /// Certificate and key cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
}

/// A connection that was accepted.
#[derive(Debug)]
pub(super) enum Socket {
    /// From an address.
    Tcp(TcpStream),
    /// From this machine.
    #[cfg(unix)]
    Unix(UnixStream),
}

macro_rules! either {
    ($socket:expr, $stream:ident => $call:expr) => {
        match $socket {
            Socket::Tcp($stream) => $call,
            #[cfg(unix)]
            Socket::Unix($stream) => $call,
        }
    };
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        either!(self.get_mut(), stream => Pin::new(stream).poll_read(cx, buf))
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        either!(self.get_mut(), stream => Pin::new(stream).poll_write(cx, buf))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        either!(self.get_mut(), stream => Pin::new(stream).poll_write_vectored(cx, bufs))
    }

    fn is_write_vectored(&self) -> bool {
        either!(self, stream => stream.is_write_vectored())
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self.get_mut(), stream => Pin::new(stream).poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self.get_mut(), stream => Pin::new(stream).poll_shutdown(cx))
    }
}

enum Bound {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix {
        listener: UnixListener,
        /// Goes with the listener.
        _file: super::socket_file::SocketFile,
    },
}

impl Bound {
    async fn accept(&self) -> io::Result<(Socket, Peer)> {
        match self {
            Self::Tcp(listener) => {
                let (stream, peer) = listener.accept().await?;
                // Answers are written whole; waiting for more to send would only delay them.
                let _ = stream.set_nodelay(true);
                Ok((Socket::Tcp(stream), peer.into()))
            }
            #[cfg(unix)]
            Self::Unix { listener, .. } => {
                let (stream, peer) = listener.accept().await?;
                Ok((Socket::Unix(stream), peer.into()))
            }
        }
    }
}

/// A bound address or unix socket with what new connections get.
pub struct Listener {
    gate: Arc<Gate>,
    bound: Bound,
    local: Peer,
    tls: Option<TlsAcceptor>,
    certificates: Option<Arc<Certificates>>,
    address: String,
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Listener").field(&self.address).finish()
    }
}

impl Listener {
    /// Listens where the settings say, encrypted when they name a certificate.
    ///
    /// # Errors
    /// A sentence that names the address or file.
    pub async fn bind(gate: &Arc<Gate>) -> Result<Self, ListenError> {
        let settings = gate.settings();
        let certificates = Certificates::of(settings)?;
        let config = certificates
            .as_ref()
            .map(Certificates::config)
            .transpose()?;
        let (bound, local) = bind(&settings.listen, settings.socket_mode).await?;
        let scheme = if config.is_some() { "https" } else { "http" };
        let address = match local.clone().into_std() {
            Some(address) => format!("{scheme}://{address}"),
            None => settings.listen.to_string(),
        };
        Ok(Self {
            gate: Arc::clone(gate),
            bound,
            local,
            tls: config.map(|config| TlsAcceptor::from(Arc::new(config))),
            certificates,
            address,
        })
    }

    /// `http://127.0.0.1:8080`, `https://...` or `unix:/run/erp/erp.sock`, with the port that was taken.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The address and port; `None` for a unix socket.
    #[must_use]
    pub fn socket_address(&self) -> Option<SocketAddr> {
        self.local.clone().into_std()
    }

    /// The certificate that new connections get.
    #[must_use]
    pub const fn certificates(&self) -> Option<&Arc<Certificates>> {
        self.certificates.as_ref()
    }

    pub(super) async fn accept(&self) -> io::Result<(Socket, Peer)> {
        self.bound.accept().await
    }

    pub(super) const fn local(&self) -> &Peer {
        &self.local
    }

    pub(super) const fn gate(&self) -> &Arc<Gate> {
        &self.gate
    }

    pub(super) fn tls(&self) -> Option<TlsAcceptor> {
        self.tls.clone()
    }
}

async fn bind(listen: &Listen, mode: u32) -> Result<(Bound, Peer), ListenError> {
    let failed = |source| ListenError::Bind {
        listen: listen.clone(),
        source,
    };
    match listen {
        Listen::Tcp(address) => {
            let listener = TcpListener::bind(address).await.map_err(failed)?;
            let local = listener.local_addr().map_err(failed)?;
            Ok((Bound::Tcp(listener), local.into()))
        }
        #[cfg(unix)]
        Listen::Unix(path) => {
            let (listener, file) = super::socket_file::bind(listen, path, mode)?;
            let listener = UnixListener::from_std(listener).map_err(failed)?;
            let local = listener.local_addr().map_err(failed)?;
            let bound = Bound::Unix {
                listener,
                _file: file,
            };
            Ok((bound, local.into()))
        }
        #[cfg(not(unix))]
        Listen::Unix(_) => {
            let _ = mode;
            Err(ListenError::NotHere(listen.clone()))
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
