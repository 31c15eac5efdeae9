//! CORS: `OPTIONS`, and requests from pages of other origins.

use erp_tests::exchange::Exchange;
use erp_tests::paths::paths;
use erp_tests::server::{ADMIN, SHOP1, Server};
use serde_json::json;

const SHOP: &str = "https://shop.example.com";
const FOREIGN: [&str; 5] = [
    "https://evil.example",
    "http://shop.example.com",
    "https://shop.example.com.evil.example",
    "https://shop.example.com:8443",
    "null",
];

fn server() -> Server {
    Server::with(&[(
        "cors_origins",
        "https://shop.example.com, http://localhost:3000",
    )])
}

/// The header fields for browser pages of other origins.
fn cors(response: &Exchange) -> Vec<&str> {
    let names = response.headers.iter().map(|(name, _)| name.as_str());
    names
        .filter(|name| name.starts_with("access-control-"))
        .collect()
}

fn varies_by_origin(response: &Exchange) -> bool {
    let mut fields = response.headers.iter().filter(|(name, _)| name == "vary");
    fields.any(|(_, value)| value.to_ascii_lowercase().contains("origin"))
}

/// The preflight request of a browser before a request with a token.
fn preflight(server: &Server, path: &str, origin: &str) -> Exchange {
    let request = server
        .call("OPTIONS", path)
        .header("origin", origin.as_bytes());
    let request = request.header("access-control-request-method", b"PATCH");
    request
        .header(
            "access-control-request-headers",
            b"authorization,content-type",
        )
        .send()
}

// rule: D-REQ-21
#[test]
fn every_path_responds_to_a_preflight_request() {
    let server = server();
    let paths = paths();
    assert!(paths.len() >= 20, "{paths:?}");
    for (path, allow) in &paths {
        let response = preflight(&server, path, SHOP).expect(204);
        assert_eq!(response.header("allow"), Some(allow.as_str()), "{path}");
        assert_eq!(
            response.header("access-control-allow-methods"),
            Some(allow.as_str()),
            "{path}"
        );
        assert_eq!(
            response.header("access-control-allow-origin"),
            Some(SHOP),
            "{path}"
        );
        let sent = response.header("access-control-allow-headers").unwrap();
        for name in [
            "authorization",
            "content-type",
            "if-match",
            "idempotency-key",
        ] {
            assert!(sent.contains(name), "{path}: {sent}");
        }
        assert!(
            response.header("access-control-max-age").is_some(),
            "{path}"
        );
        assert_eq!(
            response.header("access-control-allow-credentials"),
            None,
            "{path}"
        );
        assert!(varies_by_origin(&response), "{path}");
        for foreign in FOREIGN {
            let response = preflight(&server, path, foreign).expect(204);
            assert_eq!(cors(&response), [""; 0], "{foreign} {path}");
            assert!(varies_by_origin(&response), "{foreign} {path}");
        }
    }
}

// rule: D-REQ-21
#[test]
fn pages_may_read_errors_too() {
    let server = server();
    let from =
        |method: &str, path: &str| server.call(method, path).header("origin", SHOP.as_bytes());
    for (status, response) in [
        (401, from("GET", "/www/artikel").send()),
        (
            401,
            from("POST", "/www/token").basic("shop1", "falsch").send(),
        ),
        (403, from("DELETE", "/www/log").by(SHOP1).send()),
        (404, from("GET", "/www/auftrag/999999").by(SHOP1).send()),
        (404, from("GET", "/www/nirgends").by(SHOP1).send()),
        (405, from("DELETE", "/www/auftrag").by(SHOP1).send()),
        (
            400,
            from("POST", "/www/auftrag")
                .by(SHOP1)
                .body("application/json", b"{")
                .send(),
        ),
        (
            422,
            from("POST", "/www/auftrag")
                .by(SHOP1)
                .json(&json!({}))
                .send(),
        ),
    ] {
        let response = response.expect(status);
        assert_eq!(
            response.header("access-control-allow-origin"),
            Some(SHOP),
            "{response:?}"
        );
        let readable = response.header("access-control-expose-headers").unwrap();
        for name in ["content-language", "location", "x-unknown-parameters"] {
            assert!(
                readable.split(", ").any(|known| known == name),
                "{readable}"
            );
        }
    }
}

// rule: D-REQ-21
#[test]
fn without_the_setting_no_response_names_origins() {
    let server = Server::shared();
    for (path, allow) in paths() {
        let response = preflight(&server, &path, SHOP).expect(204);
        assert_eq!(response.header("allow"), Some(allow.as_str()), "{path}");
        assert_eq!(cors(&response), [""; 0], "{path}");
        assert!(!varies_by_origin(&response), "{path}");
    }
    let response = server
        .get("/www/artikel/BU-1001")
        .by(ADMIN)
        .header("origin", SHOP.as_bytes());
    assert_eq!(cors(&response.send().expect(200)), [""; 0]);
}
