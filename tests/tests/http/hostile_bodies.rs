//! Bodies of a malicious shop, generated from the tables of the interface: no response is a server error, and every
//! refusal says where the problem is and what it is.

use erp_core::wire::{ALL_SCHEMAS, Field, Kind, Schema};
use erp_tests::addresses;
use erp_tests::bodies;
use erp_tests::exchange::{Exchange, pairs};
use erp_tests::orders::{place, placed};
use erp_tests::server::{ADMIN, SHOP1, Server};
use serde_json::{Value, json};

/// The table of a body, its path, and a complete body.
fn tables() -> [(&'static Schema, &'static str, Value); 2] {
    let table = |name| {
        let mut all = ALL_SCHEMAS.iter().map(|(schema, _)| *schema);
        all.find(|schema| schema.name == name)
            .expect("a table of this name")
    };
    [
        (
            table("OrderBody"),
            "/www/auftrag",
            bodies::full_order("10001"),
        ),
        (
            table("CustomerBody"),
            "/www/kunden",
            bodies::full_customer(),
        ),
    ]
}

/// Every member of a body with its JSON pointer, including nested ones; of lists only the first entry.
fn members(schema: &'static Schema, pointer: &str) -> Vec<(String, &'static Field)> {
    let mut found = Vec::new();
    for field in schema.fields {
        let own = format!("{pointer}/{}", field.wire);
        match field.kind {
            Kind::Object(nested) => found.extend(members(nested, &own)),
            Kind::List(nested) => found.extend(members(nested, &format!("{own}/0"))),
            _ => {}
        }
        found.push((own, field));
    }
    found
}

/// Converts `/Positionen/0/ArtNr` to the form in errors: `Positionen[0].ArtNr`.
fn wire_path(pointer: &str) -> String {
    let mut path = String::new();
    for step in pointer.split('/').skip(1) {
        if step.bytes().all(|byte| byte.is_ascii_digit()) {
            path.push_str(&format!("[{step}]"));
        } else {
            let dot = if path.is_empty() { "" } else { "." };
            path.push_str(&format!("{dot}{step}"));
        }
    }
    path
}

fn with(body: &Value, pointer: &str, value: Value) -> Value {
    let mut body = body.clone();
    let (parent, name) = pointer.rsplit_once('/').expect("a member");
    body.pointer_mut(parent).expect("its object")[name] = value;
    body
}

fn post(server: &Server, path: &str, body: &Value) -> Exchange {
    server.post(path).by(SHOP1).json(body).send()
}

fn is_right(kind: &Kind, value: &Value) -> bool {
    match kind {
        Kind::Int | Kind::TinyInt | Kind::Float | Kind::Money => value.is_number(),
        Kind::Bool => value.is_boolean(),
        Kind::Object(_) => value.is_object(),
        Kind::List(_) | Kind::Texts => value.is_array(),
        _ => value.is_string(),
    }
}

// rule: D-REQ-07
#[test]
fn a_wrong_type_is_named_in_every_field() {
    let server = Server::shared();
    for (schema, path, body) in tables() {
        let members = members(schema, "");
        assert!(members.len() > 60, "{} members", members.len());
        for (pointer, field) in members {
            for wrong in [json!("text"), json!(1), json!(true), json!({}), json!([])] {
                if is_right(&field.kind, &wrong) {
                    continue;
                }
                let refused =
                    post(&server, path, &with(&body, &pointer, wrong.clone())).expect(422);
                let expected = (wire_path(&pointer), "wrong_type".to_owned());
                assert!(
                    refused.problems().contains(&expected),
                    "{pointer} {wrong}: {}",
                    refused.text()
                );
            }
        }
    }
}

// rule: R-REQ-09, R-LIM-05
#[test]
fn one_character_too_many_is_named_in_every_text() {
    let server = Server::shared();
    for (schema, path, body) in tables() {
        for (pointer, field) in members(schema, "") {
            let (Kind::Varchar(limit) | Kind::Char(limit)) = field.kind else {
                continue;
            };
            let refused = post(
                &server,
                path,
                &with(&body, &pointer, json!("ü".repeat(limit + 1))),
            )
            .expect(422);
            let problems = refused.json()["info"]["problems"].take();
            let found = problems
                .as_array()
                .unwrap()
                .iter()
                .find(|problem| problem["path"] == wire_path(&pointer));
            let found = found.unwrap_or_else(|| panic!("{pointer}: {problems}"));
            assert_eq!(
                (&found["code"], &found["limit"]),
                (&json!("too_long"), &json!(limit)),
                "{pointer}"
            );
        }
    }
}

// rule: R-REQ-09, R-LIM-05
#[test]
fn free_texts_may_be_exactly_as_long_as_declared() {
    /// Texts with a fixed format, and keys that must exist.
    const CODES: [&str; 9] = [
        "KundNr",
        "WaehrAbk",
        "OrtLand",
        "ArtNr",
        "VPEinheit",
        "AdrSprache",
        "EmailAdress",
        "OrtPLZ",
        "FAKTZahlArt",
    ];
    let server = Server::shared();
    for (schema, path, mut body) in tables() {
        for (pointer, field) in members(schema, "") {
            if let Kind::Varchar(limit) | Kind::Char(limit) = field.kind
                && !CODES.contains(&field.wire)
            {
                body = with(&body, &pointer, json!("Ł".repeat(limit)));
            }
        }
        let created = post(&server, path, &body).expect(201);
        if path == "/www/auftrag" {
            let order = server
                .get(&format!("{path}/{}", created.number("AuftNr")))
                .by(SHOP1)
                .send()
                .expect(200)
                .data();
            for name in ["AuftBez", "AuftBestellNr", "AuftBestellRef", "AuftKomment"] {
                assert_eq!(
                    order["GrundDaten"][name], body["GrundDaten"][name],
                    "{name}"
                );
            }
            assert_eq!(order["Positionen"].to_string().matches('Ł').count(), 2_048);
            assert_eq!(
                order["Adressen"]["LiefAdr"]["AdrAdresse1"],
                body["Adressen"]["LiefAdr"]["AdrAdresse1"]
            );
            assert_eq!(order["Zahlung"][0]["Wert"], body["Zahlung"][0]["Wert"]);
        }
    }
}

// rule: D-REQ-06, D-REQ-13
#[test]
fn null_is_absent_everywhere() {
    let server = Server::shared();
    for (schema, path, body) in tables() {
        for (pointer, _) in members(schema, "") {
            let response = post(&server, path, &with(&body, &pointer, Value::Null));
            match response.status {
                201 => {}
                422 => {
                    let problems = response.problems();
                    assert!(
                        problems.iter().all(|(_, code)| code == "required"),
                        "{pointer}: {problems:?}"
                    );
                }
                _ => panic!("{pointer}: {}", response.text()),
            }
        }
    }
}

// rule: D-REQ-07
#[test]
fn numbers_beyond_all_bounds_are_refused() {
    let server = Server::shared();
    for (schema, path, body) in tables() {
        for (pointer, field) in members(schema, "") {
            if !matches!(
                field.kind,
                Kind::Int | Kind::TinyInt | Kind::Float | Kind::Money
            ) {
                continue;
            }
            for number in [
                "1e999",
                "-1e999",
                "1e-999",
                "99999999999999999999999999999999",
                "1e2147483648",
                "1e99999999999999999999",
                "0.1234567890123456789012345678901234567890",
                "-2147483649",
                "1.5e400",
                "1E+28",
                "-0.0000001",
            ] {
                let marked = with(&body, &pointer, json!("MARK")).to_string();
                let response = server
                    .post(path)
                    .by(SHOP1)
                    .body(
                        "application/json",
                        marked.replace("\"MARK\"", number).as_bytes(),
                    )
                    .send();
                let at = format!("{pointer} {number}: {}", response.text());
                assert_eq!(response.status, 422, "{at}");
                assert!(
                    response
                        .problems()
                        .iter()
                        .any(|(place, _)| *place == wire_path(&pointer)),
                    "{at}"
                );
            }
        }
    }
}

// rule: R-REQ-09
#[test]
fn texts_with_forbidden_characters_are_refused() {
    let server = Server::shared();
    for (schema, path, body) in tables() {
        for (pointer, field) in members(schema, "") {
            if !matches!(
                field.kind,
                Kind::Varchar(_) | Kind::Char(_) | Kind::Text | Kind::DateTime
            ) {
                continue;
            }
            for text in ["\u{0}", "\u{1b}", "\u{7f}", "\u{85}"] {
                let refused = post(&server, path, &with(&body, &pointer, json!(text))).expect(422);
                let found = refused
                    .problems()
                    .into_iter()
                    .find(|(place, _)| *place == wire_path(&pointer));
                assert_eq!(
                    found.map(|(_, code)| code),
                    Some("control_character".to_owned()),
                    "{pointer} {text:?}"
                );
            }
        }
    }
}

// rule: D-REQ-11, D-REQ-17
#[test]
fn invalid_json_is_malformed() {
    let server = Server::shared();
    let deep = |open: &str, close: &str| open.repeat(20_000) + &close.repeat(20_000);
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("empty", b"".to_vec()),
        ("blank", b" \r\n\t".to_vec()),
        ("cut", br#"{"GrundDaten": {"#.to_vec()),
        ("deep lists", deep("[", "]").into_bytes()),
        ("deep objects", deep("{\"a\":", "}").into_bytes()),
        ("open lists", "[".repeat(20_000).into_bytes()),
        (
            "a member twice",
            br#"{"GrundDaten": {}, "GrundDaten": {}}"#.to_vec(),
        ),
        (
            "a nested member twice",
            br#"{"Positionen": [{"Menge": 1, "M\u0065nge": 1000}]}"#.to_vec(),
        ),
        ("a NUL byte", b"{\"a\": \"\0\"}".to_vec()),
        ("a NUL after", b"{}\0".to_vec()),
        ("a line break in a text", b"{\"a\": \"\n\"}".to_vec()),
        ("a lone surrogate", br#"{"a": "\ud800"}"#.to_vec()),
        ("a lone low surrogate", br#"{"a": "\udc00x"}"#.to_vec()),
        (
            "surrogates the wrong way",
            br#"{"a": "\udc00\ud800"}"#.to_vec(),
        ),
        ("text after", b"{} {}".to_vec()),
        ("single quotes", b"{'a': 1}".to_vec()),
        ("a comment", b"{/**/}".to_vec()),
        ("a trailing comma", b"{\"a\": 1,}".to_vec()),
        ("NaN", b"{\"a\": NaN}".to_vec()),
        ("Infinity", b"{\"a\": -Infinity}".to_vec()),
        ("a leading zero", b"{\"a\": 01}".to_vec()),
        ("a lone dot", b"{\"a\": 1.}".to_vec()),
        ("a form", b"GrundDaten=1".to_vec()),
        ("XML", b"<GrundDaten/>".to_vec()),
        ("overlong UTF-8", b"{\"a\": \"\xc0\xaf\"}".to_vec()),
        ("surrogate in UTF-8", b"{\"a\": \"\xed\xa0\x80\"}".to_vec()),
        ("half a letter", b"{\"a\": \"\xc3".to_vec()),
        ("undeclared Latin-1", b"{\"a\": \"M\xfcller\"}".to_vec()),
        (
            "UTF-16",
            "{}".encode_utf16().flat_map(u16::to_le_bytes).collect(),
        ),
        ("UTF-16 with mark", b"\xff\xfe{\0}\0".to_vec()),
    ];
    for path in ["/www/auftrag", "/www/kunden"] {
        for (what, bytes) in &cases {
            let response = server
                .post(path)
                .by(SHOP1)
                .body("application/json", bytes)
                .send();
            assert_eq!(
                response.refusal(),
                (400, "malformed".to_owned()),
                "{what}: {}",
                response.text()
            );
            assert!(response.body.len() < 600, "{what}: {}", response.text());
        }
        let put = server
            .put("/www/kunden/10001")
            .by(SHOP1)
            .body("application/json", b"{")
            .send();
        assert_eq!(put.refusal(), (400, "malformed".to_owned()));
    }
}

#[test]
fn json_that_is_no_body_is_invalid() {
    let server = Server::shared();
    for text in [
        "null",
        "true",
        "7",
        "\"x\"",
        "[]",
        "[{}]",
        "{}",
        "{\"\": {}}",
        r#"{"$serde_json::private::Number": "1"}"#,
        r#"{"GrundDaten": {"$serde_json::private::Number": "1e999"}}"#,
        r#"{"GrundDaten": {"$serde_json::private::RawValue": "x"}}"#,
        r#"{"__proto__": {}, "constructor": {}}"#,
        "\u{feff}{}",
    ] {
        for path in ["/www/auftrag", "/www/kunden"] {
            let response = server
                .post(path)
                .by(SHOP1)
                .body("application/json", text.as_bytes())
                .send();
            assert!(
                matches!(response.status, 400 | 422),
                "{text}: {}",
                response.text()
            );
        }
    }
}

// rule: D-REQ-02
#[test]
fn media_types_and_codings_that_are_not_read() {
    let server = Server::shared();
    let body = bodies::full_customer().to_string();
    let post = |content_type: &str| {
        server
            .post("/www/kunden")
            .by(SHOP1)
            .body(content_type, body.as_bytes())
    };
    for content_type in [
        "text/plain",
        "text/json",
        "application/xml",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "json",
        "*/*",
        "application/json; charset=utf-16",
        "application/json; charset=utf-7",
        "application/json; charset=",
        "application/jsonp",
    ] {
        assert_eq!(
            post(content_type).send().refusal(),
            (415, "unsupported_media_type".to_owned()),
            "{content_type}"
        );
    }
    for coding in ["gzip", "br", "deflate", "identity, gzip", "nonsense"] {
        let response = post("application/json")
            .header("content-encoding", coding.as_bytes())
            .send();
        assert_eq!(
            response.refusal(),
            (415, "unsupported_media_type".to_owned()),
            "{coding}"
        );
    }
    let _ = post("application/json")
        .header("content-encoding", b"identity")
        .send()
        .expect(201);
}

// rule: D-REQ-10, D-REQ-18
#[test]
fn the_problems_of_a_body_are_bounded() {
    let server = Server::shared();
    let entries = vec![json!({"Bezeichnung": "x".repeat(256), "Wert": "x".repeat(201)}); 1_000];
    let mut body = bodies::full_order("10001");
    body["Zahlung"] = Value::Array(entries);
    let response = post(&server, "/www/auftrag", &body).expect(422);
    assert!(
        response.problems().len() <= 1_001,
        "{}",
        response.problems().len()
    );
    let positions: Vec<String> = (0..60_000).map(|_| "{}".to_owned()).collect();
    let flood = format!(
        "{{\"GrundDaten\": {{\"KundNr\": \"10001\"}}, \"Positionen\": [{}]}}",
        positions.join(",")
    );
    let response = server
        .post("/www/auftrag")
        .by(SHOP1)
        .body("application/json", flood.as_bytes())
        .send()
        .expect(422);
    assert!(response.body.len() < 300_000, "{}", response.body.len());
}

#[test]
fn amounts_too_large_to_sum_are_refused() {
    let server = Server::shared();
    let position = json!({"ArtNr": "BU-1001", "Menge": 999_999_999, "Preis": 999_999_999.999_999, "GRabSatz": 0});
    let mut body = bodies::order("10006", Value::Array(vec![position; 1_000]));
    body["GrundDaten"]["AuftLiefKost"] = json!(999_999_999.99);
    let response = post(&server, "/www/auftrag", &body);
    assert!(matches!(response.status, 201 | 422), "{}", response.text());
    if response.status == 201 {
        let order = server
            .get(&format!("/www/auftrag/{}", response.number("AuftNr")))
            .by(SHOP1)
            .send()
            .expect(200);
        assert!(!order.text().contains("e+"), "{}", order.text());
    }
    for location in [i32::MIN, -1, 0, i32::MAX] {
        let mut body = bodies::order(
            "10006",
            json!([{"ArtNr": "BU-1001", "Menge": 999_999_999.999_999, "VisPosNr": location}]),
        );
        body["GrundDaten"]["StaoNr"] = json!(location);
        for _ in 0..3 {
            let _ = post(&server, "/www/auftrag", &body).expect(201);
        }
    }
    let _ = server
        .get("/www/artikel/BU-1001")
        .by(SHOP1)
        .send()
        .expect(200);
}

// rule: D-REQ-07
#[test]
fn an_object_is_never_a_number() {
    let server = Server::shared();
    for name in [
        "$serde_json::private::Number",
        "\\u0024serde_json::private::Number",
    ] {
        let body = format!(
            r#"{{"GrundDaten": {{"KundNr": "10001"}}, "Positionen": [{{"ArtNr": "BU-1001", "Menge": {{"{name}": "2"}}}}]}}"#
        );
        let refused = server
            .post("/www/auftrag")
            .by(SHOP1)
            .body("application/json", body.as_bytes())
            .send();
        let refused = refused.expect(422);
        assert_eq!(
            refused.problems(),
            pairs(&[("Positionen[0].Menge", "wrong_type")])
        );
        assert!(
            refused.text().contains("found an object"),
            "{}",
            refused.text()
        );
    }
}

// rule: D-REQ-14
#[test]
fn invisible_characters_are_refused_in_names_and_codes() {
    let server = Server::shared();
    let hidden = [
        "\u{202e}", "\u{202a}", "\u{2066}", "\u{2069}", "\u{200e}", "\u{200f}", "\u{61c}",
        "\u{200b}", "\u{feff}",
    ];
    for hidden in hidden {
        let text = format!("a{hidden}b");
        let mut body = bodies::full_customer();
        let mut expected = Vec::new();
        for name in [
            "AdrFirma",
            "AdrFirma2",
            "AdrVorname",
            "AdrName",
            "AdrAdresse1",
            "AdrAdresse2",
            "OrtName",
            "OrtPLZ",
            "EmailAdress",
            "AdrTf1",
        ] {
            body["Adressen"]["KontaktAdr"][name] = json!(text);
            expected.push((
                format!("Adressen.KontaktAdr.{name}"),
                "control_character".to_owned(),
            ));
        }
        for name in ["AUFT_SPESEN", "VBTyp", "TVTyp", "SteuerNummer", "FirmenURL"] {
            body["GrundDaten"][name] = json!(text);
            expected.push((format!("GrundDaten.{name}"), "control_character".to_owned()));
        }
        // Free texts may contain the joiners that their language needs.
        body["GrundDaten"]["Kommentar"] = json!(text);
        let refused = server.post("/www/kunden").by(SHOP1).json(&body).send();
        let mut found = refused.expect(422).problems();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{hidden:?}");
        let mut order = bodies::order(
            "10001",
            json!([{"ArtNr": text, "Menge": 1, "PosBez": text, "VPEinheit": text}]),
        );
        order["GrundDaten"]["AuftKomment"] = json!(text);
        order["GrundDaten"]["AuftBestellNr"] = json!(text);
        let found = place(&server, &order).expect(422).problems();
        let expected = pairs(&[
            ("GrundDaten.AuftBestellNr", "control_character"),
            ("Positionen[0].ArtNr", "control_character"),
            ("Positionen[0].VPEinheit", "control_character"),
        ]);
        assert_eq!(found, expected, "{hidden:?}");
        let user = json!({"name": text, "password": "lang genug 123", "role": "shop"});
        let refused = server.post("/admin/users").by(ADMIN).json(&user).send();
        assert_eq!(
            refused.expect(422).problems(),
            pairs(&[("name", "malformed")])
        );
    }
}

// rule: D-REQ-14
#[test]
fn joiners_are_refused_in_codes_only_and_free_texts_keep_everything() {
    let server = Server::shared();
    // Joiners are allowed in names, including emoji, but not in codes.
    for joined in ["علی\u{200c}رضا", "👩\u{200d}💻"] {
        let _ = addresses::customer(&server, &json!({"AdrName": joined}));
        let order = bodies::order("10001", json!([{"ArtNr": joined, "Menge": 1}]));
        let found = place(&server, &order).expect(422).problems();
        assert_eq!(
            found,
            pairs(&[("Positionen[0].ArtNr", "control_character")])
        );
    }
    let mut order = bodies::order(
        "10001",
        json!([{"ArtNr": "BU-1001", "Menge": 1, "PosBez": "\u{200f}שלום\u{200e} ok"}]),
    );
    order["GrundDaten"]["AuftKomment"] = json!("\u{200f}שלום");
    let shown = placed(&server, &order);
    assert_eq!(shown["Positionen"][0]["PosBez"], "\u{200f}שלום\u{200e} ok");
}
