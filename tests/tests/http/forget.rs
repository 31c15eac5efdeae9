//! `DELETE /admin/kunden/{DebiNr}`: a customer is forgotten.

use erp_tests::bodies;
use erp_tests::exchange::Exchange;
use erp_tests::offers;
use erp_tests::orders::place;
use erp_tests::server::{ADMIN, SHOP1, Server};
use jiff::Timestamp;
use serde_json::{Value, json};

/// What nobody else is called.
const NAME: &str = "Vergissmeinnicht";

fn customer() -> Value {
    let mut body = bodies::full_customer();
    for address in body["Adressen"].as_object_mut().unwrap().values_mut() {
        address["AdrFirma"] = json!(NAME);
    }
    body
}

fn forget(server: &Server, number: &str) -> Exchange {
    let path = format!("/admin/kunden/{number}");
    server.delete(&path).by(ADMIN).send()
}

fn set_status(server: &Server, order: &str, status: &str) {
    let path = format!("/admin/auftrag/{order}/status");
    let body = json!({"AuftStatus": status});
    let _ = server.put(&path).by(ADMIN).json(&body).send().expect(200);
}

fn export(server: &Server) -> String {
    let export = server.get("/admin/export").by(ADMIN).send_unchecked();
    export.expect(200).text()
}

fn check(server: &Server) {
    let found = server.wait(server.erp().upkeep(Timestamp::now()).check());
    assert_eq!(found.unwrap().findings, []);
}

// rule: D-CUS-01, D-IMP-10
#[test]
fn what_is_known_of_a_customer_goes_and_its_orders_stay() {
    let server = Server::start();
    let create = || {
        let request = server.post("/www/kunden").by(SHOP1);
        let request = request.header("idempotency-key", b"create");
        request.json(&customer()).send()
    };
    let number = create().expect(201).number("DebiNr");
    let body = bodies::order(&number, json!([{"ArtNr": "BU-1001", "Menge": 1}]));
    let order = place(&server, &body).expect(201).number("AuftNr");
    let offer = offers::made(&server, &offers::of_customer(&number));
    let token = server.customer_token(SHOP1, &number);
    let address = server.data(&format!("/www/kunden/{number}"))["KundKontakt"].to_string();

    let path = format!("/admin/kunden/{number}");
    let _ = server.delete(&path).by(SHOP1).send().expect(403);
    forget(&server, "99999").refused(404, "not_found");
    for status in ["N", "O"] {
        if status == "O" {
            set_status(&server, &order, status);
        }
        let refused = forget(&server, &number).expect(409);
        assert!(refused.refusal().1.contains("conflict"), "{refused:?}");
        assert!(refused.text().contains(&order), "{refused:?}");
        assert!(
            refused.text().contains(&format!("state {status}")),
            "{refused:?}"
        );
    }
    let stale = server.delete(&path).by(ADMIN).header("if-match", b"\"7\"");
    stale.send().refused(412, "precondition_failed");
    set_status(&server, &order, "A");
    assert!(export(&server).contains(NAME));
    let _ = forget(&server, &number).expect(204);
    let _ = forget(&server, &number).expect(204);

    let shown = server.data(&format!("/www/kunden/{number}"));
    assert_eq!(shown["status"], 0);
    assert_eq!(shown["links"].as_array().unwrap().len(), 2);
    assert_eq!(shown.as_object().unwrap().len(), 2, "{shown}");
    let put = server.send("PUT", &format!("/www/kunden/{number}"), &customer());
    put.refused(404, "not_found");
    let patch = server.send(
        "PATCH",
        &format!("/www/adressen/{address}"),
        &json!({"OrtName": "Bern"}),
    );
    patch.refused(404, "not_found");
    let refused = place(&server, &body).expect(422).problems();
    assert_eq!(
        refused,
        [(
            "GrundDaten.KundNr".to_owned(),
            "unknown_customer".to_owned()
        )]
    );
    server
        .read(&format!("/www/artikel?debinr={number}"))
        .refused(400, "malformed");
    offers::read(&server, &offer).refused(404, "not_found");
    server
        .get("/www/artikel/BU-1001")
        .bearer(&token)
        .send()
        .refused(401, "invalid_token");
    let token = server.post(&format!("/www/token?debinr={number}"));
    token
        .basic(SHOP1.name, SHOP1.password)
        .send()
        .refused(400, "malformed");
    let found = server
        .get(&format!("/admin/customers?search={NAME}"))
        .by(ADMIN);
    assert_eq!(found.send().expect(200).data(), json!([]));
    // The same request is not carried out again, and its response is gone.
    create().refused(409, "conflict");

    // Its order stays, gets its invoice from what it holds, and is the only place of the name.
    let path = format!("/admin/auftrag/{order}/rechnung");
    let invoice = server
        .post(&path)
        .by(ADMIN)
        .send()
        .expect(201)
        .number("RechNr");
    let read = server
        .get(&format!("/www/rechnung/{invoice}"))
        .by(ADMIN)
        .send();
    assert!(read.expect(200).text().contains(NAME));
    let export = export(&server);
    for line in export.lines().filter(|line| line.contains(NAME)) {
        let kinds = ["{\"Auftrag\"", "{\"Rechnung\""];
        assert!(kinds.iter().any(|kind| line.starts_with(kind)), "{line}");
    }
    let mark = format!("{{\"Kunde\":{{\"KundNr\":\"{number}\",\"Vergessen\":true");
    let mark = export.lines().find(|line| line.starts_with(&mark));
    check(&server);

    // Another store keeps the number, which no row brings back.
    let other = Server::start();
    let import = |rows: &str| {
        let request = other.post("/admin/import").by(ADMIN);
        request.body("application/x-ndjson", rows.as_bytes()).send()
    };
    let mark = format!("{}\n", mark.unwrap());
    assert_eq!(import(&mark).expect(200).data()["added"], 1);
    assert_eq!(import(&mark).expect(200).data()["unchanged"], 1);
    let customers = r#"{"Kunde":{"KundNr":"NUMBER","WaehrAbk":"CHF","KontaktAdr":{"AdrSprache":"ger","AdrAnrede":0,"AdrFirma":"Neu AG","AdrAdresse1":"Weg 1","OrtLand":"CH","OrtPLZ":"8001","OrtName":"Zürich"}}}"#;
    let back = import(&format!("{}\n", customers.replace("NUMBER", &number)));
    assert!(back.expect(422).text().contains("was forgotten"));
    let alive = import(&mark.replace(&number, "10007"));
    assert!(
        alive
            .expect(422)
            .text()
            .contains("DELETE /admin/kunden/10007")
    );
    let next = other.send("POST", "/www/kunden", &bodies::customer());
    assert_ne!(next.expect(201).number("DebiNr"), number);
    check(&other);
}

// rule: D-CUS-01
#[test]
fn other_systems_learn_that_a_customer_was_forgotten() {
    let server = Server::start();
    let attribute = json!({"Contents": "1"});
    let set = server.put("/admin/attributes/REST_Kunde").by(ADMIN);
    let _ = set.json(&attribute).send().expect(200);
    let number = server
        .send("POST", "/www/kunden", &customer())
        .number("DebiNr");
    let _ = forget(&server, &number).expect(204);
    server.deliver_events(erp_server::delivery::Pace::default());
    let events = || {
        server
            .get("/admin/events")
            .by(ADMIN)
            .send()
            .expect(200)
            .data()
    };
    erp_tests::wait::wait_until("the event is handed over", || {
        let events = events();
        let mut events = events.as_array().unwrap().iter();
        events
            .any(|event| event["data"]["method"] == "DELETE" && event["data"]["DebiNr"] == *number)
    });
}
