//! Bodies of a malicious shop, generated from the tables of the interface: no response is a server error, and every
//! refusal says where the problem is and what it is.

use erp_tests::bodies;
use erp_tests::exchange::Exchange;
use erp_tests::server::{SHOP1, Server};
use serde_json::{Value, json};

fn post(server: &Server, path: &str, body: &Value) -> Exchange {
    server.send("POST", path, body)
}

// rule: D-REQ-11
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
            response.refused(400, "malformed");
            assert!(response.body.len() < 600, "{what}: {}", response.text());
        }
        let put = server
            .put("/www/kunden/10001")
            .by(SHOP1)
            .body("application/json", b"{")
            .send();
        put.refused(400, "malformed");
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
        post(content_type)
            .send()
            .refused(415, "unsupported_media_type");
    }
    for coding in ["gzip", "br", "deflate", "identity, gzip", "nonsense"] {
        let response = post("application/json")
            .header("content-encoding", coding.as_bytes())
            .send();
        response.refused(415, "unsupported_media_type");
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
