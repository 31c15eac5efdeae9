//! `GET /www/artikelmedia/{ArtNr}`, `GET /www/artikelmediadaten/{IDKey}?type={type}`,
//! `POST /admin/media`: pictures and texts of articles.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use erp_core::media::BodyHash;
use erp_server::media::{Unnamed, collect, collect_later};
use erp_tests::exchange::Exchange;
use erp_tests::golden::golden;
use erp_tests::own_process::in_own_process;
use erp_tests::server::{ADMIN, CLERK, EDITOR, Login, SHOP1, Server};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

fn list(server: &Server, login: Login, article: &str) -> Exchange {
    let path = format!("/www/artikelmedia/{article}");
    server.get(&path).by(login).send()
}

/// Reads a part as a shop, with these header fields.
fn part(server: &Server, path: &str, headers: &[(&str, &str)]) -> Exchange {
    let path = format!("/www/artikelmediadaten/{path}");
    let request = server.get(&path).by(SHOP1);
    let request = headers.iter().fold(request, |request, (name, value)| {
        request.header(name, value.as_bytes())
    });
    request.send()
}

fn demo_file(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../erp-server/demo/bilder");
    fs::read(folder.join(name)).unwrap()
}

fn hash_of(bytes: &[u8]) -> BodyHash {
    BodyHash::new(Sha256::digest(bytes).into())
}

fn import(server: &Server, rows: &[Value]) -> Exchange {
    let body: String = rows
        .iter()
        .map(|row| json!({"ArtikelMedia": row}).to_string() + "\n")
        .collect();
    server
        .post("/admin/import")
        .by(ADMIN)
        .body("application/x-ndjson", body.as_bytes())
        .send()
}

fn upload(server: &Server, login: Login, bytes: &[u8]) -> Exchange {
    server
        .post("/admin/media")
        .by(login)
        .body("application/octet-stream", bytes)
        .send()
}

fn uploaded(server: &Server, bytes: &[u8]) -> String {
    let stored = upload(server, ADMIN, bytes).expect(201).data();
    assert_eq!(stored["Bytes"], bytes.len());
    stored["SHA256"].as_str().unwrap().to_owned()
}

/// More bytes than any buffer holds; neighbouring bytes differ.
fn large() -> Vec<u8> {
    (0..3_000_017_u32).map(|at| (at % 241) as u8).collect()
}

#[test]
fn an_editor_reads_the_file_that_it_stored() {
    let server = Server::start();
    let stored = upload(&server, EDITOR, b"GIF89a").expect(201);
    let place = stored.header("location").unwrap();
    let path = &place[place.find("/admin/").unwrap()..];
    let read = |login: Login| server.get(path).by(login).send_unchecked();
    assert_eq!(read(EDITOR).expect(200).body, b"GIF89a");
    assert_eq!(read(CLERK).status, 403);
}

// rule: R-RES-21, R-END-77, D-MED-10
#[test]
fn the_responses_are_the_golden_ones() {
    let server = Server::start();
    server.import(r#"{"Artikel": {"ArtNr": "LEER-1", "ArtBez": "Leer", "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": "*"}]}}"#);
    for (name, exchange) in [
        ("media-list", list(&server, SHOP1, "LM-3001")),
        ("media-list-empty", list(&server, SHOP1, "LEER-1")),
        ("media-list-unknown", list(&server, SHOP1, "NIE-DA")),
        ("media-picture", part(&server, "2?type=Bild", &[])),
        ("media-text", part(&server, "3?type=Text", &[])),
        ("media-name-outside-ascii", part(&server, "6?type=txt", &[])),
        (
            "media-part",
            part(&server, "2?type=svg", &[("range", "bytes=1-3")]),
        ),
        (
            "media-behind-the-end",
            part(&server, "2?type=svg", &[("range", "bytes=9999-")]),
        ),
        (
            "media-known",
            part(&server, "2?type=svg", &[("if-none-match", "*")]),
        ),
        ("media-no-type", part(&server, "2", &[])),
        ("media-other-type", part(&server, "2?type=jpg", &[])),
        ("media-unknown", part(&server, "4711?type=Bild", &[])),
        (
            "media-head",
            server
                .call("HEAD", "/www/artikelmediadaten/1?type=Bild")
                .by(SHOP1)
                .send(),
        ),
        ("media-uploaded", upload(&server, ADMIN, b"abc")),
        ("media-uploaded-by-a-shop", upload(&server, SHOP1, b"abc")),
    ] {
        golden(&server, name, &exchange);
    }
}

// rule: D-MED-01, D-MED-10
#[test]
fn ranges_join_to_the_whole() {
    let server = Server::start();
    let bytes = large();
    let hash = uploaded(&server, &bytes);
    let row = json!({"ArtNr": "BU-1001", "IDKey": 900, "SHA256": hash, "AMDBildFormat": "tiff"});
    let _ = import(&server, &[row]).expect(200);
    let whole = part(&server, "900?type=Bild", &[]).expect(200);
    assert_eq!(whole.header("content-type"), Some("image/tiff"));
    assert!(whole.body == bytes, "a large body arrives as it is");
    let tag = whole.header("etag").unwrap().to_owned();
    assert_eq!(tag, format!("\"{hash}\""));
    let mut joined = Vec::new();
    while joined.len() < bytes.len() {
        let range = format!("bytes={}-{}", joined.len(), joined.len() + 999_999);
        let headers = [("range", range.as_str()), ("if-range", tag.as_str())];
        let piece = part(&server, "900?type=Bild", &headers).expect(206);
        let (start, end) = (joined.len(), joined.len() + piece.body.len());
        let told = format!("bytes {start}-{}/{}", end - 1, bytes.len());
        assert_eq!(piece.header("content-range"), Some(told.as_str()));
        joined.extend(piece.body);
    }
    assert!(joined == bytes);
    let last = part(&server, "900?type=tiff", &[("range", "bytes=-17")]).expect(206);
    assert_eq!(last.body, bytes[bytes.len() - 17..]);
    let several = [("range", "bytes=0-1,5-6")];
    assert!(part(&server, "900?type=Bild", &several).expect(200).body == bytes);
    let behind = part(&server, "900?type=Bild", &[("range", "bytes=3000017-")]);
    behind.refused(416, "range_not_satisfiable");
    assert_eq!(behind.header("content-range"), Some("bytes */3000017"));
    let text = part(&server, "3?type=Text", &[("range", "bytes=0-8")]).expect(206);
    assert_eq!(text.text(), "Hochweiss");
    let head = server
        .call("HEAD", "/www/artikelmediadaten/900?type=Bild")
        .by(SHOP1)
        .send()
        .expect(200);
    assert_eq!(head.header("content-length"), Some("3000017"));
}

/// A response to a part or to `HEAD` with a strong `ETag` promises that all bytes are right.
#[test]
fn a_part_or_the_head_of_a_damaged_file_is_not_found() {
    let server = Server::start();
    let bytes = large();
    let hash = uploaded(&server, &bytes);
    let row = json!({"ArtNr": "BU-1001", "IDKey": 900, "SHA256": hash, "AMDBildFormat": "png"});
    let _ = import(&server, &[row]).expect(200);
    let path = server.bodies().path(hash_of(&bytes));
    let requests = || {
        let head = server.call("HEAD", "/www/artikelmediadaten/900?type=Bild");
        let last = [("range", "bytes=-100")];
        let first = [("range", "bytes=0-9")];
        [
            part(&server, "900?type=Bild", &first),
            part(&server, "900?type=Bild", &last),
            head.by(SHOP1).send(),
        ]
    };
    let mut damaged = bytes.clone();
    damaged[1_500_000] ^= 1;
    // The first damage exists before any part was requested, the second after the file was read once.
    for round in 0..2 {
        fs::write(&path, &damaged).unwrap();
        for answer in requests() {
            assert_eq!(answer.status, 404, "round {round}");
            assert_eq!(answer.header("etag"), None);
        }
        fs::write(&path, &bytes).unwrap();
        let [first, last, head] = requests();
        assert_eq!((first.status, last.status, head.status), (206, 206, 200));
        assert_eq!(first.body, bytes[..10]);
        assert_eq!(last.body, bytes[bytes.len() - 100..]);
    }
}

// rule: D-MED-01
#[test]
fn a_lost_or_damaged_file_is_not_found_and_is_logged() {
    in_own_process(
        module_path!(),
        "a_lost_or_damaged_file_is_not_found_and_is_logged",
        || {
            let server = Server::with_log(&[]);
            let small = server.bodies().path(hash_of(&demo_file("lm-3001.png")));
            let sound = fs::read(&small).unwrap();
            let mut damaged = sound.clone();
            damaged[100] ^= 1;
            for broken in [Some(damaged), Some(sound[..50].to_vec()), None] {
                match broken {
                    Some(bytes) => fs::write(&small, bytes).unwrap(),
                    None => fs::remove_file(&small).unwrap(),
                }
                let found = part(&server, "6?type=Bild", &[]);
                found.refused(404, "not_found");
                assert_eq!(part(&server, "6?type=Text", &[]).status, 200);
                assert_eq!(list(&server, SHOP1, "LM-3001").status, 200);
            }
            let log = server.log_text();
            let told = log
                .lines()
                .filter(|line| line.contains("media record 6: the body"))
                .count();
            assert_eq!(told, 3, "{log}");
            // An upload of the same file repairs it.
            let _ = uploaded(&server, &sound);
            assert_eq!(part(&server, "6?type=Bild", &[]).expect(200).body, sound);
            // A file that is too long to be verified first is sent without its end.
            let bytes = large();
            let hash = uploaded(&server, &bytes);
            let row =
                json!({"ArtNr": "BU-1001", "IDKey": 900, "SHA256": hash, "AMDBildFormat": "png"});
            let _ = import(&server, &[row]).expect(200);
            let mut damaged = bytes.clone();
            damaged[7] ^= 1;
            fs::write(server.bodies().path(hash_of(&bytes)), &damaged).unwrap();
            let request = format!(
                "GET /www/artikelmediadaten/900?type=Bild HTTP/1.1\r\nHost: x\r\n{}\r\n\r\n",
                server.authorization(SHOP1)
            );
            let mut stream = std::net::TcpStream::connect(server.address()).unwrap();
            std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
            let mut answer = Vec::new();
            let _ = std::io::Read::read_to_end(&mut stream, &mut answer);
            let head = answer
                .windows(4)
                .position(|end| end == b"\r\n\r\n")
                .unwrap()
                + 4;
            assert!(answer.starts_with(b"HTTP/1.1 200"));
            assert!(
                answer.len() - head < bytes.len(),
                "the last piece is kept back"
            );
        },
    );
}

#[test]
fn files_come_by_upload_or_within_the_row() {
    let server = Server::start();
    upload(&server, SHOP1, b"abc").refused(403, "insufficient_scope");
    upload(&server, ADMIN, b"").refused(400, "malformed");
    assert_eq!(server.post("/admin/media").send().refusal().0, 401);
    let hash = uploaded(&server, b"abc");
    assert_eq!(hash, hash_of(b"abc").to_string());
    assert_eq!(uploaded(&server, b"abc"), hash);
    let rows = [
        json!({"ArtNr": "BU-1001", "IDKey": 900, "SHA256": hash, "AMDBildFormat": "gif"}),
        json!({"ArtNr": "BU-1001", "IDKey": 901, "Base64": "YWJj", "AMDBildFormat": "webp"}),
    ];
    assert_eq!(import(&server, &rows).expect(200).data()["added"], 2);
    assert_eq!(import(&server, &rows).expect(200).data()["added"], 0);
    for key in [900, 901] {
        let found = part(&server, &format!("{key}?type=Bild"), &[]).expect(200);
        assert_eq!(found.text(), "abc");
    }
    let good = json!({"ArtNr": "BU-1001", "IDKey": 902, "AMDText": "x"});
    for (bad, member, code) in [
        (json!({"SHA256": "0".repeat(64)}), "SHA256", "unknown_file"),
        (json!({"Base64": "!!"}), "Base64", "malformed"),
        (json!({"Base64": ""}), "Datei", "required"),
        (json!({"Datei": "/etc/passwd"}), "Datei", "unknown_file"),
        (
            json!({"Datei": "bilder/bu-1001.png"}),
            "Datei",
            "unknown_file",
        ),
    ] {
        let mut row = json!({"ArtNr": "BU-1001", "IDKey": 903, "AMDBildFormat": "png"});
        for (name, value) in bad.as_object().unwrap() {
            row[name] = value.clone();
        }
        let refused = import(&server, &[good.clone(), row]).expect(422);
        let [(path, found)] = &refused.problems()[..] else {
            panic!("{}", refused.text())
        };
        assert_eq!(found, code, "{bad}");
        assert!(
            path.starts_with("line 2: ") && path.ends_with(member),
            "{path}"
        );
        assert_eq!(part(&server, "902?type=Text", &[]).status, 404);
    }
    let csv =
        "IDKey;ArtNr;AdrSprache;AMDText;Base64;AMDBildFormat\n904;BU-1001;ger;\"a;b\";YWJj;png\n";
    let imported = server
        .post("/admin/import?kind=artikelmedia")
        .by(ADMIN)
        .body("text/csv", csv.as_bytes())
        .send();
    assert_eq!(imported.expect(200).data()["added"], 1);
    assert_eq!(
        part(&server, "904?type=Text", &[]).expect(200).text(),
        "a;b"
    );
    assert_eq!(
        part(&server, "904?type=Bild", &[]).expect(200).text(),
        "abc"
    );
}

#[test]
fn a_file_is_bounded() {
    let server = Server::with(&[("media_body_bytes", "200000")]);
    assert_eq!(upload(&server, ADMIN, &vec![7; 200_000]).status, 201);
    let refused = upload(&server, ADMIN, &vec![8; 3_000_000]);
    refused.refused(413, "too_large");
    let left = fs::read_dir(server.folder().join("data/media/new")).unwrap();
    assert_eq!(left.count(), 0, "nothing is left of a refused file");
}

#[test]
fn files_without_a_record_are_collected_after_their_time() {
    let server = Server::start();
    let hash = uploaded(&server, b"kept");
    let row = json!({"ArtNr": "BU-1001", "IDKey": 900, "SHA256": hash, "AMDBildFormat": "png"});
    let _ = import(&server, &[row]).expect(200);
    let _ = uploaded(&server, b"young");
    let _ = uploaded(&server, b"old");
    for bytes in [&b"kept"[..], b"old"] {
        let then = SystemTime::now() - Duration::from_secs(7_200);
        let file = File::open(server.bodies().path(hash_of(bytes))).unwrap();
        file.set_modified(then).unwrap();
    }
    let hour = Duration::from_secs(3_600);
    let run = |unnamed| {
        let collected = collect(server.erp(), server.bodies(), hour, unnamed);
        let collected = server.wait(collected).unwrap();
        let list = collected.unnamed.iter();
        list.map(|body| body.hash).collect::<Vec<_>>()
    };
    let is_there = |bytes: &[u8]| server.bodies().path(hash_of(bytes)).exists();
    assert_eq!(run(Unnamed::List), [hash_of(b"old")]);
    assert!(is_there(b"old"));
    assert_eq!(run(Unnamed::Remove), [hash_of(b"old")]);
    assert!(!is_there(b"old") && is_there(b"young") && is_there(b"kept"));
    assert_eq!(run(Unnamed::Remove), []);
    let (erp, bodies) = (server.erp(), server.bodies());
    let later = collect_later(erp, bodies, hour * 48, hour * 25, Unnamed::Remove);
    assert_eq!(server.wait(later).unwrap().removed, 1);
    assert_eq!(bodies.find(hash_of(b"old")).unwrap(), None);
    // Without its record a file goes too, when nobody else names it.
    let gone = json!({"IDKey": 900, "Loeschen": true});
    let _ = import(&server, &[gone]).expect(200);
    assert_eq!(run(Unnamed::Remove), [hash_of(b"kept")]);
    assert_eq!(part(&server, "900?type=Bild", &[]).status, 404);
    assert_eq!(part(&server, "6?type=Bild", &[]).status, 200);
}
