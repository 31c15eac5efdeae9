//! What clients without a token cannot do: use up memory or connections, or lock out other users.
//!
//! These are small versions of the attacks in `src/bin/attacks`.

use std::fs;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use erp_campaigns::http2::{PREFACE, frames, get, ping, settings, unfinished_with_empty_fields};
use erp_server::lane::MOST_WAITING;
use erp_tests::server::{SHOP1, SHOP2, Server};
use erp_tests::wait::{PATIENCE, wait_until};

use tokio::net::TcpSocket;

use crate::company::{Company, SILENCE};

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(SILENCE)).unwrap();
    stream
}

fn connect_from(address: [u8; 4], server: &Server) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((address, 0).into()).unwrap();
    let stream = server.wait(socket.connect(server.address())).unwrap();
    stream.into_std().unwrap()
}

/// Whether the server has closed the connection; `false` if it is open and nothing arrives.
fn is_closed(mut stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    loop {
        match stream.read(&mut [0; 4_096]) {
            Ok(0) => return true,
            Ok(_) => (),
            Err(error) => return error.kind() != ErrorKind::WouldBlock,
        }
    }
}

/// Number of these connections that the server keeps open.
fn open_ones(streams: &[TcpStream]) -> usize {
    streams.iter().filter(|stream| !is_closed(stream)).count()
}

/// Reads until the server closes the connection. Returns `false` if it is still open after this many reads.
fn ends(stream: &mut TcpStream, reads: usize) -> bool {
    (0..reads).any(|_| matches!(stream.read(&mut [0; 65_536]), Ok(0) | Err(_)))
}

#[test]
fn responses_that_are_not_read_hold_no_copies_of_static_files() {
    const HEADERS: u8 = 1;
    let company = Company::new();
    let page = company.path("page");
    fs::create_dir(&page).unwrap();
    fs::write(page.join("large.txt"), vec![b'x'; 1 << 20]).unwrap();
    let server = company.serve(&["--page-dir", page.to_str().unwrap()]);
    let host = server.base_url().replace("http://", "");
    let resting = server.memory_kib("VmRSS:");
    let shut: Vec<TcpStream> = (0..10)
        .map(|_| {
            let mut stream = TcpStream::connect(&host).unwrap();
            stream.set_read_timeout(Some(SILENCE)).unwrap();
            let mut sent = PREFACE.to_vec();
            sent.extend(settings(0));
            for number in 0..16 {
                sent.extend(get(2 * number + 1, "/large.txt", None));
            }
            stream.write_all(&sent).unwrap();
            // The server responds to all of them.
            let mut received = Vec::new();
            let mut buffer = [0; 4_096];
            let responses_in = |bytes: &[u8]| {
                frames(bytes)
                    .iter()
                    .filter(|frame| frame.0 == HEADERS)
                    .count()
            };
            while responses_in(&received) < 16 {
                let count = stream.read(&mut buffer).unwrap();
                assert!(count > 0, "the connection ended early");
                received.extend_from_slice(&buffer[..count]);
            }
            stream
        })
        .collect();
    let grown = server.memory_kib("VmHWM:").saturating_sub(resting);
    // 160 copies of a megabyte would be 160 MB.
    assert!(grown < 64 * 1024, "{grown} KiB");
    drop(shut);
}

#[test]
fn a_window_that_stays_closed_ends_the_connection() {
    let server = Server::with(&[
        ("client_timeout_seconds", "1"),
        ("idle_timeout_seconds", "600"),
    ]);
    // With a window of one byte the HTTP library already holds the rest of a short response.
    for window in [0, 1] {
        let mut stream = connect(&server);
        let mut sent = PREFACE.to_vec();
        sent.extend(settings(window));
        sent.extend(get(1, "/health", None));
        stream.write_all(&sent).unwrap();
        // More responses to pings than the server queues for a client.
        let mut writing = stream.try_clone().unwrap();
        let alive = thread::spawn(move || {
            let started = Instant::now();
            while started.elapsed() < PATIENCE {
                if writing.write_all(&ping().repeat(100)).is_err() {
                    return true;
                }
                thread::sleep(Duration::from_millis(20));
            }
            let _ = writing.shutdown(std::net::Shutdown::Both);
            false
        });
        let _ = ends(&mut stream, usize::MAX);
        assert!(
            alive.join().unwrap(),
            "window {window}: the connection stays open"
        );
    }
    let _ = server.get("/health").send().expect(200);
}

#[test]
fn a_head_that_is_too_long_is_refused_before_it_ends() {
    let server = Server::with(&[("client_timeout_seconds", "600")]);
    let mut stream = connect(&server);
    stream
        .write_all(b"GET /health HTTP/1.1\r\nHost: h\r\nX: ")
        .unwrap();
    let mut writing = stream.try_clone().unwrap();
    let sending = thread::spawn(move || {
        let _ = writing.write_all(&[b'x'; 200_000]);
    });
    let mut status = [0; 13];
    stream.read_exact(&mut status).unwrap();
    assert_eq!(&status, b"HTTP/1.1 431 ");
    sending.join().unwrap();
}

#[test]
fn heads_of_many_small_fields_are_refused_and_not_kept() {
    const STREAMS: u32 = 16;
    let company = Company::new();
    let server = company.serve(&[]);
    let host = server.base_url().replace("http://", "");
    let resting = server.memory_kib("VmRSS:");
    let waiting: Vec<TcpStream> = (0..80)
        .map(|_| {
            let mut stream = TcpStream::connect(&host).unwrap();
            let mut sent = PREFACE.to_vec();
            sent.extend(settings(0));
            for number in 0..STREAMS {
                sent.extend(unfinished_with_empty_fields(
                    2 * number + 1,
                    "/docs",
                    None,
                    600,
                ));
            }
            stream.write_all(&sent).unwrap();
            // When the response to a ping arrives, the server has read the headers before it.
            stream.write_all(&ping()).unwrap();
            stream.set_read_timeout(Some(SILENCE)).unwrap();
            let mut received = Vec::new();
            let mut buffer = [0; 4_096];
            while !frames(&received).iter().any(|frame| frame.0 == 6) {
                let count = stream.read(&mut buffer).unwrap();
                assert!(count > 0, "the connection ended early");
                received.extend_from_slice(&buffer[..count]);
            }
            stream
        })
        .collect();
    let grown = server.memory_kib("VmHWM:").saturating_sub(resting);
    // 80 x 16 heads of 600 fields would be more than 100 MB.
    assert!(grown < 48 * 1024, "{grown} KiB");
    drop(waiting);
}

#[test]
fn a_user_who_reads_no_responses_is_refused() {
    let server = Server::with(&[("client_timeout_seconds", "600")]);
    let token = server.token(SHOP1);
    // One more of the responses that are not read.
    let read = || {
        let list = server.get("/www/artikel?limit=1000");
        list.by(SHOP1).send_unchecked()
    };
    let mut unread = Vec::new();
    wait_until("requests of the user are refused", || {
        let mut stream = connect(&server);
        let mut sent = PREFACE.to_vec();
        sent.extend(settings(0));
        for number in 0..16 {
            sent.extend(get(2 * number + 1, "/www/artikel?limit=1000", Some(token)));
        }
        stream.write_all(&sent).unwrap();
        unread.push(stream);
        read().status == 429
    });
    let _ = server
        .get("/www/artikel/LM-3015")
        .by(SHOP2)
        .send()
        .expect(200);
    drop(unread);
    wait_until("the user is served again", || read().status == 200);
}

#[test]
fn a_new_connection_replaces_another() {
    let server = Server::with(&[("max_connections", "10"), ("client_timeout_seconds", "600")]);
    // Each from another address, because one may have only an eighth.
    let idle: Vec<TcpStream> = (0..100)
        .map(|number| connect_from([127, 0, 1, number], &server))
        .collect();
    wait_until("at most 10 connections are kept", || open_ones(&idle) <= 10);
    let _ = server.get("/health").send().expect(200);
}

#[test]
fn an_address_has_a_bounded_number_of_connections() {
    let server = Server::with(&[
        // An eighth of them for one address.
        ("max_connections", "24"),
        ("client_timeout_seconds", "600"),
        ("idle_timeout_seconds", "600"),
    ]);
    let health = b"GET /health HTTP/1.1\r\nHost: h\r\n\r\n";
    let open = || {
        let mut stream = connect(&server);
        let _ = stream.write_all(health);
        let mut byte = [0];
        matches!(stream.read(&mut byte), Ok(1)).then_some(stream)
    };
    let mut streams: Vec<TcpStream> = (0..3).map(|_| open().unwrap()).collect();
    assert!(open().is_none());
    streams.pop();
    // The server notices the end of a connection a moment later.
    wait_until("another connection is served", || open().is_some());
    drop(streams);
}

#[test]
fn clients_that_come_at_once_are_connected_before_they_are_accepted() {
    let system = fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap();
    let system: usize = system.trim().parse().unwrap();
    let company = Company::new();
    let server = company.serve(&[]);
    let address = server.base_url().replace("http://", "").parse().unwrap();
    server.pause();
    // A client that finds the queue full repeats its first packet until it gives up.
    let many = system.min(1_500);
    let connected = (0..many)
        .map_while(|_| TcpStream::connect_timeout(&address, PATIENCE).ok())
        .count();
    server.resume();
    assert_eq!(connected, many);
}

#[test]
fn connections_of_proxies_are_not_counted() {
    let server = Server::with(&[
        // Three for one address that is no proxy.
        ("max_connections", "24"),
        ("trusted_proxies", "127.0.0.1"),
    ]);
    let mut streams: Vec<TcpStream> = (0..20).map(|_| connect(&server)).collect();
    for stream in &mut streams {
        stream
            .write_all(b"GET /health HTTP/1.1\r\nHost: h\r\n\r\n")
            .unwrap();
        let mut status = [0; 13];
        stream.read_exact(&mut status).unwrap();
        assert_eq!(&status, b"HTTP/1.1 200 ");
    }
}

/// A server behind a proxy that forwards client addresses.
fn behind_a_proxy(more: &[(&str, &str)]) -> Server {
    let mut settings = vec![("rate_limits", "true"), ("trusted_proxies", "127.0.0.1")];
    settings.extend(more);
    Server::with(&settings)
}

fn login(server: &Server, client: &str, password: &str) -> u16 {
    let request = server.post("/www/token").basic(SHOP1.name, password);
    let request = request.header("X-Forwarded-For", client.as_bytes());
    request.send().status
}

// rule: R-AUT-05
#[test]
fn wrong_passwords_from_another_address_lock_out_no_user() {
    let server = behind_a_proxy(&[("token_requests_per_minute", "20")]);
    let wrong: Vec<u16> = (0..20)
        .map(|_| login(&server, "198.51.100.1", "wrong"))
        .collect();
    assert_eq!(wrong[..10], [401; 10]);
    assert!(wrong.contains(&429), "{wrong:?}");
    assert_eq!(login(&server, "198.51.100.2", SHOP1.password), 200);
}

#[test]
fn addresses_with_ports_and_brackets_are_distinguished() {
    let server = behind_a_proxy(&[("token_requests_per_minute", "1")]);
    for client in [
        "198.51.100.1:4711",
        "198.51.100.2:4711",
        "[2001:db8:1::1]",
        "[2001:db8:2::1]:4711",
        "2001:db8:3::1",
    ] {
        assert_eq!(login(&server, client, "wrong"), 401, "{client}");
    }
    assert_eq!(login(&server, "198.51.100.1:9", SHOP1.password), 429);
}

#[test]
fn passwords_are_checked_a_bounded_number_at_a_time() {
    // An address has no more than 250 connections.
    const LOGINS: usize = MOST_WAITING + 90;
    let server = Server::start();
    // Each password is checked at full cost, because the users do not exist.
    let responses: Vec<_> = thread::scope(|scope| {
        let logins: Vec<_> = (0..LOGINS)
            .map(|number| {
                let server = &server;
                scope.spawn(move || {
                    let name = format!("nobody{number}");
                    let request = server.post("/www/token").basic(&name, "a wrong password");
                    request.send_unchecked()
                })
            })
            .collect();
        logins
            .into_iter()
            .map(|login| login.join().unwrap())
            .collect()
    });
    assert!(
        responses
            .iter()
            .all(|response| matches!(response.status, 401 | 503))
    );
    assert!(responses.iter().any(|response| response.status == 401));
    let busy = responses.iter().find(|response| response.status == 503);
    let busy = busy.expect("so many at once are more than may wait");
    assert_eq!(busy.header("retry-after"), Some("1"));
    // Later logins succeed again.
    let _ = server.new_token(SHOP1);
}
