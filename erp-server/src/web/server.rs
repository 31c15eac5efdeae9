//! Accepts connections and shuts down gracefully: new connections are rejected, requests in progress are completed.

use std::fmt;
use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use salvo::Service;
use salvo::conn::{ConnCtrl, SocketAddr as Peer};
use salvo::http::uri::Scheme;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_util::sync::CancellationToken;

use super::connection;
use super::links;
use super::listen::{Listener, Socket};
use super::per_address::{Counted, PerAddress};

/// After a stop, clients already in the accept queue are still served. Maximum gap between two of them.
const GAP: Duration = Duration::from_millis(20);

/// Maximum total time for accepting these clients.
const LAST: Duration = Duration::from_millis(250);

/// Pause after a failed accept. When file descriptors run out, other connections must close first.
const NO_FILES: Duration = Duration::from_millis(10);

/// Handle that stops a server.
#[derive(Clone, Debug, Default)]
pub struct Handle {
    stop: CancellationToken,
    force: CancellationToken,
    grace: Arc<Mutex<Duration>>,
}

impl Handle {
    /// Graceful stop: no new connections; open connections end after their current requests. What is unfinished after
    /// `grace` is aborted.
    pub fn stop(&self, grace: Duration) {
        *self.grace.lock().unwrap_or_else(PoisonError::into_inner) = grace;
        self.stop.cancel();
    }

    /// Stops the server immediately.
    pub fn stop_now(&self) {
        self.force.cancel();
        self.stop.cancel();
    }

    fn grace(&self) -> Duration {
        *self.grace.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A server on a listening socket.
pub struct Server {
    listener: Listener,
    service: Service,
    handle: Handle,
    connections: Arc<Semaphore>,
    addresses: Arc<PerAddress>,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").finish_non_exhaustive()
    }
}

/// The address has reached the limit `connections_per_address`.
struct TooManyConnections;

type Admitted = (OwnedSemaphorePermit, Socket, Peer);

impl Server {
    /// Creates the server; it accepts connections from [`Server::serve`] on.
    #[must_use]
    pub fn new(listener: Listener, service: Service) -> Self {
        let limits = listener.http_state().options().limits;
        let connections = limits.max_connections;
        let addresses = PerAddress::new(limits.connections_per_address);
        Self {
            listener,
            service,
            handle: Handle::default(),
            connections: Arc::new(Semaphore::new(connections)),
            addresses,
        }
    }

    /// Handle to stop the server from another task.
    #[must_use]
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    // rule: D-NET-09
    /// Serves until the server is stopped and the last connection has ended.
    pub async fn serve(self) {
        let mut open = JoinSet::new();
        loop {
            while open.try_join_next().is_some() {}
            tokio::select! {
                admitted = self.admit() => self.begin(admitted, &mut open).await,
                () = self.handle.stop.cancelled() => break,
            }
        }
        let last = Instant::now() + LAST;
        while let Ok(admitted) = timeout_at(last.min(Instant::now() + GAP), self.admit()).await {
            self.begin(admitted, &mut open).await;
        }
        let Self {
            listener, handle, ..
        } = self;
        drop(listener);
        let grace = sleep(handle.grace());
        let ended = async { while open.join_next().await.is_some() {} };
        tokio::select! {
            () = ended => return,
            () = grace => tracing::warn!("requests that were not finished in time are cut off"),
            () = handle.force.cancelled() => (),
        }
        open.shutdown().await;
    }

    /// Accepts the next connection, once fewer than `max_connections` are open.
    async fn admit(&self) -> io::Result<Admitted> {
        let place = Arc::clone(&self.connections).acquire_owned().await;
        let place = place.map_err(io::Error::other)?;
        let mut accept = pin!(self.listener.accept());
        let (socket, peer) = accept.as_mut().await?;
        Ok((place, socket, peer))
    }

    async fn begin(&self, admitted: io::Result<Admitted>, open: &mut JoinSet<()>) {
        let (place, socket, peer) = match admitted {
            Ok(admitted) => admitted,
            Err(error) => {
                tracing::error!(%error, "a connection was not accepted");
                sleep(NO_FILES).await;
                return;
            }
        };
        let Ok(client) = self.count(&peer) else {
            tracing::debug!("an address has too many connections; a new one was closed");
            return;
        };
        let tls = self.listener.tls();
        let scheme = if tls.is_some() {
            Scheme::HTTPS
        } else {
            Scheme::HTTP
        };
        let local = self.listener.local().clone();
        let handler = self
            .service
            .hyper_handler(local, peer, scheme, None, ConnCtrl::new(), None);
        let http_state = Arc::clone(self.listener.http_state());
        let stop = self.handle.stop.clone();
        open.spawn(async move {
            connection::serve(http_state, tls, socket, client, handler, stop).await;
            drop(place);
        });
    }

    /// Counts a connection for its address. Trusted proxies and unix sockets are not counted, because they represent
    /// many clients.
    fn count(&self, peer: &Peer) -> Result<Option<Arc<Counted>>, TooManyConnections> {
        let address = links::peer_address(peer);
        let trusted = &self.listener.http_state().options().trusted_proxies;
        match address.filter(|address| !links::is_in(trusted, *address)) {
            None => Ok(None),
            Some(address) => match self.addresses.admit(address) {
                None => Err(TooManyConnections),
                counted => Ok(counted.map(Arc::new)),
            },
        }
    }
}
