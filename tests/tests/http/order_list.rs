//! `GET /www/auftrag`: the orders of a shop; orders that must differ in `AuftBestellNr`.

use erp_tests::bodies;
use erp_tests::exchange::Exchange;
use erp_tests::golden::golden;
use erp_tests::orders::place;
use erp_tests::server::{ADMIN, SHOP1, SHOP2, Server};
use serde_json::{Value, json};

fn body(customer: &str, reference: &str) -> Value {
    let mut body = bodies::order(customer, json!([{"ArtNr": "BU-1004", "Menge": 1}]));
    body["GrundDaten"]["AuftBestellNr"] = json!(reference);
    body
}

fn order(server: &Server, customer: &str, reference: &str) -> String {
    let placed = place(server, &body(customer, reference));
    placed.expect(201).number("AuftNr")
}

fn list(server: &Server, query: &str) -> Value {
    server
        .read(&format!("/www/auftrag{query}"))
        .expect(200)
        .json()
}

/// Count and numbers of a page.
fn page(server: &Server, query: &str) -> (Value, Vec<String>) {
    let page = list(server, query);
    let orders = page["data"].as_array().unwrap().iter();
    let numbers = orders.map(|order| order["AuftNr"].as_str().unwrap().to_owned());
    (page["count"].clone(), numbers.collect())
}

// rule: D-DOC-30, D-DOC-31
#[test]
fn a_shop_lists_its_orders() {
    let server = Server::start();
    let read = |query: &str| server.read(&format!("/www/auftrag{query}"));
    assert_eq!(page(&server, ""), (json!(0), vec![]));
    let first = order(&server, "10001", "A");
    let second = order(&server, "10006", "A");
    let third = order(&server, "10001", "B");
    let made = list(&server, "")["data"][0].clone();
    assert_eq!(made["AuftErf"], made["AuftErfUTC"]);
    let whole = server.data(&format!("/www/auftrag/{third}"));
    for (name, value) in made.as_object().unwrap() {
        if !name.starts_with("AuftErf") && name != "links" {
            assert_eq!(*value, whole["GrundDaten"][name], "{name}");
        }
    }
    let status = format!("/admin/auftrag/{second}/status");
    let open = server
        .put(&status)
        .by(ADMIN)
        .json(&json!({"AuftStatus": "O"}));
    let _ = open.send().expect(200);
    let all = vec![third.clone(), second.clone(), first.clone()];
    for (query, found) in [
        ("", &all[..]),
        ("?status=N", &[third.clone(), first.clone()]),
        ("?status=O", &all[1..2]),
        ("?debinr=10001", &[third.clone(), first.clone()]),
        ("?AuftBestellNr=A", &all[1..]),
        ("?AuftBestellNr=A&debinr=10001", &all[2..]),
        ("?AuftBestellNr=a", &[]),
        ("?AuftBestellNr=A&status=O", &all[1..2]),
        ("?von=2020-01-01&bis=2020-12-31", &[]),
        ("?von=2020-01-01", &all),
    ] {
        assert_eq!(
            page(&server, query),
            (json!(found.len()), found.to_vec()),
            "{query}"
        );
        for at in 0..=found.len() {
            let mark = if query.is_empty() { "?" } else { "&" };
            let (count, part) = page(&server, &format!("{query}{mark}limit=1&offset={at}"));
            let one = found.iter().skip(at).take(1);
            assert_eq!(
                (count, part),
                (json!(found.len()), one.cloned().collect()),
                "{query} {at}"
            );
        }
    }
    // The links lead through all pages.
    let middle = list(&server, "?debinr=10001&limit=1&offset=1&x=1");
    let links = middle["links"].as_array().unwrap().iter();
    let links: Vec<_> = links
        .map(|link| (link["rel"].clone(), link["href"].clone()))
        .collect();
    let href = |offset: u32| {
        json!(format!(
            "http://{}/www/auftrag?debinr=10001&x=1&limit=1&offset={offset}",
            server.address()
        ))
    };
    assert_eq!(links, [(json!("prev"), href(0)), (json!("start"), href(0))]);
    golden(&server, "order-list", &read("?debinr=10001&limit=1"));
    golden(
        &server,
        "order-list-unknown-customer",
        &read("?debinr=99999"),
    );
    golden(&server, "order-list-bad-day", &read("?von=2026-02-30"));
    for query in [
        "?limit=0",
        "?limit=201",
        "?offset=-1",
        "?status=X",
        "?bis=gestern",
        "?AuftBestellNr=a&AuftBestellNr=b",
    ] {
        read(query).refused(400, "malformed");
    }
    for list in ["/www/auftrag?seit=", "/www/offerten?seit=1.0.0"] {
        let refused = server.read(list);
        refused.refused(400, "malformed");
        assert_eq!(refused.json()["info"]["parameter"], "seit");
    }
    let _ = server.get("/www/auftrag").send().expect(401);
    let of_office = server
        .get("/admin/orders?reference=A&limit=1")
        .by(ADMIN)
        .send();
    let of_office = of_office.expect(200).json();
    assert_eq!(
        (&of_office["data"][0]["AuftNr"], &of_office["next"]),
        (&json!(second), &json!(second))
    );
    // Without a selection every shop sees every order.
    let other = server
        .get("/www/auftrag")
        .by(SHOP2)
        .send()
        .expect(200)
        .json();
    assert_eq!(other["count"], 3);
    // Found exactly as it was sent.
    let written = [
        ("%20R", " R"),
        ("R", "R"),
        ("R%20", "R "),
        ("R%09%0A", "R\t\n"),
    ];
    let placed = written.map(|(_, reference)| order(&server, "10006", reference));
    for ((query, _), number) in written.iter().zip(placed) {
        let found = page(&server, &format!("?AuftBestellNr={query}"));
        assert_eq!(found, (json!(1), vec![number.clone()]), "{query}");
        let admin = server.get(&format!("/admin/orders?reference={query}"));
        let admin = admin.by(ADMIN).send().expect(200).json();
        assert_eq!(admin["data"].as_array().unwrap().len(), 1, "{query}");
        assert_eq!(admin["data"][0]["AuftNr"], json!(number));
    }
}

// rule: D-DOC-31
#[test]
fn where_customers_are_selected_orders_of_others_do_not_count() {
    let server = Server::start();
    let row = |number: &str, shops: &str| {
        let mut contact = bodies::address();
        contact["attributes"] = json!([{"PHKey": "RESTWEBSHOP", "Contents": shops}]);
        json!({"Kunde": {"KundNr": number, "WaehrAbk": "CHF", "KontaktAdr": contact}}).to_string()
    };
    server.import(&[row("20001", "SHOP1"), row("20002", "SHOP2")].join("\n"));
    let selects = server.put("/admin/attributes/RESTWEBSHOP").by(ADMIN);
    let _ = selects.json(&json!({"Contents": "1"})).send().expect(200);
    let hidden = |reference| {
        let request = server
            .post("/www/auftrag")
            .by(SHOP2)
            .json(&body("20002", reference));
        request.send().expect(201).number("AuftNr")
    };
    let mut numbers = Vec::new();
    for _ in 0..3 {
        let _ = hidden("A");
        numbers.insert(0, order(&server, "20001", "A"));
    }
    let _ = hidden("A");
    for query in ["", "?AuftBestellNr=A", "?status=N"] {
        // Only the last page knows how many there are.
        assert_eq!(page(&server, query), (json!(3), numbers.clone()));
    }
    let middle = page(&server, "?offset=1&limit=1");
    assert_eq!(middle, (Value::Null, numbers[1..2].to_vec()));
    assert_eq!(page(&server, "?debinr=20001&limit=1").0, 3);
    let all = server
        .get("/www/auftrag")
        .by(ADMIN)
        .send()
        .expect(200)
        .json();
    assert_eq!(all["count"], 7);
}

// rule: D-DOC-32
#[test]
fn a_reference_is_used_once_where_it_must_be() {
    let server = Server::with(&[("unique_order_reference", "true")]);
    let first = order(&server, "10006", "A");
    golden(
        &server,
        "order-duplicate-reference",
        &place(&server, &body("10006", "A")),
    );
    let _ = order(&server, "10001", "A");
    // Of many at the same time one is made; the others learn its number.
    let same = body("10006", "B");
    let responses: Vec<Exchange> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..16)
            .map(|_| scope.spawn(|| place(&server, &same)))
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    let made: Vec<_> = responses
        .iter()
        .filter(|response| response.status == 201)
        .collect();
    assert_eq!(made.len(), 1);
    for refused in responses.iter().filter(|response| response.status != 201) {
        refused.refused(409, "duplicate_reference");
        assert_eq!(refused.json()["info"]["AuftNr"], made[0].number("AuftNr"));
    }
    // A repetition of a request is no second order.
    let repeated = || {
        let request = server
            .post("/www/auftrag")
            .by(SHOP1)
            .json(&body("10006", "C"));
        request
            .header("Idempotency-Key", b"k")
            .send()
            .expect(201)
            .number("AuftNr")
    };
    assert_eq!(repeated(), repeated());
    // An offer stays one as long as an order has its reference.
    let offer = server.send("POST", "/www/offerte", &body("10006", "A"));
    let offer = offer.expect(201).number("OffertNr");
    let conversion = json!({"GrundDaten": {"KundNr": "10006", "OffertNr": offer}});
    let convert = || server.send("PUT", "/www/auftrag", &conversion);
    convert().refused(409, "duplicate_reference");
    let status = format!("/admin/auftrag/{first}/status");
    let cancel = server
        .put(&status)
        .by(ADMIN)
        .json(&json!({"AuftStatus": "S"}));
    let _ = cancel.send().expect(200);
    let converted = convert().expect(201).number("AuftNr");
    assert_eq!(convert().expect(201).number("AuftNr"), converted);
    // By default references may be the same.
    let server = Server::start();
    assert_ne!(order(&server, "10006", "A"), order(&server, "10006", "A"));
}
