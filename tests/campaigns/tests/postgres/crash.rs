//! Real servers on a real database under load: servers and databases that crash, and connections that break.
//!
//! `CRASH_ROUNDS` sets the number of rounds (3 each), `CRASH_SEED` repeats what the clients send.

use std::time::Duration;

use erp_campaigns::Random;
use erp_campaigns::load::{Acknowledged, Ledger, Rounds, Shop, acknowledged};
use erp_campaigns::postgres::{Cluster, ClusterOptions, Stop};
use erp_campaigns::proxy::{Direction, Proxy};
use erp_campaigns::{Demo, ledger};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::sleep;

fn count() -> u64 {
    std::env::var("CRASH_ROUNDS").map_or(3, |rounds| rounds.parse().unwrap())
}

/// Checks a database that no server uses: it has everything acknowledged and is consistent.
async fn settle(cluster: &Cluster, url: &str, rounds: &mut Rounds, done: &Acknowledged) -> Ledger {
    cluster.wait_until_quiet();
    let ledger = ledger(url).await;
    rounds.settle(&ledger, done);
    ledger
}

async fn finish(cluster: &Cluster, url: &str, mut rounds: Rounds, shop: &Shop) {
    assert!(
        !rounds.all().orders.is_empty(),
        "nothing was ever acknowledged"
    );
    rounds.all().verify(shop).await;
    // Repeated requests are stored once, too.
    settle(cluster, url, &mut rounds, &Acknowledged::default()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_acknowledged_survives_a_killed_server() {
    let Some(cluster) = Cluster::start(&ClusterOptions::durable()) else {
        return;
    };
    let url = cluster.create_database("shop");
    let demo = Demo::new(&url);
    let mut server = demo.serve("first");
    let mut shop = demo.admin(&server).await;
    let mut rounds = Rounds::new(&shop, Random::from_environment()).await;
    for round in 0..count() {
        let clients = rounds.load(std::slice::from_ref(&shop), &format!("{round}"));
        rounds.wait_for_orders(1).await;
        sleep(Duration::from_millis(200 + rounds.random().below(800))).await;
        if round + 1 == count() {
            rounds.wait_for_invoice().await;
        }
        server.kill();
        let done = acknowledged(clients).await;
        let ledger = settle(&cluster, &url, &mut rounds, &done).await;
        server = demo.serve("first");
        shop = shop.at(server.base_url());
        rounds.go_on(&shop, &done, &ledger).await;
    }
    finish(&cluster, &url, rounds, &shop).await;
}

/// The response to a request that needs the database.
async fn read_customer(shop: &Shop) -> (StatusCode, Value) {
    let response = shop.request(Method::GET, "/www/kunden/10006").send().await;
    let response = response.expect("the server is there");
    let status = response.status();
    let waits = response.headers().contains_key("retry-after");
    assert_eq!(waits, status == StatusCode::SERVICE_UNAVAILABLE);
    (status, response.json().await.expect("a response in JSON"))
}

/// The server returns that it is unavailable, without internal details.
async fn is_unavailable(shop: &Shop) {
    let (status, body) = read_customer(shop).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{body}");
    assert_eq!(body["error"], "unavailable", "{body}");
    let reported = body.to_string().to_lowercase();
    for word in ["postgres", "127.0.0.1", "connection", "database", "sql"] {
        assert!(!reported.contains(word), "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_acknowledged_survives_a_database_that_crashes() {
    let Some(cluster) = Cluster::start(&ClusterOptions::durable()) else {
        return;
    };
    let url = cluster.create_database("shop");
    let demo = Demo::new(&url);
    let server = demo.serve("first");
    let shop = demo.admin(&server).await;
    let mut rounds = Rounds::new(&shop, Random::from_environment()).await;
    for round in 0..count() {
        let clients = rounds.load(std::slice::from_ref(&shop), &format!("{round}"));
        rounds.wait_for_orders(1).await;
        sleep(Duration::from_millis(200 + rounds.random().below(800))).await;
        match round % 3 {
            0 => cluster.stop(Stop::Immediate),
            1 => cluster.kill_all(),
            _ => cluster.stop(Stop::Fast),
        }
        let done = acknowledged(clients).await;
        shop.wait_until_ready(false).await;
        is_unavailable(&shop).await;
        cluster.restart();
        // The server reconnects by itself.
        shop.wait_until_ready(true).await;
        let ledger = settle(&cluster, &url, &mut rounds, &done).await;
        rounds.go_on(&shop, &done, &ledger).await;
    }
    finish(&cluster, &url, rounds, &shop).await;
    assert!(!server.stderr().contains("panicked"), "{}", server.stderr());
}

/// Cuts a connection in a random way.
fn cut(proxy: &Proxy, random: &mut Random) {
    let bytes = usize::try_from(random.below(20_000)).unwrap();
    match random.below(4) {
        0 => proxy.lose_next_response(),
        1 => proxy.cut_after(Direction::ToServer, bytes),
        2 => proxy.cut_after(Direction::ToClient, bytes / 10),
        _ => proxy.cut(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_breaks_in_a_commit_loses_and_doubles_nothing() {
    let Some(cluster) = Cluster::start(&ClusterOptions::durable()) else {
        return;
    };
    let url = cluster.create_database("shop");
    let demo = Demo::new(&url);
    let proxy = Proxy::to(cluster.port());
    let server = demo.serve_over(&cluster.url_at(proxy.port(), "shop"), "first");
    let shop = demo.admin(&server).await;
    let mut rounds = Rounds::new(&shop, Random::from_environment()).await;
    let mut unconfirmed = 0;
    for round in 0..count() {
        let clients = rounds.load(std::slice::from_ref(&shop), &format!("{round}"));
        rounds.wait_for_orders(1).await;
        for _ in 0..12 {
            sleep(Duration::from_millis(20 + rounds.random().below(80))).await;
            cut(&proxy, rounds.random());
        }
        proxy.refuse();
        let done = acknowledged(clients).await;
        unconfirmed += done.unconfirmed.len();
        proxy.pass();
        shop.wait_until_ready(true).await;
        let ledger = settle(&cluster, &url, &mut rounds, &done).await;
        rounds.go_on(&shop, &done, &ledger).await;
    }
    println!(
        "{} connections cut, {unconfirmed} requests without response",
        proxy.cuts()
    );
    assert!(
        proxy.cuts() > 0 && unconfirmed > 0,
        "no commit was ever cut"
    );
    finish(&cluster, &url, rounds, &shop).await;
    assert!(!server.stderr().contains("panicked"), "{}", server.stderr());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_database_a_server_says_so_until_it_is_back() {
    let Some(cluster) = Cluster::start(&ClusterOptions::fast()) else {
        return;
    };
    let demo = Demo::new(&cluster.create_database("shop"));
    let proxy = Proxy::to(cluster.port());
    let server = demo.serve_over(&cluster.url_at(proxy.port(), "shop"), "first");
    let shop = demo.admin(&server).await;
    let order = json!({"GrundDaten": {"KundNr": "10006"}, "Positionen": [{"ArtNr": "BU-1004", "Menge": 1}]});
    proxy.refuse();
    shop.wait_until_ready(false).await;
    let response = shop.request(Method::GET, "/health/ready").send().await;
    let reported: Value =
        serde_json::from_slice(&response.unwrap().bytes().await.unwrap()).unwrap();
    assert_eq!(reported["info"]["checks"]["store"], "failed", "{reported}");
    is_unavailable(&shop).await;
    let placed = shop
        .request(Method::POST, "/www/auftrag")
        .json(&order)
        .send()
        .await
        .unwrap();
    assert_eq!(placed.status(), StatusCode::SERVICE_UNAVAILABLE);
    // A database that does not respond counts as unavailable.
    proxy.pass();
    shop.wait_until_ready(true).await;
    proxy.hold();
    is_unavailable(&shop).await;
    shop.wait_until_ready(false).await;
    proxy.pass();
    shop.wait_until_ready(true).await;
    assert_eq!(read_customer(&shop).await.0, StatusCode::OK);
    let placed = shop
        .request(Method::POST, "/www/auftrag")
        .json(&order)
        .send()
        .await
        .unwrap();
    assert_eq!(placed.status(), StatusCode::CREATED);
}

#[test]
fn a_server_does_not_start_without_its_database() {
    let Some(cluster) = Cluster::start(&ClusterOptions::fast()) else {
        return;
    };
    let url = cluster.create_database("shop");
    let demo = Demo::new(&url);
    cluster.stop(Stop::Fast);
    let password = url.split([':', '@']).nth(2).unwrap();
    let output = demo.command("first", &url, "serve").output().unwrap();
    let reported = String::from_utf8(output.stderr).unwrap();
    assert_ne!(output.status.code(), Some(0));
    assert!(
        reported.starts_with("erp-server: ") && reported.lines().count() == 1,
        "{reported}"
    );
    assert!(
        !reported.contains(password) && !reported.contains("panicked"),
        "{reported}"
    );
    assert_eq!(output.stdout, b"");
}
