//! `POST /www/kunden`, `GET` and `PUT /www/kunden/{DebiNr}`.

use std::collections::BTreeSet;

use erp_tests::bodies;
use erp_tests::exchange::Exchange;
use erp_tests::golden::golden;
use erp_tests::server::{SHOP1, SHOP2, Server};
use serde_json::{Value, json};

fn create(server: &Server, body: &Value) -> Exchange {
    server.post("/www/kunden").by(SHOP1).json(body).send()
}

fn read(server: &Server, number: &str) -> Value {
    server
        .get(&format!("/www/kunden/{number}"))
        .by(SHOP1)
        .send()
        .expect(200)
        .data()
}

fn new_customer(server: &Server, body: &Value) -> String {
    create(server, body).expect(201).number("DebiNr")
}

fn addresses(server: &Server, customer: &str) -> Value {
    let body = bodies::order(customer, json!([{"ArtNr": "BU-1001", "Menge": 1}]));
    let number = server
        .post("/www/auftrag")
        .by(SHOP1)
        .json(&body)
        .send()
        .expect(201)
        .number("AuftNr");
    server
        .get(&format!("/www/auftrag/{number}"))
        .by(SHOP1)
        .send()
        .expect(200)
        .data()["Adressen"]
        .take()
}

// rule: R-RES-10, R-END-10, D-RET-02, D-RET-01
#[test]
fn the_responses_are_the_golden_ones() {
    let server = Server::start();
    let created = create(&server, &bodies::full_customer());
    golden(&server, "customer-created", &created);
    assert_eq!(created.number("DebiNr"), "10021");
    golden(
        &server,
        "customer-read",
        &server.get("/www/kunden/10021").by(SHOP1).send(),
    );
    golden(
        &server,
        "customer-of-the-back-office",
        &server.get("/www/kunden/10001").by(SHOP1).send(),
    );
    let order = bodies::order(
        "10021",
        json!([{"ArtNr": "BU-1001", "Menge": 1, "Preis": 5}]),
    );
    let _ = server
        .post("/www/auftrag")
        .by(SHOP1)
        .json(&order)
        .send()
        .expect(201);
    golden(
        &server,
        "customer-with-orders",
        &server.get("/www/kunden/10021?order=5").by(SHOP1).send(),
    );
    let replaced = server
        .put("/www/kunden/10021")
        .by(SHOP1)
        .json(&bodies::customer())
        .send();
    golden(&server, "customer-replaced", &replaced);
    golden(
        &server,
        "customer-unknown",
        &server.get("/www/kunden/99999").by(SHOP1).send(),
    );
    golden(&server, "customer-empty-body", &create(&server, &json!({})));
    golden(
        &server,
        "customer-bad-status",
        &server.get("/www/kunden/10001?status=X").by(SHOP1).send(),
    );
    let deep = json!({"GrundDaten": {"AdrSprache": "deu", "WaehrAbk": "HRK", "FAKTZahlArt": 1, "Kommentar": "x".repeat(256)}});
    golden(&server, "customer-all-problems", &create(&server, &deep));
}

// rule: R-END-10, R-END-60
#[test]
fn what_is_stored_is_read_again() {
    let server = Server::shared();
    let number = new_customer(&server, &bodies::full_customer());
    let customer = read(&server, &number);
    let sent = bodies::full_customer()["GrundDaten"].take();
    for name in [
        "AdrSprache",
        "WaehrAbk",
        "ZahlungsMethode",
        "VBTyp",
        "Kommentar",
    ] {
        assert_eq!(customer[name], sent[name], "{name}");
    }
    assert_eq!(customer["status"], 1);
    assert!(
        customer["KundBez"]
            .as_str()
            .unwrap()
            .starts_with("Łódź contact")
    );
    assert_eq!(
        (
            customer.get("Auftrag"),
            customer.get("BrancheID"),
            customer.get("attributes")
        ),
        (None, None, None)
    );
    let keys: BTreeSet<i64> = ["KundLief", "KundRech", "KundKontakt"]
        .map(|key| customer[key].as_i64().unwrap())
        .into();
    assert_eq!(keys.len(), 3);
    let stored = addresses(&server, &number);
    for (name, mark, key) in [
        ("KontaktAdr", "contact", "KundKontakt"),
        ("LiefAdr", "delivery", "KundLief"),
        ("RechAdr", "billing", "KundRech"),
    ] {
        let mut expected = bodies::full_address(mark);
        let members = expected.as_object_mut().unwrap();
        members.retain(|name, _| !matches!(name.as_str(), "AdrSprache" | "AdrAnrede" | "AdrCheck"));
        members.insert("AdrNr".to_owned(), customer[key].clone());
        members.insert("ISOLandA2".to_owned(), json!("CH"));
        assert_eq!(stored[name], expected, "{name}");
    }
}

// rule: R-END-12, R-END-61
#[test]
fn the_least_body_is_enough_and_one_address_serves_all_three() {
    let server = Server::shared();
    let number = new_customer(&server, &bodies::customer());
    let customer = read(&server, &number);
    assert_eq!(customer["KundLief"], customer["KundKontakt"]);
    assert_eq!(customer["KundRech"], customer["KundKontakt"]);
    assert_eq!(
        (&customer["status"], &customer["AdrSprache"]),
        (&json!(0), &json!("ger"))
    );
    assert_eq!(customer.get("ZahlungsMethode"), None);
    let stored = addresses(&server, &number);
    assert_eq!(stored["LiefAdr"], stored["KontaktAdr"]);
    assert_eq!(stored["RechAdr"], stored["KontaktAdr"]);
    assert_eq!(stored["KontaktAdr"]["AdrName"], "Müller-Größ");
}

// rule: R-END-13
#[test]
fn numbers_are_never_used_twice() {
    let server = Server::shared();
    let numbers: Vec<String> = (0..5)
        .map(|_| new_customer(&server, &bodies::customer()))
        .collect();
    assert_eq!(numbers.iter().collect::<BTreeSet<_>>().len(), 5);
    assert!(
        numbers
            .iter()
            .all(|number| number.parse::<u32>().unwrap() > 10_020),
        "{numbers:?}"
    );
}

// rule: R-END-15
#[test]
fn replacing_changes_what_was_sent_and_keeps_what_the_back_office_knows() {
    let server = Server::start();
    let before = server.get("/www/kunden/10001").by(SHOP1).send().expect(200);
    let mut body = bodies::full_customer();
    body["GrundDaten"]["Kommentar"] = Value::Null;
    body["GrundDaten"]["KreditLimit"] = json!(0);
    let replaced = server
        .put("/www/kunden/10001")
        .by(SHOP1)
        .json(&body)
        .send()
        .expect(200);
    let after = server.get("/www/kunden/10001").by(SHOP1).send().expect(200);
    assert_eq!(
        (replaced.text(), replaced.header("etag")),
        (after.text(), after.header("etag"))
    );
    assert_ne!(before.header("etag"), after.header("etag"));
    let (before, after) = (before.data(), after.data());
    for kept in [
        "BrancheID",
        "attributes",
        "KundKontakt",
        "KundLief",
        "KundRech",
        "KundBez",
    ] {
        assert_eq!(after[kept], before[kept], "{kept}");
    }
    assert_eq!(
        (&after["WaehrAbk"], &after["AdrSprache"], &after["status"]),
        (&json!("EUR"), &json!("fre"), &json!(0))
    );
    assert_eq!(after.get("Kommentar"), None);
    assert_eq!(
        addresses(&server, "10001")["LiefAdr"]["AdrAdresse1"],
        "Rue delivery 1"
    );
    let unknown = server.put("/www/kunden/99999").by(SHOP1).json(&body).send();
    assert_eq!(unknown.refusal(), (404, "not_found".to_owned()));
    let wrong = server
        .put("/www/kunden/10001")
        .by(SHOP1)
        .json(&json!({}))
        .send();
    assert_eq!(wrong.refusal(), (422, "invalid".to_owned()));
    assert_eq!(read(&server, "10001"), after);
}

// rule: D-RET-02
#[test]
fn entity_tags_stay_until_something_changes() {
    let server = Server::shared();
    let tag = |number: &str| {
        server
            .get(&format!("/www/kunden/{number}"))
            .by(SHOP1)
            .send()
            .header("etag")
            .unwrap()
            .to_owned()
    };
    let number = new_customer(&server, &bodies::customer());
    let first = tag(&number);
    assert!(first.starts_with("\"r") && first.ends_with('"'), "{first}");
    let _ = new_customer(&server, &bodies::customer());
    assert_eq!(tag(&number), first);
    let _ = server
        .put(&format!("/www/kunden/{number}"))
        .by(SHOP1)
        .json(&bodies::full_customer())
        .send()
        .expect(200);
    assert_ne!(tag(&number), first);
}

// rule: R-RES-11, R-STA-02, R-END-11
#[test]
fn the_last_orders_come_newest_first() {
    let server = Server::shared();
    let number = new_customer(&server, &bodies::customer());
    let place = || {
        let body = bodies::order(&number, json!([{"ArtNr": "BU-1001", "Menge": 1}]));
        server
            .post("/www/auftrag")
            .by(SHOP2)
            .json(&body)
            .send()
            .expect(201)
            .number("AuftNr")
    };
    let placed: Vec<String> = (0..4).map(|_| place()).collect();
    let listed = |query: &str| read(&server, &format!("{number}{query}"));
    let numbers = |query: &str| -> Vec<String> {
        let list = listed(query)["Auftrag"].as_array().expect("a list").clone();
        list.iter()
            .map(|order| order["AuftNr"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        numbers("?order=10"),
        placed.iter().rev().cloned().collect::<Vec<_>>()
    );
    assert_eq!(numbers("?order=2"), [placed[3].clone(), placed[2].clone()]);
    assert_eq!(numbers("?order=9&status=N").len(), 4);
    assert_eq!(numbers("?order=9&status=O"), [""; 0]);
    assert_eq!(numbers("?order=9&status=A"), [""; 0]);
    for none in ["", "?order=0", "?status=N"] {
        assert_eq!(listed(none).get("Auftrag"), None, "{none}");
    }
    let entry = listed("?order=1")["Auftrag"][0].clone();
    assert_eq!(
        (&entry["PlanStatus"], &entry["AuftErf"]),
        (&json!("N"), &entry["AuftErfUTC"])
    );
    assert_eq!(entry["AuftErf"].as_str().unwrap().len(), 20);
    let href = entry["links"][0]["href"].as_str().unwrap();
    assert_eq!(
        server.get(href).by(SHOP1).send().expect(200).data()["GrundDaten"]["AuftNr"],
        entry["AuftNr"]
    );
    for bad in [
        "order=-1",
        "order=x",
        "order=1&order=2",
        "order=2147483648",
        "order=99999999999",
        "status=X",
        "status=P",
    ] {
        let response = server
            .get(&format!("/www/kunden/{number}?{bad}"))
            .by(SHOP1)
            .send();
        assert_eq!(response.refusal(), (400, "malformed".to_owned()), "{bad}");
    }
}

fn with_street(street: &str) -> String {
    let mut body = bodies::customer();
    body["Adressen"]["KontaktAdr"]["AdrAdresse1"] = json!(street);
    body.to_string()
}

/// The text in ISO-8859-1, with this byte for the euro sign.
fn single_byte(text: &str, euro: u8) -> Vec<u8> {
    text.chars()
        .map(|letter| u8::try_from(u32::from(letter)).unwrap_or(euro))
        .collect()
}

// rule: D-REQ-01
#[test]
fn bodies_are_read_in_the_declared_charset() {
    let server = Server::shared();
    let plain = with_street("Größe Straße 1");
    let euro = with_street("Größe € Straße");
    for (content_type, bytes, street) in [
        (
            "application/json",
            plain.clone().into_bytes(),
            "Größe Straße 1",
        ),
        (
            "application/json; charset=utf-8",
            euro.clone().into_bytes(),
            "Größe € Straße",
        ),
        (
            "application/json; charset=ISO-8859-1",
            single_byte(&plain, 0),
            "Größe Straße 1",
        ),
        (
            "application/json;charset=\"iso-8859-1\"",
            single_byte(&plain, 0),
            "Größe Straße 1",
        ),
        (
            "application/json; charset=windows-1252",
            single_byte(&euro, 0x80),
            "Größe € Straße",
        ),
        (
            "application/vnd.shop+json; charset=us-ascii",
            with_street("Gasse 1")
                .replace("Zoë", "Zoe")
                .replace("Müller-Größ", "M")
                .replace("Bären", "B")
                .replace("Zürich", "Zug")
                .into_bytes(),
            "Gasse 1",
        ),
    ] {
        let created = server
            .post("/www/kunden")
            .by(SHOP1)
            .body(content_type, &bytes)
            .send()
            .expect(201);
        let stored = addresses(&server, &created.number("DebiNr"));
        assert_eq!(
            stored["KontaktAdr"]["AdrAdresse1"], street,
            "{content_type}"
        );
    }
}

// rule: D-REQ-01
#[test]
fn bodies_without_a_charset_are_utf_8() {
    let server = Server::shared();
    let untyped = server
        .post("/www/kunden")
        .by(SHOP1)
        .untyped_body(with_street("Größe € Straße").as_bytes())
        .send()
        .expect(201);
    assert_eq!(
        addresses(&server, &untyped.number("DebiNr"))["KontaktAdr"]["AdrAdresse1"],
        "Größe € Straße"
    );
    let latin1 = single_byte(&with_street("Größe Straße 1"), 0);
    let undeclared = server
        .post("/www/kunden")
        .by(SHOP1)
        .body("application/json", &latin1)
        .send()
        .expect(400)
        .json();
    let first = latin1.iter().position(|byte| !byte.is_ascii()).unwrap();
    assert_eq!(undeclared["info"]["offset"], first);
    let description = undeclared["error_description"].as_str().unwrap();
    assert!(description.contains("charset"), "{description}");
}

// rule: D-REQ-01
#[test]
fn bodies_in_an_unknown_charset_are_refused() {
    let foreign = Server::shared()
        .post("/www/kunden")
        .by(SHOP1)
        .body(
            "application/json; charset=utf-16",
            with_street("Größe Straße 1").as_bytes(),
        )
        .send();
    assert_eq!(
        foreign.refusal(),
        (415, "unsupported_media_type".to_owned())
    );
}

// rule: R-CON-02
#[test]
fn every_letter_survives() {
    let server = Server::shared();
    let mut body = bodies::customer();
    let comment = "äöüÄÖÜß éèêç ñ €–„“ Łódź Ωδ Жи 日本 😀 \"\\/ <&> '";
    body["GrundDaten"]["Kommentar"] = json!(comment);
    let number = new_customer(&server, &body);
    let response = server
        .get(&format!("/www/kunden/{number}"))
        .by(SHOP1)
        .send()
        .expect(200);
    assert_eq!(response.data()["Kommentar"], comment);
    assert!(
        response.text().contains(r"\ud83d\ude00") && response.text().contains(r"\u20ac"),
        "{}",
        response.text()
    );
}

// rule: R-END-12, R-END-61
#[test]
fn every_missing_required_field_is_reported() {
    let server = Server::shared();
    let refused = |body: &Value| create(&server, body).expect(422).problems();
    let required = |path: &str| vec![(path.to_owned(), "required".to_owned())];
    for name in ["WaehrAbk", "FAKTZahlArt"] {
        for absent in [Value::Null, json!(""), json!(" ")] {
            let mut body = bodies::customer();
            body["GrundDaten"][name] = absent;
            assert_eq!(refused(&body), required(&format!("GrundDaten.{name}")));
        }
    }
    for place in ["KontaktAdr", "LiefAdr", "RechAdr"] {
        for name in [
            "AdrSprache",
            "AdrAdresse1",
            "AdrAnrede",
            "OrtLand",
            "OrtName",
            "OrtPLZ",
        ] {
            let mut body = bodies::full_customer();
            body["Adressen"][place]
                .as_object_mut()
                .unwrap()
                .remove(name);
            assert_eq!(
                refused(&body),
                required(&format!("Adressen.{place}.{name}"))
            );
        }
        let mut body = bodies::full_customer();
        body["Adressen"][place]["AdrFirma"] = Value::Null;
        let _ = create(&server, &body).expect(201);
        body["Adressen"][place]["AdrName"] = Value::Null;
        assert_eq!(
            refused(&body),
            required(&format!("Adressen.{place}.AdrFirma"))
        );
    }
    let mut body = bodies::full_customer();
    body["Adressen"]
        .as_object_mut()
        .unwrap()
        .remove("KontaktAdr");
    assert_eq!(refused(&body), required("Adressen.KontaktAdr"));
    body.as_object_mut().unwrap().remove("Adressen");
    assert_eq!(refused(&body), required("Adressen.KontaktAdr"));
    assert_eq!(refused(&json!({})).len(), 3);
}

// rule: R-REQ-14
#[test]
fn languages_are_the_b_codes_and_the_right_one_is_named() {
    let server = Server::shared();
    for (given, wanted) in [
        ("deu", "ger"),
        ("fra", "fre"),
        ("de", "ger"),
        ("FR", "fre"),
        ("ces", "cze"),
    ] {
        let mut body = bodies::customer();
        body["Adressen"]["KontaktAdr"]["AdrSprache"] = json!(given);
        let refused = create(&server, &body).expect(422);
        assert_eq!(
            refused.problems(),
            [(
                "Adressen.KontaktAdr.AdrSprache".to_owned(),
                "unknown_language".to_owned()
            )]
        );
        let message = refused.json()["info"]["problems"][0]["message"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(
            message.contains(&format!("`{wanted}`")),
            "{given}: {message}"
        );
    }
    let mut body = bodies::customer();
    body["Adressen"]["KontaktAdr"]["AdrSprache"] = json!("GER ");
    assert_eq!(
        read(&server, &new_customer(&server, &body))["AdrSprache"],
        "ger"
    );
}

// rule: R-END-60
#[test]
fn values_outside_their_range_are_refused() {
    let server = Server::shared();
    for (pointer, value, code) in [
        ("/GrundDaten/WaehrAbk", json!("EURO"), "unknown_currency"),
        ("/GrundDaten/ZahlungsMethode", json!("K,X"), "unknown_value"),
        ("/GrundDaten/KreditLimit", json!(-1), "out_of_range"),
        (
            "/GrundDaten/KreditLimit",
            json!(2_147_483_648_i64),
            "out_of_range",
        ),
        ("/GrundDaten/FirmenURL", json!("x".repeat(21)), "too_long"),
        ("/Adressen/KontaktAdr/AdrAnrede", json!(3), "unknown_value"),
        (
            "/Adressen/KontaktAdr/OrtLand",
            json!("XX"),
            "unknown_country",
        ),
        (
            "/Adressen/KontaktAdr/AdrName",
            json!("a\u{7}b"),
            "control_character",
        ),
        ("/Adressen/KontaktAdr/AdrCheck", json!(2), "unknown_value"),
    ] {
        let mut body = bodies::full_customer();
        *body.pointer_mut(pointer).unwrap() = value;
        let expected = (
            pointer.trim_start_matches('/').replace('/', "."),
            code.to_owned(),
        );
        assert_eq!(
            create(&server, &body).expect(422).problems(),
            [expected],
            "{pointer}"
        );
    }
}
