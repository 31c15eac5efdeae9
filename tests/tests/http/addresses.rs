//! `GET`, `PATCH /www/adressen`, `GET /www/adressensuche`.

use erp_tests::addresses::{change, contact, customer, list, read};
use erp_tests::bodies;
use erp_tests::exchange::Exchange;
use erp_tests::golden::golden;
use erp_tests::server::Server;
use serde_json::json;

/// Searches with a query that is already encoded.
fn search(server: &Server, query: &str) -> Exchange {
    server.read(&format!("/www/adressensuche?{query}"))
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

// rule: R-END-64, R-END-68, R-END-71
#[test]
fn the_responses_are_the_golden_ones() {
    let server = Server::start();
    let full = server.send("POST", "/www/kunden", &bodies::full_customer());
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
        &server.read("/www/adressen"),
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
        let response = server.read(&path);
        response.refused(400, "malformed");
        let reported = response.json();
        assert_eq!(reported["info"]["parameter"], parameter, "{query}");
        let sentence = reported["error_description"].as_str().unwrap();
        assert!(sentence.contains(hint), "{sentence}");
    }
    let path = "/www/adressensuche?OrtLand=ch%20&AdrSprache=GER&AdrName=Nobody";
    assert_eq!(server.read(path).expect(200).json()["count"], 0);
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
