//! Accepts connections and shuts down gracefully: new connections are rejected, requests in progress are completed.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use salvo::Service;
use salvo::conn::{ConnCtrl, SocketAddr as Peer};
use salvo::http::uri::Scheme;
use tokio::sync::OwnedSemaphorePermit;
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
    addresses: Arc<PerAddress>,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").finish_non_exhaustive()
    }
}

type Admitted = (OwnedSemaphorePermit, Socket, Peer, Option<Arc<Counted>>);

impl Server {
    /// Creates the server; it accepts connections from [`Server::serve`] on.
    #[must_use]
    pub fn new(listener: Listener, service: Service) -> Self {
        let limits = listener.http_state().options().limits;
        let addresses = PerAddress::new(limits.connections_per_address);
        Self {
            listener,
            service,
            handle: Handle::default(),
            addresses,
        }
    }

    /// Handle to stop the server from another task.
    #[must_use]
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

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

    /// Accepts the next connection. When `max_connections` are open, another one gives way to it.
    async fn admit(&self) -> io::Result<Admitted> {
        let (socket, peer, client) = loop {
            let (socket, peer) = self.listener.accept().await?;
            match self.counted_address(&peer) {
                None => break (socket, peer, None),
                Some(address) if self.addresses.has_room(address) => {
                    break (socket, peer, Some(address));
                }
                Some(_) => tracing::debug!("an address has too many connections"),
            }
        };
        let places = Arc::clone(self.listener.http_state().places());
        let place = match Arc::clone(&places).try_acquire_owned() {
            Ok(place) => place,
            Err(_) => {
                self.addresses.close_one();
                places.acquire_owned().await.map_err(io::Error::other)?
            }
        };
        let client = client.map(|address| Arc::new(self.addresses.count(address)));
        Ok((place, socket, peer, client))
    }

    async fn begin(&self, admitted: io::Result<Admitted>, open: &mut JoinSet<()>) {
        let (place, socket, peer, client) = match admitted {
            Ok(admitted) => admitted,
            Err(error) => {
                tracing::error!(%error, "a connection was not accepted");
                sleep(NO_FILES).await;
                return;
            }
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

    /// Address that a connection counts for. Trusted proxies and unix sockets do not count, because they represent many
    /// clients.
    fn counted_address(&self, peer: &Peer) -> Option<IpAddr> {
        let trusted = &self.listener.http_state().options().trusted_proxies;
        links::peer_address(peer).filter(|address| !links::is_in(trusted, *address))
    }
}
