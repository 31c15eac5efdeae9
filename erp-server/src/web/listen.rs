//! Listening sockets: TCP address or unix socket.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use salvo::conn::SocketAddr as Peer;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};
use tokio_rustls::TlsAcceptor;

use super::http_state::HttpState;
use super::listen_address::{Listen, ListenError};
use super::tls::Certificates;

/// Connections that wait until they are accepted; the system may allow fewer. Beyond that, clients repeat their first
/// packet after a second, and thousands may come at once.
const ACCEPT_QUEUE: u32 = 4_096;

/// An accepted connection.
#[derive(Debug)]
pub(super) enum Socket {
    /// TCP connection.
    Tcp(TcpStream),
    /// Unix socket connection.
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
        /// Removed together with the listener.
        _file: super::socket_file::SocketFile,
    },
}

impl Bound {
    async fn accept(&self) -> io::Result<(Socket, Peer)> {
        match self {
            Self::Tcp(listener) => {
                let (stream, peer) = listener.accept().await?;
                // Responses are written as a whole; Nagle's algorithm would only delay them.
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

/// Bound TCP or unix socket with the TLS configuration for new connections.
pub struct Listener {
    http_state: Arc<HttpState>,
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
    /// Listens as configured; encrypted if the options contain a certificate.
    ///
    /// # Errors
    /// When binding or loading the certificate fails; the message names the address or file.
    pub async fn bind(http_state: &Arc<HttpState>) -> Result<Self, ListenError> {
        let options = http_state.options();
        let certificates = Certificates::of(&options.tls)?;
        let config = certificates
            .as_ref()
            .map(Certificates::config)
            .transpose()?;
        let (bound, local) = bind(&options.listen, options.socket_mode).await?;
        let scheme = if config.is_some() { "https" } else { "http" };
        let address = match local.clone().into_std() {
            Some(address) => format!("{scheme}://{address}"),
            None => options.listen.to_string(),
        };
        Ok(Self {
            http_state: Arc::clone(http_state),
            bound,
            local,
            tls: config.map(|config| TlsAcceptor::from(Arc::new(config))),
            certificates,
            address,
        })
    }

    /// URL or path: `http://127.0.0.1:8080`, `https://...` or `unix:/run/erp/erp.sock`, with the actual port.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Address and port; `None` for a unix socket.
    #[must_use]
    pub fn socket_address(&self) -> Option<SocketAddr> {
        self.local.clone().into_std()
    }

    /// Certificate for new connections; `None` without TLS.
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

    pub(super) const fn http_state(&self) -> &Arc<HttpState> {
        &self.http_state
    }

    pub(super) fn tls(&self) -> Option<TlsAcceptor> {
        self.tls.clone()
    }
}

fn bind_tcp(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // A restart need not wait for connections of the process before it. On Windows this would allow two servers.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(ACCEPT_QUEUE)
}

async fn bind(listen: &Listen, mode: u32) -> Result<(Bound, Peer), ListenError> {
    let failed = |source| ListenError::Bind {
        listen: listen.clone(),
        source,
    };
    match listen {
        Listen::Tcp(address) => {
            let listener = bind_tcp(*address).map_err(failed)?;
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
