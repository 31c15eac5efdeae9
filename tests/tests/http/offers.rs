//! `POST`, `GET`, `PATCH /www/offerte` and `PUT /www/auftrag`: offers from template to order.

use std::collections::BTreeSet;

use erp_core::document::Offer;
use erp_core::record::encode;
use erp_core::storage::{ChangeSet, Key, Space, Storage as _};
use erp_core::text::Text;
use erp_core::wire::{OfferHeader, Record};
use erp_tests::bodies;
use erp_tests::exchange::Exchange;
use erp_tests::golden::golden;
use erp_tests::offers::{change, convert, made, make, of_customer, read, template};
use erp_tests::orders::{self, column, totals};
use erp_tests::server::{SHOP1, Server};
use serde_json::{Value, json};

/// A company list price of an article that no test begins with.
const DEARER: &str = r#"{"Preis": {"PreisListe": "STANDARD", "ArtNr": "BU-1001", "WaehrAbk": "CHF", "AbAnzahl": 1, "BisAnzahl": 9, "PreisList": 99, "Preisart": "N"}}"#;

fn offer(server: &Server, number: &str) -> Value {
    read(server, number).expect(200).data()
}

/// Refused with these problems, and the offer stays as it is.
fn refused(server: &Server, number: &str, body: &Value) -> Vec<String> {
    let before = read(server, number).expect(200);
    let answer = change(server, &format!("OffertNr={number}"), body).expect(422);
    let after = read(server, number).expect(200);
    assert_eq!(
        (after.text(), after.header("etag")),
        (before.text(), before.header("etag"))
    );
    let problems = answer.problems().into_iter();
    problems
        .map(|(path, code)| format!("{path} {code}"))
        .collect()
}

fn mismatches(answer: &Exchange) -> Vec<String> {
    assert_eq!(answer.refusal(), (409, "conflict".to_owned()));
    let json = answer.json();
    column(&json["info"]["mismatch"], &["subject", "offer", "customer"])
}

/// A customer of the back office with these members over the least ones.
fn import_customer(server: &Server, number: &str, members: Value) {
    let mut address = bodies::address();
    address["AdrName"] = json!(number);
    let mut customer = json!({"KundNr": number, "WaehrAbk": "CHF", "KontaktAdr": address});
    for (name, value) in members.as_object().unwrap() {
        customer[name] = value.clone();
    }
    server.import(&json!({ "Kunde": customer }).to_string());
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
    let answers = [
        read(&server, &number).expect(200),
        change(&server, &format!("OffertNr={number}"), &json!({})).expect(200),
        created,
        convert(&server, &number, "10006").expect(201),
    ];
    for answer in answers {
        let json = answer.json();
        assert_eq!(
            (&json["count"], &json["success"]),
            (&json!(1), &json!(true)),
            "{answer:?}"
        );
    }
}

// rule: R-END-45
#[test]
fn an_offer_takes_no_price_of_the_shop() {
    let server = Server::shared();
    let mut body = template();
    body["Positionen"][0]["Preis"] = json!(0.01);
    let offer = make(&server, &body).expect(201).data();
    assert_eq!(offer["GrundDaten"]["Template"], true);
    assert_eq!(offer["GrundDaten"].get("KundNr"), None);
    // 3 × 6.20 and 2 × 18.90; 18.60 at 8.1 % are 1.51, 37.80 at 2.6 % are 0.98
    assert_eq!(totals(&offer), ["56.4", "2.49", "58.89"]);
}

// rule: R-END-55, R-END-56, R-END-57, R-END-59
#[test]
fn the_three_position_rules_apply_in_one_call() {
    let server = Server::shared();
    let number = made(&server, &template());
    let query = format!("OffertNr={number}");
    let body = json!({"Positionen": [
        {"PosNr": 1, "Menge": 10},
        {"PosNr": 2, "Menge": 0},
        {"ArtNr": "BU-1002", "Menge": 4, "GRabSatz": 10, "PosBez": "Graues Papier"},
    ]});
    let changed = change(&server, &query, &body).expect(200).data();
    assert_eq!(
        column(
            &changed["Positionen"],
            &[
                "PosNr",
                "ArtNr",
                "PosAnzBest",
                "PosPreisEinzel",
                "PosPreisTotal"
            ]
        ),
        // The tier of ten for the first, ten percent off four for the last.
        ["1 \"BU-1001\" 10 5.8 58", "3 \"BU-1002\" 4 5.7 20.52"]
    );
    assert_eq!(changed["Positionen"][1]["PosBez"], "Graues Papier");
    assert_eq!(totals(&changed), ["78.52", "6.36", "84.88"]);
    assert_eq!(
        changed,
        offer(&server, &number),
        "PATCH returns what GET does"
    );
    let body = json!({"Positionen": [{"ArtNr": "BU-1004", "Menge": 1}, {"PosNr": 1, "ArtNr": "BU-1001", "Menge": 2, "GRabSatz": 50}]});
    let changed = change(&server, &query, &body).expect(200).data();
    assert_eq!(
        column(&changed["Positionen"], &["PosNr", "PosPreisTotal"])[..1],
        ["1 6.2"]
    );
    assert_eq!(
        column(&changed["Positionen"], &["PosNr"]),
        ["1", "3", "4"],
        "a number is never given again"
    );
}

// rule: R-STA-06, R-END-58
#[test]
fn a_change_of_positions_is_refused_with_its_problem() {
    let server = Server::shared();
    let number = made(&server, &template());
    let good = json!({"PosNr": 1, "Menge": 9});
    let with =
        |entry: Value| json!({"GrundDaten": {"KundNr": "10006"}, "Positionen": [good, entry]});
    for (entry, problem) in [
        (
            json!({"PosNr": 7, "Menge": 1}),
            "Positionen[1].PosNr unknown_position",
        ),
        (
            json!({"PosNr": 7, "Menge": 0}),
            "Positionen[1].PosNr unknown_position",
        ),
        (json!({"Menge": 1}), "Positionen[1].ArtNr required"),
        (
            json!({"ArtNr": "BU-1001", "Menge": 0}),
            "Positionen[1].Menge out_of_range",
        ),
        (json!({"PosNr": 2}), "Positionen[1].Menge required"),
        (
            json!({"PosNr": 2, "Menge": -1}),
            "Positionen[1].Menge out_of_range",
        ),
        (
            json!({"PosNr": 1, "Menge": 0}),
            "Positionen[1].PosNr contradiction",
        ),
        (
            json!({"PosNr": 2, "ArtNr": "BU-1001", "Menge": 1}),
            "Positionen[1].ArtNr contradiction",
        ),
        (
            json!({"ArtNr": "NOPE", "Menge": 1}),
            "Positionen[1].ArtNr unknown_article",
        ),
        (
            json!({"ArtNr": "LM-3012", "Menge": 1}),
            "Positionen[1].ArtNr unknown_article",
        ),
        (
            json!({"PosNr": 2, "Menge": 1, "GRabSatz": 101}),
            "Positionen[1].GRabSatz out_of_range",
        ),
    ] {
        assert_eq!(refused(&server, &number, &with(entry)), [problem]);
    }
}

// rule: R-STA-06, R-END-54, R-END-58
#[test]
fn a_refused_change_names_every_problem_and_changes_nothing() {
    let server = Server::shared();
    let number = made(&server, &template());
    let good = json!({"PosNr": 1, "Menge": 9});
    let several = json!({"Positionen": [
        {"PosNr": 7, "Menge": 1}, {"ArtNr": "NOPE", "Menge": 1}, {"PosNr": 2, "ArtNr": "BU-1001", "Menge": 1},
        {"ArtNr": "BU-1090", "Menge": 1},
    ]});
    let mut found = refused(&server, &number, &several);
    found.sort();
    assert_eq!(
        found,
        [
            "Positionen[0].PosNr unknown_position",
            "Positionen[1].ArtNr unknown_article",
            "Positionen[2].ArtNr contradiction",
            "Positionen[3].ArtNr no_price",
        ]
    );
    let half = json!({"Positionen": [good], "Adressen": {"LiefAdr": {"AdrName": "Halb"}}});
    assert_eq!(refused(&server, &number, &half).len(), 6, "a whole address");
    let nobody = json!({"GrundDaten": {"KundNr": "99999"}, "Positionen": [good]});
    assert_eq!(
        refused(&server, &number, &nobody),
        ["GrundDaten.KundNr unknown_customer"]
    );
}

// rule: R-STA-06, R-END-54
#[test]
fn customer_positions_and_addresses_change_together() {
    let server = Server::shared();
    let number = made(&server, &template());
    let body = json!({
        "GrundDaten": {"KundNr": "10006"},
        "Positionen": [{"PosNr": 2, "Menge": 0}],
        "Adressen": {"LiefAdr": bodies::full_address("once")},
    });
    let query = format!("OffertNr={number}&KundNr=10006");
    let offer = change(&server, &query, &body).expect(200).data();
    assert_eq!(offer["GrundDaten"]["Template"], false);
    assert_eq!(offer["GrundDaten"]["KundNr"], "10006");
    assert_eq!(column(&offer["Positionen"], &["ArtNr"]), ["\"BU-1001\""]);
    assert_eq!(
        column(
            &json!([
                offer["Adressen"]["KontaktAdr"],
                offer["Adressen"]["LiefAdr"],
                offer["Adressen"]["RechAdr"]
            ]),
            &["AdrFirma"]
        ),
        ["\"Schule am See\"", "\"Łódź once SA\"", "\"Schule am See\""]
    );
}

// rule: R-STA-05, R-STA-07, R-END-39, R-END-47
#[test]
fn a_template_must_fit_in_four_ways() {
    let server = Server::start();
    let number = made(&server, &template());
    let before = read(&server, &number).expect(200).text();
    import_customer(&server, "20001", json!({"PreisListe": "PRIVAT"}));
    import_customer(&server, "20002", json!({"WUSTCode": "CH-EXPORT"}));
    import_customer(&server, "20003", json!({"WaehrAbk": "EUR"}));
    import_customer(&server, "20004", json!({"KTNr": "100200"}));
    import_customer(
        &server,
        "20005",
        json!({"PreisListe": "STANDARD", "KTNr": "100300"}),
    );
    let price_list = "\"price_list\" \"STANDARD\" \"PRIVAT\"";
    let tax_code = "\"tax_code\" \"-\" \"CH-EXPORT\"";
    let currency = "\"currency\" \"CHF\" \"EUR\"";
    for (customer, expected) in [
        ("20001", vec![price_list]),
        ("20002", vec![tax_code]),
        ("20003", vec![currency]),
        (
            "10015",
            vec!["\"price_list\" \"STANDARD\" \"HANDEL\"", tax_code, currency],
        ),
    ] {
        let by_query = change(
            &server,
            &format!("OffertNr={number}&KundNr={customer}"),
            &json!({}),
        );
        let by_body = change(
            &server,
            &format!("OffertNr={number}"),
            &json!({"GrundDaten": {"KundNr": customer}}),
        );
        for answer in [by_query, by_body, convert(&server, &number, customer)] {
            assert_eq!(mismatches(&answer), expected, "{customer}");
        }
    }
    assert_eq!(read(&server, &number).expect(200).text(), before);
    // A cost bearer that one side leaves open fits, and so does the company's own list by name.
    bear_costs(&server, &number, "100200");
    for answer in [
        change(
            &server,
            &format!("OffertNr={number}&KundNr=20005"),
            &json!({}),
        ),
        convert(&server, &number, "20005"),
    ] {
        assert_eq!(
            mismatches(&answer),
            ["\"cost_bearer\" \"100200\" \"100300\""]
        );
    }
    let _ = change(
        &server,
        &format!("OffertNr={number}&KundNr=20004"),
        &json!({}),
    )
    .expect(200);
    let open = made(&server, &template());
    let _ = convert(&server, &open, "20005").expect(201);
    let third = made(&server, &template());
    bear_costs(&server, &third, "100200");
    let _ = convert(&server, &third, "10006").expect(201);
}

/// Gives a template a cost bearer, which only the back office can: the interface has no member for it.
fn bear_costs(server: &Server, number: &str, cost_bearer: &str) {
    let stored = server.wait(server.erp().stored_offer(number)).unwrap();
    let mut offer: Offer = stored.record;
    offer.terms.cost_bearer = Some(Text::new(cost_bearer).unwrap());
    let mut changes = ChangeSet::new();
    let key = Key::of(Space::Offer).number(number.parse().unwrap());
    changes.put(key.build(), encode(&offer).unwrap());
    server.wait(server.erp().store().commit(changes)).unwrap();
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
    // From now on it belongs to this customer.
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
            let answer = server.call(method, &path).by(SHOP1).json(&json!({})).send();
            assert_eq!(answer.refusal(), (400, "malformed".to_owned()), "{path}");
            assert_eq!(answer.json()["info"]["parameter"], "OffertNr", "{path}");
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
        for answer in [
            read(&server, unknown),
            change(&server, &format!("OffertNr={unknown}"), &json!({})),
        ] {
            assert_eq!(answer.refusal(), (404, "not_found".to_owned()), "{unknown}");
        }
    }
    for unknown in ["999999", "abc", "0"] {
        let answer = convert(&server, unknown, "10006");
        assert_eq!(answer.refusal(), (404, "not_found".to_owned()), "{unknown}");
    }
    let number = made(&server, &template());
    let answer = convert(&server, &number, "99999").expect(422);
    assert_eq!(
        answer.problems(),
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

// rule: R-END-47, R-END-48
#[test]
fn the_payment_condition_is_in_the_language_of_the_contact() {
    let server = Server::start();
    let text = |offer: &Value| offer["GrundDaten"]["KundBedBez"].clone();
    for (customer, expected) in [
        ("10006", json!("30 Tage netto")),
        ("10007", json!("30 jours net")),
        ("10008", json!("2 % di sconto a 10 giorni, 30 giorni netto")),
    ] {
        let made = make(&server, &of_customer(customer)).expect(201).data();
        assert_eq!(text(&made), expected, "{customer}");
    }
    let number = made(&server, &template());
    assert_eq!(text(&offer(&server, &number)), Value::Null);
    let taken = change(
        &server,
        &format!("OffertNr={number}&KundNr=10009"),
        &json!({}),
    );
    assert_eq!(text(&taken.expect(200).data()), "30 jours net");
    assert_eq!(text(&offer(&server, &number)), "30 jours net");
}

// rule: R-END-36, R-END-38, R-END-41
#[test]
fn an_offer_becomes_an_order_at_its_own_prices() {
    let server = Server::start();
    let number = made(&server, &template());
    server.import(DEARER);
    let _ = change(
        &server,
        &format!("OffertNr={number}&KundNr=10006"),
        &json!({}),
    )
    .expect(200);
    let before = offer(&server, &number);
    assert_eq!(totals(&before), ["56.4", "2.49", "58.89"]);
    let body = json!({
        "GrundDaten": {"KundNr": "10006", "OffertNr": number},
        "Zahlung": [{"Bezeichnung": "TransID", "Wert": "77"}, {"Bezeichnung": "payment_method", "Wert": "K"}],
    });
    let answer = server.put("/www/auftrag").by(SHOP1).json(&body).send();
    let order_number = answer.expect(201).number("AuftNr");
    let order = orders::read(&server, &order_number);
    for part in ["Positionen", "Adressen", "MWSTRekapitulation"] {
        assert_eq!(order[part], before[part], "{part}");
    }
    assert_eq!(totals(&order), totals(&before));
    assert_eq!(order["GrundDaten"]["AuftStatus"], "N");
    assert_eq!(order["GrundDaten"]["KundNr"], "10006");
    assert_eq!(
        column(&order["Zahlung"], &["Bezeichnung", "Wert"]),
        ["\"TransID\" \"77\"", "\"payment_method\" \"K\""]
    );
    let keys: BTreeSet<String> = column(&order["Zahlung"], &["Key"]).into_iter().collect();
    assert!(keys.len() == 2 && !keys.contains("null"), "{keys:?}");
    let after = offer(&server, &number);
    assert_eq!(after["GrundDaten"]["AuftStatus"], "A");
    assert_eq!(after["GrundDaten"]["AuftNr"], order_number.as_str());
    assert_eq!(after["Positionen"], before["Positionen"]);
    // A position that changes is priced anew, one that does not is not.
    let second = made(&server, &of_customer("10006"));
    assert_eq!(totals(&offer(&server, &second))[0], "334.8");
}

// rule: R-END-57
#[test]
fn a_change_prices_only_what_it_touches() {
    let server = Server::start();
    let number = made(&server, &template());
    server.import(DEARER);
    let query = format!("OffertNr={number}");
    let prices = |body: Value| {
        let offer = change(&server, &query, &body).expect(200).data();
        column(&offer["Positionen"], &["ArtNr", "PosPreisTotal"])
    };
    let kept = "\"BU-1001\" 18.6";
    assert_eq!(
        prices(json!({"Positionen": [{"PosNr": 2, "Menge": 1}]})),
        [kept, "\"LM-3001\" 18.9"]
    );
    assert_eq!(
        prices(json!({"Positionen": [{"PosNr": 1, "Menge": 4}]})),
        ["\"BU-1001\" 396", "\"LM-3001\" 18.9"]
    );
}

// rule: R-STA-08, R-END-41
#[test]
fn a_conversion_happens_once_and_can_be_repeated() {
    let server = Server::start();
    for body in [template(), of_customer("10006")] {
        let number = made(&server, &body);
        let first = convert(&server, &number, "10006").expect(201);
        let again = convert(&server, &number, "10006").expect(201);
        assert_eq!(first.body, again.body);
        let other = convert(&server, &number, "10009");
        assert_eq!(other.refusal(), (409, "conflict".to_owned()));
        let late = change(
            &server,
            &format!("OffertNr={number}"),
            &json!({"Positionen": [{"PosNr": 1, "Menge": 1}]}),
        );
        assert_eq!(late.refusal(), (409, "conflict".to_owned()));
    }
    assert_eq!(orders_of(&server, "10006").len(), 2);
    assert_eq!(orders_of(&server, "10009").len(), 0);
}

fn orders_of(server: &Server, customer: &str) -> Vec<String> {
    let path = format!("/www/kunden/{customer}?order=1000");
    let customer = server.get(&path).by(SHOP1).send().expect(200).data();
    column(&customer["Auftrag"], &["AuftNr"])
}

// rule: R-STA-11
#[test]
fn an_order_from_an_offer_reserves_stock_and_the_offer_does_not() {
    let server = Server::start();
    let stock = || {
        let article = server.get("/www/artikel/BU-1001").by(SHOP1).send();
        article.expect(200).data()["Bestand"][0]["LagerBestand"].clone()
    };
    let before = stock().as_i64().unwrap();
    let number = made(&server, &of_customer("10006"));
    assert_eq!(stock(), before);
    for _ in 0..2 {
        let _ = convert(&server, &number, "10006").expect(201);
        assert_eq!(stock(), before - 3);
    }
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
    let audit = server.wait(server.erp().check()).unwrap();
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
            let answer = convert(&server, &number, customer);
            match answer.status {
                201 => Some(format!("{customer} {}", answer.number("AuftNr"))),
                _ => {
                    assert_eq!(answer.refusal(), (409, "conflict".to_owned()));
                    None
                }
            }
        };
        let calls: Vec<_> = (0..32).map(|at| scope.spawn(move || call(at))).collect();
        let answers = calls.into_iter().filter_map(|call| call.join().unwrap());
        answers.collect()
    });
    assert_eq!(won.len(), 8, "all calls for the customer who won: {won:?}");
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
