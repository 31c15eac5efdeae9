//! Points of the interface document that an earlier version read otherwise.

use erp_tests::addresses;
use erp_tests::bodies;
use erp_tests::exchange::Exchange;
use erp_tests::offers;
use erp_tests::orders::{place, placed};
use erp_tests::server::{ADMIN, SHOP1, Server};
use serde_json::{Value, json};

fn article(server: &Server, number: &str) -> Exchange {
    server
        .get(&format!("/www/artikel/{number}"))
        .by(SHOP1)
        .send()
}

fn tag(answer: &Exchange) -> String {
    answer.header("etag").expect("an ETag").to_owned()
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter()
        .map(|(path, code)| ((*path).to_owned(), (*code).to_owned()))
        .collect()
}

// rule: D-CTR-01
#[test]
fn every_origin_is_declared_in_the_best_language_there_is() {
    let server = Server::start();
    server.import(
        r#"{"Artikel": {"ArtNr": "DEK-1", "ArtBez": "Tee", "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "*"}],
            "Deklaration": [
                {"Nr": 1, "AdrSprache": "ger", "Bezeichnung1": "Blatt", "OrtLand": "CN"},
                {"Nr": 1, "AdrSprache": "fre", "Bezeichnung1": "feuille", "OrtLand": "CN"},
                {"Nr": 2, "AdrSprache": "ger", "Bezeichnung1": "Minze", "OrtLand": "MA"},
                {"Nr": 3, "AdrSprache": "spa", "Bezeichnung1": "limon", "OrtLand": "ES"}]}}"#
            .replace('\n', " ")
            .as_str(),
    );
    for (language, expected) in [
        ("fre", ["feuille", "Minze", "limon"]),
        ("ger", ["Blatt", "Minze", "limon"]),
        ("ita", ["Blatt", "Minze", "limon"]),
    ] {
        let shown = article(&server, &format!("DEK-1?adrsprache={language}")).expect(200);
        let list = shown.data()["Deklaration"].as_array().unwrap().clone();
        let names: Vec<&Value> = list.iter().map(|entry| &entry["Bezeichnung1"]).collect();
        assert_eq!(names, expected, "{language}");
        let numbers: Vec<&Value> = list.iter().map(|entry| &entry["Nr"]).collect();
        assert_eq!(numbers, [1, 2, 3], "{language}");
    }
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
    let sorted = |answer: &Exchange| {
        let mut problems = answer.problems();
        problems.sort();
        problems
    };
    let mut all = pairs(&expected);
    all.sort();
    assert_eq!(sorted(&place(&server, &body).expect(422)), all);
    assert_eq!(sorted(&offers::make(&server, &body).expect(422)), all);
    // The same without a problem of form.
    body["Positionen"][3]["Menge"] = json!(1);
    all.retain(|(_, code)| code != "wrong_type");
    assert_eq!(sorted(&place(&server, &body).expect(422)), all);
    assert_eq!(sorted(&offers::make(&server, &body).expect(422)), all);
    // A currency that is none hides none of them either.
    body["GrundDaten"]["WaehrAbk"] = json!("XXX");
    all.extend(pairs(&[("GrundDaten.WaehrAbk", "unknown_currency")]));
    all.sort();
    assert_eq!(sorted(&place(&server, &body).expect(422)), all);
    assert_eq!(sorted(&offers::make(&server, &body).expect(422)), all);
}

// rule: D-REQ-10, D-CTR-03
#[test]
fn what_cannot_be_known_is_not_called_a_problem() {
    let server = Server::shared();
    // No list has this price: a problem only where customer and currency are known.
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

// rule: D-REQ-10, D-CTR-03, D-REQ-13
#[test]
fn a_change_of_an_offer_lists_every_problem() {
    let server = Server::with(&[("address_check", "strict")]);
    let template = offers::made(&server, &offers::template());
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
    let sorted = |answer: Exchange| {
        let mut problems = answer.expect(422).problems();
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
    assert_eq!(sorted(offers::change(&server, &of_query, &body)), all);
    body["Positionen"][3]["Menge"] = json!(1);
    all.pop();
    assert_eq!(sorted(offers::change(&server, &of_query, &body)), all);
    // Nothing of an unknown offer is known, but what the body says by itself is.
    all.retain(|(path, _)| {
        path.ends_with("].ArtNr") && path != "Positionen[2].ArtNr" || path.starts_with("Adr")
    });
    all.insert(1, ("OffertNr".to_owned(), "unknown_offer".to_owned()));
    assert_eq!(sorted(offers::change(&server, "OffertNr=1", &body)), all);
    let fine = json!({"Positionen": [{"ArtNr": "BU-1001", "Menge": 1}]});
    let missing = offers::change(&server, "OffertNr=1", &fine);
    assert_eq!(missing.refusal(), (404, "not_found".to_owned()));
    // Padding of the query does not count.
    let padded = offers::change(
        &server,
        &format!("{of_query}&KundNr=77777%20%20"),
        &json!({}),
    );
    assert_eq!(
        padded.expect(422).problems(),
        pairs(&[("GrundDaten.KundNr", "unknown_customer")])
    );
}

// rule: D-REQ-10, D-CTR-03
#[test]
fn a_conversion_and_addresses_list_every_problem() {
    let server = Server::with(&[("address_check", "strict")]);
    let body =
        json!({"GrundDaten": {"KundNr": "77777", "OffertNr": "1"}, "Zahlung": [{"Wert": 7}]});
    let refused = server.put("/www/auftrag").by(SHOP1).json(&body).send();
    assert_eq!(
        refused.expect(422).problems(),
        pairs(&[
            ("Zahlung[0].Wert", "wrong_type"),
            ("GrundDaten.KundNr", "unknown_customer"),
            ("GrundDaten.OffertNr", "unknown_offer"),
        ])
    );
    let mut body = bodies::customer();
    body["GrundDaten"]["WaehrAbk"] = json!("XXX");
    body["Adressen"]["KontaktAdr"]["OrtName"] = json!("Basel");
    let refused = server.post("/www/kunden").by(SHOP1).json(&body).send();
    let expected = pairs(&[
        ("GrundDaten.WaehrAbk", "unknown_currency"),
        ("Adressen.KontaktAdr.OrtName", "address_check"),
    ]);
    assert_eq!(refused.expect(422).problems(), expected);
    let address = addresses::address(&server, &json!({}));
    for (change, expected) in [
        (
            json!({"AdrSprache": "deu", "OrtName": "Basel"}),
            vec![
                ("AdrSprache", "unknown_language"),
                ("OrtName", "address_check"),
            ],
        ),
        (
            json!({"AdrSprache": "deu", "AdrName": ""}),
            vec![("AdrSprache", "unknown_language"), ("AdrFirma", "required")],
        ),
        // What is told already is not told as something else too.
        (json!({"AdrName": 7}), vec![("AdrName", "wrong_type")]),
        (
            json!({"OrtPLZ": 7, "OrtName": "Basel"}),
            vec![("OrtPLZ", "wrong_type")],
        ),
    ] {
        let refused = addresses::change(&server, &address, &change).expect(422);
        assert_eq!(refused.problems(), pairs(&expected), "{change}");
    }
}

// rule: D-DOC-09
#[test]
fn all_orders_of_a_customer_can_be_asked_for() {
    let server = Server::start();
    let customer = addresses::customer(&server, &json!({}));
    let body = bodies::order(&customer, json!([{"ArtNr": "BU-1001", "Menge": 1}]));
    let mut placed: Vec<String> = (0..230)
        .map(|_| place(&server, &body).expect(201).number("AuftNr"))
        .collect();
    for (at, number) in placed.iter().enumerate() {
        if at % 50 == 0 {
            let path = format!("/admin/auftrag/{number}/status");
            let moved = server
                .put(&path)
                .by(ADMIN)
                .json(&json!({"AuftStatus": "O"}));
            let _ = moved.send().expect(200);
        }
    }
    placed.reverse();
    let listed = |query: &str| {
        let path = format!("/www/kunden/{customer}?{query}");
        let answer = server.get(&path).by(SHOP1).send().expect(200).data();
        assert_eq!(answer["WaehrAbk"], "CHF");
        let orders = answer["Auftrag"].as_array().unwrap().iter();
        orders
            .map(|order| order["AuftNr"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(listed("order=2147483647"), placed);
    for last in [1, 99, 100, 101, 200, 201, 229, 230, 231] {
        let found = listed(&format!("order={last}"));
        assert_eq!(found, placed[..last.min(230)], "{last}");
    }
    // The newest of them stands on the first page of a hundred, the first on the last one.
    let open = listed("order=2147483647&status=O");
    let expected: Vec<String> = placed.iter().rev().step_by(50).rev().cloned().collect();
    assert_eq!(open, expected);
    assert_eq!(listed("order=2&status=O"), expected[..2]);
    assert_eq!(listed("order=1000&status=A"), [""; 0]);
    let path = format!("/www/kunden/{customer}?order=2147483648");
    let refused = server.get(&path).by(SHOP1).send();
    assert_eq!(refused.refusal(), (400, "malformed".to_owned()));
}

#[test]
fn texts_of_every_script_are_stored_and_found_up_to_their_length() {
    let server = Server::start();
    let encoded =
        |text: &str| -> String { text.bytes().map(|byte| format!("%{byte:02X}")).collect() };
    let found = |query: &str| {
        let path = format!("/www/adressensuche?{query}");
        server.get(&path).by(SHOP1).send().expect(200).json()
    };
    let named = |mail: &str| found(&format!("EmailAdress={}", encoded(mail)));
    for letter in ["😀", "한", "\u{1fa7}", "W"] {
        let mail = letter.repeat(255);
        let other = format!("{}x", letter.repeat(254));
        let customer = addresses::customer(
            &server,
            &json!({
                "EmailAdress": mail, "AdrFirma": letter.repeat(36), "AdrName": letter.repeat(36),
                "AdrAdresse1": letter.repeat(60), "AdrAdresse2": letter.repeat(60), "AdrCheck": 0,
                "OrtName": letter.repeat(48), "OrtPLZ": letter.repeat(10),
            }),
        );
        assert_eq!(named(&mail)["data"]["DebiNr"], json!(customer), "{letter}");
        // Both stand in the list of the same beginning, and only one is meant.
        let second = addresses::customer(&server, &json!({"EmailAdress": other}));
        assert_eq!(named(&other)["data"]["DebiNr"], json!(second), "{letter}");
        assert_eq!(named(&mail)["data"]["DebiNr"], json!(customer), "{letter}");
        let both = format!(
            "AdrFirma={}&OrtPLZ={}",
            encoded(&letter.repeat(36)),
            encoded(&letter.repeat(10))
        );
        assert_eq!(found(&both)["data"]["DebiNr"], json!(customer), "{letter}");
        // A changed text is found by what it is now, and by that alone.
        let address = addresses::contact(&server, &customer);
        let newer = format!("{}y", letter.repeat(254));
        let _ = addresses::change(&server, &address, &json!({"EmailAdress": newer})).expect(204);
        assert_eq!(named(&newer)["data"]["DebiNr"], json!(customer), "{letter}");
        assert_eq!(named(&mail)["count"], 0, "{letter}");
    }
}

// rule: D-RET-02
#[test]
fn an_article_has_a_tag_that_changes_with_what_it_shows() {
    let server = Server::start();
    let first = article(&server, "LM-3014").expect(200);
    assert!(!tag(&first).starts_with("W/"), "{}", tag(&first));
    assert_eq!(tag(&article(&server, "LM-3014").expect(200)), tag(&first));
    let variant = server.get("/www/tofaktorlogin/LM-3014").by(SHOP1).send();
    assert_eq!(tag(&variant.expect(200)), tag(&first));
    for view in ["waehrabk=EUR", "adrsprache=fre", "debinr=10007"] {
        let other = article(&server, &format!("LM-3014?{view}")).expect(200);
        assert_ne!(other.text(), first.text(), "{view}");
        assert_ne!(tag(&other), tag(&first), "{view}");
    }
    assert_ne!(tag(&article(&server, "LM-3013").expect(200)), tag(&first));
    // A customer with the same list and language is told the same.
    let same = article(&server, "LM-3014?debinr=10003").expect(200);
    assert_eq!((same.text(), tag(&same)), (first.text(), tag(&first)));
    // An order that reserves stock is no master data, but shows.
    let mut seen = vec![tag(&first)];
    let _ = placed(
        &server,
        &bodies::order("10001", json!([{"ArtNr": "LM-3014", "Menge": 1}])),
    );
    seen.push(tag(&article(&server, "LM-3014").expect(200)));
    for row in [
        r#"{"Preisliste": {"PreisListe": "STANDARD", "ArtNr": "LM-3014", "Preis": [{"WaehrAbk": "CHF", "AbAnzahl": 1, "PreisList": 99, "Preisart": "N"}]}}"#,
        r#"{"Bestand": {"ArtNr": "LM-3014", "LagerOrt": "NEU", "StaoNr": 7, "LagerBestand": 5, "Freigegeben": true}}"#,
    ] {
        server.import(row);
        seen.push(tag(&article(&server, "LM-3014").expect(200)));
    }
    let mut different = seen.clone();
    different.sort();
    different.dedup();
    assert_eq!(different.len(), seen.len(), "{seen:?}");
}

// rule: D-REQ-13
#[test]
fn padding_does_not_count_in_paths() {
    let server = Server::start();
    let order = place(
        &server,
        &bodies::order("10001", json!([{"ArtNr": "BU-1001", "Menge": 1}])),
    );
    let order = order.expect(201).number("AuftNr");
    let address = addresses::contact(&server, "10001");
    for path in [
        "/www/artikel/BU-1001".to_owned(),
        "/www/tofaktorlogin/BU-1001".to_owned(),
        "/www/artikelmedia/BU-1001".to_owned(),
        "/www/kunden/10001".to_owned(),
        format!("/www/auftrag/{order}"),
        format!("/www/adressen/{address}"),
    ] {
        let plain = server.get(&path).by(SHOP1).send().expect(200);
        for padding in ["%20", "%20%20%20"] {
            let padded = server.get(&format!("{path}{padding}")).by(SHOP1).send();
            assert_eq!(padded.expect(200).body, plain.body, "{path}");
        }
        // Only the padding of a key: a blank before it is part of it.
        let (start, key) = path.rsplit_once('/').unwrap();
        let before = server.get(&format!("{start}/%20{key}")).by(SHOP1).send();
        assert_eq!(before.status, 404, "{path}");
    }
}

// rule: D-REQ-07
#[test]
fn an_object_is_never_a_number() {
    let server = Server::shared();
    for name in [
        "$serde_json::private::Number",
        "\\u0024serde_json::private::Number",
    ] {
        let body = format!(
            r#"{{"GrundDaten": {{"KundNr": "10001"}}, "Positionen": [{{"ArtNr": "BU-1001", "Menge": {{"{name}": "2"}}}}]}}"#
        );
        let refused = server
            .post("/www/auftrag")
            .by(SHOP1)
            .body("application/json", body.as_bytes())
            .send();
        let refused = refused.expect(422);
        assert_eq!(
            refused.problems(),
            pairs(&[("Positionen[0].Menge", "wrong_type")])
        );
        assert!(
            refused.text().contains("found an object"),
            "{}",
            refused.text()
        );
    }
}

// rule: D-LIM-02
#[test]
fn too_many_positions_are_refused_with_the_limit() {
    let server = Server::shared();
    for (count, article) in [(9_000, "BU-1001"), (20_000, "A"), (1_001, "BU-1001")] {
        let entry = json!({"ArtNr": article, "Menge": 1});
        let mut entries = vec![entry; count];
        // Different articles: all of them would be looked up.
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

// rule: D-REQ-14
#[test]
fn invisible_characters_are_refused_in_names_and_codes() {
    let server = Server::shared();
    let hidden = [
        "\u{202e}", "\u{202a}", "\u{2066}", "\u{2069}", "\u{200e}", "\u{200f}", "\u{61c}",
        "\u{200b}", "\u{feff}",
    ];
    for hidden in hidden {
        let text = format!("a{hidden}b");
        let mut body = bodies::full_customer();
        let mut expected = Vec::new();
        for name in [
            "AdrFirma",
            "AdrFirma2",
            "AdrVorname",
            "AdrName",
            "AdrAdresse1",
            "AdrAdresse2",
            "OrtName",
            "OrtPLZ",
            "EmailAdress",
            "AdrTf1",
        ] {
            body["Adressen"]["KontaktAdr"][name] = json!(text);
            expected.push((
                format!("Adressen.KontaktAdr.{name}"),
                "control_character".to_owned(),
            ));
        }
        for name in ["AUFT_SPESEN", "VBTyp", "TVTyp", "SteuerNummer", "FirmenURL"] {
            body["GrundDaten"][name] = json!(text);
            expected.push((format!("GrundDaten.{name}"), "control_character".to_owned()));
        }
        // A free text keeps what its language needs.
        body["GrundDaten"]["Kommentar"] = json!(text);
        let refused = server.post("/www/kunden").by(SHOP1).json(&body).send();
        let mut found = refused.expect(422).problems();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{hidden:?}");
        let mut order = bodies::order(
            "10001",
            json!([{"ArtNr": text, "Menge": 1, "PosBez": text, "VPEinheit": text}]),
        );
        order["GrundDaten"]["AuftKomment"] = json!(text);
        order["GrundDaten"]["AuftBestellNr"] = json!(text);
        let found = place(&server, &order).expect(422).problems();
        let expected = pairs(&[
            ("GrundDaten.AuftBestellNr", "control_character"),
            ("Positionen[0].ArtNr", "control_character"),
            ("Positionen[0].VPEinheit", "control_character"),
        ]);
        assert_eq!(found, expected, "{hidden:?}");
        let user = json!({"name": text, "password": "lang genug 123", "role": "shop"});
        let refused = server.post("/admin/users").by(ADMIN).json(&user).send();
        assert_eq!(
            refused.expect(422).problems(),
            pairs(&[("name", "malformed")])
        );
    }
}

// rule: D-REQ-14
#[test]
fn joiners_are_refused_in_codes_only_and_free_texts_keep_everything() {
    let server = Server::shared();
    // Joiners belong to names, and to emoji in them, but not to codes.
    for joined in ["علی\u{200c}رضا", "👩\u{200d}💻"] {
        let _ = addresses::customer(&server, &json!({"AdrName": joined}));
        let order = bodies::order("10001", json!([{"ArtNr": joined, "Menge": 1}]));
        let found = place(&server, &order).expect(422).problems();
        assert_eq!(
            found,
            pairs(&[("Positionen[0].ArtNr", "control_character")])
        );
    }
    let mut order = bodies::order(
        "10001",
        json!([{"ArtNr": "BU-1001", "Menge": 1, "PosBez": "\u{200f}שלום\u{200e} ok"}]),
    );
    order["GrundDaten"]["AuftKomment"] = json!("\u{200f}שלום");
    let shown = placed(&server, &order);
    assert_eq!(shown["Positionen"][0]["PosBez"], "\u{200f}שלום\u{200e} ok");
}

// rule: D-CTR-05
#[test]
fn articles_sort_by_currency_and_weight() {
    let server = Server::shared();
    let numbers = |sorts: &str| -> Vec<Value> {
        let path = format!("/www/artikel?sorts={sorts}&fields=ArtNr");
        let answer = server.get(&path).by(SHOP1).send().expect(200);
        let list = answer.data().as_array().unwrap().clone();
        list.iter()
            .map(|article| article["ArtNr"].clone())
            .collect()
    };
    assert_eq!(numbers("%2BWaehrAbk"), numbers("%2BArtNr"));
    let by_weight = numbers("-ArtGewicht");
    assert_eq!(by_weight.len(), numbers("").len());
    let weight = |number: &Value| {
        let shown = article(&server, number.as_str().unwrap())
            .expect(200)
            .data();
        shown["ArtGewicht"].as_f64().unwrap_or(-1.0)
    };
    let weights: Vec<f64> = by_weight.iter().map(weight).collect();
    assert!(weights[0] > weights[weights.len() - 1], "{weights:?}");
    assert!(weights.is_sorted_by(|a, b| a >= b), "{weights:?}");
}
