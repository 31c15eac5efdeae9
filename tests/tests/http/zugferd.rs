//! `POST /www/zugferd`: combine and extract invoices over the interface, and all errors.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use erp_core::zugferd::{ExtractOptions, extract};
use erp_tests::exchange::Exchange;
use erp_tests::golden::golden;
use erp_tests::invoice;
use erp_tests::own_process::in_own_process;
use erp_tests::request::Request;
use erp_tests::server::{ADMIN, SHOP1, Server};
use erp_tests::wait::{PATIENCE, wait_until};
use serde_json::{Value, json};

const PATH: &str = "/www/zugferd";

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/zugferd");
    let path = folder.join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

fn combine_body(pdf: &str, xml: &str) -> Value {
    json!({"Operation": "Combine", "PDF": base64(&fixture(pdf)), "XML": base64(&fixture(xml))})
}

fn extract_body(pdf: &str) -> Value {
    json!({"Operation": "Extract", "PDF": base64(&fixture(pdf))})
}

fn post<'s>(server: &'s Server, body: &Value) -> Request<'s> {
    server.post(PATH).by(SHOP1).json(body)
}

// rule: R-ZUG-02, R-ZUG-03
#[test]
fn an_invoice_is_embedded_and_taken_out_again() {
    let server = Server::shared();
    let (pdf, xml) = (fixture("a3b.pdf"), fixture("xml/facturx-en16931.xml"));
    let body = combine_body("a3b.pdf", "xml/facturx-en16931.xml");
    let combined = post(&server, &body).send().expect(200);
    assert_eq!(combined.header("content-type"), Some("application/pdf"));
    assert_eq!(
        combined.header("content-disposition"),
        Some("attachment; filename=\"invoice.pdf\"")
    );
    assert_eq!(
        combined.header("content-length"),
        Some(combined.body.len().to_string().as_str())
    );
    assert_eq!(combined.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(combined.header("x-pdf-a"), Some("kept"));
    let profile = combined.header("x-invoice-profile").unwrap();
    assert_eq!(
        profile,
        "standard=\"Factur-X\"; level=\"EN 16931\"; type=\"INVOICE\"; guideline=\"urn:cen.eu:en16931:2017\""
    );
    assert!(combined.body.starts_with(&pdf), "the input stays as it is");
    assert_eq!(
        extract(&combined.body, &ExtractOptions::default())
            .unwrap()
            .xml,
        xml
    );

    let body = json!({"Operation": "Extract", "PDF": base64(&combined.body)});
    let extracted = post(&server, &body)
        .header("accept-encoding", b"gzip, br")
        .send()
        .expect(200);
    assert_eq!(extracted.header("content-encoding"), None);
    assert_eq!(extracted.header("content-type"), Some("application/xml"));
    assert_eq!(
        extracted.header("content-disposition"),
        Some("attachment; filename=\"factur-x.xml\"")
    );
    assert_eq!(extracted.header("x-invoice-profile"), Some(profile));
    assert_eq!(extracted.header("x-pdf-a"), None);
    assert!(extracted.body == xml, "the bytes are as embedded");
}

// rule: R-ZUG-02, R-ERR-08
#[test]
fn the_responses_are_the_golden_ones() {
    let server = Server::shared();
    let extracted = post(&server, &extract_body("hybrid-facturx-minimum.pdf"))
        .send()
        .expect(200);
    golden(&server, "zugferd-extract", &extracted);
    for (name, status, body) in [
        (
            "zugferd-no-pdf",
            400,
            json!({"Operation": "Extract", "PDF": "aGFsbG8="}),
        ),
        ("zugferd-no-invoice", 400, extract_body("a3b.pdf")),
        (
            "zugferd-ubl",
            400,
            combine_body("a3b.pdf", "xml/no-ubl-invoice.xml"),
        ),
        (
            "zugferd-encrypted",
            400,
            combine_body("enc-aes256-owner-only.pdf", "xml/facturx-basic.xml"),
        ),
        ("zugferd-empty-body", 422, json!({})),
        (
            "zugferd-all-problems",
            422,
            json!({"Operation": "Split", "PDF": "a:b=", "XML": 7, "Verbose": "yes", "Debug": 1}),
        ),
    ] {
        let response = post(&server, &body).send().expect(status);
        golden(&server, name, &response);
    }
}

// rule: R-ZUG-03
#[test]
fn pdf_a_can_be_required_and_encryption_removed() {
    let server = Server::with(&[("zugferd_require", "pdfa"), ("zugferd_decrypt", "true")]);
    let body = combine_body("plain-helvetica.pdf", "xml/facturx-basic.xml");
    let refused = post(&server, &body).send().expect(400).json();
    assert_eq!(refused["error"], "endpoint");
    let steps = refused["info"]["subprocess_output"].to_string();
    assert!(
        steps.contains("no PDF/A") && steps.contains("Helvetica"),
        "{refused}"
    );

    let server = Server::with(&[("zugferd_decrypt", "true")]);
    let body = combine_body("enc-aes256-owner-only.pdf", "xml/facturx-basic.xml");
    let response = post(&server, &body).send().expect(200);
    let extracted = extract(&response.body, &ExtractOptions::default()).unwrap();
    assert!(extracted.xml == fixture("xml/facturx-basic.xml"));
}

// rule: R-ZUG-20
#[test]
fn a_password_in_the_body_opens_a_pdf() {
    let server = Server::shared();
    let mut body = combine_body("enc-aes256-user-password.pdf", "xml/facturx-basic.xml");
    let refused = |body: &Value, status| {
        let response = post(&server, body).send().expect(status);
        String::from_utf8(response.body).unwrap()
    };
    for (password, message) in [
        (json!(null), "and none is given"),
        (json!(""), "and none is given"),
        (
            json!("falsch"),
            "another password than the one that is given",
        ),
    ] {
        body["Passwort"] = password;
        let refused = refused(&body, 400);
        assert!(refused.contains(message), "{refused}");
        assert!(!refused.contains("falsch"), "{refused}");
    }
    body["Passwort"] = json!("geheim".repeat(22));
    let refused = refused(&body, 422);
    assert!(refused.contains("too_long") && refused.contains("Passwort"));
    assert!(!refused.contains("geheim"), "{refused}");
    body["Passwort"] = json!("owner");
    // The password is consent to remove the encryption.
    let response = post(&server, &body).send().expect(200);
    let extracted = extract(&response.body, &ExtractOptions::default()).unwrap();
    assert!(extracted.xml == fixture("xml/facturx-basic.xml"));
    for operation in ["Extract", "Check"] {
        let mut body = extract_body("enc-aes256-user-password.pdf");
        body["Operation"] = json!(operation);
        body["Passwort"] = json!("user");
        let _ = post(&server, &body).send().expect(200);
    }
}

// rule: R-ERR-08, R-LIM-07
#[test]
fn hostile_files_end_in_a_response() {
    // 8 MiB after decoding.
    let server = Server::with(&[("zugferd_body_bytes", "2097152")]);
    let mut count = 0;
    for prefix in ["bomb-", "deep-", "huge-", "loop-", "no-"] {
        for path in fixtures(prefix) {
            let pdf = base64(&std::fs::read(&path).unwrap());
            if pdf.is_empty() {
                continue;
            }
            let xml = base64(&fixture("xml/facturx-basic.xml"));
            for operation in ["Extract", "Combine"] {
                let body = json!({"Operation": operation, "PDF": pdf, "XML": xml});
                let response = post(&server, &body).send();
                let refused = response.status == 400 && response.json()["error"] == "endpoint";
                assert!(
                    response.status == 200 || refused,
                    "{}: {response:?}",
                    path.display()
                );
                count += 1;
            }
        }
    }
    assert!(count >= 40, "{count}");
}

fn fixtures(prefix: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/zugferd");
    let files = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    paths.retain(|path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with(prefix) && name.ends_with(".pdf")
    });
    paths.sort();
    paths
}

// rule: R-LIM-07
#[test]
fn the_body_has_its_own_limit() {
    let server = Server::with(&[
        ("zugferd_body_bytes", "3000000"),
        ("json_body_bytes", "1024"),
    ]);
    let mut body = extract_body("hybrid-facturx-basic.pdf");
    body["Zusatz"] = json!("x".repeat(2_000_000));
    let _ = post(&server, &body).send().expect(200);
    body["Zusatz"] = json!("x".repeat(3_000_000));
    let refused = post(&server, &body).send().expect(413).json();
    assert_eq!(refused["info"]["limit"], 3_000_000);
}

// rule: R-ZUG-05
#[test]
fn options_need_no_token_and_everything_else_does() {
    let server = Server::with(&[("cors_origins", "https://shop.example.com")]);
    let response = server
        .call("OPTIONS", PATH)
        .header("origin", b"https://shop.example.com")
        .send()
        .expect(204);
    assert_eq!(response.header("allow"), Some("OPTIONS, POST"));
    assert_eq!(
        response.header("access-control-allow-methods"),
        Some("OPTIONS, POST")
    );
    assert_eq!(
        response.header("access-control-allow-origin"),
        Some("https://shop.example.com")
    );
    let exposed = response.header("access-control-expose-headers").unwrap();
    for name in ["x-pdf-a", "x-invoice-profile", "content-disposition"] {
        assert!(exposed.contains(name), "{exposed}");
    }
    let body = extract_body("hybrid-facturx-basic.pdf");
    let _ = server.post(PATH).json(&body).send().expect(401);
    let _ = server
        .post(PATH)
        .bearer("wrong")
        .json(&body)
        .send()
        .expect(401);
    let _ = server.post(PATH).by(ADMIN).json(&body).send().expect(200);
    let refused = server.read(PATH).expect(405);
    assert_eq!(refused.header("allow"), Some("OPTIONS, POST"));
}

// rule: D-ZUG-06
#[test]
fn a_key_is_checked_and_changes_nothing() {
    let server = Server::shared();
    let body = extract_body("hybrid-facturx-basic.pdf");
    let other = extract_body("hybrid-facturx-minimum.pdf");
    let send = |body: &Value, key: &[u8]| post(&server, body).header("idempotency-key", key).send();
    let first = send(&body, b"one").expect(200);
    let again = send(&body, b"one").expect(200);
    assert!(first.body == again.body);
    assert_eq!(again.header("idempotent-replayed"), None);
    assert!(send(&other, b"one").expect(200).body != first.body);
    send(&body, b"").refused(400, "malformed");
}

/// A connection that has sent its header and part of a body, and continues later.
struct Slow {
    stream: TcpStream,
    rest: Vec<u8>,
}

impl Slow {
    fn begin(server: &Server, body: &[u8], now: usize) -> Self {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let head = format!(
            "POST {PATH} HTTP/1.1\r\nHost: {}\r\n{}Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            server.address(),
            server.authorization(SHOP1),
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        // The server may refuse the body before all of this has come.
        let _ = stream.write_all(&body[..now]);
        Self {
            stream,
            rest: body[now..].to_vec(),
        }
    }

    /// Whether the server has responded already, because it refuses the body.
    fn is_refused(&self) -> bool {
        self.stream.set_nonblocking(true).unwrap();
        let responded = self.stream.peek(&mut [0]).is_ok();
        self.stream.set_nonblocking(false).unwrap();
        responded
    }

    /// Sends the rest and returns the response; nothing of it where the server closes what it has refused.
    fn finish(mut self) -> String {
        let _ = self.stream.write_all(&self.rest);
        let mut response = Vec::new();
        let _ = self.stream.read_to_end(&mut response);
        String::from_utf8_lossy(&response).into_owned()
    }
}

#[test]
fn bodies_beyond_the_memory_are_503_with_retry_after() {
    // Eight bodies of this length fit into the memory.
    let server = Server::with(&[("zugferd_body_bytes", "1048576")]);
    let mut body = extract_body("hybrid-facturx-basic.pdf");
    body["Zusatz"] = json!("x".repeat(1_000_000));
    let bytes = body.to_string().into_bytes();
    // When the server has read them but for their ends, there is no memory for another one.
    let mut slow: Vec<Slow> = Vec::new();
    let mut refused = None;
    wait_until("the slow bodies use the memory", || {
        // One that was read beside the fast body below may have been refused.
        slow.retain(|slow| !slow.is_refused());
        slow.resize_with(8, || Slow::begin(&server, &bytes, bytes.len() - 10));
        let response = post(&server, &body).send_unchecked();
        assert!(matches!(response.status, 200 | 503), "{response:?}");
        refused = Some(response).filter(|response| response.status == 503);
        refused.is_some()
    });
    let refused: Exchange = refused.unwrap();
    refused.refused(503, "unavailable");
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(
        refused.header("content-type"),
        Some(erp_tests::exchange::JSON)
    );
    // A small body fits into the memory, and what was read of the slow ones gets its responses at the end.
    let _ = post(&server, &extract_body("hybrid-facturx-basic.pdf"))
        .send()
        .expect(200);
    let ends: Vec<String> = slow.into_iter().map(Slow::finish).collect();
    let (done, other): (Vec<_>, Vec<_>) =
        ends.iter().partition(|end| end.starts_with("HTTP/1.1 200"));
    assert!(!done.is_empty(), "{other:?}");
    for end in other {
        assert!(end.is_empty() || end.starts_with("HTTP/1.1 503"), "{end}");
    }
    let _ = post(&server, &body).send().expect(200);
}

#[test]
fn the_memory_of_a_disconnected_client_is_released() {
    // Eight bodies of this length fit into the memory.
    let server = Server::with(&[("zugferd_body_bytes", "1048576")]);
    let mut body = extract_body("hybrid-facturx-basic.pdf");
    body["Zusatz"] = json!("x".repeat(1_000_000));
    let bytes = body.to_string().into_bytes();
    for _ in 0..12 {
        drop(Slow::begin(&server, &bytes, bytes.len() - 10));
    }
    wait_until("the memory is free again", || {
        post(&server, &body).send_unchecked().status == 200
    });
}

#[test]
fn a_request_has_a_time_of_its_own() {
    let server = Server::with(&[
        ("zugferd_timeout_seconds", "1"),
        ("request_timeout_seconds", "60"),
    ]);
    let body = extract_body("hybrid-facturx-basic.pdf")
        .to_string()
        .into_bytes();
    let mut slow = Slow::begin(&server, &body, 10);
    let mut response = [0; 12];
    slow.stream.read_exact(&mut response).unwrap();
    assert_eq!(&response, b"HTTP/1.1 408");
}

// rule: D-ERR-09
#[test]
fn work_ends_with_its_request() {
    let server = Server::with(&[
        ("zugferd_timeout_seconds", "3"),
        ("zugferd_parallel", "2"),
        // 4 GiB after decoding.
        ("zugferd_body_bytes", "1073741824"),
    ]);
    let body = json!({
        "Operation": "Combine",
        "PDF": base64(&invoice::long_work()),
        "XML": base64(&fixture("xml/facturx-basic.xml")),
    });
    for _ in 0..2 {
        let refused = post(&server, &body).send_unchecked().expect(503).json();
        assert_eq!(
            (&refused["error"], &refused["info"]),
            (&json!("unavailable"), &json!({}))
        );
    }
    wait_until("a worker is free", || {
        post(&server, &extract_body("hybrid-facturx-basic.pdf"))
            .send_unchecked()
            .status
            == 200
    });
}

/// The only folder of work files of a request.
fn work_folder(server: &Server, id: &str) -> PathBuf {
    server.folder().join("data/zugferd-work").join(id)
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn report(folder: &Path) -> Value {
    let report = std::fs::read(folder.join("report.json")).unwrap();
    serde_json::from_slice(&report).unwrap()
}

fn send_as(server: &Server, id: &str, body: &Value) -> Exchange {
    post(server, body)
        .header("x-request-id", id.as_bytes())
        .send()
}

// rule: R-ZUG-04
#[test]
fn debug_keeps_the_files_of_a_request() {
    let server = Server::with(&[("zugferd_debug", "true")]);
    let mut body = combine_body("plain-helvetica.pdf", "xml/facturx-basic.xml");
    let quiet = send_as(&server, "quiet", &body).expect(200);
    assert!(!server.folder().join("data/zugferd-work").exists());
    body["Debug"] = json!(true);
    let kept = send_as(&server, "kept.1", &body).expect(200);
    assert_eq!(kept.header("x-pdf-a"), quiet.header("x-pdf-a"));
    let folder = work_folder(&server, "kept.1");
    assert_eq!(
        names(&folder),
        ["input.pdf", "input.xml", "output.pdf", "report.json"]
    );
    for (name, expected) in [
        ("input.pdf", fixture("plain-helvetica.pdf")),
        ("input.xml", fixture("xml/facturx-basic.xml")),
        ("output.pdf", kept.body),
    ] {
        let file = std::fs::read(folder.join(name)).unwrap();
        assert!(file == expected, "{name}");
    }
    let report = report(&folder);
    assert_eq!(report["request_id"], "kept.1");
    assert_eq!(report["operation"], "Combine");
    assert_eq!(report["pdf_a"]["outcome"], "not-claimed");
    assert_eq!(report["profile"]["standard"], "Factur-X");
    assert!(report["steps"].as_array().unwrap().len() >= 3, "{report}");
}

// rule: R-ZUG-04
#[test]
fn debug_keeps_a_failure_and_a_check_without_an_output_file() {
    let server = Server::with(&[("zugferd_debug", "true")]);
    let mut failing = extract_body("a3b.pdf");
    failing["Debug"] = json!(true);
    // An id with a path to another folder stays inside the folder.
    let _ = send_as(&server, "..", &failing).expect(400);
    assert_eq!(
        names(&work_folder(&server, "_..")),
        ["input.pdf", "report.json"]
    );
    // The result of a check is in the report.
    let check = json!({"Operation": "Check", "XML": base64(b"<a>"), "Debug": true});
    let _ = send_as(&server, "check", &check).expect(200);
    let folder = work_folder(&server, "check");
    assert_eq!(names(&folder), ["input.xml", "report.json"]);
    let report = report(&folder);
    assert_eq!(report["check"]["findings"][0]["rule"], "ERP-XML");
}

// rule: R-ZUG-04
/// A process has one log, so everything that is logged is in one test.
#[test]
fn verbose_logs_the_steps() {
    in_own_process(module_path!(), "verbose_logs_the_steps", || {
        let server = Server::with_log(&[("zugferd_debug", "true")]);
        let mut body = combine_body("plain-helvetica.pdf", "xml/facturx-basic.xml");
        let _ = send_as(&server, "quiet", &body).expect(200);
        body["Debug"] = json!(true);
        let _ = send_as(&server, "kept.1", &body).expect(200);
        let check = json!({"Operation": "Check", "XML": base64(b"<a>"), "Verbose": true});
        let _ = send_as(&server, "check", &check).expect(200);
        let mut verbose = extract_body("odd-two-invoices.pdf");
        verbose["Verbose"] = json!(true);
        let _ = send_as(&server, "verbose", &verbose).expect(200);
        let mut locked = extract_body("enc-aes256-user-password.pdf");
        for switch in ["Verbose", "Debug"] {
            locked[switch] = json!(true);
        }
        locked["Passwort"] = json!("geheim");
        let _ = send_as(&server, "locked", &locked).expect(400);
        let report = report(&work_folder(&server, "locked"));
        assert!(!report.to_string().contains("geheim"), "{report}");
        the_steps_are_logged(&server.log_text());
    });
}

fn the_steps_are_logged(text: &str) {
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of = |id: &str, message: &str| -> Vec<&Value> {
        let found = lines
            .iter()
            .filter(|line| line["request_id"] == id && line["message"] == message);
        found.collect()
    };
    assert_eq!(of("quiet", "e-invoice").len(), 1, "{text}");
    assert_eq!(of("quiet", "e-invoice")[0]["outcome"], "not-claimed");
    assert!(of("quiet", "e-invoice step").is_empty());
    let listed = of("kept.1", "e-invoice work files kept");
    assert_eq!(listed[0]["folder"], "zugferd-work/kept.1");
    assert_eq!(
        listed[0]["files"],
        "input.pdf, input.xml, output.pdf, report.json"
    );
    let steps = of("verbose", "e-invoice step");
    assert!(steps.len() >= 3, "{text}");
    let is_left_out = |line: &&Value| line["step"].as_str().unwrap().contains("another invoice");
    assert!(steps.iter().any(is_left_out), "{text}");
    assert_eq!(of("check", "e-invoice")[0]["outcome"], "not-checked");
    let steps = of("check", "e-invoice step");
    assert_eq!(steps[0]["step"], "not checked: ERP-XML in line 1");
    let steps = of("locked", "e-invoice step");
    assert!(steps.len() > 1 && !text.contains("geheim"), "{text}");
    // No content of the invoices.
    assert!(!text.contains("CrossIndustryInvoice") && !text.contains("%PDF"));
}

// rule: R-ZUG-04
#[test]
fn debug_of_a_shop_is_ignored_without_the_setting_and_an_admin_needs_none() {
    let server = Server::with(&[]);
    let mut body = combine_body("plain-helvetica.pdf", "xml/facturx-basic.xml");
    body["Debug"] = json!(true);
    let _ = send_as(&server, "shop", &body).expect(200);
    assert!(!server.folder().join("data/zugferd-work").exists());
    let request = server.post("/www/zugferd").by(ADMIN);
    let request = request.header("x-request-id", b"admin").json(&body);
    let _ = request.send().expect(200);
    assert_eq!(names(&work_folder(&server, "admin")).len(), 4);
}
