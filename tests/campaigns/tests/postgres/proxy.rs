//! Tests of the proxy that simulates a broken network.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use erp_campaigns::proxy::{Direction, Proxy};

/// A server that returns each byte, and reports what it received.
fn echo() -> (u16, mpsc::Receiver<u8>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (reported, got) = mpsc::channel();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let reported = reported.clone();
            thread::spawn(move || {
                let mut buffer = [0; 256];
                while let Ok(read @ 1..) = stream.read(&mut buffer) {
                    for byte in &buffer[..read] {
                        let _ = reported.send(*byte);
                    }
                    let _ = stream.write_all(&buffer[..read]);
                }
            });
        }
    });
    (port, got)
}

fn client(proxy: &Proxy) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", proxy.port())).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    stream
}

/// The bytes received until the connection ends, at most this many.
fn read(stream: &mut TcpStream, bytes: usize) -> Vec<u8> {
    let mut buffer = vec![0; bytes];
    let mut read = 0;
    while read < bytes {
        match stream.read(&mut buffer[read..]) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) => {
                assert_ne!(
                    error.kind(),
                    std::io::ErrorKind::WouldBlock,
                    "the connection is open"
                );
                break;
            }
        }
    }
    buffer.truncate(read);
    buffer
}

fn got(server: &mpsc::Receiver<u8>, bytes: usize) -> Vec<u8> {
    let next = || server.recv_timeout(Duration::from_secs(60)).unwrap();
    (0..bytes).map(|_| next()).collect()
}

#[test]
fn bytes_pass_until_it_is_cut_and_again_afterwards() {
    let (port, server) = echo();
    let proxy = Proxy::to(port);
    let (mut first, mut second) = (client(&proxy), client(&proxy));
    for stream in [&mut first, &mut second] {
        stream.write_all(b"hello").unwrap();
        assert_eq!(read(stream, 5), b"hello");
    }
    proxy.cut();
    assert_eq!(
        (read(&mut first, 1).len(), read(&mut second, 1).len()),
        (0, 0)
    );
    assert_eq!((proxy.cuts(), proxy.accepted()), (2, 2));
    let mut third = client(&proxy);
    third.write_all(b"x").unwrap();
    assert_eq!(read(&mut third, 1), b"x");
    assert_eq!(got(&server, 11).len(), 11);
}

#[test]
fn a_connection_is_cut_after_a_byte_of_either_direction() {
    let (port, server) = echo();
    let proxy = Proxy::to(port);
    proxy.cut_after(Direction::ToServer, 4);
    let mut stream = client(&proxy);
    stream.write_all(b"0123456789").unwrap();
    assert!(read(&mut stream, 10).len() <= 4);
    assert_eq!(got(&server, 4), b"0123");
    // The echo of the forwarded bytes may still be on its way through the first proxy.
    let proxy = Proxy::to(port);
    proxy.cut_after(Direction::ToClient, 3);
    let mut stream = client(&proxy);
    stream.write_all(b"abcdef").unwrap();
    assert_eq!(got(&server, 6), b"abcdef");
    assert!(read(&mut stream, 6).len() <= 3);
    assert!(server.try_recv().is_err(), "nothing passes after the cut");
    let mut stream = client(&proxy);
    stream.write_all(b"again").unwrap();
    assert_eq!(read(&mut stream, 5), b"again");
}

#[test]
fn a_response_is_lost_with_its_connection() {
    let (port, server) = echo();
    let proxy = Proxy::to(port);
    let (mut stream, mut other) = (client(&proxy), client(&proxy));
    stream.write_all(b"one").unwrap();
    assert_eq!(read(&mut stream, 3), b"one");
    proxy.lose_next_response();
    stream.write_all(b"two").unwrap();
    assert_eq!(read(&mut stream, 3), b"");
    assert_eq!(got(&server, 6), b"onetwo");
    other.write_all(b"three").unwrap();
    assert_eq!(read(&mut other, 5), b"three");
}

#[test]
fn connections_are_refused_or_held_until_it_lets_them_pass() {
    let (port, server) = echo();
    let proxy = Proxy::to(port);
    proxy.refuse();
    let mut stream = client(&proxy);
    let _ = stream.write_all(b"lost");
    assert_eq!(read(&mut stream, 4), b"");
    proxy.pass();
    let mut stream = client(&proxy);
    stream.write_all(b"a").unwrap();
    assert_eq!(read(&mut stream, 1), b"a");
    proxy.hold();
    stream.write_all(b"held").unwrap();
    stream
        .set_read_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    assert!(stream.read(&mut [0]).is_err());
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    proxy.pass();
    assert_eq!(read(&mut stream, 4), b"held");
    assert_eq!(got(&server, 5), b"aheld");
}
