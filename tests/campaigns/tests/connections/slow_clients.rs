//! 2,000 connections that send one byte per second do not affect other clients.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::company::{Company, SILENCE, json, send_request};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

const SLOW: usize = 2_000;

/// Raises the limit of open files: this process has the client end of every connection.
fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    let wanted = Some(SLOW as u64 + 200);
    if limit.current.is_some_and(|current| Some(current) < wanted) {
        let raised = Rlimit {
            current: wanted,
            maximum: limit.maximum,
        };
        setrlimit(Resource::Nofile, raised).expect("2,200 open files are allowed");
    }
}

/// The header or the body of a request that will never be complete.
fn begin(host: &str, number: usize, authorization: &str) -> TcpStream {
    let mut stream = TcpStream::connect(host).unwrap();
    let beginning = match number % 2 {
        0 => "GET /www/artikel HTTP/1.1\r\nHost: h\r\nX-Slow: ".to_owned(),
        _ => format!(
            "POST /www/auftrag HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n\
             {authorization}Content-Length: 100000\r\n\r\n{{\""
        ),
    };
    stream.write_all(beginning.as_bytes()).unwrap();
    stream
}

#[test]
fn two_thousand_slow_connections_do_not_shut_out_other_clients() {
    raise_limit();
    let company = Company::new();
    // Fewer permits than slow bodies, and time limits that are not reached in this test.
    let server = company.serve(&[
        "--max-requests",
        "50",
        // An eighth of them may come from one address.
        "--max-connections",
        "20000",
        "--client-timeout-seconds",
        "600",
        "--request-timeout-seconds",
        "600",
    ]);
    let host = server.base_url().replace("http://", "");
    let normal = |request: &str| {
        let mut stream = TcpStream::connect(&host).unwrap();
        stream.set_read_timeout(Some(SILENCE)).unwrap();
        send_request(&mut stream, request)
    };
    let token = normal(&format!(
        "POST /www/token HTTP/1.1\r\nHost: h\r\nConnection: close\r\n{}\r\n",
        company.basic()
    ));
    let token = json(&token)["access_token"].as_str().unwrap().to_owned();
    let authorization = format!("Authorization: Bearer {token}\r\n");
    let mut slow: Vec<TcpStream> = (0..SLOW)
        .map(|number| begin(&host, number, &authorization))
        .collect();
    let is_over = Arc::new(AtomicBool::new(false));
    let trickle = thread::spawn({
        let is_over = Arc::clone(&is_over);
        move || {
            while !is_over.load(Ordering::Relaxed) {
                for stream in &mut slow {
                    stream.write_all(b"x").unwrap();
                }
                thread::sleep(Duration::from_secs(1));
            }
            slow
        }
    });
    let read = format!(
        "GET /www/artikel/LM-3015 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n{authorization}\r\n"
    );
    for _ in 0..300 {
        let response = normal(&read);
        assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
    }
    is_over.store(true, Ordering::Relaxed);
    // All of them were open until the end.
    for mut stream in trickle.join().unwrap() {
        stream.set_nonblocking(true).unwrap();
        let silent = stream.read(&mut [0]).unwrap_err();
        assert_eq!(silent.kind(), std::io::ErrorKind::WouldBlock);
    }
}
