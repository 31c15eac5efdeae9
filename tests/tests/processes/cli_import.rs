//! `erp-server import`: all or nothing, dry runs, from standard input and into a running server.

use std::fs;

use erp_server::import::LONGEST_BODY;
use erp_tests::client::stop;
use erp_tests::place::Place;
use erp_tests::process::{Ran, Server};
use serde_json::{Value, json};

const PASSWORD: &str = "sehr geheim 1";

/// Articles `A-1` to `A-{count}`, one row each.
fn articles(count: usize) -> String {
    (1..=count)
        .map(|at| {
            format!("{{\"Artikel\": {{\"ArtNr\": \"A-{at}\", \"ArtBez\": \"Artikel {at}\"}}}}\n")
        })
        .collect()
}

fn price(article: &str) -> String {
    format!(
        "{{\"Preis\": {{\"PreisListe\": \"A\", \"ArtNr\": \"{article}\", \"WaehrAbk\": \"CHF\", \"AbAnzahl\": 1, \
         \"PreisList\": 1, \"Preisart\": \"N\"}}}}\n"
    )
}

fn count_of(place: &Place, what: &str) -> usize {
    let checked = place.run(&["check", "--json"]).success();
    let checked: Value = serde_json::from_str(&checked).unwrap();
    assert_eq!(checked["findings"], json!([]));
    let count = match what {
        "media files" => &checked["media_files"],
        what => &checked["records"][what],
    };
    let count = count
        .as_u64()
        .unwrap_or_else(|| panic!("{what}: {checked}"));
    usize::try_from(count).unwrap()
}

/// The same with rows so long that some hundred of them are more than a request may have.
fn long_articles(count: usize) -> String {
    let blanks = " ".repeat(20_000);
    articles(count).replace(": {", &format!(":{blanks}{{"))
}

/// A data folder with an admin, and its server.
fn served() -> (Place, Server) {
    let place = Place::begun();
    let user = ["user", "add", "chef", "--role", "admin", "--password-stdin"];
    let _ = place.run_with(&user, PASSWORD).success();
    let server = place.serve(&[]);
    (place, server)
}

fn online(place: &Place, server: &Server, command: &[&str], input: &str) -> Ran {
    place.online(server, ("chef", PASSWORD), command, input)
}

#[test]
fn a_row_that_does_not_fit_leaves_nothing_of_any_file() {
    let place = Place::begun();
    let first = place.write("first.ndjson", articles(3));
    let late = format!("{}{}{}", articles(2_300), price("A-7"), price("NIE"));
    let late = place.write("late.ndjson", &late);
    let ran = place.run(&["import", &first, &late]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(1), ""),
        "{}",
        ran.stderr
    );
    let begin = format!("nothing was imported, because rows of `{late}` are wrong:\n");
    ran.says(&begin);
    ran.says(&format!(
        "\n  {late}:2302: ArtNr: there is no article `NIE`"
    ));
    assert_eq!(count_of(&place, "articles"), 0);
    let whole = format!("{}{}", articles(2_300), price("A-7"));
    let whole = place.write("late.ndjson", &whole);
    let printed = place.run(&["import", &first, &whole]).success();
    assert_eq!(
        printed,
        "2304 rows: 2301 added, 0 changed, 0 removed, 3 unchanged\n"
    );
    assert_eq!(count_of(&place, "articles"), 2_300);
}

// rule: D-IMP-11, D-IMP-12, D-IMP-13
#[test]
fn csv_of_a_german_spreadsheet_is_imported_as_it_is() {
    let place = Place::begun();
    let articles = b"Artikelnummer;Bezeichnung;Gewicht;Einheit;Shops\r\n\
        A-1;Gr\xf6\xdfe;1.250,5;Stk;*\r\nA-2;W\xfcrfel;1.250;Stk;*\r\n;;;;\r\n";
    let articles = place.write("Artikel 2026.csv", articles);
    let printed = place.run(&["import", &articles]).success();
    let windows = format!("{articles}: the file is not UTF-8 and was read as Windows-1252");
    assert!(
        printed.starts_with(&format!("{articles}: 2 rows: 2 added"))
            && printed.contains(&format!("warning: {windows}")),
        "{printed}"
    );
    let shorter = place.write("kurz.csv", "Artikelnummer;Bezeichnung\nA-1;Neu\n");
    let printed = place.run(&["import", "--dry-run", &shorter]).success();
    let emptied = "columns that are not in the file are emptied or get their default: \
                   ArtGewicht, Einheit, attributes.RESTWEBSHOP";
    assert!(
        printed.contains(&format!("warning: {shorter}: {emptied}")),
        "{printed}"
    );
    let prices = "Artikelnummer;Preisliste;Währung;Preis;Netto/Brutto\nA-1;L;CHF;1.250;N\n";
    let prices = place.write("Preise.csv", prices);
    let unclear = place.run(&["import", &prices]);
    assert_eq!(unclear.code, Some(1));
    unclear.says("`1.250` can mean 1.25 or 1250");
    let _ = place
        .run(&["import", "--form", "excel-de", &prices])
        .success();
    let export = place.arg("export");
    let _ = place.run(&["export", "--output", &export]).success();
    let export = std::fs::read_to_string(format!("{export}/export.ndjson")).unwrap();
    for part in [
        r"Gr\u00f6\u00dfe",
        r"W\u00fcrfel",
        "\"ArtGewicht\":1250.5",
        "\"PreisList\":1250",
    ] {
        assert!(export.contains(part), "{part} in {export}");
    }
    let unknown = place.write("x.csv", "Artikelnummer;Xyzzy\nA-1;1\n");
    let unknown = place.run(&["import", &unknown]);
    assert_eq!(unknown.code, Some(2));
    unknown.says("the columns fit no kind of rows");
    let damaged = place.write("artikel.csv", b"ArtNr;ArtBez\nA-1;\xc3\xa4\xe4\n");
    place
        .run(&["import", &damaged])
        .says("byte 19 is not UTF-8");
}

#[test]
fn the_problems_of_all_files_are_told_at_once() {
    let place = Place::begun();
    let articles =
        "ArtNr;ArtBez;WUSTCode;ArtGewicht\nA-1;Eins;NEU;1\nA-2;Zwei;;1,5,1\nA-3;Drei;NIE;x\n";
    let articles = place.write("artikel.csv", articles);
    let prices =
        "PreisListe;ArtNr;WaehrAbk;PreisList;Preisart\nL;A-2;CHF;12,5,0;N\nL;NIE;CHF;12,5,0;N\n";
    let prices = place.write("preis.csv", prices);
    let tax = place.write(
        "steuern.ndjson",
        r#"{"Steuer": {"WUSTCode": "NEU", "PosWUSTKlasse": "X", "Saetze": [{"GueltigAb": "2024-01-01", "WUSTSatz": 5}]}}"#,
    );
    let ran = place.run(&["import", &articles, &prices, &tax]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    let number = |text: &str| format!("`{text}` is no number; numbers are written like `12.50`");
    let expected = [
        format!("erp-server: nothing was imported, because rows of `{articles}` are wrong:"),
        format!(
            "  {articles}:3: ArtGewicht: {} (malformed)",
            number("1,5,1")
        ),
        format!("  {articles}:4: ArtGewicht: {} (malformed)", number("x")),
        format!("  {articles}:4: WUSTCode: there is no tax code `NIE` (unknown_tax_code)"),
        format!("rows of `{prices}` are wrong:"),
        format!("  {prices}:2: PreisList: {} (malformed)", number("12,5,0")),
        format!("  {prices}:3: PreisList: {} (malformed)", number("12,5,0")),
        format!("  {prices}:3: ArtNr: there is no article `NIE` (unknown_article)"),
    ];
    let told = |ran: &Ran| -> Vec<String> {
        let lines = ran.stderr.lines().map(str::to_owned);
        lines
            .filter(|line| !line.contains("new store in"))
            .collect()
    };
    assert_eq!(told(&ran), expected);
    // If a file cannot be read, problems that depend on its rows are not reported.
    let headless = place.write("artikel.csv", "ArtNr;ArtNr\nA-2;A-3\n");
    let ran = place.run(&["import", &headless, &prices]);
    let expected = [
        format!("erp-server: nothing was imported, because rows of `{headless}` are wrong:"),
        format!("  {headless}:1: ArtNr: the column `ArtNr` is given twice (contradiction)"),
        format!("rows of `{prices}` are wrong:"),
        format!("  {prices}:2: PreisList: {} (malformed)", number("12,5,0")),
        format!("  {prices}:3: PreisList: {} (malformed)", number("12,5,0")),
    ];
    assert_eq!(told(&ran), expected);
    // Lines that end as Excel ends them are as good as others.
    let windows = place.write("artikel.csv", "ArtNr;ArtBez\r\nA-2;Zwei\r\n");
    let wrong = r#"{"Artikel": {"ArtNr": "A-3", "ArtBez": "Drei", "WUSTCode": "NIE"}}"#;
    let wrong = place.write("b.ndjson", wrong);
    let ran = place.run(&["import", &windows, &wrong]);
    let expected = [
        format!("erp-server: nothing was imported, because rows of `{wrong}` are wrong:"),
        format!("  {wrong}:1: WUSTCode: there is no tax code `NIE` (unknown_tax_code)"),
    ];
    assert_eq!(told(&ran), expected);
    assert_eq!(count_of(&place, "articles"), 0);
    // A tax code may come after the articles that use it, and what the company lacks is reported once.
    let rows = place.write("a.csv", "ArtNr;ArtBez;WUSTCode\nA-1;Eins;NEU\n");
    let ran = place.run(&["import", "--kind", "Artikel", &rows, &tax]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let warning =
        "erp-server: warning: there is no company: nothing can be sold before a row of `Firma`\n";
    assert_eq!(ran.stderr, warning);
}

#[test]
fn the_company_of_a_file_gives_the_language_of_its_articles() {
    let place = Place::begun();
    let rows = [
        json!({"Firma": {"FirmaBez": "Chocolat SA", "WaehrAbk": "CHF", "AdrSprache": "fre", "OrtLand": "CH", "Preisart": "N"}}),
        json!({"Artikel": {"ArtNr": "A-1", "ArtBez": "Perforatrice"}}),
    ];
    let rows = place.write("all.ndjson", rows.map(|row| format!("{row}\n")).concat());
    for counts in ["2 added, 0 changed", "0 added, 0 changed"] {
        let printed = place.run(&["import", &rows]).success();
        assert!(printed.contains(counts), "{printed}");
    }
}

#[test]
fn the_counts_of_rows_add_up() {
    let place = Place::begun();
    let rows = format!(
        "{}{}{}{}{}",
        articles(5),
        price("A-1"),
        price("A-2"),
        price("A-1"),
        "{\"Auftrag\": {\"AuftNr\": \"1\"}}\n",
    );
    let file = place.write("rows.ndjson", &rows);
    let printed = place.run(&["import", &file]).success();
    let counts = "9 rows: 7 added, 0 changed, 0 removed, 1 unchanged, 1 orders, offers and invoices skipped\n";
    assert!(printed.ends_with(counts), "{printed}");
    let other = price("A-1").replace("\"PreisList\": 1", "\"PreisList\": 2");
    let gone = "{\"Artikel\": {\"ArtNr\": \"A-5\", \"Loeschen\": true}}\n";
    let file = place.write("rows.ndjson", format!("{other}{gone}{}", articles(1)));
    let printed = place.run(&["import", &file]).success();
    let counts = "3 rows: 0 added, 1 changed, 1 removed, 1 unchanged\n";
    assert!(printed.ends_with(counts), "{printed}");
}

#[test]
fn a_dry_run_says_what_would_happen_and_writes_nothing() {
    let place = Place::begun();
    let master = place.write("a.ndjson", articles(1_200));
    fs::write(place.path("bild.png"), "PNG").unwrap();
    let media = "{\"ArtikelMedia\": {\"ArtNr\": \"A-1200\", \"Datei\": \"bild.png\"}}\n";
    let later = place.write("b.ndjson", format!("{}{media}", price("A-1200")));
    let dry_run = ["import", "--dry-run", &master, &later];
    let user = ["user", "add", "chef", "--role", "admin", "--password-stdin"];
    // Where there is no store yet, none is made.
    let none = place.run(&dry_run);
    assert_eq!(fs::read_dir(place.path("data")).unwrap().count(), 0);
    assert_eq!(
        none.stderr,
        "erp-server: warning: there is no company: nothing can be sold before a row of `Firma`\n"
    );
    let _ = place.run_with(&user, PASSWORD).success();
    for printed in [none.success(), place.run(&dry_run).success()] {
        assert_eq!(
            printed,
            "dry run: 1201 rows: 1201 added, 0 changed, 0 removed, 0 unchanged\n1 rows that bring files were not tried\n"
        );
    }
    for (what, count) in [
        ("articles", 0),
        ("prices", 0),
        ("media", 0),
        ("audit entries", 1),
    ] {
        assert_eq!(count_of(&place, what), count, "{what}");
    }
    assert!(!place.path("data/media").exists());
    let wrong = place.write(
        "b.ndjson",
        format!("{media}{}", media.replace("bild", "nix")),
    );
    let ran = place.run(&["import", "--dry-run", &master, &wrong]);
    assert_eq!(ran.code, Some(1));
    ran.says("`nix.png` is not there");
}

#[test]
fn a_row_that_no_request_takes_is_named() {
    let place = Place::begun();
    let long = " ".repeat(9 << 20);
    let long = format!("{{\"Artikel\":{long}{{\"ArtNr\": \"A-3\"}}}}\n");
    let rows = place.write("rows.ndjson", articles(2) + &long);
    for command in [&["import", "--dry-run", &rows][..], &["import", &rows]] {
        let ran = place.run(command);
        assert_eq!(ran.code, Some(1));
        ran.says(&format!("{rows}:3: "));
        ran.says("8388608 bytes");
    }
    assert_eq!(count_of(&place, "articles"), 2);
}

#[test]
fn rows_come_from_standard_input_too() {
    let place = Place::begun();
    let lines = place.run_with(&["import", "-"], &articles(2)).success();
    assert_eq!(
        lines,
        "standard input: 2 rows: 2 added, 0 changed, 0 removed, 0 unchanged\n"
    );
    let csv = "ArtNr;ArtBez\nA-1;Anders\nA-9;Neu\n";
    let csv = place
        .run_with(&["import", "--kind", "Artikel", "-"], csv)
        .success();
    assert_eq!(
        csv,
        "standard input: 2 rows: 1 added, 1 changed, 0 removed, 0 unchanged\n"
    );
    let wrong = place.run_with(&["import", "-"], "{\"Artikel\": {}}\n");
    assert_eq!(wrong.code, Some(1));
    assert!(
        wrong
            .stderr
            .contains("\n  standard input:1: Artikel.ArtNr: "),
        "{}",
        wrong.stderr
    );
    assert_eq!(place.run(&["import", "-", "-"]).code, Some(2));
}

#[test]
fn a_running_server_takes_files_of_any_length() {
    let (place, server) = served();
    let long = place.write("long.ndjson", long_articles(1_000));
    assert!(fs::metadata(&long).unwrap().len() > 2 * LONGEST_BODY);
    let printed = online(&place, &server, &["import", &long], "").success();
    assert_eq!(
        printed,
        format!("{long}: 1000 rows: 1000 added, 0 changed, 0 removed, 0 unchanged\n")
    );
    // From standard input, and with a media file next to the rows.
    let csv = "ArtNr;LagerOrt;StaoNr;LagerBestand\nA-1;A;1;5\nA-2;A;1;5\n";
    let printed = online(&place, &server, &["import", "--kind", "Bestand", "-"], csv).success();
    assert!(
        printed.starts_with("standard input: 2 rows: 2 added"),
        "{printed}"
    );
    fs::write(place.path("bild.png"), "PNG").unwrap();
    let media = "{\"ArtikelMedia\": {\"ArtNr\": \"A-1\", \"Datei\": \"bild.png\"}}\n";
    let media = place.write("media.ndjson", media);
    let printed = online(&place, &server, &["import", &media], "").success();
    assert!(printed.contains(": 1 row: 1 added"), "{printed}");
    stop(server);
    assert_eq!(count_of(&place, "articles"), 1_000);
    assert_eq!(count_of(&place, "media files"), 1);
}

#[test]
fn a_dry_run_on_a_running_server_says_what_was_not_tried_and_writes_nothing() {
    let (place, server) = served();
    let small = place.write("small.ndjson", articles(3) + &price("A-3"));
    place.write("bild.png", "PNG");
    let media = "{\"ArtikelMedia\": {\"ArtNr\": \"A-1\", \"Datei\": \"bild.png\"}}\n";
    let media = place.write("media.ndjson", media);
    let dry_run = ["import", "--dry-run", &small, &media];
    let printed = online(&place, &server, &dry_run, "").success();
    assert_eq!(
        printed,
        "dry run: 4 rows: 4 added, 0 changed, 0 removed, 0 unchanged\n1 rows that bring files were not tried\n"
    );
    let long = place.write("long.ndjson", long_articles(1_000));
    let tried = online(&place, &server, &["import", "--dry-run", &long], "").success();
    let counts = format!(
        "{long}: dry run: 1000 rows: 1000 added, 0 changed, 0 removed, 0 unchanged\nthe rows were tried in "
    );
    assert!(tried.starts_with(&counts), "{tried}");
    let end = " requests: what the rows of one bring is missing in the others\n";
    assert!(tried.ends_with(end), "{tried}");
    let apart = place.write("apart.ndjson", long_articles(1_000) + &price("A-1"));
    let missing = online(&place, &server, &["import", "--dry-run", &apart], "");
    assert_eq!(missing.code, Some(1));
    missing.says(&format!("\n  {apart}:1001: ArtNr: there is no article `A-1` (unknown_article)\nthe rows were tried in "));
    stop(server);
    assert_eq!(count_of(&place, "articles"), 0);
}

#[test]
fn a_refused_row_is_reported_with_its_line_and_with_what_was_imported_before() {
    let (place, server) = served();
    let wrong = place.write("wrong.ndjson", long_articles(1_004) + &price("NIE"));
    let ran = online(&place, &server, &["import", &wrong], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    ran.says(" rows, up to line ");
    ran.says(&format!(
        " of `{wrong}`, are imported, the rest is not, because rows of `{wrong}` are wrong:\n"
    ));
    let reason = format!("\n  {wrong}:1005: ArtNr: there is no article `NIE` (unknown_article)\n");
    ran.says(&reason);
    let one = format!("\n{}{}", articles(2), price("NIE"));
    let one = place.write("one.ndjson", one);
    let ran = online(&place, &server, &["import", &one], "");
    let nothing = format!("nothing was imported, because rows of `{one}` are wrong:\n");
    ran.says(&nothing);
    let reason = format!("\n  {one}:4: ArtNr: ");
    ran.says(&reason);
    stop(server);
    let articles = count_of(&place, "articles");
    assert!((1..=1_004).contains(&articles), "{articles}");
    assert_eq!(count_of(&place, "prices"), 0);
}

#[test]
fn rows_of_all_files_may_not_contradict_each_other_however_long_they_are() {
    let place = Place::begun();
    let long = place.write("long.ndjson", long_articles(1_000) + &price("A-1"));
    let other = price("A-1").replace("\"PreisList\": 1", "\"PreisList\": 2");
    let other = place.write("other.ndjson", other);
    let ran = place.run(&["import", &long, &other]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    ran.says(&format!(
        "nothing was imported, because rows of `{other}` are wrong:\n  {other}:1: PreisList: "
    ));
    assert_eq!(count_of(&place, "articles"), 0);
    let _ = place.run(&["import", &long]).success();
    assert_eq!(count_of(&place, "articles"), 1_000);
}

#[test]
fn a_row_that_does_not_read_is_found_before_anything_is_sent() {
    let (place, server) = served();
    let unread = place.write("unread.ndjson", long_articles(1_009) + "{\"Artikel\"\n");
    let ran = online(&place, &server, &["import", &unread], "");
    let reason = format!("\n  {unread}:1010: ");
    ran.says(&reason);
    stop(server);
    assert_eq!(count_of(&place, "articles"), 0);
}
