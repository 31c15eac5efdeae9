//! HAProxy in front of several servers, where those that are ready get requests in turn, or in front of databases.

use std::fmt::Write as _;
use std::fs;
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

use rustix::process::Signal;

use super::free_port;
use super::process::{Guard, Postmaster};
use erp_tests::skipped;
use erp_tests::wait::wait_until;

/// The path in Debian's package.
const PROGRAM: &str = "/usr/sbin/haproxy";

/// The document that lists the settings.
const PAGE: &str = include_str!("../../../../erp-server/docs/several-servers.md");

/// A running HAProxy. It is stopped when this value is dropped.
#[derive(Debug)]
pub struct Balancer {
    port: u16,
    process: Postmaster,
    _guard: Guard,
}

impl Balancer {
    /// Starts HAProxy in front of these ports of loopback; `None` when it is not installed and the caller is skipped.
    #[must_use]
    pub fn before(ports: &[u16]) -> Option<Self> {
        Self::start("erp-servers", ports.iter().map(|port| (*port, *port)))
    }

    /// Starts HAProxy in front of databases, each with the port of its Patroni.
    pub(super) fn before_databases(nodes: &[(u16, u16)]) -> Option<Self> {
        Self::start("erp-databases", nodes.iter().copied())
    }

    /// Starts HAProxy with the settings of this name. The second port of each pair is the one for health checks.
    fn start(name: &str, ports: impl Iterator<Item = (u16, u16)>) -> Option<Self> {
        if !Path::new(PROGRAM).is_file() {
            skipped("HAProxy is missing; Debian's is in the package haproxy");
            return None;
        }
        let folder = tempfile::Builder::new().prefix("erp-haproxy-").tempdir();
        let guard = Guard::over(&folder.expect("a scratch folder").keep());
        let port = free_port();
        let mut settings = settings(name, port);
        for (at, (server, check)) in ports.enumerate() {
            let _ = writeln!(
                settings,
                "    server server-{at} 127.0.0.1:{server} port {check}"
            );
        }
        let file = guard.folder().join("haproxy.cfg");
        fs::write(&file, settings).expect("a file in our folder");
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "--", PROGRAM, "-db", "-q", "-f"]);
        command.arg(file);
        let process = Postmaster::start(command);
        wait_until("HAProxy listens", || {
            assert!(!process.has_ended(), "HAProxy has ended");
            TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        Some(Self {
            port,
            process,
            _guard: guard,
        })
    }

    /// The port on which it listens.
    pub(super) const fn port(&self) -> u16 {
        self.port
    }

    /// The address on which it listens.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        self.process.signal(Signal::TERM);
        wait_until("HAProxy has ended", || self.process.has_ended());
    }
}

/// The settings of this name in the document, without its servers, for this listening port.
fn settings(name: &str, port: u16) -> String {
    let head = format!("listen {name}");
    let lines = PAGE.lines().skip_while(|line| *line != head);
    let lines = lines.take_while(|line| !line.is_empty() && *line != "```");
    let of_the_page = |line: &&str| {
        ["bind ", "server "]
            .iter()
            .any(|word| line.trim_start().starts_with(word))
    };
    let mut settings: String = lines
        .filter(|line| !of_the_page(line))
        .flat_map(|line| [line, "\n"])
        .collect();
    assert!(
        settings.contains("option httpchk"),
        "the page has no {name}"
    );
    let _ = writeln!(settings, "    bind 127.0.0.1:{port}");
    settings
}
