//! `GET /www/artikel`, `GET /www/artikel/{ArtNr}`, `GET /www/tofaktorlogin/{ArtNr}`.

mod list;

use std::collections::BTreeSet;

use erp_tests::bodies;
use erp_tests::exchange::{Exchange, pairs};
use erp_tests::golden::golden;
use erp_tests::orders::place;
use erp_tests::server::{ADMIN, Login, SHOP1, SHOP2, Server};
use serde_json::{Value, json};

/// Number of the demo's 79 articles that each login sees.
const VISIBLE: [(Login, usize); 3] = [(SHOP1, 71), (SHOP2, 70), (ADMIN, 79)];

fn list(server: &Server, query: &str) -> Exchange {
    server.get(&format!("/www/artikel{query}")).by(SHOP1).send()
}

fn single(server: &Server, number: &str) -> Value {
    server
        .get(&format!("/www/artikel/{number}"))
        .by(SHOP1)
        .send()
        .expect(200)
        .data()
}

fn articles(response: &Exchange) -> Vec<Value> {
    response.data().as_array().expect("a list").clone()
}

fn numbers(response: &Exchange) -> Vec<String> {
    articles(response)
        .iter()
        .map(|article| article["ArtNr"].as_str().unwrap().to_owned())
        .collect()
}

fn prices(tiers: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.to_string();
    tiers
        .as_array()
        .into_iter()
        .flatten()
        .map(|tier| (text(&tier["AbAnzahl"]), text(&tier["PreisList"])))
        .collect()
}

fn of_unit<'a>(article: &'a Value, unit: &str) -> &'a Value {
    let units = article["Verpackungen"].as_array().expect("packaging units");
    units
        .iter()
        .find(|known| known["VPEinheit"] == unit)
        .expect("the unit")
}

// rule: R-RES-12, R-RES-13, R-END-62, R-END-23
#[test]
fn the_responses_are_the_golden_ones() {
    let server = Server::start();
    let get = |path: &str| server.get(path).by(SHOP1).send();
    golden(&server, "article-single", &get("/www/artikel/LM-3001"));
    golden(
        &server,
        "article-letters-outside-latin1",
        &get("/www/artikel/LM-3015"),
    );
    golden(
        &server,
        "article-tofaktorlogin",
        &get("/www/tofaktorlogin/BU-1004"),
    );
    golden(
        &server,
        "article-of-a-customer",
        &get("/www/artikel/BU-1003?debinr=10007&waehrabk=EUR"),
    );
    golden(
        &server,
        "article-list-page",
        &get("/www/artikel?limit=2&offset=2&sorts=-ArtNr&adrsprache=eng"),
    );
    golden(
        &server,
        "article-list-whole",
        &get("/www/artikel?fields=ArtNr,ArtBez"),
    );
    golden(
        &server,
        "article-list-empty-page",
        &get("/www/artikel?limit=5&offset=1000&fields=ArtNr"),
    );
    golden(&server, "article-unknown", &get("/www/artikel/NOPE"));
    golden(
        &server,
        "article-unknown-customer",
        &get("/www/artikel?debinr=99999"),
    );
    golden(&server, "article-bad-limit", &get("/www/artikel?limit=abc"));
    golden(
        &server,
        "article-bad-fields",
        &get("/www/artikel?fields=Nope"),
    );
    golden(
        &server,
        "article-bad-sorts",
        &get("/www/artikel?sorts=%2BNope"),
    );
    golden(
        &server,
        "article-bad-currency",
        &get("/www/artikel?waehrabk=XXX"),
    );
    golden(
        &server,
        "article-bad-language",
        &get("/www/artikel?adrsprache=deu"),
    );
}

// rule: R-ART-01, R-AUT-03
#[test]
fn each_user_sees_its_own_selection() {
    let server = Server::shared();
    for (login, visible) in VISIBLE {
        let response = server
            .get("/www/artikel?fields=ArtNr")
            .by(login)
            .send()
            .expect(200);
        assert_eq!(response.json()["count"], visible, "{login:?}");
        let seen: BTreeSet<String> = numbers(&response).into_iter().collect();
        assert_eq!(seen.len(), visible, "{login:?}");
        for (article, who) in [
            ("BU-1001", [true, true, true]),
            ("EL-2006", [true, false, true]),
            ("LM-3012", [false, true, true]),
            ("EL-2015", [true, true, true]),
            ("EL-2090", [false, false, true]),
        ] {
            let at = VISIBLE
                .iter()
                .position(|(known, _)| known.name == login.name)
                .unwrap();
            assert_eq!(seen.contains(article), who[at], "{article} {login:?}");
            let status = server
                .get(&format!("/www/artikel/{article}"))
                .by(login)
                .send()
                .status;
            assert_eq!(
                status,
                if who[at] { 200 } else { 404 },
                "{article} {login:?}"
            );
        }
    }
}

// rule: R-ART-01
#[test]
fn a_hidden_article_reads_like_an_absent_one() {
    let server = Server::shared();
    let read = |number: &str| {
        server
            .get(&format!("/www/artikel/{number}"))
            .by(SHOP1)
            .send()
            .expect(404)
            .text()
    };
    assert_eq!(
        read("LM-3012"),
        read("LM-9999").replace("LM-9999", "LM-3012")
    );
}

// rule: R-CON-05, R-END-22, R-END-62
#[test]
fn links_of_articles_can_be_followed() {
    let server = Server::shared();
    let article = single(&server, "BU-1001");
    let tiers = article["Preis"]
        .as_array()
        .into_iter()
        .flatten()
        .chain(of_unit(&article, "KARTON")["Preis"].as_array().unwrap());
    let all = tiers
        .chain([&article])
        .flat_map(|value| value["links"].as_array().unwrap());
    let own: Vec<&str> = all
        .filter(|link| link["rel"] == "artikel")
        .map(|link| link["href"].as_str().unwrap())
        .collect();
    assert!(own.len() >= 3);
    for href in own {
        let followed = server.get(href).by(SHOP1).send().expect(200).data();
        assert_eq!(followed["ArtNr"], "BU-1001");
    }
    let relations: Vec<&Value> = article["links"]
        .as_array()
        .unwrap()
        .iter()
        .map(|link| &link["rel"])
        .collect();
    assert_eq!(relations, ["artikel", "artikelmedia"]);
}

// rule: R-ART-04, R-END-16, R-END-63
#[test]
fn prices_fall_back_through_the_lists_per_unit_and_currency() {
    let server = Server::shared();
    let read = |query: &str| single(&server, &format!("BU-1003{query}"));
    let own = read("");
    assert_eq!(own["HatVPE"], "J");
    assert_eq!(
        prices(&of_unit(&own, "SCHACHTEL")["Preis"]),
        pairs(&[("1", "42"), ("5", "39.5"), ("20", "36")])
    );
    // The dealers' list replaces the standard list completely. It has EUR, which the standard list does not have for
    // this article.
    let dealer = read("?debinr=10007");
    assert_eq!(
        prices(&of_unit(&dealer, "SCHACHTEL")["Preis"]),
        pairs(&[("1", "34.44"), ("5", "32.39"), ("20", "29.52")])
    );
    let euro = read("?debinr=10007&waehrabk=EUR");
    assert_eq!(
        prices(&of_unit(&euro, "SCHACHTEL")["Preis"]),
        pairs(&[("1", "36.54"), ("5", "34.37"), ("20", "31.32")])
    );
    assert_eq!(euro["WaehrAbk"], "EUR");
    assert_eq!(
        of_unit(&read("?waehrabk=EUR"), "SCHACHTEL").get("Preis"),
        None
    );
    let private = read("?debinr=10004");
    assert_eq!(of_unit(&private, "SCHACHTEL")["Preis"][0]["Preisart"], "B");
    assert_eq!(
        prices(&of_unit(&private, "SCHACHTEL")["Preis"]),
        pairs(&[("1", "53.55")])
    );
    // A customer without a price list, and one whose list does not contain the article.
    assert_eq!(read("?debinr=10006"), own);
    let fallen_back = single(&server, "EL-2013?debinr=10004");
    assert_eq!(
        prices(&fallen_back["Preis"]),
        pairs(&[("1", "64"), ("5", "57.5")])
    );
    assert_eq!(fallen_back["Preis"][0]["Preisart"], "N");
}

// rule: R-CON-04, R-RES-14, R-RES-15, R-END-24
#[test]
fn tiers_units_and_absent_prices_are_shaped_as_declared() {
    let server = Server::shared();
    let plain = single(&server, "EL-2013");
    assert_eq!(
        (&plain["HatVPE"], plain.get("Verpackungen")),
        (&json!("N"), None)
    );
    let tiers = plain["Preis"].as_array().unwrap();
    assert_eq!(
        (&tiers[0]["BisAnzahl"], tiers[1].get("BisAnzahl")),
        (&json!(4), None)
    );
    // The article has no tax code of its own, so the company's standard rate applies.
    assert_eq!(plain["WUSTSatz"].to_string(), "8.1");
    assert_eq!(single(&server, "BU-1090").get("Preis"), None);
    let limited = single(&server, "BU-1005");
    let units: Vec<&Value> = limited["Verpackungen"]
        .as_array()
        .unwrap()
        .iter()
        .map(|unit| &unit["VPEinheit"])
        .collect();
    assert_eq!(units, ["DUTZEND", "GROS"]);
    let chosen = single(&server, "HH-5004");
    let units: Vec<&Value> = chosen["Verpackungen"]
        .as_array()
        .unwrap()
        .iter()
        .map(|unit| &unit["VPEinheit"])
        .collect();
    assert_eq!(units, ["SACK", "PALETTE"]);
    assert_eq!(of_unit(&chosen, "SACK")["Faktor"], 64);
}

// rule: R-RES-17, R-END-23
#[test]
fn declarations_come_with_a_single_article_only() {
    let server = Server::shared();
    let declarations = single(&server, "LM-3001?adrsprache=ger")["Deklaration"].clone();
    assert_eq!(
        declarations[0]["Bezeichnung1"],
        "Rohkaffee: Kolumbien 60 %, Äthiopien 40 %"
    );
    assert_eq!(declarations[0]["OrtLand"], "CO");
    assert!(
        declarations
            .as_array()
            .unwrap()
            .iter()
            .all(|entry| entry["AdrSprache"] == "ger")
    );
    assert_eq!(single(&server, "BU-1001").get("Deklaration"), None);
    let listed = articles(&list(&server, "").expect(200));
    assert!(
        listed
            .iter()
            .all(|article| article.get("Deklaration").is_none())
    );
}

// rule: R-END-24
#[test]
fn tofaktorlogin_is_the_same_article() {
    let server = Server::shared();
    for number in ["BU-1001", "EL-2013"] {
        let variant = server
            .get(&format!("/www/tofaktorlogin/{number}?debinr=10007"))
            .by(SHOP1)
            .send()
            .expect(200)
            .data();
        assert_eq!(variant, single(&server, &format!("{number}?debinr=10007")));
    }
    assert_eq!(
        server
            .get("/www/tofaktorlogin/LM-3012")
            .by(SHOP1)
            .send()
            .refusal(),
        (404, "not_found".to_owned())
    );
}

fn stock(server: &Server, number: &str, place: &str) -> i64 {
    let article = single(server, number);
    let units = article["Verpackungen"].as_array().into_iter().flatten();
    let entries = units.chain([&article]).flat_map(|holder| {
        holder["Bestand"]
            .as_array()
            .into_iter()
            .flatten()
            .cloned()
            .collect::<Vec<_>>()
    });
    let entry = entries
        .into_iter()
        .find(|entry| entry["LagerOrt"] == place)
        .expect("the place");
    entry["LagerBestand"].as_i64().unwrap()
}

// rule: R-RES-16
#[test]
fn stock_may_be_negative_and_orders_reserve_it() {
    let server = Server::start();
    assert_eq!(stock(&server, "BU-1012", "A-02-04"), -12);
    let kept = single(&server, "HH-5001").to_string();
    assert!(
        kept.contains("Bestand") && !kept.contains("SPERRLAGER"),
        "{kept}"
    );
    assert_eq!(stock(&server, "BU-1001", "H-01-02"), 8);
    assert_eq!(single(&server, "DL-9001").get("Bestand"), None);
    let order = bodies::order(
        "10001",
        json!([
            {"ArtNr": "BU-1012", "Menge": 3}, {"ArtNr": "BU-1001", "Menge": 10, "VPEinheit": "KARTON"},
            {"ArtNr": "BU-1004", "Menge": 1}, {"ArtNr": "DL-9001", "Menge": 2},
        ]),
    );
    let _ = server
        .post("/www/auftrag")
        .by(SHOP1)
        .json(&order)
        .send()
        .expect(201);
    assert_eq!(stock(&server, "BU-1012", "A-02-04"), -15);
    assert_eq!(stock(&server, "BU-1001", "H-01-02"), 6);
    assert_eq!(stock(&server, "BU-1001", "H-01-03"), 15);
}

// rule: D-REQ-03
#[test]
fn any_number_can_be_requested_percent_encoded() {
    let server = Server::start();
    for (number, coded) in [
        ("A B", "A%20B"),
        ("Ä-1", "%C3%84-1"),
        ("Ö-2", "%D6-2"),
        ("X/Y", "X%2FY"),
        ("P+Q", "P+Q"),
        ("R+S", "R%2BS"),
        ("50%", "50%25"),
        ("a?b#c", "a%3Fb%23c"),
        ("\"<&>'", "%22%3C%26%3E%27"),
        ("Ł€", "%C5%81%E2%82%AC"),
    ] {
        let row = json!({"Artikel": {"ArtNr": number, "AnLager": "N", "ArtBez": number, "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "*"}]}});
        server.import(&row.to_string());
        let found = single(&server, coded);
        assert_eq!(
            (&found["ArtNr"], &found["ArtBez"]),
            (&json!(number), &json!(number))
        );
        let own = found["links"][0]["href"].as_str().unwrap();
        assert_eq!(
            server.get(own).by(SHOP1).send().expect(200).data()["ArtNr"],
            number,
            "{own}"
        );
        let order = bodies::order("10001", json!([{"ArtNr": number, "Menge": 1, "Preis": 1}]));
        let placed = server
            .post("/www/auftrag")
            .by(SHOP1)
            .json(&order)
            .send()
            .expect(201)
            .number("AuftNr");
        let order = server
            .get(&format!("/www/auftrag/{placed}"))
            .by(SHOP1)
            .send()
            .expect(200)
            .data();
        assert_eq!(order["Positionen"][0]["ArtNr"], number);
    }
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
        let shown = single(&server, &format!("DEK-1?adrsprache={language}"));
        let list = shown["Deklaration"].as_array().unwrap().clone();
        let names: Vec<&Value> = list.iter().map(|entry| &entry["Bezeichnung1"]).collect();
        assert_eq!(names, expected, "{language}");
        let numbers: Vec<&Value> = list.iter().map(|entry| &entry["Nr"]).collect();
        assert_eq!(numbers, [1, 2, 3], "{language}");
    }
}

fn article(server: &Server, number: &str) -> Exchange {
    let path = format!("/www/artikel/{number}");
    server.get(&path).by(SHOP1).send().expect(200)
}

fn tag(response: &Exchange) -> String {
    response.header("etag").expect("an ETag").to_owned()
}

// rule: D-RET-02
#[test]
fn an_article_has_a_tag_that_changes_with_what_it_shows() {
    let server = Server::start();
    let first = article(&server, "LM-3014");
    assert!(!tag(&first).starts_with("W/"), "{}", tag(&first));
    assert_eq!(tag(&article(&server, "LM-3014")), tag(&first));
    let variant = server.get("/www/tofaktorlogin/LM-3014").by(SHOP1).send();
    assert_eq!(tag(&variant.expect(200)), tag(&first));
    for view in ["waehrabk=EUR", "adrsprache=fre", "debinr=10007"] {
        let other = article(&server, &format!("LM-3014?{view}"));
        assert_ne!(other.text(), first.text(), "{view}");
        assert_ne!(tag(&other), tag(&first), "{view}");
    }
    assert_ne!(tag(&article(&server, "LM-3013")), tag(&first));
    // A customer with the same list and language gets the same response.
    let same = article(&server, "LM-3014?debinr=10003");
    assert_eq!((same.text(), tag(&same)), (first.text(), tag(&first)));
    // An order that reserves stock changes no master data, but it changes the shown stock.
    let mut seen = vec![tag(&first)];
    let order = bodies::order("10001", json!([{"ArtNr": "LM-3014", "Menge": 1}]));
    let _ = place(&server, &order).expect(201);
    seen.push(tag(&article(&server, "LM-3014")));
    for row in [
        r#"{"Preisliste": {"PreisListe": "STANDARD", "ArtNr": "LM-3014", "Preis": [{"WaehrAbk": "CHF", "AbAnzahl": 1, "PreisList": 99, "Preisart": "N"}]}}"#,
        r#"{"Bestand": {"ArtNr": "LM-3014", "LagerOrt": "NEU", "StaoNr": 7, "LagerBestand": 5, "Freigegeben": true}}"#,
    ] {
        server.import(row);
        seen.push(tag(&article(&server, "LM-3014")));
    }
    let mut different = seen.clone();
    different.sort();
    different.dedup();
    assert_eq!(different.len(), seen.len(), "{seen:?}");
}
