//! The command line of the real binary: users, imports, checks, settings.

use erp_tests::place::Place;
use std::fs;

use erp_server::config::Settings;
use erp_tests::process::{self, Ran, Server};
use serde_json::Value;

pub async fn log_in(server: &Server, name: &str, password: &str) -> (u16, String) {
    let request = reqwest::Client::new().post(format!("{}/www/token", server.base_url()));
    let answer = request
        .basic_auth(name, Some(password))
        .send()
        .await
        .unwrap();
    let status = answer.status().as_u16();
    let body: Value = answer.json().await.unwrap();
    (
        status,
        body["access_token"].as_str().unwrap_or_default().to_owned(),
    )
}

pub async fn list_articles(server: &Server, token: &str) -> u16 {
    let request = reqwest::Client::new().get(format!("{}/www/artikel", server.base_url()));
    request
        .bearer_auth(token)
        .send()
        .await
        .unwrap()
        .status()
        .as_u16()
}

fn failed(code: i32, stderr: &str) -> (Option<i32>, String, String) {
    (Some(code), String::new(), format!("erp-server: {stderr}\n"))
}

fn parts(ran: Ran) -> (Option<i32>, String, String) {
    (ran.code, ran.stdout, ran.stderr)
}

#[tokio::test(flavor = "multi_thread")]
async fn users_are_added_listed_changed_and_removed() {
    let place = Place::begun();
    let added = place
        .run(&["user", "add", "anna", "--restwebshop", "SHOP1"])
        .success();
    let password = added
        .strip_prefix("password of anna: ")
        .unwrap()
        .trim_end()
        .to_owned();
    assert!(password.len() >= 22, "{added}");
    let boss = place.run_with(
        &[
            "user",
            "add",
            "Chef Ö",
            "--role",
            "admin",
            "--password-stdin",
        ],
        "sehr geheim €\r\n",
    );
    assert_eq!(boss.success(), "the password of Chef Ö is set\n");
    assert_eq!(
        place.run(&["user", "list"]).success(),
        "name\trole\trestwebshop\nChef Ö\tadmin\t-\nanna\tshop\tSHOP1\n"
    );
    let token = {
        let server = place.serve(&[]);
        assert_eq!(log_in(&server, "Chef Ö", "sehr geheim €").await.0, 200);
        let (status, token) = log_in(&server, "anna", &password).await;
        assert_eq!((status, list_articles(&server, &token).await), (200, 200));
        token
    };
    let changed = place.run_with(
        &["user", "password", "anna", "--password-stdin"],
        "ein anderes\n",
    );
    assert_eq!(changed.success(), "the password of anna is set\n");
    {
        let server = place.serve(&[]);
        assert_eq!(log_in(&server, "anna", &password).await.0, 401);
        assert_eq!(
            list_articles(&server, &token).await,
            401,
            "the old token ended"
        );
        assert_eq!(log_in(&server, "anna", "ein anderes").await.0, 200);
    }
    assert_eq!(
        place.run(&["user", "remove", "anna"]).success(),
        "removed anna\n"
    );
    assert_eq!(
        place.run(&["user", "list"]).success(),
        "name\trole\trestwebshop\nChef Ö\tadmin\t-\n"
    );
    assert_eq!(
        log_in(&place.serve(&[]), "anna", "ein anderes").await.0,
        401
    );
    assert!(place.run(&["check"]).success().contains("1 users\n"));
}

// rule: D-AUT-14
#[test]
fn every_role_is_given_and_listed() {
    let place = Place::begun();
    for role in ["shop", "clerk", "editor", "admin"] {
        let _ = place.run(&["user", "add", role, "--role", role]).success();
    }
    assert_eq!(
        place.run(&["user", "list"]).success(),
        "name\trole\trestwebshop\nadmin\tadmin\t-\nclerk\tclerk\t-\neditor\teditor\t-\nshop\tshop\t-\n"
    );
    let _ = place.run(&["user", "role", "shop", "editor"]).success();
    let shown = place.run(&["user", "show", "shop"]).success();
    assert!(shown.contains("editor"), "{shown}");
    let unknown = place.run(&["user", "role", "shop", "root"]);
    let told = parts(unknown).2;
    for role in ["shop", "clerk", "editor", "admin"] {
        assert!(told.contains(role), "{told}");
    }
}

#[test]
fn users_that_cannot_be_are_refused() {
    let place = Place::begun();
    let _ = place.run(&["user", "add", "anna"]).success();
    let add = |name: &str| parts(place.run(&["user", "add", name]));
    assert_eq!(add("anna"), failed(1, "there is a user `anna` already"));
    assert_eq!(
        add("a:b"),
        failed(2, "a user's name is not empty and has no colon")
    );
    assert_eq!(
        add(" "),
        failed(2, "a user's name is not empty and has no colon")
    );
    assert_eq!(
        add(&"x".repeat(81)),
        failed(2, "name: 81 characters, at most 80 are allowed")
    );
    let short = place.run_with(&["user", "add", "b", "--password-stdin"], "zu kurz\n");
    assert_eq!(
        parts(short),
        failed(2, "a password has at least 10 characters")
    );
    for (verb, sentence) in [
        ("remove", "there is no such user `b`"),
        ("password", "there is no such user"),
    ] {
        assert_eq!(parts(place.run(&["user", verb, "b"])), failed(1, sentence));
    }
    assert_eq!(
        place.run(&["user", "add", "b", "--role", "root"]).code,
        Some(2)
    );
    assert_eq!(
        place.run(&["user", "list"]).success(),
        "name\trole\trestwebshop\nanna\tshop\t-\n"
    );
}

const MASTER_DATA: &str = r#"{"Firma": {"FirmaBez": "Muster AG", "WaehrAbk": "CHF", "AdrSprache": "ger", "OrtLand": "CH", "WUSTCode": "CH81", "RESTPreisliste": "A"}}
{"Steuer": {"WUSTCode": "CH81", "PosWUSTKlasse": "C", "Saetze": [{"GueltigAb": "2024-01-01", "WUSTSatz": 8.1}]}}

{"Artikel": {"ArtNr": "P-1", "AnLager": "J", "ArtBez": "Größe"}}
{"Artikel": {"ArtNr": "0002", "ArtBez": "Führende Nullen", "Verpackungen": [{"VPEinheit": "KT", "Faktor": 12}]}}
{"Kunde": {"KundNr": "10001", "WaehrAbk": "CHF", "KontaktAdr": {"AdrSprache": "ger", "AdrAdresse1": "Weg 1", "AdrAnrede": 0, "AdrFirma": "Käufer AG", "OrtLand": "CH", "OrtName": "Zürich", "OrtPLZ": "8001"}}}
"#;

const STOCK: &str = "ArtNr;LagerOrt;StaoNr;LagerBestand\nP-1;Halle Süd;1;10.5\n0002;B;2;-3\n";

const PRICES: &str = "PreisListe,ArtNr,WaehrAbk,AbAnzahl,BisAnzahl,PreisList,Preisart,VPEinheit\nA,P-1,CHF,1,9,12.35,N,\nA,P-1,CHF,10,,11,N,\nA,0002,CHF,1,,10,N,KT\n";

#[test]
fn files_are_imported_and_a_second_time_change_nothing() {
    let place = Place::begun();
    let master = place.write("stamm.ndjson", MASTER_DATA);
    let (stock, prices) = (
        place.write("Bestand.csv", STOCK),
        place.write("liste.csv", PRICES),
    );
    let first = place.run(&["import", &master, &stock]).success();
    let counts = " added, 0 changed, 0 removed, 0 unchanged\n";
    assert_eq!(first, format!("7 rows: 7{counts}"));
    let first = place.run(&["import", "--kind", "preis", &prices]).success();
    assert_eq!(first, format!("{prices}: 3 rows: 3{counts}"));
    let before = place.run(&["check"]).success();
    for count in [
        "1 company",
        "1 tax codes",
        "2 articles",
        "2 prices",
        "2 stock",
        "1 customers",
        "1 addresses",
    ] {
        assert!(
            before.lines().any(|line| line.trim() == count),
            "{count} in {before}"
        );
    }
    assert!(before.ends_with("the store is sound\n"));
    let again = place.run(&["import", &master, &stock]).success();
    assert!(
        again
            .lines()
            .all(|line| line.contains(" 0 added, 0 changed, 0 removed, ")),
        "{again}"
    );
    let changed = place.write(
        "Bestand.csv",
        "ArtNr;LagerOrt;StaoNr;LagerBestand\nP-1;Halle Süd;1;11\n",
    );
    let changed = place.run(&["import", &changed]).success();
    assert!(
        changed.contains(": 1 row: 0 added, 1 changed, 0 removed, 0 unchanged"),
        "{changed}"
    );
    // Of the two imports only the one that changed something is in the audit trail.
    let expected = before.replace(" 2 audit entries", " 3 audit entries");
    let expected = expected.replace(" 3 audit differences", " 4 audit differences");
    let expected = expected.replace(" 2 changes", " 3 changes");
    let expected = expected.replace(" 2 imports", " 4 imports");
    assert_eq!(place.run(&["check"]).success(), expected);
}

#[test]
fn a_bad_row_is_named_and_nothing_of_its_file_is_imported() {
    let place = Place::begun();
    let bad = place.write(
        "schlecht.ndjson",
        "{\"Artikel\": {\"ArtNr\": \"GUT\", \"ArtBez\": \"Gut\"}}\n\
         {\"Artikel\": {\"ArtBez\": \"Ohne Nummer\", \"WUSTSatz\": 1}}\n\
         {\"Artikel\": {\"ArtNr\": \"1234567890123456\", \"ArtikelStatus\": \"eins\"}}\n\
         {\"Artikle\": {}}\n\
         {\"Artikel\"\n",
    );
    let ran = place.run(&["import", &bad]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    let begin = format!("erp-server: nothing was imported, because rows of `{bad}` are wrong:\n");
    ran.says(&begin);
    for place in [
        "2: Artikel.ArtNr: ",
        "3: Artikel.ArtNr: ",
        "3: Artikel.ArtikelStatus: ",
        "4: ",
        "5: ",
    ] {
        assert!(
            ran.stderr.contains(&format!("\n  {bad}:{place}")),
            "{place} in {}",
            ran.stderr
        );
    }
    assert!(!ran.stderr.contains(&format!("{bad}:1:")), "{}", ran.stderr);
    let csv = place.write(
        "Bestand.csv",
        "ArtNr,LagerOrt,StaoNr,LagerBestand\nGUT,A,1,5\nGUT,A,x,5\nGUT,A,1\n",
    );
    let ran = place.run(&["import", &csv]);
    assert_eq!(ran.code, Some(1));
    ran.says(&format!(
        "\n  {csv}:3: StaoNr: `x` is no number; numbers are written like `12.50` ("
    ));
    ran.says(&format!("\n  {csv}:4: 3 fields, the first line names 4 ("));
    let checked = place.run(&["check"]).success();
    assert!(
        !checked.contains(" articles\n") && !checked.contains(" stock\n"),
        "{checked}"
    );
}

#[test]
fn files_that_cannot_be_imported_are_named() {
    let place = Place::begun();
    let missing = place.arg("fehlt.ndjson");
    let ran = place.run(&["import", &missing]);
    assert!(
        ran.stderr
            .starts_with(&format!("erp-server: `{missing}` cannot be read: ")),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.code, Some(1));
    let unknown = place.write("irgendwas.csv", "Farbe;Form\nrot;rund\n");
    let ran = place.run(&["import", &unknown]);
    ran.says(&format!(
        "`{unknown}`: the columns fit no kind of rows: name one of Firma, "
    ));
    assert_eq!(ran.code, Some(2));
}

#[test]
fn check_names_what_there_is_and_nothing_else() {
    let place = Place::begun();
    let file = place.write(
        "a.ndjson",
        "{\"Artikel\": {\"ArtNr\": \"A\", \"ArtBez\": \"x\"}}\n",
    );
    let _ = place.run(&["import", &file]).success();
    let checked = place.run(&["check"]).success();
    let kinds: Vec<&str> = checked.lines().map(str::trim).collect();
    assert_eq!(
        kinds,
        [
            "1 articles",
            "1 audit differences",
            "1 audit entries",
            "1 changes",
            "1 imports",
            "1 articles cannot be sold",
            "1 no price in the company's price list and currency: A",
            "1 no tax rate today: A",
            "1 shown to no shop (`RESTWEBSHOP`): A",
            "the store is sound"
        ]
    );
    let empty = place.write("empty.ndjson", "\n");
    let other = Place::begun();
    let _ = other.run(&["import", &empty]).success();
    let checked = other.run(&["check"]).success();
    assert_eq!(checked, "the store is empty\nthe store is sound\n");
}

#[test]
fn check_without_a_store_says_so_and_makes_none() {
    let place = Place::empty();
    let sentence = format!("there is no store at `{}`", place.arg("data"));
    assert_eq!(parts(place.run(&["check"])), failed(1, &sentence));
    assert!(!place.path("data").exists());
}

#[test]
fn settings_are_all_listed() {
    let printed = process::run(["settings"]).success();
    let json = process::run(["settings", "--json"]).success();
    let json: Vec<Value> = json
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(json.len(), Settings::describe().len());
    assert_eq!(
        (&json[0]["name"], &json[0]["default"]),
        (&Value::from("listen"), &Value::from("127.0.0.1:8080"))
    );
    let help = process::run(["serve", "--help"]).success();
    for doc in Settings::describe() {
        let row = printed
            .lines()
            .find(|line| line.starts_with(&format!("{}\t", doc.name)));
        assert!(
            row.is_some_and(|row| row.contains(doc.unit)),
            "{}",
            doc.name
        );
        assert!(
            help.contains(&format!("--{}", doc.flag())) && help.contains(&doc.environment()),
            "{}",
            doc.name
        );
    }
}

#[test]
fn a_settings_file_with_an_unknown_name_or_a_wrong_value_is_refused() {
    let place = Place::empty();
    let file = place.write("erp.toml", "lissten = \"127.0.0.1:0\"\n");
    let ran = place.run(&["serve", "--config", &file]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.starts_with(&format!(
            "erp-server: `lissten` in `{file}` is not a setting; "
        )),
        "{}",
        ran.stderr
    );
    let file = place.write("erp.toml", "scan_entries = \"viele\"\n");
    let ran = place.run(&["serve", "--config", &file]);
    assert_eq!(ran.code, Some(2));
    let said = ran
        .stderr
        .starts_with(&format!("erp-server: `scan_entries` in `{file}` must be "));
    assert!(
        said && ran.stderr.ends_with(", not `viele`\n"),
        "{}",
        ran.stderr
    );
    for arguments in [
        vec!["serve", "--lissten", "x"],
        vec!["serf"],
        vec![],
        vec!["serve", "--listen", "nirgends"],
    ] {
        let ran = process::run(&arguments);
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (Some(2), ""),
            "{arguments:?}: {}",
            ran.stderr
        );
    }
    assert!(!place.path("data").exists(), "nothing was begun");
}

#[test]
fn flags_go_before_variables_and_variables_before_the_file() {
    let place = Place::empty();
    for name in ["file", "variable", "flag"] {
        let folder = place.arg(name);
        fs::create_dir(&folder).unwrap();
        let _ = process::run(["user", "add", name, "--data", &folder]).success();
    }
    let config = place.write("erp.toml", format!("data_dir = {:?}\n", place.arg("file")));
    let listed = |variable: bool, flag: bool| {
        let mut command = process::command(["user", "list", "--config", &config]);
        if variable {
            command.env("ERP_DATA_DIR", place.arg("variable"));
        }
        if flag {
            command.args(["--data-dir", &place.arg("flag")]);
        }
        Ran::of(command.output().unwrap()).success()
    };
    assert_eq!(
        listed(false, false),
        "name\trole\trestwebshop\nfile\tshop\t-\n"
    );
    assert_eq!(
        listed(true, false),
        "name\trole\trestwebshop\nvariable\tshop\t-\n"
    );
    assert_eq!(
        listed(true, true),
        "name\trole\trestwebshop\nflag\tshop\t-\n"
    );
    assert_eq!(
        listed(false, true),
        "name\trole\trestwebshop\nflag\tshop\t-\n"
    );
}

#[test]
fn a_variable_that_names_no_setting_is_only_warned_about() {
    let place = Place::begun();
    let _ = place.run(&["user", "add", "anna"]).success();
    let ran = Ran::of(
        place
            .command(&["user", "list"])
            .env("ERP_LISSTEN", "x")
            .output()
            .unwrap(),
    );
    assert_eq!(
        parts(ran),
        (
            Some(0),
            "name\trole\trestwebshop\nanna\tshop\t-\n".to_owned(),
            "erp-server: the variable ERP_LISSTEN names no setting\n".to_owned()
        )
    );
}
