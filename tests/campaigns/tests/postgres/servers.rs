//! Several servers in separate processes, on one database.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;
use std::time::{Duration, Instant};

use erp_campaigns::Random;
use erp_campaigns::load::{Acknowledged, Rounds, Shop, acknowledged};
use erp_campaigns::postgres::Cluster;
use erp_campaigns::{Demo, ledger};
use erp_tests::event_receiver::{Behaviour, PATIENCE, Receiver};
use erp_tests::process::{self, Server};
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tokio::time::sleep;

/// Two servers with the demo company.
struct TwoServers {
    cluster: &'static Cluster,
    url: String,
    demo: Demo,
    servers: [Server; 2],
    shops: [Shop; 2],
}

impl TwoServers {
    async fn start() -> Option<Self> {
        let cluster = Cluster::shared()?;
        let url = cluster.fresh_database();
        let demo = Demo::new(&url);
        let servers = [demo.serve("first"), demo.serve("second")];
        let first = demo.admin(&servers[0]).await;
        let shops = [first.clone(), first.at(servers[1].base_url())];
        Some(Self {
            cluster,
            url,
            demo,
            servers,
            shops,
        })
    }

    /// Sends this many equal requests at once, to both servers in turn; returns status, number and whether it is a
    /// replay.
    async fn burst(
        &self,
        count: usize,
        request: impl Fn(usize, &Shop) -> RequestBuilder,
    ) -> Vec<Response> {
        let shops = self.shops.iter().cycle().take(count).enumerate();
        let calls: Vec<_> = shops
            .map(|(at, shop)| tokio::spawn(send(request(at, shop))))
            .collect();
        let mut responses = Vec::new();
        for call in calls {
            responses.push(call.await.unwrap());
        }
        responses
    }

    async fn orders_of(&self, customer: &str) -> Vec<Value> {
        let path = format!("/www/kunden/{customer}?order=1000");
        let customer = self.shops[1].get(&path).await;
        customer["Auftrag"].as_array().cloned().unwrap_or_default()
    }

    /// Kills both servers.
    fn kill(self) -> (Demo, String) {
        for server in self.servers {
            server.kill();
        }
        self.cluster.wait_until_quiet();
        (self.demo, self.url)
    }
}

/// Status and body of a response, and whether it is a replay of an earlier one.
type Response = (StatusCode, Value, bool);

async fn send(request: RequestBuilder) -> Response {
    let response = request.send().await.unwrap();
    let replayed = response.headers().contains_key("idempotent-replayed");
    let status = response.status();
    let text = response.text().await.unwrap();
    (
        status,
        serde_json::from_str(&text).unwrap_or_default(),
        replayed,
    )
}

fn order(customer: &str) -> Value {
    json!({"GrundDaten": {"KundNr": customer}, "Positionen": [{"ArtNr": "BU-1004", "Menge": 1}]})
}

fn numbers(responses: &[Response]) -> BTreeSet<String> {
    let number = |(status, body, _): &Response| {
        assert_eq!(*status, StatusCode::CREATED, "{body}");
        body["data"]["AuftNr"].as_str().unwrap().to_owned()
    };
    responses.iter().map(number).collect()
}

async fn offer(shop: &Shop) -> String {
    let body = json!({"GrundDaten": {}, "Positionen": [{"ArtNr": "BU-1001", "Menge": 3}]});
    let (status, body, _) = send(shop.request(Method::POST, "/www/offerte").json(&body)).await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    body["data"]["OffertNr"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn conversions_at_both_servers_make_one_order() {
    let Some(two) = TwoServers::start().await else {
        return;
    };
    let before = two.orders_of("10006").await.len();
    let number = offer(&two.shops[0]).await;
    let convert = |customer: &str, shop: &Shop| {
        let body = json!({"GrundDaten": {"KundNr": customer, "OffertNr": number}});
        shop.request(Method::PUT, "/www/auftrag").json(&body)
    };
    let responses = two.burst(64, |_, shop| convert("10006", shop)).await;
    assert_eq!(numbers(&responses).len(), 1);
    assert_eq!(two.orders_of("10006").await.len(), before + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn conversions_for_several_customers_at_both_servers_let_one_win() {
    let Some(two) = TwoServers::start().await else {
        return;
    };
    let number = offer(&two.shops[1]).await;
    let responses = two
        .burst(64, |at, shop| {
            let customer = ["10006", "10009", "10011", "10014"][at / 2 % 4];
            let body = json!({"GrundDaten": {"KundNr": customer, "OffertNr": number}});
            shop.request(Method::PUT, "/www/auftrag").json(&body)
        })
        .await;
    let (won, lost): (Vec<_>, Vec<_>) = responses
        .into_iter()
        .partition(|(status, ..)| *status == StatusCode::CREATED);
    assert!(
        lost.iter()
            .all(|(status, ..)| *status == StatusCode::CONFLICT),
        "{lost:?}"
    );
    assert_eq!(
        (won.len(), numbers(&won).len()),
        (16, 1),
        "all calls for the customer who won"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_requests_at_both_servers_make_one_order() {
    let Some(two) = TwoServers::start().await else {
        return;
    };
    let before = two.orders_of("10006").await.len();
    let body = order("10006");
    let responses = two
        .burst(64, |_, shop| {
            let request = shop.request(Method::POST, "/www/auftrag").json(&body);
            request.header("Idempotency-Key", "burst")
        })
        .await;
    assert_eq!(numbers(&responses).len(), 1);
    let first = responses.iter().filter(|(.., replayed)| !replayed);
    assert_eq!(first.count(), 1, "all others get a conflict");
    assert_eq!(two.orders_of("10006").await.len(), before + 1);
    // Both refuse another order with this key.
    let mut other = order("10006");
    other["Positionen"][0]["Menge"] = json!(2);
    let responses = two
        .burst(2, |_, shop| {
            let request = shop.request(Method::POST, "/www/auftrag").json(&other);
            request.header("Idempotency-Key", "burst")
        })
        .await;
    assert!(
        responses
            .iter()
            .all(|(status, ..)| status.is_client_error()),
        "{responses:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_of_one_server_works_and_ends_at_both() {
    let Some(two) = TwoServers::start().await else {
        return;
    };
    let [first, second] = &two.shops;
    let read = |shop: &Shop| send(shop.request(Method::GET, "/www/artikel/BU-1001"));
    for shop in [first, second, first] {
        assert_eq!(read(shop).await.0, StatusCode::OK);
    }
    let revoked = send(second.request(Method::POST, "/www/token/revoke")).await;
    assert_eq!(revoked.0, StatusCode::NO_CONTENT);
    for shop in [second, first] {
        assert_eq!(read(shop).await.0, StatusCode::UNAUTHORIZED);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_at_one_server_is_visible_at_the_other_at_once() {
    let Some(two) = TwoServers::start().await else {
        return;
    };
    let stock = |shop: Shop| async move {
        let article = shop.get("/www/artikel/BU-1004").await;
        article["Bestand"][0]["LagerBestand"].as_i64().unwrap()
    };
    for round in 0..20 {
        let (one, other) = (&two.shops[round % 2], &two.shops[(round + 1) % 2]);
        let before = stock(other.clone()).await;
        let request = one.request(Method::POST, "/www/auftrag");
        let (status, body, _) = send(request.json(&order("10006"))).await;
        assert_eq!(status, StatusCode::CREATED, "{body}");
        assert_eq!(stock(other.clone()).await, before - 1, "round {round}");

        let text = format!("Wärmflasche {round}");
        let row = json!({"Artikel": {"ArtNr": "NEU-1", "AnLager": "J", "ArtBez": text,
            "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "*"}]}});
        let request = one.request(Method::POST, "/admin/import");
        let request = request
            .header("content-type", "application/x-ndjson")
            .body(format!("{row}\n"));
        let (status, body, _) = send(request).await;
        assert_eq!(status, StatusCode::OK, "{body}");
        let article = other.get("/www/artikel/NEU-1").await;
        assert_eq!(article["ArtBez"], text, "round {round}");
        let list = other.get("/www/artikel").await;
        let mut listed = list.as_array().unwrap().iter();
        let listed = listed.find(|article| article["ArtNr"] == "NEU-1");
        assert_eq!(listed.unwrap()["ArtBez"], text, "round {round}");
    }
}

/// The whole body of a list.
async fn articles(shop: &Shop, query: &str) -> Value {
    let path = format!("/www/artikel{query}");
    let (status, body, _) = send(shop.request(Method::GET, &path)).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    body
}

/// A client that keeps a copy of the articles.
#[derive(Default)]
struct Follower {
    copy: BTreeMap<String, Value>,
    stand: String,
}

impl Follower {
    async fn follow(&mut self, shop: &Shop) {
        let body = articles(shop, &format!("?seit={}", self.stand)).await;
        for number in body["entfernt"].as_array().into_iter().flatten() {
            self.copy.remove(number.as_str().unwrap());
        }
        self.copy.extend(by_number(&body));
        self.stand = body["stand"].as_str().unwrap().to_owned();
    }
}

/// The articles without links, which name the server.
fn by_number(body: &Value) -> impl Iterator<Item = (String, Value)> {
    let articles = body["data"].as_array().unwrap().iter();
    articles.map(|article| {
        let number = article["ArtNr"].as_str().unwrap().to_owned();
        let mut article = article.clone();
        without_links(&mut article);
        (number, article)
    })
}

fn without_links(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(without_links),
        Value::Object(members) => {
            members.remove("links");
            members.values_mut().for_each(without_links);
        }
        _ => (),
    }
}

/// Commits of a database do not become visible in the order of their revisions: none may be lost for a client that follows.
// rule: D-ANS-15
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_follows_changes_at_both_servers_has_what_a_full_read_returns() {
    let Some(two) = TwoServers::start().await else {
        return;
    };
    let work = |worker: usize| {
        let shops = two.shops.clone();
        tokio::spawn(async move {
            for round in 0..40_usize {
                let shop = &shops[(worker + round) % 2];
                let article = ["BU-1001", "BU-1002", "BU-1004"][(worker * 5 + round) % 3];
                let mut body = order("10006");
                body["Positionen"][0]["ArtNr"] = json!(article);
                let placed = send(shop.request(Method::POST, "/www/auftrag").json(&body)).await;
                assert_eq!(placed.0, StatusCode::CREATED, "{}", placed.1);
                if round % 4 == 0 {
                    let row = json!({"Artikel": {"ArtNr": format!("NEU-{}", round % 3),
                        "ArtBez": format!("{worker} {round}"), "Loeschen": round % 8 == 4}});
                    let request = shop.request(Method::POST, "/admin/import");
                    let request = request.header("content-type", "application/x-ndjson");
                    let (status, body, _) = send(request.body(format!("{row}\n"))).await;
                    assert_eq!(status, StatusCode::OK, "{body}");
                }
            }
        })
    };
    let workers: Vec<_> = (0..8).map(work).collect();
    let mut followers = [Follower::default(), Follower::default()];
    while !workers.iter().all(tokio::task::JoinHandle::is_finished) {
        for (follower, shop) in followers.iter_mut().zip(&two.shops) {
            follower.follow(shop).await;
        }
    }
    for worker in workers {
        worker.await.unwrap();
    }
    for (follower, shop) in followers.iter_mut().zip(two.shops.iter().rev()) {
        follower.follow(shop).await;
        let full: BTreeMap<String, Value> = by_number(&articles(shop, "").await).collect();
        assert_eq!(follower.copy, full);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn both_servers_accept_load_and_no_number_is_assigned_twice() {
    let Some(two) = TwoServers::start().await else {
        return;
    };
    let mut rounds = Rounds::new(&two.shops[0], Random::from_environment()).await;
    let clients = rounds.load(&two.shops, "both");
    rounds.wait_for_orders(1).await;
    sleep(Duration::from_millis(2000)).await;
    let first = two.shops[0].clone();
    let (demo, url) = two.kill();
    let done = acknowledged(clients).await;
    assert!(!done.orders.is_empty());
    let found = ledger(&url).await;
    rounds.settle(&found, &done);
    let server = demo.serve("third");
    rounds
        .go_on(&first.at(server.base_url()), &done, &found)
        .await;
    rounds.settle(&ledger(&url).await, &Acknowledged::default());
}

/// How often each event was received, by its id and the order it is about.
fn received(receiver: &Receiver) -> BTreeMap<(String, String), usize> {
    let mut events = BTreeMap::new();
    for request in receiver.received() {
        let number = request.json()["data"]["AuftNr"]
            .as_str()
            .unwrap()
            .to_owned();
        *events
            .entry((request.header("webhook-id").to_owned(), number))
            .or_default() += 1;
    }
    events
}

async fn add_target(shop: &Shop, receiver: &Receiver) {
    let body = json!({"url": receiver.url(), "kinds": ["REST_Auft"]});
    let request = shop
        .request(Method::POST, "/admin/events/targets")
        .json(&body);
    let (status, body, _) = send(request).await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
}

/// Places this many orders, at these servers in turn.
async fn place(shops: &[Shop], count: usize) -> BTreeSet<String> {
    let mut placed = Vec::new();
    for shop in shops.iter().cycle().take(count) {
        let request = shop.request(Method::POST, "/www/auftrag");
        placed.push(send(request.json(&order("10006"))).await);
    }
    numbers(&placed)
}

/// Waits until the list of events shows this many as delivered.
async fn wait_until_delivered(shop: &Shop, count: usize) {
    let started = Instant::now();
    loop {
        let events = shop.get("/admin/events?limit=500").await;
        let deliveries = events.as_array().unwrap().iter();
        let deliveries = deliveries.flat_map(|event| event["deliveries"].as_array().unwrap());
        let states: Vec<&Value> = deliveries.map(|delivery| &delivery["state"]).collect();
        if states.len() == count && states.iter().all(|state| **state == "delivered") {
            return;
        }
        // The tasks of a killed server wait until its lease has expired.
        assert!(
            started.elapsed() < 3 * PATIENCE,
            "not all delivered: {states:?}"
        );
        sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn events_of_both_servers_are_delivered_once_each() {
    let Some(two) = TwoServers::start().await else {
        return;
    };
    let receiver = Receiver::new(&[], Behaviour::Status(200));
    add_target(&two.shops[0], &receiver).await;
    let placed = place(&two.shops, 60).await;
    assert_eq!(placed.len(), 60);
    wait_until_delivered(&two.shops[1], 60).await;
    let events = received(&receiver);
    assert_eq!(events.len(), 60, "each order has one event");
    let reported: BTreeSet<String> = events.keys().map(|(_, number)| number.clone()).collect();
    assert_eq!(reported, placed);
    let twice: Vec<_> = events.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "delivered more than once: {twice:?}");
}

/// Kills a server while deliveries of both wait for a response that never arrives.
async fn kill_one(at: usize) {
    let Some(two) = TwoServers::start().await else {
        return;
    };
    let receiver = Receiver::new(&[], Behaviour::Status(200));
    add_target(&two.shops[0], &receiver).await;
    let mut placed = place(&two.shops, 20).await;
    wait_until_delivered(&two.shops[1], 20).await;
    receiver.now(Behaviour::Hang);
    placed.extend(place(&two.shops, 20).await);
    let under_way = receiver.wait_for(21).len() - 20;
    let mut servers: Vec<Server> = two.servers.into_iter().collect();
    servers.remove(at).kill();
    receiver.now(Behaviour::Status(200));
    let left = &two.shops[1 - at..2 - at];
    placed.extend(place(left, 20).await);
    wait_until_delivered(&left[0], 60).await;
    let events = received(&receiver);
    let reported: BTreeSet<String> = events.keys().map(|(_, number)| number.clone()).collect();
    assert_eq!(reported, placed, "every event came");
    assert_eq!(events.len(), 60, "one event for each order");
    let repeats: usize = events.values().map(|times| times - 1).sum();
    println!("{under_way} deliveries under way, {repeats} repeated");
    assert!(repeats >= 1, "events without a response are sent again");
    // Other deliveries may have started between the check and the kill.
    assert!(repeats <= 20, "{events:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_events_of_the_first_server_are_delivered_by_the_second() {
    kill_one(0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_events_of_the_second_server_are_delivered_by_the_first() {
    kill_one(1).await;
}

#[test]
fn servers_that_start_together_on_an_empty_database_share_it() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    for _ in 0..3 {
        let url = cluster.fresh_database();
        let folder = tempfile::tempdir().unwrap();
        let starts: Vec<_> = (0..4)
            .map(|at| {
                let mut command =
                    erp_tests::process::command(["serve", "--listen", "127.0.0.1:0", "--data"]);
                command
                    .arg(folder.path().join(at.to_string()))
                    .env("ERP_DATABASE", &url);
                Server::spawn(command)
            })
            .collect();
        let servers: Vec<Server> = thread::scope(|scope| {
            let ready: Vec<_> = starts
                .into_iter()
                .map(|start| scope.spawn(|| start.ready()))
                .collect();
            ready
                .into_iter()
                .map(|server| server.join().unwrap())
                .collect()
        });
        for mut server in servers {
            server.terminate();
            assert!(server.wait().success(), "{}", server.stderr());
            assert!(!server.stderr().contains("panicked"), "{}", server.stderr());
        }
        let demo = Demo::new(&url);
        assert_eq!(demo.users().len(), 4);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_of_requests_count_at_each_server_by_itself() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let url = cluster.fresh_database();
    let demo = Demo::new(&url);
    let folder = tempfile::tempdir().unwrap();
    let server = |name: &str, limits: &[&str]| {
        let mut command = process::command(["serve", "--listen", "127.0.0.1:0", "--data"]);
        command.arg(folder.path().join(name)).args(limits);
        command.env("ERP_DATABASE", &url);
        Server::spawn(command).ready()
    };
    // A login would be a request of the user.
    let open = server("open", &[]);
    let admin = demo.admin(&open).await;
    let limit = ["--requests-per-minute", "1"];
    let servers = [server("one", &limit), server("two", &limit)];
    for server in &servers {
        let shop = admin.at(server.base_url());
        let mut responses = Vec::new();
        for _ in 0..3 {
            let response = shop.request(Method::GET, "/www/kunden/10006").send().await;
            responses.push(response.unwrap().status().as_u16());
        }
        assert_eq!(responses, [200, 429, 429]);
    }
}
