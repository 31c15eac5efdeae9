//! The server under attack, and its figures in `/proc`.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use erp_tests::process::Server;

use crate::client::Dialer;
use crate::company::Company;

/// The unit of processor times in `/proc` on every usual Linux.
const TICK: Duration = Duration::from_millis(10);

/// The longest time until the connections of an ended attack are closed.
const SETTLED: Duration = Duration::from_secs(600);

/// Number of files that may be open more than at rest: the store opens and closes files of its own.
const OPEN_MORE: usize = 16;

pub(crate) struct Victim {
    server: Server,
    log: PathBuf,
    pub(crate) address: SocketAddr,
    pub(crate) dialer: Dialer,
}

pub(crate) fn address_of(server: &Server) -> SocketAddr {
    let base = server.base_url();
    let (_, address) = base.split_once("://").expect("a URL");
    address.parse().expect("an address")
}

impl Victim {
    /// Serves a company from this folder. There is no rate limit per user, because the readers are one user; there is one per address.
    pub(crate) fn start(company: &Company, data: PathBuf, is_encrypted: bool) -> Self {
        let text = |path: std::path::PathBuf| path.to_str().expect("a path in UTF-8").to_owned();
        let mut arguments = vec!["serve".to_owned(), "--data".to_owned(), text(data.clone())];
        let settings = [
            ("--rate-limits", "true"),
            ("--requests-per-minute", "10000000"),
            ("--trusted-proxies", "127.2.0.0/16"),
        ];
        arguments.extend(
            settings
                .iter()
                .flat_map(|(name, value)| [*name, *value])
                .map(str::to_owned),
        );
        let certificate = company.certificate();
        if is_encrypted {
            arguments.extend(["--tls-certificate".to_owned(), text(certificate.clone())]);
            arguments.extend(["--tls-key".to_owned(), text(company.key())]);
        }
        let server = Server::start(arguments);
        let address = address_of(&server);
        let dialer = Dialer::new(address, is_encrypted.then_some(certificate.as_path()));
        Self {
            server,
            log: data.join("log"),
            address,
            dialer,
        }
    }

    /// Memory in KiB: `VmRSS:` is the current value, `VmHWM:` the peak.
    pub(crate) fn memory_kib(&self, name: &str) -> u64 {
        self.server.memory_kib(name)
    }

    pub(crate) fn log_bytes(&self) -> u64 {
        let files = fs::read_dir(&self.log).expect("a log");
        let size = |file: std::io::Result<fs::DirEntry>| file?.metadata().map(|file| file.len());
        files.map(|file| size(file).unwrap_or(0)).sum()
    }

    pub(crate) fn forget_peak(&self) {
        let file = format!("/proc/{}/clear_refs", self.server.id());
        fs::write(file, "5").expect("the server is our child");
    }

    pub(crate) fn processor_time(&self) -> Duration {
        processor_time(self.server.id())
    }

    pub(crate) fn open_files(&self) -> usize {
        self.server.open_files()
    }

    /// Waits until the connections of an attack are closed.
    pub(crate) fn settle(&self, open_files: usize) {
        let started = Instant::now();
        while self.open_files() > open_files + OPEN_MORE {
            assert!(
                started.elapsed() < SETTLED,
                "the attack's connections stay open"
            );
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Processor time of a process so far, in user and system mode.
pub(crate) fn processor_time(process: u32) -> Duration {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).expect("a running process");
    // The name in parentheses may contain spaces.
    let (_, fields) = text.rsplit_once(')').expect("a name");
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks: u32 = [11, 12]
        .iter()
        .filter_map(|&at| fields.get(at)?.parse::<u32>().ok())
        .sum();
    TICK * ticks
}
