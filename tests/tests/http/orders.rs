//! `POST /www/auftrag`, `GET /www/auftrag/{AuftNr}`: what is sent, returned and refused.

use std::collections::BTreeSet;

use erp_core::wire::{OrderAddress, OrderHeader, Position, Record, TaxRecapEntry};
use erp_tests::bodies;
use erp_tests::exchange::{Exchange, pairs};
use erp_tests::golden::golden;
use erp_tests::offers;
use erp_tests::orders::{column, place, placed, read, totals};
use erp_tests::server::{SHOP1, Server};
use serde_json::{Value, json};

fn members(object: &Value) -> BTreeSet<String> {
    object
        .as_object()
        .expect("an object")
        .keys()
        .cloned()
        .collect()
}

/// The wire names of a table, except those that have no value here.
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
    // Shown in the order of their ordering number, but numbered by their index in the body.
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
fn dates_are_accepted_in_several_forms_and_returned_in_one() {
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

// rule: R-END-27
#[test]
fn orders_survive_a_restart_and_numbers_continue() {
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

// rule: D-REQ-10, D-CTR-03
#[test]
fn an_unknown_customer_hides_no_other_problem() {
    let server = Server::with(&[("address_check", "strict")]);
    let mut body = bodies::order(
        "77777",
        json!([
            {"ArtNr": "NOPE", "Menge": 1},
            {"ArtNr": "LM-3013", "Menge": 25, "VPEinheit": "NOPE"},
            {"ArtNr": "LM-3013", "Menge": 25, "VPEinheit": "TRAY"},
            {"ArtNr": "NOPE-2", "Menge": "x"},
            {"ArtNr": "BU-1001", "Menge": 1},
        ]),
    );
    body["Adressen"]["LiefAdr"] = bodies::address();
    body["Adressen"]["LiefAdr"]["OrtName"] = json!("Basel");
    let expected = [
        ("Positionen[3].Menge", "wrong_type"),
        ("Adressen.LiefAdr.OrtName", "address_check"),
        ("GrundDaten.KundNr", "unknown_customer"),
        ("Positionen[0].ArtNr", "unknown_article"),
        ("Positionen[1].VPEinheit", "unknown_packaging_unit"),
        ("Positionen[2].Menge", "not_a_whole_package"),
        ("Positionen[3].ArtNr", "unknown_article"),
    ];
    let sorted = |response: &Exchange| {
        let mut problems = response.problems();
        problems.sort();
        problems
    };
    let mut all = pairs(&expected);
    all.sort();
    assert_eq!(sorted(&place(&server, &body).expect(422)), all);
    assert_eq!(sorted(&offers::make(&server, &body).expect(422)), all);
    // The same without the invalid quantity.
    body["Positionen"][3]["Menge"] = json!(1);
    all.retain(|(_, code)| code != "wrong_type");
    assert_eq!(sorted(&place(&server, &body).expect(422)), all);
    assert_eq!(sorted(&offers::make(&server, &body).expect(422)), all);
    // An unknown currency does not hide the other problems either.
    body["GrundDaten"]["WaehrAbk"] = json!("XXX");
    all.extend(pairs(&[("GrundDaten.WaehrAbk", "unknown_currency")]));
    all.sort();
    assert_eq!(sorted(&place(&server, &body).expect(422)), all);
    assert_eq!(sorted(&offers::make(&server, &body).expect(422)), all);
}

// rule: D-REQ-10, D-CTR-03
#[test]
fn what_cannot_be_checked_is_not_reported_as_a_problem() {
    let server = Server::shared();
    // No list has this price. That is reported only if customer and currency are known.
    let positions = json!([{"ArtNr": "LM-3014", "Menge": 0.5}]);
    let known = place(&server, &bodies::order("10001", positions.clone()));
    assert_eq!(
        known.expect(422).problems(),
        pairs(&[("Positionen[0].ArtNr", "no_price")])
    );
    let unknown = place(&server, &bodies::order("77777", positions.clone()));
    assert_eq!(
        unknown.expect(422).problems(),
        pairs(&[("GrundDaten.KundNr", "unknown_customer")])
    );
    let mut body = bodies::order("10001", positions);
    body["GrundDaten"]["WaehrAbk"] = json!("XXX");
    assert_eq!(
        place(&server, &body).expect(422).problems(),
        pairs(&[("GrundDaten.WaehrAbk", "unknown_currency")])
    );
}

// rule: D-LIM-02
#[test]
fn too_many_positions_are_refused_with_the_limit() {
    let server = Server::shared();
    for (count, article) in [(9_000, "BU-1001"), (20_000, "A"), (1_001, "BU-1001")] {
        let entry = json!({"ArtNr": article, "Menge": 1});
        let mut entries = vec![entry; count];
        // Different articles, each of which would be looked up.
        for (at, entry) in entries.iter_mut().enumerate() {
            entry["ArtNr"] = json!(format!("{article}-{at}"));
        }
        let order = bodies::order("10001", Value::Array(entries.clone()));
        let offer = server.post("/www/offerte").by(SHOP1).json(&order).send();
        let template = offers::made(&server, &offers::template());
        let change = json!({"Positionen": entries});
        let changed = offers::change(&server, &format!("OffertNr={template}"), &change);
        for refused in [place(&server, &order), offer, changed] {
            let refused = refused.expect(422);
            assert_eq!(
                refused.problems(),
                pairs(&[("Positionen", "too_many")]),
                "{count}"
            );
            assert_eq!(
                refused.json()["info"]["problems"][0]["limit"],
                1_000,
                "{count}"
            );
        }
    }
}
