//! TLS handshake of a connection, within a time limit and a budget of memory.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_util::io::InspectReader;

use super::connection_memory::Account;
use super::listen::Socket;

/// Time limit for the TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);

// rule: D-NET-11
/// Returns the encrypted stream; `None` when the handshake failed. What the client sends is charged until then: the TLS
/// library holds messages in parts, and they may be long.
pub(super) async fn handshake(
    tls: TlsAcceptor,
    socket: Socket,
    account: Arc<Account>,
) -> Option<impl AsyncRead + AsyncWrite + Send + Unpin> {
    // It ends with this function, and the stream that is returned charges nothing.
    let charge = Arc::new(Mutex::new(account.charge(0)));
    let (of_handshake, mut bytes) = (Arc::downgrade(&charge), 0_u64);
    let socket = InspectReader::new(socket, move |read: &[u8]| {
        if let Some(charge) = of_handshake.upgrade() {
            bytes = bytes.saturating_add(u64::try_from(read.len()).unwrap_or(u64::MAX));
            let mut charge = charge.lock().unwrap_or_else(PoisonError::into_inner);
            charge.set(bytes);
        }
    });
    match timeout(HANDSHAKE, tls.accept(socket)).await {
        Ok(Ok(stream)) => return Some(stream),
        Ok(Err(error)) => tracing::debug!(%error, "a handshake failed"),
        Err(_) => tracing::debug!("a handshake took too long"),
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::connection_memory::ConnectionMemory;
    use rustls::ServerConfig;
    use rustls::crypto::ring;
    use rustls::server::{ClientHello, ResolvesServerCert};
    use rustls::sign::CertifiedKey;
    use tokio::io::AsyncWriteExt as _;
    use tokio::net::{TcpListener, TcpStream};
    use tokio::task::yield_now;

    #[derive(Debug)]
    struct NoCertificate;

    impl ResolvesServerCert for NoCertificate {
        fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
            None
        }
    }

    fn acceptor() -> TlsAcceptor {
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(NoCertificate));
        TlsAcceptor::from(Arc::new(config))
    }

    /// A message that announces more than comes, in records of the usual size.
    fn long_hello() -> Vec<u8> {
        let mut message = vec![1, 0, 0xfd, 0xe8];
        message.resize(64_000, b'x');
        let record = |part: &[u8]| {
            let length = u16::try_from(part.len()).unwrap().to_be_bytes();
            [&[22, 3, 1], &length[..], part].concat()
        };
        message.chunks(16_000).flat_map(record).collect()
    }

    // rule: D-NET-11
    #[tokio::test]
    async fn a_message_that_does_not_end_is_charged_until_the_handshake_does() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap())
            .await
            .unwrap();
        let (socket, _) = listener.accept().await.unwrap();
        let memory = ConnectionMemory::new(1 << 30, 1_000);
        let open = memory.open(true);
        let before = memory.used();
        let account = Arc::clone(&open.account);
        let handshaking = tokio::spawn(async move {
            let stream = handshake(acceptor(), Socket::Tcp(socket), account).await;
            assert!(stream.is_none());
        });
        let hello = long_hello();
        client.write_all(&hello).await.unwrap();
        let all = before + u64::try_from(hello.len()).unwrap();
        while memory.used() < all {
            assert!(!handshaking.is_finished());
            yield_now().await;
        }
        assert_eq!(memory.used(), all);
        drop(client);
        handshaking.await.unwrap();
        assert_eq!(memory.used(), before);
    }
}
