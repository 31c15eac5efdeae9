//! Article media in a bucket of a real S3-compatible service: everything that works in a folder, and behaviour while
//! the service is not available.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use erp_core::media::BodyHash;
use erp_server::media::{BodyState, Unnamed, collect_later};
use erp_tests::exchange::Exchange;
use erp_tests::process::{self, Ran};
use erp_tests::request::Request;
use erp_tests::s3::{ACCESS_KEY, S3, SECRET_KEY};
use erp_tests::server::{ADMIN, SHOP1, Server};
use erp_tests::wait::wait_until;
use jiff::Timestamp;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

fn hash_of(bytes: &[u8]) -> BodyHash {
    BodyHash::new(Sha256::digest(bytes).into())
}

fn borrowed(settings: &[(String, String)]) -> Vec<(&str, &str)> {
    settings
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect()
}

fn started(s3: &S3) -> Server {
    Server::with(&borrowed(&s3.settings("shop/pictures")))
}

/// Sends a request; a response other than 503 is checked like every other.
fn sent(server: &Server, request: Request<'_>) -> Exchange {
    let exchange = request.send_unchecked();
    if exchange.status != 503 {
        exchange.check(&server.folder());
    }
    exchange
}

fn upload(server: &Server, bytes: &[u8]) -> Exchange {
    let request = server.post("/admin/media").by(ADMIN);
    sent(server, request.body("application/octet-stream", bytes))
}

fn import(server: &Server, row: &Value) -> Exchange {
    let body = json!({"ArtikelMedia": row}).to_string();
    let request = server.post("/admin/import").by(ADMIN);
    sent(
        server,
        request.body("application/x-ndjson", body.as_bytes()),
    )
}

fn part(server: &Server, path: &str, headers: &[(&str, &str)]) -> Exchange {
    let path = format!("/www/artikelmediadaten/{path}");
    let request = server.get(&path).by(SHOP1);
    let request = headers.iter().fold(request, |request, (name, value)| {
        request.header(name, value.as_bytes())
    });
    sent(server, request)
}

fn keys(server: &Server) -> Vec<i64> {
    let list = server
        .get("/www/artikelmedia/BU-1001")
        .by(ADMIN)
        .send()
        .expect(200);
    let list = list.data();
    let keys = list.as_array().unwrap().iter();
    keys.map(|record| record["IDKey"].as_i64().unwrap())
        .collect()
}

/// More bytes than one part of an upload.
fn large() -> Vec<u8> {
    (0..18_000_017_u32).map(|at| (at % 241) as u8).collect()
}

/// Checks for a 503 that reveals nothing about the service.
fn is_clean_503(s3: &S3, exchange: &Exchange) {
    exchange.refused(503, "unavailable");
    let text = exchange.text();
    let address = s3.endpoint();
    let port = address.rsplit(':').next().unwrap();
    for inside in [
        port,
        ACCESS_KEY,
        SECRET_KEY,
        "s3",
        "shop/pictures",
        "127.0.0.1",
    ] {
        assert!(!text.contains(inside), "{inside} in {text}");
    }
    assert!(exchange.header("retry-after").is_some());
}

#[test]
fn files_are_stored_in_the_bucket_and_read_from_it() {
    let s3 = S3::start();
    let server = started(&s3);
    let file = |bytes: &[u8]| s3.file("shop/pictures", &hash_of(bytes).to_string());
    let bytes = large();
    let stored = upload(&server, &bytes).expect(201).data();
    assert_eq!(stored["Bytes"], bytes.len());
    assert_eq!(fs::read(file(&bytes)).unwrap(), bytes);
    let left = server.folder().join("data/media/new");
    assert_eq!(
        fs::read_dir(left).unwrap().count(),
        0,
        "nothing stays in the folder"
    );
    let row = json!({"ArtNr": "BU-1001", "IDKey": 900, "SHA256": stored["SHA256"], "AMDBildFormat": "png"});
    let _ = import(&server, &row).expect(200);
    let whole = part(&server, "900?type=Bild", &[]).expect(200);
    assert!(whole.body == bytes, "the bytes that were uploaded");
    let tag = whole.header("etag").unwrap().to_owned();
    assert_eq!(tag, format!("\"{}\"", hash_of(&bytes)));
    for (range, expected) in [
        ("bytes=0-0", &bytes[..1]),
        ("bytes=65530-65540", &bytes[65_530..65_541]),
        ("bytes=9000000-", &bytes[9_000_000..]),
        ("bytes=-3", &bytes[bytes.len() - 3..]),
    ] {
        let piece = part(&server, "900?type=Bild", &[("range", range)]).expect(206);
        assert!(piece.body == expected, "{range}");
    }
    assert_eq!(
        part(&server, "900?type=Bild", &[("range", "bytes=99999999-")]).status,
        416
    );
    assert_eq!(
        part(&server, "900?type=Bild", &[("if-none-match", &tag)]).status,
        304
    );
    // The demo's pictures were imported from files.
    let _ = part(&server, "6?type=Bild", &[]).expect(200);
    let row = json!({"ArtNr": "BU-1001", "IDKey": 901, "Base64": "YWJj", "AMDBildFormat": "png"});
    let _ = import(&server, &row).expect(200);
    assert_eq!(part(&server, "901?type=Bild", &[]).expect(200).body, b"abc");
}

#[test]
fn damaged_and_lost_objects_are_not_delivered() {
    let s3 = S3::start();
    let server = started(&s3);
    let row = json!({"ArtNr": "BU-1001", "IDKey": 901, "Base64": "YWJj", "AMDBildFormat": "png"});
    let _ = import(&server, &row).expect(200);
    let file = s3.file("shop/pictures", &hash_of(b"abc").to_string());
    for damaged in [&b"abd"[..], b"ab"] {
        fs::write(&file, damaged).unwrap();
        assert_eq!(
            part(&server, "901?type=Bild", &[]).status,
            404,
            "{damaged:?}"
        );
        let state = server.bodies().state(hash_of(b"abc"), 3).unwrap();
        assert_eq!(state, BodyState::Damaged);
    }
    fs::remove_file(&file).unwrap();
    assert_eq!(part(&server, "901?type=Bild", &[]).status, 404);
    // An upload of the same file repairs it.
    let _ = upload(&server, b"abc").expect(201);
    assert_eq!(part(&server, "901?type=Bild", &[]).expect(200).body, b"abc");
}

#[test]
fn files_that_no_record_names_are_collected() {
    let s3 = S3::start();
    let server = started(&s3);
    let named = server
        .wait(server.erp().upkeep(Timestamp::now()).named_bodies())
        .unwrap()
        .len();
    assert!(named > 0);
    let hour = Duration::from_secs(3_600);
    let run = |hours: u32| {
        let (erp, bodies) = (server.erp(), server.bodies());
        let collected = collect_later(erp, bodies, hour, hour * hours, Unnamed::Remove);
        let collected = server.wait(collected).unwrap();
        assert_eq!(collected.named, named);
        let list = collected.unnamed.iter();
        let moved = list.map(|body| body.hash).collect::<Vec<_>>();
        (moved, collected.removed)
    };
    let _ = upload(&server, b"nobody's").expect(201);
    let hash = hash_of(b"nobody's");
    let file = s3.file("shop/pictures", &hash.to_string());
    assert_eq!(run(0), (vec![], 0));
    assert_eq!(run(2), (vec![hash], 0));
    assert!(!file.exists());
    // Who looks for it has it back, and the service says that it is new.
    assert!(server.bodies().find(hash).unwrap().is_some());
    assert!(file.exists());
    assert_eq!(run(0), (vec![], 0));
    assert_eq!(run(25), (vec![hash], 0));
    assert_eq!(run(27), (vec![], 1));
    assert_eq!(run(50), (vec![], 1));
    assert_eq!(server.bodies().find(hash).unwrap(), None);
    let _ = part(&server, "6?type=Bild", &[]).expect(200);
}

/// The command with the settings of a bucket.
fn command(s3: &S3, prefix: &str, data: &Path, arguments: &[&str]) -> Command {
    let mut command = process::command(arguments);
    command.arg("--data").arg(data);
    for (name, value) in s3.settings(prefix) {
        command.env(format!("ERP_{}", name.to_ascii_uppercase()), value);
    }
    command
}

fn run(s3: &S3, prefix: &str, data: &Path, arguments: &[&str]) -> Ran {
    Ran::of(command(s3, prefix, data, arguments).output().unwrap())
}

/// The check `media` of a server that is ready.
fn media_of(server: &process::Server) -> String {
    let url = format!("{}/health/ready", server.base_url());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (status, body) = runtime.block_on(async {
        let response = reqwest::get(url).await.unwrap();
        (response.status(), response.bytes().await.unwrap())
    });
    assert_eq!(status.as_u16(), 200);
    let body: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(body["data"]["status"], "ready");
    body["data"]["checks"]["media"].as_str().unwrap().to_owned()
}

#[test]
fn a_server_without_its_bucket_reports_it_and_stays_ready() {
    let place = tempfile::tempdir().unwrap();
    let mut s3 = S3::start();
    let serve = ["serve", "--listen", "127.0.0.1:0"];
    let server = process::Server::spawn(command(&s3, "one", place.path(), &serve)).ready();
    assert_eq!(media_of(&server), "ok");
    s3.stop();
    wait_until("the loss is noticed", || media_of(&server) == "failed");
    s3.resume();
    wait_until("the return is noticed", || media_of(&server) == "ok");
    server.kill();
}

#[test]
fn a_backup_brings_the_files_of_the_bucket_to_another_one() {
    let s3 = S3::start();
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    fs::create_dir(path("data")).unwrap();
    fs::create_dir(path("import")).unwrap();
    fs::write(path("import/a.png"), large()).unwrap();
    let rows = "{\"Artikel\": {\"ArtNr\": \"A-1\"}}\n{\"ArtikelMedia\": {\"ArtNr\": \"A-1\", \"Datei\": \"a.png\"}}\n";
    fs::write(path("import/rows.ndjson"), rows).unwrap();
    let file = path("import/rows.ndjson").display().to_string();
    let _ = run(&s3, "one", &path("data"), &["import", &file]).success();
    let hash = hash_of(&large()).to_string();
    assert!(s3.file("one", &hash).exists());
    let checked = run(&s3, "one", &path("data"), &["check"]).success();
    assert!(checked.contains(" 1 media files"), "{checked}");
    let backup = path("backup.tar.gz").display().to_string();
    let reported = run(&s3, "one", &path("data"), &["backup", "--output", &backup]).success();
    assert!(reported.contains("1 media files, verified"), "{reported}");
    let export = path("export").display().to_string();
    let _ = run(&s3, "one", &path("data"), &["export", &export]);
    let _ = run(&s3, "two", &path("again"), &["restore", &backup]).success();
    assert!(
        fs::read(s3.file("two", &hash)).unwrap() == large(),
        "the file in the other bucket"
    );
    let _ = run(&s3, "two", &path("again"), &["check"]).success();
    // It also works into a folder, so a server can move away from the bucket.
    let data = path("folder").display().to_string();
    let _ = process::run(["restore", &backup, "--data", &data]).success();
    let _ = process::run(["check", "--data", &data]).success();
    fs::remove_file(s3.file("two", &hash)).unwrap();
    let missing = run(&s3, "two", &path("again"), &["check"]);
    let reported = format!(
        "`s3://media/two/{}/{}/{hash}` is missing",
        &hash[..2],
        &hash[2..4]
    );
    assert!(missing.stdout.contains(&reported), "{}", missing.stdout);
    let unused = run(
        &s3,
        "one",
        &path("data"),
        &["media", "collect", "--dry-run"],
    )
    .success();
    assert!(
        unused.contains("1 files named by records, 0 not named"),
        "{unused}"
    );
}

#[test]
fn a_wrong_secret_is_reported_to_operators_only() {
    let s3 = S3::start();
    let server = started(&s3);
    let settings = s3.settings("shop/pictures");
    std::fs::write(s3.secret_file(), "another secret").unwrap();
    let server = server.restart(&borrowed(&settings));
    is_clean_503(&s3, &part(&server, "6?type=Bild", &[]));
    is_clean_503(&s3, &upload(&server, b"abc"));
    // Everything else still works.
    let _ = server.get("/health/ready").send().expect(200);
    let _ = server
        .get("/www/artikelmedia/LM-3001")
        .by(SHOP1)
        .send()
        .expect(200);
    let place = tempfile::tempdir().unwrap();
    let mut command = process::command(["config", "check", "--data"]);
    command.arg(place.path());
    for (name, value) in &settings {
        command.env(format!("ERP_{}", name.to_ascii_uppercase()), value);
    }
    let ran = Ran::of(command.output().unwrap());
    assert_eq!(ran.code, Some(2), "{}{}", ran.stdout, ran.stderr);
    let reported = "mistake: `media_store`: `s3://media/shop/pictures` cannot be used: the object store refuses";
    assert!(ran.stdout.contains(reported), "{}", ran.stdout);
    assert!(!ran.stdout.contains("another secret"), "{}", ran.stdout);
    std::fs::write(s3.secret_file(), SECRET_KEY).unwrap();
    let sound = run(&s3, "shop/pictures", place.path(), &["config", "check"]);
    assert_eq!(sound.code, Some(0), "{}", sound.stdout);
}

#[test]
fn no_missing_body_is_named_while_the_service_is_down() {
    let mut s3 = S3::start();
    let server = started(&s3);
    let row = json!({"ArtNr": "BU-1001", "IDKey": 901, "Base64": "YWJj", "AMDBildFormat": "png"});
    let _ = import(&server, &row).expect(200);
    let before = keys(&server);
    s3.stop();
    is_clean_503(&s3, &part(&server, "901?type=Bild", &[]));
    is_clean_503(&s3, &upload(&server, b"later"));
    let hash = hash_of(b"abc").to_string();
    for row in [
        json!({"ArtNr": "BU-1001", "IDKey": 902, "Base64": "eHl6", "AMDBildFormat": "png"}),
        json!({"ArtNr": "BU-1001", "IDKey": 903, "SHA256": hash, "AMDBildFormat": "png"}),
    ] {
        is_clean_503(&s3, &import(&server, &row));
    }
    assert_eq!(keys(&server), before);
    let (grace, ahead) = (Duration::ZERO, Duration::from_secs(60));
    let collected = collect_later(server.erp(), server.bodies(), grace, ahead, Unnamed::Remove);
    assert!(server.wait(collected).is_err());
    s3.resume();
    assert_eq!(part(&server, "901?type=Bild", &[]).expect(200).body, b"abc");
    let _ = upload(&server, b"later").expect(201);
    let row = json!({"ArtNr": "BU-1001", "IDKey": 902, "Base64": "eHl6", "AMDBildFormat": "png"});
    let _ = import(&server, &row).expect(200);
    assert_eq!(part(&server, "902?type=Bild", &[]).expect(200).body, b"xyz");
}
