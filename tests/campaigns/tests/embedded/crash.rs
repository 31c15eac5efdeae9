//! The real server process is killed, and started on a damaged store.
//!
//! `CRASH_ROUNDS` sets how often the server is killed under load (8). `CRASH_SEED` repeats a run: the seed is printed.
//! With the same seed the clients send the same requests, but the times differ.

use erp_tests::place::Place;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use erp_campaigns::Random;
use erp_campaigns::load::{Acknowledged, Ledger, Rounds, Shop, acknowledged};
use erp_tests::process::{self, Credentials, Ran, Server};
use tokio::time::sleep;

const FLAGS: [&str; 2] = ["--rate-limits", "false"];

/// An admin, who sees every article.
async fn admin(server: &Server, users: &[Credentials]) -> Shop {
    let user = users.iter().find(|user| user.role == "admin").unwrap();
    Shop::log_in(&server.base_url(), user).await
}

/// Checks the store of a stopped server: it has everything acknowledged and is consistent.
async fn settle(rounds: &mut Rounds, place: &Place, done: &Acknowledged) -> Ledger {
    place.is_sound();
    let ledger = Ledger::read(&place.path("data")).await;
    rounds.settle(&ledger, done);
    ledger
}

// rule: R-END-27, R-END-02, D-RET-01
#[tokio::test(flavor = "multi_thread")]
async fn everything_acknowledged_survives_sigkill() {
    let count = std::env::var("CRASH_ROUNDS").map_or(8, |rounds| rounds.parse().unwrap());
    let place = Place::empty();
    let (mut server, users) = place.demo(&FLAGS);
    let mut shop = admin(&server, &users).await;
    let mut rounds = Rounds::new(&shop, Random::from_environment()).await;
    for round in 0..count {
        let clients = rounds.load(std::slice::from_ref(&shop), &format!("{round}"));
        sleep(Duration::from_millis(50 + rounds.random().below(600))).await;
        if round + 1 == count {
            rounds.wait_for_invoice().await;
        }
        server.kill();
        let done = acknowledged(clients).await;
        let ledger = settle(&mut rounds, &place, &done).await;
        server = place.serve(&FLAGS);
        shop = shop.at(server.base_url());
        rounds.go_on(&shop, &done, &ledger).await;
    }
    rounds.all().verify(&shop).await;
    // Repeated requests are stored once, too.
    server.kill();
    settle(&mut rounds, &place, &Acknowledged::default()).await;
}

#[test]
fn the_first_start_may_be_killed_at_any_moment() {
    let mut random = Random::from_environment();
    for round in 0..8 {
        let place = Place::empty();
        let data = place.arg("data");
        let server = Server::spawn(process::command([
            "demo",
            "--listen",
            "127.0.0.1:0",
            "--data",
            &data,
        ]))
        .now();
        std::thread::sleep(Duration::from_millis(round * 40 + random.below(40)));
        server.kill();
        let (server, users) = place.demo(&FLAGS);
        assert_eq!(users.len(), 4);
        server.kill();
        place.is_sound();
    }
}

/// Every file of a store with records, and its content.
fn data_files(data: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let folders = [data.join("sled"), data.join("journal")];
    let entries = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap());
    let files = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file());
    files
        .map(|path| (path.clone(), fs::read(&path).unwrap()))
        .collect()
}

/// Damages a few places; `store_recover` tries many. The records are restored from the journal, or the server refuses
/// to start.
#[test]
fn a_damaged_store_is_rebuilt_or_refused_and_never_served() {
    let mut random = Random::from_environment();
    let place = Place::empty();
    let (mut server, _) = place.demo(&FLAGS);
    server.terminate();
    assert_eq!(server.wait().code(), Some(0));
    let sound = place.is_sound();
    let mut files = data_files(&place.path("data"));
    files.sort_unstable();
    let data = place.arg("data");
    let (mut repaired, mut refused) = (0, 0);
    while repaired + refused < 12 {
        let (path, whole) = random.choose(&files);
        let at = usize::try_from(random.below(whole.len().max(1) as u64)).unwrap();
        // Zeros are space that was never written; damage there has no effect.
        if whole.get(at).is_none_or(|byte| *byte == 0) {
            continue;
        }
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << random.below(8);
        fs::write(path, &damaged).unwrap();
        if place.run(&["check"]).code != Some(0) {
            let what = format!("byte {at} of {}", path.display());
            let recovered = process::run(["recover", "--data", &data]);
            if recovered.code == Some(0) {
                assert_eq!(place.is_sound(), sound, "{what}");
                repaired += 1;
            } else {
                is_a_refusal(&recovered, &data, &what);
                let ran = process::run(["serve", "--listen", "127.0.0.1:0", "--data", &data]);
                is_a_refusal(&ran, &data, &what);
                refused += 1;
            }
        }
        // A repair writes other files than the ones before.
        fs::remove_dir_all(place.path("data/sled")).unwrap();
        fs::create_dir_all(place.path("data/sled/blobs")).unwrap();
        for (path, whole) in &files {
            fs::write(path, whole).unwrap();
        }
    }
    println!("{repaired} repaired, {refused} refused");
    assert!(repaired > 0);
    assert_eq!(place.is_sound(), sound);
}

/// `serve` itself does every repair that `recover` can do without loss.
#[test]
fn serve_repairs_a_store_whose_journal_is_whole() {
    let place = Place::empty();
    let (mut server, _) = place.demo(&FLAGS);
    server.terminate();
    assert_eq!(server.wait().code(), Some(0));
    let sound = place.is_sound();
    fs::write(place.path("data/sled/db"), vec![0xA5; 4096]).unwrap();
    let refused = place.run(&["check"]);
    assert_eq!(refused.code, Some(4), "{}", refused.stderr);
    let mut server = place.serve(&FLAGS);
    let output = server.stderr();
    assert!(output.contains("rebuilt from the journal"), "{output}");
    server.terminate();
    assert_eq!(server.wait().code(), Some(0));
    assert_eq!(place.is_sound(), sound);
}

#[track_caller]
fn is_a_refusal(ran: &Ran, data: &str, what: &str) {
    assert_eq!(ran.code, Some(4), "{what}: {ran:?}");
    assert_eq!(ran.stdout, "", "{what}: nothing is served");
    let begins = ran
        .stderr
        .starts_with(&format!("erp-server: the store in `{data}` is damaged: "));
    let advises = ran
        .stderr
        .ends_with("with the last backup when it asks for one\n");
    assert!(
        begins && advises && ran.stderr.lines().count() == 1,
        "{what}: {}",
        ran.stderr
    );
    assert!(!ran.stderr.contains("panicked"), "{what}: {}", ran.stderr);
}
