//! PgBouncer in front of a cluster: every transaction of a connection may run on another PostgreSQL process.

use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rustix::process::Signal;
use tempfile::TempDir;

use super::process::Postmaster;
use super::programs::Programs;
use super::{Cluster, ClusterKind, Passwords, ROLE, cluster_kind, free_port};
use erp_tests::skipped;
use erp_tests::wait::{PATIENCE, wait_until};

/// A running PgBouncer in transaction pooling. It is stopped when this value is dropped.
#[derive(Debug)]
pub struct Bouncer {
    programs: Programs,
    passwords: Passwords,
    port: u16,
    process: Postmaster,
    folder: TempDir,
}

impl Bouncer {
    /// Starts PgBouncer in front of a cluster if `ERP_TEST_CLUSTER` says so.
    #[must_use]
    pub fn if_configured(cluster: &Cluster) -> Option<Self> {
        (cluster_kind() == ClusterKind::PgBouncer)
            .then(|| Self::before(cluster).expect("ERP_TEST_CLUSTER=pgbouncer needs PgBouncer"))
    }

    /// Starts PgBouncer in front of a cluster; `None` when it is not installed and the caller is skipped.
    #[must_use]
    pub fn before(cluster: &Cluster) -> Option<Self> {
        let Some(program) = program() else {
            skipped("PgBouncer is missing; Debian's is in the package pgbouncer");
            return None;
        };
        let folder = tempfile::tempdir().expect("a scratch folder");
        cluster.programs.hand_over(folder.path());
        let port = free_port();
        write_settings(folder.path(), port, cluster);
        for name in ["pgbouncer.ini", "users.txt"] {
            cluster.programs.hand_over(&folder.path().join(name));
        }
        let mut command = cluster.programs.command(&program.to_string_lossy());
        command.arg("-q").arg(folder.path().join("pgbouncer.ini"));
        let process = Postmaster::start(command);
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(!process.has_ended(), "PgBouncer has ended");
            assert!(started.elapsed() < PATIENCE, "PgBouncer does not start");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        Some(Self {
            programs: cluster.programs.clone(),
            passwords: cluster.passwords.clone(),
            port,
            process,
            folder,
        })
    }

    /// A connection string of the server's role for a database, through PgBouncer.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        let (password, port) = (&self.passwords.role, self.port);
        format!("postgres://{ROLE}:{password}@127.0.0.1:{port}/{database}")
    }

    /// Sends transactions to another cluster from now on, like the script of a failover.
    pub fn point_to(&self, cluster: &Cluster) {
        write_settings(self.folder.path(), self.port, cluster);
        self.programs
            .hand_over(&self.folder.path().join("pgbouncer.ini"));
        self.process.signal(Signal::HUP);
    }
}

impl Drop for Bouncer {
    fn drop(&mut self) {
        self.process.signal(Signal::KILL);
        wait_until("PgBouncer has ended", || self.process.has_ended());
    }
}

fn write_settings(folder: &Path, port: u16, cluster: &Cluster) {
    let users = folder.join("users.txt");
    let settings = format!(
        "[databases]\n\
         * = host=127.0.0.1 port={}\n\
         [pgbouncer]\n\
         listen_addr = 127.0.0.1\n\
         listen_port = {port}\n\
         unix_socket_dir =\n\
         auth_type = scram-sha-256\n\
         auth_file = {}\n\
         pool_mode = transaction\n\
         default_pool_size = 8\n\
         max_client_conn = 2000\n\
         server_login_retry = 1\n\
         server_idle_timeout = 1\n\
         logfile = {}\n",
        cluster.port,
        users.display(),
        folder.join("log").display(),
    );
    let role = format!("\"{ROLE}\" \"{}\"\n", cluster.passwords.role);
    fs::write(&users, role).expect("a file in our folder");
    fs::write(folder.join("pgbouncer.ini"), settings).expect("a file in our folder");
}

/// Looks in `PATH` and in Debian's folder.
fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    let mut programs = folders.map(|folder| folder.join("pgbouncer"));
    programs.find(|program| program.is_file())
}
