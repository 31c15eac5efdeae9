//! `POST /admin/import`: master data over the interface.

use erp_tests::exchange::Exchange;
use erp_tests::golden::golden;
use erp_tests::server::{ADMIN, SHOP1, Server};
use serde_json::{Value, json};

const NDJSON: &str = "application/x-ndjson";

pub fn import(server: &Server, body: &str) -> Exchange {
    server
        .post("/admin/import")
        .by(ADMIN)
        .body(NDJSON, body.as_bytes())
        .send()
}

fn import_csv(server: &Server, kind: &str, body: &str) -> Exchange {
    server
        .post(&format!("/admin/import?kind={kind}"))
        .by(ADMIN)
        .body("text/csv", body.as_bytes())
        .send()
}

fn counts(answer: &Exchange) -> [u64; 5] {
    let data = answer.data();
    ["rows", "added", "changed", "removed", "unchanged"]
        .map(|name| data[name].as_u64().unwrap_or_else(|| panic!("{data}")))
}

fn runs(server: &Server) -> Vec<Value> {
    let answer = server.get("/admin/imports").by(ADMIN).send().expect(200);
    answer.data().as_array().unwrap().clone()
}

#[test]
fn the_last_imports_are_listed() {
    let server = Server::start();
    assert_eq!(runs(&server), [] as [Value; 0]);
    let rows = article("NEU-1", "eins") + &article("NEU-2", "zwei");
    let dry = server.post("/admin/import?dry_run=1").by(ADMIN);
    let dry = dry.body(NDJSON, rows.as_bytes()).send().expect(200);
    assert_eq!(counts(&dry), [2, 2, 0, 0, 0]);
    assert_eq!(read(&server, "NEU-1").status, 404);
    assert_eq!(runs(&server), [] as [Value; 0], "a dry run is not listed");
    let _ = import(&server, &rows).expect(200);
    let _ = import(&server, &(rows + "{\n{\"Nope\": {}}\n")).expect(422);
    let _ = import(&server, r#"{"Kunde": {"KundNr": "1"}}"#).expect(422);
    let refused = server.post("/admin/import").by(SHOP1).body(NDJSON, b"{}");
    let _ = refused.send().expect(403);
    let listed = runs(&server);
    let run = |state: &str, rows: usize, failed: usize| {
        json!({"user": ADMIN.name, "state": state, "rows": rows, "added": rows, "changed": 0, "removed": 0,
            "unchanged": 0, "skipped": 0, "failed": failed})
    };
    let without_time = |run: &Value| {
        let mut run = run.clone();
        let at = run.as_object_mut().unwrap().remove("at").unwrap();
        assert!(at.as_str().unwrap().parse::<jiff::Timestamp>().unwrap() >= server.started());
        run
    };
    let listed: Vec<Value> = listed.iter().map(without_time).collect();
    assert_eq!(
        listed,
        [
            run("refused", 0, 1),
            run("refused", 0, 2),
            run("done", 2, 0)
        ]
    );
    // Only the last ones are kept.
    for _ in 0..50 {
        let _ = import(&server, "").expect(200);
    }
    let listed = runs(&server);
    assert_eq!(listed.len(), 50);
    assert!(listed.iter().all(|run| run["state"] == "done"));
}

fn article(number: &str, text: &str) -> String {
    let row = json!({"Artikel": {"ArtNr": number, "AnLager": "J", "ArtBez": text, "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "*"}]}});
    format!("{row}\n")
}

fn read(server: &Server, number: &str) -> Exchange {
    server.read(&format!("/www/artikel/{number}"))
}

#[test]
fn the_responses_are_the_golden_ones() {
    let server = Server::start();
    golden(
        &server,
        "import-done",
        &import(
            &server,
            &(article("NEU-1", "Wärmflasche") + &article("BU-1004", "Gelschreiber")),
        ),
    );
    let bad = format!(
        "{}{{\"Artikel\": {{\"ArtNr\": \"x\"\n\n{}{{\"Nope\": {{}}}}\n",
        article("NEU-2", "gut"),
        article("1234567890123456", "zu lang")
    );
    golden(&server, "import-bad-rows", &import(&server, &bad));
    golden(
        &server,
        "import-by-a-shop",
        &server
            .post("/admin/import")
            .by(SHOP1)
            .body(NDJSON, b"{}")
            .send(),
    );
    golden(
        &server,
        "import-unknown-kind",
        &import_csv(&server, "Nope", "ArtNr\n1\n"),
    );
}

#[test]
fn the_form_and_the_references_of_all_rows_are_checked_together() {
    let server = Server::start();
    let rows = r#"{"Artikel": {"ArtNr": "NEU-1", "ArtBez": 7, "WUSTCode": "NIE"}}
{"Preis": {"PreisListe": "L", "ArtNr": "NEU-1", "WaehrAbk": "CHF", "PreisList": "x", "Preisart": "N"}}
{"Artikel": {"ArtNr": "NEU-2", "ArtNr": "NEU-3"}}
{"Bestand": {"ArtNr": "NIE", "LagerOrt": "A", "StaoNr": 1, "LagerBestand": 1}}
"#;
    let problems = |query: &str| {
        let sent = server.post(&format!("/admin/import{query}")).by(ADMIN);
        let refused = sent.body(NDJSON, rows.as_bytes()).send().expect(422);
        let problems = refused.json()["info"]["problems"].clone();
        assert_eq!(
            problems[3]["message"],
            "the member `ArtNr` is given twice (column 38)"
        );
        refused.problems()
    };
    let expected = [
        ("line 1: Artikel.ArtBez", "wrong_type"),
        ("line 1: WUSTCode", "unknown_tax_code"),
        ("line 2: Preis.PreisList", "wrong_type"),
        ("line 3", "malformed"),
        ("line 4: ArtNr", "unknown_article"),
    ];
    let expected = expected.map(|(path, code)| (path.to_owned(), code.to_owned()));
    for query in ["", "?dry_run=true"] {
        assert_eq!(problems(query), expected, "{query}");
    }
}

// rule: D-REQ-01
#[test]
fn rows_are_read_in_the_declared_charset() {
    let server = Server::start();
    let send = |media_type: &str, text: &[u8]| {
        let rows = [b"ArtNr;ArtBez;attributes.RESTWEBSHOP\nCS-1;", text, b";*\n"].concat();
        let sent = server.post("/admin/import?kind=Artikel").by(ADMIN);
        sent.body(media_type, &rows).send()
    };
    for (charset, text, read_as) in [
        ("text/csv; charset=iso-8859-1", &b"\xc3\xa4"[..], "Ã¤"),
        ("text/csv; charset=windows-1252", b"\xd6 \x80", "Ö €"),
        ("text/csv;charset=\"UTF-8\"", b"\xc3\xa4", "ä"),
        ("text/csv; header=present", b"\xc3\xb6", "ö"),
    ] {
        let _ = send(charset, text).expect(200);
        assert_eq!(read(&server, "CS-1").data()["ArtBez"], read_as, "{charset}");
    }
    let refused = send("text/csv; charset=utf-16", b"x").refusal();
    assert_eq!(refused.0, 415, "{refused:?}");
    assert_eq!(send("text/csv; charset=us-ascii", b"\xe4").refusal().0, 400);
}

#[test]
fn csv_names_its_fields_in_the_first_line() {
    let server = Server::start();
    let articles = "ArtNr;ArtBez;AnLager;attributes.RESTWEBSHOP\r\nCSV-1;Größe \"M\";N;SHOP1\r\nCSV-2;\"a;b\";N;*\r\n";
    let articles = articles.replace("Größe \"M\"", "\"Größe \"\"M\"\"\"");
    assert_eq!(
        counts(&import_csv(&server, "Artikel", &articles).expect(200)),
        [2, 2, 0, 0, 0]
    );
    assert_eq!(read(&server, "CSV-1").data()["ArtBez"], "Größe \"M\"");
    assert_eq!(read(&server, "CSV-2").data()["ArtBez"], "a;b");
    let prices =
        "PreisListe,ArtNr,WaehrAbk,AbAnzahl,PreisList,Preisart\nSTANDARD,CSV-1,CHF,1,0.10,N\n";
    let _ = import_csv(&server, "Preis", prices).expect(200);
    assert_eq!(
        read(&server, "CSV-1").data()["Preis"][0]["PreisList"].to_string(),
        "0.1"
    );
    let wrong = "ArtNr;LagerOrt;StaoNr;LagerBestand\nCSV-1;A;1;5\nCSV-1;A;x;5\n";
    let refused = import_csv(&server, "Bestand", wrong).expect(422);
    assert_eq!(
        refused.problems(),
        [("line 3: StaoNr".to_owned(), "malformed".to_owned())]
    );
    assert_eq!(read(&server, "CSV-1").data().get("Bestand"), None);
    for kind in ["", "Nope"] {
        import_csv(&server, kind, "a\n").refused(400, "malformed");
    }
}

#[test]
fn an_empty_import_is_one_of_no_rows() {
    let server = Server::shared();
    for body in ["", "\n\n", " \r\n"] {
        assert_eq!(
            counts(&import(&server, body).expect(200)),
            [0; 5],
            "{body:?}"
        );
    }
}

#[test]
fn a_kind_is_one_whatever_the_body_is() {
    let server = Server::shared();
    let by = |query: &str, content_type: &str| {
        let row = article("NEU-KIND", "Locher");
        let request = server.post(&format!("/admin/import{query}")).by(ADMIN);
        request.body(content_type, row.as_bytes()).send()
    };
    let _ = by("?kind=Artikel", NDJSON).expect(200);
    for (query, content_type) in [
        ("?kind=Nope", NDJSON),
        ("?kind=Artikel&kind=Artikel", NDJSON),
        ("?kind=Nope", "text/csv"),
        ("", "text/csv"),
    ] {
        let refused = by(query, content_type).refusal();
        assert_eq!(refused, (400, "malformed".to_owned()), "{query}");
    }
}

// rule: D-NUM-03
#[test]
fn a_customer_number_of_seven_digits_is_stored_with_a_warning() {
    let server = Server::start();
    let row = json!({"Kunde": {"KundNr": "1234567", "WaehrAbk": "CHF", "KontaktAdr": erp_tests::bodies::address()}});
    let stored = import(&server, &row.to_string()).expect(200);
    let warnings = &stored.data()["warnings"];
    assert_eq!(warnings[0]["path"], "line 1: KundNr");
    assert_eq!(runs(&server)[0]["warnings"], *warnings);
    let customer = server.read("/www/kunden/1234567");
    let _ = customer.expect(200);
}
