//! `POST`, `GET`, `PATCH /www/offerte` and `PUT /www/auftrag`: offers from template to order.

use erp_tests::bodies;
use erp_tests::golden::golden;
use erp_tests::offers::{change, convert, made, make, of_customer, read, template};
use erp_tests::server::{SHOP1, Server};
use serde_json::{Value, json};

// rule: R-STA-10, R-STA-12, R-END-40, R-END-43, R-END-44, R-END-50, R-END-59
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
    let converted = server.send("PUT", "/www/auftrag", &body);
    golden(&server, "offer-converted", &converted);
    golden(&server, "offer-read-converted", &read(&server, "100001"));
    let order = server.read("/www/auftrag/100001");
    golden(&server, "offer-order", &order);
}

// rule: R-STA-05, R-END-49
#[test]
fn the_refusals_are_the_golden_ones() {
    let server = Server::start();
    let _ = (
        made(&server, &template()),
        made(&server, &of_customer("10006")),
    );
    golden(&server, "offer-unknown", &read(&server, "999999"));
    golden(&server, "offer-no-number", &server.read("/www/offerte"));
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
    let put = |body: &Value| server.send("PUT", "/www/auftrag", body);
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

// rule: D-DOC-35
#[test]
fn a_shop_lists_its_offers() {
    let server = Server::start();
    let path = |query: &str| format!("/www/offerten{query}");
    let list = |query: &str| server.read(&path(query)).expect(200).json();
    assert_eq!(
        (&list("")["count"], &list("")["data"]),
        (&json!(0), &json!([]))
    );
    let made = [
        template(),
        of_customer("10006"),
        of_customer("10009"),
        of_customer("10006"),
    ]
    .map(|body| made(&server, &body));
    let [template, first, other, last] = &made;
    let _ = convert(&server, first, "10006").expect(201);
    let all = [last, other, first, template];
    for (query, found) in [
        ("?", &all[..]),
        ("?debinr=10006", &[last, first]),
        ("?debinr=10006&status=A", &[first]),
        ("?status=P", &[last, other, template]),
        ("?von=2020-01-01&status=", &all),
        ("?bis=2020-12-31", &[]),
        ("?AuftBestellNr=none", &[]),
    ] {
        for at in 0..=found.len() {
            let page = list(&format!("{query}&limit=2&offset={at}"));
            let numbers = page["data"].as_array().unwrap().iter();
            let numbers: Vec<_> = numbers
                .map(|offer| offer["OffertNr"].as_str().unwrap())
                .collect();
            let wanted: Vec<_> = found.iter().skip(at).take(2).copied().collect();
            assert_eq!(numbers, wanted, "{query} {at}");
            let is_last = at + 2 >= found.len();
            let count = (is_last || query == "?debinr=10006").then_some(found.len());
            assert_eq!(
                page.get("count"),
                count.map(|count| json!(count)).as_ref(),
                "{query} {at}"
            );
        }
    }
    golden(
        &server,
        "offer-list",
        &server.read(&path("?debinr=10006&limit=1")),
    );
    golden(
        &server,
        "offer-list-unknown-customer",
        &server.read(&path("?debinr=99999")),
    );
    for query in [
        "?limit=0",
        "?limit=201",
        "?offset=-1",
        "?status=N",
        "?von=2026-02-30",
    ] {
        server.read(&path(query)).refused(400, "malformed");
    }
    let _ = server.get("/www/offerten").send().expect(401);
    // The link of an entry leads to the offer.
    let href = list("?debinr=10006")["data"][0]["links"][0]["href"].clone();
    let (_, rest) = href.as_str().unwrap().split_once("/www/").unwrap();
    assert_eq!(server.data(&format!("/www/{rest}"))["OffertNr"], **last);
}
