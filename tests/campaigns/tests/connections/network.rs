//! Slow, silent and abusive clients, unix sockets, and limits in responses, tested over raw sockets.
//!
//! Time limits are set to one second. No test asserts a duration, only the result.

use std::fs;
use std::io::{ErrorKind, Read, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

use crate::company::{Company, SILENCE, header, json, send_request};
use erp_campaigns::http2::{PREFACE, frame, frames, get};
use erp_tests::process;
use erp_tests::server::{ADMIN, SHOP1, Server};
use erp_tests::wait::wait_until;
use erp_tests::{bodies, exchange::JSON};

const TOO_SLOW: &str = r#"{"error":"request_timeout","error_description":"the request came too slowly; the connection is closed","info":{}}"#;

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(SILENCE)).unwrap();
    stream
}

/// Everything the server sends until it closes the connection.
fn rest(stream: &mut impl Read) -> String {
    let mut response = Vec::new();
    // A reset also ends the connection.
    let _ = stream.read_to_end(&mut response);
    String::from_utf8(response).unwrap()
}

/// Reads one response with a length and leaves the connection open.
fn one_answer(stream: &mut TcpStream) -> String {
    let mut response = Vec::new();
    loop {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        response.push(byte[0]);
        if response.ends_with(b"\r\n\r\n") {
            break;
        }
    }
    let mut response = String::from_utf8(response).unwrap();
    let length = header(&response, "content-length")
        .unwrap()
        .parse()
        .unwrap();
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    response.push_str(std::str::from_utf8(&body).unwrap());
    response
}

fn has_answer(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let has = stream.peek(&mut [0]).is_ok();
    stream.set_nonblocking(false).unwrap();
    has
}

/// Sends one byte every 50 ms until the server closes the connection.
fn trickle(stream: &TcpStream, bytes: &str) -> thread::JoinHandle<()> {
    let (mut stream, bytes) = (stream.try_clone().unwrap(), bytes.to_owned());
    thread::spawn(move || {
        for byte in bytes.bytes() {
            if stream.write_all(&[byte]).is_err() {
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
    })
}

fn assert_too_slow(response: &str) {
    assert!(
        response.starts_with("HTTP/1.1 408 Request Timeout\r\n"),
        "{response}"
    );
    assert!(response.ends_with(TOO_SLOW), "{response}");
    let length = TOO_SLOW.len().to_string();
    for (name, value) in [
        ("connection", "close"),
        ("content-type", JSON),
        ("content-length", length.as_str()),
        ("cache-control", "no-store"),
        ("api-version", "1.0"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(header(response, name), Some(value), "{response}");
    }
    assert!(
        header(response, "x-request-id").is_some_and(|id| id.len() == 32),
        "{response}"
    );
    assert!(header(response, "date").is_some(), "{response}");
}

#[test]
fn a_head_that_arrives_too_slowly_is_408() {
    let server = Server::with(&[
        ("client_timeout_seconds", "1"),
        ("idle_timeout_seconds", "600"),
    ]);
    // The client stops in the middle of the header.
    let mut stream = connect(&server);
    stream
        .write_all(b"GET /health HTTP/1.1\r\nHost: h\r\n")
        .unwrap();
    assert_too_slow(&rest(&mut stream));
    // The client sends byte by byte.
    let mut stream = connect(&server);
    let sending = trickle(
        &stream,
        &format!("GET /health HTTP/1.1\r\nX: {}", "y".repeat(600)),
    );
    assert_too_slow(&rest(&mut stream));
    sending.join().unwrap();
    // The header of the second request on a connection.
    let mut stream = connect(&server);
    stream
        .write_all(b"GET /health HTTP/1.1\r\nHost: h\r\n\r\n")
        .unwrap();
    assert!(one_answer(&mut stream).starts_with("HTTP/1.1 200 "));
    stream.write_all(b"GET").unwrap();
    assert_too_slow(&rest(&mut stream));
}

#[test]
fn a_silent_client_is_disconnected_without_a_response() {
    let server = Server::with(&[
        ("client_timeout_seconds", "1"),
        ("idle_timeout_seconds", "1"),
    ]);
    assert_eq!(rest(&mut connect(&server)), "");
    let mut stream = connect(&server);
    stream
        .write_all(b"GET /health HTTP/1.1\r\nHost: h\r\n\r\n")
        .unwrap();
    assert!(one_answer(&mut stream).starts_with("HTTP/1.1 200 "));
    assert_eq!(rest(&mut stream), "");
}

fn post(server: &Server, path: &str, length: usize) -> String {
    let token = server.authorization(SHOP1);
    format!(
        "POST {path} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n{token}Content-Length: {length}\r\n\r\n"
    )
}

#[test]
fn a_body_that_arrives_too_slowly_is_408() {
    let server = Server::with(&[("client_timeout_seconds", "1")]);
    let body = bodies::full_order("10001").to_string();
    let mut stream = connect(&server);
    stream
        .write_all(post(&server, "/www/auftrag", body.len()).as_bytes())
        .unwrap();
    stream.write_all(&body.as_bytes()[..100]).unwrap();
    assert_too_slow(&rest(&mut stream));
    let mut stream = connect(&server);
    stream
        .write_all(post(&server, "/www/auftrag", body.len()).as_bytes())
        .unwrap();
    let sending = trickle(&stream, &body);
    assert_too_slow(&rest(&mut stream));
    sending.join().unwrap();
}

#[test]
fn a_body_that_takes_longer_than_a_request_may_is_408() {
    let server = Server::with(&[]);
    let head = post(&server, "/www/kunden", 100);
    // The login before had the usual time limit.
    let server = server.restart(&[
        ("request_timeout_seconds", "1"),
        ("client_timeout_seconds", "600"),
    ]);
    let mut stream = connect(&server);
    stream.write_all(head.as_bytes()).unwrap();
    assert_too_slow(&rest(&mut stream));
}

#[test]
fn a_request_that_waits_for_its_body_holds_no_permit() {
    let server = Server::with(&[("max_requests", "1"), ("client_timeout_seconds", "600")]);
    let body = bodies::full_order("10001").to_string();
    let (first, second) = body.split_at(body.len() / 2);
    let head = post(&server, "/www/auftrag", body.len())
        .replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n");
    let mut waiting = Vec::new();
    for _ in 0..20 {
        let mut stream = connect(&server);
        stream.write_all(head.as_bytes()).unwrap();
        let mut go_on = [0; 25];
        stream.read_exact(&mut go_on).unwrap();
        assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
        stream.write_all(first.as_bytes()).unwrap();
        waiting.push(stream);
    }
    for _ in 0..20 {
        let response = server.read("/www/artikel/LM-3015");
        assert_eq!(response.status, 200, "{response:?}");
    }
    for stream in &mut waiting {
        stream.write_all(second.as_bytes()).unwrap();
    }
    for mut stream in waiting {
        let response = one_answer(&mut stream);
        assert!(response.starts_with("HTTP/1.1 201 "), "{response}");
    }
}

#[test]
fn bodies_share_a_limited_memory() {
    let server = Server::with(&[
        // At least the longest body of an import, 8 MiB.
        ("body_memory_bytes", "1048576"),
        ("json_body_bytes", "8388608"),
        ("client_timeout_seconds", "600"),
    ]);
    const LONGEST: usize = 8_388_608;
    let body = bodies::customer().to_string();
    let padded = format!("{body}{}", " ".repeat(LONGEST - body.len()));
    let (first, last) = padded.split_at(padded.len() - 10);
    let begin = || {
        let mut large = connect(&server);
        let head = post(&server, "/www/kunden", padded.len());
        large.write_all(head.as_bytes()).unwrap();
        large.write_all(first.as_bytes()).unwrap();
        large
    };
    let busy = || {
        let mut stream = connect(&server);
        let head = post(&server, "/www/kunden", body.len());
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        one_answer(&mut stream)
    };
    let mut large = begin();
    let mut response = String::new();
    wait_until("no memory is left for another body", || {
        response = busy();
        let created = response.starts_with("HTTP/1.1 201 ");
        // The large body arrives slowly; it may be the one for which there was no memory.
        if created && has_answer(&large) {
            large = begin();
        }
        !created
    });
    assert!(response.starts_with("HTTP/1.1 503 "), "{response}");
    assert_eq!(header(&response, "retry-after"), Some("1"));
    large.write_all(last.as_bytes()).unwrap();
    assert!(one_answer(&mut large).starts_with("HTTP/1.1 201 "));
    // The memory is free again when the request has ended, a moment after its response.
    wait_until("the memory is free again", || {
        !busy().starts_with("HTTP/1.1 503 ")
    });
}

#[test]
fn a_client_that_does_not_read_responses_is_cut_off() {
    let server = Server::with(&[
        ("client_timeout_seconds", "1"),
        ("idle_timeout_seconds", "600"),
    ]);
    let request = format!(
        "GET /www/artikel?limit=1000 HTTP/1.1\r\nHost: h\r\n{}\r\n",
        server.authorization(ADMIN)
    );
    let mut stream = connect(&server);
    stream.set_write_timeout(Some(SILENCE)).unwrap();
    // Nothing is read until the server has closed the connection.
    let mut sent = 0;
    let end = loop {
        match stream.write_all(request.as_bytes()) {
            Ok(()) => sent += 1,
            Err(error) => break error.kind(),
        }
    };
    assert!(
        matches!(end, ErrorKind::BrokenPipe | ErrorKind::ConnectionReset),
        "{end:?}"
    );
    let mut received = Vec::new();
    let _ = stream.read_to_end(&mut received);
    let responses = received
        .windows(13)
        .filter(|part| part == b"HTTP/1.1 200 ")
        .count();
    assert!(responses < sent, "{responses} of {sent}");
    let _ = server.get("/health").send().expect(200);
}

fn received(stream: &mut TcpStream) -> Vec<(u8, u32, Vec<u8>)> {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    frames(&bytes)
}

const GO_AWAY: u8 = 7;

#[test]
fn requests_that_are_reset_at_once_end_the_connection() {
    const ENHANCE_YOUR_CALM: u32 = 11;
    let server = Server::start();
    let mut stream = connect(&server);
    let mut flood = PREFACE.to_vec();
    flood.extend(frame(4, 0, 0, &[]));
    for number in 0..2_000 {
        flood.extend(get(2 * number + 1, "/health", None));
        flood.extend(frame(3, 0, 2 * number + 1, &8_u32.to_be_bytes()));
    }
    let mut writing = stream.try_clone().unwrap();
    let sending = thread::spawn(move || writing.write_all(&flood));
    let frames = received(&mut stream);
    let _ = sending.join().unwrap();
    let ended = frames.iter().any(|(kind, _, payload)| {
        *kind == GO_AWAY && payload[4..8] == ENHANCE_YOUR_CALM.to_be_bytes()
    });
    // The `GOAWAY` frame may be lost in the reset that follows unread frames.
    let responses = frames.iter().filter(|(kind, _, _)| *kind == 1).count();
    assert!(ended || responses < 200, "{responses} responses");
    let _ = server.get("/health").send().expect(200);
}

#[test]
fn http_2_clients_get_the_limit_of_open_requests() {
    const MAX_CONCURRENT_STREAMS: [u8; 2] = [0, 3];
    let server = Server::with(&[("idle_timeout_seconds", "1")]);
    let mut stream = connect(&server);
    stream.write_all(PREFACE).unwrap();
    stream.write_all(&frame(4, 0, 0, &[])).unwrap();
    // Without a request the server closes the connection, after a `GOAWAY` frame.
    let frames = received(&mut stream);
    let (_, _, settings) = frames.iter().find(|(kind, _, _)| *kind == 4).unwrap();
    let reported = settings
        .chunks(6)
        .find(|setting| setting[..2] == MAX_CONCURRENT_STREAMS)
        .unwrap();
    assert_eq!(reported[2..], 16_u32.to_be_bytes());
    assert!(
        frames.iter().any(|(kind, _, _)| *kind == GO_AWAY),
        "{frames:?}"
    );
}

#[test]
fn an_http_2_client_that_reads_no_responses_is_cut_off() {
    let server = Server::with(&[
        ("client_timeout_seconds", "1"),
        ("idle_timeout_seconds", "600"),
    ]);
    let token = server.token(ADMIN);
    let mut stream = connect(&server);
    let mut sent = PREFACE.to_vec();
    sent.extend(frame(4, 0, 0, &[]));
    for number in 0..60 {
        sent.extend(get(2 * number + 1, "/www/artikel?limit=1000", Some(token)));
    }
    stream.write_all(&sent).unwrap();
    // The window of 65,535 bytes is never extended, but acknowledgements continue.
    let mut writing = stream.try_clone().unwrap();
    let alive = thread::spawn(move || {
        while writing.write_all(&frame(6, 0, 0, &[0; 8])).is_ok() {
            thread::sleep(Duration::from_millis(100));
        }
    });
    let data: usize = received(&mut stream)
        .iter()
        .filter(|(kind, _, _)| *kind == 0)
        .map(|(_, _, payload)| payload.len())
        .sum();
    assert!(data <= 65_535, "{data}");
    alive.join().unwrap();
    let _ = server.get("/health").send().expect(200);
}

const HEALTH: &str = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

fn over(path: &std::path::Path, request: &str) -> String {
    let mut stream = UnixStream::connect(path).unwrap();
    stream.set_read_timeout(Some(SILENCE)).unwrap();
    send_request(&mut stream, request)
}

#[test]
fn a_unix_socket_has_its_permissions_and_is_removed_at_the_end() {
    let company = Company::new();
    let path = company.path("erp.sock");
    let listen = format!("unix:{}", path.display());
    let start = || {
        let flags = ["--listen", &listen];
        process::Server::spawn(process::command(company.arguments(&flags))).ready()
    };
    let server = start();
    assert_eq!(server.base_url(), listen);
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o660
    );
    assert!(over(&path, HEALTH).starts_with("HTTP/1.1 200 "));
    // A second server does not replace the socket of a running one.
    let second = Company::new();
    let ran = process::run(second.arguments(&["--listen", &listen]));
    assert_eq!(ran.code, Some(1));
    ran.says("another process listens there");
    ran.says(&listen);
    assert!(over(&path, HEALTH).starts_with("HTTP/1.1 200 "));
    // The socket file of a killed server does not prevent a start.
    server.kill();
    assert!(path.exists());
    let mut server = start();
    assert!(over(&path, HEALTH).starts_with("HTTP/1.1 200 "));
    server.terminate();
    assert_eq!(server.wait().code(), Some(0), "{}", server.stderr());
    assert!(!path.exists());
    // Other files are not overwritten.
    fs::write(&path, "mine").unwrap();
    let ran = process::run(company.arguments(&["--listen", &listen]));
    ran.says("a file that is no socket");
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
}

#[test]
fn a_proxy_in_front_of_the_unix_socket_is_trusted_if_a_setting_says_so() {
    let company = Company::new();
    let path = company.path("erp.sock");
    let listen = format!("unix:{}", path.display());
    for (trusted, base) in [
        ("unix", "https://shop.example"),
        ("127.0.0.1", "http://localhost"),
    ] {
        let flags = [
            "--listen",
            &listen,
            "--trusted-proxies",
            trusted,
            "--rate-limits",
            "true",
        ];
        let mut server =
            process::Server::spawn(process::command(company.arguments(&flags))).ready();
        let forwarded = |address: &str| {
            format!(
                "Host: localhost\r\nConnection: close\r\nX-Forwarded-For: {address}\r\n\
                 X-Forwarded-Proto: https\r\nX-Forwarded-Host: shop.example\r\n"
            )
        };
        let login = |address: &str, basic: &str| {
            over(
                &path,
                &format!(
                    "POST /www/token HTTP/1.1\r\n{}{basic}\r\n",
                    forwarded(address)
                ),
            )
        };
        let token = json(&login("198.51.100.1", &company.basic()));
        let list = over(
            &path,
            &format!(
                "GET /www/artikel?limit=1 HTTP/1.1\r\n{}Authorization: Bearer {}\r\n\r\n",
                forwarded("198.51.100.1"),
                token["access_token"].as_str().unwrap()
            ),
        );
        let link = header(&list, "link").unwrap();
        assert!(link.starts_with(&format!("<{base}/www/artikel")), "{link}");
        // Each client has ten failed logins per minute, counted by the address that the proxy forwards; without
        // addresses there is no such limit. `user0:wrong`, and other last characters of the name.
        let wrong = |last: char| format!("Authorization: Basic dXNlcj{last}6d3Jvbmc=\r\n");
        let refused = "AEIMQUYcgksw"
            .chars()
            .filter(|last| login("198.51.100.2", &wrong(*last)).starts_with("HTTP/1.1 429 "))
            .count();
        assert_eq!(refused > 0, trusted == "unix", "{refused}");
        let right = login("198.51.100.3", &company.basic());
        assert!(right.starts_with("HTTP/1.1 200 "));
        server.terminate();
        assert_eq!(server.wait().code(), Some(0));
    }
}
