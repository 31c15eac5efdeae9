//! The real server under a mixed load of many clients: every response is valid, and neither memory nor file handles
//! grow.
//!
//! `SOAK_SECONDS` sets the duration (8).
#![cfg(target_os = "linux")]

use crate::faults_common;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use erp_campaigns::Random;
use erp_campaigns::load::{Acknowledged, Board, Shop, acknowledged, work};
use erp_tests::process::Server;
use faults_common::{Client, demo, is_sound, serve};
use reqwest::Method;
use serde_json::json;
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio::time::sleep;

const WRITERS: u64 = 32;
const READERS: u64 = 16;
const RETRIERS: u64 = 16;

/// Files that the log, the journal and sled open and close.
const HANDLES: usize = 8;

struct Sample {
    kib: u64,
    /// Open files without sockets.
    handles: usize,
    sockets: usize,
}

fn sample(server: &Server) -> Sample {
    let process = Path::new("/proc").join(server.id().to_string());
    let status = fs::read_to_string(process.join("status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    // A file that is closed in the meantime cannot be read.
    let links = fs::read_dir(process.join("fd")).unwrap().flatten();
    let links: Vec<_> = links
        .filter_map(|link| fs::read_link(link.path()).ok())
        .collect();
    let links = links.into_iter();
    let is_socket = |link: &PathBuf| link.to_string_lossy().starts_with("socket:");
    let kib = line.unwrap().trim().trim_end_matches("kB").trim().parse();
    Sample {
        kib: kib.unwrap(),
        handles: links.clone().filter(|link| !is_socket(link)).count(),
        sockets: links.filter(is_socket).count(),
    }
}

/// Reads the usual pages until the run ends; [`faults_common::send_checked`] checks each response.
async fn read(client: Client, running: Arc<AtomicBool>, sent: Arc<AtomicU64>, mut random: Random) {
    let articles = ["BU-1001", "BU-1002", "LM-3001", "EL-2003", "HH-5007"];
    while running.load(Ordering::Relaxed) {
        let article = random.choose(&articles);
        let path = match random.below(4) {
            0 => "/www/artikel?limit=20".to_owned(),
            1 => format!("/www/artikelmedia/{article}"),
            2 => "/www/artikel/NIE-DA".to_owned(),
            _ => format!("/www/artikel/{article}"),
        };
        let status = client.get(&path).await.status;
        assert!(matches!(status, 200 | 404), "{path}: {status}");
        sent.fetch_add(1, Ordering::Relaxed);
    }
}

/// Sends every request twice.
async fn retry(client: Client, running: Arc<AtomicBool>, sent: Arc<AtomicU64>, name: u64) {
    let mut count = 0;
    while running.load(Ordering::Relaxed) {
        count += 1;
        let key = format!("retry-{name}-{count}");
        let body = json!({"GrundDaten": {"AuftBestellNr": key},
            "Positionen": [{"ArtNr": "LM-3001", "Menge": 2}]});
        let mut made = Vec::new();
        for _ in 0..2 {
            let request = client.request(Method::POST, "/www/offerte").json(&body);
            let request = request.header("Idempotency-Key", &key);
            made.push(faults_common::send_checked(request).await.expect(201).body);
        }
        assert_eq!(made[0], made[1]);
        sent.fetch_add(2, Ordering::Relaxed);
    }
}

/// Starts the clients that write orders until the server ends.
async fn writers(shop: &Shop, board: &Arc<Board>) -> Vec<JoinHandle<Acknowledged>> {
    let catalogue = Arc::new(shop.catalogue().await);
    let writer = |number| {
        let (catalogue, board) = (Arc::clone(&catalogue), Arc::clone(board));
        let name = format!("soak-{number}");
        tokio::spawn(work(shop.clone(), catalogue, board, Random(number), name))
    };
    (0..WRITERS).map(writer).collect()
}

/// Starts the clients that read and those that send everything twice; they run until `running` is false.
fn others(
    client: &Client,
    running: &Arc<AtomicBool>,
    sent: &Arc<AtomicU64>,
) -> Vec<JoinHandle<()>> {
    let other = |number| {
        let (client, running, sent) = (client.clone(), Arc::clone(running), Arc::clone(sent));
        match number < READERS {
            true => tokio::spawn(read(client, running, sent, Random(number))),
            false => tokio::spawn(retry(client, running, sent, number)),
        }
    };
    (0..READERS + RETRIERS).map(other).collect()
}

/// Twenty samples of the process in this time, and more until it is under load.
async fn watch(server: &Server, length: Duration, has_load: impl Fn() -> bool) -> Vec<Sample> {
    let started = Instant::now();
    let mut samples = Vec::new();
    while started.elapsed() < length || !has_load() {
        sleep(length / 20).await;
        let now = sample(server);
        println!(
            "{:?}: {} KiB, {} files, {} sockets",
            started.elapsed(),
            now.kib,
            now.handles,
            now.sockets
        );
        samples.push(now);
    }
    samples
}

/// Neither memory nor open files grow after the first quarter, which is the warm-up: tables in memory fill, connections
/// are opened.
fn assert_steady(samples: &[Sample]) {
    let warm = &samples[samples.len() / 4..];
    let (least, most) = (
        warm.iter().map(|at| at.handles).min(),
        warm.iter().map(|at| at.handles).max(),
    );
    assert!(
        most.unwrap() <= least.unwrap() + HANDLES,
        "{least:?} to {most:?} file handles"
    );
    // A client may open a second connection while the first one is busy.
    let clients = usize::try_from(WRITERS + READERS + RETRIERS).unwrap();
    let sockets = warm.iter().map(|at| at.sockets).max();
    assert!(sockets.unwrap() <= 2 * clients, "{sockets:?} sockets");
    let (first, last) = (warm[0].kib, warm[warm.len() - 1].kib);
    // Twice the changes that may wait in memory, plus sled's cache.
    assert!(
        last <= first + first / 2 + 96 * 1024,
        "{first} to {last} KiB"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mixed_load_of_64_clients_leaks_nothing() {
    let seconds = std::env::var("SOAK_SECONDS").map_or(8, |seconds| seconds.parse().unwrap());
    let length = Duration::from_secs(seconds);
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data");
    let (mut server, admin) = demo(folder.path(), &data, &[]);
    let client = Client::log_in(&server, &admin).await;
    let shop = Shop::log_in(&server.base_url(), &admin).await;
    let (running, sent) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicU64::new(0)));
    let others = others(&client, &running, &sent);
    let board: Arc<Board> = Arc::default();
    let writers = writers(&shop, &board).await;
    let has_load = || board.orders() > 100 && sent.load(Ordering::Relaxed) > 100;
    let samples = watch(&server, length, has_load).await;
    running.store(false, Ordering::Relaxed);
    for other in others {
        other.await.unwrap();
    }
    // The writers run until the server ends.
    server.terminate();
    let all = acknowledged(writers).await;
    assert_eq!(server.wait().code(), Some(0), "{}", server.stderr());
    let sent = sent.load(Ordering::Relaxed);
    println!("{} and {sent} reads and retries", all.summary());
    assert_steady(&samples);
    is_sound(&data);
    let server = serve(&data, &[]);
    all.verify(&shop.at(server.base_url())).await;
}
