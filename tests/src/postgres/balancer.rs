//! HAProxy in front of several servers: those that are ready get requests, in turn.

use std::fmt::Write as _;
use std::fs;
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

use rustix::process::Signal;
use tempfile::TempDir;

use super::free_port;
use super::process::Postmaster;
use crate::skipped::skipped;
use crate::wait::wait_until;

/// Where Debian puts it.
const PROGRAM: &str = "/usr/sbin/haproxy";

const SETTINGS: &str = "
defaults
    mode http
    timeout connect 2s
    timeout client 60s
    timeout server 60s
    option httpchk GET /health/ready
    option redispatch
    default-server check inter 100ms fall 1 rise 1
";

/// A running balancer. It ends when it is dropped.
#[derive(Debug)]
pub struct Balancer {
    port: u16,
    process: Postmaster,
    _folder: TempDir,
}

impl Balancer {
    /// Starts one in front of these ports of loopback; `None` after a note when HAProxy is missing.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn before(ports: &[u16]) -> Option<Self> {
        if !Path::new(PROGRAM).is_file() {
            skipped("HAProxy is missing; Debian's is in the package haproxy");
            return None;
        }
        let folder = tempfile::tempdir().expect("a scratch folder");
        let port = free_port();
        let mut settings = format!("{SETTINGS}\nlisten servers\n    bind 127.0.0.1:{port}\n");
        for (at, server) in ports.iter().enumerate() {
            let _ = writeln!(settings, "    server server-{at} 127.0.0.1:{server}");
        }
        let file = folder.path().join("haproxy.cfg");
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
            _folder: folder,
        })
    }

    /// Where it listens.
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
