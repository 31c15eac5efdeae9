//! `PUT /admin/auftrag/{AuftNr}/status`: the back office changes the state of orders.

use erp_tests::bodies;
use erp_tests::exchange::Exchange;
use erp_tests::golden::golden;
use erp_tests::offers;
use erp_tests::orders::{self, place};
use erp_tests::server::{ADMIN, Login, SHOP1, Server};
use serde_json::{Value, json};

fn set_by(server: &Server, login: Login, number: &str, body: &Value) -> Exchange {
    let path = format!("/admin/auftrag/{number}/status");
    server.put(&path).by(login).json(body).send()
}

fn set(server: &Server, number: &str, status: &str) -> Exchange {
    set_by(server, ADMIN, number, &json!({"AuftStatus": status}))
}

fn ordered(server: &Server, quantity: i64) -> String {
    let body = bodies::order("10006", json!([{"ArtNr": "BU-1004", "Menge": quantity}]));
    place(server, &body).expect(201).number("AuftNr")
}

fn stock(server: &Server) -> i64 {
    let article = server
        .get("/www/artikel/BU-1004")
        .by(SHOP1)
        .send()
        .expect(200)
        .data();
    article["Bestand"][0]["LagerBestand"].as_i64().unwrap()
}

/// Sets the counted stock, from which reservations are subtracted.
fn count_stock(server: &Server, quantity: i64) {
    let article = server
        .get("/www/artikel/BU-1004")
        .by(SHOP1)
        .send()
        .expect(200)
        .data();
    let place = &article["Bestand"][0];
    let row = json!({"Bestand": {"ArtNr": "BU-1004", "LagerOrt": place["LagerOrt"], "StaoNr": place["StaoNr"],
        "Bereich": place["Bereich"], "LagerBestand": quantity, "Freigegeben": true}});
    server.import(&row.to_string());
}

#[test]
fn the_responses_are_the_golden_ones() {
    let server = Server::start();
    let number = ordered(&server, 2);
    assert_eq!(number, "100001");
    golden(&server, "order-state-set", &set(&server, &number, "O"));
    golden(&server, "order-state-back", &set(&server, &number, "N"));
    golden(
        &server,
        "order-state-unknown-value",
        &set(&server, &number, "X"),
    );
    golden(
        &server,
        "order-state-unknown-order",
        &set(&server, "999999", "O"),
    );
    golden(
        &server,
        "order-state-by-a-shop",
        &set_by(&server, SHOP1, &number, &json!({"AuftStatus": "A"})),
    );
}

// rule: R-STA-13
#[test]
fn an_order_goes_from_new_over_open_to_completed_and_never_back() {
    let server = Server::start();
    let number = ordered(&server, 1);
    let state = |number: &str| orders::read(&server, number)["GrundDaten"]["AuftStatus"].clone();
    let refused = |number: &str, status: &str| {
        let before = server
            .get(&format!("/www/auftrag/{number}"))
            .by(SHOP1)
            .send();
        assert_eq!(
            set(&server, number, status).refusal(),
            (409, "conflict".to_owned()),
            "{status}"
        );
        let after = server
            .get(&format!("/www/auftrag/{number}"))
            .by(SHOP1)
            .send();
        assert_eq!(
            (after.text(), after.header("etag")),
            (before.text(), before.header("etag"))
        );
    };
    assert_eq!(state(&number), "N");
    let open = set(&server, &number, "O").expect(200);
    assert_eq!(open.data(), orders::read(&server, &number));
    assert_eq!(state(&number), "O");
    refused(&number, "N");
    let same = set(&server, &number, "O").expect(200);
    assert_eq!(
        (same.text(), same.header("etag")),
        (open.text(), open.header("etag"))
    );
    let _ = set(&server, &number, "A").expect(200);
    for status in ["N", "O"] {
        refused(&number, status);
    }
    assert_eq!(state(&number), "A");
    // From N to A directly.
    let number = ordered(&server, 1);
    let _ = set(&server, &number, "A").expect(200);
    refused(&number, "O");
    // An order that was converted from an offer is treated like others.
    let offer = offers::made(&server, &offers::template());
    let number = offers::convert(&server, &offer, "10006")
        .expect(201)
        .number("AuftNr");
    let _ = set(&server, &number, "O").expect(200);
    assert_eq!(state(&number), "O");
}

// rule: R-STA-14
#[test]
fn one_of_many_completions_at_once_counts() {
    let server = Server::start();
    count_stock(&server, 100);
    let number = ordered(&server, 7);
    let done: usize = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..16)
            .map(|_| scope.spawn(|| usize::from(set(&server, &number, "A").status == 200)))
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).sum()
    });
    assert_eq!(
        (done, stock(&server)),
        (16, 93),
        "all found it completed, one completed it"
    );
}

// rule: R-STA-13
#[test]
fn only_the_back_office_moves_orders() {
    let server = Server::shared();
    let number = ordered(&server, 1);
    for body in [json!({"AuftStatus": "O"}), json!({})] {
        let response = set_by(&server, SHOP1, &number, &body);
        assert_eq!(response.refusal(), (403, "insufficient_scope".to_owned()));
    }
    let unknown = set_by(&server, SHOP1, "999999", &json!({"AuftStatus": "O"}));
    assert_eq!(unknown.refusal(), (403, "insufficient_scope".to_owned()));
    assert_eq!(
        orders::read(&server, &number)["GrundDaten"]["AuftStatus"],
        "N"
    );
}

// rule: R-STA-13
#[test]
fn other_states_are_refused() {
    let server = Server::shared();
    let number = ordered(&server, 1);
    for (body, path, code) in [
        (json!({"AuftStatus": "P"}), "AuftStatus", "unknown_value"),
        (json!({"AuftStatus": "X"}), "AuftStatus", "unknown_value"),
        (json!({"AuftStatus": ""}), "AuftStatus", "unknown_value"),
        (json!({"AuftStatus": "OO"}), "AuftStatus", "unknown_value"),
        (json!({"AuftStatus": null}), "AuftStatus", "required"),
        (json!({}), "AuftStatus", "required"),
        (json!({"AuftStatus": 1}), "AuftStatus", "wrong_type"),
        (json!({"AuftStatus": ["O"]}), "AuftStatus", "wrong_type"),
        (json!(["O"]), "", "wrong_type"),
    ] {
        let response = set_by(&server, ADMIN, &number, &body).expect(422);
        assert_eq!(
            response.problems(),
            [(path.to_owned(), code.to_owned())],
            "{body}"
        );
    }
    for unknown in ["999999", "0", "abc", "%20"] {
        assert_eq!(
            set(&server, unknown, "O").refusal(),
            (404, "not_found".to_owned()),
            "{unknown}"
        );
    }
    assert_eq!(
        orders::read(&server, &number)["GrundDaten"]["AuftStatus"],
        "N"
    );
}
