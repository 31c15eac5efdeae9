//! What an operator monitors: readiness, metrics, and the audit trail over the interface.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::net::TcpStream;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use erp_core::erp::{Event, EventKind, Method};
use erp_core::internal::record::encode;
use erp_core::storage::{ChangeSet, Storage as _};
use erp_server::store::Store;
use erp_tests::bodies;
use erp_tests::golden::golden;
use erp_tests::invoice;
use erp_tests::server::{ADMIN, SHOP1, SHOP2, Server};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

const METRICS: (&str, &str) = ("metrics_listen", "127.0.0.1:0");

/// The metrics page, requested like Prometheus does, and its content type.
fn page(server: &Server) -> (String, String) {
    let address = server.metrics_address().expect("a metrics listener");
    server.wait(async {
        let response = reqwest::get(format!("http://{address}/metrics")).await;
        let response = response.unwrap().error_for_status().unwrap();
        let content_type = response.headers()["content-type"].to_str().unwrap();
        (content_type.to_owned(), response.text().await.unwrap())
    })
}

fn samples(server: &Server) -> BTreeMap<String, f64> {
    let (_, text) = page(server);
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, value) = line.rsplit_once(' ').unwrap();
            (name.to_owned(), value.parse().unwrap())
        })
        .collect()
}

fn order(server: &Server) -> String {
    let body = bodies::order("10001", json!([{"ArtNr": "BU-1004", "Menge": 1}]));
    let placed = server.send("POST", "/www/auftrag", &body);
    placed.expect(201).number("AuftNr")
}

fn checks(body: &Value) -> Vec<(&str, &str)> {
    let checks = body.as_object().unwrap().iter();
    checks
        .map(|(name, word)| (name.as_str(), word.as_str().unwrap()))
        .collect()
}

#[test]
fn a_working_server_is_ready_and_a_stopping_one_is_not() {
    let server = Server::start();
    let ready = server.get("/health/ready").send().expect(200);
    golden(&server, "ready", &ready);
    server.announce_stop();
    let stopping = server.get("/health/ready").send_unchecked();
    golden(&server, "ready-stopping", &stopping);
    assert_eq!(stopping.status, 503);
    // It is still alive and responds.
    let _ = server.get("/health/live").send().expect(200);
    let _ = server.read("/www/artikel?limit=1").expect(200);
}

#[test]
fn a_full_disk_is_not_ready() {
    let server = Server::start();
    // Free space that cannot be read counts as none.
    let data = server.folder().join("data");
    let elsewhere = server.folder().join("elsewhere");
    fs::rename(&data, &elsewhere).unwrap();
    let response = server.get("/health/ready").send_unchecked();
    fs::rename(&elsewhere, &data).unwrap();
    response.refused(503, "not_ready");
    assert_eq!(response.header("retry-after"), Some("1"));
    let reported = response.json();
    let reported = checks(&reported["info"]["checks"]);
    assert_eq!(
        reported,
        [
            ("disk", "failed"),
            ("media", "ok"),
            ("numbers", "ok"),
            ("serving", "ok"),
            ("store", "ok"),
            ("writes", "ok")
        ]
    );
}

#[test]
fn metrics_have_a_listener_of_their_own() {
    let server = Server::with(&[METRICS]);
    let (content_type, text) = page(&server);
    assert!(
        content_type.starts_with("application/openmetrics-text"),
        "{content_type}"
    );
    assert!(text.ends_with("# EOF\n"), "{text}");
    let _ = server.get("/metrics").send().expect(404);
    let address = server.metrics_address().unwrap();
    let elsewhere = server.wait(reqwest::get(format!("http://{address}/www/artikel")));
    let elsewhere = elsewhere.unwrap();
    assert_eq!(elsewhere.status().as_u16(), 404);
    assert_eq!(server.wait(elsewhere.text()).unwrap(), "");
    assert_eq!(Server::start().metrics_address(), None);
}

#[test]
fn connections_without_a_request_do_not_block_a_scrape() {
    const CONNECTIONS: usize = 145;
    let server = Server::with(&[METRICS]);
    let address = server.metrics_address().unwrap();
    let idle: Vec<TcpStream> = (0..CONNECTIONS)
        .map(|_| {
            let mut stream = TcpStream::connect(address).unwrap();
            // The server may already have closed it.
            let _ = stream.write_all(b"GET /metrics HTTP/1.1\r\n");
            stream
        })
        .collect();
    let (_, text) = page(&server);
    assert!(text.ends_with("# EOF\n"), "{text}");
    // One of them had to end first, which shows that the connections are limited.
    let has_ended = |stream: &TcpStream| {
        stream.set_nonblocking(true).unwrap();
        !matches!(stream.peek(&mut [0]), Err(error) if error.kind() == ErrorKind::WouldBlock)
    };
    assert!(
        idle.iter().any(has_ended),
        "more connections than {CONNECTIONS} are served"
    );
}

#[test]
fn metrics_count_requests_by_pattern() {
    let server = Server::with(&[METRICS]);
    for number in ["BU-1001", "BU-1002", "BU-1002?limit=geheim"] {
        let path = format!("/www/artikel/{number}");
        let _ = server.read(&path);
    }
    let _ = server.read("/www/artikel/NOPE").expect(404);
    let _ = server.get("/www/nirgends/geheim").send().expect(404);
    let _ = server
        .post("/www/token")
        .basic(SHOP1.name, "falsch")
        .send()
        .expect(401);
    let found = samples(&server);
    let requests = |labels: &str| found[&format!("erp_http_requests_total{{{labels}}}")];
    let article = r#"method="GET",route="/www/artikel/{ArtNr}""#;
    assert_eq!(requests(&format!(r#"{article},status="200""#)), 3.0);
    assert_eq!(requests(&format!(r#"{article},status="404""#)), 1.0);
    assert_eq!(requests(r#"method="GET",route="none",status="404""#), 1.0);
    assert_eq!(
        requests(r#"method="POST",route="/www/token",status="401""#),
        1.0
    );
    assert_eq!(found["erp_logins_refused_total"], 1.0);
    assert_eq!(found["erp_http_requests_in_flight"], 0.0);
    let seconds = format!("erp_http_request_duration_seconds_count{{{article}}}");
    assert_eq!(found[&seconds], 4.0);
    assert_eq!(found[r#"erp_build_info{version="0.1.0"}"#], 1.0);
    let (_, text) = page(&server);
    for name in ["BU-1001", "NOPE", "geheim", SHOP1.name] {
        assert!(!text.contains(name), "`{name}` is a label: {text}");
    }
    let mut help = text.lines().filter_map(|line| line.strip_prefix("# HELP "));
    let unexplained = help.find(|line| line.split_once(' ').is_none_or(|(_, help)| help == "."));
    assert_eq!(unexplained, None);
}

#[test]
fn metrics_show_the_state_of_the_store() {
    let server = Server::with(&[METRICS]);
    let before = samples(&server);
    for _ in 0..3 {
        order(&server);
    }
    let after = samples(&server);
    let grown = |name: &str| after[name] - before[name];
    let (growing, large): (&[&str], &[&str]) = match server.erp().store() {
        Store::Sled(_) => (
            &[
                "erp_store_commits_total",
                "erp_store_commit_groups_total",
                "erp_store_sync_duration_seconds_count",
                "erp_store_last_revision",
            ],
            &[
                "erp_store_journal_bytes",
                "erp_store_sled_bytes",
                "erp_disk_free_bytes",
            ],
        ),
        Store::Postgres(_) => (
            &[
                "erp_store_commits_total",
                "erp_store_commit_duration_seconds_count",
            ],
            &["erp_disk_free_bytes"],
        ),
    };
    for name in growing {
        assert!(grown(name) >= 3.0, "{name}: {}", grown(name));
        if let Some(times) = name.strip_suffix("_seconds_count") {
            assert!(after[&format!("{times}_seconds_sum")] > 0.0);
        }
    }
    assert_eq!(after["erp_store_queue_length"], 0.0);
    assert_eq!(after["erp_store_writable"], 1.0);
    for name in large {
        assert!(after[*name] > 1_000.0, "{name}: {}", after[*name]);
    }
    if cfg!(target_os = "linux") {
        assert!(after["process_resident_memory_bytes"] > 1_000_000.0);
        assert!(after["process_open_fds"] > 3.0);
    }
}

#[test]
fn metrics_show_waiting_deliveries_and_results_of_invoices() {
    let server = Server::with(&[METRICS]);
    let before = samples(&server);
    assert_eq!(before["erp_event_deliveries_waiting"], 0.0);
    assert_eq!(before["erp_event_oldest_waiting_seconds"], 0.0);
    let target = json!({"url": "https://receiver.example.com/hook"});
    let added = server
        .post("/admin/events/targets")
        .by(ADMIN)
        .json(&target)
        .send();
    let _ = added.expect(201);
    happened(&server, 2);
    let body = json!({"Operation": "Extract", "PDF": "bm8gUERG"});
    let _ = server.send("POST", "/www/zugferd", &body).expect(400);
    let _ = server
        .send("POST", "/www/zugferd", &json!({"Operation": "Shred"}))
        .expect(422);
    let xml = STANDARD.encode(invoice::cut());
    for (status, body) in [
        (200, json!({"Operation": "Check", "XML": "PGEvPg=="})),
        (
            422,
            json!({"Operation": "Combine", "PDF": "bm8gUERG", "XML": xml}),
        ),
    ] {
        let request = server.post("/www/zugferd").by(SHOP1).json(&body);
        let _ = request.send().expect(status);
    }
    let after = samples(&server);
    let count = |operation: &str, outcome: &str| {
        after[&format!(r#"erp_zugferd_total{{operation="{operation}",outcome="{outcome}"}}"#)]
    };
    assert_eq!(count("Extract", "failed"), 1.0);
    assert_eq!(count("Check", "not-checked"), 1.0);
    // An invoice that was processed and then refused is counted once.
    assert_eq!(count("Combine", "failed"), 1.0);
    assert_eq!(count("none", "refused"), 1.0);
    assert_eq!(after["erp_event_deliveries_waiting"], 2.0);
    assert!(after["erp_event_oldest_waiting_seconds"] >= 3_600.0);
}

/// Events of an hour ago that wait for delivery; no delivery runs here.
fn happened(server: &Server, events: usize) {
    let at = Timestamp::now() - SignedDuration::from_hours(1);
    let mut changes = ChangeSet::new();
    for number in 0..events {
        let event = Event {
            kind: EventKind::Order,
            at,
            number: number.to_string(),
            articles: Vec::new(),
            method: Method::Post,
            user: "shop1".to_owned(),
            status: None,
        };
        changes.event(encode(&event).unwrap());
    }
    server.wait(server.erp().store().commit(changes)).unwrap();
    let moved = server.wait(server.erp().upkeep(Timestamp::now()).events().fan_out(100));
    assert_eq!(moved.unwrap(), events);
}

fn audit(server: &Server, query: &str) -> Value {
    let path = format!("/admin/audit{query}");
    server.get(&path).by(ADMIN).send().expect(200).json()
}

fn of(response: &Value, member: &str) -> Vec<Value> {
    let entries = response["data"].as_array().unwrap().iter();
    entries.map(|entry| entry[member].clone()).collect()
}

#[test]
fn the_audit_trail_records_who_changed_what_by_which_request() {
    let server = Server::start();
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let id = "shop.42_5f0c2f5e-6c1d-4c0e-9d53-0d3a1c2b7e11";
    let created = server
        .post("/www/kunden")
        .by(SHOP1)
        .header("x-request-id", id.as_bytes())
        .header(
            "traceparent",
            format!("00-{trace}-00f067aa0ba902b7-01").as_bytes(),
        )
        .json(&bodies::full_customer())
        .send()
        .expect(201);
    let customer = format!("Kunde {}", created.number("DebiNr"));
    let number = order(&server);
    let _ = server
        .put(&format!("/admin/auftrag/{number}/status"))
        .by(ADMIN)
        .json(&json!({"AuftStatus": "O"}))
        .send()
        .expect(200);
    let all = audit(&server, "");
    assert_eq!(
        of(&all, "operation"),
        [
            "POST /www/token",
            "POST /www/kunden",
            "POST /www/auftrag",
            "POST /www/token",
            "PUT /admin/auftrag/{AuftNr}/status",
        ]
    );
    assert_eq!(
        of(&all, "user"),
        ["shop1", "shop1", "shop1", "admin", "admin"]
    );
    assert_eq!(all["count"], 5);
    assert_eq!(all["next"], Value::Null);
    let entry = &all["data"][1];
    assert_eq!(entry["request_id"], id);
    assert_eq!(entry["trace_id"], trace);
    assert_eq!(all["data"][2]["trace_id"], Value::Null);
    let changed = entry["changed"].as_array().unwrap();
    assert_eq!(changed.iter().filter(|name| **name == customer).count(), 1);
    assert_eq!(changed.len(), 4, "the customer and its addresses: {entry}");
    assert_eq!(all["data"][0]["changed"], json!(["Token shop1"]));
    let found = audit(&server, &format!("?record=Auftrag+{number}"));
    assert_eq!(
        of(&found, "operation"),
        ["POST /www/auftrag", "PUT /admin/auftrag/{AuftNr}/status"]
    );
    assert_eq!(audit(&server, "?user=admin")["count"], 2);
    assert_eq!(audit(&server, "?user=nobody")["count"], 0);
    let longest = format!("?user={}:10000001", "n".repeat(80));
    assert_eq!(audit(&server, &longest)["count"], 0);
    let after = format!("?after={}", entry["id"].as_str().unwrap());
    assert_eq!(audit(&server, &after)["count"], 3);
    let at = entry["at"].as_str().unwrap();
    assert_eq!(audit(&server, &format!("?since={at}"))["count"], 4);
    assert_eq!(audit(&server, &format!("?until={at}"))["count"], 1);
    let reported = all.to_string();
    for secret in ["Rue", "example.ch", "Façade", server.token(SHOP1), "geheim"] {
        assert!(!reported.contains(secret), "`{secret}` in {reported}");
    }
}

#[test]
fn the_audit_trail_has_pages_and_survives_the_deletion_of_the_log() {
    let server = Server::start();
    for _ in 0..5 {
        order(&server);
    }
    let _ = server.delete("/www/log").by(ADMIN).send().expect(204);
    let mut seen = Vec::new();
    let mut query = "?limit=2".to_owned();
    for _ in 0..10 {
        let page = audit(&server, &query);
        seen.extend(of(&page, "operation"));
        let Some(next) = page["next"].as_str() else {
            break;
        };
        query = format!("?limit=2&after={next}");
    }
    assert_eq!(seen.len(), 7, "five orders and two tokens: {seen:?}");
    let newest = of(&audit(&server, "?newest=true"), "operation");
    assert!(newest.iter().eq(seen.iter().rev()), "{newest:?}");
    for (query, parameter) in [
        ("?after=x", "after"),
        ("?newest=yes", "newest"),
        ("?since=gestern", "since"),
        ("?until=morgen", "until"),
        ("?limit=0", "limit"),
        ("?limit=1001", "limit"),
    ] {
        let path = format!("/admin/audit{query}");
        let refused = server.get(&path).by(ADMIN).send().expect(400);
        assert_eq!(refused.json()["info"]["parameter"], parameter, "{query}");
    }
    for login in [SHOP1, SHOP2] {
        let _ = server.get("/admin/audit").by(login).send().expect(403);
    }
}
