//! `GET /www/artikel`, `GET /www/artikel/{ArtNr}`, `GET /www/tofaktorlogin/{ArtNr}`.

use std::collections::BTreeSet;

use erp_tests::bodies;
use erp_tests::exchange::Exchange;
use erp_tests::golden::golden;
use erp_tests::server::{ADMIN, Login, SHOP1, SHOP2, Server};
use serde_json::{Value, json};

/// What each login sees of the demo's 79 articles.
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

fn articles(answer: &Exchange) -> Vec<Value> {
    answer.data().as_array().expect("a list").clone()
}

fn numbers(answer: &Exchange) -> Vec<String> {
    articles(answer)
        .iter()
        .map(|article| article["ArtNr"].as_str().unwrap().to_owned())
        .collect()
}

fn link(answer: &Exchange, relation: &str) -> Option<String> {
    let links = answer.json()["links"].as_array().expect("links").clone();
    let found = links.iter().find(|link| link["rel"] == relation)?;
    assert_eq!(found["type"], "GET");
    Some(found["href"].as_str().unwrap().to_owned())
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

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter()
        .map(|(from, price)| ((*from).to_owned(), (*price).to_owned()))
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
        let answer = server
            .get("/www/artikel?fields=ArtNr")
            .by(login)
            .send()
            .expect(200);
        assert_eq!(answer.json()["count"], visible, "{login:?}");
        let seen: BTreeSet<String> = numbers(&answer).into_iter().collect();
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
fn what_may_not_be_seen_reads_like_what_is_not_there() {
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

// rule: R-END-20, R-LIM-06
#[test]
fn without_parameters_the_whole_list_comes_sorted_by_description() {
    // Two lists are compared with their stock, so that no other test may order meanwhile.
    let server = Server::start();
    let answer = list(&server, "").expect(200);
    assert_eq!(answer.header("transfer-encoding"), Some("chunked"));
    let all = articles(&answer);
    assert_eq!(all.len(), 71);
    let names: Vec<&str> = all
        .iter()
        .map(|article| article["ArtBez"].as_str().unwrap())
        .collect();
    let explicit = list(
        &server,
        "?limit=0&offset=0&sorts=%2BArtBez&adrsprache=ger&waehrabk=CHF",
    )
    .expect(200);
    assert_eq!(articles(&explicit), all);
    assert!(names.iter().all(|name| !name.is_empty()));
    let position = |start: &str| {
        names
            .iter()
            .position(|name| name.starts_with(start))
            .unwrap()
    };
    assert!(
        position("Bleistift") < position("Kopierpapier")
            && position("Kopierpapier") < position("Tischrechner")
    );
    // Sorted as a reader expects: an Ö between N and P, not behind Z.
    let letters: Vec<char> = names
        .iter()
        .filter_map(|name| name.chars().next())
        .filter(|first| first.is_alphabetic())
        .collect();
    assert!(
        letters
            .windows(2)
            .all(|pair| base(pair[0]) <= base(pair[1])),
        "{letters:?}"
    );
    for article in &all {
        assert_eq!(
            (
                &article["WaehrAbk"],
                article.get("Deklaration"),
                article.get("ArtGewicht")
            ),
            (&json!("CHF"), None, None)
        );
    }
}

fn base(letter: char) -> char {
    match letter.to_lowercase().next().unwrap() {
        'ä' => 'a',
        'ö' => 'o',
        'ü' => 'u',
        other => other,
    }
}

// rule: R-END-18, R-LIM-06
#[test]
fn the_streamed_list_is_the_paged_one() {
    let server = Server::shared();
    let whole = articles(&list(&server, "?sorts=-ArtGruppe,%2BArtBez").expect(200));
    let mut paged = Vec::new();
    for offset in (0..71).step_by(10) {
        let page = list(
            &server,
            &format!("?sorts=-ArtGruppe,%2BArtBez&limit=10&offset={offset}"),
        )
        .expect(200);
        assert_eq!(page.json()["count"], 71);
        paged.extend(articles(&page));
    }
    assert_eq!(paged, whole);
    let rest = list(&server, "?offset=70&fields=ArtNr").expect(200);
    assert_eq!(articles(&rest).len(), 1);
}

// rule: R-END-18, R-END-22
#[test]
fn following_next_visits_everything_once_and_prev_walks_back() {
    let server = Server::shared();
    let query = "?limit=7&sorts=-ArtNr&fields=ArtNr&adrsprache=fre&debinr=10007&waehrabk=EUR";
    let mut answer = list(&server, query).expect(200);
    let mut pages = vec![numbers(&answer)];
    assert_eq!(link(&answer, "prev"), None);
    while let Some(next) = link(&answer, "next") {
        check_links(&server, &answer);
        answer = server.get(&next).by(SHOP1).send().expect(200);
        pages.push(numbers(&answer));
    }
    let visited = pages.concat();
    let whole = numbers(&list(&server, "?sorts=-ArtNr").expect(200));
    assert_eq!((visited, pages.len()), (whole, 11));
    for page in pages.iter().rev().skip(1) {
        let prev = link(&answer, "prev").expect("a page before");
        answer = server.get(&prev).by(SHOP1).send().expect(200);
        assert_eq!(&numbers(&answer), page);
    }
    assert_eq!(link(&answer, "prev"), None);
    let start = server
        .get(&link(&answer, "start").unwrap())
        .by(SHOP1)
        .send()
        .expect(200);
    assert_eq!(&numbers(&start), &pages[0]);
}

/// The `Link` header names the same relations, and every address repeats the query.
fn check_links(server: &Server, answer: &Exchange) {
    let links = answer.json()["links"].as_array().unwrap().clone();
    let header: Vec<String> = links
        .iter()
        .map(|link| {
            format!(
                "<{}>; rel=\"{}\"",
                link["href"].as_str().unwrap(),
                link["rel"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(answer.header("link"), Some(header.join(", ").as_str()));
    for link in &links {
        let href = reqwest::Url::parse(link["href"].as_str().unwrap()).expect("an address");
        assert_eq!(href.socket_addrs(|| None).unwrap(), [server.address()]);
        let query: Vec<(String, String)> = href.query_pairs().into_owned().collect();
        for (name, value) in [
            ("limit", "7"),
            ("sorts", "-ArtNr"),
            ("fields", "ArtNr"),
            ("adrsprache", "fre"),
            ("debinr", "10007"),
            ("waehrabk", "EUR"),
        ] {
            assert!(
                query.contains(&(name.to_owned(), value.to_owned())),
                "{name} in {href}"
            );
        }
    }
}

// rule: R-END-18
#[test]
fn the_last_page_may_end_exactly_at_the_end() {
    let server = Server::shared();
    let whole = list(&server, "?limit=71&fields=ArtNr").expect(200);
    assert_eq!(
        (
            articles(&whole).len(),
            link(&whole, "next"),
            link(&whole, "prev")
        ),
        (71, None, None)
    );
    let before = list(&server, "?limit=70&fields=ArtNr").expect(200);
    let last = server
        .get(&link(&before, "next").unwrap())
        .by(SHOP1)
        .send()
        .expect(200);
    assert_eq!((articles(&last).len(), link(&last, "next")), (1, None));
    // A window that does not begin at a whole page: the page before begins at 0, not below.
    let odd = list(&server, "?limit=10&offset=3&fields=ArtNr").expect(200);
    assert!(
        link(&odd, "prev").unwrap().contains("offset=0"),
        "{:?}",
        link(&odd, "prev")
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

// rule: R-END-20
#[test]
fn sorts_order_and_end_with_the_number() {
    let server = Server::shared();
    let up = numbers(&list(&server, "?sorts=%2BArtNr").expect(200));
    let down = numbers(&list(&server, "?sorts=-ArtNr").expect(200));
    assert!(up.windows(2).all(|pair| pair[0] < pair[1]));
    assert_eq!(down, up.iter().rev().cloned().collect::<Vec<_>>());
    // An unencoded plus arrives as a blank, and none at all means the same.
    assert_eq!(numbers(&list(&server, "?sorts=+ArtNr").expect(200)), up);
    assert_eq!(numbers(&list(&server, "?sorts=ArtNr").expect(200)), up);
    let grouped = articles(&list(&server, "?sorts=-ArtGruppe,%2BArtKlasse").expect(200));
    let keys: Vec<_> = grouped
        .iter()
        .map(|article| {
            (
                article["ArtGruppe"].as_str().unwrap(),
                article["ArtKlasse"].as_str().unwrap(),
                article["ArtNr"].as_str().unwrap(),
            )
        })
        .collect();
    assert!(keys.windows(2).all(|pair| pair[0].0 > pair[1].0
        || (pair[0].0 == pair[1].0 && (pair[0].1, pair[0].2) < (pair[1].1, pair[1].2))));
}

// rule: R-END-19
#[test]
fn the_list_is_restricted_to_the_named_fields() {
    let server = Server::shared();
    let restricted = articles(&list(&server, "?fields=ArtNr,%20ArtBez,HatVPE&limit=5").expect(200));
    for article in &restricted {
        let members: Vec<&str> = article
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(members, ["ArtBez", "ArtNr", "HatVPE"]);
    }
    assert_eq!(restricted.len(), 5);
    let all = articles(&list(&server, "?fields=&limit=5").expect(200));
    assert!(
        all.iter()
            .all(|article| article.get("links").is_some() && article.get("WUSTSatz").is_some())
    );
}

// rule: R-ART-04, R-ART-05, R-END-16, R-END-63
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
    // The dealers' list wins whole; it has EUR, which the standard list lacks for this article.
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
    // A customer without a list of its own, and one whose list does not hold the article.
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
    // No tax code of its own: the company's standard rate.
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

// rule: R-END-17, R-END-21, R-END-63
#[test]
fn the_language_of_the_customer_has_priority() {
    let server = Server::shared();
    let name = |query: &str| {
        single(&server, &format!("BU-1003{query}"))["ArtBez"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let (german, french) = (
        "Kugelschreiber mit Druckmechanik, blau, Strichstärke 0,7 mm",
        "Stylo à bille rétractable, bleu, trait 0,7 mm",
    );
    assert_eq!(name(""), german);
    assert_eq!(name("?adrsprache=ger"), german);
    assert_eq!(name("?adrsprache=fre"), french);
    assert_eq!(
        name("?adrsprache=eng"),
        "Retractable ballpoint pen, blue, 0.7 mm line"
    );
    assert_eq!(name("?adrsprache=ger&debinr=10007"), french);
    // There is no Spanish text: the company's language.
    assert_eq!(name("?adrsprache=spa"), german);
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
fn any_number_can_be_asked_for_percent_encoded() {
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

// rule: D-REQ-15, D-REQ-20
#[test]
fn query_names_do_not_mind_case_and_foreign_ones_are_ignored() {
    let server = Server::shared();
    let odd = list(&server, "?LIMIT=3&Fields=ArtNr&utm_source=x").expect(200);
    assert_eq!(articles(&odd).len(), 3);
    assert!(link(&odd, "next").unwrap().contains("utm_source=x"));
}

// rule: D-ANS-09
#[test]
fn a_large_list_is_compressed_on_request() {
    let server = Server::shared();
    let answer = server
        .get("/www/artikel")
        .by(SHOP1)
        .header("accept-encoding", b"gzip")
        .send()
        .expect(200);
    assert_eq!(
        (answer.header("content-encoding"), &answer.body[..2]),
        (Some("gzip"), &b"\x1f\x8b"[..])
    );
    assert!(
        answer
            .header("vary")
            .unwrap()
            .to_ascii_lowercase()
            .contains("accept-encoding")
    );
}

// rule: D-REQ-22
#[test]
fn links_stay_within_their_length_whatever_is_asked() {
    let server = Server::shared();
    let fields = "VerarbeitungsArt,".repeat(30);
    let unknown = "x".repeat(3_000);
    let query = format!(
        "limit=1&offset=1&nobody={unknown}&fields={}",
        &fields[..509]
    );
    let page = server
        .get(&format!("/www/artikel?{query}"))
        .by(SHOP1)
        .send();
    let page = page.expect(200).json();
    let links = page["links"].as_array().unwrap();
    assert_eq!(links.len(), 3);
    for link in links {
        let href = link["href"].as_str().unwrap();
        assert!(
            href.len() <= 2_048 && href.contains("VerarbeitungsArt"),
            "{href}"
        );
        assert!(!href.contains("nobody"), "{href}");
    }
    let long = server.get(&format!("/www/artikel?fields={}", "ArtNr,".repeat(100)));
    assert_eq!(
        long.by(SHOP1).send().refusal(),
        (400, "malformed".to_owned())
    );
}

// rule: D-CTR-15
#[test]
fn words_and_groups_narrow_the_list() {
    let server = Server::start();
    let found = |query: &str| {
        let answer = list(&server, &format!("?fields=ArtNr&{query}"));
        let mut found = numbers(&answer.expect(200));
        found.sort_unstable();
        found
    };
    let coffee = ["LM-3001"];
    assert_eq!(found("suche=KAFFEE"), coffee);
    // A typing error, as no article has the word.
    assert_eq!(found("suche=kafee&limit=9"), coffee);
    assert_eq!(found("suche=kafee%20bohnen"), ["LM-3001"]);
    assert_eq!(found("suche=olivenol"), ["LM-3003"]);
    assert_eq!(found("suche=lm-3003"), found("suche=olivenoel"));
    assert_eq!(found("suche=coffee%20beans&adrsprache=eng"), ["LM-3001"]);
    assert!(found("suche=qqqqqq").is_empty());
    // What the user may not see is not found, and no word is nearer because of it.
    assert!(
        found("suche=HH-5090")
            .iter()
            .all(|number| number != "HH-5090")
    );
    let everything = found("suche=%20").len();
    assert_eq!(everything, VISIBLE[0].1);

    let answer = list(
        &server,
        "?limit=3&gruppen=J&suche=papier&artgruppe=HAUSHALT",
    )
    .expect(200);
    let groups = answer.json()["gruppen"].clone();
    assert_eq!(groups[0]["ArtGruppe"], "BUERO");
    let household = groups.as_array().unwrap().iter();
    let household = household
        .clone()
        .find(|group| group["ArtGruppe"] == "HAUSHALT");
    assert_eq!(answer.json()["count"], household.unwrap()["Anzahl"]);
    assert!(
        numbers(&answer)
            .iter()
            .all(|number| number.starts_with("HH-"))
    );
    let all = list(&server, "?limit=1&gruppen=J").expect(200).json()["gruppen"].clone();
    let sum = |groups: &Value| -> u64 {
        let counts = groups.as_array().unwrap().iter();
        counts.map(|group| group["Anzahl"].as_u64().unwrap()).sum()
    };
    assert_eq!(sum(&all), VISIBLE[0].1 as u64);
    assert_eq!(found("artgruppe=NOPE").len(), 0);
    assert!(
        list(&server, "?limit=1")
            .expect(200)
            .json()
            .get("gruppen")
            .is_none()
    );
    // The links repeat the search.
    let next = list(&server, "?limit=1&suche=papier").expect(200);
    assert!(link(&next, "next").unwrap().contains("suche=papier"));
    for wrong in ["gruppen=X".to_owned(), format!("suche={}", "x".repeat(101))] {
        assert_eq!(list(&server, &format!("?{wrong}")).status, 400, "{wrong}");
    }
}
