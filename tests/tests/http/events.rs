//! Delivery of events to a real receiver over real sockets.

mod failing;
mod receivers;
mod servers;

use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use erp_core::internal::Schedule;
use erp_server::delivery::Pace;
use erp_tests::client::{Client, stop};
use erp_tests::event_receiver::{Behaviour, PATIENCE, Receiver, hmac_sha256};
use erp_tests::orders::place;
use erp_tests::process;
use erp_tests::server::{ADMIN, SHOP1, Server};
use erp_tests::{bodies, exchange::Exchange};
use jiff::SignedDuration;
use jiff::Timestamp;
use serde_json::{Value, json};
use tempfile::TempDir;

const ALLOWED: (&str, &str) = ("event_private_targets", "true");

/// No waiting: failed attempts are repeated after a millisecond, this many times.
fn pace(retries: usize) -> Pace {
    Pace {
        poll: Duration::from_millis(5),
        attempt: PATIENCE,
        margin: Duration::from_secs(1),
        ending: PATIENCE,
        after_error: Duration::from_millis(5),
        schedule: Schedule::new(vec![SignedDuration::from_millis(1); retries]),
    }
}

fn add(server: &Server, body: &Value) -> Exchange {
    server
        .post("/admin/events/targets")
        .by(ADMIN)
        .json(body)
        .send()
}

/// Adds a target; returns its number and secret.
fn target(server: &Server, receiver: &Receiver) -> (u64, String) {
    let data = add(server, &json!({"url": receiver.url()}))
        .expect(201)
        .data();
    let secret = data["secret"].as_str().unwrap().to_owned();
    (data["id"].as_u64().unwrap(), secret)
}

fn order(server: &Server) -> String {
    let body = bodies::order("10001", json!([{"ArtNr": "BU-1004", "Menge": 1}]));
    place(server, &body).expect(201).number("AuftNr")
}

fn events(server: &Server) -> Vec<Value> {
    let response = server.get("/admin/events").by(ADMIN).send().expect(200);
    response.data().as_array().unwrap().clone()
}

/// Waits until the list of events fulfils a condition.
#[track_caller]
fn wait_until(server: &Server, what: &str, is_so: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    let started = Instant::now();
    loop {
        let events = events(server);
        if is_so(&events) {
            return events;
        }
        assert!(started.elapsed() < PATIENCE, "not {what}: {events:?}");
        thread::sleep(Duration::from_millis(5));
    }
}

fn states(events: &[Value], target: u64) -> Vec<String> {
    let deliveries = events
        .iter()
        .flat_map(|event| event["deliveries"].as_array().unwrap());
    deliveries
        .filter(|delivery| delivery["target"] == target)
        .map(|delivery| delivery["state"].as_str().unwrap().to_owned())
        .collect()
}

fn all(events: &[Value], target: u64, count: usize, state: &str) -> bool {
    let states = states(events, target);
    states.len() == count && states.iter().all(|found| found == state)
}

/// Outcome and status of every attempt of an event's only delivery.
fn attempts(event: &Value) -> Vec<(String, Option<u64>)> {
    let attempts = event["deliveries"][0]["attempts"].as_array().unwrap();
    let attempt = |attempt: &Value| {
        let outcome = attempt["outcome"].as_str().unwrap().to_owned();
        (outcome, attempt["status"].as_u64())
    };
    attempts.iter().map(attempt).collect()
}

fn is_sound(server: &Server) {
    let found = server
        .wait(server.erp().upkeep(Timestamp::now()).check())
        .unwrap();
    assert_eq!(found.findings, []);
}

#[test]
fn the_test_signs_according_to_the_convention() {
    // The test vector of the Standard Webhooks libraries.
    let key = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
    let signed = br#"msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}"#;
    assert_eq!(
        STANDARD.encode(hmac_sha256(&key, signed)),
        "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    );
}

// rule: R-EVT-01, R-EVT-02, R-EVT-05
#[test]
fn orders_and_customers_reach_a_target_signed() {
    let server = Server::with(&[ALLOWED]);
    server.deliver_events(pace(0));
    let receiver = Receiver::new(&[], Behaviour::Status(204));
    let (id, secret) = target(&server, &receiver);
    let created = server
        .send("POST", "/www/kunden", &bodies::customer())
        .expect(201);
    let customer = created.number("DebiNr");
    let order = order(&server);
    let received = receiver.wait_for(2);
    for request in &received {
        assert_eq!(request.request_line(), "POST /hook?key=1 HTTP/1.1");
        assert_eq!(request.header("content-type"), "application/json");
        assert!(request.is_signed_with(&secret));
        let other = format!("whsec_{}", STANDARD.encode([7; 32]));
        assert!(!request.is_signed_with(&other));
        let seconds: i64 = request.header("webhook-timestamp").parse().unwrap();
        assert!(seconds >= server.started().as_second());
    }
    let found = |kind: &str| {
        let found = received
            .iter()
            .find(|request| request.json()["type"] == kind);
        found.unwrap().clone()
    };
    assert_eq!(
        found("REST_Auft").json()["data"],
        json!({"AuftNr": order, "method": "POST", "user": "shop1"})
    );
    assert_eq!(
        found("REST_Kunde").json()["data"],
        json!({"DebiNr": customer, "method": "POST", "user": "shop1"})
    );
    let events = wait_until(&server, "delivered", |events| {
        all(events, id, 2, "delivered")
    });
    for event in &events {
        assert_eq!(attempts(event), [("answered".to_owned(), Some(204))]);
        let request = found(event["type"].as_str().unwrap());
        assert_eq!(request.header("webhook-id"), event["id"]);
        assert_eq!(request.json()["timestamp"], event["timestamp"]);
    }
    is_sound(&server);
}

// rule: D-EVT-01
#[test]
fn a_change_of_state_reaches_a_target_with_the_new_state() {
    let server = Server::with(&[ALLOWED]);
    let receiver = Receiver::new(&[], Behaviour::Status(204));
    let _ = target(&server, &receiver);
    let order = order(&server);
    server.deliver_events(pace(0));
    let _ = receiver.wait_for(1);
    let moved = server.put(&format!("/admin/auftrag/{order}/status"));
    let moved = moved.by(ADMIN).json(&json!({"AuftStatus": "S"}));
    let _ = moved.send().expect(200);
    assert_eq!(
        receiver.wait_for(2)[1].json()["data"],
        json!({"AuftNr": order, "AuftStatus": "S", "method": "PUT", "user": "admin"})
    );
    is_sound(&server);
}

// rule: R-EVT-05
#[test]
fn every_failure_is_tried_again_under_the_same_id() {
    let server = Server::with(&[ALLOWED]);
    let script = [
        Behaviour::Status(500),
        Behaviour::Die,
        Behaviour::DieInTheMiddle,
        Behaviour::Status(302),
        Behaviour::Status(404),
    ];
    let receiver = Receiver::new(&script, Behaviour::Status(200));
    let (id, secret) = target(&server, &receiver);
    order(&server);
    server.deliver_events(pace(10));
    let events = wait_until(&server, "delivered", |events| {
        all(events, id, 1, "delivered")
    });
    let with_status = |status| ("answered".to_owned(), Some(status));
    let broken = || ("broken".to_owned(), None);
    assert_eq!(
        attempts(&events[0]),
        [
            with_status(500),
            broken(),
            broken(),
            with_status(302),
            with_status(404),
            with_status(200)
        ]
    );
    let received = receiver.received();
    assert_eq!(received.len(), 6, "no redirection is followed");
    for request in &received {
        assert_eq!(request.header("webhook-id"), events[0]["id"]);
        assert!(request.is_signed_with(&secret));
    }
    is_sound(&server);
}

/// How many attempts to deliver the metrics count, by outcome.
fn counted(server: &Server, outcome: &str) -> Option<u64> {
    let address = server.metrics_address().expect("a metrics listener");
    let page = server.wait(async {
        let page = reqwest::get(format!("http://{address}/metrics")).await;
        page.unwrap().text().await.unwrap()
    });
    let name = format!(r#"erp_event_attempts_total{{outcome="{outcome}"}} "#);
    page.lines()
        .find_map(|line| line.strip_prefix(&name)?.parse().ok())
}

// rule: R-EVT-06, R-EVT-08
#[test]
fn deliveries_to_a_silent_target_fail_and_can_be_replayed() {
    let server = Server::with(&[ALLOWED, ("metrics_listen", "127.0.0.1:0")]);
    assert_eq!(counted(&server, "given_up"), Some(0));
    let receiver = Receiver::new(&[], Behaviour::Hang);
    let (id, _) = target(&server, &receiver);
    order(&server);
    server.deliver_events(Pace {
        attempt: Duration::from_millis(300),
        ..pace(2)
    });
    let events = wait_until(&server, "the delivery has failed", |events| {
        all(events, id, 1, "given_up")
    });
    assert_eq!(
        attempts(&events[0]),
        vec![("timed_out".to_owned(), None); 3]
    );
    let outcomes = ["failed", "given_up", "delivered", "target_gone"];
    let counts = || outcomes.map(|outcome| counted(&server, outcome));
    // The metrics count an attempt after it is recorded.
    erp_tests::wait::wait_until("counted", || counts() == [2, 1, 0, 0].map(Some));
    receiver.now(Behaviour::Status(200));
    let event = events[0]["id"].as_str().unwrap();
    let replay = |path: &str| server.post(path).by(ADMIN).send().expect(200).data();
    let one = replay(&format!("/admin/events/replay/{event}"));
    assert_eq!(one, json!({"deliveries": 1}));
    // On a slow machine each event may need more than one attempt.
    let tried = |count: usize| {
        move |events: &[Value]| {
            all(events, id, 1, "delivered") && attempts(&events[0]).len() > count
        }
    };
    let events = wait_until(&server, "delivered", tried(3));
    let before = attempts(&events[0]).len();
    let time = server.started().to_string();
    let since = replay(&format!("/admin/events/replay?since={time}"));
    assert_eq!(since, json!({"deliveries": 1}));
    wait_until(&server, "delivered again", tried(before));
    let later = "/admin/events/replay?since=2100-01-01T00:00:00Z";
    assert_eq!(replay(later), json!({"deliveries": 0}));
    is_sound(&server);
}

#[test]
fn failed_events_are_listed_and_counted() {
    let server = Server::with(&[ALLOWED]);
    let receiver = Receiver::new(&[Behaviour::Status(204)], Behaviour::Status(500));
    let (id, _) = target(&server, &receiver);
    let failed = |query: &str| {
        let path = format!("/admin/events?state=failed{query}");
        server.get(&path).by(ADMIN).send()
    };
    assert_eq!(
        failed("").expect(200).json(),
        json!({"count": 0, "data": [], "next": null})
    );
    server.deliver_events(pace(0));
    for _ in 0..3 {
        order(&server);
    }
    let is_over = |events: &[Value]| {
        let states = states(events, id);
        states.len() == 3 && !states.contains(&"waiting".to_owned())
    };
    let all = wait_until(&server, "tried", is_over);
    let delivered = |event: &&Value| event["deliveries"][0]["state"] == "delivered";
    assert_eq!(all.iter().filter(delivered).count(), 1);
    let given_up: Vec<&Value> = all.iter().rev().filter(|event| !delivered(event)).collect();
    let listed = failed("").expect(200).json();
    assert_eq!(
        (&listed["count"], &listed["data"], &listed["next"]),
        (&json!(2), &json!(given_up), &Value::Null)
    );
    let first = failed("&limit=1").expect(200).json();
    assert_eq!(first["data"], json!([given_up[0]]));
    let next = first["next"].as_str().unwrap();
    let second = failed(&format!("&limit=1&after={next}")).expect(200).json();
    assert_eq!(second["data"], json!([given_up[1]]));
    let stats = server
        .get("/admin/stats")
        .by(ADMIN)
        .send()
        .expect(200)
        .data();
    assert_eq!(
        stats["events"],
        json!({"waiting": 0, "failed": 2, "oldestWaitingSeconds": 0})
    );
    failed("x").refused(400, "malformed");
    failed("&since=2026-01-01T00:00:00Z").refused(400, "malformed");
}

#[test]
fn a_test_delivery_is_signed_and_leaves_nothing_behind() {
    let server = Server::with(&[ALLOWED]);
    let receiver = Receiver::new(&[], Behaviour::Status(204));
    let (id, secret) = target(&server, &receiver);
    let path = format!("/admin/events/targets/{id}");
    let send = || server.post(&format!("{path}/test")).by(ADMIN).send();
    let data = send().expect(200).data();
    assert_eq!(data["status"], 204);
    assert!(
        data["millis"].is_u64() && data.get("error").is_none(),
        "{data}"
    );
    let received = receiver.wait_for(1);
    assert!(received[0].is_signed_with(&secret));
    assert!(received[0].header("webhook-id").starts_with("test_"));
    let body = received[0].json();
    assert_eq!(body["type"], "REST_Test");
    assert_eq!(body["data"], json!({"method": "POST", "user": ADMIN.name}));
    // A test delivery also works for a target that is switched off, and a 410 to it does not switch off a target.
    receiver.now(Behaviour::Status(410));
    assert_eq!(send().expect(200).data()["status"], 410);
    let targets = server.get("/admin/events/targets").by(ADMIN).send();
    assert_eq!(targets.expect(200).data()[0]["enabled"], true);
    let off = server.put(&path).by(ADMIN).json(&json!({"enabled": false}));
    let _ = off.send().expect(200);
    receiver.now(Behaviour::Status(200));
    assert_eq!(send().expect(200).data()["status"], 200);
    assert_eq!(events(&server), [] as [Value; 0]);
    receiver.now(Behaviour::Die);
    let data = send().expect(200).data();
    assert_eq!(data["error"], "broken");
    assert!(data.get("status").is_none(), "{data}");
    let test = |login| server.post(&format!("{path}/test")).by(login).send();
    test(SHOP1).refused(403, "insufficient_scope");
    let unknown = server
        .post("/admin/events/targets/99/test")
        .by(ADMIN)
        .send();
    unknown.refused(404, "not_found");
}

// rule: R-EVT-09
#[test]
fn a_test_delivery_goes_to_no_private_address_without_the_setting() {
    let server = Server::with(&[ALLOWED]);
    let receiver = Receiver::new(&[], Behaviour::Status(204));
    let (id, _) = target(&server, &receiver);
    let server = server.restart(&[]);
    let test = server.post(&format!("/admin/events/targets/{id}/test"));
    let data = test.by(ADMIN).send().expect(200).data();
    assert_eq!(data["error"], "address_refused");
    assert!(receiver.received().is_empty());
}

// rule: R-EVT-07
#[test]
fn status_410_switches_a_target_off() {
    let server = Server::with(&[ALLOWED]);
    let gone = Receiver::new(&[], Behaviour::Status(410));
    let healthy = Receiver::new(&[], Behaviour::Status(200));
    let (first, _) = target(&server, &gone);
    let (second, _) = target(&server, &healthy);
    server.deliver_events(pace(5));
    order(&server);
    wait_until(&server, "gone", |events| {
        all(events, first, 1, "target_gone")
    });
    order(&server);
    wait_until(&server, "delivered", |events| {
        all(events, second, 2, "delivered")
    });
    assert_eq!(gone.received().len(), 1);
    assert_eq!(states(&events(&server), first).len(), 1);
    let switch = format!("/admin/events/targets/{first}");
    let targets = || {
        let response = server.get("/admin/events/targets").by(ADMIN).send();
        let data = response.expect(200).data();
        let enabled = |target: &Value| target["enabled"].as_bool().unwrap();
        data.as_array()
            .unwrap()
            .iter()
            .map(enabled)
            .collect::<Vec<_>>()
    };
    assert_eq!(targets(), [false, true]);
    gone.now(Behaviour::Status(200));
    let on = server
        .put(&switch)
        .by(ADMIN)
        .json(&json!({"enabled": true}));
    assert_eq!(on.send().expect(200).data()["enabled"], true);
    order(&server);
    gone.wait_for(2);
    assert_eq!(targets(), [true, true]);
    is_sound(&server);
}

// rule: R-EVT-04
#[test]
fn events_committed_before_a_restart_are_delivered_after_it() {
    let server = Server::with(&[ALLOWED]);
    let receiver = Receiver::new(&[], Behaviour::Status(200));
    let (id, secret) = target(&server, &receiver);
    let mut orders: Vec<String> = (0..20).map(|_| order(&server)).collect();
    assert_eq!(receiver.received().len(), 0);
    let server = server.restart(&[ALLOWED]);
    server.deliver_events(pace(0));
    wait_until(&server, "delivered", |events| {
        all(events, id, 20, "delivered")
    });
    let received = receiver.received();
    assert!(
        received
            .iter()
            .all(|request| request.is_signed_with(&secret))
    );
    let number = |body: Value| body["data"]["AuftNr"].as_str().unwrap().to_owned();
    let mut numbers: Vec<String> = received.iter().map(|r| number(r.json())).collect();
    numbers.sort();
    orders.sort();
    assert_eq!(numbers, orders, "each once");
    is_sound(&server);
}

// rule: R-EVT-09
#[test]
fn private_addresses_are_refused_by_default() {
    let server = Server::start();
    let receiver = Receiver::new(&[], Behaviour::Status(200));
    let refused = add(&server, &json!({"url": receiver.url()})).expect(422);
    let problems = refused.problems();
    assert_eq!(problems.len(), 1);
    assert!(
        refused.text().contains("event_private_targets"),
        "{problems:?}"
    );
    // Only the lookup of the name shows that the address is private.
    let url = format!("http://localhost:{}/", receiver.port());
    let added = add(&server, &json!({"url": url})).expect(201).data();
    order(&server);
    server.deliver_events(pace(1));
    let id = added["id"].as_u64().unwrap();
    let events = wait_until(&server, "the delivery has failed", |events| {
        all(events, id, 1, "given_up")
    });
    assert_eq!(
        attempts(&events[0]),
        vec![("address_refused".to_owned(), None); 2]
    );
    assert_eq!(receiver.received().len(), 0);
}

// rule: R-EVT-09
#[test]
fn a_target_that_was_allowed_once_is_refused_without_the_setting() {
    let server = Server::with(&[ALLOWED]);
    let receiver = Receiver::new(&[], Behaviour::Status(200));
    let (id, _) = target(&server, &receiver);
    order(&server);
    let server = server.restart(&[]);
    server.deliver_events(pace(0));
    let events = wait_until(&server, "the delivery has failed", |events| {
        all(events, id, 1, "given_up")
    });
    assert_eq!(attempts(&events[0]), [("address_refused".to_owned(), None)]);
    assert_eq!(receiver.received().len(), 0);
}

#[test]
fn nothing_listens_or_speaks_tls() {
    let server = Server::with(&[ALLOWED]);
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = closed.local_addr().unwrap().port();
    drop(closed);
    let receiver = Receiver::new(&[], Behaviour::Status(200));
    for url in [
        format!("http://127.0.0.1:{port}/"),
        format!("https://127.0.0.1:{}/", receiver.port()),
    ] {
        let _ = add(&server, &json!({"url": url})).expect(201);
    }
    order(&server);
    server.deliver_events(Pace {
        attempt: Duration::from_secs(2),
        ..pace(0)
    });
    let events = wait_until(&server, "the delivery has failed", |events| {
        all(events, 1, 1, "given_up") && all(events, 2, 1, "given_up")
    });
    assert_eq!(attempts(&events[0]), [("no_connection".to_owned(), None)]);
    assert_eq!(receiver.received().len(), 0, "no request without TLS");
}

/// A receiver to which no event is sent.
const RECEIVER: &str = "https://receiver.example.com/hook";

// rule: R-EVT-10
#[test]
fn a_secret_is_shown_once_and_only_when_it_was_generated() {
    let server = Server::with(&[ALLOWED]);
    let given = format!("whsec_{}", STANDARD.encode([1; 24]));
    let url = RECEIVER;
    let wanted = json!({"url": url, "secret": given, "kinds": ["REST_Kunde"]});
    let data = add(&server, &wanted).expect(201).data();
    assert_eq!(data["secret"], Value::Null, "its owner knows it already");
    assert_eq!(data["kinds"], json!(["REST_Kunde"]));
    let made = add(&server, &json!({"url": url})).expect(201).data();
    let made = made["secret"].as_str().unwrap().to_owned();
    let listed = server.get("/admin/events/targets").by(ADMIN).send();
    let listed = listed.expect(200).text();
    assert!(
        listed.contains(url) && !listed.contains("whsec_"),
        "{listed}"
    );
    assert!(!listed.contains(&made));
}

// rule: R-EVT-10
#[test]
fn bodies_about_targets_are_refused_with_their_problem() {
    let server = Server::with(&[ALLOWED]);
    let url = RECEIVER;
    let _ = add(&server, &json!({"url": url})).expect(201);
    for (body, member, code) in [
        (json!({}), "url", "required"),
        (json!({"url": null}), "url", "required"),
        (json!({"url": ""}), "url", "required"),
        (json!({"url": " "}), "url", "required"),
        (json!({"url": 5}), "url", "wrong_type"),
        (json!([]), "", "wrong_type"),
        (json!({"url": "ftp://example.com"}), "url", "malformed"),
        (
            json!({"url": url, "secret": "short"}),
            "secret",
            "malformed",
        ),
        (json!({"url": url, "secret": 7}), "secret", "wrong_type"),
        (
            json!({"url": url, "kinds": ["REST_Nope"]}),
            "kinds",
            "unknown_value",
        ),
        (
            json!({"url": url, "kinds": "REST_Auft"}),
            "kinds",
            "unknown_value",
        ),
    ] {
        let problems = add(&server, &body).expect(422).problems();
        assert_eq!(problems, [(member.to_owned(), code.to_owned())], "{body}");
    }
    for (body, path, code) in [
        (json!({}), "enabled", "required"),
        (json!({"enabled": 1}), "enabled", "wrong_type"),
        (json!([]), "", "wrong_type"),
    ] {
        let switched = server.put("/admin/events/targets/1").by(ADMIN).json(&body);
        let problems = switched.send().expect(422).problems();
        assert_eq!(problems, [(path.to_owned(), code.to_owned())], "{body}");
    }
}

// rule: R-EVT-08, R-EVT-10
#[test]
fn targets_are_administered_by_admins() {
    let server = Server::with(&[ALLOWED]);
    let wanted = json!({"url": RECEIVER});
    let _ = add(&server, &wanted).expect(201);
    let call = |method, path: &str, login| server.call(method, path).by(login);
    for (method, path) in [
        ("GET", "/admin/events"),
        ("GET", "/admin/events/targets"),
        ("DELETE", "/admin/events/targets/1"),
        ("POST", "/admin/events/replay/evt_1_0"),
        ("POST", "/admin/events/replay?since=2026-01-01T00:00:00Z"),
    ] {
        let _ = call(method, path, SHOP1).send().expect(403);
    }
    let _ = call("POST", "/admin/events/targets", SHOP1)
        .json(&wanted)
        .send()
        .expect(403);
    let _ = call("DELETE", "/admin/events/targets/1", ADMIN)
        .send()
        .expect(204);
    for (method, path, status) in [
        ("DELETE", "/admin/events/targets/1", 404),
        ("DELETE", "/admin/events/targets/x", 404),
        ("POST", "/admin/events/replay/evt_999999_0", 404),
        ("POST", "/admin/events/replay/nope", 404),
        ("POST", "/admin/events/replay", 400),
        ("POST", "/admin/events/replay?since=yesterday", 400),
        ("GET", "/admin/events?since=yesterday", 400),
        ("GET", "/admin/events?limit=0", 400),
        ("GET", "/admin/events?after=17", 400),
    ] {
        let _ = call(method, path, ADMIN).send().expect(status);
    }
}

/// A store with the demo data, for servers in separate processes.
struct Demo {
    folder: TempDir,
    users: Vec<process::Credentials>,
}

impl Demo {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("users.json");
        let mut demo = Self {
            folder,
            users: Vec::new(),
        };
        let credentials = ["--orders", "0", "--credentials", file.to_str().unwrap()];
        process::Server::start(demo.arguments("demo", &credentials)).kill();
        demo.users = process::credentials(&file);
        demo
    }

    fn data(&self) -> String {
        let data = self.folder.path().join("data");
        data.to_str().unwrap().to_owned()
    }

    fn arguments(&self, verb: &str, rest: &[&str]) -> Vec<String> {
        let data = self.data();
        let settings = ["--data", &data, "--event-private-targets", "true"];
        let words = std::iter::once(verb).chain(rest.iter().copied());
        words.chain(settings).map(str::to_owned).collect()
    }

    fn serve(&self) -> process::Server {
        process::Server::start(self.arguments("serve", &[]))
    }

    fn events(&self, rest: &[&str]) -> String {
        process::run(self.arguments("events", rest)).success()
    }

    /// Adds a target with a fixed secret.
    fn add(&self, url: &str, secret: &str) {
        add_offline(
            &self.arguments("events", &["add", url, "--secret-stdin"]),
            secret,
        );
    }
}

// rule: R-EVT-01, R-EVT-04
#[test]
fn a_killed_server_delivers_after_its_restart() {
    let demo = Demo::new();
    let receiver = Receiver::new(&[], Behaviour::Hang);
    let secret = format!("whsec_{}", STANDARD.encode([9; 32]));
    demo.add(&receiver.url(), &secret);
    let server = demo.serve();
    let order = order_at(&server, &demo.users[0]);
    // The event was sent, but no response has arrived.
    let first = receiver.wait_for(1);
    server.kill();
    receiver.now(Behaviour::Status(200));
    let server = demo.serve();
    let received = receiver.wait_for(2);
    let id = received[1].header("webhook-id");
    assert_eq!(received[1].json()["data"]["AuftNr"], order.as_str());
    assert_eq!(id, first[0].header("webhook-id"));
    assert!(received[1].is_signed_with(&secret));
    stop(server);
    let targets = demo.events(&["targets"]);
    assert_eq!(
        targets,
        format!(
            "receiver\tstate\tkinds\turl\n1\ton\torders, customers\t{}\n",
            receiver.url()
        )
    );
    let listed = demo.events(&["list"]);
    assert!(
        listed.contains(id) && !listed.contains("whsec_"),
        "{listed}"
    );
    assert_eq!(demo.events(&["replay", id]), "1 delivery starts again\n");
    assert_eq!(demo.events(&["remove", "1"]), "removed receiver 1\n");
    assert!(demo.events(&["list"]).contains("target_gone"));
    let sound = process::run(["check", "--data", &demo.data()]).success();
    assert!(sound.ends_with("the store is sound\n"), "{sound}");
}

#[test]
fn events_go_over_tls_to_those_the_system_trusts() {
    let demo = Demo::new();
    let (receiver, certificate) = Receiver::with_tls();
    let file = demo.folder.path().join("trusted.pem");
    std::fs::write(&file, certificate).unwrap();
    let secret = format!("whsec_{}", STANDARD.encode([9; 32]));
    let url = format!("https://localhost:{}/hook", receiver.port());
    demo.add(&url, &secret);
    let mut command = process::command(demo.arguments("serve", &["--listen", "127.0.0.1:0"]));
    command.env("SSL_CERT_FILE", &file);
    let server = process::Server::spawn(command).ready();
    order_at(&server, &demo.users[0]);
    let received = receiver.wait_for(1);
    assert!(received[0].is_signed_with(&secret));
    assert_eq!(
        received[0].header("host"),
        format!("localhost:{}", receiver.port())
    );
    stop(server);
}

#[test]
fn an_untrusted_certificate_is_refused() {
    let server = Server::with(&[ALLOWED]);
    let (receiver, _) = Receiver::with_tls();
    let url = format!("https://localhost:{}/hook", receiver.port());
    let id = add(&server, &json!({"url": url})).expect(201).data()["id"].as_u64();
    order(&server);
    server.deliver_events(pace(0));
    let events = wait_until(&server, "the delivery has failed", |events| {
        all(events, id.unwrap(), 1, "given_up")
    });
    assert_eq!(attempts(&events[0]), [("no_connection".to_owned(), None)]);
    assert_eq!(receiver.received().len(), 0);
}

fn add_offline(arguments: &[String], secret: &str) {
    use std::io::Write as _;
    let mut command = process::command(arguments);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let stdin = child.stdin.as_mut().unwrap();
    writeln!(stdin, "{secret}").unwrap();
    let ran = process::Ran::of(child.wait_with_output().unwrap());
    assert_eq!(
        ran.success(),
        "added receiver 1\n",
        "the secret is not repeated"
    );
}

/// Places an order at a server in another process.
fn order_at(server: &process::Server, user: &process::Credentials) -> String {
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let mut client = Client::new(server);
        client.log_in(&user.name, &user.password).await;
        let order = bodies::order("10001", json!([{"ArtNr": "BU-1004", "Menge": 1}]));
        let placed = client.expect(201, "POST /www/auftrag", Some(&order)).await;
        placed["AuftNr"].as_str().unwrap().to_owned()
    })
}
