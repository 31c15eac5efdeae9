//! Two database nodes managed by Patroni, whose state is in etcd, and HAProxy in front of the primary.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;

use rustix::process::Signal;

use super::process::{self, Postmaster};
use super::programs::Programs;
use super::{
    ADMIN, Balancer, Cluster, ClusterKind, ClusterOptions, Passwords, ROLE, cluster_kind,
    free_port, random,
};
use erp_tests::wait::wait_until;

/// The path in Debian's package.
const PATRONI: &str = "/usr/bin/patroni";

/// The path in Debian's package.
const ETCD: &str = "/usr/bin/etcd";

/// A standby receives every commit before it is acknowledged. A primary that does not respond for `ttl` seconds is
/// replaced. When it returns, commits that only it had are rolled back.
const SETTINGS: &str = "    ttl: 15
    loop_wait: 1
    retry_timeout: 5
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      parameters:
";

/// A database with its Patroni.
#[derive(Debug)]
struct Node {
    name: String,
    /// Its process is Patroni, which starts and stops the database.
    database: Cluster,
    /// The port on which Patroni reports the state of the database.
    api: u16,
}

/// Two nodes; one of them is the primary.
#[derive(Debug)]
pub struct Patroni {
    nodes: Box<[Node; 2]>,
    primary: usize,
    losses: u32,
    _balancer: Balancer,
    _etcd: Postmaster,
    // Declared last, so that it is dropped last: it owns the folder of etcd.
    front: Cluster,
}

impl Patroni {
    /// Starts two empty nodes if `ERP_TEST_CLUSTER=patroni`.
    #[must_use]
    pub fn if_configured(options: &ClusterOptions) -> Option<Self> {
        (cluster_kind() == ClusterKind::Patroni).then(|| Self::start(options))
    }

    /// Starts two empty nodes, and waits until one replicates the other.
    fn start(options: &ClusterOptions) -> Self {
        let programs = Programs::find().unwrap_or_else(|reason| panic!("{reason}"));
        for program in [PATRONI, ETCD] {
            assert!(Path::new(program).is_file(), "{program} is missing");
        }
        let passwords = Passwords {
            admin: random(),
            role: random(),
        };
        let mut front = Cluster::new(programs, passwords);
        let (etcd, etcd_port) = start_etcd(&front);
        let replication = random();
        let nodes = ["node-1", "node-2"].map(|name| {
            let node = Node {
                name: name.to_owned(),
                database: Cluster::new(front.programs.clone(), front.passwords.clone()),
                api: free_port(),
            };
            node.configure(options, etcd_port, &replication);
            node.start();
            node
        });
        let mut primary = 0;
        wait_until("one node follows the other", || {
            primary = usize::from(nodes[1].is("primary"));
            nodes[primary].is("primary") && nodes[1 - primary].is("sync")
        });
        let checked = nodes.each_ref().map(|node| (node.database.port, node.api));
        let balancer =
            Balancer::before_databases(&checked).expect("ERP_TEST_CLUSTER=patroni needs HAProxy");
        front.port = balancer.port();
        let patroni = Self {
            nodes: Box::new(nodes),
            primary,
            losses: 0,
            _balancer: balancer,
            _etcd: etcd,
            front,
        };
        patroni.wait_for_the_front();
        let role = &patroni.front.passwords.role;
        let create = format!("CREATE ROLE {ROLE} LOGIN PASSWORD '{role}'");
        patroni.front.psql(&create);
        patroni
    }

    /// The primary as clients see it, through HAProxy.
    #[must_use]
    pub const fn front(&self) -> &Cluster {
        &self.front
    }

    fn wait_for_the_front(&self) {
        let is_primary = || {
            let reply = self.front.try_psql(ADMIN, "SELECT pg_is_in_recovery()");
            reply.stdout.trim_end() == "f"
        };
        // Before its first health checks HAProxy sends connections to both nodes in turn.
        wait_until("HAProxy leads to the primary only", || {
            (0..4).all(|_| is_primary())
        });
    }

    /// Kills every process of the primary's node. Its last commit has reached no other node and was not acknowledged to
    /// any server.
    pub fn lose_primary(&mut self) {
        self.losses += 1;
        let lost = &self.nodes[self.primary].database;
        let sender = lost.psql("SELECT pid FROM pg_stat_replication");
        process::send(sender.parse().expect("one standby"), Signal::STOP);
        lost.psql(&format!(
            "SET synchronous_commit = local; CREATE TABLE {} ()",
            self.only_there()
        ));
        lost.kill_all();
        let file = fs::read_to_string(lost.data().join("postmaster.pid"));
        let file = file.expect("a database that runs has its file");
        let id = file.lines().next().expect("a line");
        process::kill_with_children(id.parse().expect("a number"));
    }

    /// Counts a table that only the lost primary had.
    fn only_there(&self) -> String {
        format!("only_there_{}", self.losses)
    }

    /// Waits until Patroni has made the other node the primary, and HAProxy sends connections to it.
    pub fn wait_for_takeover(&mut self) {
        self.primary = 1 - self.primary;
        let node = &self.nodes[self.primary];
        wait_until("the standby takes over", || node.is("primary"));
        self.wait_for_the_front();
    }

    /// Starts the lost node again, and waits until it is the standby, without the commits that only it had.
    pub fn bring_back(&self) {
        let node = &self.nodes[1 - self.primary];
        node.start();
        wait_until("the lost node follows", || node.is("sync"));
        let regclass = format!("SELECT to_regclass('{}') IS NULL", self.only_there());
        assert_eq!(node.database.psql(&regclass), "t", "a second history");
        let other = self.nodes[self.primary].is("primary");
        assert!(other && !node.is("primary"), "one node takes writes");
    }
}

impl Node {
    fn configure(&self, options: &ClusterOptions, etcd: u16, replication: &str) {
        let (name, api, port) = (&self.name, self.api, self.database.port);
        let mut parameters = String::new();
        for (name, value) in &options.parameters {
            let _ = writeln!(parameters, "        {name}: '{value}'");
        }
        let folder = self.database.folder();
        let (folder, programs) = (folder.display(), self.database.programs.folder().display());
        let admin = &self.database.passwords.admin;
        let text = format!(
            "scope: erp
name: {name}
restapi: {{listen: '127.0.0.1:{api}', connect_address: '127.0.0.1:{api}'}}
etcd3: {{host: '127.0.0.1:{etcd}'}}
bootstrap:
  dcs:
{SETTINGS}{parameters}  initdb: [encoding: UTF8, locale: C, no-sync]
postgresql:
  listen: 127.0.0.1:{port}
  connect_address: 127.0.0.1:{port}
  data_dir: {folder}/data
  bin_dir: {programs}
  pgpass: {folder}/pgpass
  authentication:
    superuser: {{username: {ADMIN}, password: {admin}}}
    replication: {{username: replicator, password: {replication}}}
  parameters: {{unix_socket_directories: ''}}
  pg_hba:
  - host all all 127.0.0.1/32 scram-sha-256
  - host replication replicator 127.0.0.1/32 scram-sha-256
"
        );
        let file = self.database.folder().join("patroni.yml");
        fs::write(&file, text).expect("a file in our folder");
        self.database.programs.hand_over(&file);
    }

    fn start(&self) {
        let file = self.database.log_file();
        let log = File::options().create(true).append(true).open(file);
        let log = log.expect("a log in our folder");
        let again = log.try_clone().expect("a second handle");
        let mut command = self.database.programs.command(PATRONI);
        command.arg(self.database.folder().join("patroni.yml"));
        command.stdout(again).stderr(log);
        *self.database.running() = Some(Postmaster::start(command));
    }

    /// Whether Patroni's health check reports this role, as HAProxy queries it.
    fn is(&self, what: &str) -> bool {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.api)) else {
            return false;
        };
        let mut response = String::new();
        let sent = write!(stream, "GET /{what} HTTP/1.0\r\n\r\n");
        let read = sent.and_then(|()| stream.read_to_string(&mut response));
        read.is_ok() && response.split(' ').nth(1) == Some("200")
    }
}

/// Starts etcd in the folder of a cluster and returns its port.
fn start_etcd(cluster: &Cluster) -> (Postmaster, u16) {
    let (port, peers) = (free_port(), free_port());
    let [url, peers] = [port, peers].map(|port| format!("http://127.0.0.1:{port}"));
    let log = File::create(cluster.log_file()).expect("a log in our folder");
    let mut command = cluster.programs.command(ETCD);
    command
        .arg("--data-dir")
        .arg(cluster.folder().join("etcd"))
        .args(["--listen-client-urls", &url])
        .args(["--advertise-client-urls", &url])
        .args(["--listen-peer-urls", &peers])
        .args(["--initial-advertise-peer-urls", &peers])
        .args(["--initial-cluster", &format!("default={peers}")])
        .arg("--unsafe-no-fsync")
        .stderr(log);
    let etcd = Postmaster::start(command);
    wait_until("etcd listens", || {
        assert!(!etcd.has_ended(), "etcd has ended:\n{}", cluster.log());
        TcpStream::connect(("127.0.0.1", port)).is_ok()
    });
    (etcd, port)
}
