//! Real PostgreSQL databases for tests: each in a temporary folder, on a free port of loopback.
//!
//! The programs come from `PATH` or Debian's package; if the tests run as root, the programs run as another user. All
//! processes end when the [`Cluster`] is dropped, when the test panics and when the test process is killed. Where
//! PostgreSQL is missing the tests say so and are skipped; with `CI=true` they fail.

mod balancer;
mod bouncer;
mod patroni;
mod process;
mod programs;
mod session;
mod standby;

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use erp_tests::process::Ran;
use erp_tests::skipped;
use erp_tests::wait::PATIENCE;
use process::{Guard, Postmaster};
use programs::Programs;

pub use balancer::Balancer;
pub use bouncer::Bouncer;
pub use patroni::Patroni;
pub use session::Session;

/// The superuser of the tests.
const ADMIN: &str = "postgres";

/// The role of the server; it owns its databases and has no other rights.
const ROLE: &str = "erp";

/// How the tests are connected to their databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ClusterKind {
    Direct,
    PgBouncer,
    Patroni,
}

/// Reads `ERP_TEST_CLUSTER`.
fn cluster_kind() -> ClusterKind {
    match std::env::var("ERP_TEST_CLUSTER").as_deref() {
        Err(_) => ClusterKind::Direct,
        Ok("pgbouncer") => ClusterKind::PgBouncer,
        Ok("patroni") => ClusterKind::Patroni,
        Ok(other) => panic!("ERP_TEST_CLUSTER is `pgbouncer` or `patroni`, not `{other}`"),
    }
}

/// How a database runs.
#[derive(Clone, Debug)]
pub struct ClusterOptions {
    parameters: Vec<(String, String)>,
}

impl ClusterOptions {
    /// The default settings: a committed transaction is on the disk.
    #[must_use]
    pub fn durable() -> Self {
        let own = [
            ("listen_addresses", "127.0.0.1"),
            ("unix_socket_directories", ""),
            ("max_connections", "200"),
            ("shared_buffers", "32MB"),
            ("dynamic_shared_memory_type", "mmap"),
            ("wal_level", "replica"),
            ("hot_standby", "on"),
            ("log_checkpoints", "off"),
        ];
        own.iter().fold(
            Self {
                parameters: Vec::new(),
            },
            |options, (name, value)| options.with(name, value),
        )
    }

    /// Commits survive the end of every process, but not a power loss: the database does not wait for the disk.
    #[must_use]
    pub fn killable() -> Self {
        Self::durable().with("fsync", "off")
    }

    /// The fastest settings, for tests without a crash.
    #[must_use]
    pub fn fast() -> Self {
        let off = ["synchronous_commit", "full_page_writes"];
        let with = |options: Self, name: &&str| options.with(name, "off");
        off.iter().fold(Self::killable(), with)
    }

    /// The same with another setting of PostgreSQL.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.parameters.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// How to stop a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// When the last client has disconnected.
    Smart,
    /// Disconnects all clients.
    Fast,
    /// Immediately, as in a crash.
    Immediate,
}

impl Stop {
    const fn signal(self) -> Signal {
        match self {
            Self::Smart => Signal::TERM,
            Self::Fast => Signal::INT,
            Self::Immediate => Signal::QUIT,
        }
    }
}

/// Passwords of a cluster and its standbys.
#[derive(Clone, Debug)]
struct Passwords {
    admin: String,
    role: String,
}

/// A database server with its folder.
#[derive(Debug)]
pub struct Cluster {
    programs: Programs,
    passwords: Passwords,
    port: u16,
    running: Mutex<Option<Postmaster>>,
    // Declared last, so that it is dropped last: it removes the folder.
    guard: Guard,
}

impl Cluster {
    /// Starts a new cluster; `None` when PostgreSQL is not installed and the caller is skipped.
    #[must_use]
    pub fn start(options: &ClusterOptions) -> Option<Self> {
        match Programs::find() {
            Ok(programs) => Some(Self::make(programs, options)),
            Err(reason) => {
                skipped(&reason);
                None
            }
        }
    }

    /// The fast cluster that all tests of this process share; with `ERP_TEST_CLUSTER=patroni` it is two nodes.
    #[must_use]
    pub fn shared() -> Option<&'static Self> {
        static NODES: OnceLock<Option<Patroni>> = OnceLock::new();
        if let Some(nodes) = NODES.get_or_init(|| Patroni::if_configured(&ClusterOptions::fast())) {
            return Some(nodes.front());
        }
        static SHARED: OnceLock<Option<Cluster>> = OnceLock::new();
        SHARED
            .get_or_init(|| Self::start(&ClusterOptions::fast()))
            .as_ref()
    }

    fn make(programs: Programs, options: &ClusterOptions) -> Self {
        let passwords = Passwords {
            admin: random(),
            role: random(),
        };
        let cluster = Self::new(programs, passwords);
        let file = cluster.folder().join("password");
        fs::write(&file, &cluster.passwords.admin).expect("a file in our folder");
        cluster.programs.hand_over(&file);
        let mut initdb = cluster.programs.command("initdb");
        initdb.args([
            "--auth=scram-sha-256",
            "--no-sync",
            "--encoding=UTF8",
            "--locale=C",
            "-U",
            ADMIN,
        ]);
        initdb
            .arg("--pwfile")
            .arg(&file)
            .arg("-D")
            .arg(cluster.data());
        let _ = run(&mut initdb).success();
        let mut settings = String::new();
        for (name, value) in &options.parameters {
            let _ = writeln!(settings, "{name} = '{value}'");
        }
        let _ = writeln!(settings, "port = {}", cluster.port);
        cluster.configure(&settings);
        cluster.restart();
        let role = &cluster.passwords.role;
        cluster.psql(&format!("CREATE ROLE {ROLE} LOGIN PASSWORD '{role}'"));
        cluster
    }

    /// A cluster that has only its folder so far, without a database.
    fn new(programs: Programs, passwords: Passwords) -> Self {
        let folder = tempfile::Builder::new().prefix("erp-postgres-").tempdir();
        let folder = folder.expect("a scratch folder").keep();
        let guard = Guard::over(&folder);
        programs.hand_over(&folder);
        Self {
            programs,
            passwords,
            port: free_port(),
            running: Mutex::new(None),
            guard,
        }
    }

    fn folder(&self) -> PathBuf {
        self.guard.folder().to_owned()
    }

    fn data(&self) -> PathBuf {
        self.folder().join("data")
    }

    /// Appends lines to the settings; the last line of a name applies.
    fn configure(&self, lines: &str) {
        let file = OpenOptions::new()
            .append(true)
            .open(self.data().join("postgresql.conf"));
        let mut file = file.expect("initdb wrote settings");
        file.write_all(lines.as_bytes())
            .expect("settings are written");
    }

    /// Encrypts its connections from now on, with a certificate and its key in PEM form.
    pub fn encrypt(&self, certificate: &str, key: &str) {
        self.stop(Stop::Fast);
        for (name, text) in [("server.crt", certificate), ("server.key", key)] {
            let file = self.data().join(name);
            fs::write(&file, text).expect("a file in our folder");
            #[cfg(unix)]
            {
                let only_owner = std::os::unix::fs::PermissionsExt::from_mode(0o600);
                fs::set_permissions(&file, only_owner).expect("our file");
            }
            self.programs.hand_over(&file);
        }
        self.configure("ssl = 'on'\n");
        self.restart();
    }

    fn running(&self) -> MutexGuard<'_, Option<Postmaster>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The port on which it listens; a restart keeps it.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// A connection string of the server's role for a database.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        self.url_at(self.port, database)
    }

    /// The same with another port of loopback, for example of a proxy.
    #[must_use]
    pub fn url_at(&self, port: u16, database: &str) -> String {
        let password = &self.passwords.role;
        format!("postgres://{ROLE}:{password}@127.0.0.1:{port}/{database}")
    }

    /// Creates an empty database that belongs to the server's role, and returns its connection string.
    pub fn create_database(&self, name: &str) -> String {
        self.psql(&format!("CREATE DATABASE {name} OWNER {ROLE}"));
        self.url(name)
    }

    /// The address of a database for a program that creates its own: the server's role may do so from now on. With
    /// `ERP_TEST_CLUSTER=pgbouncer` it goes through PgBouncer.
    #[must_use]
    pub fn for_programs(&self) -> String {
        self.psql(&format!("ALTER ROLE {ROLE} CREATEDB"));
        self.fresh_database()
    }

    /// Creates an empty database with a new name and returns its connection string. With `ERP_TEST_CLUSTER=pgbouncer`
    /// the connection string of the shared cluster goes through PgBouncer.
    pub fn fresh_database(&self) -> String {
        static COUNT: AtomicU32 = AtomicU32::new(1);
        static BOUNCER: OnceLock<Option<Bouncer>> = OnceLock::new();
        let name = format!("test_{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let url = self.create_database(&name);
        let is_shared = Self::shared().is_some_and(|shared| shared.port == self.port);
        if !is_shared || cluster_kind() != ClusterKind::PgBouncer {
            return url;
        }
        let bouncer = BOUNCER.get_or_init(|| Bouncer::before(self));
        bouncer
            .as_ref()
            .expect("ERP_TEST_CLUSTER=pgbouncer needs PgBouncer")
            .url(&name)
    }

    /// Stops it and waits until it has stopped. With [`Stop::Smart`] clients must leave first.
    pub fn stop(&self, stop: Stop) {
        if let Some(postmaster) = self.running().take() {
            postmaster.signal(stop.signal());
            assert!(
                postmaster.wait(PATIENCE),
                "the database does not stop:\n{}",
                self.log()
            );
        }
    }

    /// Kills all its processes (SIGKILL).
    pub fn kill_all(&self) {
        if let Some(postmaster) = self.running().take() {
            postmaster.kill_all();
        }
    }

    /// Stops the database if it runs, starts it on the same data, and waits until it accepts connections.
    pub fn restart(&self) {
        self.stop(Stop::Fast);
        let started = Instant::now();
        loop {
            match self.try_start() {
                Ok(postmaster) => {
                    *self.running() = Some(postmaster);
                    return;
                }
                // Another process may use the port for a moment.
                Err(log) => assert!(
                    started.elapsed() < PATIENCE,
                    "the database does not start:\n{log}"
                ),
            }
            thread::sleep(Duration::from_millis(200));
        }
    }

    fn try_start(&self) -> Result<Postmaster, String> {
        let log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.log_file());
        let log = log.expect("a log in our folder");
        let again = log.try_clone().expect("a second handle");
        let mut command = self.programs.command("postgres");
        command.arg("-D").arg(self.data()).stdout(again).stderr(log);
        let postmaster = Postmaster::start(command);
        let started = Instant::now();
        while !self.is_ready(postmaster.id()) {
            if postmaster.has_ended() || started.elapsed() > PATIENCE {
                postmaster.signal(Signal::KILL);
                return Err(self.log());
            }
            thread::sleep(Duration::from_millis(5));
        }
        Ok(postmaster)
    }

    /// The 8th line of `postmaster.pid` is the state.
    fn is_ready(&self, id: u32) -> bool {
        let text = fs::read_to_string(self.data().join("postmaster.pid")).unwrap_or_default();
        let mut lines = text.lines();
        lines.next() == Some(&id.to_string()) && lines.nth(6).map(str::trim) == Some("ready")
    }

    fn log_file(&self) -> PathBuf {
        self.folder().join("log")
    }

    /// The content of its log.
    #[must_use]
    pub fn log(&self) -> String {
        let bytes = fs::read(self.log_file()).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The result of a statement: one line per row, columns separated by `|`.
    pub fn psql(&self, sql: &str) -> String {
        self.psql_in(ADMIN, sql)
    }

    /// The same in a database.
    pub fn psql_in(&self, database: &str, sql: &str) -> String {
        let ran = self.try_psql(database, sql);
        assert_eq!(ran.code, Some(0), "{sql}: {}", ran.stderr);
        ran.stdout.trim_end().to_owned()
    }

    /// The same for a statement that may fail.
    pub fn try_psql(&self, database: &str, sql: &str) -> Ran {
        let mut psql = self.programs.command("psql");
        psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql]);
        self.reach(&mut psql, database);
        run(&mut psql)
    }

    /// Passes the address of the database and the password of the superuser to a program.
    fn reach(&self, command: &mut Command, database: &str) {
        command
            .env("PGHOST", "127.0.0.1")
            .env("PGPORT", self.port.to_string());
        command
            .env("PGUSER", ADMIN)
            .env("PGPASSWORD", &self.passwords.admin);
        command.env("PGCONNECT_TIMEOUT", "20");
        if !database.is_empty() {
            command.env("PGDATABASE", database);
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("the database's log:\n{}", last_lines(&self.log()));
        }
        if let Some(postmaster) = self.running().take() {
            postmaster.signal(Signal::QUIT);
            if !postmaster.wait(Duration::from_secs(10)) {
                postmaster.kill_all();
            }
        }
    }
}

fn last_lines(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(30)..].join("\n")
}

fn run(command: &mut Command) -> Ran {
    let output = command.stderr(Stdio::piped()).output();
    Ran::of(output.unwrap_or_else(|error| panic!("{command:?}: {error}")))
}

/// A random password.
fn random() -> String {
    let mut bytes = [0_u8; 16];
    let mut source = File::open("/dev/urandom").expect("random numbers");
    source.read_exact(&mut bytes).expect("random numbers");
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A free port below those that outgoing connections use, so that it is still free after a restart.
#[must_use]
pub fn free_port() -> u16 {
    loop {
        let random = u16::from_str_radix(&random()[..4], 16).expect("four digits");
        let port = 20_000 + random % 12_000;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}
