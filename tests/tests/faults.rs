//! The real server on a disk that runs full, in folders it may not write, and beside another process: it
//! says so in one sentence, goes on with what it can, and loses nothing it has acknowledged.
//!
//! The disks are small tmpfs in mount namespaces of their own, so the tests need Linux and `unshare`.
#![cfg(target_os = "linux")]

#[expect(
    dead_code,
    unused_imports,
    reason = "the crash tests use the rest of it"
)]
mod crash_load;
mod faults_common;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use crash_load::{Acknowledged, Board, Ledger, Random, Shop, work};
use erp_tests::bodies;
use erp_tests::process::{self, Ran, Server};
use faults_common::{
    Ballast, Client, answer, bound_by_permissions, demo, free, is_sound, on_data, on_small_disk,
    serve, skip,
};
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::sleep;

/// Fewer free bytes than one journal file make the server not ready.
const READY: [&str; 2] = ["--ready-free-bytes", "16777216"];

const MIB: u64 = 1 << 20;

/// Clients that write at the same time.
const CLIENTS: u64 = 6;

/// A message that is one sentence of this program, and the exit code of a failure.
#[track_caller]
fn says(ran: &Ran, sentence: &str) {
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.starts_with("erp-server: "), "{ran:?}");
    assert!(ran.stderr.contains(sentence), "{ran:?}");
    assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
}

fn end(mut server: Server, code: i32) -> String {
    server.terminate();
    assert_eq!(server.wait().code(), Some(code), "{}", server.stderr());
    server.stderr()
}

fn all_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => found.push(path),
            }
        }
    }
    found.sort();
    found
}

/// An offer whose record is long, so that a few changes fill a journal file.
async fn long_offer(client: &Client, text: &str) -> String {
    let position = json!({"ArtNr": "LM-3001", "Menge": 1, "PosBez": text.repeat(1_000)});
    let positions = vec![position; 60];
    let body = json!({"GrundDaten": {"AuftBez": "Angebot"}, "Positionen": positions});
    let made = client.send(Method::POST, "/www/offerte", &body).await;
    made.expect(201).number("OffertNr")
}

/// The quantity of the first position that was acknowledged last.
struct Changed {
    offer: String,
    quantity: u32,
    refused: bool,
}

/// Changes an offer until the server cannot.
async fn change_until_refused(client: &Client, changed: &mut Changed) {
    let path = format!("/www/offerte?OffertNr={}", changed.offer);
    for quantity in changed.quantity + 1..changed.quantity + 2_000 {
        let body = json!({"Positionen": [{"PosNr": 1, "Menge": quantity}]});
        let done = client.send(Method::PATCH, &path, &body).await;
        if done.status == 503 {
            changed.refused = true;
            return;
        }
        assert!(matches!(done.status, 200 | 201 | 204), "{done:?}");
        changed.quantity = quantity;
    }
}

#[track_caller]
fn has(found: &Value, changed: &Changed) {
    let quantity = &found["data"]["Positionen"][0]["PosAnzBest"];
    assert_eq!(quantity.as_f64(), Some(f64::from(changed.quantity)), "{found}");
}

async fn all_there(client: &Client, all: &[Changed]) {
    for changed in all {
        let path = format!("/www/offerte?OffertNr={}", changed.offer);
        has(&client.get(&path).await.expect(200).body, changed);
    }
}

/// A new journal file has no room: nothing of the commit is there, and the next one is tried.
#[tokio::test(flavor = "multi_thread")]
async fn a_journal_without_room_goes_on_when_there_is_some_again() {
    small_disk("a_journal_without_room_goes_on_when_there_is_some_again", 112, |disk| async move {
        let data = disk.join("data");
        let (server, admin) = demo(&disk, &data, &READY);
        let client = Client::log_in(&server, &admin).await;
        let mut all = Vec::new();
        for text in ["ab", "cd", "ef"] {
            let offer = long_offer(&client, text).await;
            all.push(Changed { offer, quantity: 1, refused: false });
        }
        let _ = client.ready().await.expect(200);
        let ballast = Ballast::leave(&disk, 14 * MIB);
        assert_eq!(client.ready().await.expect(503).body["data"]["checks"]["disk"], false);
        let mut tasks = Vec::new();
        for mut changed in all {
            let client = client.clone();
            tasks.push(tokio::spawn(async move {
                change_until_refused(&client, &mut changed).await;
                changed
            }));
        }
        let mut all = Vec::new();
        for task in tasks {
            all.push(task.await.unwrap());
        }
        println!("{} bytes free", free(&disk));
        assert!(all.iter().all(|changed| changed.refused));
        // Reading goes on, and what was refused is not there.
        all_there(&client, &all).await;
        ballast.remove();
        for changed in &mut all {
            let path = format!("/www/offerte?OffertNr={}", changed.offer);
            changed.quantity += 1;
            let body = json!({"Positionen": [{"PosNr": 1, "Menge": changed.quantity}]});
            let done = client.send(Method::PATCH, &path, &body).await;
            assert!(done.status < 300, "{done:?}");
        }
        let _ = client.ready().await.expect(200);
        all_there(&client, &all).await;
        server.kill();
        is_sound(&data);
        let server = serve(&data, &READY);
        all_there(&client.at(&server), &all).await;
        end(server, 0);
    }).await;
}

/// Runs an asynchronous body on a disk.
async fn small_disk<F>(test: &str, mib: u32, body: impl FnOnce(PathBuf) -> F)
where
    F: Future<Output = ()>,
{
    let handle = tokio::runtime::Handle::current();
    tokio::task::block_in_place(|| {
        on_small_disk(test, mib, |disk| handle.block_on(body(disk.to_owned())));
    });
}

/// Clients of the crash tests write until each was refused.
async fn write_until_refused(shop: &Shop, name: &str) -> Acknowledged {
    let catalogue = Arc::new(shop.catalogue().await);
    let board: Arc<Board> = Arc::default();
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let (catalogue, board) = (Arc::clone(&catalogue), Arc::clone(&board));
            let name = format!("{name}-{client}");
            tokio::spawn(work(shop.clone(), catalogue, board, Random(client), name))
        })
        .collect();
    let mut all = Acknowledged::default();
    for client in clients {
        all.extend(client.await.unwrap());
    }
    println!("{}", all.summary());
    all
}

/// Clients write until the disk has no room for the records. What was acknowledged is in the journal.
#[tokio::test(flavor = "multi_thread")]
async fn records_without_room_are_read_on_and_written_after_a_restart() {
    small_disk("records_without_room_are_read_on_and_written_after_a_restart", 96, |disk| async move {
        let data = disk.join("data");
        let (server, admin) = demo(&disk, &data, &READY);
        let client = Client::log_in(&server, &admin).await;
        let shop = Shop::log_in(&server.base_url(), &admin).await;
        let ballast = Ballast::leave(&disk, 300 * 1024);
        let all = write_until_refused(&shop, "full").await;
        assert!(!all.orders.is_empty() && free(&disk) < 300 * 1024);
        let checks = client.ready().await.expect(503).body["data"]["checks"].clone();
        println!("{checks} {}", server.stderr());
        all.verify(&shop).await;
        // A proper end cannot bring the records to the disk, and says so; neither can a start.
        let told = end(server, 1);
        assert!(told.contains("erp-server: "), "{told}");
        let refused = process::run(on_data("serve", &data, &["--listen", "127.0.0.1:0"]));
        println!("{refused:?}");
        ballast.remove();
        is_sound(&data);
        let ledger = Ledger::read(&data).await;
        ledger.fits_together();
        ledger.has(&all);
        let server = serve(&data, &READY);
        let shop = shop.at(server.base_url());
        all.verify(&shop).await;
        let again = all.send_again(&shop, &ledger).await;
        again.verify(&shop).await;
        let _ = client.at(&server).ready().await.expect(200);
        end(server, 0);
        is_sound(&data);
    }).await;
}
