//! `POST`, `GET`, `PATCH /www/offerte` and `PUT /www/auftrag`: offers from template to order.

use std::collections::BTreeSet;

use erp_core::wire::{OfferHeader, Record};
use erp_tests::bodies;
use erp_tests::exchange::{Exchange, pairs};
use erp_tests::golden::golden;
use erp_tests::offers::{change, convert, made, make, of_customer, read, template};
use erp_tests::orders::column;
use erp_tests::server::{SHOP1, Server};
use jiff::Timestamp;
use serde_json::{Value, json};

fn offer(server: &Server, number: &str) -> Value {
    read(server, number).expect(200).data()
}

// rule: R-STA-10, R-STA-12, R-END-40, R-END-43, R-END-44, R-END-50
#[test]
fn the_responses_are_the_golden_ones() {
    let server = Server::start();
    golden(&server, "offer-template", &make(&server, &template()));
    let mut full = bodies::full_order("10007");
    full["Positionen"][2]
        .as_object_mut()
        .unwrap()
        .remove("Preis");
    golden(&server, "offer-of-a-customer", &make(&server, &full));
    golden(&server, "offer-read", &read(&server, "100002"));
    let body = json!({
        "GrundDaten": {"KundNr": "10009"},
        "Positionen": [
            {"PosNr": 1, "Menge": 10}, {"PosNr": 2, "Menge": 0},
            {"ArtNr": "BU-1002", "Menge": 4, "GRabSatz": 10, "PosBez": "Graues Papier"},
        ],
        "Adressen": {"LiefAdr": bodies::full_address("delivery")},
    });
    golden(
        &server,
        "offer-changed",
        &change(&server, "OffertNr=100001", &body),
    );
    let body = json!({
        "GrundDaten": {"KundNr": "10009", "OffertNr": "100001"},
        "Zahlung": [{"Bezeichnung": "Dienstleister", "Wert": "Zahl & Söhne"}, {"Bezeichnung": "TransID", "Wert": "tx-ü-1"}],
    });
    let converted = server.put("/www/auftrag").by(SHOP1).json(&body).send();
    golden(&server, "offer-converted", &converted);
    golden(&server, "offer-read-converted", &read(&server, "100001"));
    let order = server.get("/www/auftrag/100001").by(SHOP1).send();
    golden(&server, "offer-order", &order);
}

// rule: R-STA-05
#[test]
fn the_refusals_are_the_golden_ones() {
    let server = Server::start();
    let _ = (
        made(&server, &template()),
        made(&server, &of_customer("10006")),
    );
    golden(&server, "offer-unknown", &read(&server, "999999"));
    golden(
        &server,
        "offer-no-number",
        &server.get("/www/offerte").by(SHOP1).send(),
    );
    golden(&server, "offer-empty-body", &make(&server, &json!({})));
    golden(
        &server,
        "offer-unknown-customer",
        &make(&server, &of_customer("99999")),
    );
    let two = change(
        &server,
        "OffertNr=100001&KundNr=10006",
        &json!({"GrundDaten": {"KundNr": "10009"}}),
    );
    golden(&server, "offer-two-customers", &two);
    golden(
        &server,
        "offer-of-another-customer",
        &change(&server, "OffertNr=100002&KundNr=10009", &json!({})),
    );
    golden(
        &server,
        "offer-no-fit",
        &change(&server, "OffertNr=100001&KundNr=10015", &json!({})),
    );
    let body = json!({
        "Positionen": [{"PosNr": 9, "Menge": 1}, {"Menge": 1}, {"ArtNr": "BU-1001", "Menge": 0}, {"PosNr": 1}, {"PosNr": 1, "Menge": 2}],
        "Adressen": {"RechAdr": {"AdrName": "Halb"}},
    });
    golden(
        &server,
        "offer-all-problems",
        &change(&server, "OffertNr=100001", &body),
    );
    let put = |body: &Value| server.put("/www/auftrag").by(SHOP1).json(body).send();
    golden(&server, "offer-converted-empty-body", &put(&json!({})));
    golden(
        &server,
        "offer-converted-unknown",
        &convert(&server, "999999", "10006"),
    );
    let _ = convert(&server, "100002", "10006").expect(201);
    golden(
        &server,
        "offer-converted-before",
        &convert(&server, "100002", "10009"),
    );
    golden(
        &server,
        "offer-changed-too-late",
        &change(&server, "OffertNr=100002", &json!({})),
    );
}

// rule: R-STA-03, R-END-42, R-END-48
#[test]
fn an_offer_returns_every_field_of_its_header() {
    let server = Server::shared();
    let offer = offer(&server, &made(&server, &bodies::full_order("10007")));
    let header = offer["GrundDaten"].as_object().unwrap().keys().cloned();
    let fields = OfferHeader::SCHEMA.fields.iter();
    let mut table: BTreeSet<String> = fields.map(|field| field.wire.to_owned()).collect();
    assert!(table.remove("AuftNr"), "it is no order yet");
    assert_eq!(header.collect::<BTreeSet<_>>(), table);
    assert_eq!(offer["GrundDaten"]["AuftStatus"], "P");
    assert_eq!(offer["GrundDaten"]["Template"], false);
    for place in ["KontaktAdr", "LiefAdr", "RechAdr"] {
        assert_eq!(offer["Adressen"][place]["OrtName"], "Lausanne", "{place}");
    }
}

// rule: R-END-40, R-END-48, R-END-50, R-END-59
#[test]
fn every_response_counts_one_offer() {
    let server = Server::shared();
    let created = make(&server, &template()).expect(201);
    let number = created.number("OffertNr");
    let body = json!({"Positionen": [{"PosNr": 1, "Menge": 10}]});
    let changed = change(&server, &format!("OffertNr={number}"), &body).expect(200);
    let read = read(&server, &number).expect(200);
    assert_eq!(changed.data(), read.data(), "PATCH returns what GET does");
    let responses = [
        read,
        changed,
        created,
        convert(&server, &number, "10006").expect(201),
    ];
    for response in responses {
        let json = response.json();
        assert_eq!(
            (&json["count"], &json["success"]),
            (&json!(1), &json!(true)),
            "{response:?}"
        );
    }
}

// rule: R-STA-04, R-STA-06, R-END-51
#[test]
fn query_and_body_name_the_same_customer_or_none() {
    let server = Server::shared();
    let number = made(&server, &template());
    let named =
        |query: &str, body: Value| change(&server, &format!("OffertNr={number}{query}"), &body);
    let two = named("&KundNr=10006", json!({"GrundDaten": {"KundNr": "10009"}}));
    assert_eq!(two.refusal(), (400, "malformed".to_owned()));
    assert_eq!(offer(&server, &number)["GrundDaten"]["Template"], true);
    let _ = named("&KundNr=", json!({"GrundDaten": {"KundNr": null}})).expect(200);
    assert_eq!(offer(&server, &number)["GrundDaten"]["Template"], true);
    let _ = named("&kundnr=10006", json!({"GrundDaten": {"KundNr": "10006"}})).expect(200);
    // From now on the offer belongs to this customer.
    let _ = named("&KundNr=10006", json!({})).expect(200);
    for other in [
        named("&KundNr=10009", json!({})),
        named("", json!({"GrundDaten": {"KundNr": "10009"}})),
        convert(&server, &number, "10009"),
    ] {
        assert_eq!(other.refusal(), (409, "conflict".to_owned()));
        assert_eq!(other.json()["info"].get("mismatch"), None);
    }
    let long = named("&KundNr=123456789", json!({}));
    assert_eq!(long.refusal(), (400, "malformed".to_owned()));
    assert_eq!(long.json()["info"]["parameter"], "KundNr");
}

// rule: R-END-37, R-END-49, R-END-51, R-LIM-05
#[test]
fn an_offer_must_be_named_and_known() {
    let server = Server::shared();
    for query in ["", "?OffertNr=", "?KundNr=10006"] {
        for method in ["GET", "PATCH"] {
            let path = format!("/www/offerte{query}");
            let response = server.call(method, &path).by(SHOP1).json(&json!({})).send();
            assert_eq!(response.refusal(), (400, "malformed".to_owned()), "{path}");
            assert_eq!(response.json()["info"]["parameter"], "OffertNr", "{path}");
        }
    }
    let long = read(&server, "12345678901234567");
    assert_eq!(long.refusal(), (400, "malformed".to_owned()));
    for unknown in [
        "999999",
        "0",
        "-1",
        "abc",
        "0100001",
        "100001.0",
        "%F0%9F%98%80",
    ] {
        for response in [
            read(&server, unknown),
            change(&server, &format!("OffertNr={unknown}"), &json!({})),
        ] {
            assert_eq!(
                response.refusal(),
                (404, "not_found".to_owned()),
                "{unknown}"
            );
        }
    }
    for unknown in ["999999", "abc", "0"] {
        let response = convert(&server, unknown, "10006");
        assert_eq!(
            response.refusal(),
            (404, "not_found".to_owned()),
            "{unknown}"
        );
    }
    let number = made(&server, &template());
    let response = convert(&server, &number, "99999").expect(422);
    assert_eq!(
        response.problems(),
        [(
            "GrundDaten.KundNr".to_owned(),
            "unknown_customer".to_owned()
        )]
    );
    let empty = server.put("/www/auftrag").by(SHOP1).json(&json!({})).send();
    let paths = empty
        .expect(422)
        .problems()
        .into_iter()
        .map(|(path, _)| path);
    assert_eq!(
        paths.collect::<BTreeSet<_>>(),
        ["GrundDaten.KundNr", "GrundDaten.OffertNr"]
            .map(str::to_owned)
            .into()
    );
}

fn orders_of(server: &Server, customer: &str) -> Vec<String> {
    let path = format!("/www/kunden/{customer}?order=1000");
    let customer = server.get(&path).by(SHOP1).send().expect(200).data();
    column(&customer["Auftrag"], &["AuftNr"])
}

// rule: R-STA-08
#[test]
fn conversions_at_the_same_time_make_one_order() {
    let server = Server::start();
    let number = made(&server, &template());
    let numbers: BTreeSet<String> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..64)
            .map(|_| {
                scope.spawn(|| {
                    convert(&server, &number, "10006")
                        .expect(201)
                        .number("AuftNr")
                })
            })
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    assert_eq!(numbers.len(), 1, "{numbers:?}");
    let only = format!("\"{}\"", numbers.first().unwrap());
    assert_eq!(orders_of(&server, "10006"), [only]);
    let audit = server
        .wait(server.erp().upkeep(Timestamp::now()).check())
        .unwrap();
    assert_eq!(audit.findings, []);
}

// rule: R-STA-08
#[test]
fn conversions_for_several_customers_at_once_let_one_win() {
    let server = Server::start();
    let number = made(&server, &template());
    let won: Vec<String> = std::thread::scope(|scope| {
        let call = |at: usize| {
            let customer = ["10006", "10009", "10011", "10014"][at % 4];
            let response = convert(&server, &number, customer);
            match response.status {
                201 => Some(format!("{customer} {}", response.number("AuftNr"))),
                _ => {
                    assert_eq!(response.refusal(), (409, "conflict".to_owned()));
                    None
                }
            }
        };
        let calls: Vec<_> = (0..32).map(|at| scope.spawn(move || call(at))).collect();
        let responses = calls.into_iter().filter_map(|call| call.join().unwrap());
        responses.collect()
    });
    assert_eq!(
        won.len(),
        8,
        "all calls for the customer who got the order: {won:?}"
    );
    assert_eq!(won.iter().collect::<BTreeSet<_>>().len(), 1, "{won:?}");
}

// rule: R-END-50
#[test]
fn offers_survive_a_restart() {
    let server = Server::start();
    let number = made(&server, &bodies::full_order("10007"));
    let before = offer(&server, &number);
    let server = server.restart(&[]);
    assert_eq!(offer(&server, &number), before);
    assert_ne!(made(&server, &template()), number);
}

// rule: R-END-51, D-REQ-02
#[test]
fn a_change_without_a_body_changes_what_the_query_says() {
    let server = Server::start();
    let number = made(&server, &template());
    let empty = |query: String| {
        server
            .patch(&format!("/www/offerte?{query}"))
            .by(SHOP1)
            .send()
    };
    let before = read(&server, &number).expect(200);
    let same = empty(format!("OffertNr={number}")).expect(200);
    assert_eq!(
        (same.text(), same.header("etag")),
        (before.text(), before.header("etag"))
    );
    let given = empty(format!("OffertNr={number}&KundNr=10009")).expect(200);
    assert_eq!(given.data()["GrundDaten"]["KundNr"], "10009");
    assert_ne!(given.header("etag"), before.header("etag"));
}

// rule: D-REQ-10, D-CTR-03, D-REQ-13
#[test]
fn a_change_of_an_offer_lists_every_problem() {
    let server = Server::with(&[("address_check", "strict")]);
    let template = made(&server, &template());
    let mut body = json!({
        "GrundDaten": {"KundNr": "77777"},
        "Positionen": [
            {"ArtNr": "NOPE", "Menge": 1},
            {"PosNr": 99, "Menge": 1},
            {"PosNr": 1, "Menge": 2, "ArtNr": "LM-3001"},
            {"ArtNr": "NOPE-2", "Menge": "x"},
        ],
        "Adressen": {"LiefAdr": bodies::address()},
    });
    body["Adressen"]["LiefAdr"]["OrtName"] = json!("Basel");
    let of_query = format!("OffertNr={template}");
    let sorted = |response: Exchange| {
        let mut problems = response.expect(422).problems();
        problems.sort();
        problems
    };
    let mut all = pairs(&[
        ("Adressen.LiefAdr.OrtName", "address_check"),
        ("GrundDaten.KundNr", "unknown_customer"),
        ("Positionen[0].ArtNr", "unknown_article"),
        ("Positionen[1].PosNr", "unknown_position"),
        ("Positionen[2].ArtNr", "contradiction"),
        ("Positionen[3].ArtNr", "unknown_article"),
        ("Positionen[3].Menge", "wrong_type"),
    ]);
    assert_eq!(sorted(change(&server, &of_query, &body)), all);
    body["Positionen"][3]["Menge"] = json!(1);
    all.pop();
    assert_eq!(sorted(change(&server, &of_query, &body)), all);
    // An unknown offer cannot be checked, but the body itself can.
    all.retain(|(path, _)| {
        path.ends_with("].ArtNr") && path != "Positionen[2].ArtNr" || path.starts_with("Adr")
    });
    all.insert(1, ("OffertNr".to_owned(), "unknown_offer".to_owned()));
    assert_eq!(sorted(change(&server, "OffertNr=1", &body)), all);
    let fine = json!({"Positionen": [{"ArtNr": "BU-1001", "Menge": 1}]});
    let missing = change(&server, "OffertNr=1", &fine);
    assert_eq!(missing.refusal(), (404, "not_found".to_owned()));
    // Padding of values in the query is ignored.
    let padded = change(
        &server,
        &format!("{of_query}&KundNr=77777%20%20"),
        &json!({}),
    );
    assert_eq!(
        padded.expect(422).problems(),
        pairs(&[("GrundDaten.KundNr", "unknown_customer")])
    );
}
