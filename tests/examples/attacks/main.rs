//! Attacks on the real server over loopback: how much memory they take, and what other clients notice.
//!
//! `cargo run --release -p erp-tests --example attacks -- SECONDS [NAME...]`
//!
//! Every attack meets a server of its own. The readers beside it ask for an article a hundred times a second
//! and are measured first without the attack. The program fails when the server's memory goes more than
//! 256 MB above what it was before. Times are printed only: they depend on the machine.

mod loads;

use std::fmt::Write as _;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use erp_tests::process::{self, Credentials, Server};
use reqwest::Client;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use loads::{Load, Target};

/// What no attack may take beyond the memory of a server at rest.
const LIMIT_KIB: u64 = 256 * 1024;

/// Clients beside the attack.
const READERS: usize = 4;

/// How often each of them reads.
const READ_EVERY: Duration = Duration::from_millis(10);

/// A read that takes longer has failed.
const PATIENCE: Duration = Duration::from_secs(30);

const CUSTOMERS: u32 = 40_000;

/// What the readers saw.
#[derive(Default)]
struct Seen {
    times: Vec<Duration>,
    failed: usize,
}

impl Seen {
    fn at(&self, part: usize) -> f64 {
        let at = self.times.len() * part / 100;
        let time = self.times.get(at.min(self.times.len().saturating_sub(1)));
        time.map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
    }

    fn shown(&self) -> String {
        format!("{:8.1} {:8.1}", self.at(50), self.at(99))
    }
}

async fn read(base: String, token: String, until: Instant) -> Seen {
    let client = Client::builder().no_proxy().timeout(PATIENCE).build();
    let client = client.expect("a client");
    let url = format!("{base}/www/artikel/LM-3015");
    let mut seen = Seen::default();
    while Instant::now() < until {
        let begun = Instant::now();
        let answer = client.get(&url).bearer_auth(&token).send().await;
        let whole = match answer.and_then(reqwest::Response::error_for_status) {
            Ok(answer) => answer.bytes().await.is_ok(),
            Err(_) => false,
        };
        match whole {
            true => seen.times.push(begun.elapsed()),
            false => seen.failed += 1,
        }
        sleep(READ_EVERY).await;
    }
    seen
}

async fn readers(target: &Target, length: Duration) -> Seen {
    let until = Instant::now() + length;
    let mut tasks = JoinSet::new();
    for _ in 0..READERS {
        tasks.spawn(read(target.base.clone(), target.token.clone(), until));
    }
    let mut all = Seen::default();
    while let Some(seen) = tasks.join_next().await {
        let seen = seen.expect("a reader ends");
        all.times.extend(seen.times);
        all.failed += seen.failed;
    }
    all.times.sort_unstable();
    all
}

async fn log_in(base: &str, user: &Credentials) -> String {
    let client = Client::builder().no_proxy().build().expect("a client");
    let request = client.post(format!("{base}/www/token"));
    let request = request.basic_auth(&user.name, Some(&user.password));
    let answer = request.send().await.expect("the server answers");
    let body: serde_json::Value = answer.json().await.expect("a token");
    body["access_token"].as_str().expect("a token").to_owned()
}

/// Runs one attack and prints its line. Whether memory stayed within the limit.
async fn attack(data: &Path, admin: &Credentials, load: &Load, length: Duration) -> bool {
    let server = Server::start([
        "serve",
        "--data",
        data.to_str().expect("a path in UTF-8"),
        "--log-level",
        "warn",
        "--rate-limits",
        "true",
        "--requests-per-minute",
        "10000000",
        "--requests-burst",
        "10000000",
        "--trusted-proxies",
        "127.2.0.0/16",
    ]);
    let base = server.base_url();
    let address: SocketAddr = base
        .trim_start_matches("http://")
        .parse()
        .expect("an address");
    let target = Target {
        token: log_in(&base, admin).await,
        base,
        address,
    };
    let quiet = readers(&target, length).await;
    let resting = server.memory_kib("VmRSS:");
    let mut attackers = (load.begin)(target.clone());
    // Some attacks need a moment to be in place.
    sleep(length.min(Duration::from_secs(2))).await;
    let loud = readers(&target, length).await;
    attackers.shutdown().await;
    let peak = server.memory_kib("VmHWM:");
    let over = peak.saturating_sub(resting);
    let mib = |kib: u64| kib.div_ceil(1024);
    println!(
        "{:<42} {:7} {:7} {:7} | {} | {} | {:6} {:6}",
        load.name,
        mib(resting),
        mib(peak),
        mib(over),
        quiet.shown(),
        loud.shown(),
        loud.times.len(),
        loud.failed,
    );
    over <= LIMIT_KIB
}

/// A store with the demo company.
fn company(folder: &Path) -> Credentials {
    let (data, users) = (folder.join("data"), folder.join("users.json"));
    let text = |path: &Path| path.to_str().expect("a path in UTF-8").to_owned();
    let mut server = Server::start([
        "demo".to_owned(),
        "--credentials".to_owned(),
        text(&users),
        "--data".to_owned(),
        text(&data),
    ]);
    let admin = process::credentials(&users)
        .into_iter()
        .find(|user| user.role == "admin");
    server.terminate();
    assert!(server.wait().success(), "{}", server.stderr());
    admin.expect("the demo has an admin")
}

/// Adds so many customers in one town.
fn import_customers(folder: &Path) {
    let mut rows = String::new();
    for number in 0..CUSTOMERS {
        // Writing into a String cannot fail.
        let _ = writeln!(
            rows,
            r#"{{"Kunde": {{"KundNr": "{}", "WaehrAbk": "CHF", "KontaktAdr": {{"AdrSprache": "ger", "AdrAnrede": 2, "AdrVorname": "Zoë", "AdrName": "Muster{number}", "AdrAdresse1": "Hauptstrasse {number}", "OrtLand": "CH", "OrtPLZ": "8001", "OrtName": "Zürich"}}}}}}"#,
            100_001 + number,
        );
    }
    let file = folder.join("kunden.ndjson");
    fs::write(&file, rows).expect("room for the customers");
    let data = folder.join("data");
    let arguments = [
        "import".as_ref(),
        "--data".as_ref(),
        data.as_os_str(),
        file.as_os_str(),
    ];
    let _ = process::run(arguments).success();
}

/// This process holds the other ends of all connections.
fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    setrlimit(Resource::Nofile, raised).expect("as many open files as the system allows");
}

#[tokio::main]
async fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().map(|text| text.parse());
    let Some(Ok(seconds @ 1..=3_600)) = seconds else {
        eprintln!("name the seconds of each attack, 1 to 3600, and perhaps parts of their names");
        return ExitCode::from(2);
    };
    let wanted: Vec<String> = arguments.collect();
    raise_limit();
    let folder = TempDir::new().expect("a folder");
    let admin = company(folder.path());
    println!(
        "{:<42} {:>7} {:>7} {:>7} | {:>17} | {:>17} | {:>6} {:>6}",
        "attack",
        "resting",
        "peak",
        "over",
        "alone p50/p99 ms",
        "with p50/p99 ms",
        "reads",
        "failed"
    );
    let mut is_fine = true;
    for load in loads::all() {
        if !wanted.is_empty() && !wanted.iter().any(|part| load.name.contains(part.as_str())) {
            continue;
        }
        if load.needs_customers {
            import_customers(folder.path());
        }
        let data = folder.path().join("data");
        is_fine &= attack(&data, &admin, &load, Duration::from_secs(seconds)).await;
    }
    match is_fine {
        true => ExitCode::SUCCESS,
        false => {
            eprintln!("memory went more than {LIMIT_KIB} KiB above that of a server at rest");
            ExitCode::FAILURE
        }
    }
}
