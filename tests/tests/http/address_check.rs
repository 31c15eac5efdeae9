//! The check of towns against postal codes: what it reports, corrects and refuses.

use erp_tests::addresses::{address, change, list, read};
use erp_tests::bodies;
use erp_tests::server::Server;
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
    let created = server.send("POST", "/www/kunden", &customer).expect(201);
    let number = created.number("DebiNr");
    let replace = server
        .send("PUT", &format!("/www/kunden/{number}"), &customer)
        .expect(200);
    let order = server
        .send("POST", "/www/auftrag", &order_to(three.clone()))
        .expect(201);
    let offer = json!({"Positionen": positions, "Adressen": three});
    let offer = server.send("POST", "/www/offerte", &offer).expect(201);
    let path = format!("/www/offerte?OffertNr={}", offer.number("OffertNr"));
    let changed = server
        .send("PATCH", &path, &json!({"Adressen": three}))
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
    let wrong = at("CH", "8001", "Winterthur");
    let order = order_to(json!({"LiefAdr": wrong, "RechAdr": wrong}));
    let refused = server.send("POST", "/www/auftrag", &order).expect(422);
    let check = |path: &str| (path.to_owned(), "address_check".to_owned());
    let paths = ["Adressen.LiefAdr.OrtName", "Adressen.RechAdr.OrtName"];
    assert_eq!(refused.problems(), paths.map(check));
    assert!(refused.text().contains("8400"), "{}", refused.text());
    let number = address(&server, &json!({}));
    let corrected = change(&server, &number, &json!({"OrtName": "zuerich"})).expect(204);
    assert_eq!(corrected.header("x-address-check"), Some("corrected"));
    let mut unchecked = at("CH", "8001", "Irgendwo");
    unchecked["AdrCheck"] = json!(0);
    let order = order_to(json!({"LiefAdr": unchecked}));
    let _ = server.send("POST", "/www/auftrag", &order).expect(201);
}
