//! A small HTTP client over plain and encrypted connections. Its own cost is negligible compared with the server's.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio_rustls::TlsConnector;

pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

pub(crate) type Connection = Box<dyn Stream>;

#[derive(Clone)]
pub(crate) struct Dialer {
    address: SocketAddr,
    tls: Option<TlsConnector>,
}

pub(crate) fn server_name() -> ServerName<'static> {
    ServerName::try_from("localhost").expect("a name")
}

/// A TLS client that trusts this certificate.
fn tls_client(certificate: &Path) -> Arc<ClientConfig> {
    let text = fs::read(certificate).expect("the certificate");
    let certificate = CertificateDer::from_pem_slice(&text).expect("a certificate");
    let mut roots = RootCertStore::empty();
    roots.add(certificate).expect("a certificate to trust");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config
        .expect("TLS 1.2 and 1.3")
        .with_root_certificates(roots);
    Arc::new(config.with_no_client_auth())
}

impl Dialer {
    /// A client that encrypts if there is a certificate to trust.
    pub(crate) fn new(address: SocketAddr, certificate: Option<&Path>) -> Self {
        let tls = certificate.map(|path| TlsConnector::from(tls_client(path)));
        Self { address, tls }
    }

    pub(crate) fn tls(&self) -> Option<Arc<ClientConfig>> {
        self.tls.as_ref().map(|tls| Arc::clone(tls.config()))
    }

    pub(crate) async fn connect(&self) -> io::Result<Connection> {
        self.connect_as(Ipv4Addr::LOCALHOST).await
    }

    /// The same from this source address.
    pub(crate) async fn connect_as(&self, address: Ipv4Addr) -> io::Result<Connection> {
        let socket = TcpSocket::new_v4()?;
        socket.bind((address, 0).into())?;
        let stream = socket.connect(self.address).await?;
        stream.set_nodelay(true)?;
        self.encrypt(stream).await
    }

    /// A TCP connection from this source address, with the smallest possible receive buffer.
    pub(crate) async fn connect_from(&self, address: Ipv4Addr) -> io::Result<TcpStream> {
        let socket = TcpSocket::new_v4()?;
        socket.set_recv_buffer_size(4_096)?;
        socket.bind((address, 0).into())?;
        socket.connect(self.address).await
    }

    /// Does the TLS handshake if the server uses TLS.
    pub(crate) async fn encrypt(&self, stream: TcpStream) -> io::Result<Connection> {
        Ok(match &self.tls {
            None => Box::new(stream),
            Some(tls) => Box::new(tls.connect(server_name(), stream).await?),
        })
    }
}

pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

/// Sends a request and reads the whole response.
pub(crate) async fn send_request(
    connection: &mut Connection,
    request: &[u8],
) -> io::Result<Response> {
    connection.write_all(request).await?;
    connection.flush().await?;
    let mut received = Vec::new();
    loop {
        if let Some(response) = parse(&received)? {
            return Ok(response);
        }
        if connection.read_buf(&mut received).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

/// The response, if it is complete. Chunked bodies are not decoded.
fn parse(received: &[u8]) -> io::Result<Option<Response>> {
    let wrong = || io::Error::from(io::ErrorKind::InvalidData);
    let Some(end) = received.windows(4).position(|part| part == b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = std::str::from_utf8(&received[..end]).map_err(|_| wrong())?;
    let body = &received[end + 4..];
    let status = head.split(' ').nth(1).and_then(|text| text.parse().ok());
    let field = |name: &str| {
        let mut fields = head.lines().filter_map(|line| line.split_once(": "));
        let found = fields.find(|(found, _)| found.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value)
    };
    let is_whole = match (field("content-length"), field("transfer-encoding")) {
        (Some(length), _) => body.len() >= length.parse().map_err(|_| wrong())?,
        (None, Some(_)) => body.ends_with(b"0\r\n\r\n"),
        (None, None) => true,
    };
    let response = |status| Response {
        status,
        body: body.to_vec(),
    };
    Ok(is_whole.then_some(response(status.ok_or_else(wrong)?)))
}

/// `GET` of a path, with a token if given.
pub(crate) fn get(path: &str, token: Option<&str>) -> String {
    let bearer = token.map_or(String::new(), |token| {
        format!("Authorization: Bearer {token}\r\n")
    });
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{bearer}\r\n")
}

/// `POST` of JSON with a token.
pub(crate) fn post(path: &str, token: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

pub(crate) fn login(user: &str, password: &str, more: &str) -> String {
    use base64::Engine as _;
    let pair = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
    format!(
        "POST /www/token HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic {pair}\r\n{more}Content-Length: 0\r\n\r\n"
    )
}
