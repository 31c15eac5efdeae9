//! Rows that another session keeps locked, paused servers, and statements that no one waits for any more.
//!
//! `CRASH_ROUNDS` sets the number of rounds (2 each).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use erp_campaigns::Demo;
use erp_campaigns::load::Shop;
use erp_campaigns::postgres::{Cluster, ClusterOptions, Session};
use erp_campaigns::proxy::Proxy;
use erp_core::storage::{ChangeSet, CommitError, Guard, Key, Space, Storage as _, StorageError};
use erp_server::store::postgres::DatabaseUrl;
use erp_server::store::{PostgresOptions, PostgresStore, Store};
use erp_tests::exchange::Exchange;
use erp_tests::server::{SHOP1, Server as HttpServer};
use erp_tests::wait::PATIENCE;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

fn rounds() -> u32 {
    std::env::var("CRASH_ROUNDS").map_or(2, |rounds| rounds.parse().unwrap())
}

fn options(url: &str, timeout: Duration) -> PostgresOptions {
    PostgresOptions {
        connections: 6,
        timeout,
        ..PostgresOptions::new(url.parse::<DatabaseUrl>().unwrap())
    }
}

fn name_of(url: &str) -> &str {
    url.rsplit_once('/').unwrap().1
}

/// Locks the rows whose keys have this prefix until the session's transaction ends.
fn lock(session: &mut Session, prefix: &Key) {
    let bytes = prefix.as_bytes();
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    session.run("BEGIN");
    let locked = session.run(&format!(
        "SELECT count(*) FROM (SELECT FROM erp_entries
         WHERE substr(key, 1, {}) = '\\x{hex}' FOR UPDATE) AS locked",
        bytes.len()
    ));
    assert_eq!(locked, "1", "there is one such row");
}

/// The counter of the reserved quantity of an article, which every order of it changes.
fn reserved(article: &str) -> Key {
    Key::of(Space::Reserved).text(article)
}

/// Waits until the number of the server's PostgreSQL processes that match a condition is one of these.
fn wait_for_back_ends(watcher: &mut Session, which: &str, wanted: impl Fn(u64) -> bool) {
    let started = Instant::now();
    loop {
        let found = back_ends(watcher, which);
        if wanted(found) {
            return;
        }
        assert!(
            started.elapsed() < PATIENCE,
            "{found} back ends with {which}"
        );
        thread::sleep(Duration::from_millis(5));
    }
}

fn back_ends(watcher: &mut Session, which: &str) -> u64 {
    let count = format!(
        "SELECT count(*) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'erp-server' AND {which}"
    );
    watcher.run(&count).parse().unwrap()
}

/// The condition for a process that waits for a lock.
const WAITS: &str = "state = 'active' AND wait_event_type = 'Lock'";

fn place(server: &HttpServer, article: &str, reference: &str) -> Exchange {
    let order = json!({
        "GrundDaten": {"KundNr": CUSTOMER, "AuftBestellNr": reference},
        "Positionen": [{"ArtNr": article, "Menge": 12}],
    });
    let request = server.post("/www/auftrag").by(SHOP1);
    request.json(&order).send_unchecked()
}

/// Number of orders in the store whose reference has this prefix.
fn orders(server: &HttpServer, reference: &str) -> usize {
    let sent = format!("/www/kunden/{CUSTOMER}?order=1000");
    let found = server.get(&sent).by(SHOP1).send().expect(200).json();
    let list = found["data"]["Auftrag"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let numbers = list.iter().map(|order| order["AuftNr"].as_str().unwrap());
    let of_reference = numbers.filter(|number| {
        let order = server.get(&format!("/www/auftrag/{number}")).by(SHOP1);
        let order = order.send().expect(200).json();
        let found = order["data"]["GrundDaten"]["AuftBestellNr"].as_str();
        found.is_some_and(|found| found.starts_with(reference))
    });
    of_reference.count()
}

const CUSTOMER: &str = "10007";

/// The article whose counter is locked.
const STUCK: &str = "BU-1002";

const OTHER: &str = "BU-1004";

/// Waits until the readiness check returns this status and this state of writes.
fn wait_until_ready(server: &HttpServer, status: u16, writes: &str) {
    let started = Instant::now();
    loop {
        let ready = server.get("/health/ready").send_unchecked();
        let body = if ready.status == 200 { "data" } else { "info" };
        let reported = ready.json()[body]["checks"]["writes"].take();
        if ready.status == status && reported == writes {
            return;
        }
        assert!(started.elapsed() < PATIENCE, "{}", ready.text());
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_503_during_a_stuck_lock_is_never_committed() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let url = cluster.fresh_database();
    let options = options(&url, Duration::from_secs(4));
    let server = HttpServer::on_database(&options);
    let most = u64::try_from(options.connections).unwrap();
    assert_eq!(place(&server, STUCK, "first").status, 201);
    for round in 0..rounds() {
        let reference = format!("stuck {round} ");
        let mut holder = cluster.session(name_of(&url));
        lock(&mut holder, &reserved(STUCK));
        let stop = AtomicBool::new(false);
        let (responses, highest) = thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                let mut watcher = cluster.session(name_of(&url));
                let mut highest = 0;
                while !stop.load(Ordering::Relaxed) {
                    highest = highest.max(back_ends(&mut watcher, "true"));
                }
                highest
            });
            let clients: Vec<_> = (0..12)
                .map(|client| {
                    let (server, reference) = (&server, &reference);
                    scope.spawn(move || {
                        let name = |order| format!("{reference}{client}-{order}");
                        let orders = 0..4;
                        orders
                            .map(|order| place(server, STUCK, &name(order)))
                            .collect::<Vec<_>>()
                    })
                })
                .collect();
            // While they wait, the readiness check reports it, and the balancer still sends reads.
            wait_until_ready(&server, 200, "failed");
            // A request that does not need the locked row succeeds.
            let other = place(&server, OTHER, "other");
            assert_eq!(other.status, 201, "{}", other.text());
            let clients = clients.into_iter().map(|client| client.join().unwrap());
            let responses: Vec<Exchange> = clients.flatten().collect();
            stop.store(true, Ordering::Relaxed);
            (responses, watcher.join().unwrap())
        });
        assert_eq!(responses.len(), 48);
        let mut unknown = 0;
        for response in &responses {
            assert_eq!(response.status, 503, "{}", response.text());
            let outcome = response.json()["info"]["outcome"].take();
            assert!(outcome.is_null() || outcome == "unknown", "{outcome}");
            unknown += usize::from(outcome == "unknown");
        }
        // The database responds. The outcome is unknown only if this machine is too slow to notice in time.
        assert!(unknown < responses.len() / 4, "{unknown} unknown outcomes");
        assert!(highest <= most, "{highest} back ends, {most} are allowed");
        println!(
            "round {round}: 48 responses of 503, {unknown} unknown, {highest} back ends at most"
        );
        holder.run("ROLLBACK");
        cluster.wait_until_quiet();
        wait_until_ready(&server, 200, "ok");
        let committed = orders(&server, &reference);
        assert!(committed <= unknown, "{committed} committed after a 503");
        let placed = place(&server, STUCK, &format!("free {round}"));
        assert_eq!(placed.status, 201, "{}", placed.text());
    }
    assert_eq!(orders(&server, "free"), usize::try_from(rounds()).unwrap());
}

#[test]
fn writers_waiting_for_a_stuck_lock_leave_permits_for_reads() {
    const REQUESTS: usize = 8;
    const WAITING: usize = 4;
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let url = cluster.fresh_database();
    let options = PostgresOptions {
        queue: WAITING,
        ..options(&url, Duration::from_secs(3_600))
    };
    let server = HttpServer::on_database_with(&options, &[("max_requests", "8")]);
    assert_eq!(place(&server, STUCK, "first").status, 201);
    let mut holder = cluster.session(name_of(&url));
    lock(&mut holder, &reserved(STUCK));
    let (sender, responses) = channel();
    thread::scope(|scope| {
        for client in 0..REQUESTS {
            let (server, sender) = (&server, sender.clone());
            scope.spawn(move || {
                let response = place(server, STUCK, &format!("stuck {client}"));
                sender.send(response.status).unwrap();
            });
        }
        // As many requests as there are permits; half of them may wait.
        for _ in WAITING..REQUESTS {
            assert_eq!(responses.recv_timeout(PATIENCE), Ok(503));
        }
        let read = server.get("/www/artikel/BU-1004").by(SHOP1);
        assert_eq!(read.send().status, 200);
        holder.run("ROLLBACK");
        for _ in 0..WAITING {
            assert_eq!(responses.recv_timeout(PATIENCE), Ok(201));
        }
    });
    cluster.wait_until_quiet();
    assert_eq!(orders(&server, "stuck"), WAITING);
}

#[test]
fn a_lock_on_the_whole_table_makes_the_server_not_ready() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let url = cluster.fresh_database();
    let server = HttpServer::on_database(&options(&url, Duration::from_secs(2)));
    wait_until_ready(&server, 200, "ok");
    let mut holder = cluster.session(name_of(&url));
    holder.run("BEGIN");
    holder.run("LOCK TABLE erp_entries IN ACCESS EXCLUSIVE MODE");
    wait_until_ready(&server, 503, "failed");
    holder.run("ROLLBACK");
    wait_until_ready(&server, 200, "ok");
}

#[test]
fn an_unknown_outcome_is_reported_and_the_key_makes_a_retry_safe() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let url = cluster.fresh_database();
    let proxy = Proxy::to(cluster.port());
    let over_proxy = cluster.url_at(proxy.port(), name_of(&url));
    let server = HttpServer::on_database(&options(&over_proxy, Duration::from_secs(8)));
    assert_eq!(place(&server, STUCK, "first").status, 201);
    let (mut holder, mut watcher) = (
        cluster.session(name_of(&url)),
        cluster.session(name_of(&url)),
    );
    let order = json!({
        "GrundDaten": {"KundNr": CUSTOMER, "AuftBestellNr": "unknown"},
        "Positionen": [{"ArtNr": STUCK, "Menge": 12}],
    });
    let send = || {
        let request = server.post("/www/auftrag").by(SHOP1);
        let request = request.header("Idempotency-Key", b"unknown-1");
        request.json(&order).send_unchecked()
    };
    lock(&mut holder, &reserved(STUCK));
    let response = thread::scope(|scope| {
        let client = scope.spawn(send);
        wait_for_back_ends(&mut watcher, WAITS, |count| count == 1);
        // The commit continues, but its result does not arrive.
        proxy.hold();
        holder.run("ROLLBACK");
        client.join().unwrap()
    });
    assert_eq!(response.status, 503, "{}", response.text());
    let reported = response.json();
    assert_eq!(
        (&reported["error"], &reported["info"]),
        (&json!("unavailable"), &json!({"outcome": "unknown"})),
        "{reported}"
    );
    proxy.pass();
    wait_until_ready(&server, 200, "ok");
    let again = send();
    assert_eq!(again.status, 201, "{}", again.text());
    cluster.wait_until_quiet();
    assert_eq!(orders(&server, "unknown"), 1);
}

#[test]
fn a_commit_that_its_standby_does_not_confirm_is_not_acknowledged() {
    let Some(cluster) = Cluster::start(&ClusterOptions::durable()) else {
        return;
    };
    let url = cluster.create_database("shop");
    let store = PostgresStore::open(&options(&url, Duration::from_secs(2))).unwrap();
    cluster.psql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    cluster.psql("SELECT pg_reload_conf()");
    let started = Instant::now();
    // The request to cancel ends the wait for the standby, and the database then reports a success.
    let unknown = loop {
        let mut changes = ChangeSet::new();
        changes.put(key(1), b"one".to_vec());
        match pollster::block_on(store.commit(changes)) {
            Ok(_) => assert!(
                started.elapsed() < PATIENCE,
                "the standby is not waited for"
            ),
            Err(error) => break error,
        }
    };
    let unknown = matches!(
        unknown,
        CommitError::Storage(StorageError::OutcomeUnknown(_))
    );
    assert!(unknown, "the standby does not have it");
}

fn key(number: u64) -> Key {
    Key::of(Space::Scratch).number(number)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_that_is_no_longer_waited_for_is_cancelled() {
    let Some(cluster) = Cluster::start(&ClusterOptions::fast()) else {
        return;
    };
    let url = cluster.create_database("shop");
    // Its time limits are longer than this test waits.
    let store = PostgresStore::open(&options(&url, Duration::from_secs(3_600))).unwrap();
    let (mut holder, mut watcher) = (
        cluster.session(name_of(&url)),
        cluster.session(name_of(&url)),
    );
    holder.run("BEGIN");
    holder.run("LOCK TABLE erp_entries IN ACCESS EXCLUSIVE MODE");
    let client = tokio::spawn({
        let store = store.clone();
        async move { store.get(&[key(1)]).await }
    });
    // A new connection that prepares its statements waits for at most 10 ms.
    let reads = format!(
        "{WAITS} AND query NOT LIKE '%erp_store' AND clock_timestamp() - query_start > interval '100 ms'"
    );
    wait_for_back_ends(&mut watcher, &reads, |count| count == 1);
    client.abort();
    wait_for_back_ends(&mut watcher, &reads, |count| count == 0);
    // The statement was cancelled; it did not end with its connection.
    let log = cluster.log();
    assert!(
        log.contains("canceling statement due to user request"),
        "{log}"
    );
    holder.run("ROLLBACK");
    assert_eq!(store.get(&[key(1)]).await, Ok(vec![None]));
}

#[test]
fn every_set_is_one_statement_and_leaves_no_place_holder() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let url = cluster.fresh_database();
    let store = PostgresStore::open(&options(&url, Duration::from_secs(20))).unwrap();
    let commit = |changes: ChangeSet| pollster::block_on(store.commit(changes));
    // Once a second the store checks the database, so the smallest of several measurements is used.
    let cost = |work: &dyn Fn(u64)| {
        let costs = (1..8).map(|number| {
            let before = store.status().round_trips;
            work(number);
            store.status().round_trips - before
        });
        costs.min().unwrap()
    };
    let put = |number| {
        let mut changes = ChangeSet::new();
        changes.put(key(number), b"value".to_vec());
        commit(changes).unwrap();
    };
    let delete = |number| {
        let mut changes = ChangeSet::new();
        changes.delete(key(number));
        changes.put(key(1_000 + number), b"other".to_vec());
        commit(changes).unwrap();
    };
    assert_eq!(cost(&put), 1);
    assert_eq!(cost(&delete), 1, "a set that deletes is one statement");
    assert_eq!(
        cost(&delete),
        2,
        "what was not there held a place, which is removed"
    );
    let mut guards = ChangeSet::new();
    guards.guards = vec![Guard {
        key: key(1),
        expected: None,
    }];
    commit(guards.clone()).unwrap();
    put(1);
    assert!(matches!(commit(guards), Err(CommitError::Conflict { .. })));
    let vacant = "SELECT count(*) FROM erp_entries WHERE value IS NULL AND counter IS NULL";
    assert_eq!(cluster.psql_in(name_of(&url), vacant), "0");
    let left = pollster::block_on(store.get(&[key(1), key(2)])).unwrap();
    assert!(
        left[0].is_some() && left[1].is_none(),
        "a guard deletes nothing"
    );
}

#[test]
fn a_record_that_changes_while_it_is_waited_for_is_deleted() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let url = cluster.fresh_database();
    let store = PostgresStore::open(&options(&url, Duration::from_secs(60))).unwrap();
    let (mut holder, mut watcher) = (
        cluster.session(name_of(&url)),
        cluster.session(name_of(&url)),
    );
    let mut changes = ChangeSet::new();
    changes.put(key(1), b"one".to_vec());
    let first = pollster::block_on(store.commit(changes)).unwrap();
    // When the change set gets the lock, the row differs from the one in its snapshot.
    for (expected, deleted) in [(Some(first), false), (None, true)] {
        lock(&mut holder, &key(1));
        holder.run("UPDATE erp_entries SET revision = nextval('erp_revision'), value = '\\x32'");
        let committed = thread::scope(|scope| {
            let client = scope.spawn(|| {
                let mut changes = ChangeSet::new();
                if let Some(revision) = expected {
                    changes.guard(key(1), Some(revision));
                }
                changes.delete(key(1));
                pollster::block_on(store.commit(changes))
            });
            wait_for_back_ends(&mut watcher, WAITS, |count| count == 1);
            holder.run("COMMIT");
            client.join().unwrap()
        });
        let conflict = matches!(committed, Err(CommitError::Conflict { .. }));
        assert_eq!((committed.is_ok(), conflict), (deleted, !deleted));
        let found = pollster::block_on(store.get(&[key(1)])).unwrap();
        assert_eq!(found[0].is_none(), deleted, "{found:?}");
    }
    assert_eq!(
        cluster.psql_in(name_of(&url), "SELECT count(*) FROM erp_entries"),
        "0"
    );
}

/// Changes an address repeatedly, including the fields it can be found by, until it is stopped.
async fn change(shop: Shop, address: String, stop: std::sync::Arc<AtomicBool>) {
    let mut number = 0_u64;
    while !stop.load(Ordering::Relaxed) {
        number += 1;
        // A paused server sends its response after it is resumed.
        let _ = patch(&shop, &address, &format!("b-{number}@example.ch")).await;
    }
}

async fn patch(shop: &Shop, address: &str, email: &str) -> StatusCode {
    let body: Value = json!({"EmailAdress": email});
    let request = shop.request(Method::PATCH, &format!("/www/adressen/{address}"));
    let response = request
        .json(&body)
        .send()
        .await
        .expect("the server responds");
    response.status()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paused_server_holds_no_lock() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let url = cluster.fresh_database();
    let demo = Demo::new(&url);
    let (first, second) = (demo.serve("first"), demo.serve("second"));
    let shop = demo.admin(&first).await;
    let stopped = shop.at(second.base_url());
    let found = shop.get(&format!("/www/kunden/{CUSTOMER}")).await;
    let address = found["KundKontakt"].to_string().replace('"', "");
    let mut watcher = cluster.session(name_of(&url));
    for round in 0..rounds() {
        let stop = std::sync::Arc::new(AtomicBool::new(false));
        let clients: Vec<_> = (0..4)
            .map(|_| tokio::spawn(change(stopped.clone(), address.clone(), stop.clone())))
            .collect();
        // The server is in the middle of a transaction when it is paused.
        wait_for_back_ends(&mut watcher, "state = 'active'", |count| count > 0);
        second.pause();
        let started = Instant::now();
        while patch(&shop, &address, &format!("a-{round}@example.ch")).await
            != StatusCode::NO_CONTENT
        {
            assert!(
                started.elapsed() < PATIENCE,
                "the other server holds a lock"
            );
        }
        wait_for_back_ends(&mut watcher, "state LIKE 'idle in transaction%'", |count| {
            count == 0
        });
        stop.store(true, Ordering::Relaxed);
        second.resume();
        for client in clients {
            client.await.unwrap();
        }
        // After it is resumed it continues its work.
        assert_eq!(
            patch(&stopped, &address, "b@example.ch").await,
            StatusCode::NO_CONTENT
        );
    }
}

#[test]
fn settings_that_lose_commits_are_warned_of_at_the_start() {
    const WARNING: &str = "the database may lose acknowledged records in a crash";
    let Some(cluster) = Cluster::start(&ClusterOptions::durable()) else {
        return;
    };
    let url = cluster.create_database("shop");
    let demo = Demo::new(&url);
    let stop = |name: &str| {
        let mut server = demo.serve(name);
        server.terminate();
        assert!(server.wait().success(), "{}", server.stderr());
        demo.log(name)
    };
    let log = stop("safe");
    assert!(log.contains("serving") && !log.contains(WARNING), "{log}");
    cluster.psql("ALTER ROLE erp SET synchronous_commit = off");
    let log = stop("unsafe");
    assert!(
        log.contains(WARNING) && log.contains("synchronous_commit"),
        "{log}"
    );
    assert!(!log.contains("fsync"), "{log}");
}

#[test]
fn a_store_of_one_connection_continues_after_a_stuck_lock() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let url = cluster.fresh_database();
    let one = PostgresOptions {
        connections: 1,
        ..options(&url, Duration::from_secs(4))
    };
    let store = PostgresStore::open(&one).unwrap();
    let put = |number: u64| {
        let mut changes = ChangeSet::new();
        changes.put(key(number), b"value".to_vec());
        pollster::block_on(store.commit(changes))
    };
    put(1).unwrap();
    let mut holder = cluster.session(name_of(&url));
    lock(&mut holder, &key(1));
    assert!(matches!(
        put(1),
        Err(CommitError::Storage(StorageError::Busy))
    ));
    put(2).unwrap();
    holder.run("ROLLBACK");
    put(1).unwrap();
    assert!(Store::from(store).status().takes_writes);
}
