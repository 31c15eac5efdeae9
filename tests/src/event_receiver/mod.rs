//! A receiver of events on loopback. Tests choose how it behaves; it verifies signatures with its own code.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::identity::SERVERS;

/// A test that waits longer has failed.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// What the receiver does with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// Sends a response with this status.
    Status(u16),
    /// Reads the request and sends nothing.
    Hang,
    /// Closes the connection without a response.
    Die,
    /// Closes the connection in the middle of the response header.
    DieInTheMiddle,
}

/// A request as it was received.
#[derive(Clone, Debug)]
pub struct Received {
    head: Vec<String>,
    body: Vec<u8>,
}

impl Received {
    /// A header's value.
    pub fn header(&self, name: &str) -> &str {
        let value = |line: &'_ String| {
            let (found, value) = line.split_once(':')?;
            found
                .eq_ignore_ascii_case(name)
                .then(|| value.trim().to_owned())
        };
        let at = self.head.iter().position(|line| value(line).is_some());
        let line = &self.head[at.unwrap_or_else(|| panic!("no {name} in {:?}", self.head))];
        line.split_once(':').unwrap().1.trim()
    }

    /// The request line.
    pub fn request_line(&self) -> &str {
        &self.head[0]
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Whether the signature was made with this secret.
    pub fn is_signed_with(&self, secret: &str) -> bool {
        let key = STANDARD
            .decode(secret.strip_prefix("whsec_").unwrap())
            .unwrap();
        let mut signed = format!(
            "{}.{}.",
            self.header("webhook-id"),
            self.header("webhook-timestamp")
        )
        .into_bytes();
        signed.extend(&self.body);
        let expected = format!("v1,{}", STANDARD.encode(hmac_sha256(&key, &signed)));
        self.header("webhook-signature") == expected
    }
}

/// HMAC-SHA256 according to RFC 2104, for keys of at most one block.
pub fn hmac_sha256(key: &[u8], message: &[u8]) -> Vec<u8> {
    let pad = |with: u8| -> Vec<u8> {
        (0..64)
            .map(|at| key.get(at).copied().unwrap_or(0) ^ with)
            .collect()
    };
    let inner = Sha256::new().chain_update(pad(0x36)).chain_update(message);
    let outer = Sha256::new()
        .chain_update(pad(0x5c))
        .chain_update(inner.finalize());
    outer.finalize().to_vec()
}

#[derive(Default)]
struct ReceiverState {
    received: Vec<Received>,
    script: VecDeque<Behaviour>,
    then: Option<Behaviour>,
}

/// The receiver. Its threads end with the test process.
pub struct Receiver {
    address: SocketAddr,
    state: Arc<(Mutex<ReceiverState>, Condvar)>,
}

impl Receiver {
    /// A receiver that behaves as in the script, and after it always as in `then`.
    pub fn new(script: &[Behaviour], then: Behaviour) -> Self {
        Self::start(script, then, None)
    }

    /// A receiver with TLS that returns 200, and its certificate in PEM.
    pub fn with_tls() -> (Self, &'static str) {
        let [identity, ..] = SERVERS;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![identity.certificate_der()], identity.key_der())
            .unwrap();
        let receiver = Self::start(&[], Behaviour::Status(200), Some(Arc::new(config)));
        (receiver, identity.certificate)
    }

    fn start(script: &[Behaviour], then: Behaviour, tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let state = ReceiverState {
            script: script.iter().copied().collect(),
            then: Some(then),
            ..ReceiverState::default()
        };
        let receiver = Self {
            address: listener.local_addr().unwrap(),
            state: Arc::new((Mutex::new(state), Condvar::new())),
        };
        let state = Arc::clone(&receiver.state);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (state, tls) = (Arc::clone(&state), tls.clone());
                thread::spawn(move || match tls {
                    None => serve(stream, &state),
                    Some(tls) => {
                        let connection = ServerConnection::new(tls).unwrap();
                        serve(StreamOwned::new(connection, stream), &state);
                    }
                });
            }
        });
        receiver
    }

    /// A URL of the receiver with another host name and a path.
    pub fn url(&self) -> String {
        format!("http://{}/hook?key=1", self.address)
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Sets the behaviour from now on.
    pub fn now(&self, behaviour: Behaviour) {
        let mut state = self.state.0.lock().unwrap();
        state.script.clear();
        state.then = Some(behaviour);
    }

    /// All requests received so far.
    pub fn received(&self) -> Vec<Received> {
        self.state.0.lock().unwrap().received.clone()
    }

    /// Waits for this number of requests.
    #[track_caller]
    pub fn wait_for(&self, count: usize) -> Vec<Received> {
        let (state, news) = &*self.state;
        let state = state.lock().unwrap();
        let (state, waited) = news
            .wait_timeout_while(state, PATIENCE, |state| state.received.len() < count)
            .unwrap();
        assert!(
            !waited.timed_out(),
            "{} requests came, not {count}",
            state.received.len()
        );
        state.received.clone()
    }
}

fn serve(stream: impl Read + Write, state: &(Mutex<ReceiverState>, Condvar)) {
    let mut reader = BufReader::new(stream);
    let Some(received) = read(&mut reader) else {
        return;
    };
    let behaviour = {
        let mut state = state.0.lock().unwrap();
        state.received.push(received);
        let next = state.script.pop_front();
        next.or(state.then).unwrap()
    };
    state.1.notify_all();
    let mut stream = reader.into_inner();
    match behaviour {
        Behaviour::Status(status) => {
            let response = format!(
                "HTTP/1.1 {status} Some\r\nlocation: /elsewhere\r\ncontent-length: 2\r\n\r\nok"
            );
            let _ = stream.write_all(response.as_bytes());
        }
        Behaviour::Hang => {
            // Returns when the client closes the connection.
            let _ = stream.read(&mut [0]);
        }
        Behaviour::Die => (),
        Behaviour::DieInTheMiddle => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-le");
        }
    }
}

fn read(reader: &mut BufReader<impl Read>) -> Option<Received> {
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            line => head.push(line.to_owned()),
        }
    }
    let received = Received {
        head,
        body: Vec::new(),
    };
    let mut body = vec![0; received.header("content-length").parse().unwrap()];
    reader.read_exact(&mut body).ok()?;
    Some(Received { body, ..received })
}
