//! Shared parts of these tests: a store with the demo company, certificates, TLS clients.

use std::fs;
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use erp_tests::identity::Identity;
use erp_tests::process::{self, Credentials, Server};
use erp_tests::wait::PATIENCE;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::Value;
use tempfile::TempDir;

/// A server that sends nothing for this long has failed.
pub const SILENCE: Duration = PATIENCE;

pub struct Company {
    folder: TempDir,
    pub users: Vec<Credentials>,
}

impl Company {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("users.json");
        let mut server = Server::start([
            "demo",
            "--orders",
            "0",
            "--credentials",
            file.to_str().unwrap(),
            "--data",
            folder.path().join("data").to_str().unwrap(),
        ]);
        let users = process::credentials(&file);
        server.terminate();
        assert_eq!(server.wait().code(), Some(0), "{}", server.stderr());
        Self { folder, users }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The arguments of `serve` for this company, followed by `more`.
    pub fn arguments(&self, more: &[&str]) -> Vec<String> {
        let data = self.path("data");
        let rates: &[&str] = match more.contains(&"--rate-limits") {
            true => &[],
            false => &["--rate-limits", "false"],
        };
        let own = ["serve", "--data", data.to_str().unwrap()];
        let all = own.iter().chain(rates).chain(more);
        all.map(|&text| text.to_owned()).collect()
    }

    pub fn serve(&self, more: &[&str]) -> Server {
        Server::start(self.arguments(more))
    }

    /// `Authorization` of a token request of the admin.
    pub fn basic(&self) -> String {
        use base64::Engine as _;
        let admin = self.users.iter().find(|user| user.role == "admin").unwrap();
        let pair = format!("{}:{}", admin.name, admin.password);
        let coded = base64::engine::general_purpose::STANDARD.encode(pair);
        format!("Authorization: Basic {coded}\r\n")
    }

    pub fn log(&self) -> String {
        let files = fs::read_dir(self.path("data/log")).unwrap();
        files
            .map(|file| fs::read_to_string(file.unwrap().path()).unwrap())
            .collect()
    }
}

/// The versions and protocols that a TLS client offers.
pub struct Offer<'a> {
    pub identities: &'a [&'a Identity],
    pub protocols: &'a [&'a str],
    pub versions: &'a [&'static rustls::SupportedProtocolVersion],
}

/// A connection of a client that trusts these certificates.
pub fn connect(
    address: &str,
    offer: &Offer<'_>,
) -> std::io::Result<StreamOwned<ClientConnection, TcpStream>> {
    let mut roots = RootCertStore::empty();
    for identity in offer.identities {
        roots.add(identity.certificate_der()).unwrap();
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(offer.versions)
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = offer
        .protocols
        .iter()
        .map(|name| name.as_bytes().to_vec())
        .collect();
    let name = ServerName::try_from("localhost").unwrap();
    let mut client = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut socket = TcpStream::connect(address).unwrap();
    socket.set_read_timeout(Some(SILENCE)).unwrap();
    while client.is_handshaking() {
        client.complete_io(&mut socket)?;
    }
    Ok(StreamOwned::new(client, socket))
}

/// Sends an HTTP/1.1 request that closes the connection, and returns the response.
pub fn send_request(stream: &mut (impl std::io::Read + std::io::Write), request: &str) -> String {
    stream.write_all(request.as_bytes()).unwrap();
    let mut response = Vec::new();
    // A TLS connection may end without a closing alert.
    let _ = stream.read_to_end(&mut response);
    String::from_utf8(response).unwrap()
}

/// The value of a header field in the text of a response.
pub fn header<'a>(response: &'a str, name: &str) -> Option<&'a str> {
    let head = response.split("\r\n\r\n").next()?;
    let mut fields = head.lines().filter_map(|line| line.split_once(": "));
    let found = fields.find(|(found, _)| found.eq_ignore_ascii_case(name))?;
    Some(found.1)
}

/// The JSON body in the text of a response with a length.
pub fn json(response: &str) -> Value {
    let body = response.split_once("\r\n\r\n").unwrap().1;
    serde_json::from_str(body).unwrap_or_else(|_| panic!("{response}"))
}
