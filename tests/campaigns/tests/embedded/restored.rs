//! A store that was restored after a loss, as clients and event receivers see it.

use std::collections::BTreeSet;
use std::path::Path;

use crate::faults_common::{Client, demo, send_checked, serve};
use erp_core::Erp;
use erp_core::erp::Settings;
use erp_core::internal::LogQuery;
use erp_core::jiff::Timestamp;
use erp_server::store::{SledStore, StoreOptions};
use erp_tests::bodies;
use erp_tests::process::{self, Credentials};
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Everything that clients got from a history: numbers, `ETag`s and event ids.
#[derive(Default)]
struct Issued {
    orders: Vec<String>,
    customers: Vec<String>,
    tags: Vec<String>,
    events: Vec<String>,
}

async fn create(client: &Client, path: &str, body: &Value, name: &str) -> String {
    let made = client.send(Method::POST, path, body).await;
    made.expect(201).number(name)
}

async fn tag(client: &Client, path: &str) -> String {
    client.get(path).await.expect(200).etag.unwrap()
}

/// Twelve orders of new customers.
async fn work(client: &Client) -> Issued {
    let mut issued = Issued::default();
    for _ in 0..12 {
        let customer = bodies::customer();
        let customer = create(client, "/www/kunden", &customer, "DebiNr").await;
        let order = json!({"GrundDaten": {"KundNr": customer},
            "Positionen": [{"ArtNr": "BU-1002", "Menge": 1}]});
        let order = create(client, "/www/auftrag", &order, "AuftNr").await;
        for path in [
            format!("/www/auftrag/{order}"),
            format!("/www/kunden/{customer}"),
        ] {
            issued.tags.push(tag(client, &path).await);
        }
        issued.orders.push(order);
        issued.customers.push(customer);
    }
    issued
}

/// The ids of all events, as receivers get them in `webhook-id`.
async fn event_ids(data: &Path) -> Vec<String> {
    let store = SledStore::open(data, StoreOptions::default()).unwrap();
    let erp = Erp::new(store.clone(), Settings::default());
    let waiting = erp
        .upkeep(Timestamp::now())
        .events()
        .outbox(None, 1_000)
        .await
        .unwrap();
    let mut ids: Vec<String> = waiting.iter().map(|entry| entry.id.to_string()).collect();
    let query = LogQuery {
        limit: usize::MAX,
        ..LogQuery::default()
    };
    let logged = erp
        .upkeep(Timestamp::now())
        .events()
        .logged(&query)
        .await
        .unwrap();
    ids.extend(logged.iter().map(|entry| entry.id.to_string()));
    store.close().unwrap();
    ids
}

fn all_different(lists: [&[String]; 3]) {
    let all: Vec<&String> = lists.into_iter().flatten().collect();
    assert!(all.len() >= 36, "{all:?}");
    let different: BTreeSet<_> = all.iter().collect();
    assert_eq!(different.len(), all.len(), "{all:?}");
}

/// Restores a backup into a new folder and returns the output of the command.
fn restore(backup: &str, data: &Path) -> String {
    let data = data.display().to_string();
    process::run(["restore", backup, "--data", &data]).success()
}

/// Works on a restored store, where customer 10007 has the same tag as before. A condition from before the loss matches
/// nothing that was created after it.
async fn work_on_restored(data: &Path, admin: &Credentials, tag: &str, lost: &Issued) -> Issued {
    let server = serve(data, &[]);
    let client = Client::log_in(&server, admin).await;
    assert_eq!(self::tag(&client, "/www/kunden/10007").await, tag);
    let issued = work(&client).await;
    let path = format!("/www/kunden/{}", issued.customers[0]);
    for tag in &lost.tags {
        let change = client.request(Method::PUT, &path).header("if-match", tag);
        let changed = send_checked(change.json(&bodies::customer())).await;
        assert_eq!(changed.status, 412, "{tag}");
    }
    server.kill();
    issued
}

/// The lost data and what two stores restored from the same backup issue have nothing in common.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_the_lost_history_is_issued_again() {
    let folder = TempDir::new().unwrap();
    let (server, admin) = demo(folder.path(), &folder.path().join("data"), &[]);
    let client = Client::log_in(&server, &admin).await;
    let before = tag(&client, "/www/kunden/10007").await;
    let (_, backup) = server.back_up(&admin, folder.path());
    let mut lost = work(&client).await;
    server.kill();
    let _ = restore(&backup, &folder.path().join("known"));
    let known = event_ids(&folder.path().join("known")).await;
    let known: BTreeSet<String> = known.into_iter().collect();
    let new = |ids: Vec<String>| -> Vec<String> {
        let new = ids.into_iter().filter(|id| !known.contains(id));
        new.collect()
    };
    lost.events = new(event_ids(&folder.path().join("data")).await);
    let mut restored = Vec::new();
    for name in ["second", "third"] {
        let data = folder.path().join(name);
        let printed = restore(&backup, &data);
        assert!(printed.contains("orders continue at "), "{printed}");
        let mut issued = work_on_restored(&data, &admin, &before, &lost).await;
        issued.events = new(event_ids(&data).await);
        restored.push(issued);
    }
    let [second, third] = restored.as_slice() else {
        panic!("two were restored");
    };
    all_different([&lost.orders, &second.orders, &third.orders].map(Vec::as_slice));
    all_different([&lost.customers, &second.customers, &third.customers].map(Vec::as_slice));
    all_different([&lost.tags, &second.tags, &third.tags].map(Vec::as_slice));
    all_different([&lost.events, &second.events, &third.events].map(Vec::as_slice));
}
