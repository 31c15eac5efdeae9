//! Bytes of a malicious client that no HTTP library sends. The server returns its own error body or, if the HTTP
//! library rejects the bytes before there is a request, an empty 400, 414 or 431.

use erp_tests::bodies;
use erp_tests::exchange::Exchange;
use erp_tests::server::{SHOP1, Server};

const LIMIT: usize = 1 << 20;

/// A request with the token of a shop; `fields` are header lines that end with `\r\n`.
fn request(server: &Server, line: &str, fields: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "{line} HTTP/1.1\r\nHost: {}\r\n{}{fields}\r\n",
        server.address(),
        server.authorization(SHOP1)
    );
    [head.as_bytes(), body].concat()
}

fn json_request(server: &Server, line: &str, fields: &str, body: &[u8]) -> Vec<u8> {
    request(
        server,
        line,
        &format!("Content-Type: application/json\r\n{fields}"),
        body,
    )
}

fn one(server: &Server, bytes: &[u8]) -> Exchange {
    let mut responses = server.raw(bytes, 1);
    assert_eq!(
        responses.len(),
        1,
        "a response to {}",
        String::from_utf8_lossy(&bytes[..bytes.len().min(200)])
    );
    responses.remove(0)
}

fn chunked(body: &[u8], size: usize) -> Vec<u8> {
    let mut coded = Vec::new();
    for chunk in body.chunks(size) {
        coded.extend(format!("{:x}\r\n", chunk.len()).bytes());
        coded.extend(chunk);
        coded.extend(b"\r\n");
    }
    coded.extend(b"0\r\n\r\n");
    coded
}

/// The response to a request with a JSON body.
fn ask(server: &Server, line: &str, fields: &str, body: &[u8]) -> Exchange {
    one(server, &json_request(server, line, fields, body))
}

/// The response to a request without a body.
fn get(server: &Server, line: &str, fields: &str) -> Exchange {
    one(server, &request(server, line, fields, b""))
}

/// A body of a customer, padded with spaces to this many bytes.
fn padded(bytes: usize) -> Vec<u8> {
    let mut body = bodies::customer().to_string().into_bytes();
    body.resize(bytes, b' ');
    body
}

// rule: R-LIM-01
#[test]
fn a_body_of_ten_megabytes_is_refused_however_it_comes() {
    let server = Server::shared();
    let large = vec![b' '; 10 << 20];
    let length = format!("Content-Length: {}\r\n", large.len());
    for line in [
        "POST /www/auftrag",
        "POST /www/kunden",
        "PUT /www/kunden/10001",
        "POST /admin/import",
    ] {
        let counted = ask(&server, line, &length, &large);
        let pieces = ask(
            &server,
            line,
            "Transfer-Encoding: chunked\r\n",
            &chunked(&large, 60_000),
        );
        let expected = if line.ends_with("import") {
            (403, "insufficient_scope")
        } else {
            (413, "too_large")
        };
        for response in [counted, pieces] {
            let (status, code) = response.refusal();
            assert_eq!((status, code.as_str()), expected, "{line}");
        }
    }
    // On a path that takes no body, none is read.
    let response = one(
        &server,
        &request(&server, "GET /www/artikel/BU-1001", &length, &large),
    );
    assert_eq!(response.status, 200);
}

// rule: R-LIM-01
#[test]
fn the_limit_counts_to_the_byte() {
    let server = Server::shared();
    for (bytes, status) in [(LIMIT, 201), (LIMIT + 1, 413)] {
        let body = padded(bytes);
        let length = format!("Content-Length: {bytes}\r\n");
        assert_eq!(
            ask(&server, "POST /www/kunden", &length, &body).status,
            status
        );
        let pieces = chunked(&body, 9_999);
        assert_eq!(
            ask(
                &server,
                "POST /www/kunden",
                "Transfer-Encoding: chunked\r\n",
                &pieces
            )
            .status,
            status
        );
    }
}

#[test]
fn a_false_length_affects_no_other_client() {
    let server = Server::shared();
    let body = bodies::customer().to_string().into_bytes();
    let before = get(&server, "GET /www/kunden/10001", "").text();
    // The declared length is too small: the rest is not treated as a request.
    let short = json_request(
        &server,
        "POST /www/kunden",
        "Content-Length: 2\r\n",
        &[b"{}", body.as_slice()].concat(),
    );
    let responses = server.raw(&short, 2);
    assert_eq!(responses[0].status, 422);
    assert!(
        responses.iter().skip(1).all(Exchange::is_before_http),
        "{responses:?}"
    );
    // The declared length is too large, and the connection ends.
    for missing in [1, 1_000_000] {
        let fields = format!("Content-Length: {}\r\n", body.len() + missing);
        let responses =
            server.raw_then_close(&json_request(&server, "POST /www/kunden", &fields, &body));
        assert!(
            responses.iter().all(|response| response.status == 400),
            "{responses:?}"
        );
    }
    let responses = server.raw_then_close(&json_request(
        &server,
        "POST /www/kunden",
        "Transfer-Encoding: chunked\r\n",
        b"ff\r\n{\r\n",
    ));
    assert!(
        responses.iter().all(|response| response.status == 400),
        "{responses:?}"
    );
    assert_eq!(get(&server, "GET /www/kunden/10001", "").text(), before);
}

#[test]
fn lengths_that_contradict_do_not_smuggle_a_request() {
    let server = Server::shared();
    let smuggled = format!(
        "GET /www/artikel/BU-1002 HTTP/1.1\r\nHost: x\r\n{}\r\n",
        server.authorization(SHOP1)
    );
    for fields in [
        "Content-Length: 0\r\nContent-Length: 5\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: abc\r\n",
        "Content-Length: 0x10\r\n",
        "Content-Length: 99999999999999999999999\r\n",
        "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding: chunked, gzip\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
    ] {
        let response = ask(&server, "POST /www/kunden", fields, smuggled.as_bytes());
        assert!(
            response.is_before_http() || matches!(response.status, 400 | 411 | 413 | 415),
            "{fields}: {response:?}"
        );
    }
    // Both headers at once: whichever applies, the text of the body never becomes a separate request.
    let both = json_request(
        &server,
        "POST /www/kunden",
        "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n",
        format!("{:x}\r\n{smuggled}\r\n0\r\n\r\n", smuggled.len()).as_bytes(),
    );
    let responses = server.raw(
        &[
            both,
            request(
                &server,
                "GET /www/artikel/BU-1001",
                "Connection: close\r\n",
                b"",
            ),
        ]
        .concat(),
        3,
    );
    assert!(
        responses
            .iter()
            .all(|response| !response.text().contains("BU-1002")),
        "{responses:?}"
    );
}

#[test]
fn broken_chunks_are_malformed() {
    let server = Server::shared();
    for chunks in [
        "zz\r\n{}\r\n0\r\n\r\n",
        "2\r\n{}xx0\r\n\r\n",
        "-2\r\n{}\r\n0\r\n\r\n",
        "ffffffffffffffffff\r\n{}\r\n0\r\n\r\n",
        "2;x\n{}\r\n0\r\n\r\n",
    ] {
        let response = ask(
            &server,
            "POST /www/kunden",
            "Transfer-Encoding: chunked\r\n",
            chunks.as_bytes(),
        );
        assert!(
            matches!(response.status, 400 | 422),
            "{chunks:?}: {response:?}"
        );
    }
    let trailers = json_request(
        &server,
        "POST /www/kunden",
        "Transfer-Encoding: chunked\r\n",
        b"2\r\n{}\r\n0\r\nX-Evil: 1\r\n\r\n",
    );
    assert_eq!(one(&server, &trailers).status, 422);
}

#[test]
fn a_client_that_waits_for_100_continue_gets_it() {
    let server = Server::shared();
    let body = bodies::customer().to_string().into_bytes();
    let fields = |length: usize| format!("Content-Length: {length}\r\nExpect: 100-continue\r\n");
    let responses = server.raw(
        &json_request(&server, "POST /www/kunden", &fields(body.len()), &body),
        2,
    );
    assert_eq!(
        responses
            .iter()
            .map(|response| response.status)
            .collect::<Vec<_>>(),
        [100, 201]
    );
    // The declared length is too large, and no byte of the body was sent yet.
    let refused = ask(&server, "POST /www/kunden", &fields(10 << 20), b"");
    refused.refused(413, "too_large");
    let head = format!(
        "POST /www/kunden HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\nExpect: 100-continue\r\n\r\n",
        10 << 20
    );
    one(&server, head.as_bytes()).refused(401, "invalid_token");
    let odd = get(
        &server,
        "GET /www/artikel/BU-1001",
        "Expect: the-unexpected\r\n",
    );
    assert!(matches!(odd.status, 200 | 417), "{odd:?}");
}

#[test]
fn pipelined_requests_get_responses_in_order() {
    let server = Server::shared();
    let body = bodies::customer().to_string().into_bytes();
    let length = format!("Content-Length: {}\r\n", body.len());
    let all = [
        request(&server, "GET /www/artikel/BU-1001", "", b""),
        json_request(&server, "POST /www/kunden", &length, &body),
        request(&server, "GET /www/nirgends", "", b""),
        request(&server, "GET /www/artikel?limit=0&fields=ArtNr", "", b""),
        json_request(&server, "POST /www/kunden", "Content-Length: 1\r\n", b"{"),
        request(&server, "GET /www/artikel/BU-1002", "", b""),
    ];
    let responses = server.raw(&all.concat(), all.len());
    assert_eq!(
        responses
            .iter()
            .map(|response| response.status)
            .collect::<Vec<_>>(),
        [200, 201, 404, 200, 400, 200]
    );
    assert_eq!(
        (
            responses[0].data()["ArtNr"].clone(),
            responses[5].data()["ArtNr"].clone()
        ),
        ("BU-1001".into(), "BU-1002".into())
    );
    let many = request(&server, "GET /www/artikel/BU-1001", "", b"").repeat(50);
    assert_eq!(
        server
            .raw(&many, 50)
            .iter()
            .filter(|response| response.status == 200)
            .count(),
        50
    );
}

// rule: D-NET-14
#[test]
fn a_missing_or_evil_host_never_reaches_a_link() {
    let server = Server::shared();
    let with_host = |host: &str| {
        let bytes = format!(
            "GET /www/artikel?limit=1 HTTP/1.1\r\n{host}{}\r\n",
            server.authorization(SHOP1)
        );
        one(&server, bytes.as_bytes())
    };
    with_host("").refused(400, "malformed");
    for host in [
        "\"><script>",
        "a b",
        "evil.example/path",
        "user@evil.example",
        "evil.example:port",
        "[::1",
        "a\tb",
        "%0d%0aX:",
        "evil,example",
        "ä",
        ":",
        "*",
    ] {
        let response = with_host(&format!("Host: {host}\r\n"));
        assert!(
            response.is_before_http() || response.refusal() == (400, "malformed".to_owned()),
            "{host}: {response:?}"
        );
        assert!(
            !response.text().contains("<script") && response.header("link").is_none(),
            "{response:?}"
        );
    }
    let twice = with_host("Host: a.example\r\nHost: b.example\r\n");
    twice.refused(400, "malformed");
    for line in [
        "GET /health",
        "GET /openapi.json",
        "OPTIONS *",
        "DELETE /nowhere",
    ] {
        let bytes = format!("{line} HTTP/1.1\r\n\r\n");
        let response = one(&server, bytes.as_bytes());
        response.refused(400, "malformed");
    }
    for (host, base) in [
        ("shop.example", "http://shop.example/www/"),
        ("shop.example:81", "http://shop.example:81/www/"),
        ("[::1]:80", "http://[::1]:80/www/"),
    ] {
        let response = with_host(&format!("Host: {host}\r\n"));
        assert!(
            response.json()["links"][0]["href"]
                .as_str()
                .unwrap()
                .starts_with(base),
            "{response:?}"
        );
    }
}

#[test]
fn paths_lead_nowhere_but_to_resources() {
    let server = Server::shared();
    for path in [
        "/../../../../etc/passwd",
        "/www/../../etc/passwd",
        "/www/artikel/../../../etc/passwd",
        "//etc/passwd",
        "/www//artikel/../../x",
        "/www/artikel/..%2f..%2fetc%2fpasswd",
        "/www/artikel/%2e%2e/%2e%2e/etc/passwd",
        "/www/artikel/..%5c..%5cwin.ini",
        "/www/artikel/..",
        "/www/artikel/.",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/www/auftrag/../log",
        "/www/artikel/%00/etc",
        "/www/artikel/BU-1001%00.json",
        "/www/artikel/....//....//etc",
        "/www/auftrag/file:%2f%2f%2fetc%2fpasswd",
        "/www/artikel/${jndi:ldap:x}",
        "/www/artikel/{ArtNr}",
        "/www/kunden/{DebiNr}",
        "/www/artikel/%%%",
        "/www/artikel/%u0041",
        "/www/artikel/%c0%ae%c0%ae",
    ] {
        let response = get(&server, &format!("GET {path}"), "");
        assert!(
            response.is_before_http() || response.refusal() == (404, "not_found".to_owned()),
            "{path}: {response:?}"
        );
        assert!(!response.text().contains("root:"), "{path}: {response:?}");
    }
}

// rule: R-LIM-01
#[test]
fn heads_that_are_too_large_are_refused() {
    let server = Server::shared();
    let field = |bytes: usize| format!("X-Large: {}\r\n", "x".repeat(bytes));
    let line = "GET /www/artikel/BU-1001";
    assert_eq!(get(&server, line, &field(15_000)).status, 200);
    let refused = get(&server, line, &field(18_000));
    refused.refused(431, "headers_too_large");
    for fields in [
        field(1_000_000),
        "X: 1\r\n".repeat(101),
        "X: 1\r\n".repeat(100_000),
    ] {
        let refused = server.raw(&request(&server, line, &fields, b""), 1);
        assert!(
            refused.iter().all(|response| response.status == 431),
            "{refused:?}"
        );
    }
    let uri = |bytes: usize| format!("{line}?fields={}", "x".repeat(bytes));
    get(&server, &uri(9_000), "").refused(414, "uri_too_long");
    let path = format!("GET /www/{}", "x".repeat(9_000));
    get(&server, &path, "").refused(414, "uri_too_long");
    let beyond = get(&server, &uri(70_000), "");
    assert!(beyond.status == 431, "{beyond:?}");
}

// rule: R-ERR-01
#[test]
fn bytes_that_are_not_http_get_no_page() {
    let server = Server::shared();
    for bytes in [
        &b"\0\0\0\0\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1 x\r\n\r\n",
        b"GET  / HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET / HTTP/1.1\r\nX : 1\r\n\r\n",
        b"GET / HTTP/1.1\r\n: 1\r\n\r\n",
        b"GET / HTTP/1.1\r\nX: \0\r\n\r\n",
        b"G\xc3\xa4T / HTTP/1.1\r\n\r\n",
        b"GET \x01 HTTP/1.1\r\n\r\n",
        b"HELO example\r\n\r\n",
        b"SSH-2.0-x\r\n\r\n",
        b"\r\n\r\n\r\n\r\nnonsense\r\n\r\n",
    ] {
        let responses = server.raw_then_close(bytes);
        assert!(
            responses
                .iter()
                .all(|response| (400..500).contains(&response.status)),
            "{bytes:?}: {responses:?}"
        );
        assert!(
            responses
                .iter()
                .all(|response| !response.text().contains('<')),
            "{responses:?}"
        );
    }
}

// rule: D-REQ-16
#[test]
fn odd_methods_targets_and_versions_are_refused_or_served() {
    let server = Server::shared();
    for line in [
        "get /www/artikel",
        "FOO /www/artikel",
        "CONNECT example.com:443",
        "GET *",
        "TRACE /",
        "PRI *",
        "GET ?x=1",
        "POST /www/artikel",
        &format!("{} /", "X".repeat(500)),
    ] {
        let responses = server.raw(&request(&server, line, "Connection: close\r\n", b""), 1);
        assert!(
            responses
                .iter()
                .all(|response| (400..500).contains(&response.status)),
            "{line}: {responses:?}"
        );
    }
    let whole = get(&server, "OPTIONS *", "");
    assert_eq!(whole.status, 204, "{whole:?}");
    assert_eq!(
        whole.header("allow"),
        Some("DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT")
    );
    let absolute = get(&server, "GET http://evil.example/www/artikel/BU-1001", "");
    assert!(matches!(absolute.status, 200 | 400), "{absolute:?}");
    let old = format!(
        "GET /www/artikel/BU-1001 HTTP/1.0\r\n{}\r\n",
        server.authorization(SHOP1)
    );
    let response = one(&server, old.as_bytes());
    assert!(matches!(response.status, 200 | 400), "{response:?}");
    let host = format!("Host: {}\r\n\r\n", server.address());
    assert_eq!(
        one(
            &server,
            old.replace("\r\n\r\n", &format!("\r\n{host}")).as_bytes()
        )
        .status,
        200
    );
}

// rule: D-NET-14
#[test]
fn headers_that_must_be_single_are_refused_when_repeated() {
    let server = Server::shared();
    let token = server.authorization(SHOP1);
    for fields in [
        "Authorization: Bearer x\r\n",
        &token,
        "Content-Type: application/json\r\nContent-Type: application/json\r\n",
    ] {
        let response = get(&server, "GET /www/artikel/BU-1001", fields);
        response.refused(400, "malformed");
    }
}

#[test]
fn odd_authorization_fields_are_no_token() {
    let server = Server::shared();
    let token = server.token(SHOP1);
    for field in [
        "Bearer".to_owned(),
        "Bearer ".to_owned(),
        "Bearer  ".to_owned(),
        format!("bearer{token}"),
        format!("Basic {token}"),
        format!("Bearer {token}x"),
        format!("Bearer {}", &token[1..]),
        format!("Bearer {token} {token}"),
        format!("Bearer \"{token}\""),
        "Bearer \u{e4}\u{20ac}".to_owned(),
        format!("Bearer {}", "x".repeat(15_000)),
        token.to_owned(),
        "Bearer ' OR 1=1 --".to_owned(),
        format!("Bearer {}", token.to_uppercase()),
    ] {
        let bytes = format!(
            "GET /www/artikel/BU-1001 HTTP/1.1\r\nHost: x\r\nAuthorization: {field}\r\n\r\n"
        );
        one(&server, bytes.as_bytes()).refused(401, "invalid_token");
    }
    let loose = format!(
        "GET /www/artikel/BU-1001 HTTP/1.1\r\nHost: x\r\nauthorization:   bEaReR   {token}  \r\n\r\n"
    );
    assert_eq!(one(&server, loose.as_bytes()).status, 200);
}
