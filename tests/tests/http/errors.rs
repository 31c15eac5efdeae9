//! The standard error body on every path of the server, methods, and what every response has.

use erp_tests::addresses;
use erp_tests::bodies;
use erp_tests::exchange::Exchange;
use erp_tests::golden::golden;
use erp_tests::orders::place;
use erp_tests::paths::paths;
use erp_tests::request::Request;
use erp_tests::server::{ADMIN, SHOP1, Server};
use serde_json::json;

const METHODS: [&str; 9] = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND",
];

// rule: R-ERR-01
#[test]
fn the_responses_are_the_golden_ones() {
    let server = Server::with(&[("json_body_bytes", "1024")]);
    golden(
        &server,
        "error-unknown-route",
        &server.read("/www/nirgends"),
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
    golden(&server, "error-uri-too-long", &server.read(&long));
    let large = server
        .get("/www/artikel/BU-1001")
        .by(SHOP1)
        .header("x-large", &[b'x'; 16_384]);
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
    // One of the paths revokes the token, so this test needs a server of its own.
    let server = Server::start();
    let paths = paths();
    assert!(paths.len() >= 12, "{paths:?}");
    for (path, allow) in &paths {
        let known: Vec<&str> = allow.split(", ").collect();
        for method in METHODS {
            let response = server
                .call(method, path)
                .by(ADMIN)
                .body("application/json", b"{}")
                .send();
            let at = format!("{method} {path}: {response:?}");
            match method {
                "OPTIONS" => assert_eq!(
                    (response.status, response.header("allow")),
                    (204, Some(allow.as_str())),
                    "{at}"
                ),
                _ if known.contains(&method) => assert_ne!(response.status, 405, "{at}"),
                _ => {
                    assert_eq!(
                        (response.status, response.header("allow")),
                        (405, Some(allow.as_str())),
                        "{at}"
                    );
                    if !response.body.is_empty() {
                        assert_eq!(response.refusal().1, "method_not_allowed", "{at}");
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
            let response = server.call(method, &path).send();
            let described = ["/openapi.json", "/docs"];
            let open = path.starts_with("/health") || described.contains(&path.as_str());
            assert_eq!(
                response.status,
                if open { 200 } else { 401 },
                "{method} {path}"
            );
        }
    }
}

#[test]
fn invalid_numbers_are_not_found() {
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
        "999999%20",
        "'",
        "%2e%2e%2f",
        "+1",
        "0100001",
        "\u{1F600}",
    ] {
        for path in ["/www/auftrag", "/www/kunden", "/www/artikel"] {
            let response = server.get(&format!("{path}/{number}")).by(ADMIN).send();
            response.refused(404, "not_found");
        }
        let response = server
            .put(&format!("/www/kunden/{number}"))
            .by(ADMIN)
            .json(&bodies::customer())
            .send();
        response.refused(404, "not_found");
    }
    let huge = "9".repeat(7_000);
    for path in ["/www/auftrag", "/www/kunden", "/www/artikel"] {
        let response = server
            .get(&format!("{path}/{huge}"))
            .by(ADMIN)
            .send()
            .expect(404);
        assert!(response.body.len() < 300, "{}", response.text());
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
fn links_start_with_the_configured_address_and_forwarded_hosts_are_not_trusted() {
    let server = Server::with(&[("base_url", "https://shop.example/erp/")]);
    let response = server
        .get("/www/artikel?limit=1")
        .by(SHOP1)
        .header("x-forwarded-host", b"evil.example")
        .send()
        .expect(200);
    assert!(
        response
            .header("link")
            .unwrap()
            .starts_with("<https://shop.example/erp/www/artikel?limit=1&offset=1>")
    );
    assert!(!response.text().contains("evil"));
    let plain = Server::shared();
    let response = plain
        .get("/www/artikel?limit=1")
        .by(SHOP1)
        .header("x-forwarded-host", b"evil.example")
        .header("x-forwarded-proto", b"https");
    let response = response.send().expect(200);
    assert!(
        !response.text().contains("evil") && !response.text().contains("https:"),
        "{}",
        response.text()
    );
}

// rule: D-REQ-13
#[test]
fn padding_does_not_count_in_paths() {
    let server = Server::start();
    let order = place(
        &server,
        &bodies::order("10001", json!([{"ArtNr": "BU-1001", "Menge": 1}])),
    );
    let order = order.expect(201).number("AuftNr");
    let address = addresses::contact(&server, "10001");
    for path in [
        "/www/artikel/BU-1001".to_owned(),
        "/www/tofaktorlogin/BU-1001".to_owned(),
        "/www/artikelmedia/BU-1001".to_owned(),
        "/www/kunden/10001".to_owned(),
        format!("/www/auftrag/{order}"),
        format!("/www/adressen/{address}"),
    ] {
        let plain = server.read(&path).expect(200);
        for padding in ["%20", "%20%20%20"] {
            let padded = server.read(&format!("{path}{padding}"));
            assert_eq!(padded.expect(200).body, plain.body, "{path}");
        }
        // Only padding after a key is removed: a blank before it is part of the key.
        let (start, key) = path.rsplit_once('/').unwrap();
        let before = server.read(&format!("{start}/%20{key}"));
        assert_eq!(before.status, 404, "{path}");
    }
}

// rule: D-REQ-20
#[test]
fn unknown_query_parameters_are_named() {
    let server = Server::shared();
    let named = |method: &str, path: &str| {
        let response = server.call(method, path).by(SHOP1).send();
        let names = response.header("x-unknown-parameters");
        (response.status, names.map(str::to_owned))
    };
    let unknown = |names: &str| Some(names.to_owned());
    let limited = "/www/artikel?LIMIT=1&fields=ArtNr";
    assert_eq!(named("GET", limited), (200, None));
    assert_eq!(named("HEAD", limited), (200, None));
    let more = format!("{limited}&limt=1&Gr%C3%B6sse=a");
    assert_eq!(named("GET", &more), (200, unknown("limt, Gr%C3%B6sse")));
    // A parameter of another method or path, and a request that is refused.
    assert_eq!(
        named("GET", "/www/offerte?KundNr=1&OffertNr=1"),
        (404, unknown("KundNr"))
    );
    assert_eq!(
        named("GET", "/www/auftrag/1?limit=1"),
        (404, unknown("limit"))
    );
    assert_eq!(
        named("GET", "/www/artikel?limit=x&limt=1"),
        (400, unknown("limt"))
    );
    assert_eq!(
        named(
            "GET",
            "/www/adressensuche?OrtLand=CH&AdrName=x&EmailAdress=y"
        ),
        (200, None)
    );
}

#[test]
fn a_created_record_is_where_its_response_says() {
    let server = Server::start();
    let positions = serde_json::json!([{"ArtNr": "BU-1001", "Menge": 1}]);
    let order = erp_tests::bodies::order("10007", positions);
    let place = |path: &str, body: &serde_json::Value| {
        let request = server
            .post(path)
            .by(SHOP1)
            .header("idempotency-key", path.as_bytes());
        let created = request.json(body).send().expect(201);
        let place = created.header("location").unwrap();
        place[place.find("/www/").unwrap()..].to_owned()
    };
    for (path, body) in [
        ("/www/auftrag", &order),
        ("/www/offerte", &order),
        ("/www/kunden", &erp_tests::bodies::customer()),
    ] {
        let made = place(path, body);
        assert_eq!(place(path, body), made, "repeated");
        let _ = server.read(&made).expect(200);
    }
}

// rule: D-REQ-22
#[test]
fn errors_speak_the_language_of_the_client() {
    let server = Server::shared();
    let said = |language: Option<&str>| {
        let mut request = server.post("/www/auftrag").by(SHOP1);
        if let Some(language) = language {
            request = request.header("accept-language", language.as_bytes());
        }
        let order = serde_json::json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": []});
        let refused = request.json(&order).send().expect(422);
        let body = refused.json();
        let problem = &body["info"]["problems"][0];
        assert_eq!(body["error"], "invalid");
        assert_eq!(problem["code"], "required");
        assert_eq!(problem["path"], "Positionen");
        let message = problem["message"].as_str().unwrap().to_owned();
        (
            refused.header("content-language").unwrap().to_owned(),
            message,
        )
    };
    let english = ("en".to_owned(), "at least one entry is required".to_owned());
    assert_eq!(said(None), english);
    for other in [
        "",
        "*",
        "en-GB",
        "es",
        "rm-CH, *;q=0.5",
        "de;q=0",
        "x;y;z,,;q=",
        "\u{e4}",
    ] {
        assert_eq!(said(Some(other)), english, "{other}");
    }
    let of = |locale: &str, message: &str| (locale.to_owned(), message.to_owned());
    let german = of("de", "mindestens ein Eintrag ist erforderlich");
    for tags in [
        "de",
        "de-CH",
        "DE-ch-1996",
        "rm, de-CH;q=0.9, en;q=0.8",
        "en;q=0.1,de;q=0.2",
    ] {
        assert_eq!(said(Some(tags)), german, "{tags}");
    }
    let french = of("fr", "au moins une entr\u{e9}e est n\u{e9}cessaire");
    assert_eq!(said(Some("fr-CH, fr;q=0.9, de;q=0.8")), french);
    let italian = of("it", "\u{e8} necessaria almeno una voce");
    assert_eq!(said(Some("it")), italian);
}

// rule: D-REQ-22
#[test]
fn errors_before_and_beside_a_body_speak_it_too() {
    let server = Server::shared();
    let said = |request: Request<'_>| {
        let refused = request.header("accept-language", b"de").send();
        assert_eq!(refused.header("content-language"), Some("de"));
        let body = refused.json();
        (
            refused.status,
            body["error_description"].as_str().unwrap().to_owned(),
        )
    };
    for (request, status, sentence) in [
        (server.get("/www/nope"), 404, "diesen Pfad gibt es nicht"),
        (
            server.delete("/www/artikel"),
            405,
            "dieser Pfad kennt nur GET, HEAD, OPTIONS",
        ),
        (
            server.get("/www/artikel"),
            401,
            "dieser Endpunkt braucht ein Token; Sie erhalten es mit `POST /www/token`",
        ),
        (
            server.get("/www/artikel?limit=x").by(SHOP1),
            400,
            "`limit` muss eine ganze Zahl von 0 bis 2147483647 sein, nicht `x`",
        ),
        (
            server.get("/www/auftrag/7").by(SHOP1),
            404,
            "nicht gefunden: Auftrag `7`",
        ),
        (
            server
                .post("/www/auftrag")
                .by(SHOP1)
                .body("application/json", b"{"),
            400,
            "der Inhalt ist kein g\u{fc}ltiges JSON: er endet zu fr\u{fc}h (Zeile 1, Spalte 1)",
        ),
    ] {
        assert_eq!(said(request), (status, sentence.to_owned()));
    }
    let found = server.get("/www/artikel").by(SHOP1);
    let found = found.header("accept-language", b"de").send().expect(200);
    assert_eq!(found.header("content-language"), None);
}

// rule: D-REQ-22, D-RET-02
#[test]
fn a_repeated_request_is_answered_in_its_own_language() {
    let server = Server::shared();
    let send = |language: &str, body: &serde_json::Value| {
        let request = server.post("/www/auftrag").by(SHOP1);
        let request = request.header("idempotency-key", b"languages");
        let request = request.header("accept-language", language.as_bytes());
        request.json(body).send()
    };
    let message = |refused: &Exchange| refused.json()["info"]["problems"][0]["message"].clone();
    // Only what was done is kept: a refusal is decided again.
    let unknown = bodies::order("10001", json!([{"ArtNr": "NOPE", "Menge": 1}]));
    for (language, expected) in [
        ("de", "den Artikel `NOPE` gibt es nicht"),
        ("fr", "l'article `NOPE` n'existe pas"),
        ("rm", "there is no article `NOPE`"),
    ] {
        let refused = send(language, &unknown).expect(422);
        assert_eq!(message(&refused), expected);
    }
    let order = bodies::order("10001", json!([{"ArtNr": "BU-1001", "Menge": 1}]));
    let first = send("de", &order).expect(201);
    let again = send("fr", &order).expect(201);
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(again.body, first.body);
    for made in [first, again] {
        assert_eq!(made.header("content-language"), None);
    }
    let other = send("it", &unknown).expect(422);
    assert_eq!(other.header("content-language"), Some("it"));
    let expected = "questa chiave è stata usata per un'altra richiesta";
    assert_eq!(message(&other), expected);
}

// rule: D-REQ-22
#[test]
fn sentences_of_a_success_speak_it_too() {
    let server = Server::shared();
    let send = |request: Request<'_>, language: &str| {
        let request = request.header("accept-language", language.as_bytes());
        let done = request.send().expect(200);
        assert_eq!(done.header("content-language"), Some(language));
        done.data()
    };
    let move_on = json!({"status": "O", "orders": ["999999"]});
    let moved = server.post("/admin/orders/status").by(ADMIN);
    let moved = send(moved.json(&move_on), "de");
    assert_eq!(moved[0]["message"], "nicht gefunden: Auftrag `999999`");
    let customer = json!({"KundNr": "1234567", "WaehrAbk": "CHF", "KontaktAdr": bodies::address()});
    let row = json!({"Kunde": customer}).to_string();
    let tried = server.post("/admin/import?dry_run=1").by(ADMIN);
    let tried = tried.body("application/x-ndjson", row.as_bytes());
    let warning = send(tried, "it")["warnings"][0]["message"].clone();
    let warning = warning.as_str().unwrap();
    assert!(
        warning.starts_with("`1234567` ha più di 6 cifre: "),
        "{warning}"
    );
}

// rule: D-REQ-22
#[test]
fn a_long_list_of_languages_is_read_or_refused() {
    let server = Server::shared();
    let asked = |count: usize| {
        let list = "es;q=0.9,".repeat(count) + "fr;q=0.1";
        let request = server.get("/www/nope");
        let request = request.header("accept-language", list.as_bytes());
        let refused = request.send_unchecked();
        let language = refused.header("content-language").map(str::to_owned);
        (refused.status, language)
    };
    assert_eq!(asked(1_500), (404, Some("fr".to_owned())));
    assert_eq!(asked(1_900).0, 431);
    assert_eq!(asked(7_500).0, 431);
}
