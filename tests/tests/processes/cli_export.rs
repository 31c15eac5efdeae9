//! Exports of the real server, and imports of their files.

use erp_tests::place::Place;
use std::fs;
use std::path::Path;

use erp_tests::process::{self, Credentials, Ran, Server};
use erp_tests::server as in_process;
use serde_json::{Value, json};

fn export(place: &Place, data: &str, folder: &str) -> Ran {
    process::run([
        "export",
        "--data",
        &place.arg(data),
        "--output",
        &place.arg(folder),
    ])
}

fn lines(place: &Place, folder: &str) -> String {
    fs::read_to_string(place.path(folder).join("export.ndjson")).unwrap()
}

fn online(place: &Place, server: &Server, user: &Credentials, folder: &str) -> Ran {
    let command = ["export", "--output", &place.arg(folder)];
    place.online(server, (&user.name, &user.password), &command, "")
}

fn stopped(mut server: Server) {
    server.terminate();
    assert_eq!(server.wait().code(), Some(0));
}

fn media_names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = names
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn the_demo_goes_out_and_comes_back_byte_for_byte() {
    let place = Place::empty();
    let (server, users) = place.demo(&[]);
    let admin = users.iter().find(|user| user.role == "admin").unwrap();
    let shop = users.iter().find(|user| user.role == "shop").unwrap();
    let refused = online(&place, &server, shop, "none");
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("refused with 403"), "{refused:?}");
    let _ = online(&place, &server, admin, "online").success();
    let held = export(&place, "data", "held");
    assert_eq!(held.code, Some(3), "{held:?}");
    stopped(server);

    let told = export(&place, "data", "first").success();
    assert!(told.contains("export.ndjson: "), "{told}");
    let first = lines(&place, "first");
    assert_eq!(lines(&place, "online"), first);
    let media = media_names(&place.path("first/media"));
    assert!(media.len() > 10, "{media:?}");
    assert_eq!(media_names(&place.path("online/media")), media);

    let rows = place.arg("first/export.ndjson");
    let second = place.arg("second");
    fs::create_dir(&second).unwrap();
    let _ = process::run(["import", "--data", &second, &rows]).success();
    let _ = export(&place, "second", "again").success();
    assert_eq!(lines(&place, "again"), first);
    assert_eq!(media_names(&place.path("again/media")), media);
    let check = process::run(["check", "--data", &second]).success();
    assert!(check.ends_with("the store is sound\n"), "{check}");
    // Standard output has the same lines and nothing else.
    let printed = process::run(["export", "--data", &second]);
    assert_eq!(printed.code, Some(0));
    assert_eq!(printed.stdout, first);
    printed.says(" rows (");
}

#[test]
fn an_export_waits_while_the_server_limits_its_requests() {
    let place = Place::empty();
    let (server, users) = place.demo(&["--requests-per-minute", "120"]);
    let admin = users.iter().find(|user| user.role == "admin").unwrap();
    let _ = online(&place, &server, admin, "online").success();
    stopped(server);
    let log = fs::read_dir(place.path("data/log")).unwrap();
    let mut log = log.map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    assert!(log.any(|lines| lines.contains(r#""status":429"#)));
    let _ = export(&place, "data", "offline").success();
    assert_eq!(lines(&place, "online"), lines(&place, "offline"));
    let media = |name: &str| media_names(&place.path(name).join("media"));
    assert!(media("online").len() > 10, "{:?}", media("online"));
    assert_eq!(media("online"), media("offline"));
}

#[test]
fn an_export_never_overwrites_another_and_reports_what_is_missing() {
    let place = Place::begun();
    let rows = [
        // No shop sees the file.
        json!({"Artikel": {"ArtNr": "A-1", "ArtBez": "Locher", "attributes": [{"PHKey": "VERWENDUNG", "Contents": "WEB"}]}}),
        json!({"ArtikelMedia": {"ArtNr": "A-1", "AMDDateiName": "a.png", "Base64": "YWJj", "AMDVerwendung": "INTERN"}}),
    ];
    let import = place.write("in.ndjson", rows.map(|row| format!("{row}\n")).concat());
    let _ = place.run(&["import", &import]).success();
    let _ = export(&place, "data", "out").success();
    let again = export(&place, "data", "out");
    assert_eq!(again.code, Some(2));
    again.says("exists already");

    let name = media_names(&place.path("out/media")).remove(0);
    // An import does not accept other bytes under the name.
    let file = place.path(&format!("out/media/{name}"));
    fs::write(&file, "abd").unwrap();
    let rows = place.arg("out/export.ndjson");
    fs::create_dir(place.path("other")).unwrap();
    let wrong = process::run(["import", "--data", &place.arg("other"), &rows]);
    assert_eq!(wrong.code, Some(1));
    wrong.says("holds other bytes");
    fs::remove_file(&file).unwrap();
    let gone = process::run(["import", "--data", &place.arg("other"), &rows]);
    gone.says("no file is stored under");

    // If the store has lost a file, everything else is exported, and the exit code shows the failure.
    let kept = format!("data/media/{}/{}/{name}", &name[..2], &name[2..4]);
    fs::remove_file(place.path(&kept)).unwrap();
    let lost = export(&place, "data", "lost");
    assert_eq!(lost.code, Some(1));
    lost.says(&name);
    assert_eq!(lines(&place, "lost"), lines(&place, "out"));
    assert!(media_names(&place.path("lost/media")).is_empty());
}

/// An article, the stock of a unit of it, and the end of this unit.
fn stock_without_a_unit() -> String {
    let rows = [
        json!({"Artikel": {"ArtNr": "X-1", "ArtBez": "Locher", "Verpackungen": [{"VPEinheit": "KT", "Faktor": 12}]}}),
        json!({"Bestand": {"ArtNr": "X-1", "LagerOrt": "A", "StaoNr": 1, "LagerBestand": 2, "VPEinheit": "KT"}}),
        json!({"Verpackung": {"ArtNr": "X-1", "VPEinheit": "KT", "Loeschen": true}}),
    ];
    rows.map(|row| format!("{row}\n")).concat()
}

#[test]
fn an_export_says_how_many_rows_are_left_out() {
    let place = Place::begun();
    let import = place.write("in.ndjson", stock_without_a_unit());
    let _ = place.run(&["import", &import]).success();
    let said = export(&place, "data", "out").success();
    let end = "export.ndjson: 1 rows (1 Artikel); 1 prices, stock entries and media without an article or its packaging unit are left out\n";
    assert!(said.ends_with(end), "{said}");
    assert_eq!(lines(&place, "out").lines().count(), 1);
}

#[test]
fn a_recovery_makes_no_folder() {
    let place = Place::filled("sehr geheim 1");
    let backup = place.arg("erp.tar.gz");
    let _ = place.run(&["backup", &backup]).success();
    let typo = place.arg("typo");
    let ran = process::run(["recover", "--backup", &backup, "--data", &typo]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says("there is no store at");
    assert!(!place.path("typo").exists());
}

#[test]
fn the_endpoint_streams_lines_to_admins() {
    let server = in_process::Server::start();
    let order = server
        .post("/www/auftrag")
        .by(in_process::SHOP1)
        .json(&json!({
        "GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "BU-1001", "Menge": 1}]}));
    let order = order.send();
    assert_eq!(order.status, 201, "{order:?}");
    server.import(&stock_without_a_unit());
    let denied = server.get("/admin/export").by(in_process::SHOP1).send();
    assert_eq!(denied.status, 403);
    // NDJSON is not one JSON document, so the checks of other responses do not apply.
    let answer = server
        .get("/admin/export")
        .by(in_process::ADMIN)
        .send_unchecked();
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    let text = String::from_utf8(answer.body.clone()).unwrap();
    assert!(text.ends_with('\n'));
    let mut last = text.lines().rev();
    assert_eq!(last.next(), Some(r#"{"Ausgelassen":1}"#));
    let last: Value = serde_json::from_str(last.next().unwrap()).unwrap();
    let number = &order.data()["AuftNr"];
    assert_eq!(&last["Auftrag"]["GrundDaten"]["AuftNr"], number);
    // The server imports its own export and finds nothing to change.
    let again = server
        .post("/admin/import")
        .by(in_process::ADMIN)
        .body("application/x-ndjson", text.as_bytes())
        .send();
    let data = again.data();
    assert_eq!(
        (&data["changed"], &data["added"], &data["skipped"]),
        (&json!(0), &json!(0), &json!(2)),
        "{data}"
    );
}
