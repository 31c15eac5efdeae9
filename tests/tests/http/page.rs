//! A folder of web pages, served at `/`.

use std::fs;
use std::path::Path;

use erp_tests::exchange::{Exchange, JSON};
use erp_tests::server::Server;
use tempfile::TempDir;

const NOT_FOUND: &str =
    r#"{"error":"not_found","error_description":"there is no such path","info":{}}"#;

/// A page with a folder in it, and a file outside that must not be readable.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page");
    fs::create_dir_all(page.join("part")).unwrap();
    fs::write(folder.path().join("secret.txt"), "secret").unwrap();
    for (name, text) in [
        ("index.html", "<!doctype html><title>Shop</title>"),
        ("style.css", "body{}"),
        ("part/a.js", "export {};"),
        ("part/a.wasm", "\0asm\u{1}\0\0\0"),
        ("icon.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>"),
        ("notes.md", "not for browsers"),
    ] {
        fs::write(page.join(name), text).unwrap();
    }
    #[cfg(unix)]
    for (to, name) in [("../secret.txt", "link.txt"), ("..", "up")] {
        std::os::unix::fs::symlink(to, page.join(name)).unwrap();
    }
    folder
}

fn server(folder: &Path) -> Server {
    Server::with(&[("page_dir", folder.join("page").to_str().unwrap())])
}

/// Without the checks for responses of the interface, because this is a web page.
fn get(server: &Server, path: &str) -> Exchange {
    server.get(path).send_unchecked()
}

#[test]
fn files_come_with_their_types_and_a_strict_policy() {
    let folder = folder();
    let server = server(folder.path());
    for (path, content_type) in [
        ("/", "text/html; charset=utf-8"),
        ("/index.html", "text/html; charset=utf-8"),
        ("/style.css", "text/css; charset=utf-8"),
        ("/part/a.js", "text/javascript; charset=utf-8"),
        ("/part/a.wasm", "application/wasm"),
        ("/icon.svg", "image/svg+xml"),
    ] {
        let file = get(&server, path).expect(200);
        assert_eq!(file.header("content-type"), Some(content_type), "{path}");
        assert_eq!(file.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(file.header("cache-control"), Some("no-cache"));
        let policy = file.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'self'; script-src 'self' 'wasm-unsafe-eval';"));
        assert!(!policy.contains("unsafe-inline") && !policy.contains('*'));
    }
    let index = get(&server, "/");
    assert_eq!(index.text(), "<!doctype html><title>Shop</title>");
    assert_eq!(index.body, get(&server, "/?a=b").body);
}

#[test]
fn a_file_the_browser_has_is_not_sent_again() {
    let folder = folder();
    let server = server(folder.path());
    let first = get(&server, "/style.css").expect(200);
    let tag = first.header("etag").unwrap().to_owned();
    let with_tag = |tag: &str| {
        server
            .get("/style.css")
            .header("if-none-match", tag.as_bytes())
            .send_unchecked()
    };
    for known in [tag.as_str(), &format!("\"x\", W/{tag}"), "*"] {
        let again = with_tag(known).expect(304);
        assert!(again.body.is_empty() && again.header("etag") == Some(tag.as_str()));
    }
    assert_eq!(with_tag("\"x\"").expect(200).body, first.body);
    assert_ne!(get(&server, "/").header("etag"), Some(tag.as_str()));
}

#[test]
fn modules_are_compressed_and_cached() {
    let folder = folder();
    let module = vec![7; 5_000];
    fs::write(folder.path().join("page/part/large.wasm"), &module).unwrap();
    let server = server(folder.path());
    let with_tag = |tag: &str| {
        server
            .get("/part/large.wasm")
            .header("accept-encoding", b"gzip")
            .header("if-none-match", tag.as_bytes())
            .send_unchecked()
    };
    let packed = with_tag("\"x\"").expect(200);
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    assert_eq!(packed.header("content-type"), Some("application/wasm"));
    assert!(packed.body.len() < 500);
    let _ = with_tag(packed.header("etag").unwrap()).expect(304);
    assert_eq!(get(&server, "/part/large.wasm").body, module);
}

#[test]
fn only_get_and_head_are_allowed() {
    let folder = folder();
    let server = server(folder.path());
    let head = server
        .call("HEAD", "/part/a.js")
        .send_unchecked()
        .expect(200);
    assert!(head.body.is_empty());
    assert_eq!(head.header("content-length"), Some("10"));
    let post = server.post("/index.html").send().expect(405);
    assert_eq!(post.header("allow"), Some("GET, HEAD, OPTIONS"));
    let options = server.call("OPTIONS", "/").send().expect(204);
    assert_eq!(options.header("allow"), Some("GET, HEAD, OPTIONS"));
}

#[test]
fn nothing_else_can_be_read() {
    let folder = folder();
    let server = server(folder.path());
    for path in [
        "/../secret.txt",
        "/part/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/%2e%2e%2fsecret.txt",
        "/part/%2E%2E/%2E%2E/secret.txt",
        "/..%5csecret.txt",
        "//secret.txt/..",
        "/link.txt",
        "/up/secret.txt",
        "/up/page/index.html",
        "/notes.md",
        "/part",
        "/part/",
        "/index.html%00.css",
        "/STYLE.CSS",
        "/nothing",
    ] {
        let request = format!("GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        let responses = server.raw(request.as_bytes(), 1);
        let response = &responses[0];
        assert_eq!(
            (response.status, response.text().as_str()),
            (404, NOT_FOUND),
            "{path}"
        );
        assert_eq!(response.header("content-type"), Some(JSON), "{path}");
    }
    let _ = server.post("/nothing").send().expect(404);
}

#[test]
fn paths_of_the_interface_take_precedence_over_the_page() {
    let folder = folder();
    let page = folder.path().join("page");
    fs::create_dir_all(page.join("www/kunden")).unwrap();
    fs::write(page.join("www/kunden/index.html"), "a page").unwrap();
    let server = server(folder.path());
    let _ = server.get("/www/artikel").send().expect(401);
    let _ = server.read("/www/artikel?limit=1").expect(200);
    assert_eq!(
        server
            .get("/www/kunden/index.html")
            .send()
            .expect(401)
            .text(),
        { server.get("/www/kunden/10001").send().text() }
    );
    let _ = server.get("/health").send().expect(200);
}

#[test]
fn without_the_setting_the_documentation_is_the_page() {
    let server = Server::shared();
    let home = get(&server, "/").expect(307);
    assert_eq!(home.header("location"), Some("docs"));
    assert!(home.body.is_empty());
    let not_found = server.get("/index.html").send().expect(404);
    assert_eq!(not_found.text(), NOT_FOUND);
}

#[test]
fn the_console_is_served_from_the_program() {
    let folder = folder();
    fs::create_dir_all(folder.path().join("page/console")).unwrap();
    for name in ["main.js", "late.js"] {
        fs::write(folder.path().join("page/console").join(name), "a page").unwrap();
    }
    let server = server(folder.path());
    let index = get(&server, "/console").expect(200);
    assert_eq!(
        index.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    for path in ["/console/", "/console/index.html", "/console?a=b"] {
        assert_eq!(get(&server, path).expect(200).body, index.body, "{path}");
    }
    for (path, content_type) in [
        ("/console/main.js", "text/javascript; charset=utf-8"),
        ("/console/style.css", "text/css; charset=utf-8"),
        ("/console/icon.svg", "image/svg+xml"),
        ("/console/sample-valid.xml", "application/xml"),
    ] {
        let file = get(&server, path).expect(200);
        assert_eq!(file.header("content-type"), Some(content_type), "{path}");
        let policy = file.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'self';") && !policy.contains("unsafe-inline"));
        assert_ne!(file.text(), "a page");
    }
    // Other names are served from the folder.
    assert_eq!(get(&server, "/console/late.js").text(), "a page");
    // Only a demo shows that it is a demo.
    for path in [
        "/consolex",
        "/console/nothing",
        "/console/demo.json",
        "/console/../console.rs",
    ] {
        let _ = server.get(path).send().expect(404);
    }
    let _ = server.post("/console").send().expect(405);
}
