//! `GET /www/artikel`, `GET /www/artikel/{ArtNr}`, `GET /www/tofaktorlogin/{ArtNr}`.

mod changes;
mod list;
mod sync;

use erp_tests::bodies;
use erp_tests::exchange::Exchange;
use erp_tests::golden::golden_reads;
use erp_tests::orders::place;
use erp_tests::server::Server;
use serde_json::{Value, json};

/// Number of the demo's 79 articles that the first shop sees.
const VISIBLE: usize = 71;

fn list(server: &Server, query: &str) -> Exchange {
    server.read(&format!("/www/artikel{query}"))
}

fn single(server: &Server, number: &str) -> Value {
    server.data(&format!("/www/artikel/{number}"))
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

// rule: R-RES-12, R-RES-13, R-END-62, R-END-23, R-END-16, R-END-63, R-END-22, R-RES-14, R-RES-17, R-END-24
#[test]
fn the_responses_are_the_golden_ones() {
    let reads = [
        ("article-single", "/www/artikel/LM-3001"),
        ("article-letters-outside-latin1", "/www/artikel/LM-3015"),
        ("article-tofaktorlogin", "/www/tofaktorlogin/BU-1004"),
        (
            "article-of-a-customer",
            "/www/artikel/BU-1003?debinr=10007&waehrabk=EUR",
        ),
        (
            "article-list-page",
            "/www/artikel?limit=2&offset=2&sorts=-ArtNr&adrsprache=eng",
        ),
        ("article-list-whole", "/www/artikel?fields=ArtNr,ArtBez"),
        (
            "article-list-empty-page",
            "/www/artikel?limit=5&offset=1000&fields=ArtNr",
        ),
        ("article-unknown", "/www/artikel/NOPE"),
        ("article-unknown-customer", "/www/artikel?debinr=99999"),
        ("article-bad-limit", "/www/artikel?limit=abc"),
        ("article-bad-fields", "/www/artikel?fields=Nope"),
        ("article-bad-sorts", "/www/artikel?sorts=%2BNope"),
        ("article-bad-currency", "/www/artikel?waehrabk=XXX"),
        ("article-bad-language", "/www/artikel?adrsprache=deu"),
    ];
    golden_reads(&Server::start(), &reads);
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
        assert_eq!(server.data(own)["ArtNr"], number, "{own}");
    }
}

fn article(server: &Server, number: &str) -> Exchange {
    let path = format!("/www/artikel/{number}");
    server.read(&path).expect(200)
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
    let variant = server.read("/www/tofaktorlogin/LM-3014");
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
