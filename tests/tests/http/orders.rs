//! `POST /www/auftrag`, `GET /www/auftrag/{AuftNr}`: what goes in, comes out and is refused.

use std::collections::BTreeSet;

use erp_core::wire::{OrderAddress, OrderHeader, Position, Record, TaxRecapEntry};
use erp_tests::bodies;
use erp_tests::golden::golden;
use erp_tests::orders::{column, place, placed, read, totals};
use erp_tests::server::{ADMIN, Login, SHOP1, SHOP2, Server};
use serde_json::{Value, json};

fn members(object: &Value) -> BTreeSet<String> {
    object
        .as_object()
        .expect("an object")
        .keys()
        .cloned()
        .collect()
}

/// The wire names of a table without those that have no value here.
fn table<R: Record>(without: &[&str]) -> BTreeSet<String> {
    let names = R::SCHEMA.fields.iter().map(|field| field.wire.to_owned());
    names
        .filter(|name| !without.contains(&name.as_str()))
        .collect()
}

// rule: R-RES-01, R-END-03, R-END-09
#[test]
fn the_responses_are_the_golden_ones() {
    let server = Server::start();
    golden(
        &server,
        "order-created",
        &place(&server, &bodies::full_order("10001")),
    );
    golden(
        &server,
        "order-read",
        &server.get("/www/auftrag/100001").by(SHOP1).send(),
    );
    let least = bodies::order(
        "10004",
        json!([{"ArtNr": "BU-1003", "Menge": 50, "VPEinheit": "SCHACHTEL"}]),
    );
    let _ = place(&server, &least).expect(201);
    golden(
        &server,
        "order-read-least-gross",
        &server.get("/www/auftrag/100002").by(SHOP1).send(),
    );
    golden(
        &server,
        "order-unknown",
        &server.get("/www/auftrag/999999").by(SHOP1).send(),
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

// rule: R-RES-06, R-END-34, R-END-09
#[test]
fn a_full_order_returns_every_field_of_the_tables() {
    let server = Server::shared();
    let order = placed(&server, &bodies::full_order("10001"));
    let parts: BTreeSet<String> = [
        "GrundDaten",
        "Adressen",
        "Positionen",
        "MWSTRekapitulation",
        "Zahlung",
    ]
    .map(str::to_owned)
    .into();
    assert_eq!(members(&order), parts);
    assert_eq!(members(&order["GrundDaten"]), table::<OrderHeader>(&[]));
    assert_eq!(
        members(&order["Positionen"][1]),
        table::<Position>(&["GRabBez"])
    );
    assert_eq!(
        members(&order["Positionen"][0]),
        table::<Position>(&["GRabBez", "VPEAnzBest", "VPEPreisEinzel", "VPEinheit"])
    );
    assert_eq!(
        members(&order["MWSTRekapitulation"][0]),
        table::<TaxRecapEntry>(&[])
    );
    assert_eq!(
        members(&order["Adressen"]),
        ["KontaktAdr", "LiefAdr", "RechAdr"]
            .map(str::to_owned)
            .into()
    );
    assert_eq!(
        members(&order["Adressen"]["RechAdr"]),
        table::<OrderAddress>(&["AdrNr"])
    );
    let sent = bodies::full_order("10001");
    for name in [
        "AuftBestellNr",
        "AuftBez",
        "AuftBestellRef",
        "AuftKomment",
        "KundBedTyp",
        "StaoNr",
        "WaehrAbk",
        "KundNr",
    ] {
        assert_eq!(
            order["GrundDaten"][name], sent["GrundDaten"][name],
            "{name}"
        );
    }
    // Shown by ordering number, numbered by place in the body.
    assert_eq!(
        column(&order["Positionen"], &["VisPosNr", "PosNr", "ArtNr"]),
        ["10 3 \"LM-3001\"", "20 2 \"BU-1001\"", "30 1 \"BU-1002\""]
    );
    assert_eq!(
        column(&order["Zahlung"], &["Bezeichnung", "Wert"]),
        ["\"payment_method\" \"R\"", "\"TransID\" \"tx-ü-1\""]
    );
    let keys: BTreeSet<String> = column(&order["Zahlung"], &["Key"]).into_iter().collect();
    assert!(
        keys.len() == 2 && keys.iter().all(|key| (3..=14).contains(&key.len())),
        "{keys:?}"
    );
}

// rule: D-REQ-09
#[test]
fn dates_come_in_several_forms_and_leave_in_one() {
    let server = Server::shared();
    let with = |date: Value| {
        let mut body = bodies::order("10001", json!([{"ArtNr": "BU-1001", "Menge": 1}]));
        body["GrundDaten"]["AuftBestellT"] = date.clone();
        body["GrundDaten"]["AuftLieferT"] = date;
        body
    };
    for (given, shown) in [
        ("2026-03-02T10:00:00Z", "2026-03-02T10:00:00Z"),
        ("2026-03-02T11:00:00+01:00", "2026-03-02T10:00:00Z"),
        ("2026-03-02T00:30:00-09:30", "2026-03-02T10:00:00Z"),
        ("2026-03-02", "2026-03-01T23:00:00Z"),
        ("2026-07-01", "2026-06-30T22:00:00Z"),
        ("2026-03-02t10:00:00z", "2026-03-02T10:00:00Z"),
    ] {
        let header = placed(&server, &with(json!(given)))["GrundDaten"].take();
        for name in [
            "AuftBestellT",
            "AuftBestellTUTC",
            "AuftLieferT",
            "AuftLieferTUTC",
        ] {
            assert_eq!(header[name], shown, "{name} {given}");
        }
    }
    for wrong in [
        "2.3.2026",
        "2026-02-30",
        "2026-03-02T10:00:00",
        "2026-03-02T25:00:00Z",
        "20260302",
        "Mar 2 2026",
        "99999-01-01",
        "now",
    ] {
        let refused = place(&server, &with(json!(wrong))).expect(422).problems();
        let paths: Vec<&str> = refused.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(
            paths,
            ["GrundDaten.AuftBestellT", "GrundDaten.AuftLieferT"],
            "{wrong}: {refused:?}"
        );
    }
    let absent = placed(&server, &with(Value::Null))["GrundDaten"].take();
    assert_eq!(
        (
            absent["AuftBestellT"].as_str().unwrap().len(),
            absent.get("AuftLieferT")
        ),
        (20, None)
    );
}

// rule: R-END-04
#[test]
fn an_address_of_the_order_overrides_the_customers_for_it_alone() {
    let server = Server::shared();
    let positions = json!([{"ArtNr": "BU-1001", "Menge": 1}]);
    let plain = placed(&server, &bodies::order("10001", positions.clone()))["Adressen"].take();
    for place in ["KontaktAdr", "LiefAdr", "RechAdr"] {
        let mut body = bodies::order("10001", positions.clone());
        body["Adressen"] = json!({place: bodies::full_address("once")});
        let addresses = placed(&server, &body)["Adressen"].take();
        assert_eq!(addresses[place]["EmailAdress"], "once@example.ch");
        assert_eq!(addresses[place].get("AdrNr"), None);
        for other in ["KontaktAdr", "LiefAdr", "RechAdr"]
            .into_iter()
            .filter(|other| *other != place)
        {
            assert_eq!(addresses[other], plain[other], "{other}");
        }
    }
    assert_eq!(
        placed(&server, &bodies::order("10001", positions))["Adressen"],
        plain
    );
    assert_eq!(plain["LiefAdr"]["ISOLandA2"], "CH");
}

// rule: R-END-04
#[test]
fn an_order_keeps_its_addresses_and_prices_when_the_customer_changes() {
    let server = Server::start();
    let number = place(&server, &bodies::full_order("10001"))
        .expect(201)
        .number("AuftNr");
    let before = server
        .get(&format!("/www/auftrag/{number}"))
        .by(SHOP1)
        .send()
        .expect(200);
    let _ = server
        .put("/www/kunden/10001")
        .by(SHOP1)
        .json(&bodies::full_customer())
        .send()
        .expect(200);
    server.import(r#"{"Preis": {"PreisListe": "HANDEL", "ArtNr": "BU-1002", "WaehrAbk": "CHF", "AbAnzahl": 1, "BisAnzahl": 9, "PreisList": 99, "Preisart": "N"}}"#);
    let after = server
        .get(&format!("/www/auftrag/{number}"))
        .by(SHOP1)
        .send()
        .expect(200);
    assert_eq!(
        (after.text(), after.header("etag")),
        (before.text(), before.header("etag"))
    );
    assert!(before.header("etag").unwrap().starts_with("\"r"));
}

// rule: R-END-27
#[test]
fn orders_survive_a_restart_and_numbers_go_on() {
    let server = Server::start();
    let number = place(&server, &bodies::full_order("10001"))
        .expect(201)
        .number("AuftNr");
    let before = read(&server, &number);
    let server = server.restart(&[]);
    assert_eq!(read(&server, &number), before);
    let next = place(&server, &bodies::full_order("10001"))
        .expect(201)
        .number("AuftNr");
    assert!(
        next.parse::<u64>().unwrap() > number.parse().unwrap(),
        "{number} {next}"
    );
}

/// The problems of an order with this position.
fn refused(login: Login, customer: &str, position: Value) -> String {
    let mut body = bodies::order(customer, json!([position]));
    if customer == "10013" {
        body["GrundDaten"]["WaehrAbk"] = json!("EUR");
    }
    let order = Server::shared()
        .post("/www/auftrag")
        .by(login)
        .json(&body)
        .send()
        .expect(422);
    let problem = |(path, code)| format!("{path} {code}");
    let problems: Vec<String> = order.problems().into_iter().map(problem).collect();
    problems.join(", ")
}

// rule: D-REQ-10, D-REQ-18, R-END-33
#[test]
fn what_is_unknown_cannot_be_ordered() {
    assert_eq!(
        refused(SHOP1, "99999", json!({"ArtNr": "BU-1001", "Menge": 1})),
        "GrundDaten.KundNr unknown_customer"
    );
    for (login, position) in [
        (SHOP1, json!({"ArtNr": "NOPE", "Menge": 1})),
        (SHOP1, json!({"ArtNr": "LM-3012", "Menge": 1})),
        (SHOP2, json!({"ArtNr": "EL-2006", "Menge": 1})),
        (SHOP1, json!({"ArtNr": "EL-2090", "Menge": 1, "Preis": 1})),
    ] {
        assert_eq!(
            refused(login, "10001", position),
            "Positionen[0].ArtNr unknown_article"
        );
    }
    let hidden = json!([{"ArtNr": "EL-2090", "Menge": 1, "Preis": 1}]);
    let _ = Server::shared()
        .post("/www/auftrag")
        .by(ADMIN)
        .json(&bodies::order("10001", hidden))
        .send()
        .expect(201);
}

// rule: D-REQ-10, D-REQ-18, R-END-33
#[test]
fn only_whole_packages_of_the_article_can_be_ordered() {
    for (article, quantity, unit, problem) in [
        ("BU-1001", 7, "KARTON", "Menge not_a_whole_package"),
        ("HH-5004", 8, "PACK", "VPEinheit unknown_packaging_unit"),
        ("BU-1001", 1, "FASS", "VPEinheit unknown_packaging_unit"),
    ] {
        let position = json!({"ArtNr": article, "Menge": quantity, "VPEinheit": unit});
        assert_eq!(
            refused(SHOP1, "10001", position),
            format!("Positionen[0].{problem}")
        );
    }
}

// rule: D-REQ-10, D-REQ-18, R-END-33
#[test]
fn what_has_no_price_cannot_be_ordered() {
    // No list has the second article in euros.
    for (customer, article) in [("10001", "BU-1090"), ("10013", "HH-5004")] {
        assert_eq!(
            refused(SHOP1, customer, json!({"ArtNr": article, "Menge": 1})),
            "Positionen[0].ArtNr no_price"
        );
    }
}

// rule: D-REQ-10, D-REQ-18, R-END-33
#[test]
fn numbers_of_a_position_have_bounds() {
    for (field, number, code) in [
        ("Menge", "0", "out_of_range"),
        ("Menge", "-1", "out_of_range"),
        ("Menge", "1000000000", "out_of_range"),
        ("Menge", "0.0000001", "too_precise"),
        ("GRabSatz", "100.01", "out_of_range"),
        ("Preis", "-0.01", "out_of_range"),
    ] {
        let mut position = json!({"ArtNr": "BU-1001", "Menge": 1});
        position[field] = serde_json::from_str(number).unwrap();
        assert_eq!(
            refused(SHOP1, "10001", position),
            format!("Positionen[0].{field} {code}")
        );
    }
    assert_eq!(
        refused(SHOP1, "10001", json!({})),
        "Positionen[0].ArtNr required, Positionen[0].Menge required"
    );
}

// rule: R-END-08
#[test]
fn positions_are_needed_and_at_most_a_thousand() {
    let server = Server::shared();
    let many = |count: usize| Value::Array(vec![json!({"ArtNr": "BU-1004", "Menge": 1}); count]);
    for none in [Value::Null, json!([])] {
        let refused = place(&server, &bodies::order("10001", none))
            .expect(422)
            .problems();
        assert_eq!(refused, [("Positionen".to_owned(), "required".to_owned())]);
    }
    let refused = place(&server, &bodies::order("10001", many(1_001))).expect(422);
    assert_eq!(
        refused.problems(),
        [("Positionen".to_owned(), "too_many".to_owned())]
    );
    assert_eq!(refused.json()["info"]["problems"][0]["limit"], 1_000);
    let order = placed(&server, &bodies::order("10006", many(1_000)));
    assert_eq!(order["Positionen"].as_array().unwrap().len(), 1_000);
    assert_eq!(totals(&order)[0], "2400");
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
    let article = server
        .get("/www/artikel/BU-1004")
        .by(SHOP1)
        .send()
        .expect(200)
        .data();
    assert_eq!(article["Bestand"][0]["LagerBestand"], 131 - 80);
    let listed = server
        .get("/www/kunden/10006?order=1000")
        .by(SHOP1)
        .send()
        .expect(200)
        .data()["Auftrag"]
        .take();
    let listed: BTreeSet<String> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|order| order["AuftNr"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(listed, numbers.into_iter().collect());
}

// rule: R-END-02
#[test]
fn a_refused_order_writes_nothing() {
    let server = Server::start();
    let first = place(&server, &bodies::full_order("10001"))
        .expect(201)
        .number("AuftNr");
    let mut body = bodies::full_order("10001");
    body["Positionen"][2]["ArtNr"] = json!("NOPE");
    let _ = place(&server, &body).expect(422);
    let orders = server
        .get("/www/kunden/10001?order=10")
        .by(SHOP1)
        .send()
        .expect(200)
        .data()["Auftrag"]
        .take();
    assert_eq!(column(&orders, &["AuftNr"]), [format!("\"{first}\"")]);
    let article = server
        .get("/www/artikel/BU-1002")
        .by(SHOP1)
        .send()
        .expect(200)
        .data();
    let entry = &article["Bestand"][0];
    assert_eq!(
        (&entry["LagerOrt"], &entry["LagerBestand"]),
        (&json!("A-01-02"), &json!(57 - 12))
    );
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
