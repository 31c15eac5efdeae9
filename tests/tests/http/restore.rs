//! `GET /admin/audit` with what differs, and `POST /admin/audit/{id}/restore`.

use std::fs;

use erp_core::media::BodyHash;
use erp_tests::exchange::Exchange;
use erp_tests::server::{ADMIN, CLERK, EDITOR, Login, SHOP1, Server};
use serde_json::{Value, json};

fn import(server: &Server, login: Login, rows: &[Value]) {
    let body: String = rows.iter().map(|row| format!("{row}\n")).collect();
    let import = server.post("/admin/import").by(login);
    let import = import.body("application/x-ndjson", body.as_bytes());
    let _ = import.send().expect(200);
}

fn list(server: &Server, login: Login, query: &str) -> Vec<Value> {
    let path = format!("/admin/audit?newest=true{query}");
    let listed = server.get(&path).by(login).send().expect(200).data();
    listed.as_array().unwrap().clone()
}

fn restore(server: &Server, login: Login, entry: &Value, record: &str) -> Exchange {
    let id = entry["id"].as_str().unwrap();
    let path = format!("/admin/audit/{id}/restore");
    let body = json!({"record": record});
    server.post(&path).by(login).json(&body).send()
}

fn price(amount: f64) -> Value {
    json!({"Preis": {"PreisListe": "NEU", "ArtNr": "BU-1001", "WaehrAbk": "CHF", "AbAnzahl": 1, "PreisList": amount,
        "Preisart": "N"}})
}

// rule: D-AUD-01, D-AUT-14
#[test]
fn an_editor_reads_and_puts_back_what_it_may_import() {
    let server = Server::start();
    import(&server, EDITOR, &[price(12.5)]);
    import(&server, EDITOR, &[price(1250.0)]);
    let wrong = &list(&server, EDITOR, "&record=Artikel+BU-1001")[0];
    let tier = |amount: Value| json!({"Preis": [{"WaehrAbk": "CHF", "AbAnzahl": 1, "PreisList": amount, "Preisart": "N"}]});
    assert_eq!(
        wrong["differences"],
        json!([{"record": "Preis NEU BU-1001", "kind": "Preisliste", "before": tier(json!(12.5)), "after": tier(json!(1250))}])
    );
    for login in [CLERK, SHOP1] {
        let _ = restore(&server, login, wrong, "Preis NEU BU-1001").expect(403);
        let _ = server.get("/admin/audit").by(login).send().expect(403);
    }
    let done = restore(&server, EDITOR, wrong, "Preis NEU BU-1001").expect(200);
    assert_eq!(
        (&done.data()["rows"], &done.data()["changed"]),
        (&json!(1), &json!(1))
    );
    let entry = &list(&server, EDITOR, "&limit=1")[0];
    assert_eq!(entry["operation"], "POST /admin/audit/{id}/restore");
    assert_eq!(entry["differences"][0]["after"], tier(json!(12.5)));
    // Sent again it changes nothing; after another change it is refused.
    let again = restore(&server, EDITOR, wrong, "Preis NEU BU-1001").expect(200);
    assert_eq!(again.data()["unchanged"], 1);
    import(&server, EDITOR, &[price(13.0)]);
    let refused = restore(&server, EDITOR, wrong, "Preis NEU BU-1001");
    refused.refused(409, "conflict");
    let _ = restore(&server, EDITOR, wrong, "Preis ALT BU-1001").expect(404);
    let _ = restore(
        &server,
        EDITOR,
        &json!({"id": "1-1-x"}),
        "Preis NEU BU-1001",
    )
    .expect(404);
    let _ = restore(
        &server,
        EDITOR,
        &json!({"id": "gestern"}),
        "Preis NEU BU-1001",
    )
    .expect(404);
    let nothing = server.post(&format!(
        "/admin/audit/{}/restore",
        wrong["id"].as_str().unwrap()
    ));
    nothing
        .by(EDITOR)
        .json(&json!({}))
        .send()
        .refused(422, "invalid");
}

// rule: D-AUD-01, D-AUT-14
#[test]
fn the_company_and_users_are_for_admins() {
    let server = Server::start();
    let name = json!({"Contents": "https://www.falsch.example"});
    let put = server.put("/admin/attributes/WEBADRESSE").by(ADMIN);
    let _ = put.json(&name).send().expect(200);
    let entry = &list(&server, ADMIN, "&record=Firma")[0];
    assert_ne!(entry["differences"][0]["before"], Value::Null);
    // One import of an admin for the company and an article.
    let company = server
        .get("/admin/export?company=true")
        .by(ADMIN)
        .send_unchecked();
    let company = company
        .expect(200)
        .text()
        .replace("www.falsch.example", "www.auch-falsch.example");
    let company: Value = serde_json::from_str(company.lines().next().unwrap()).unwrap();
    import(&server, ADMIN, &[company, price(3.0)]);
    assert!(list(&server, EDITOR, "&record=Firma").is_empty());
    let seen = list(&server, EDITOR, "");
    let texts: String = seen.iter().map(Value::to_string).collect();
    assert!(texts.contains("Preis NEU BU-1001"), "{texts}");
    for hidden in ["Firma", "falsch", "Token", "Benutzer", "Auftrag"] {
        assert!(!texts.contains(hidden), "{hidden}: {texts}");
    }
    let _ = restore(&server, EDITOR, entry, "Firma").expect(403);
    let mixed = &list(&server, ADMIN, "&record=Firma")[0];
    let _ = restore(&server, EDITOR, mixed, "Firma").expect(403);
    let _ = restore(&server, ADMIN, mixed, "Firma").expect(200);
    let _ = restore(&server, ADMIN, entry, "Firma").expect(200);
    let attributes = server.get("/admin/attributes").by(ADMIN).send().expect(200);
    assert!(
        !attributes.text().contains("falsch"),
        "{}",
        attributes.text()
    );
}

// rule: D-AUD-01
#[test]
fn a_removed_picture_comes_back_while_its_file_is_there() {
    let server = Server::start();
    let upload = server.post("/admin/media").by(EDITOR);
    let upload = upload.body("application/octet-stream", b"GIF89a");
    let hash = upload.send().expect(201).data()["SHA256"].clone();
    let media = json!({"ArtNr": "BU-1001", "AMDDateiName": "neu.gif", "SHA256": hash});
    import(&server, EDITOR, &[json!({"ArtikelMedia": media})]);
    let added = list(&server, EDITOR, "")[0].clone();
    let record = added["changed"][0].as_str().unwrap();
    let key = added["differences"][0]["after"]["IDKey"].clone();
    import(
        &server,
        EDITOR,
        &[json!({"ArtikelMedia": {"IDKey": key, "Loeschen": true}})],
    );
    let removed = &list(&server, EDITOR, "")[0];
    assert_eq!(removed["removed"], json!([record]));
    let listed = || {
        server
            .read("/www/artikelmedia/BU-1001")
            .text()
            .contains("neu.gif")
    };
    assert!(!listed());
    let _ = restore(&server, EDITOR, removed, record).expect(200);
    assert!(listed());
    let _ = restore(&server, EDITOR, &added, record).expect(200);
    assert!(!listed());
    let hash = BodyHash::parse(hash.as_str().unwrap()).unwrap();
    fs::remove_file(server.bodies().path(hash)).unwrap();
    let lost = restore(&server, EDITOR, removed, record).expect(422);
    assert_eq!(lost.json()["info"]["problems"][0]["code"], "unknown_file");
}
