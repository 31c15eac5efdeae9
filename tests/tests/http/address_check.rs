//! The check of towns against postal codes: what it reports, corrects and refuses.

use erp_tests::addresses::{address, change, list, read};
use erp_tests::bodies;
use erp_tests::server::{SHOP1, Server};
use serde_json::{Value, json};

/// An address of a document in this town.
fn at(country: &str, code: &str, town: &str) -> Value {
    let mut address = bodies::address();
    address["OrtLand"] = json!(country);
    address["OrtPLZ"] = json!(code);
    address["OrtName"] = json!(town);
    address
}

fn order_to(addresses: Value) -> Value {
    let mut body = bodies::order("10006", json!([{"ArtNr": "BU-1001", "Menge": 1}]));
    body["Adressen"] = addresses;
    body
}

/// The report about the delivery address of an order, and the address that is stored in the order.
fn delivered_to(server: &Server, address: &Value) -> (Option<String>, Value) {
    let body = order_to(json!({"LiefAdr": address}));
    let placed = server.post("/www/auftrag").by(SHOP1).json(&body).send();
    let placed = placed.expect(201);
    let order = erp_tests::orders::read(server, &placed.number("AuftNr"));
    let reported = placed.header("x-address-check").map(str::to_owned);
    (reported, order["Adressen"]["LiefAdr"].clone())
}

// rule: D-ADR-08, D-ADR-02
#[test]
fn the_check_of_towns_is_reported_and_only_corrections_change_them() {
    let server = Server::shared();
    for (country, code, town, outcome, stored) in [
        (
            "CH",
            "8001",
            "Zürich",
            Some("unchanged"),
            ("8001", "Zürich"),
        ),
        (
            "CH",
            "8001",
            "zuerich",
            Some("corrected"),
            ("8001", "Zürich"),
        ),
        (
            "CH",
            "CH-8001",
            "Züric",
            Some("corrected"),
            ("8001", "Zürich"),
        ),
        ("CH", "1201", "Genf", Some("corrected"), ("1201", "Genève")),
        ("CH", "8001", "Bern", Some("conflict"), ("8001", "Bern")),
        (
            "CH",
            "8001",
            "Irgendwo",
            Some("ambiguous"),
            ("8001", "Irgendwo"),
        ),
        (
            "CH",
            "8999",
            "Zürich",
            Some("unknown_postal_code"),
            ("8999", "Zürich"),
        ),
        (
            "CH",
            "8021",
            "Zürich",
            Some("unchanged"),
            ("8021", "Zürich"),
        ),
        ("LI", "9490", "vaduz", None, ("9490", "vaduz")),
        ("DE", "10115", "Berlim", None, ("10115", "Berlim")),
    ] {
        let (reported, place) = delivered_to(&server, &at(country, code, town));
        let expected = outcome.map(|outcome| format!("LiefAdr={outcome}"));
        assert_eq!(reported, expected, "{code} {town}");
        assert_eq!(
            (&place["OrtPLZ"], &place["OrtName"]),
            (&json!(stored.0), &json!(stored.1))
        );
    }
}

// rule: R-TWN-01
#[test]
fn a_client_switches_the_check_on_and_off() {
    let server = Server::shared();
    let reported = |mut address: Value, check: i64| {
        address["AdrCheck"] = json!(check);
        let response = server
            .post("/www/auftrag")
            .by(SHOP1)
            .json(&order_to(json!({"RechAdr": address})))
            .send();
        response
            .expect(201)
            .header("x-address-check")
            .map(str::to_owned)
    };
    assert_eq!(reported(at("CH", "8001", "zuerich"), 0), None);
    assert_eq!(
        reported(at("LI", "9490", "vaduz"), 1).as_deref(),
        Some("RechAdr=corrected")
    );
    assert_eq!(
        reported(at("DE", "10115", "Berlin"), 1).as_deref(),
        Some("RechAdr=not_covered")
    );
}

// rule: D-ADR-08
#[test]
fn every_endpoint_with_addresses_reports_the_check() {
    let server = Server::shared();
    let three = json!({
        "KontaktAdr": at("CH", "8001", "Zürich"), "LiefAdr": at("CH", "8001", "zuerich"), "RechAdr": at("CH", "8001", "Bern"),
    });
    let expected = Some("KontaktAdr=unchanged, LiefAdr=corrected, RechAdr=conflict");
    let positions = json!([{"ArtNr": "BU-1001", "Menge": 1}]);
    let mut customer = bodies::customer();
    customer["Adressen"] = three.clone();
    let created = server
        .post("/www/kunden")
        .by(SHOP1)
        .json(&customer)
        .send()
        .expect(201);
    let number = created.number("DebiNr");
    let replace = server
        .put(&format!("/www/kunden/{number}"))
        .by(SHOP1)
        .json(&customer)
        .send()
        .expect(200);
    let order = server
        .post("/www/auftrag")
        .by(SHOP1)
        .json(&order_to(three.clone()))
        .send()
        .expect(201);
    let offer = json!({"Positionen": positions, "Adressen": three});
    let offer = server
        .post("/www/offerte")
        .by(SHOP1)
        .json(&offer)
        .send()
        .expect(201);
    let path = format!("/www/offerte?OffertNr={}", offer.number("OffertNr"));
    let changed = server
        .patch(&path)
        .by(SHOP1)
        .json(&json!({"Adressen": three}))
        .send()
        .expect(200);
    for response in [created, replace, order, offer, changed] {
        assert_eq!(
            response.header("x-address-check"),
            expected,
            "{}",
            response.request
        );
    }
    let list = list(&server, &number).expect(200).data();
    assert_eq!(list["KundLief"][0]["OrtName"], "Zürich");
}

// rule: D-ADR-08
#[test]
fn a_changed_address_is_checked_where_its_place_changed() {
    let server = Server::shared();
    let place = json!({"OrtLand": "CH", "OrtPLZ": "8001", "OrtName": "Zürich"});
    let address = address(&server, &place);
    let patched = |body: Value| {
        let response = change(&server, &address, &body).expect(204);
        response.header("x-address-check").map(str::to_owned)
    };
    assert_eq!(
        patched(json!({"AdrName": "Neu"})),
        None,
        "the place was not touched"
    );
    assert_eq!(
        patched(json!({"OrtName": "zuerich"})).as_deref(),
        Some("corrected")
    );
    assert_eq!(
        patched(json!({"OrtPLZ": "3011"})).as_deref(),
        Some("conflict")
    );
    assert_eq!(read(&server, &address).data()["OrtPLZ"], "3011");
}

// rule: D-ADR-02
#[test]
fn a_strict_server_refuses_a_wrong_town_and_names_the_right_one() {
    let server = Server::with(&[("address_check", "strict")]);
    let number = address(&server, &json!({}));
    let orders = |server: &Server| {
        server
            .get("/www/kunden/10006?order=9")
            .by(SHOP1)
            .send()
            .data()["Auftrag"]
            .clone()
    };
    let before = orders(&server);
    for (code, town, candidates) in [
        ("8001", "Winterthur", &["8400"][..]),
        ("8001", "Irgendwo", &["Zürich"]),
        ("1787", "Mur", &["Mur (Vully) FR", "Mur (Vully) VD"]),
        ("8999", "Zürich", &["8999"]),
    ] {
        let body =
            order_to(json!({"LiefAdr": at("CH", code, town), "RechAdr": at("CH", code, town)}));
        let response = server
            .post("/www/auftrag")
            .by(SHOP1)
            .json(&body)
            .send()
            .expect(422);
        let check = |path: &str| (path.to_owned(), "address_check".to_owned());
        assert_eq!(
            response.problems(),
            [
                check("Adressen.LiefAdr.OrtName"),
                check("Adressen.RechAdr.OrtName")
            ]
        );
        let patched =
            change(&server, &number, &json!({"OrtPLZ": code, "OrtName": town})).expect(422);
        assert_eq!(patched.problems(), [check("OrtName")]);
        for response in [response, patched] {
            let message = response.json()["info"]["problems"][0]["message"].to_string();
            for candidate in candidates {
                assert!(message.contains(candidate), "{message}");
            }
        }
    }
    assert_eq!(orders(&server), before);
    let corrected = change(&server, &number, &json!({"OrtName": "zuerich"})).expect(204);
    assert_eq!(corrected.header("x-address-check"), Some("corrected"));
    let mut unchecked = at("CH", "8001", "Irgendwo");
    unchecked["AdrCheck"] = json!(0);
    let body = order_to(json!({"LiefAdr": unchecked}));
    let _ = server
        .post("/www/auftrag")
        .by(SHOP1)
        .json(&body)
        .send()
        .expect(201);
}
