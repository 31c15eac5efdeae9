//! Invoices of orders: made by the office, read by who sees the order.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use erp_core::erp::EventKind;
use erp_core::zugferd::{ExtractOptions, Limits, extract, inspect};
use erp_tests::bodies;
use erp_tests::exchange::Exchange;
use erp_tests::orders::place;
use erp_tests::own_process::in_own_process;
use erp_tests::server::{ADMIN, CLERK, SHOP1, SHOP2, Server};
use jiff::Timestamp;
use serde_json::{Value, json};

fn ordered(server: &Server, article: &str) -> String {
    let body = bodies::order("10006", json!([{"ArtNr": article, "Menge": 2}]));
    place(server, &body).expect(201).number("AuftNr")
}

fn make(server: &Server, order: &str) -> Exchange {
    let path = format!("/admin/auftrag/{order}/rechnung");
    server.post(&path).by(CLERK).send()
}

fn read(server: &Server, number: &str, accept: &str) -> Exchange {
    let path = format!("/www/rechnung/{number}");
    let request = server.get(&path).by(SHOP1);
    request.header("accept", accept.as_bytes()).send()
}

// rule: D-INV-05
#[test]
fn an_invoice_is_made_and_read() {
    let server = Server::start();
    let enabled = server.put("/admin/attributes/REST_Rech").by(ADMIN);
    let _ = enabled.json(&json!({"Contents": "1"})).send().expect(200);
    let order = ordered(&server, "BU-1004");
    let number = make(&server, &order).expect(201).number("RechNr");
    assert_eq!(number, "1");
    assert_eq!(make(&server, &order).expect(201).number("RechNr"), "1");

    let shown = server
        .get(&format!("/www/auftrag/{order}"))
        .by(SHOP1)
        .send();
    let shown = shown.expect(200).data()["GrundDaten"].clone();
    assert_eq!(shown["RechNr"], "1");
    let invoice = read(&server, "1", "application/json").expect(200).data();
    let amounts = ["Netto", "WUST", "Brutto"];
    for amount in amounts {
        assert_eq!(
            invoice[format!("Rech{amount}")],
            shown[format!("Auft{amount}")]
        );
    }
    assert_eq!(invoice["Verkaeufer"]["UStIdNr"], "CHE-123.456.788 MWST");
    let xml = read(&server, "1", "application/xml").expect(200);
    assert_eq!(xml.header("content-type"), Some("application/xml"));
    assert!(xml.text().contains("<ram:TypeCode>380</ram:TypeCode>"));
    // The interface for e-invoices says that it is right.
    let check = json!({"Operation": "Check", "XML": STANDARD.encode(xml.text())});
    let report = server.post("/www/zugferd").by(SHOP1).json(&check).send();
    assert_eq!(report.expect(200).data()["findings"], json!([]));
    let picture = read(&server, "1", "image/png");
    picture.refused(406, "not_acceptable");
    assert_eq!(xml.header("vary"), Some("accept"));
    assert_eq!(picture.header("vary"), Some("accept, accept-language"));
    read(&server, "2", "*/*").refused(404, "not_found");

    let events = server.wait(
        server
            .app()
            .erp
            .upkeep(Timestamp::now())
            .events()
            .outbox(None, 10),
    );
    let kinds: Vec<EventKind> = events
        .unwrap()
        .into_iter()
        .map(|entry| entry.event.kind)
        .collect();
    assert_eq!(kinds, [EventKind::Order, EventKind::Invoice]);
    let audit = server.get("/admin/audit?limit=10").by(ADMIN).send();
    let audit = audit.expect(200).text();
    assert!(audit.contains("Rechnung 1"), "{audit}");
}

// rule: D-INV-03
#[test]
fn an_invoice_of_an_earlier_day_says_so_in_its_response_and_in_the_log() {
    in_own_process(
        module_path!(),
        "an_invoice_of_an_earlier_day_says_so_in_its_response_and_in_the_log",
        || {
            let server = Server::with_log(&[]);
            let orders = [(); 2].map(|()| ordered(&server, "BU-1004"));
            let ahead = "2036-06-01T10:00:00Z".parse().unwrap();
            let office = server.app().erp.office(ahead);
            let first = server.wait(office.make_invoice(&orders[0])).unwrap();
            assert!(!first.is_misdated);
            let second = make(&server, &orders[1]).expect(201).data();
            let notice = second["Hinweis"].as_str().unwrap();
            assert!(notice.contains("2036-06-01"), "{notice}");
            let again = make(&server, &orders[1]).expect(201).data();
            assert_eq!(again["Hinweis"], notice);
            // The log names no text of the invoice.
            let log = server.log_text();
            assert_eq!(log.matches("a clock is or was wrong").count(), 1, "{log}");
            assert!(!log.contains(notice), "{log}");
        },
    );
}

fn state(server: &Server, order: &str, state: &str) -> Exchange {
    let path = format!("/admin/auftrag/{order}/status");
    let request = server.put(&path).by(ADMIN);
    request.json(&json!({"AuftStatus": state})).send()
}

// rule: D-INV-09
#[test]
fn a_credit_note_is_made_once() {
    let server = Server::start();
    let order = ordered(&server, "BU-1004");
    let _ = make(&server, &order).expect(201);
    state(&server, &order, "S").refused(409, "conflict");
    let cancel = |number: &str| {
        let path = format!("/admin/rechnung/{number}/gutschrift");
        server.post(&path).by(CLERK).send()
    };
    assert_eq!(cancel("1").expect(201).number("RechNr"), "2");
    assert_eq!(cancel("1").expect(201).number("RechNr"), "2");
    cancel("2").refused(409, "conflict");
    cancel("3").refused(404, "not_found");
    let canceled = read(&server, "1", "*/*").expect(200).data();
    assert_eq!(canceled["GutschriftNr"], "2");
    let _ = state(&server, &order, "S").expect(200);
    let note = read(&server, "2", "*/*").expect(200).data();
    assert_eq!(
        (&note["RechTyp"], &note["RechZuNr"]),
        (&json!("381"), &json!("1"))
    );
}

// rule: D-INV-14
#[test]
fn invoices_and_credit_notes_are_listed() {
    let server = Server::start();
    let list = |query: &str| {
        let path = format!("/admin/rechnung{query}");
        server.get(&path).by(CLERK).send().expect(200).json()
    };
    assert_eq!(list(""), json!({"data": [], "next": null}));
    let body = bodies::order("10001", json!([{"ArtNr": "BU-1004", "Menge": 1}]));
    let other = place(&server, &body).expect(201).number("AuftNr");
    let order = ordered(&server, "BU-1004");
    let _ = (
        make(&server, &other).expect(201),
        make(&server, &order).expect(201),
    );
    let cancel = server.post("/admin/rechnung/2/gutschrift").by(CLERK).send();
    assert_eq!(cancel.expect(201).number("RechNr"), "3");
    let whole = list("");
    let shown = read(&server, "2", "*/*").expect(200).data();
    let entry = whole["data"][1].as_object().unwrap();
    for (name, value) in entry.iter().filter(|(name, _)| *name != "Name") {
        assert_eq!(*value, shown[name], "{name}");
    }
    assert_eq!(
        (&entry["Name"], &entry["GutschriftNr"]),
        (&shown["Kaeufer"]["Name"], &json!("3"))
    );
    let note = &whole["data"][0];
    assert_eq!(
        (&note["RechTyp"], &note["RechZuNr"]),
        (&json!("381"), &json!("2"))
    );
    let day = whole["data"][2]["RechDatum"].as_str().unwrap().to_owned();
    for (query, found, next) in [
        ("".to_owned(), vec!["3", "2", "1"], Value::Null),
        ("?limit=2".to_owned(), vec!["3", "2"], json!("2")),
        ("?limit=2&offset=2".to_owned(), vec!["1"], Value::Null),
        ("?limit=1&offset=9".to_owned(), vec![], Value::Null),
        (
            "?debinr=10006&limit=1&offset=1".to_owned(),
            vec!["2"],
            Value::Null,
        ),
        ("?debinr=99999".to_owned(), vec![], Value::Null),
        (format!("?AuftNr={order}"), vec!["3", "2"], Value::Null),
        (format!("?AuftNr={other}&debinr=10006"), vec![], Value::Null),
        ("?AuftNr=999999".to_owned(), vec![], Value::Null),
        (
            format!("?von={day}&debinr=&AuftNr="),
            vec!["3", "2", "1"],
            Value::Null,
        ),
        ("?bis=2020-12-31".to_owned(), vec![], Value::Null),
        (
            "?von=9999-12-31&bis=0001-01-01".to_owned(),
            vec![],
            Value::Null,
        ),
    ] {
        let page = list(&query);
        let numbers: Vec<&str> = page["data"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|one| one["RechNr"].as_str())
            .collect();
        assert_eq!((numbers, &page["next"]), (found, &next), "{query}");
    }
    for (name, value) in [
        ("debinr", "123456789"),
        ("AuftNr", "12345678901"),
        ("von", "2026-02-30"),
        ("bis", "x"),
        ("limit", "0"),
        ("limit", "201"),
        ("offset", "-1"),
    ] {
        let refused = server
            .get(&format!("/admin/rechnung?{name}={value}"))
            .by(CLERK)
            .send();
        refused.refused(400, "malformed");
        assert_eq!(refused.json()["info"]["parameter"], name);
    }
    let customer = server
        .get("/admin/rechnung")
        .bearer(&server.customer_token(SHOP1, "10006"));
    assert_eq!(customer.send().status, 403);
}

#[test]
fn what_forbids_an_invoice_is_told() {
    let server = Server::start();
    let order = ordered(&server, "BU-1004");
    let path = format!("/admin/auftrag/{order}/rechnung");
    for shop in [SHOP1, SHOP2] {
        server
            .post(&path)
            .by(shop)
            .send()
            .refused(403, "insufficient_scope");
    }
    make(&server, "999999").refused(404, "not_found");
    server.import(&json!({"Firma": {"FirmaBez": "Muster AG", "WaehrAbk": "CHF", "RESTPreisliste": "STANDARD"}}).to_string());
    let refused = make(&server, &order).expect(422);
    let paths: Vec<String> = refused
        .problems()
        .into_iter()
        .map(|(path, _)| path)
        .collect();
    let expected = ["AdrAdresse1", "OrtPLZ", "OrtName", "UStIdNr", "ZahlFrist"];
    assert_eq!(paths, expected.map(|name| format!("Firma.{name}")));
    let _ = state(&server, &order, "S").expect(200);
    make(&server, &order).refused(409, "conflict");
}

// rule: D-INV-08
#[test]
fn an_invoice_is_read_as_pages_with_its_xml() {
    let server = Server::start();
    let order = ordered(&server, "BU-1004");
    let _ = make(&server, &order).expect(201);
    let xml = read(&server, "1", "application/xml").expect(200);
    let pdf = read(&server, "1", "application/pdf").expect(200);
    assert_eq!(pdf.header("content-type"), Some("application/pdf"));
    let extracted = extract(&pdf.body, &ExtractOptions::default()).unwrap();
    assert_eq!(extracted.xml, xml.body);
    let inspected = inspect(&pdf.body, &Limits::DEFAULT).unwrap();
    assert!(inspected.pdfa_faults.is_empty() && inspected.pdfa_unchecked.is_none());
    read(&server, "2", "application/pdf").refused(404, "not_found");

    // What the pages cannot show is told, in the language of the request; the XML has it.
    let body = bodies::order(
        "10006",
        json!([{"ArtNr": "BU-1004", "Menge": 1, "PosBez": "Stuhl \u{1FA91}"}]),
    );
    let order = place(&server, &body).expect(201).number("AuftNr");
    for (language, told) in [
        ("de", "\u{1FA91} wird \u{25a1}"),
        ("fr", "\u{1FA91} devient \u{25a1}"),
    ] {
        let path = format!("/admin/auftrag/{order}/rechnung");
        let request = server.post(&path).by(CLERK);
        let made = request
            .header("accept-language", language.as_bytes())
            .send();
        let notice = made.expect(201).data()["Hinweis"].clone();
        assert!(notice.as_str().unwrap().ends_with(told), "{notice}");
    }
    let xml = read(&server, "2", "application/xml").expect(200);
    assert!(xml.text().contains("Stuhl \u{1FA91}"));
    let _ = read(&server, "2", "application/pdf").expect(200);
}

// rule: D-INV-05
#[test]
fn each_form_of_an_invoice_has_its_tag() {
    let server = Server::start();
    let order = ordered(&server, "BU-1004");
    let _ = make(&server, &order).expect(201);
    let forms = ["application/json", "application/xml", "application/pdf"];
    let tags = || {
        let tag = |form| {
            let shown = read(&server, "1", form).expect(200);
            let mut headers = shown.headers.iter();
            assert!(headers.any(|(name, value)| name == "vary" && value == "accept"));
            shown.header("etag").unwrap().to_owned()
        };
        forms.map(tag)
    };
    let before = tags();
    assert_eq!(tags(), before);
    assert_eq!(BTreeSet::from(before.clone()).len(), 3);
    for (form, tag) in forms.into_iter().zip(&before) {
        for (known, status) in before
            .iter()
            .map(|known| (known, if known == tag { 304 } else { 200 }))
        {
            let request = server.get("/www/rechnung/1").by(SHOP1);
            let request = request.header("accept", form.as_bytes());
            let response = request.header("if-none-match", known.as_bytes()).send();
            assert_eq!(response.status, status, "{form}");
        }
    }
    server.import(&json!({"Firma": {"FirmaBez": "Muster AG", "Logo": ""}}).to_string());
    let after = tags();
    assert_eq!(after[..2], before[..2]);
    assert_ne!(after[2], before[2], "the logo is another one");
}

// rule: D-INV-10
#[test]
fn the_pages_have_the_logo_of_the_company() {
    let server = Server::start();
    let order = ordered(&server, "BU-1004");
    let _ = make(&server, &order).expect(201);
    let pictures = || {
        let pdf = read(&server, "1", "application/pdf").expect(200).body;
        let found = pdf.windows(14).filter(|word| word == b"/Subtype/Image");
        found.count()
    };
    // Its colours, and where it is transparent.
    assert_eq!(pictures(), 2);
    let company =
        |logo: &str| json!({"Firma": {"FirmaBez": "Muster AG", "Logo": logo}}).to_string();
    let refused = super::import::import(&server, &company("R0lGODlh"));
    let problems = refused.expect(422).problems();
    assert_eq!(problems[0].0, "line 1: Firma.Logo");
    assert_eq!(pictures(), 2);
    server.import(&company(""));
    assert_eq!(pictures(), 0);
}

// rule: D-INV-03
#[test]
fn numbers_have_no_gaps_when_many_are_made_at_once() {
    // On a busy machine the last of them waits for longer than a request may take by default.
    let server = Server::with(&[("request_timeout_seconds", "600")]);
    let orders: Vec<String> = (0..64).map(|_| ordered(&server, "BU-1004")).collect();
    let made: Vec<(Value, Value)> = std::thread::scope(|scope| {
        let requests: Vec<_> = orders
            .iter()
            .map(|order| {
                let server = &server;
                scope.spawn(move || {
                    let number = || make(server, order).expect(201).data()["RechNr"].clone();
                    (number(), number())
                })
            })
            .collect();
        requests
            .into_iter()
            .map(|made| made.join().unwrap())
            .collect()
    });
    assert!(made.iter().all(|(first, again)| first == again));
    let numbers: BTreeSet<u64> = made
        .iter()
        .map(|(number, _)| number.as_str().unwrap().parse().unwrap())
        .collect();
    assert_eq!(numbers, (1..=64).collect());
}
