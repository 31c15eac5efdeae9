//! TLS handshake of a connection, within a time limit and a budget of memory.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::connection_memory::{Account, Charge};
use super::listen::Socket;

/// Time limit for the TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// Returns the encrypted stream; `None` when the handshake failed.
pub(super) async fn handshake(
    tls: &TlsAcceptor,
    socket: Socket,
    account: &Arc<Account>,
) -> Option<TlsStream<HandshakeSocket>> {
    let socket = HandshakeSocket {
        socket,
        read: Some((account.charge(0), 0)),
    };
    match timeout(HANDSHAKE, tls.accept(socket)).await {
        Ok(Ok(mut stream)) => {
            stream.get_mut().0.read = None;
            return Some(stream);
        }
        Ok(Err(error)) => tracing::debug!(%error, "a handshake failed"),
        Err(_) => tracing::debug!("a handshake took too long"),
    }
    None
}

// rule: D-NET-11
/// Socket that charges what was read until the handshake is complete: the TLS library holds messages in parts, and
/// they may be long.
#[derive(Debug)]
pub(super) struct HandshakeSocket {
    socket: Socket,
    /// `None` after the handshake.
    read: Option<(Charge, u64)>,
}

impl AsyncRead for HandshakeSocket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.socket).poll_read(cx, buf);
        if let Some((charge, bytes)) = &mut self.read {
            let count = buf.filled().len().saturating_sub(before);
            *bytes = bytes.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
            charge.set(*bytes);
        }
        polled
    }
}

impl AsyncWrite for HandshakeSocket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }
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
            let stream = handshake(&acceptor(), Socket::Tcp(socket), &account).await;
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
