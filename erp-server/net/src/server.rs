//! Accepts connections and shuts down gracefully: new connections are rejected, requests in progress are completed.

use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::body::{Body, Bytes};
use hyper::service::Service;
use hyper::{Request, Response};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::addresses::Addresses;
use crate::body::RequestBody;
use crate::bound::{Bound, Wire};
use crate::client::Connection;
use crate::connection::{self, BoxError, Setup};
use crate::error::Error;
use crate::fair_queue::FairQueue;
use crate::options::Options;
use crate::tls::Certificates;

/// After a stop, clients already in the accept queue are still served. Maximum gap between two of them.
const GAP: Duration = Duration::from_millis(20);

/// Maximum total time for accepting these clients.
const LAST: Duration = Duration::from_millis(250);

/// Pause after a failed accept. When file descriptors run out, other connections must close first.
const NO_FILES: Duration = Duration::from_millis(10);

/// Stops a server and counts its connections.
#[derive(Clone, Debug)]
pub struct Handle {
    stop: CancellationToken,
    force: CancellationToken,
    grace: Arc<Mutex<Duration>>,
    places: Arc<Semaphore>,
    max_connections: usize,
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

    /// How many connections are open.
    pub fn connections(&self) -> usize {
        let free = self.places.available_permits();
        self.max_connections.saturating_sub(free)
    }

    fn grace(&self) -> Duration {
        *self.grace.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A server on a bound socket.
pub struct Server {
    options: Arc<Options>,
    bound: Bound,
    tls: Option<TlsAcceptor>,
    handle: Handle,
    addresses: Arc<Addresses>,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Server").field(&self.url()).finish()
    }
}

type Admitted = (Option<OwnedSemaphorePermit>, Box<dyn Wire>, Arc<Connection>);

impl Server {
    /// Listens; connections are accepted from [`Server::serve`] on.
    /// Errors: when binding fails; the message names the address.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn bind(options: Options) -> Result<Self, Error> {
        let config = options.certificates.as_ref().map(Certificates::config);
        Ok(Self {
            tls: config
                .transpose()?
                .map(|config| TlsAcceptor::from(Arc::new(config))),
            bound: Bound::new(&options.listen)?,
            handle: Handle {
                stop: CancellationToken::new(),
                force: CancellationToken::new(),
                grace: Arc::default(),
                places: Arc::new(Semaphore::new(options.max_connections)),
                max_connections: options.max_connections,
            },
            addresses: Addresses::new(options.connections_per_address),
            options: Arc::new(options),
        })
    }

    /// URL or path: `http://127.0.0.1:8080`, `https://...` or `unix:/run/server.sock`, with the actual port.
    pub fn url(&self) -> String {
        let scheme = match self.tls {
            Some(_) => "https",
            None => "http",
        };
        match self.address() {
            Some(address) => format!("{scheme}://{address}"),
            None => self.options.listen.to_string(),
        }
    }

    /// Address and port; `None` for a unix socket.
    pub fn address(&self) -> Option<SocketAddr> {
        self.bound.local()
    }

    /// Certificate for new connections; `None` without TLS.
    pub fn certificates(&self) -> Option<&Arc<Certificates>> {
        self.options.certificates.as_ref()
    }

    /// Handle to stop the server from another task.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Serves until the server is stopped and the last connection has ended. `make_service` makes the service of each
    /// connection.
    pub async fn serve<F, S, B>(self, make_service: F)
    where
        F: Fn(Arc<Connection>) -> S + Send + Sync + 'static,
        S: Service<Request<RequestBody>, Response = Response<B>> + Send + Sync + 'static,
        S: Service<Request<RequestBody>, Error: Into<BoxError>, Future: Send + 'static>,
        B: Body<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static,
    {
        let setup = Arc::new(Setup {
            options: Arc::clone(&self.options),
            tls: self.tls.clone(),
            queue: FairQueue::of_machine(),
            stop: self.handle.stop.clone(),
            make_service,
        });
        let begin = |(place, wire, connection): Admitted, open: &mut JoinSet<()>| {
            let setup = Arc::clone(&setup);
            open.spawn(async move {
                connection::serve(setup, wire, connection).await;
                drop(place);
            });
        };
        let mut open = JoinSet::new();
        loop {
            while open.try_join_next().is_some() {}
            tokio::select! {
                admitted = self.admit() => begin(admitted, &mut open),
                () = self.handle.stop.cancelled() => break,
            }
        }
        let last = Instant::now() + LAST;
        while let Ok(admitted) = timeout_at(last.min(Instant::now() + GAP), self.admit()).await {
            begin(admitted, &mut open);
        }
        let Self { bound, handle, .. } = self;
        drop(bound);
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
    async fn admit(&self) -> Admitted {
        let (wire, remote, client) = loop {
            let (wire, remote) = self.accept().await;
            let client = remote.map(|remote| remote.ip());
            let client = client.filter(|address| !(self.options.is_proxy)(*address));
            if client.is_none_or(|address| self.addresses.has_room(address)) {
                break (wire, remote, client);
            }
            tracing::debug!("an address has too many connections");
        };
        let places = &self.handle.places;
        if places.available_permits() == 0 {
            self.addresses.close_one();
        }
        let place = Arc::clone(places).acquire_owned().await.ok();
        let connection = Connection {
            local: self.address(),
            remote,
            is_encrypted: self.tls.is_some(),
            counted: client.map(|address| self.addresses.count(address)),
        };
        (place, wire, Arc::new(connection))
    }

    async fn accept(&self) -> (Box<dyn Wire>, Option<SocketAddr>) {
        loop {
            match self.bound.accept().await {
                Ok(accepted) => return accepted,
                Err(error) => {
                    tracing::error!(%error, "a connection was not accepted");
                    sleep(NO_FILES).await;
                }
            }
        }
    }
}
