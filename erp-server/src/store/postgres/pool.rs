//! Connections to the database.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use deadpool_postgres::{
    Client, ClientWrapper, Hook, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime, Status,
};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres::config::SslMode;
use tokio_postgres::types::ToSql;
use tokio_postgres::{NoTls, Row, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::PostgresOptions;
use super::fault::Fault;

/// How long a new connection may take.
const CONNECT: Duration = Duration::from_secs(5);

/// Sent data that nobody has taken note of after this time is lost, with its connection.
const UNHEARD: Duration = Duration::from_secs(10);

/// The statements are few and always have the same good plan: through the index of the key, and small sets
/// beside each other by hashing. Making a new one for each call would cost more than the call.
const SESSION: &str =
    "SET plan_cache_mode = 'force_generic_plan'; SET enable_nestloop = off; SET jit = off";

/// A parameter of a statement.
pub(super) type Parameter<'a> = &'a (dyn ToSql + Sync);

/// The connections of a store.
pub(super) struct Connections {
    pool: Pool,
    timeout: Duration,
    round_trips: AtomicU64,
}

impl Connections {
    /// No connection is made before one is needed.
    pub(super) fn new(options: &PostgresOptions) -> Result<Self, String> {
        let mut config = options.url.config()?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(UNHEARD);
        }
        let recycling = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let manager = match config.get_ssl_mode() {
            SslMode::Disable => Manager::from_config(config, NoTls, recycling),
            _ => {
                let tls = tls(options.ca_file.as_deref())?;
                Manager::from_config(config, tls, recycling)
            }
        };
        let prepare = Hook::async_fn(|client: &mut ClientWrapper, _| {
            Box::pin(async move {
                // Another engine that speaks the language may not know them, and does without.
                let _ = client.batch_execute(SESSION).await;
                Ok(())
            })
        });
        let pool = Pool::builder(manager)
            .post_create(prepare)
            .max_size(options.connections)
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(options.timeout))
            .create_timeout(Some(CONNECT.saturating_mul(3)))
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Self {
            pool,
            timeout: options.timeout,
            round_trips: AtomicU64::new(0),
        })
    }

    pub(super) fn status(&self) -> Status {
        self.pool.status()
    }

    pub(super) fn round_trips(&self) -> u64 {
        self.round_trips.load(Ordering::Relaxed)
    }

    pub(super) fn close(&self) {
        self.pool.close();
    }

    /// A connection that nobody else uses until it is given back.
    pub(super) async fn connection(&self) -> Result<Connection<'_>, Fault> {
        Ok(Connection {
            client: Some(self.pool.get().await?),
            round_trips: &self.round_trips,
        })
    }

    /// Does something within the time a statement may take.
    pub(super) async fn in_time<T>(
        &self,
        work: impl Future<Output = Result<T, Fault>>,
    ) -> Result<T, Fault> {
        let done = tokio::time::timeout(self.timeout, work).await;
        done.unwrap_or_else(|_| Err(Fault::Lost("no answer came in time".to_owned())))
    }

    /// Asks something that changes nothing; once more when the connection turns out to be dead.
    pub(super) async fn query(
        &self,
        sql: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Vec<Row>, Fault> {
        self.in_time(async {
            match self.query_once(sql, parameters).await {
                Err(Fault::Lost(_)) => self.query_once(sql, parameters).await,
                answered => answered,
            }
        })
        .await
    }

    async fn query_once(&self, sql: &str, parameters: &[Parameter<'_>]) -> Result<Vec<Row>, Fault> {
        let connection = self.connection().await?;
        let rows = connection.ask(sql, parameters).await?;
        connection.give_back();
        Ok(rows)
    }
}

/// A connection in use. Unless it is given back it is closed, because nobody knows its state.
pub(super) struct Connection<'a> {
    client: Option<Client>,
    round_trips: &'a AtomicU64,
}

impl Connection<'_> {
    /// Runs a prepared statement: one round trip, and one more for the first time on a connection.
    pub(super) async fn ask(
        &self,
        sql: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Vec<Row>, Fault> {
        self.round_trip();
        let statement = self.prepare(sql).await?;
        Ok(self.client()?.query(&statement, parameters).await?)
    }

    /// Prepares a statement, unless that was done on this connection.
    pub(super) async fn prepare(&self, sql: &str) -> Result<Statement, Fault> {
        Ok(self.client()?.prepare_cached(sql).await?)
    }

    /// Runs plain statements.
    pub(super) async fn run(&self, sql: &str) -> Result<(), Fault> {
        Ok(self.client()?.batch_execute(sql).await?)
    }

    /// Counts one.
    pub(super) fn round_trip(&self) {
        self.round_trips.fetch_add(1, Ordering::Relaxed);
    }

    /// The connection itself.
    pub(super) fn client(&self) -> Result<&ClientWrapper, Fault> {
        self.client.as_deref().ok_or(Fault::Closed)
    }

    /// Leaves the connection to the next.
    pub(super) fn give_back(mut self) {
        drop(self.client.take());
    }
}

impl Drop for Connection<'_> {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            drop(Client::take(client));
        }
    }
}

/// Encryption that proves who answers.
fn tls(ca_file: Option<&Path>) -> Result<MakeRustlsConnect, String> {
    let mut roots = RootCertStore::empty();
    match ca_file {
        Some(path) => {
            let refuse =
                |error: String| format!("the certificates in `{}`: {error}", path.display());
            let found = CertificateDer::pem_file_iter(path);
            for certificate in found.map_err(|error| refuse(error.to_string()))? {
                let certificate = certificate.map_err(|error| refuse(error.to_string()))?;
                roots
                    .add(certificate)
                    .map_err(|error| refuse(error.to_string()))?;
            }
            if roots.is_empty() {
                return Err(refuse("there are none".to_owned()));
            }
        }
        None => {
            let _ = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    Ok(MakeRustlsConnect::new(
        config.with_root_certificates(roots).with_no_client_auth(),
    ))
}
