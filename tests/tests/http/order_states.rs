//! `PUT /admin/auftrag/{AuftNr}/status`: the back office changes the state of orders.

use erp_tests::bodies;
use erp_tests::exchange::Exchange;
use erp_tests::golden::golden;
use erp_tests::orders::place;
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
