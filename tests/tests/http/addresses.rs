//! `GET`, `PATCH /www/adressen`, `GET /www/adressensuche`.

use erp_tests::addresses::{address, change, contact, customer, list, read};
use erp_tests::bodies;
use erp_tests::exchange::Exchange;
use erp_tests::golden::golden;
use erp_tests::orders::column;
use erp_tests::server::{SHOP1, Server};
use serde_json::json;

/// Searches with a query that is already encoded.
fn search(server: &Server, query: &str) -> Exchange {
    server
        .get(&format!("/www/adressensuche?{query}"))
        .by(SHOP1)
        .send()
}

/// The number of the customer that a search returns, or the count if there are several or none.
fn found(server: &Server, query: &str) -> Result<String, i64> {
    let json = search(server, query).expect(200).json();
    let count = json["count"].as_i64().unwrap();
    if count == 1 {
        assert_eq!(json["success"], true);
        return Ok(json["data"]["DebiNr"].as_str().unwrap().to_owned());
    }
    assert_eq!(
        (&json["success"], &json["data"]),
        (&json!(false), &json!({})),
        "{query}"
    );
    Err(count)
}

// rule: R-END-64
#[test]
fn the_responses_are_the_golden_ones() {
    let server = Server::start();
    let full = server
        .post("/www/kunden")
        .by(SHOP1)
        .json(&bodies::full_customer())
        .send();
    assert_eq!(full.expect(201).number("DebiNr"), "10021");
    golden(&server, "addresses-of-a-customer", &list(&server, "10002"));
    golden(
        &server,
        "addresses-unknown-customer",
        &list(&server, "99999"),
    );
    golden(
        &server,
        "addresses-no-customer",
        &server.get("/www/adressen").by(SHOP1).send(),
    );
    let number = contact(&server, "10021");
    golden(&server, "address-read", &read(&server, &number));
    golden(&server, "address-unknown", &read(&server, "999999"));
    let checked = contact(&server, "10003");
    golden(
        &server,
        "address-changed",
        &change(
            &server,
            &checked,
            &json!({"AdrName": "Neuer", "OrtPLZ": "8001", "OrtName": "zuerich"}),
        ),
    );
    // An address that was stored unchecked stays unchecked.
    let unchecked = change(
        &server,
        &number,
        &json!({"OrtPLZ": "8001", "OrtName": "zuerich"}),
    )
    .expect(204);
    assert_eq!(unchecked.header("x-address-check"), None);
    golden(
        &server,
        "address-all-problems",
        &change(
            &server,
            &number,
            &json!({"AdrName": "", "AdrFirma": "", "AdrAdresse1": "", "OrtLand": "XX", "AdrAnrede": 3, "OrtPLZ": "12345678901"}),
        ),
    );
    golden(
        &server,
        "address-search-one",
        &search(&server, "EmailAdress=contact%40example.ch"),
    );
    golden(
        &server,
        "address-search-nobody",
        &search(&server, "AdrName=Niemand"),
    );
    golden(
        &server,
        "address-search-several",
        &search(&server, "OrtLand=CH"),
    );
    let long = format!("AdrFirma={}", "x".repeat(37));
    golden(&server, "address-search-too-long", &search(&server, &long));
}

// rule: R-END-71
#[test]
fn a_change_of_an_address_affects_only_the_members_in_the_body() {
    let server = Server::shared();
    let number = address(&server, &bodies::full_address("part"));
    let before = read(&server, &number).expect(200);
    assert_eq!(before.data().get("AdrNr"), None, "only lists contain it");
    let changed = change(
        &server,
        &number,
        &json!({"AdrFirma2": "Tür 7", "AdrFax": null, "AdrTf2": ""}),
    );
    let changed = changed.expect(204);
    let after = read(&server, &number).expect(200);
    assert_eq!(changed.header("etag"), after.header("etag"));
    assert_ne!(after.header("etag"), before.header("etag"));
    let mut expected = before.data();
    expected["AdrFirma2"] = json!("Tür 7");
    expected.as_object_mut().unwrap().remove("AdrTf2");
    assert_eq!(
        after.data(),
        expected,
        "null means absent, an empty text removes"
    );
    let _ = change(&server, &number, &json!({})).expect(204);
    assert_eq!(read(&server, &number).expect(200).data(), expected);
}

// rule: D-RET-02
#[test]
fn a_change_can_be_conditional_on_the_tag_that_was_read() {
    let server = Server::shared();
    let number = address(&server, &json!({}));
    let under = |tag: &str, name: &str| {
        let request = server.patch(&format!("/www/adressen/{number}")).by(SHOP1);
        request
            .header("if-match", tag.as_bytes())
            .json(&json!({"AdrName": name}))
            .send()
    };
    let tag = read(&server, &number).header("etag").unwrap().to_owned();
    let newer = under(&tag, "Eins")
        .expect(204)
        .header("etag")
        .unwrap()
        .to_owned();
    let stale = under(&tag, "Zwei");
    assert_eq!(stale.refusal(), (412, "precondition_failed".to_owned()));
    assert_eq!(under("\"nope\"", "Zwei").status, 412);
    let unquoted = under("r1", "Zwei");
    assert_eq!(unquoted.refusal(), (400, "malformed".to_owned()));
    assert_eq!(read(&server, &number).data()["AdrName"], "Eins");
    let _ = under(&format!("\"other\", {newer}"), "Drei").expect(204);
    let _ = under("*", "Vier").expect(204);
    assert_eq!(read(&server, &number).data()["AdrName"], "Vier");
}

// rule: R-END-64, R-END-66
#[test]
fn invalid_address_numbers_are_not_found() {
    let server = Server::shared();
    for number in [
        "0",
        "-1",
        "abc",
        "01",
        "+1",
        "1.0",
        "999999",
        "99999999999",
        "%20",
        "%C3%A4",
    ] {
        for response in [read(&server, number), change(&server, number, &json!({}))] {
            assert_eq!(
                response.refusal(),
                (404, "not_found".to_owned()),
                "{number}"
            );
        }
    }
    for query in ["", "?debinr=", "?DebiNr=123456789"] {
        let response = server
            .get(&format!("/www/adressen{query}"))
            .by(SHOP1)
            .send();
        assert_eq!(response.refusal(), (400, "malformed".to_owned()), "{query}");
        assert_eq!(response.json()["info"]["parameter"], "debinr", "{query}");
    }
}

// rule: R-END-67, R-END-68
#[test]
fn a_customer_has_addresses_of_three_kinds() {
    let server = Server::start();
    let json = list(&server, "10002").expect(200).json();
    let data = &json["data"];
    let kinds = ["KundKontakt", "KundLief", "KundRech"];
    let sizes = kinds.map(|kind| data[kind].as_array().unwrap().len());
    assert_eq!(
        sizes,
        [1, 2, 1],
        "without a billing address it is the contact"
    );
    assert_eq!(
        (&json["count"], &json["success"]),
        (&json!(4), &json!(true))
    );
    assert_eq!(data["KundRech"], data["KundKontakt"]);
    let delivery = column(&data["KundLief"], &["AdrFirma2", "OrtPLZ"]);
    assert_eq!(delivery[0], "\"Warenannahme Tor 2\" \"8400\"");
    for entry in kinds
        .iter()
        .flat_map(|kind| data[*kind].as_array().unwrap())
    {
        let number = entry["AdrNr"].to_string();
        assert_eq!(
            column(&entry["links"], &["type", "rel"]),
            ["\"GET\" \"adressen\"", "\"PATCH\" \"adressen\""]
        );
        for link in entry["links"].as_array().unwrap() {
            let href = link["href"].as_str().unwrap();
            assert!(href.ends_with(&format!("/www/adressen/{number}")), "{href}");
            let method = link["type"].as_str().unwrap();
            let response = server.call(method, href).by(SHOP1).json(&json!({})).send();
            assert!(matches!(response.status, 200 | 204), "{response:?}");
        }
        let mut single = read(&server, &number).expect(200).data();
        single["AdrNr"] = entry["AdrNr"].clone();
        single["links"] = entry["links"].clone();
        assert_eq!(&single, entry);
    }
    // The next order of the customer has the changed address.
    let second = data["KundKontakt"][0]["AdrNr"].to_string();
    let _ = change(
        &server,
        &second,
        &json!({"AdrFirma": "Holzwurm & Söhne AG"}),
    )
    .expect(204);
    let body = bodies::order("10002", json!([{"ArtNr": "BU-1001", "Menge": 1}]));
    let order = erp_tests::orders::placed(&server, &body);
    assert_eq!(
        order["Adressen"]["KontaktAdr"]["AdrFirma"],
        "Holzwurm & Söhne AG"
    );
}

// rule: R-END-74, D-ADR-06
#[test]
fn a_customer_is_found_by_any_address_however_it_is_spelled() {
    let server = Server::start();
    let number = customer(
        &server,
        &json!({
            "AdrName": "Müller-Größ", "AdrVorname": "Zoë", "AdrAdresse1": "Straße des 17. Juni 5", "AdrFirma": "Łódź & Söhne",
            "AdrTf1": "+41 (0)31 000 77 01", "EmailAdress": "Zoe.Mueller@Example.CH", "AdrAdresse2": "Haus B",
            "AdrFirma2": "Abt. 7", "AdrFax": "031-000-77-02", "AdrTelex": "079 000 77 03", "AdrTf2": "0041 31 000 77 04",
        }),
    );
    for query in [
        "AdrName=M%C3%BCller-Gr%C3%B6%C3%9F",
        "AdrName=M%FCller-Gr%F6%DF",
        "AdrName=MUELLER-GROESS",
        "AdrName=m%C3%BCller-gr%C3%B6ss",
        "AdrName=++Mueller-Gr%C3%B6%C3%9F+",
        "adrname=M%C3%BCller-Gr%C3%B6%C3%9F&ADRVORNAME=zoe",
        "AdrAdresse1=strasse+des++17.+juni+5",
        "AdrAdresse2=HAUS+B",
        "AdrFirma2=abt.+7",
        "AdrTf1=%2B410310007701",
        "AdrFax=0310007702",
        "AdrTelex=0790007703",
        "AdrTf2=0041-31-000-7704",
        "EmailAdress=zoe.mueller%40example.ch",
        "EmailAdress=ZOE.MUELLER%40EXAMPLE.CH&OrtLand=ch&OrtPLZ=8001&OrtName=zurich&AdrSprache=ger",
    ] {
        assert_eq!(found(&server, query), Ok(number.clone()), "{query}");
    }
    for query in [
        "AdrName=M%C3%BCller-Gr",
        "AdrName=M%C3%BCller-Gr%C3%B6%C3%9F&OrtPLZ=3000",
        "AdrTf1=310007701",
        "AdrTf1=-",
        "AdrName=%20",
        "AdrVorname=Niemand&OrtLand=CH",
        "EmailAdress=%25",
    ] {
        assert_eq!(found(&server, query), Err(0), "{query}");
    }
    for query in ["", "OrtLand=CH", "AdrSprache=fre", "AdrName=", "Nope=1"] {
        assert_eq!(found(&server, query), Err(2), "{query}");
    }
    // A search may match any address of a customer, and a customer counts once.
    assert_eq!(
        found(&server, "AdrFirma2=Baustelle+Amriswil"),
        Ok("10002".to_owned())
    );
    assert_eq!(
        found(&server, "AdrFirma=Schreinerei+Holzwurm+AG"),
        Ok("10002".to_owned())
    );
    assert_eq!(
        found(&server, "AdrFirma2=Baustelle+Amriswil&OrtPLZ=8400"),
        Err(0),
        "all criteria hold on one address"
    );
}

// rule: R-END-73, R-END-75
#[test]
fn a_search_returns_keys_and_seven_links_that_work() {
    let server = Server::start();
    let json = search(&server, "EmailAdress=lager%40holzwurm.example.ch")
        .expect(200)
        .json();
    let data = &json["data"];
    let customer = server
        .get("/www/kunden/10002")
        .by(SHOP1)
        .send()
        .expect(200)
        .data();
    for key in ["KundLief", "KundRech", "KundKontakt"] {
        assert_eq!(data[key], customer[key], "{key}");
    }
    assert_eq!(
        column(&data["links"], &["type", "rel"]),
        [
            "\"GET\" \"adressen KundRech\"",
            "\"PATCH\" \"adressen KundRech\"",
            "\"GET\" \"adressen KundKontakt\"",
            "\"PATCH\" \"adressen KundKontakt\"",
            "\"GET\" \"adressen KundLief\"",
            "\"PATCH\" \"adressen KundLief\"",
            "\"GET\" \"kunden\"",
        ]
    );
    for link in data["links"].as_array().unwrap() {
        let (method, href) = (
            link["type"].as_str().unwrap(),
            link["href"].as_str().unwrap(),
        );
        if let Some(kind) = link["rel"].as_str().unwrap().strip_prefix("adressen ") {
            assert!(href.ends_with(&format!("/{}", data[kind])), "{href}");
        }
        let response = server.call(method, href).by(SHOP1).json(&json!({})).send();
        assert!(matches!(response.status, 200 | 204), "{response:?}");
    }
}

// rule: R-END-72
#[test]
fn criteria_are_as_long_as_their_fields_and_given_once() {
    let server = Server::shared();
    for (name, length) in [
        ("EmailAdress", 255),
        ("AdrAdresse1", 60),
        ("AdrAdresse2", 60),
        ("AdrFax", 28),
        ("AdrFirma", 36),
        ("AdrFirma2", 36),
        ("AdrVorname", 36),
        ("AdrName", 36),
        ("AdrTelex", 28),
        ("AdrTf1", 28),
        ("AdrTf2", 28),
        ("OrtName", 48),
        ("OrtPLZ", 10),
    ] {
        let text = "%C3%A9".repeat(length);
        assert_eq!(found(&server, &format!("{name}={text}")), Err(0), "{name}");
        for query in [
            format!("{name}={text}x"),
            format!("{name}=a&{name}=a"),
            format!("{name}=%00"),
        ] {
            let response = search(&server, &query);
            assert_eq!(response.refusal(), (400, "malformed".to_owned()), "{query}");
            assert_eq!(response.json()["info"]["parameter"], name, "{query}");
        }
    }
}

// rule: R-END-17, R-END-66
#[test]
fn an_unknown_customer_in_a_query_is_a_bad_value() {
    let server = Server::shared();
    for path in [
        "/www/adressen?debinr=99999",
        "/www/artikel?debinr=99999",
        "/www/artikel/BU-1001?debinr=99999",
        "/www/tofaktorlogin/BU-1001?debinr=99999",
    ] {
        let refused = server.get(path).by(SHOP1).send();
        assert_eq!(refused.refusal(), (400, "malformed".to_owned()), "{path}");
        let reported = refused.json();
        assert_eq!(reported["info"]["parameter"], "debinr", "{path}");
        assert_eq!(
            reported["error_description"],
            "`debinr` must be the number of a customer, not `99999`"
        );
    }
}

// rule: D-REQ-19, D-REQ-05
#[test]
fn codes_of_a_search_are_checked() {
    let server = Server::shared();
    for (query, parameter, hint) in [
        ("AdrSprache=deu", "AdrSprache", "`ger`"),
        ("AdrSprache=xxx", "AdrSprache", "ISO 639-2/B"),
        ("OrtLand=DEU", "OrtLand", "ISO 3166-1"),
        ("OrtName=Bern&OrtLand=XX", "OrtLand", "ISO 3166-1"),
    ] {
        let path = format!("/www/adressensuche?{query}");
        let response = server.get(&path).by(SHOP1).send();
        assert_eq!(response.refusal(), (400, "malformed".to_owned()), "{query}");
        let reported = response.json();
        assert_eq!(reported["info"]["parameter"], parameter, "{query}");
        let sentence = reported["error_description"].as_str().unwrap();
        assert!(sentence.contains(hint), "{sentence}");
    }
    let path = "/www/adressensuche?OrtLand=ch%20&AdrSprache=GER&AdrName=Nobody";
    assert_eq!(
        server.get(path).by(SHOP1).send().expect(200).json()["count"],
        0
    );
}

#[test]
fn texts_of_every_script_are_stored_and_found_up_to_their_length() {
    let server = Server::start();
    let encoded =
        |text: &str| -> String { text.bytes().map(|byte| format!("%{byte:02X}")).collect() };
    let named = |mail: &str| found(&server, &format!("EmailAdress={}", encoded(mail)));
    for letter in ["😀", "한", "\u{1fa7}", "W"] {
        let mail = letter.repeat(255);
        let other = format!("{}x", letter.repeat(254));
        let number = customer(
            &server,
            &json!({
                "EmailAdress": mail, "AdrFirma": letter.repeat(36), "AdrName": letter.repeat(36),
                "AdrAdresse1": letter.repeat(60), "AdrAdresse2": letter.repeat(60), "AdrCheck": 0,
                "OrtName": letter.repeat(48), "OrtPLZ": letter.repeat(10),
            }),
        );
        assert_eq!(named(&mail), Ok(number.clone()), "{letter}");
        // Both texts have the same start in the index, but only one of them matches.
        let second = customer(&server, &json!({"EmailAdress": other}));
        assert_eq!(named(&other), Ok(second), "{letter}");
        assert_eq!(named(&mail), Ok(number.clone()), "{letter}");
        let both = format!(
            "AdrFirma={}&OrtPLZ={}",
            encoded(&letter.repeat(36)),
            encoded(&letter.repeat(10))
        );
        assert_eq!(found(&server, &both), Ok(number.clone()), "{letter}");
        // A changed text is found under its new value only.
        let address = contact(&server, &number);
        let newer = format!("{}y", letter.repeat(254));
        let _ = change(&server, &address, &json!({"EmailAdress": newer})).expect(204);
        assert_eq!(named(&newer), Ok(number.clone()), "{letter}");
        assert_eq!(named(&mail), Err(0), "{letter}");
    }
}
