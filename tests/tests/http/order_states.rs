//! The state of orders: the back office changes it, of one order and of many, and a shop cancels its own.

use erp_tests::bodies;
use erp_tests::exchange::Exchange;
use erp_tests::golden::golden;
use erp_tests::orders::place;
use erp_tests::server::{ADMIN, Login, SHOP1, SHOP2, Server};
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

fn state(server: &Server, number: &str) -> Value {
    let order = server.read(&format!("/www/auftrag/{number}")).expect(200);
    order.data()["GrundDaten"]["AuftStatus"].clone()
}

// rule: D-DOC-26
#[test]
fn a_canceled_order_is_shown_and_moves_no_more() {
    let server = Server::start();
    let number = ordered(&server, 2);
    golden(&server, "order-canceled", &set(&server, &number, "S"));
    golden(&server, "order-canceled-back", &set(&server, &number, "O"));
    let listed = server
        .read("/www/kunden/10006?order=5&status=S")
        .expect(200);
    let orders = &listed.data()["Auftrag"];
    assert_eq!(orders[0]["AuftNr"], number);
    assert_eq!(orders[0]["PlanStatus"], "S");
    let unknown = server.read("/www/kunden/10006?order=5&status=X");
    let _ = unknown.expect(400);
}

// rule: D-DOC-27, D-RET-03
#[test]
fn a_shop_cancels_its_own_new_order_where_it_may() {
    let server = Server::with(&[("shop_may_cancel", "true")]);
    let cancel = |login, number: &str| {
        let path = format!("/www/auftrag/{number}");
        server.delete(&path).by(login).send()
    };
    let told = |server: &Server| server.get("/shop/demo.js").send_unchecked().body;
    assert!(told(&server).ends_with(b"MAY_CANCEL = true;\n"));
    let number = ordered(&server, 2);
    cancel(SHOP2, &number).refused(409, "conflict");
    for _ in 0..2 {
        let canceled = cancel(SHOP1, &number).expect(204);
        assert!(canceled.body.is_empty());
    }
    assert_eq!(state(&server, &number), "S");
    let open = ordered(&server, 2);
    let _ = set(&server, &open, "O").expect(200);
    golden(&server, "order-not-new", &cancel(SHOP1, &open));
    cancel(ADMIN, &open).refused(409, "conflict");
    cancel(SHOP1, "999999").refused(404, "not_found");
    // By default no shop may.
    let server = Server::start();
    assert!(told(&server).ends_with(b"MAY_CANCEL = false;\n"));
    let number = ordered(&server, 2);
    let path = format!("/www/auftrag/{number}");
    let refused = server.delete(&path).by(SHOP1).send();
    golden(&server, "order-cancel-off", &refused);
    assert_eq!(state(&server, &number), "N");
    for (name, tag) in [("if-match", "\"r1\""), ("if-none-match", "*")] {
        let conditional = server.delete(&path).by(ADMIN).header(name, tag.as_bytes());
        conditional.send().refused(412, "precondition_failed");
    }
    let _ = server.delete(&path).by(ADMIN).send().expect(204);
    assert_eq!(state(&server, &number), "S");
}

// rule: D-DOC-28
#[test]
fn many_orders_move_each_for_itself() {
    let server = Server::start();
    let many = |login, body: &Value| {
        server
            .post("/admin/orders/status")
            .by(login)
            .json(body)
            .send()
    };
    let [first, second, third] = [1; 3].map(|quantity| ordered(&server, quantity));
    let _ = set(&server, &second, "O").expect(200);
    let _ = set(&server, &third, "A").expect(200);
    let all = json!({"status": "O", "orders": [first, second, third, "999999"]});
    golden(&server, "orders-moved", &many(ADMIN, &all));
    assert_eq!(state(&server, &first), "O");
    let again = many(ADMIN, &all).expect(200).data();
    assert_eq!(again[0], json!({"AuftNr": first, "outcome": "unchanged"}));
    let audit = server.get(&format!("/admin/audit?record=Auftrag+{first}"));
    let audit = audit.by(ADMIN).send().expect(200).json();
    assert_eq!(audit["data"][1]["operation"], "POST /admin/orders/status");
    assert_eq!(audit["count"], 2);
    let wrong = json!({"status": "X", "orders": [first, 7, "12345678901"]});
    golden(&server, "orders-moved-wrongly", &many(ADMIN, &wrong));
    let of = |count: usize| json!({"status": "S", "orders": vec![first.as_str(); count]});
    for wrong in [
        of(0),
        of(1_001),
        json!({}),
        json!({"status": "S", "orders": "1"}),
    ] {
        many(ADMIN, &wrong).refused(422, "invalid");
    }
    many(SHOP1, &of(1)).refused(403, "insufficient_scope");
    let done = many(ADMIN, &of(1_000)).expect(200).data();
    let changed = done.as_array().unwrap().iter();
    let changed = changed.filter(|one| one["outcome"] == "changed").count();
    assert_eq!((done.as_array().unwrap().len(), changed), (1_000, 1));
}

#[test]
fn the_office_keeps_a_note_that_no_shop_sees() {
    let server = Server::start();
    let number = ordered(&server, 2);
    let path = format!("/admin/auftrag/{number}/note");
    let note = || server.get(&path).by(ADMIN).send().expect(200).data();
    let put = |login, body: &Value| server.put(&path).by(login).json(body).send();
    assert_eq!(note(), json!({"AuftNr": number, "note": null}));
    let said = json!({"note": " ruft zur\u{fc}ck\nam Montag "});
    golden(&server, "order-note", &put(ADMIN, &said));
    let kept = json!({"AuftNr": number, "note": "ruft zur\u{fc}ck\nam Montag"});
    assert_eq!(note(), kept);
    let _ = set(&server, &number, "S").expect(200);
    assert_eq!(note(), kept);
    let shown = server.read(&format!("/www/auftrag/{number}")).expect(200);
    assert!(!shown.text().contains("Montag"));
    for wrong in [json!("x".repeat(1_001)), json!(1), json!("a\u{0}b")] {
        put(ADMIN, &json!({"note": wrong})).refused(422, "invalid");
    }
    put(SHOP1, &said).refused(403, "insufficient_scope");
    let _ = put(ADMIN, &json!({"note": ""})).expect(200);
    assert_eq!(note(), json!({"AuftNr": number, "note": null}));
    let unknown = server.get("/admin/auftrag/999999/note").by(ADMIN).send();
    unknown.refused(404, "not_found");
}
