use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket};

use crate::error::Error;
use crate::listen::Listen;
#[cfg(unix)]
use crate::socket_file::{self, SocketFile};

/// Connections that wait until they are accepted; the system may allow fewer. Beyond that, clients repeat their first
/// packet after a second, and thousands may come at once.
const ACCEPT_QUEUE: u32 = 4_096;

/// A socket or a TLS stream.
pub(crate) trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

pub(crate) enum Bound {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix {
        listener: tokio::net::UnixListener,
        /// Removed together with the listener.
        _file: SocketFile,
    },
}

impl Bound {
    pub(crate) fn new(listen: &Listen) -> Result<Self, Error> {
        let failed = |source| Error::Bind {
            listen: listen.clone(),
            source,
        };
        match listen {
            Listen::Tcp(address) => bind_tcp(*address).map(Self::Tcp).map_err(failed),
            #[cfg(unix)]
            Listen::Unix(path) => {
                let (listener, file) = socket_file::bind(listen, path)?;
                let listener = tokio::net::UnixListener::from_std(listener).map_err(failed)?;
                Ok(Self::Unix {
                    listener,
                    _file: file,
                })
            }
            #[cfg(not(unix))]
            Listen::Unix(_) => Err(Error::NotHere(listen.clone())),
        }
    }

    /// The next connection, with the address of the client unless it came over a unix socket.
    pub(crate) async fn accept(&self) -> io::Result<(Box<dyn Wire>, Option<SocketAddr>)> {
        match self {
            Self::Tcp(listener) => {
                let (stream, remote) = listener.accept().await?;
                // Responses are written as a whole; Nagle's algorithm would only delay them.
                let _ = stream.set_nodelay(true);
                Ok((Box::new(stream), Some(remote)))
            }
            #[cfg(unix)]
            Self::Unix { listener, .. } => {
                let (stream, _) = listener.accept().await?;
                Ok((Box::new(stream), None))
            }
        }
    }

    /// Address and port; `None` for a unix socket.
    pub(crate) fn local(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(listener) => listener.local_addr().ok(),
            #[cfg(unix)]
            Self::Unix { .. } => None,
        }
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
