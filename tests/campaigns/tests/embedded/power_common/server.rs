//! The real server under the recorder: orders, media files and tokens that were acknowledged to clients.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use erp_campaigns::Random;
use erp_campaigns::power::{Disk, Event, Mark, Recorder};
use erp_core::Erp;
use erp_core::erp::Settings;
use erp_core::internal::TokenHash;
use erp_core::storage::{Sequence, Storage as _};
use erp_server::media::{Bodies, BodyState};
use erp_server::store::{SledStore, StoreOptions};
use erp_tests::bodies;
use erp_tests::process::{self, Credentials, Server};
use jiff::Timestamp;
use reqwest::Method;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::Case;
use super::images::assert_complete;
use crate::faults_common::{Client, send_checked};

/// Number of points before the server listens for the first time, and after that.
const MOMENTS: (usize, usize) = (6, 12);

/// Number of rounds of each client in each of two starts.
const ROUNDS: usize = 6;

/// Runs a new server, kills it, starts it again and stops it; returns the log.
pub async fn record(recorder: &Recorder) -> PathBuf {
    let (root, log) = (
        recorder.place().join("root-server"),
        recorder.place().join("log-server"),
    );
    std::fs::create_dir(&root).unwrap();
    let users = recorder.place().join("users.json");
    let data = root.join("data");
    let start = |arguments: &[&str]| {
        let common = ["--rate-limits", "false", "--listen", "127.0.0.1:0"];
        let data = ["--data", data.to_str().unwrap()];
        let mut command = process::command(arguments.iter().chain(&common).chain(&data));
        recorder.record(&mut command, &root, &log);
        Server::spawn(command).ready()
    };
    let mark = Mark::open(&log).unwrap();
    let credentials = users.to_str().unwrap();
    let server = start(&["demo", "--orders", "0", "--credentials", credentials]);
    mark.put(b"users");
    let users = process::credentials(&users);
    let admin = users.iter().find(|user| user.role == "admin").unwrap();
    work(&server, admin, &mark, 0).await;
    server.kill();
    let mut server = start(&["serve"]);
    work(&server, admin, &mark, 1).await;
    server.terminate();
    assert!(server.wait().success(), "{}", server.stderr());
    assert_complete(recorder, &Disk::default(), &log, &root);
    log
}

/// Three clients write at the same time.
async fn work(server: &Server, admin: &Credentials, mark: &Mark, start: usize) {
    let client = |number| {
        let name = start * 10 + number;
        work_as(name, server, admin, mark)
    };
    tokio::join!(client(0), client(1), client(2));
}

/// A client that records each response as soon as it arrives.
async fn work_as(name: usize, server: &Server, admin: &Credentials, mark: &Mark) {
    let log_in = async || {
        let client = Client::log_in(server, admin).await;
        note(mark, "token", client.token());
        client
    };
    let mut client = log_in().await;
    let customer = bodies::customer();
    let customer = client.send(Method::POST, "/www/kunden", &customer).await;
    let customer = customer.expect(201).number("DebiNr");
    for round in 0..ROUNDS {
        let positions = json!([{"ArtNr": "BU-1002", "Menge": 12 + round}]);
        let order = bodies::order(&customer, positions);
        let order = client.send(Method::POST, "/www/auftrag", &order).await;
        note(mark, "order", &order.expect(201).number("AuftNr"));
        let hash = upload(&client, (name * 1000 + round) as u64).await;
        note(mark, "media", &hash);
        if round % 3 == 2 {
            client = log_in().await;
        }
    }
}

fn note(mark: &Mark, kind: &str, of: &str) {
    mark.put(format!("{kind} {of}").as_bytes());
}

/// Uploads a file and imports the row that names it; returns its hash.
async fn upload(client: &Client, seed: u64) -> String {
    let mut random = Random(seed);
    let length = 1 + random.index(40_000);
    let bytes: Vec<u8> = (0..length)
        .map(|_| u8::try_from(random.below(256)).unwrap())
        .collect();
    let stored = send_checked(client.request(Method::POST, "/admin/media").body(bytes)).await;
    let hash = stored.expect(201).number("SHA256");
    let row = json!({"ArtikelMedia":
        {"IDKey": 5_000 + seed, "ArtNr": "BU-1002", "SHA256": hash, "AMDBildFormat": "png"}});
    let request = client.request(Method::POST, "/admin/import");
    let request = request.header("Content-Type", "application/x-ndjson");
    let imported = send_checked(request.body(format!("{row}\n"))).await;
    let _ = imported.expect(200);
    hash
}

/// Points before and after the first response.
pub fn moments(events: &[Event<'_>], seed: u64) -> BTreeSet<usize> {
    let first = events
        .iter()
        .position(|event| matches!(event, Event::Mark(_)));
    let first = first.expect("the server has listened");
    let mut random = Random(seed);
    let mut chosen = BTreeSet::from([events.len()]);
    while chosen.len() < MOMENTS.0 {
        chosen.insert(random.index(first));
    }
    while chosen.len() < MOMENTS.0 + MOMENTS.1 {
        chosen.insert(first + random.index(events.len() - first));
    }
    chosen
}

/// Checks that everything acknowledged to a client is there, and that the store is consistent.
pub fn judge(case: &Case<'_>) -> Result<(), String> {
    let data = case.image.join("data");
    let store = SledStore::open(&data, StoreOptions::default())
        .map_err(|error| format!("does not open: {error}"))?;
    let erp = Erp::new(store.clone(), Settings::default());
    let result = pollster::block_on(sound(&erp, &data, case.before));
    store.abandon();
    result
}

async fn sound(erp: &Erp<SledStore>, data: &Path, before: &[Event<'_>]) -> Result<(), String> {
    let found = erp
        .upkeep(Timestamp::now())
        .check()
        .await
        .map_err(|error| error.to_string())?;
    if let Some(finding) = found.findings.first() {
        return Err(format!("at {:?}: {}", finding.key, finding.message));
    }
    let named = erp
        .upkeep(Timestamp::now())
        .named_bodies()
        .await
        .map_err(|error| error.to_string())?;
    let bodies = Bodies::new(data, u64::MAX);
    for (hash, length) in &named {
        let state = bodies.state(*hash, *length);
        if !matches!(state, Ok(BodyState::Sound)) {
            return Err(format!("the file {hash} of a record is {state:?}"));
        }
    }
    let named: BTreeSet<String> = named.keys().map(ToString::to_string).collect();
    let mut last = 0;
    for event in before {
        if let Event::Mark(text) = event {
            let text = String::from_utf8_lossy(text);
            let (kind, of) = text.split_once(' ').unwrap_or((&text, ""));
            if !is_there(erp, kind, of, &named).await? {
                return Err(format!("the acknowledged {kind} is lost: {of}"));
            }
            if kind == "order" {
                last = last.max(of.parse().unwrap());
            }
        }
    }
    let next = erp.store().next_numbers(&[(Sequence::Order, 1)]).await;
    match next {
        Ok(numbers) if numbers[0] > last => Ok(()),
        other => Err(format!("after the order {last} comes {other:?}")),
    }
}

async fn is_there(
    erp: &Erp<SledStore>,
    kind: &str,
    of: &str,
    named: &BTreeSet<String>,
) -> Result<bool, String> {
    let found = match kind {
        "users" => erp
            .office(Timestamp::now())
            .users()
            .list()
            .await
            .map(|users| !users.is_empty()),
        "token" => {
            let hash = TokenHash::new(Sha256::digest(of).into());
            let caller = erp.office(Timestamp::now()).users().caller(&hash).await;
            caller.map(|caller| caller.is_some())
        }
        "order" => erp.office(Timestamp::now()).order(of).await.map(|_| true),
        "media" => Ok(named.contains(of)),
        _ => panic!("{kind} is no note"),
    };
    found.map_err(|error| format!("{kind} {of}: {error}"))
}
