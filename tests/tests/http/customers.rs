//! `POST /www/kunden`, `GET` and `PUT /www/kunden/{DebiNr}`.

use erp_tests::bodies;
use erp_tests::exchange::Exchange;
use erp_tests::golden::golden;
use erp_tests::server::{SHOP1, Server};
use serde_json::{Value, json};

fn create(server: &Server, body: &Value) -> Exchange {
    server.send("POST", "/www/kunden", body)
}

// rule: R-RES-10, R-END-10, D-RET-02, D-RET-01, D-DOC-36
#[test]
fn the_responses_are_the_golden_ones() {
    let server = Server::start();
    let created = create(&server, &bodies::full_customer());
    golden(&server, "customer-created", &created);
    assert_eq!(created.number("DebiNr"), "10021");
    golden(&server, "customer-read", &server.read("/www/kunden/10021"));
    golden(
        &server,
        "customer-of-the-back-office",
        &server.read("/www/kunden/10001"),
    );
    let order = bodies::order(
        "10021",
        json!([{"ArtNr": "BU-1001", "Menge": 1, "Preis": 5}]),
    );
    let _ = server.send("POST", "/www/auftrag", &order).expect(201);
    // The rate of an export replaces those of its articles.
    let export = server.read("/www/kunden/10018").expect(200);
    assert_eq!(export.data()["WUSTSatz"], 0);
    golden(
        &server,
        "customer-with-orders",
        &server.read("/www/kunden/10021?order=5"),
    );
    let replaced = server.send("PUT", "/www/kunden/10021", &bodies::customer());
    golden(&server, "customer-replaced", &replaced);
    golden(
        &server,
        "customer-unknown",
        &server.read("/www/kunden/99999"),
    );
    golden(&server, "customer-empty-body", &create(&server, &json!({})));
    golden(
        &server,
        "customer-bad-status",
        &server.read("/www/kunden/10001?status=X"),
    );
    // A replacement says all that reading says, also when it is repeated.
    let replace = |key: &str| {
        let path = "/www/kunden/10018";
        let request = server
            .put(path)
            .by(SHOP1)
            .header("idempotency-key", key.as_bytes());
        request.json(&bodies::customer()).send().expect(200).data()
    };
    let replaced = replace("k");
    assert_eq!(replaced["WUSTSatz"], 0);
    assert!(replaced["KundBedBez"].is_string(), "{replaced}");
    assert_eq!(server.data("/www/kunden/10018"), replaced);
    assert_eq!(replace("k"), replaced);
    let deep = json!({"GrundDaten": {"AdrSprache": "deu", "WaehrAbk": "HRK", "FAKTZahlArt": 1, "Kommentar": "x".repeat(256)}});
    golden(&server, "customer-all-problems", &create(&server, &deep));
}
