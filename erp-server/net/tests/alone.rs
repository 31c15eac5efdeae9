//! The crate alone: a plain hyper service, without any other crate of the project.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::convert::Infallible;
use std::fs;
use std::future::poll_fn;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::{Duration, Instant};

use erp_net::{Certificates, Handle, Options, RequestBody, Server};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use tokio::runtime::{Builder, Runtime};

/// A server that says nothing for so long has failed.
const SILENCE: Duration = Duration::from_secs(60);

const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: h\r\n\r\n";

/// Returns `thanks` for a body, otherwise `hello`.
async fn hello(request: Request<RequestBody>) -> Result<Response<Full<Bytes>>, Infallible> {
    Ok(match request.into_body().collect().await {
        Ok(body) => Response::new(Full::from(match body.to_bytes().len() {
            0 => "hello",
            _ => "thanks",
        })),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::TimedOut);
            let mut response = Response::default();
            *response.status_mut() = StatusCode::REQUEST_TIMEOUT;
            response
        }
    })
}

struct Running {
    address: SocketAddr,
    handle: Handle,
    runtime: Runtime,
}

impl Running {
    fn new(change: impl FnOnce(&mut Options)) -> Self {
        let runtime = Runtime::new().unwrap();
        let mut options = Options::new("127.0.0.1:0".parse().unwrap());
        change(&mut options);
        let server = {
            let _in_runtime = runtime.enter();
            Server::bind(options).unwrap()
        };
        let (address, handle) = (server.address().unwrap(), server.handle());
        runtime.spawn(server.serve(|_| service_fn(hello)));
        Self {
            address,
            handle,
            runtime,
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(SILENCE)).unwrap();
        stream
    }
}

/// Everything the server sends until it closes. A reset is an end as well.
fn rest(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    let is_silent = stream
        .read_to_end(&mut text)
        .is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
    assert!(!is_silent, "the connection stays open");
    String::from_utf8(text).unwrap()
}

#[test]
fn no_crate_of_the_project_and_no_framework_is_below_it() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let manifest = fs::read_to_string(manifest).unwrap();
    let names: Vec<&str> = manifest
        .lines()
        .skip_while(|line| *line != "[dependencies]")
        .filter_map(|line| line.split_once(".workspace"))
        .map(|(name, _)| name)
        .collect();
    assert!(names.contains(&"hyper"), "{names:?}");
    let foreign = |name: &&&str| !name.starts_with("erp") && !name.starts_with("salvo");
    assert_eq!(names.iter().filter(foreign).count(), names.len());
}

#[test]
fn slow_heads_and_bodies_are_408_and_silence_is_closed() {
    let server = Running::new(|options| {
        options.client_timeout = Duration::from_millis(300);
    });
    let mut silent = server.connect();
    assert_eq!(rest(&mut silent), "");
    let mut half = server.connect();
    half.write_all(&GET[..10]).unwrap();
    assert!(rest(&mut half).starts_with("HTTP/1.1 408 Request Timeout\r\n"));
    let mut body = server.connect();
    body.write_all(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc")
        .unwrap();
    let mut status = [0; 12];
    body.read_exact(&mut status).unwrap();
    assert_eq!(&status, b"HTTP/1.1 408");
}

#[test]
fn a_client_that_never_closes_is_not_waited_for() {
    let server = Running::new(|_| {});
    let mut stream = server.connect();
    stream
        .write_all(b"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        .unwrap();
    assert!(rest(&mut stream).ends_with("hello"));
    let started = Instant::now();
    while server.handle.connections() > 0 {
        assert!(started.elapsed() < SILENCE, "the connection stays open");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn an_address_has_a_bounded_number_of_connections_and_the_oldest_gives_way() {
    let bounded = Running::new(|options| options.connections_per_address = 2);
    let served = |server: &Running| {
        let mut stream = server.connect();
        let _ = stream.write_all(GET);
        matches!(stream.read(&mut [0]), Ok(1)).then_some(stream)
    };
    let two = (served(&bounded).unwrap(), served(&bounded).unwrap());
    assert!(served(&bounded).is_none());
    assert_eq!(bounded.handle.connections(), 2);
    drop(two);
    let full = Running::new(|options| options.max_connections = 2);
    let mut first = served(&full).unwrap();
    let _second = served(&full).unwrap();
    let _third = served(&full).unwrap();
    assert!(rest(&mut first).ends_with("hello"));
}

/// Sixteen requests of one HTTP/2 connection: the preface, empty settings, and a head for each stream.
fn sixteen_streams() -> Vec<u8> {
    let mut frames = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec();
    for stream in (1..32_u8).step_by(2) {
        // HEADERS that end head and stream: GET, http, `/`, authority `h`.
        frames.extend([0, 0, 6, 1, 5, 0, 0, 0, stream]);
        frames.extend([0x82, 0x86, 0x84, 0x41, 1, b'h']);
    }
    frames
}

// rule: D-NET-15
#[test]
fn other_tasks_run_between_the_requests_of_a_connection() {
    for requests in [GET.repeat(16), sixteen_streams()] {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let server = {
            let _in_runtime = runtime.enter();
            Server::bind(Options::new("127.0.0.1:0".parse().unwrap())).unwrap()
        };
        let mut stream = TcpStream::connect(server.address().unwrap()).unwrap();
        stream.write_all(&requests).unwrap();
        let begun = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&begun);
        let serve = server.serve(move |_| {
            let begun = Arc::clone(&counted);
            service_fn(move |_: Request<RequestBody>| {
                let begun = Arc::clone(&begun);
                async move {
                    begun.fetch_add(1, Ordering::Relaxed);
                    Ok::<_, Infallible>(Response::new(Full::from("hello")))
                }
            })
        });
        // It is polled once in each round of the runtime.
        let (mut before, started) = (0, Instant::now());
        let another = poll_fn(move |cx| {
            let now = begun.load(Ordering::Relaxed);
            assert!(now - before <= 1, "{before} to {now}");
            assert!(started.elapsed() < SILENCE, "{now} requests");
            before = now;
            cx.waker().wake_by_ref();
            if now < 16 {
                Poll::Pending
            } else {
                Poll::Ready(())
            }
        });
        runtime.spawn(serve);
        runtime.block_on(runtime.spawn(another)).unwrap();
    }
}

#[test]
fn a_stop_ends_idle_connections_and_finishes_requests() {
    let server = Running::new(|_| {});
    let mut begun = server.connect();
    begun
        .write_all(
            b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n",
        )
        .unwrap();
    let mut go_on = [0; 25];
    begun.read_exact(&mut go_on).unwrap();
    let mut idle = server.connect();
    server.handle.stop(SILENCE);
    assert_eq!(rest(&mut idle), "");
    begun.write_all(b"ab").unwrap();
    let answer = rest(&mut begun);
    assert!(
        answer.contains("connection: close") && answer.ends_with("thanks"),
        "{answer}"
    );
    let begun = Instant::now();
    while server.handle.connections() > 0 {
        assert!(begun.elapsed() < SILENCE);
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(TcpStream::connect(server.address).is_err());
    server.runtime.shutdown_background();
}

#[test]
fn tls_is_spoken_with_a_certificate_and_a_mistake_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let (chain, key) = (
        folder.path().join("chain.pem"),
        folder.path().join("key.pem"),
    );
    // It is for `localhost` and its own issuer, until 2099.
    let (certificate, signing) = (
        include_str!("tls/server.pem"),
        include_str!("tls/server.key"),
    );
    fs::write(&chain, certificate).unwrap();
    let missing = Certificates::of(Some(&chain), Some(&key)).unwrap_err();
    assert!(missing.to_string().contains("key.pem"), "{missing}");
    assert!(Certificates::of(Some(&chain), None).is_err());
    assert!(Certificates::of(None, None).unwrap().is_none());
    fs::write(&key, signing).unwrap();
    let certificates = Certificates::of(Some(&chain), Some(&key)).unwrap();
    let server = Running::new(|options| options.certificates = certificates);

    let mut roots = RootCertStore::empty();
    let der = CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap();
    roots.add(der).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let client = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(client, server.connect());
    stream.write_all(GET).unwrap();
    let mut status = [0; 15];
    stream.read_exact(&mut status).unwrap();
    assert_eq!(&status, b"HTTP/1.1 200 OK");
}
