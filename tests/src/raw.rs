//! Requests that no HTTP client would send: bytes written to the socket, and the responses to them.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::thread;

use crate::exchange::Exchange;
use crate::server::{Login, Server};
use crate::wait::PATIENCE;

impl Server {
    /// Sends bytes on a new connection and reads this number of responses, or fewer if the server closes it earlier. If
    /// the HTTP library rejects the bytes before there is a request, the response has an empty body. Every other
    /// response is checked as in [`crate::request::Request::send`].
    #[must_use]
    pub fn raw(&self, bytes: &[u8], responses: usize) -> Vec<Exchange> {
        self.speak(bytes, responses, false)
    }

    /// The same, but the client closes its side of the connection after these bytes.
    #[must_use]
    pub fn raw_then_close(&self, bytes: &[u8]) -> Vec<Exchange> {
        self.speak(bytes, usize::MAX, true)
    }

    /// The `Authorization` header field of a login.
    #[must_use]
    pub fn authorization(&self, login: Login) -> String {
        format!("Authorization: Bearer {}\r\n", self.token(login))
    }

    fn speak(&self, bytes: &[u8], responses: usize, close: bool) -> Vec<Exchange> {
        let mut reading = TcpStream::connect(self.address()).expect("a connection");
        reading
            .set_read_timeout(Some(PATIENCE))
            .expect("a time limit");
        let mut writing = reading.try_clone().expect("a second handle");
        let sent = bytes.to_vec();
        // The server may send a response and stop reading before everything is sent.
        let writer = thread::spawn(move || {
            let _ = writing.write_all(&sent);
            if close {
                let _ = writing.shutdown(Shutdown::Write);
            }
        });
        let head = bytes.starts_with(b"HEAD ");
        let mut exchanges = Vec::new();
        let mut received = Vec::new();
        let mut buffer = [0; 16 * 1024];
        while exchanges.len() < responses {
            if let Some((exchange, rest)) = parse(&received, head) {
                received = rest;
                exchanges.push(exchange);
                continue;
            }
            match reading.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => received.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => break,
                Err(error) => panic!("after {} responses: {error}", exchanges.len()),
            }
        }
        let _ = reading.shutdown(Shutdown::Both);
        writer.join().expect("the writer ends");
        for exchange in &exchanges {
            assert!(exchange.status < 500, "{exchange:?}");
            if exchange.status != 100 && !exchange.is_before_http() {
                exchange.check(&self.folder());
            }
        }
        exchanges
    }
}

impl Exchange {
    /// Whether the HTTP library rejected the bytes before there was a request.
    #[must_use]
    pub fn is_before_http(&self) -> bool {
        matches!(self.status, 400 | 414 | 431)
            && self.body.is_empty()
            && self.header("x-request-id").is_none()
    }
}

/// The first complete response in the bytes, and the bytes after it.
fn parse(bytes: &[u8], to_head: bool) -> Option<(Exchange, Vec<u8>)> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&bytes[..end]).expect("a head in ASCII");
    let rest = &bytes[end + 4..];
    let mut lines = head.split("\r\n");
    let mut status_line = lines.next().unwrap_or_default().splitn(3, ' ');
    let mut exchange = Exchange {
        request: if to_head { "HEAD (raw)" } else { "(raw)" }.to_owned(),
        version: status_line.next().unwrap_or_default().to_owned(),
        status: status_line
            .next()
            .and_then(|status| status.parse().ok())
            .expect("a status"),
        reason: status_line.next().unwrap_or_default().to_owned(),
        headers: lines
            .map(|line| line.split_once(':').expect("a header field"))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect(),
        body: Vec::new(),
    };
    if to_head || exchange.status == 100 {
        return Some((exchange, rest.to_vec()));
    }
    if exchange.header("transfer-encoding") == Some("chunked") {
        let (body, rest) = unchunked(rest)?;
        exchange.body = body;
        return Some((exchange, rest));
    }
    let length = exchange
        .header("content-length")
        .map_or(0, |length| length.parse().expect("a length"));
    let body = rest.get(..length)?;
    exchange.body = body.to_vec();
    Some((exchange, rest[length..].to_vec()))
}

fn unchunked(mut rest: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|window| window == b"\r\n")?;
        let size = std::str::from_utf8(&rest[..end]).expect("a chunk size");
        let size = usize::from_str_radix(size, 16).expect("a chunk size in hex");
        let chunk = rest.get(end + 2..end + 4 + size)?;
        body.extend_from_slice(&chunk[..size]);
        rest = &rest[end + 4 + size..];
        if size == 0 {
            return Some((body, rest.to_vec()));
        }
    }
}
