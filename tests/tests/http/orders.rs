//! `POST /www/auftrag`, `GET /www/auftrag/{AuftNr}`: what is sent, returned and refused.

use std::collections::BTreeSet;

use erp_tests::bodies;
use erp_tests::golden::golden;
use erp_tests::orders::place;
use erp_tests::server::{SHOP1, Server};
use serde_json::json;

// rule: R-RES-01, R-END-03, R-END-09
#[test]
fn the_responses_are_the_golden_ones() {
    let server = Server::start();
    golden(
        &server,
        "order-created",
        &place(&server, &bodies::full_order("10001")),
    );
    golden(&server, "order-read", &server.read("/www/auftrag/100001"));
    let least = bodies::order(
        "10004",
        json!([{"ArtNr": "BU-1003", "Menge": 50, "VPEinheit": "SCHACHTEL"}]),
    );
    let _ = place(&server, &least).expect(201);
    golden(
        &server,
        "order-read-least-gross",
        &server.read("/www/auftrag/100002"),
    );
    golden(
        &server,
        "order-unknown",
        &server.read("/www/auftrag/999999"),
    );
    golden(&server, "order-empty-body", &place(&server, &json!({})));
    let wrong = bodies::order(
        "10001",
        json!([
            {"ArtNr": "NOPE", "Menge": 1}, {"ArtNr": "BU-1001", "Menge": 7, "VPEinheit": "KARTON"},
            {"ArtNr": "BU-1001", "Menge": 1, "VPEinheit": "FASS"}, {"ArtNr": "BU-1090", "Menge": 1},
        ]),
    );
    golden(&server, "order-cannot-be-ordered", &place(&server, &wrong));
    let wrong = json!({
        "GrundDaten": {"KundNr": "123456789", "AuftBestellT": "gestern", "AuftLiefKost": "9.90", "KundBedTyp": 256},
        "Adressen": {"LiefAdr": {"AdrName": "x"}},
        "Positionen": [{"Menge": 0}, {"ArtNr": "BU-1001", "Menge": 0.0000001, "GRabSatz": 101}, 7],
        "Zahlung": [{"Wert": "x".repeat(201)}],
    });
    golden(&server, "order-all-problems", &place(&server, &wrong));
}

// rule: R-RES-16
#[test]
fn orders_at_the_same_time_get_numbers_of_their_own_and_reserve_each() {
    let server = Server::start();
    let body = bodies::order("10006", json!([{"ArtNr": "BU-1004", "Menge": 2}]));
    let numbers: Vec<String> = std::thread::scope(|scope| {
        let shops: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    (0..5)
                        .map(|_| place(&server, &body).expect(201).number("AuftNr"))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        shops
            .into_iter()
            .flat_map(|shop| shop.join().unwrap())
            .collect()
    });
    assert_eq!(
        (numbers.len(), numbers.iter().collect::<BTreeSet<_>>().len()),
        (40, 40)
    );
    let article = server.data("/www/artikel/BU-1004");
    assert_eq!(article["Bestand"][0]["LagerBestand"], 131 - 80);
    let listed = server.data("/www/kunden/10006?order=1000")["Auftrag"].take();
    let listed: BTreeSet<String> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|order| order["AuftNr"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(listed, numbers.into_iter().collect());
}

// rule: D-REQ-04
#[test]
fn unknown_fields_are_ignored_unless_the_server_is_strict() {
    let server = Server::shared();
    let mut body = bodies::order(
        "10001",
        json!([{"ArtNr": "BU-1001", "Menge": 1, "Farbe": "rot"}]),
    );
    body["Nope"] = json!({"a": [1, 2]});
    let _ = place(&server, &body).expect(201);
    let strict = Server::with(&[("strict_bodies", "true")]);
    let mut refused = place(&strict, &body).expect(422).problems();
    refused.sort();
    let unknown = |path: &str| (path.to_owned(), "unknown_member".to_owned());
    assert_eq!(refused, [unknown("Nope"), unknown("Positionen[0].Farbe")]);
}

// rule: R-TOT-04, R-TOT-05
#[test]
fn a_price_by_the_hundred_is_told_and_can_be_sent_back() {
    let server = Server::shared();
    let article = server.data("/www/artikel/BF-6005?debinr=10007");
    let prices = article["Preis"].as_array().unwrap();
    let last = prices.last().unwrap();
    assert_eq!(last["PosPreisBasis"].to_string(), "100");
    let listed = server.data("/www/artikel?debinr=10007&suche=BF-6005");
    assert_eq!(listed[0]["Preis"], article["Preis"]);
    let position = json!({"ArtNr": "BF-6005", "Menge": 1000});
    let total = |position: serde_json::Value| {
        let order = bodies::order("10007", json!([position]));
        let number = place(&server, &order).expect(201).number("AuftNr");
        let order = server.data(&format!("/www/auftrag/{number}"));
        order["Positionen"][0]["PosPreisTotal"].to_string()
    };
    let mut sent = position.clone();
    sent["Preis"] = last["PreisList"].clone();
    let of_list = total(position);
    assert_eq!(total(sent.clone()), of_list);
    sent["PosPreisBasis"] = json!(1000);
    assert_ne!(total(sent), of_list);
}

// rule: D-DOC-37, D-DOC-39
#[test]
fn what_is_not_sold_and_what_is_not_there_is_refused() {
    let server = Server::start();
    let inactive = bodies::order("10001", json!([{"ArtNr": "BU-1016", "Menge": 1}]));
    golden(&server, "order-not-sold", &place(&server, &inactive));
    let many = json!({"Positionen": [{"ArtNr": "BU-1004", "Menge": 1000}]});
    let order_on = |server: &Server| {
        let token = server.customer_token(SHOP1, "10006");
        server
            .post("/www/auftrag")
            .bearer(&token)
            .json(&many)
            .send()
    };
    golden(&server, "order-out-of-stock", &order_on(&server));
    let by_shop = bodies::order("10006", many["Positionen"].clone());
    let _ = place(&server, &by_shop).expect(201);
    let server = Server::with(&[("customers_may_backorder", "true")]);
    let _ = order_on(&server).expect(201);
}
