//! HTTP/2 without TLS, as a proxy in front of the server may use it: the responses are the same.

use erp_tests::bodies;
use erp_tests::server::{SHOP1, Server};
use reqwest::{Client, Version};
use serde_json::Value;

/// Sends a request over HTTP/2 and returns status, content type, `Link` and body.
fn send(server: &Server, method: &str, path: &str, body: Vec<u8>) -> (u16, [String; 2], Vec<u8>) {
    let client = Client::builder()
        .http2_prior_knowledge()
        .no_proxy()
        .build()
        .unwrap();
    let method = method.parse().unwrap();
    let url = format!("http://{}{path}", server.address());
    let request = client.request(method, url).bearer_auth(server.token(SHOP1));
    let request = request
        .header("content-type", "application/json")
        .body(body);
    server.wait(async {
        let response = request.send().await.unwrap();
        assert_eq!(response.version(), Version::HTTP_2);
        let field = |name: &str| {
            let value = response
                .headers()
                .get(name)
                .map(|value| value.to_str().unwrap());
            value.unwrap_or_default().to_owned()
        };
        let fields = [field("content-type"), field("link")];
        (
            response.status().as_u16(),
            fields,
            response.bytes().await.unwrap().to_vec(),
        )
    })
}

#[test]
fn the_responses_are_those_of_http_1() {
    let server = Server::shared();
    for path in [
        "/www/artikel/LM-3015",
        "/www/artikel?limit=3&offset=3",
        "/www/artikel?fields=ArtNr,ArtBez",
        "/www/artikel?limit=-1",
        "/www/kunden/10001",
        "/www/nirgends",
        "/www/auftrag/999999",
    ] {
        let old = server.read(path);
        let fields =
            ["content-type", "link"].map(|name| old.header(name).unwrap_or_default().to_owned());
        assert_eq!(
            send(&server, "GET", path, Vec::new()),
            (old.status, fields, old.body),
            "{path}"
        );
    }
}

#[test]
fn orders_are_placed_and_floods_refused() {
    let server = Server::shared();
    let order = bodies::full_order("10001").to_string().into_bytes();
    let (status, _, body) = send(&server, "POST", "/www/auftrag", order);
    assert_eq!(status, 201);
    let number: Value = serde_json::from_slice(&body).unwrap();
    let number = number["data"]["AuftNr"].as_str().unwrap();
    let _ = server.read(&format!("/www/auftrag/{number}")).expect(200);
    for (method, path, body, status) in [
        ("POST", "/www/auftrag", vec![b' '; 10 << 20], 413),
        ("POST", "/www/kunden", b"{".to_vec(), 400),
        ("POST", "/www/kunden", b"{}".to_vec(), 422),
        ("PATCH", "/www/kunden/10001", Vec::new(), 405),
        ("DELETE", "/www/log", Vec::new(), 403),
    ] {
        let (found, fields, body) = send(&server, method, path, body);
        assert_eq!(
            (found, fields[0].as_str()),
            (status, erp_tests::exchange::JSON),
            "{method} {path}"
        );
        let error: Value = serde_json::from_slice(&body).unwrap();
        assert!(
            error["error"].is_string() && error["error_description"].is_string(),
            "{error}"
        );
    }
}
