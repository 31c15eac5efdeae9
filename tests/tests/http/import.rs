//! `POST /admin/import`: master data over the interface.

use erp_core::import::RowKind;
use erp_tests::exchange::Exchange;
use erp_tests::golden::golden;
use erp_tests::server::{ADMIN, EDITOR, SHOP1, Server};
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

fn dry_run(server: &Server, query: &str, body: &[u8]) -> Exchange {
    let sent = server.post(&format!("/admin/import?dry_run=true{query}"));
    sent.by(ADMIN).body("text/csv", body).send()
}

// rule: D-IMP-11, D-IMP-13
#[test]
fn a_file_of_a_german_spreadsheet_is_read_as_it_is() {
    let server = Server::start();
    let articles =
        b"Artikelnummer;Bezeichnung;Gewicht;Shops\r\nCSV-1;Gr\xf6\xdfe;1.250,5;*\r\n;;;\r\n";
    let tried = dry_run(&server, "", articles).expect(200).data();
    let warning = json!({"path": "", "code": "malformed",
        "message": "the file is not UTF-8 and was read as Windows-1252"});
    assert_eq!(tried["warnings"], json!([warning]));
    let article = json!({"ArtNr": "CSV-1", "ArtBez": "Größe", "ArtGewicht": 1250.5,
        "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "*"}]});
    assert_eq!(tried["preview"], json!([{"Artikel": article}]));
    assert_eq!(read(&server, "CSV-1").status, 404);
    let send = |media_type: &str, body: &[u8]| {
        let sent = server.post("/admin/import?kind=Artikel").by(ADMIN);
        sent.body(media_type, body).send()
    };
    let done = send("text/csv", articles).expect(200).data();
    assert_eq!(done["warnings"], json!([warning]));
    assert_eq!(done.get("preview"), None);
    assert_eq!(read(&server, "CSV-1").data()["ArtBez"], "Größe");
    // A letter in UTF-8 shows that the other byte is damaged, and a charset that is declared is not another one.
    let damaged = send("text/csv", b"ArtNr;ArtBez\nA;\xc3\xa4\xe4\n").expect(400);
    assert_eq!(damaged.json()["info"]["offset"], 17);
    send("text/csv; charset=utf-8", articles).refused(400, "malformed");
    let price = "ArtNr;PreisListe;WaehrAbk;PreisList;Preisart\nCSV-1;STANDARD;CHF;1.250;N\n";
    let unclear = dry_run(&server, "", price.as_bytes()).expect(422);
    assert_eq!(
        unclear.problems(),
        [("line 2: PreisList".to_owned(), "malformed".to_owned())]
    );
    for (form, number) in [("excel-de", json!(1250)), ("excel-ch", json!(1.25))] {
        let told = dry_run(&server, &format!("&form={form}"), price.as_bytes());
        let told = told.expect(200).data();
        assert_eq!(told["preview"][0]["Preis"]["PreisList"], number, "{form}");
    }
    dry_run(&server, "&form=x", price.as_bytes()).refused(400, "malformed");
}

#[test]
fn a_dry_run_shows_the_first_rows() {
    let server = Server::shared();
    let rows: String = (0..7)
        .map(|at| article(&format!("SHOWN-{at}"), "x"))
        .collect();
    let sent = server.post("/admin/import?dry_run=true").by(ADMIN);
    let tried = sent.body(NDJSON, rows.as_bytes()).send().expect(200).data();
    let shown = tried["preview"].as_array().unwrap();
    assert_eq!(shown.len(), 5);
    assert_eq!(shown[4]["Artikel"]["ArtNr"], "SHOWN-4");
    assert_eq!(tried["changes"], json!({}));
}

// rule: D-IMP-12
#[test]
fn a_dry_run_says_which_columns_a_file_lacks_and_empties() {
    let server = Server::shared();
    let tried = |csv: &str| {
        let tried = dry_run(&server, "", csv.as_bytes()).expect(200).data();
        let warnings = tried["warnings"].as_array().cloned().unwrap_or_default();
        let before = "columns that are not in the file are emptied or get their default: ";
        let lost = warnings.iter().filter_map(|warning| {
            let message = warning["message"].as_str().unwrap();
            message.strip_prefix(before).map(str::to_owned)
        });
        (lost.collect::<Vec<String>>(), tried["changes"].clone())
    };
    let (lost, changes) = tried("Artikelnummer;Bezeichnung;AnLager\nBU-1016;Neu;J\n");
    assert!(
        lost[0].starts_with("ArtGewicht, ArtGruppe, ArtKlasse, ArtikelStatus, ")
            && !lost[0].contains("Texte"),
        "{lost:?}"
    );
    assert!(lost[0].ends_with("attributes.RESTWEBSHOP"), "{lost:?}");
    let of_article = changes["Artikel"].as_array().unwrap();
    assert!(of_article.contains(&json!("Texte")), "{changes}");
    let blocked = "Artikelnummer;Lagerort;Standort;Menge\nLM-3003;SPERRLAGER;1;7\n";
    assert_eq!(
        tried(blocked).0,
        ["Bereich, Freigegeben".to_owned()],
        "stock that was blocked would be released"
    );
    let customer = "KundNr;WaehrAbk;Firma;Anrede;Strasse;PLZ;Ort;Land;KontaktAdr.AdrSprache\n\
                    10001;CHF;Neu AG;0;Weg 1;8001;Zürich;CH;ger\n";
    let (lost, _) = tried(customer);
    for member in ["KontaktAdr.EmailAdress", "LiefAdr", "PreisListe"] {
        assert!(lost[0].split(", ").any(|lost| lost == member), "{lost:?}");
    }
    assert!(!lost[0].contains("OrtName"), "{lost:?}");
    let price =
        "ArtNr;PreisListe;WaehrAbk;AbAnzahl;PreisList;Preisart\nBU-1010;STANDARD;CHF;10000;9;N\n";
    let (lost, changes) = tried(price);
    assert!(lost[0].contains("PosPreisBasis"), "{lost:?} {changes}");
    // Nothing is lost of what is new, or of the same.
    assert_eq!(tried("ArtNr;ArtBez\nNEU-1;x\n"), (vec![], json!({})));
}

#[test]
fn an_empty_file_of_each_kind_has_the_columns_that_an_import_takes() {
    let server = Server::shared();
    let template = |kind: &str, language: &str| {
        let request = server.get(&format!("/admin/import/template?kind={kind}"));
        let request = request.header("accept-language", language.as_bytes());
        request.by(ADMIN).send_unchecked()
    };
    let prices = template("preis", "de-CH").expect(200);
    assert_eq!(
        prices.text(),
        "\u{feff}Preisliste;Artikelnummer;Verpackungseinheit;Währung;Bereich;Ab Menge;Bis Menge;Preis;Netto/Brutto;Preis pro Anzahl\r\n"
    );
    let disposition = prices.header("content-disposition");
    assert_eq!(disposition, Some("attachment; filename=\"Preis.csv\""));
    let plain = template("Bestand", "en").expect(200).text();
    assert_eq!(
        plain,
        "\u{feff}ArtNr;LagerOrt;StaoNr;LagerBestand;VPEinheit;Bereich;Freigegeben\r\n"
    );
    for kind in RowKind::ALL.map(RowKind::as_str) {
        for language in ["de", "en"] {
            let file = template(kind, language).expect(200).text();
            let taken = dry_run(&server, &format!("&kind={kind}"), file.as_bytes());
            assert_eq!(counts(&taken.expect(200)), [0; 5], "{kind} {language}");
        }
    }
    template("Nope", "de").refused(400, "malformed");
}

#[test]
fn a_first_company_is_imported_with_its_name() {
    let server = Server::start();
    for country in ["CH", "LI", "DE", "AT"] {
        let path = format!("/admin/company/start?country={country}");
        let rows = server.get(&path).by(ADMIN).send_unchecked();
        let rows = rows.expect(200).text();
        let unnamed = import(&server, &rows).expect(422);
        let expected = format!("line {}: Firma.FirmaBez", rows.lines().count());
        assert_eq!(
            unnamed.problems(),
            [(expected, "required".to_owned())],
            "{country}"
        );
        let named = rows.replace("\"FirmaBez\":\"\"", "\"FirmaBez\":\"Muster\"");
        let _ = import(&server, &named).expect(200);
        assert!(named.contains(&format!("\"OrtLand\":\"{country}\"")));
    }
    for query in ["", "?country=FR", "?country=ch"] {
        let asked = server.get(&format!("/admin/company/start{query}"));
        asked.by(ADMIN).send().refused(400, "malformed");
    }
}

#[test]
fn choices_are_what_is_stored() {
    let server = Server::start();
    let choices = || server.get("/admin/choices").by(EDITOR).send().expect(200);
    let before = choices().data();
    assert_eq!(
        before["PreisListe"],
        json!(["HANDEL", "PRIVAT", "STANDARD"])
    );
    assert_eq!(
        before["VBTyp"],
        json!(["ABHOLUNG", "CAMION", "EXPRESS", "POST"])
    );
    assert_eq!(before["AMDVerwendung"], json!(["INTERN", "WEB"]));
    for (member, value) in [
        ("ArtGruppe", "BUERO"),
        ("ArtKlasse", "ABLAGE"),
        ("Einheit", "Stk"),
        ("VPEinheit", "KARTON"),
        ("LagerOrt", "SPERRLAGER"),
        ("BrancheID", "HOTEL"),
        ("WUSTCode", "CH-NORMAL"),
    ] {
        let values = before[member].as_array().unwrap();
        assert!(values.contains(&json!(value)), "{member}: {values:?}");
    }
    let places: String = (0..250)
        .map(|at| {
            let row = json!({"ArtNr": "BU-1001", "LagerOrt": format!("0-{at:03}"), "StaoNr": 1, "LagerBestand": 1});
            format!("{}\n", json!({"Bestand": row}))
        })
        .collect();
    let _ = import(&server, &places).expect(200);
    let after = choices().data();
    let places = after["LagerOrt"].as_array().unwrap();
    assert_eq!((places.len(), &places[199]), (200, &json!("0-199")));
    let shop = server.get("/admin/choices").by(SHOP1);
    let _ = shop.send().expect(403);
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
