//! The real server under the recorder: orders, media files and tokens that were acknowledged to clients.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use erp_campaigns::power::{Coin, Disk, Event, Mark, Recorder};
use erp_core::Erp;
use erp_core::erp::{Settings, TokenHash};
use erp_core::storage::{Sequence, Storage as _};
use erp_server::media::{Bodies, BodyState};
use erp_server::store::{SledStore, StoreOptions};
use erp_tests::bodies;
use erp_tests::process::{self, Credentials, Server};
use jiff::Timestamp;
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::Case;
use super::images::assert_complete;

/// Number of points before the server listens for the first time, and after that.
const MOMENTS: (usize, usize) = (12, 28);

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
        let client = Shop {
            client: Client::new(),
            base_url: server.base_url(),
            admin,
            mark,
            name: start * 10 + number,
            token: String::new(),
        };
        client.work()
    };
    tokio::join!(client(0), client(1), client(2));
}

/// A client that records each response as soon as it arrives.
struct Shop<'a> {
    client: Client,
    base_url: String,
    admin: &'a Credentials,
    mark: &'a Mark,
    name: usize,
    token: String,
}

impl Shop<'_> {
    async fn work(mut self) {
        self.log_in().await;
        let customer = self.post("/www/kunden").json(&bodies::customer());
        let customer = send(customer, 201).await;
        let customer = customer["data"]["DebiNr"].as_str().unwrap().to_owned();
        for round in 0..ROUNDS {
            let positions = json!([{"ArtNr": "BU-1002", "Menge": 12 + round}]);
            let order = self
                .post("/www/auftrag")
                .json(&bodies::order(&customer, positions));
            let order = send(order, 201).await;
            self.note(&format!(
                "order {}",
                order["data"]["AuftNr"].as_str().unwrap()
            ));
            self.upload(round).await;
            if round % 3 == 2 {
                self.log_in().await;
            }
        }
    }

    fn note(&self, text: &str) {
        self.mark.put(text.as_bytes());
    }

    fn post(&self, path: &str) -> RequestBuilder {
        let url = format!("{}{path}", self.base_url);
        self.client.post(url).bearer_auth(&self.token)
    }

    async fn log_in(&mut self) {
        let url = format!("{}/www/token", self.base_url);
        let request = self.client.post(url);
        let request = request.basic_auth(&self.admin.name, Some(&self.admin.password));
        let token = send(request, 200).await;
        token["access_token"]
            .as_str()
            .unwrap()
            .clone_into(&mut self.token);
        self.note(&format!("token {}", self.token));
    }

    /// Uploads a file and imports the row that names it.
    async fn upload(&self, round: usize) {
        let seed = (self.name * 1000 + round) as u64;
        let mut coin = Coin(seed);
        let length = 1 + coin.index(40_000);
        let bytes: Vec<u8> = (0..length)
            .map(|_| u8::try_from(coin.below(256)).unwrap())
            .collect();
        let request = self.post("/admin/media").body(bytes);
        let stored = send(request, 201).await;
        let hash = stored["data"]["SHA256"].as_str().unwrap();
        let row = json!({"ArtikelMedia":
            {"IDKey": 5_000 + seed, "ArtNr": "BU-1002", "SHA256": hash, "AMDBildFormat": "png"}});
        let request = self
            .post("/admin/import")
            .header("Content-Type", "application/x-ndjson")
            .body(format!("{row}\n"));
        let _ = send(request, 200).await;
        self.note(&format!("media {hash}"));
    }
}

async fn send(request: RequestBuilder, status: u16) -> Value {
    let response = request.send().await.unwrap();
    let found = response.status();
    let text = response.text().await.unwrap();
    assert_eq!(found.as_u16(), status, "{text}");
    serde_json::from_str(&text).unwrap()
}

/// Points before and after the first response.
pub fn moments(events: &[Event<'_>], seed: u64) -> BTreeSet<usize> {
    let first = events
        .iter()
        .position(|event| matches!(event, Event::Mark(_)));
    let first = first.expect("the server has listened");
    let mut coin = Coin(seed);
    let mut chosen = BTreeSet::from([events.len()]);
    while chosen.len() < MOMENTS.0 {
        chosen.insert(coin.index(first));
    }
    while chosen.len() < MOMENTS.0 + MOMENTS.1 {
        chosen.insert(first + coin.index(events.len() - first));
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
