//! The one error body on every path of the server, methods and what every answer carries.

use erp_tests::bodies;
use erp_tests::golden::golden;
use erp_tests::paths::paths;
use erp_tests::server::{ADMIN, SHOP1, Server};
use serde_json::json;

const METHODS: [&str; 9] = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND",
];

// rule: R-ERR-01
#[test]
fn the_responses_are_the_golden_ones() {
    let server = Server::with(&[("json_body_bytes", "1024"), ("header_bytes", "1024")]);
    golden(
        &server,
        "error-unknown-route",
        &server.get("/www/nirgends").by(SHOP1).send(),
    );
    golden(
        &server,
        "error-wrong-method",
        &server.call("PATCH", "/www/kunden/10001").by(SHOP1).send(),
    );
    golden(
        &server,
        "error-options",
        &server.call("OPTIONS", "/www/kunden/10001").send(),
    );
    let long = format!("/www/artikel?fields={}", "ArtNr,".repeat(1_400));
    golden(
        &server,
        "error-uri-too-long",
        &server.get(&long).by(SHOP1).send(),
    );
    let large = server
        .get("/www/artikel/BU-1001")
        .by(SHOP1)
        .header("x-large", &[b'x'; 1_024]);
    golden(&server, "error-headers-too-large", &large.send());
    let post = || server.post("/www/auftrag").by(SHOP1);
    golden(
        &server,
        "error-body-too-large",
        &post().body("application/json", &[b' '; 1_025]).send(),
    );
    golden(
        &server,
        "error-media-type",
        &post().body("text/plain", b"{}").send(),
    );
    golden(
        &server,
        "error-charset",
        &post()
            .body("application/json; charset=utf-16", b"{}")
            .send(),
    );
    golden(
        &server,
        "error-no-json",
        &post()
            .body("application/json", b"{\"GrundDaten\": {\n  \"KundNr\": }}")
            .send(),
    );
    golden(
        &server,
        "error-empty-body",
        &post().body("application/json", b"").send(),
    );
    golden(
        &server,
        "error-not-utf8",
        &post().body("application/json", b"{\"a\": \"\xe4\"}").send(),
    );
    golden(&server, "error-no-object", &post().json(&json!([1])).send());
    golden(&server, "health", &server.get("/health/live").send());
}

// rule: D-REQ-16, R-END-30, R-ERR-01
#[test]
fn every_path_knows_its_methods() {
    // One of the paths ends the token that the others would go on with.
    let server = Server::start();
    let paths = paths();
    assert!(paths.len() >= 12, "{paths:?}");
    for (path, allow) in &paths {
        let known: Vec<&str> = allow.split(", ").collect();
        for method in METHODS {
            let answer = server
                .call(method, path)
                .by(ADMIN)
                .body("application/json", b"{}")
                .send();
            let at = format!("{method} {path}: {answer:?}");
            match method {
                "OPTIONS" => assert_eq!(
                    (answer.status, answer.header("allow")),
                    (204, Some(allow.as_str())),
                    "{at}"
                ),
                _ if known.contains(&method) => assert_ne!(answer.status, 405, "{at}"),
                _ => {
                    assert_eq!(
                        (answer.status, answer.header("allow")),
                        (405, Some(allow.as_str())),
                        "{at}"
                    );
                    if !answer.body.is_empty() {
                        assert_eq!(answer.refusal().1, "method_not_allowed", "{at}");
                    }
                }
            }
        }
    }
    let _ = server.call("OPTIONS", "/www/artikel").send().expect(204);
}

// rule: R-AUT-04
#[test]
fn nothing_is_returned_without_a_token() {
    let server = Server::shared();
    for (path, allow) in paths() {
        for method in allow
            .split(", ")
            .filter(|method| !matches!(*method, "OPTIONS" | "HEAD"))
        {
            let answer = server.call(method, &path).send();
            let described = ["/openapi.json", "/docs"];
            let open = path.starts_with("/health") || described.contains(&path.as_str());
            assert_eq!(
                answer.status,
                if open { 200 } else { 401 },
                "{method} {path}"
            );
        }
    }
}

// rule: D-REQ-16
#[test]
fn head_is_get_without_a_body() {
    let server = Server::start();
    for path in [
        "/www/artikel/BU-1001",
        "/www/artikel?limit=2",
        "/www/kunden/10001",
        "/www/artikel/NOPE",
        "/www/artikel",
        "/www/nirgends",
    ] {
        let get = server.get(path).by(SHOP1).send();
        let head = server.call("HEAD", path).by(SHOP1).send();
        assert_eq!((head.status, head.body.len()), (get.status, 0), "{path}");
        for name in ["content-type", "etag", "link"] {
            assert_eq!(head.header(name), get.header(name), "{name} {path}");
        }
        if get.header("content-length").is_some() && get.status == 200 {
            assert_eq!(
                head.header("content-length"),
                get.header("content-length"),
                "{path}"
            );
        }
    }
}

// rule: R-ERR-01, D-NET-08
#[test]
fn unknown_routes_are_ours_too() {
    let server = Server::shared();
    for path in [
        "/www",
        "/www/",
        "/WWW/artikel",
        "/www/Artikel",
        "/www/artikel/a/b",
        "/www/auftrag/1/2",
        "/favicon.ico",
        "/robots.txt",
        "/index.html",
        "/admin",
        "/admin/import/x",
        "/www/token/x",
        "/health/x",
        "/www/artikel;x=1",
        "/www/kunden//x/y",
        "/%00",
        "/%ff%fe",
        "/\u{e4}",
        "/www/offerte/500001",
        "/www/adressen/1/2",
        "/www/adressensuche/1",
        "/admin/auftrag/1",
        "/admin/auftrag/1/status/x",
        "/admin/events/1/2",
        "/.git/config",
        "/www/%2e%2e/x/y/z",
    ] {
        for method in ["GET", "POST", "DELETE"] {
            let answer = server.call(method, path).by(ADMIN).send();
            assert_eq!(
                answer.refusal(),
                (404, "not_found".to_owned()),
                "{method} {path}"
            );
        }
    }
    let slash = server
        .get("/www/artikel/BU-1001/")
        .by(SHOP1)
        .send()
        .expect(200);
    assert_eq!(slash.data()["ArtNr"], "BU-1001");
}

#[test]
fn numbers_that_are_none_are_not_found() {
    let server = Server::shared();
    for number in [
        "0",
        "-1",
        "abc",
        "1.0",
        "1e3",
        "99999999999999999999999",
        "%20",
        "%00",
        "%C3%A4",
        "100001%20",
        "'",
        "%2e%2e%2f",
        "+1",
        "0100001",
        "\u{1F600}",
    ] {
        for path in ["/www/auftrag", "/www/kunden", "/www/artikel"] {
            let answer = server.get(&format!("{path}/{number}")).by(ADMIN).send();
            assert_eq!(
                answer.refusal(),
                (404, "not_found".to_owned()),
                "{path}/{number}"
            );
        }
        let answer = server
            .put(&format!("/www/kunden/{number}"))
            .by(ADMIN)
            .json(&bodies::customer())
            .send();
        assert_eq!(answer.refusal(), (404, "not_found".to_owned()), "{number}");
    }
    let huge = "9".repeat(7_000);
    for path in ["/www/auftrag", "/www/kunden", "/www/artikel"] {
        let answer = server
            .get(&format!("{path}/{huge}"))
            .by(ADMIN)
            .send()
            .expect(404);
        assert!(answer.body.len() < 300, "{}", answer.text());
    }
}

// rule: D-REQ-05
#[test]
fn query_values_that_cannot_be_read_are_named() {
    let server = Server::shared();
    for (query, parameter) in [
        ("limit=-1", "limit"),
        ("limit=abc", "limit"),
        ("limit=1&limit=2", "limit"),
        ("limit=1.5", "limit"),
        ("limit=1e2", "limit"),
        ("limit=99999999999999999999", "limit"),
        ("limit=%00", "limit"),
        ("limit=+1", "limit"),
        ("limit=0x10", "limit"),
        ("offset=-1", "offset"),
        ("offset=2147483648", "offset"),
        ("offset=1&OFFSET=1", "offset"),
        ("fields=Nope", "fields"),
        ("fields=ArtNr,Nope", "fields"),
        ("fields=ArtNr;ArtBez", "fields"),
        ("fields=%F0%9F%98%80", "fields"),
        ("sorts=+Nope", "sorts"),
        ("sorts=%2BNope", "sorts"),
        ("sorts=-Preis", "sorts"),
        ("sorts=%2BArtNr,-ArtNr", "sorts"),
        ("waehrabk=XXX", "waehrabk"),
        ("waehrabk=EUROS", "waehrabk"),
        ("waehrabk=%00", "waehrabk"),
        ("adrsprache=deu", "adrsprache"),
        ("adrsprache=xx", "adrsprache"),
        ("debinr=1234567", "debinr"),
        ("debinr=1%0a2", "debinr"),
        ("debinr=1&debinr=2", "debinr"),
    ] {
        let answer = server
            .get(&format!("/www/artikel?{query}"))
            .by(SHOP1)
            .send();
        assert_eq!(answer.refusal(), (400, "malformed".to_owned()), "{query}");
        assert_eq!(answer.json()["info"]["parameter"], parameter, "{query}");
        let sentence = answer.json()["error_description"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(
            sentence.contains(&format!("`{parameter}`")),
            "{query}: {sentence}"
        );
    }
    let many = server
        .get(&format!("/www/artikel?{}", "a=1&".repeat(500)))
        .by(SHOP1)
        .send();
    assert_eq!(many.refusal(), (400, "malformed".to_owned()));
    for harmless in [
        "",
        "&&&",
        "=",
        "a",
        "offset=2147483647",
        "limit=2147483647",
        "sorts=,,&fields=,&waehrabk=&debinr=&adrsprache=&limit=&offset=",
    ] {
        let _ = server
            .get(&format!("/www/artikel?{harmless}"))
            .by(SHOP1)
            .send()
            .expect(200);
    }
}

#[test]
fn request_ids_of_clients_are_kept_when_they_are_plain() {
    let server = Server::shared();
    let id = |sent: &[u8]| {
        server
            .get("/www/nirgends")
            .header("x-request-id", sent)
            .send()
            .header("x-request-id")
            .unwrap()
            .to_owned()
    };
    assert_eq!(id(b"shop.42_A-b"), "shop.42_A-b");
    for odd in [&b"two words"[..], b"<script>", b"\xe4", &[b'x'; 65], b"a,b"] {
        let own = id(odd);
        assert!(
            own.len() == 32 && own.bytes().all(|byte| byte.is_ascii_hexdigit()),
            "{own}"
        );
    }
    assert_ne!(id(b"?"), id(b"?"));
}

// rule: R-CON-05
#[test]
fn links_begin_with_the_set_address_and_forwarded_hosts_are_not_believed() {
    let server = Server::with(&[("base_url", "https://shop.example/erp/")]);
    let answer = server
        .get("/www/artikel?limit=1")
        .by(SHOP1)
        .header("x-forwarded-host", b"evil.example")
        .send()
        .expect(200);
    assert!(
        answer
            .header("link")
            .unwrap()
            .starts_with("<https://shop.example/erp/www/artikel?limit=1&offset=1>")
    );
    assert!(!answer.text().contains("evil"));
    let plain = Server::shared();
    let answer = plain
        .get("/www/artikel?limit=1")
        .by(SHOP1)
        .header("x-forwarded-host", b"evil.example")
        .header("x-forwarded-proto", b"https");
    let answer = answer.send().expect(200);
    assert!(
        !answer.text().contains("evil") && !answer.text().contains("https:"),
        "{}",
        answer.text()
    );
}
