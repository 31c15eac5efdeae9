//! Connection pool.
//!
//! # Limits
//! Every wait has a limit that the database itself enforces: [`limits`] sets how long a session may wait for a lock,
//! run a statement and leave a transaction idle, all shorter than the timeout of an operation. So a statement that
//! no client waits for any more ends by itself, even when this process hangs or loses the network.
//!
//! # Connections that are not returned
//! A connection that is dropped instead of being returned may still have a statement in progress. It keeps its slot
//! in the pool until its back end has finished or ended, see [`settle`]. So there are never more back ends than
//! pool slots.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use deadpool_postgres::{
    Client, ClientWrapper, Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime,
};
use futures_util::future::join_all;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use tokio::runtime::Handle;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_postgres::config::SslMode;
use tokio_postgres::{CancelToken, Config, Error, Row, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::fault::Fault;
use super::statement::{Parameter, Sql};
use super::{PostgresOptions, pooler};

const CONNECT: Duration = Duration::from_secs(5);

/// TCP user timeout: a connection whose data is not acknowledged for this long counts as lost.
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(10);

/// TCP keepalive interval of an idle connection; libpq's default of two hours is too long.
const KEEPALIVE: Duration = Duration::from_secs(30);

/// Grace period before an abandoned statement is cancelled. Most have ended by then, and their connection can be
/// used again.
const CANCEL_DELAY: Duration = Duration::from_millis(250);

/// Optional session settings, which other engines with the same protocol may not know. Each is sent separately,
/// because an unknown name rolls back what was sent with it.
///
/// - The statements are few and always have the same good plan: the key index, and hashing for small sets.
///   Planning each call again would cost more than the call.
/// - A back end that waits for a lock checks whether its client is still connected (PostgreSQL 14 and later).
/// - A back end whose client vanished without closing the connection ends after a minute instead of two hours.
const SESSION: [&str; 3] = [
    "SET plan_cache_mode = 'force_generic_plan'; SET enable_nestloop = off; SET jit = off",
    "SET client_connection_check_interval = '2s'",
    "SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3",
];

/// Ends the session in any state: the second and third statement work inside a transaction.
const END: [&str; 3] = [
    "SELECT pg_terminate_backend(pg_backend_pid())",
    "ROLLBACK",
    "SELECT pg_terminate_backend(pg_backend_pid())",
];

/// Lock timeout for an operation with this timeout. A longer wait means that another session is stuck, and the
/// client must get that error before it gives up.
pub(super) fn lock_limit(timeout: Duration) -> Duration {
    timeout / 2
}

/// Limits for locks and statements in milliseconds, enforced by the database. All are shorter than the store's timeout,
/// so that statements end before the store stops waiting for them.
fn session_limits(timeout: Duration) -> (u128, u128) {
    let lock = lock_limit(timeout).as_millis().max(1);
    let statement = (timeout.as_millis() / 4).saturating_mul(3).max(1);
    (lock, statement)
}

fn limits(timeout: Duration) -> String {
    let (lock, statement) = session_limits(timeout);
    format!(
        "SET lock_timeout = {lock}; SET statement_timeout = {statement}; \
         SET idle_in_transaction_session_timeout = {lock}"
    )
}

pub(super) struct Connections {
    pub(super) pool: Pool,
    pub(super) timeout: Duration,
    pub(super) round_trips: AtomicU64,
    set_up: SetUp,
    tls: MakeRustlsConnect,
    /// Runtime of the connections; dropped ones are settled there.
    handle: Handle,
}

impl Connections {
    /// Connects lazily: the first connection is made on first use.
    pub(super) fn new(options: &PostgresOptions, handle: Handle) -> Result<Self, String> {
        let mut config = options.url.config()?;
        set_timeouts(&mut config);
        let recycling = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let is_plain = config.get_ssl_mode() == SslMode::Disable;
        let tls = tls(is_plain, options.ca_file.as_deref())?;
        let manager = Manager::from_config(config, tls.clone(), recycling);
        let set_up = SetUp {
            limits: limits(options.timeout).into(),
            pooled: Arc::default(),
        };
        let for_each = set_up.clone();
        let prepare = Hook::async_fn(move |client: &mut ClientWrapper, _| {
            let set_up = for_each.clone();
            Box::pin(async move { set_up.session(client).await.map_err(HookError::Backend) })
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
            set_up,
            tls,
            handle,
        })
    }

    /// Whether a pooler was found between this process and the database.
    pub(super) fn are_pooled(&self) -> bool {
        self.set_up.pooled.load(Ordering::Acquire)
    }

    /// Behind a pooler: makes the limits of a session settings of the role, because a session is shared.
    pub(super) async fn limit_role(&self) -> Result<(), Fault> {
        let (lock, statement) = session_limits(self.timeout);
        let connection = self.connection().await?;
        let limited = connection.run(&pooler::limit_role(lock, statement)).await;
        connection.give_back();
        limited
    }

    pub(super) async fn connection(&self) -> Result<Connection<'_>, Fault> {
        Ok(Connection {
            client: Some(self.pool.get().await?),
            connections: self,
            unusable: AtomicBool::new(false),
        })
    }

    /// Runs work in a transaction that begins with this statement. After an error its connection is not used again.
    pub(super) async fn in_transaction<T>(
        &self,
        begin: &str,
        work: impl AsyncFnOnce(&Connection<'_>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let connection = self.connection().await?;
        connection.mark_unusable();
        connection.run(begin).await?;
        let done = work(&connection).await?;
        connection.run("COMMIT").await?;
        connection.unusable.store(false, Ordering::Relaxed);
        connection.give_back();
        Ok(done)
    }

    pub(super) async fn in_time<T>(
        &self,
        work: impl Future<Output = Result<T, Fault>>,
    ) -> Result<T, Fault> {
        let done = timeout(self.timeout, work).await;
        done.unwrap_or_else(|_| Err(Fault::Lost("no response in time".to_owned())))
    }

    /// Runs a read-only statement; tries once more when the connection was dead or the statement was cancelled.
    pub(super) async fn query(
        &self,
        sql: &Sql,
        parameters: &[Parameter<'_>],
    ) -> Result<Vec<Row>, Fault> {
        self.in_time(async {
            match self.query_once(sql, parameters).await {
                Err(Fault::Lost(_) | Fault::Again) => self.query_once(sql, parameters).await,
                answered => answered,
            }
        })
        .await
    }

    async fn query_once(&self, sql: &Sql, parameters: &[Parameter<'_>]) -> Result<Vec<Row>, Fault> {
        let connection = self.connection().await?;
        let rows = connection.ask(sql, parameters).await;
        connection.give_back();
        rows
    }
}

/// Detects within a minute that the peer is gone, unless the connection string has its own timeouts.
fn set_timeouts(config: &mut Config) {
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(TCP_USER_TIMEOUT);
    }
    if config.get_keepalives_idle() == Config::new().get_keepalives_idle() {
        config.keepalives_idle(KEEPALIVE);
    }
    if config.get_keepalives_interval().is_none() {
        config.keepalives_interval(TCP_USER_TIMEOUT);
    }
    if config.get_keepalives_retries().is_none() {
        config.keepalives_retries(3);
    }
}

/// A connection in use. If it is dropped instead of being returned, it is settled in the background.
pub(super) struct Connection<'a> {
    client: Option<Client>,
    connections: &'a Connections,
    /// Whether it must not be used again: it is inside a transaction, was cancelled, or failed.
    unusable: AtomicBool,
}

impl Connection<'_> {
    /// Runs a statement: one round trip, plus one for its first use on a connection.
    pub(super) async fn ask(
        &self,
        sql: &Sql,
        parameters: &[Parameter<'_>],
    ) -> Result<Vec<Row>, Fault> {
        self.round_trip();
        let statement = self.prepare(sql).await?;
        self.judge(send(self.client()?, &statement, sql, parameters).await)
    }

    /// Runs a statement that is seldom needed, without preparing it.
    pub(super) async fn ask_once(
        &self,
        sql: &Sql,
        parameters: &[Parameter<'_>],
    ) -> Result<Vec<Row>, Fault> {
        self.round_trip();
        self.judge(send(self.client()?, &None, sql, parameters).await)
    }

    /// Runs a statement that writes. At the deadline it is cancelled; the response of the back end to the
    /// cancellation counts.
    /// Errors: [`Fault::OutcomeUnknown`] when the statement was sent and may have taken effect. After any other fault it has
    /// not.
    pub(super) async fn change(
        &self,
        deadline: Instant,
        sql: &Sql,
        parameters: &[Parameter<'_>],
    ) -> Result<Vec<Row>, Fault> {
        self.round_trip();
        let statement = timeout_at(deadline, self.prepare(sql)).await;
        let statement = statement.unwrap_or(Err(Fault::Busy))?;
        let client = self.client()?;
        let mut asked = std::pin::pin!(send(client, &statement, sql, parameters));
        let answered = match timeout_at(deadline, &mut asked).await {
            Ok(answered) => answered,
            Err(_) => {
                // Not reused: the cancel request may arrive late and hit another statement.
                self.mark_unusable();
                let settled = timeout(self.connections.timeout / 4, async {
                    if !self.connections.are_pooled() {
                        cancel(client.cancel_token(), &self.connections.tls).await;
                    }
                    asked.await
                });
                match settled.await {
                    Ok(Err(error)) => Err(error),
                    // A commit that waits for its standby is reported as successful when it is cancelled, but the
                    // standby does not have it.
                    Ok(Ok(_)) | Err(_) => {
                        let why = "no response in time".to_owned();
                        return Err(Fault::OutcomeUnknown(why));
                    }
                }
            }
        };
        match self.judge(answered) {
            Err(Fault::Lost(why)) => Err(Fault::OutcomeUnknown(why)),
            answered => answered,
        }
    }

    /// Prepares a statement once per connection; `None` behind a pooler.
    async fn prepare(&self, sql: &Sql) -> Result<Option<Statement>, Fault> {
        if self.connections.are_pooled() {
            Ok(None)
        } else {
            self.judge(self.client()?.prepare_cached(sql.text).await)
                .map(Some)
        }
    }

    /// Runs a statement that changes rows, without preparing it; returns how many.
    pub(super) async fn execute_once(
        &self,
        sql: &Sql,
        parameters: &[Parameter<'_>],
    ) -> Result<u64, Fault> {
        let parameters = sql.typed(parameters);
        self.judge(self.client()?.execute_typed(sql.text, &parameters).await)
    }

    /// Runs statements without parameters.
    pub(super) async fn run(&self, sql: &str) -> Result<(), Fault> {
        self.judge(self.client()?.batch_execute(sql).await)
    }

    /// Marks the connection as unusable after certain faults.
    fn judge<T>(&self, answered: Result<T, tokio_postgres::Error>) -> Result<T, Fault> {
        answered.map_err(|error| {
            let fault = Fault::from(error);
            // These errors leave the session intact.
            if !matches!(fault, Fault::Again | Fault::OutOfRange | Fault::Locked) {
                self.mark_unusable();
            }
            fault
        })
    }

    fn mark_unusable(&self) {
        self.unusable.store(true, Ordering::Relaxed);
    }

    pub(super) fn round_trip(&self) {
        self.connections.round_trips.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn client(&self) -> Result<&ClientWrapper, Fault> {
        self.client.as_deref().ok_or(Fault::Closed)
    }

    /// Returns the connection to the pool. No statement may be in progress.
    pub(super) fn give_back(mut self) {
        if !self.unusable.load(Ordering::Relaxed) {
            drop(self.client.take());
        }
    }
}

/// Sends a statement that is prepared, or together with its text.
async fn send(
    client: &ClientWrapper,
    statement: &Option<Statement>,
    sql: &Sql,
    parameters: &[Parameter<'_>],
) -> Result<Vec<Row>, Error> {
    match statement {
        Some(statement) => client.query(statement, parameters).await,
        None => client.query_typed(sql.text, &sql.typed(parameters)).await,
    }
}

#[derive(Clone)]
struct SetUp {
    limits: Arc<str>,
    /// Whether a pooler was found in between; then statements are not prepared.
    pooled: Arc<AtomicBool>,
}

impl SetUp {
    async fn session(&self, client: &ClientWrapper) -> Result<(), Error> {
        if pooler::is_between(client).await {
            if !self.pooled.swap(true, Ordering::AcqRel) {
                tracing::info!("a connection pooler is between the server and the database");
            }
            return Ok(());
        }
        let _ = join_all(SESSION.map(|sql| client.batch_execute(sql))).await;
        client.batch_execute(&self.limits).await
    }
}

impl Drop for Connection<'_> {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            // A pooler closes its own connection, or lets its statement end. PgBouncer 1.18 crashes when it is asked to
            // cancel one.
            if self.connections.are_pooled() {
                drop(Client::take(client));
                return;
            }
            let unusable = self.unusable.load(Ordering::Relaxed);
            let (tls, limit) = (self.connections.tls.clone(), self.connections.timeout);
            let settled = settle(client, unusable, tls, limit);
            self.connections.handle.spawn(settled);
        }
    }
}

/// Returns a dropped connection to the pool after its statement has ended, or ends its back end. Its pool slot stays
/// taken until then.
async fn settle(client: Client, unusable: bool, tls: MakeRustlsConnect, limit: Duration) {
    // An empty query is answered only after the statement in progress.
    if !unusable {
        let answered = timeout(CANCEL_DELAY, client.batch_execute("")).await;
        if matches!(answered, Ok(Ok(()))) {
            return;
        }
    }
    // Also for a broken connection: its back end may not have noticed.
    cancel(client.cancel_token(), &tls).await;
    let ended = timeout(limit, async {
        for sql in END {
            // The last response is the end of the connection: the back end closes it as it ends.
            if client.is_closed() {
                return;
            }
            let _ = client.batch_execute(sql).await;
        }
    });
    // A back end that is silent for this long has reached the limits of its session.
    let _ = ended.await;
    drop(Client::take(client));
}

async fn cancel(back_end: CancelToken, tls: &MakeRustlsConnect) {
    // If it does not arrive, the session limits end the statement.
    let _ = timeout(CONNECT, back_end.cancel_query(tls.clone())).await;
}

/// TLS that verifies the server certificate. A plain connection never uses it.
fn tls(is_plain: bool, ca_file: Option<&Path>) -> Result<MakeRustlsConnect, String> {
    let mut roots = RootCertStore::empty();
    match ca_file {
        _ if is_plain => {}
        Some(path) => {
            let refuse =
                |error: &dyn Display| format!("the certificates in `{}`: {error}", path.display());
            let found = CertificateDer::pem_file_iter(path);
            for certificate in found.map_err(|error| refuse(&error))? {
                let certificate = certificate.map_err(|error| refuse(&error))?;
                roots.add(certificate).map_err(|error| refuse(&error))?;
            }
            if roots.is_empty() {
                return Err(refuse(&"it contains no certificate"));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_database_gives_up_before_the_store() {
        let expected = "SET lock_timeout = 10000; SET statement_timeout = 15000; \
                        SET idle_in_transaction_session_timeout = 10000";
        assert_eq!(limits(Duration::from_secs(20)), expected);
        // PostgreSQL treats 0 as no limit.
        assert!(!limits(Duration::ZERO).contains("= 0"));
    }
}
