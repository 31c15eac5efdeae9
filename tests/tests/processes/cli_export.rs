//! Exports of the real server, and what an import makes of them.

use std::fs;
use std::path::Path;

use erp_tests::process::{self, Credentials, Ran, Server};
use erp_tests::server as in_process;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder with data folders and exports in it.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    fn demo(&self, options: &[&str]) -> (Server, Vec<Credentials>) {
        let (users, data) = (self.path("users.json"), self.path("data"));
        let demo = ["demo", "--credentials", &users, "--data", &data];
        let server = Server::start(demo.iter().chain(options));
        (server, process::credentials(Path::new(&users)))
    }

    fn export(&self, data: &str, folder: &str) -> Ran {
        process::run([
            "export",
            "--data",
            &self.path(data),
            "--output",
            &self.path(folder),
        ])
    }

    fn lines(&self, folder: &str) -> String {
        fs::read_to_string(self.0.path().join(folder).join("export.ndjson")).unwrap()
    }

    fn online(&self, server: &Server, user: &Credentials, folder: &str) -> Ran {
        let password = self.path("password");
        fs::write(&password, format!("{}\n", user.password)).unwrap();
        process::run([
            "export",
            "--server",
            &server.base_url(),
            "--login",
            &user.name,
            "--user-password-file",
            &password,
            "--output",
            &self.path(folder),
        ])
    }
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

// rule: R-EXP-01
#[test]
fn the_demo_goes_out_and_comes_back_byte_for_byte() {
    let place = Place::new();
    let (server, users) = place.demo(&[]);
    let admin = users.iter().find(|user| user.role == "admin").unwrap();
    let shop = users.iter().find(|user| user.role == "shop").unwrap();
    let refused = place.online(&server, shop, "none");
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("refused with 403"), "{refused:?}");
    let _ = place.online(&server, admin, "online").success();
    let held = place.export("data", "held");
    assert_eq!(held.code, Some(3), "{held:?}");
    stopped(server);

    let told = place.export("data", "first").success();
    assert!(told.contains("export.ndjson: "), "{told}");
    let first = place.lines("first");
    assert_eq!(place.lines("online"), first);
    let media = media_names(&place.0.path().join("first/media"));
    assert!(media.len() > 10, "{media:?}");
    assert_eq!(media_names(&place.0.path().join("online/media")), media);

    let lines = place.path("first/export.ndjson");
    let second = place.path("second");
    fs::create_dir(&second).unwrap();
    let _ = process::run(["import", "--data", &second, &lines]).success();
    let _ = place.export("second", "again").success();
    assert_eq!(place.lines("again"), first);
    assert_eq!(media_names(&place.0.path().join("again/media")), media);
    let check = process::run(["check", "--data", &second]).success();
    assert!(check.ends_with("the store is sound\n"), "{check}");
    // Standard output has the same lines and nothing else.
    let printed = process::run(["export", "--data", &second]);
    assert_eq!(printed.code, Some(0));
    assert_eq!(printed.stdout, first);
    assert!(printed.stderr.contains(" rows ("), "{}", printed.stderr);
}

// rule: R-EXP-01
#[test]
fn an_export_waits_while_the_server_limits_its_requests() {
    let place = Place::new();
    let (server, users) = place.demo(&["--requests-burst", "5", "--requests-per-minute", "600"]);
    let admin = users.iter().find(|user| user.role == "admin").unwrap();
    let _ = place.online(&server, admin, "online").success();
    stopped(server);
    let _ = place.export("data", "offline").success();
    assert_eq!(place.lines("online"), place.lines("offline"));
    let media = |name: &str| media_names(&place.0.path().join(name).join("media"));
    assert!(media("online").len() > 10, "{:?}", media("online"));
    assert_eq!(media("online"), media("offline"));
}

// rule: R-EXP-01
#[test]
fn an_export_never_overwrites_another_and_reports_what_is_missing() {
    let place = Place::new();
    let import = place.path("in.ndjson");
    let rows = [
        json!({"Artikel": {"ArtNr": "A-1", "ArtBez": "Locher"}}),
        json!({"ArtikelMedia": {"ArtNr": "A-1", "AMDDateiName": "a.png", "Base64": "YWJj"}}),
    ];
    fs::write(&import, rows.map(|row| format!("{row}\n")).concat()).unwrap();
    fs::create_dir(place.path("data")).unwrap();
    let _ = process::run(["import", "--data", &place.path("data"), &import]).success();
    let _ = place.export("data", "out").success();
    let again = place.export("data", "out");
    assert_eq!(again.code, Some(2));
    assert!(again.stderr.contains("exists already"), "{}", again.stderr);

    let name = media_names(&place.0.path().join("out/media")).remove(0);
    // An import does not take other bytes under the name.
    let file = place.path(&format!("out/media/{name}"));
    fs::write(&file, "abd").unwrap();
    let lines = place.path("out/export.ndjson");
    fs::create_dir(place.path("other")).unwrap();
    let wrong = process::run(["import", "--data", &place.path("other"), &lines]);
    assert_eq!(wrong.code, Some(1));
    assert!(
        wrong.stderr.contains("holds other bytes"),
        "{}",
        wrong.stderr
    );
    fs::remove_file(&file).unwrap();
    let gone = process::run(["import", "--data", &place.path("other"), &lines]);
    assert!(gone.stderr.contains("is not there"), "{}", gone.stderr);

    // A file the store has lost: all else is exported, and the exit code tells.
    let kept = format!("data/media/{}/{}/{name}", &name[..2], &name[2..4]);
    fs::remove_file(place.path(&kept)).unwrap();
    let lost = place.export("data", "lost");
    assert_eq!(lost.code, Some(1));
    assert!(lost.stderr.contains(&name), "{}", lost.stderr);
    assert_eq!(place.lines("lost"), place.lines("out"));
    assert!(media_names(&place.0.path().join("lost/media")).is_empty());
}

// rule: R-EXP-01
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
    let denied = server.get("/admin/export").by(in_process::SHOP1).send();
    assert_eq!(denied.status, 403);
    // Lines are no JSON document, so the checks of every answer do not fit.
    let answer = server
        .get("/admin/export")
        .by(in_process::ADMIN)
        .send_unchecked();
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    let text = String::from_utf8(answer.body.clone()).unwrap();
    assert!(text.ends_with('\n'));
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let number = &order.data()["AuftNr"];
    assert_eq!(&last["Auftrag"]["GrundDaten"]["AuftNr"], number);
    // The server takes its own export and finds nothing to change.
    let again = server
        .post("/admin/import")
        .by(in_process::ADMIN)
        .body("application/x-ndjson", text.as_bytes())
        .send();
    let data = again.data();
    assert_eq!(
        (&data["changed"], &data["added"], &data["skipped"]),
        (&json!(0), &json!(0), &json!(1)),
        "{data}"
    );
}
