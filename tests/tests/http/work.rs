//! What one request may read, and how its writes count in the rate limit of its user.

use erp_tests::bodies;
use erp_tests::exchange::Exchange;
use erp_tests::offers;
use erp_tests::orders::column;
use erp_tests::server::{SHOP1, Server};
use serde_json::{Value, json};

// rule: D-WRK-02
#[test]
fn a_search_that_is_too_broad_is_refused_with_a_hint() {
    let server = Server::with(&[("scan_entries", "4")]);
    let search = |query: &str| {
        let path = format!("/www/adressensuche?{query}");
        server.read(&path)
    };
    let refused = search("OrtLand=CH").expect(422);
    refused.refused(422, "too_broad");
    assert_eq!(
        refused.json(),
        json!({"error": "too_broad", "info": {"limit": 4},
            "error_description": "more than 4 entries would have to be read; add a criterion or ask for fewer"})
    );
    let found = search("EmailAdress=einkauf@elektroblitz.example.ch").expect(200);
    assert_eq!(found.json()["count"], 1);
    // With the default limit none of these searches is too broad.
    let server = Server::shared();
    let several = server.read("/www/adressensuche?OrtLand=CH");
    assert_eq!(several.expect(200).json()["count"], 2);
}

// rule: D-WRK-02
#[test]
fn orders_of_a_status_that_is_too_rare_are_refused() {
    let server = Server::with(&[("scan_entries", "4")]);
    let order = bodies::order("10006", json!([{"ArtNr": "BU-1004", "Menge": 1}]));
    for _ in 0..6 {
        let _ = server.send("POST", "/www/auftrag", &order).expect(201);
    }
    let read = |query: &str| {
        let path = format!("/www/kunden/10006?{query}");
        server.read(&path)
    };
    read("order=1&status=A").refused(422, "too_broad");
    let listed =
        |query: &str| column(&read(query).expect(200).data()["Auftrag"], &["AuftNr"]).len();
    assert_eq!(listed("order=6&status=N"), 6);
    assert_eq!(listed("order=5"), 5);
}

/// How many requests a response weighs, at one a minute and with nothing used before it.
fn weight(response: &Exchange) -> u64 {
    let state = response.header("ratelimit").unwrap();
    let seconds = state.split(';').find_map(|part| part.strip_prefix("t="));
    seconds.unwrap().parse::<u64>().unwrap().div_ceil(60)
}

// rule: R-LIM-04
#[test]
fn bytes_that_a_request_writes_count_as_further_requests() {
    const LIMITS: [(&str, &str); 2] = [("rate_limits", "true"), ("requests_per_minute", "1")];
    let positions: Vec<Value> = (1..=1_000)
        .map(|quantity| json!({"ArtNr": "BU-1004", "Menge": quantity}))
        .collect();
    let mut body = offers::template();
    let server = Server::start();
    // Asking for a token is a request as well. It outlives a start.
    let token = server.new_token(SHOP1);
    let make = |server: &Server, body: &Value| {
        let request = server.post("/www/offerte").bearer(&token);
        request.json(body).send().expect(201)
    };
    let server = server.restart(&LIMITS);
    let small = make(&server, &body);
    assert_eq!(weight(&small), 1, "an ordinary document weighs one request");
    body["Positionen"] = json!(positions);
    // A server that is started again has forgotten what was used.
    let server = server.restart(&LIMITS);
    let large = make(&server, &body);
    let offer = large.number("OffertNr");
    assert!(weight(&large) > 4, "{}", weight(&large));
    // A small body that changes a large document counts by the bytes it writes.
    let send = |server: &Server, key: &str| {
        let path = format!("/www/offerte?OffertNr={offer}");
        let request = server.patch(&path).bearer(&token);
        let request = request.header("idempotency-key", key.as_bytes());
        request
            .json(&json!({"Positionen": [{"PosNr": 1, "Menge": 7}]}))
            .send()
    };
    let server = server.restart(&LIMITS);
    let changed = send(&server, "one").expect(200);
    assert!(weight(&changed) > 4, "{}", weight(&changed));
    // A replay writes nothing.
    let server = server.restart(&LIMITS);
    let again = send(&server, "one").expect(200);
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(again.body, changed.body);
    assert_eq!(weight(&again), 1);
    // Once the limit is used up, further requests are refused before they write anything.
    let _ = send(&server, "two").expect(429);
}
