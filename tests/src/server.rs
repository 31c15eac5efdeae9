//! The whole server in this process, with a real store of its own and a real socket on loopback.
//!
//! The store is embedded, in a folder. If `ERP_TEST_STORE` is a connection string of PostgreSQL, it is a new database
//! there: `on_postgres` of the campaigns starts a cluster for that.
//!
//! The clock of the server cannot be set, so times of creation are those of the run.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

use argon2::password_hash::PasswordHasher as _;
use argon2::{Algorithm, Argon2, Params, Version};
use erp_core::Erp;
use erp_core::erp::Error;
use erp_core::internal::master::User;
use erp_core::master::Role;
use erp_core::text::Text;
use erp_server::config::{Settings, core_settings};
use erp_server::delivery::{self, Pace};
use erp_server::import::import_lines;
use erp_server::media::Bodies;
use erp_server::observe::logging::{self, LogFiles};
use erp_server::resources::App;
use erp_server::store::{PostgresOptions, PostgresStore, SledStore, Store, StoreOptions};
use erp_server::web::{Handle, ShopPage};
use erp_server::{serve, web};
use jiff::Timestamp;
use tempfile::TempDir;
use tokio::runtime::{Handle as RuntimeHandle, Runtime};
use tokio::sync::oneshot::Sender;
use tokio::task::JoinHandle;
use tokio_postgres::NoTls;

/// A user every test server has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Login {
    /// The name.
    pub name: &'static str,
    /// The password.
    pub password: &'static str,
    role: Role,
    shop: Option<&'static str>,
    at: usize,
}

/// A shop that sees the articles of `SHOP1`.
pub const SHOP1: Login = Login {
    name: "shop1",
    password: "geheim-Schlüssel-1",
    role: Role::Shop,
    shop: Some("SHOP1"),
    at: 0,
};
/// A shop that sees the articles of `SHOP2`.
pub const SHOP2: Login = Login {
    name: "shop2",
    password: "geheim-Schlüssel-2",
    role: Role::Shop,
    shop: Some("SHOP2"),
    at: 1,
};
/// An admin, who sees everything.
pub const ADMIN: Login = Login {
    name: "admin",
    password: "geheim: 3€",
    role: Role::Admin,
    shop: None,
    at: 2,
};
/// Someone in the office who works with orders.
pub const CLERK: Login = Login {
    name: "clerk",
    password: "geheim-Theke-4",
    role: Role::Clerk,
    shop: None,
    at: 3,
};
/// Someone in the office who also maintains master data.
pub const EDITOR: Login = Login {
    name: "editor",
    password: "geheim-Stamm-5",
    role: Role::Editor,
    shop: None,
    at: 4,
};

/// The logins that every server has from its start. The others are added with their first token, because each user is a
/// commit, and golden responses have the numbers of commits.
const LOGINS: [Login; 3] = [SHOP1, SHOP2, ADMIN];

/// The folder of the demo catalogue. The name of each file begins with its place in the order.
const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../erp-server/demo");

/// Names and bytes of the files of the demo catalogue, each after those it refers to.
fn demo_files() -> Vec<(String, Vec<u8>)> {
    let files = std::fs::read_dir(DEMO).expect("a folder of the demo");
    let names = files.map(|file| file.expect("a readable folder").file_name());
    let mut names: Vec<String> = names
        .map(|name| name.into_string().expect("a name in UTF-8"))
        .filter(|name| name.ends_with(".ndjson"))
        .collect();
    names.sort();
    let read = |name: String| {
        let bytes = std::fs::read(Path::new(DEMO).join(&name)).expect("a file of the demo");
        (name, bytes)
    };
    names.into_iter().map(read).collect()
}

/// A running server. When it is dropped it stops, and its folder is removed.
pub struct Server {
    address: SocketAddr,
    metrics: Option<SocketAddr>,
    app: Arc<App>,
    settings: Settings,
    store: Store,
    tokens: [OnceLock<String>; 5],
    started: Timestamp,
    client: reqwest::Client,
    handle: Handle,
    runtime: Option<Runtime>,
    folder: Option<TempDir>,
    /// The connection string of its database, if it has one.
    database: Option<String>,
}

impl Server {
    /// A server with demo data, its logins and no rate limits.
    #[must_use]
    pub fn start() -> Self {
        Self::with(&[])
    }

    /// A server with some settings changed.
    #[must_use]
    pub fn with(settings: &[(&str, &str)]) -> Self {
        Self::fill(settings, false)
    }

    /// The same with the log written to files. Only one server of a process may do that.
    #[must_use]
    pub fn with_log(settings: &[(&str, &str)]) -> Self {
        Self::fill(settings, true)
    }

    /// The server that the tests of a process share while at least one of them runs. For tests that leave no data that
    /// another test could see.
    #[must_use]
    pub fn shared() -> Arc<Self> {
        static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        shared.upgrade().unwrap_or_else(|| {
            let server = Arc::new(Self::start());
            *shared = Arc::downgrade(&server);
            server
        })
    }

    /// A server with its records in a database, with these options.
    #[must_use]
    pub fn on_database(options: &PostgresOptions) -> Self {
        Self::on_database_with(options, &[])
    }

    /// The same with some settings changed.
    #[must_use]
    pub fn on_database_with(options: &PostgresOptions, settings: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder for the media");
        let settings = test_settings(folder.path(), None, settings);
        let runtime = runtime();
        let store = {
            let _here = runtime.enter();
            PostgresStore::open(options).expect("a database").into()
        };
        Self::fill_store(runtime, store, settings, (folder, None), false)
    }

    fn fill(settings: &[(&str, &str)], log: bool) -> Self {
        let folder = tempfile::tempdir().expect("a folder for the store");
        let runtime = runtime();
        let database = runtime.block_on(new_database());
        let settings = test_settings(folder.path(), database.as_deref(), settings);
        let store = open(&runtime, &settings);
        Self::fill_store(runtime, store, settings, (folder, database), log)
    }

    fn fill_store(
        runtime: Runtime,
        store: Store,
        settings: Settings,
        (folder, database): (TempDir, Option<String>),
        log: bool,
    ) -> Self {
        let erp = Erp::new(store.clone(), core_settings(&settings));
        let bodies = Bodies::of_checked(&settings.media_options());
        let picture = |path: &str| std::fs::read(Path::new(DEMO).join(path)).ok();
        runtime.block_on(async {
            for (name, lines) in demo_files() {
                let office = erp.office(Timestamp::now());
                let imported = import_lines(office, &bodies, &picture, &lines).await;
                imported.unwrap_or_else(|error| panic!("{name}: {error}"));
            }
            for login in LOGINS {
                add(&erp, login).await.expect("a new user");
            }
        });
        let log = log.then(|| {
            logging::start(&settings.logging_options(), false).expect("one log in a process")
        });
        Self::serve(runtime, store, settings, (folder, database), log)
    }

    fn serve(
        runtime: Runtime,
        store: Store,
        settings: Settings,
        (folder, database): (TempDir, Option<String>),
        log: Option<LogFiles>,
    ) -> Self {
        let erp = Erp::new(store.clone(), core_settings(&settings));
        let app = serve::app(erp, &settings, log);
        let page = settings.web.page_dir.as_deref().map(ShopPage::read);
        let page = page.transpose().expect("a readable page").map(Arc::new);
        let (address, metrics, handle) = runtime.block_on(async {
            let metrics = serve::watch(&app, &settings).await.expect("a free port");
            let server = web::bind(&app.http_state).expect("a free port");
            let address = server.address().expect("the port that was chosen");
            let service = web::service(&app, serve::routes(page.as_ref(), None, &app.options));
            let handle = server.handle();
            tokio::spawn(web::serve(server, service));
            (address, metrics, handle)
        });
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build();
        Self {
            address,
            metrics,
            app,
            settings,
            store,
            tokens: Default::default(),
            started: Timestamp::now(),
            client: client.expect("a client"),
            handle,
            runtime: Some(runtime),
            folder: Some(folder),
            database,
        }
    }

    /// Stops the server and starts it again on the same data, as in an update.
    #[must_use]
    pub fn restart(mut self, settings: &[(&str, &str)]) -> Self {
        let folder = self.folder.take().expect("a running server has a folder");
        let database = self.database.take();
        drop(self);
        let settings = test_settings(folder.path(), database.as_deref(), settings);
        let runtime = runtime();
        let store = open(&runtime, &settings);
        Self::serve(runtime, store, settings, (folder, database), None)
    }

    /// The address on which it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of its metrics, if the setting `metrics_listen` is set.
    #[must_use]
    pub const fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics
    }

    /// Only announces to the server that it will stop.
    pub fn announce_stop(&self) {
        self.app.http_state.stop();
    }

    /// When it began to listen.
    #[must_use]
    pub const fn started(&self) -> Timestamp {
        self.started
    }

    /// The folder of its data, whose path no response may contain.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.folder
            .as_ref()
            .map(|folder| folder.path().to_owned())
            .unwrap_or_default()
    }

    /// The text of its log files.
    #[must_use]
    pub fn log_text(&self) -> String {
        if let Some(log) = &self.app.log {
            log.flush().expect("the log takes its lines");
        }
        let files =
            std::fs::read_dir(self.folder().join("data").join("log")).expect("a folder of the log");
        let mut paths: Vec<PathBuf> = files
            .map(|file| file.expect("a readable folder").path())
            .collect();
        paths.sort();
        paths
            .iter()
            .map(|path| std::fs::read_to_string(path).expect("a log in UTF-8"))
            .collect()
    }

    /// The operations of the core, for those that only the back office has.
    #[must_use]
    pub fn erp(&self) -> &Erp<Store> {
        &self.app.erp
    }

    /// The state that its handlers share.
    #[must_use]
    pub fn app(&self) -> &App {
        &self.app
    }

    /// The files of article media.
    #[must_use]
    pub fn bodies(&self) -> &Arc<Bodies> {
        &self.app.bodies
    }

    /// Starts to deliver events as `serve` does, but at this pace.
    pub fn deliver_events(&self, pace: Pace) {
        let runtime = self.runtime.as_ref().expect("a running server");
        let options = self.delivery_options(pace);
        runtime.spawn(delivery::run_until(
            Arc::clone(&self.app.erp),
            options,
            std::future::pending::<()>(),
        ));
    }

    /// Another server on the same store that only delivers events.
    #[must_use]
    pub fn another_that_delivers(&self, pace: Pace) -> Deliverer {
        let erp = Erp::new(self.store.clone(), core_settings(&self.settings));
        let options = self.delivery_options(pace);
        let holder = options.holder;
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let runtime = self.runtime.as_ref().expect("a running server");
        Deliverer {
            task: runtime.spawn(delivery::run_until(Arc::new(erp), options, stopped)),
            runtime: runtime.handle().clone(),
            holder,
            stop,
        }
    }

    fn delivery_options(&self, pace: Pace) -> delivery::DeliveryOptions {
        delivery::DeliveryOptions {
            holder: serve::holder(),
            private_targets: self.settings.events.event_private_targets,
            pace,
            counts: self.app.http_state.metrics.deliveries.clone(),
        }
    }

    /// Blocks until an operation has ended.
    pub fn wait<T>(&self, operation: impl Future<Output = T>) -> T {
        self.runtime
            .as_ref()
            .expect("a running server")
            .block_on(operation)
    }

    /// Imports rows as the back office.
    pub fn import(&self, ndjson: &str) {
        let office = self.erp().office(Timestamp::now());
        let imported = import_lines(office, self.bodies(), &|_| None, ndjson.as_bytes());
        self.wait(imported)
            .unwrap_or_else(|error| panic!("{error}"));
    }

    /// The token of a login. It is requested once over the interface and then reused.
    #[must_use]
    pub fn token(&self, login: Login) -> &str {
        self.tokens[login.at].get_or_init(|| {
            if !LOGINS.contains(&login) {
                let added = self.wait(add(self.erp(), login));
                added.expect("a new user");
            }
            self.new_token(login)
        })
    }

    /// A fresh token of a login.
    #[must_use]
    pub fn new_token(&self, login: Login) -> String {
        self.token_at("/www/token", login)
    }

    /// A token of a login for one customer.
    #[must_use]
    pub fn customer_token(&self, login: Login, customer: &str) -> String {
        self.token_at(&format!("/www/token?debinr={customer}"), login)
    }

    fn token_at(&self, path: &str, login: Login) -> String {
        let response = self
            .post(path)
            .basic(login.name, login.password)
            .send()
            .expect(200);
        response.json()["access_token"]
            .as_str()
            .expect("a token")
            .to_owned()
    }

    pub(crate) const fn client(&self) -> &reqwest::Client {
        &self.client
    }
}

/// A server that delivers events until it is stopped or killed.
pub struct Deliverer {
    holder: u64,
    runtime: RuntimeHandle,
    task: JoinHandle<()>,
    stop: Sender<()>,
}

impl Deliverer {
    /// Its id as holder of leases.
    #[must_use]
    pub const fn holder(&self) -> u64 {
        self.holder
    }

    /// Stops it properly.
    pub fn stop(self) {
        drop(self.stop);
        self.runtime.block_on(self.task).expect("an end in order");
    }

    /// Ends it as in a crash.
    pub fn kill(self) {
        self.task.abort();
        let ended = self.runtime.block_on(self.task);
        assert!(ended.is_err(), "it was at work");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.handle.stop_now();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_secs(10));
        }
        if let Err(error) = self.store.close() {
            eprintln!("the store did not close: {error}");
        }
    }
}

fn runtime() -> Runtime {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    runtime.expect("a runtime")
}

/// The connection string of an empty database, if the servers of this run use a database.
async fn new_database() -> Option<String> {
    static COUNT: AtomicU32 = AtomicU32::new(1);
    let url = std::env::var("ERP_TEST_STORE").ok()?;
    let (client, connection) = tokio_postgres::connect(&url, NoTls)
        .await
        .expect("PostgreSQL answers at ERP_TEST_STORE");
    tokio::spawn(connection);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("test_{}_{count}", std::process::id());
    let create = format!("CREATE DATABASE {name}");
    let created = client.simple_query(&create).await;
    created.expect("a role that may create databases");
    let (server, _) = url.rsplit_once('/').expect("a connection string");
    Some(format!("{server}/{name}"))
}

fn test_settings(folder: &Path, database: Option<&str>, changes: &[(&str, &str)]) -> Settings {
    let data = folder.join("data");
    let data = data.to_str().expect("a folder in UTF-8");
    let mut settings = Settings::defaults().expect("the defaults");
    let own = [
        ("listen", "127.0.0.1:0"),
        ("data_dir", data),
        ("rate_limits", "false"),
        ("database", database.unwrap_or_default()),
    ];
    for (name, value) in own.iter().chain(changes) {
        settings
            .set(name, value, "the test")
            .unwrap_or_else(|error| panic!("{error}"));
    }
    settings
}

fn open(runtime: &Runtime, settings: &Settings) -> Store {
    if let Some(url) = settings.store.database.clone() {
        let _here = runtime.enter();
        let store = PostgresStore::open(&PostgresOptions::new(url));
        return store.expect("a database").into();
    }
    let options = StoreOptions {
        cache_bytes: 8 << 20,
        sled_segment_bytes: 1 << 20,
        ..StoreOptions::default()
    };
    let store = SledStore::open(&settings.store.data_dir, options);
    store.expect("a store").into()
}

/// A user whose password is hashed with the lowest cost that Argon2 allows. The hash contains its cost, and the real
/// cost would make every test slower.
async fn add(erp: &Erp<Store>, login: Login) -> Result<(), Error> {
    let office = erp.office(Timestamp::now());
    office.users().add(&user(login)).await
}

fn user(login: Login) -> User {
    let params = Params::new(8, 1, 1, None).expect("the least parameters");
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let hash = argon2
        .hash_password(login.password.as_bytes())
        .expect("a hash");
    let shop = login
        .shop
        .map(|shop| Text::new(shop).expect("a short value"));
    User::new(
        Text::new(login.name).expect("a short name"),
        hash.to_string(),
        login.role,
        shop,
    )
}
